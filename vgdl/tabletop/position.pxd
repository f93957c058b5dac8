"""The C API of states for searches, compiled or wrapping a Python object."""

from libc.stdint cimport uint64_t

from vgdl.tabletop.bits cimport draw


cdef enum:
    MOST_ACTIONS = 1024  # legal at once in a compiled game, or outcomes of a chance node
    MOST_PLAYERS = 16


cdef inline int sampled(const double *probabilities, int n, uint64_t *random) noexcept nogil:
    """The index of one of ``n`` outcomes, drawn by its probability."""
    cdef double rest = <double>(draw(random) >> 11) * (1.0 / 9007199254740992.0)
    cdef int k
    for k in range(n - 1):
        rest -= probabilities[k]
        if rest < 0:
            return k
    return n - 1


cdef class Position:
    cdef int players(self) except -1
    cdef int widest(self) except -1
    cdef int mover(self) except? -9
    cdef int moves(self, int *actions) except -1
    cdef int outcomes(self, int *actions, double *probabilities) except -1
    cdef int make(self, int action) except -1
    cdef int results(self, double *values) except -1
    cdef Position twin(self)
    cdef int assign(self, Position other) except -1
    cdef uint64_t fingerprint(self) except? 0
    cdef double estimate(self, int player) except? -9.0
    cdef int playout(self, uint64_t *random, int limit, double *values) except -1


cdef class CompiledState(Position):
    cdef object game
    cdef list past  # of PlayerAction; None in twins

    cdef int check(self, int action) except -1


cdef class Wrapped(Position):
    cdef readonly object state
    cdef object value  # of (state, player) -> float, or None
    cdef int n_players
    cdef int n_actions  # of players
    cdef int width  # of lists: actions or outcomes
