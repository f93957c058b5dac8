from vgdl.controllers.search.population cimport Population
from vgdl.controllers.search.sprite_distances cimport SpriteDistances

cdef class NearnessPopulation(Population):
    cdef SpriteDistances sprite_distances
    cdef double resource_weight, npc_weight, movable_weight

    cdef double nearness(self, int category) noexcept
