from vgdl.controllers.population cimport Population
from vgdl.controllers.sightings cimport Lessons

cdef class LearningPopulation(Population):
    cdef Lessons lessons
    cdef double company  # score points that the outlook counts
