from libc.stdint cimport int32_t, uint64_t

from vgdl.controllers.search.budget cimport Budget
from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.novelty cimport Facts
from vgdl.core.state cimport StateObservation


cdef class Outline:
    cdef int player, n_types
    cdef Facts facts  # of the state last read
    cdef StateObservation scratch
    cdef int32_t *differed  # by type: pairs of futures that ended with its sprites in different places
    cdef int32_t score_differed, health_differed
    cdef readonly int compared  # pairs of futures that differed
    cdef uint64_t *places  # by future and type: a hash of the places of its sprites at the end
    cdef int32_t *restless  # by type: whether outlines are without its sprites
    cdef bint without_score, without_health  # whether outlines are without the score, the health
    cdef readonly int version  # increased whenever outlines contain something else

    cpdef int compare(self, StateObservation state, Generator generator, Budget budget) except -1
    cdef int compare_once(self, StateObservation state, Generator generator) except -1
    cdef void settle(self) noexcept
    cpdef bint is_quiet(self, StateObservation state, Generator generator, int futures, int ticks) except -1
    cdef uint64_t sum_of_counts(self) noexcept
    cdef uint64_t hash_of(self, Facts facts) noexcept
