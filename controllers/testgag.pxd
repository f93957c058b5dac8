from vgdl.controllers.population cimport Population
from vgdl.controllers.sightings cimport Sightings

cdef class NearnessPopulation(Population):
    cdef Sightings sightings
    cdef double resource_weight, npc_weight, movable_weight

    cdef double nearness(self, int category) noexcept
