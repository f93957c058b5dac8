from vgdl.controllers.search.budget cimport Budget
from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.opponent cimport Opponent
from vgdl.controllers.search.outlook cimport Outlook
from vgdl.core.state cimport StateObservation

cdef enum:
    POOL = 24
    LONGEST = 320

cdef struct Plan:
    int length
    int tries
    int proposer  # the number of the search that proposed it; -1 if it was made by changing another one
    int aftermaths  # tries that went on without actions
    double total
    double squares
    double later  # what came after the plan in those
    double later_squares
    unsigned char[LONGEST] actions

cdef class PlanPool:
    cdef Generator generator
    cdef Outlook outlook
    cdef int player
    cdef StateObservation scratch, start
    cdef Plan[POOL] plans
    cdef readonly int size
    cdef public bint aftermath  # whether trials may go on without actions
    cdef bint looking_on  # whether those of this race do
    cdef double telling  # share of aftermaths lately that came to something
    cdef int n_races
    cdef readonly long long n_aftermaths  # that were played
    cdef double root_score, root_danger
    cdef int reach  # ticks that plans are tried for
    cdef object timer
    cdef double end_ms  # when a trial that goes on must end
    cdef long long start_size  # bytes of the state that plans start from

    cpdef int begin(self, StateObservation state) except -1
    cpdef int propose(self, bytes steps, int proposer=*, bint urgent=*) except -1
    cpdef int race(self, Budget budget) except -1
    cpdef double bound(self, int number) noexcept
    cdef int promising(self) noexcept
    cdef int worst(self) noexcept
    cdef int sort(self) noexcept
    cdef int mutate(self, Plan *plan, Plan *into) except -1
    cdef int try_out(self, Plan *plan) except -1
    cdef double future_of(self, Plan *plan) except? -1e300
    cdef double mean(self, Plan *plan) noexcept
    cdef double doubt(self, Plan *plan, double least=*) noexcept
    cdef bint lasts(self) except -1
    cdef double wait(self) except? -1e300


cdef class Safety:
    cdef Generator generator
    cdef Opponent opponent
    cdef int player
    cdef StateObservation scratch, after
    cdef readonly dict risks
    cdef int rollouts  # of a future
    cpdef dict measure(self, StateObservation state, Budget budget, int depth, double room)
    cdef bint is_doomed(self, StateObservation state, int action, int depth, object timer, double end_ms) except -1
