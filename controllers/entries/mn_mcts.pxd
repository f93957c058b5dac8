from vgdl.controllers.search.sprite_distances cimport SpriteDistances
from vgdl.controllers.search.tree cimport ClosedLoopUCT
from vgdl.core.state cimport StateObservation

cdef class ModelUCT(ClosedLoopUCT):
    cdef double discount
    cdef double bias
    cdef double rate
    cdef SpriteDistances before, after
    cdef double *weights  # by type: score change per cell that the nearest sprite comes nearer

    cdef double predict(self) noexcept
    cdef int learn(self, double change) noexcept
    cdef double gain(self, double before) noexcept
