"""The value function of n-tuples: declarations."""

from libc.stdint cimport uint8_t, uint64_t

from vgdl.competition.tracks.othello.players.positions cimport MAX_CELLS
from vgdl.tabletop.othello cimport Rules
from vgdl.tabletop.othello_engine cimport Board, Variant

cdef enum:
    MAX_TUPLES = 1024
    TABLE = 27  # contents of three cells


cdef class NTuples:
    cdef Rules rules
    cdef object clock
    cdef Variant variant  # of the evaluated boards
    cdef int cells  # of the whole board, including blocked ones
    cdef int playable
    cdef int pairs  # tuples of two cells come first
    cdef int tuples
    cdef uint8_t cell[MAX_TUPLES][3]
    cdef int offset[MAX_TUPLES]  # of its table in the weights of a phase; equivalent tuples share one
    cdef bint mirrored[MAX_TUPLES]  # whether a symmetry reverses the tuple
    cdef int phases
    cdef int phase_size  # weights of one phase
    cdef float[::1] weights

    cdef int start(self, object board, int player, Board* position) except -1
    cdef float logit(self, const Board* position, int player) noexcept nogil
    cdef void learn(self, const Board* position, int player, float change) noexcept nogil
    cdef float after(self, const Board* position, int cell) noexcept nogil
    cdef int best(self, const Board* position, float* value) noexcept nogil
    cdef void play_and_learn(self, Board position, float step, uint64_t* state) noexcept nogil
    cdef float match_game(self, Board position, int side, float[:, ::1] sets, uint64_t* state)
