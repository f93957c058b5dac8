from libc.stdint cimport int32_t

from vgdl.controllers.search.budget cimport Budget
from vgdl.controllers.search.generator cimport Generator
from vgdl.core.api cimport MAX_ACTIONS
from vgdl.core.state cimport StateObservation

cdef enum:  # predictors
    UNIFORM
    FREQUENCY  # of its actions so far
    HABIT  # of its actions so far that followed the one before
    LOOK_AHEAD  # what is best for it after one action each and random ones then
    N_PREDICTORS

cdef class Opponent:
    cdef int player  # the opponent's number; -1 in games for one
    cdef int tick  # of the state last observed
    cdef int before  # its action that led there
    cdef int32_t n_choices
    cdef int32_t[MAX_ACTIONS] choices  # in the state last observed
    cdef double[N_PREDICTORS] trust  # share of each predictor, sums to 1
    cdef double[MAX_ACTIONS] counts  # how often it took each action
    cdef double[MAX_ACTIONS][MAX_ACTIONS] followed  # the same by the action before
    cdef double[MAX_ACTIONS] foreseen  # the weights of LOOK_AHEAD
    cdef StateObservation scratch
    cdef public bint learns  # otherwise it is taken to act at random

    cpdef int observe(self, StateObservation state) except -1
    cpdef int look_ahead(self, StateObservation state, Generator generator, Budget budget) except -1
    cdef double value(self, StateObservation state) noexcept
    cdef void prefer(self, double *values) noexcept
    cdef double weight(self, int predictor, int action, int before) noexcept
    cdef double probability(self, int predictor, int action) noexcept
    cdef int draw(self, StateObservation state, Generator generator) noexcept
    cdef int play(self, StateObservation state, int action, Generator generator) except -1
    cdef int step(self, StateObservation state, int action, int answer) except -1
