from vgdl.controllers.search.generator cimport Generator
from vgdl.core.state cimport StateObservation

cdef class Population:
    cdef int player
    cdef Generator generator
    cdef int depth  # genes of a plan
    cdef int n_individuals
    cdef double mutation, recombination  # probabilities per gene
    cdef int n_actions
    cdef int *actions
    cdef int *genes  # [first action][individual][depth]
    cdef double *fitnesses  # [first action][individual], as of the last evaluation; -infinity before
    cdef double *sums  # [first action]: sum of all fitnesses in this search
    cdef long long *evaluations  # [first action]: their number
    cdef readonly long long iterations  # tournaments of the last search
    cdef StateObservation start  # where evaluations start; read-only
    cdef StateObservation scratch  # the state that evaluations advance

    cdef int populate(self) except -1
    cdef int *plan(self, int first, int individual) noexcept
    cdef int tournament(self, int first) except -1
    cdef double evaluate(self, int first, int individual) except? -1.0
    cdef int step(self, int action) except -1
    cdef int breed(self, int *winner, int *loser) noexcept
    cdef double best_of(self, int first) noexcept
    cdef double mean_of(self, int first) noexcept
    cdef bint better(self, int first, int other) noexcept
    cdef int begin(self) except -1
    cdef int watch(self) except -1
    cdef double fitness(self) except? -1.0
