"""The queue of time effects (effects, 6 and 7)."""

from vgdl.core.data.scratch cimport Scratch

cdef int add_timer(Scratch *w, int due, int effect) noexcept nogil
cdef int next_due(Scratch *w) noexcept nogil
cdef int queue_timers(Scratch *w) noexcept nogil
