from vgdl.controllers.search.population cimport Population
from vgdl.controllers.search.sprite_distances cimport TypeValues

cdef class LearningPopulation(Population):
    cdef TypeValues type_values
    cdef double proximity_weight  # weight of the outlook, score points
