from vgdl.controllers.search.budget cimport Budget
from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.outlook cimport Outlook
from vgdl.core.state cimport StateObservation

cdef enum:
    POOL = 24  # plans
    LONGEST = 320  # actions of a plan

cdef struct Plan:
    int length
    int tries
    int proposer  # number of the search that proposed it; -1 for a mutated plan
    int aftermaths  # tries that were continued without actions
    double total  # of the values of its tries
    double squares  # sum of their squares
    double later  # of the values of its aftermaths
    double later_squares  # sum of their squares
    unsigned char[LONGEST] actions

cdef inline double spread(double total, double squares, int n) noexcept nogil:
    """Variance of ``n`` values, from their sum and the sum of their squares."""
    cdef double mean = total / n
    cdef double variance = squares / n - mean * mean
    return variance if variance > 0.0 else 0.0


cdef inline double mean_of(const Plan *plan) noexcept nogil:
    """Mean value of a plan that was tried, aftermath included."""
    return plan.total / plan.tries + (plan.later / plan.aftermaths if plan.aftermaths else 0.0)


cdef inline double variance_of(const Plan *plan, double least=0.0) noexcept nogil:
    """Variance of that mean; ``least`` is added to the variance of a single try."""
    return (spread(plan.total, plan.squares, plan.tries) + least) / plan.tries + (
        spread(plan.later, plan.later_squares, plan.aftermaths) / plan.aftermaths if plan.aftermaths else 0.0
    )


cdef class PlanPool:
    cdef Generator generator
    cdef Outlook outlook
    cdef int player
    cdef StateObservation scratch
    cdef StateObservation start  # the state that plans start from
    cdef Plan[POOL] plans
    cdef readonly int size  # number of plans
    cdef public bint aftermath  # whether tries may be continued without actions
    cdef bint continues  # whether those of this race are
    cdef double usefulness  # recent share of aftermaths with a value other than 0
    cdef int n_races
    cdef readonly long long n_aftermaths  # that were played
    cdef double root_score, root_danger  # of the state that plans start from
    cdef int reach  # most ticks of a try
    cdef object timer
    cdef double end_ms  # when a try that still runs is cut off
    cdef long long start_size  # bytes of the state that plans start from

    cpdef int begin(self, StateObservation state) except -1
    cpdef int propose(self, bytes steps, int proposer=*, bint urgent=*) except -1
    cpdef int reach_of(self, double ticks) noexcept
    cpdef int race(self, Budget budget) except -1
    cpdef double bound(self, int number) noexcept
    cdef int promising(self) noexcept
    cdef int worst(self) noexcept
    cdef int sort(self) noexcept
    cdef int mutate(self, Plan *plan, Plan *into) except -1
    cdef int try_out(self, Plan *plan) except -1
    cdef double future_of(self, Plan *plan) except? -1e300
    cdef bint survives(self) except -1
    cdef double aftermath_of_try(self) except? -1e300


cdef class Safety:
    cdef Generator generator
    cdef int player
    cdef StateObservation scratch
    cdef StateObservation after  # the state after a first action
    cdef readonly dict risks  # of the last measurement, by action
    cdef int rollouts  # per future
    cpdef dict measure(self, StateObservation state, Budget budget, int depth, double room)
    cdef bint is_doomed(self, StateObservation state, int action, int depth, object timer, double end_ms) except -1
