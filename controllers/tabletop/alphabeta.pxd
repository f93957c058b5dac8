"""The C API of alpha-beta search."""

from libc.stdint cimport uint64_t

from vgdl.controllers.tabletop.budget cimport Budget
from vgdl.tabletop.position cimport Position


cdef struct Entry:
    uint64_t key
    double value  # to the mover
    int action  # the best, or the one that refuted
    short depth
    char bound  # EXACT, LOWER or UPPER
    char solved  # whether every leaf below was the end of a game


cdef class AlphaBeta:
    cdef readonly Budget budget
    cdef readonly int depth  # plies of the last search that was finished
    cdef readonly bint solved  # whether that search saw the ends of all games
    cdef readonly long long nodes  # of the last search
    cdef object value
    cdef int max_depth
    cdef double unit  # the largest return
    cdef Entry *table
    cdef uint64_t mask
    cdef list stack  # a Position for each ply
    cdef int *actions  # ``wide`` for each ply
    cdef int wide
    cdef int n_actions
    cdef long long *history  # by player and action: how often it was good
    cdef bint stopped
    cdef bint horizon  # whether a leaf was reached that is not an end of a game

    cdef int prepare(self, Position root, object game) except -1
    cdef double after(
        self, Position at, int action, int mover, int depth, int ply, double alpha, double beta, bint scout
    ) except? -9
    cdef double seen_by(self, Position at, bint same, int depth, int ply, double alpha, double beta) except? -9
    cdef double worth(self, Position at, int depth, int ply, double alpha, double beta) except? -9
    cdef int order(self, int *actions, int n, int mover, int first) noexcept
