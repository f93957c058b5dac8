from vgdl.core.state cimport StateObservation

cpdef double state_value(StateObservation state, int player=*) noexcept
