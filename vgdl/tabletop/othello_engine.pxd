"""The C API of the Othello engine: variants, boards, and queries."""

from libc.stdint cimport uint64_t

from vgdl.tabletop.bits cimport Bits


cdef enum:
    SMALLEST = 4
    LARGEST = 12
    OVER = 2  # in `Board.mover`: neither player has a legal move


cdef struct Variant:
    int n  # rows and columns
    int words  # of a set of cells
    bint over_blocked  # a capture may step over blocked cells ("ignore occlusion")
    bint fewer_continue  # the player with fewer pieces moves next
    bint fewest_win
    Bits playable  # all cells but the blocked ones
    Bits blocked
    Bits inner  # all cells but those of the first and the last column


cdef struct Board:
    Bits pieces[2]  # black's, white's
    Bits moves  # of the mover; none if the mover has to pass
    int mover  # 0 black, 1 white, or OVER


cdef void set_size(Variant *variant, int n) noexcept nogil
cdef Bits legal(const Variant *variant, const Bits *own, const Bits *other) noexcept nogil
cdef Bits captured(const Variant *variant, const Bits *own, const Bits *other, int cell) noexcept nogil
cdef void set_mover(const Variant *variant, Board *board, int mover) noexcept nogil
cdef int next_mover(const Variant *variant, const Board *board, int mover) noexcept nogil
cdef void play(const Variant *variant, Board *board, int cell) noexcept nogil
cdef void skip(const Variant *variant, Board *board) noexcept nogil
cdef int margin(const Variant *variant, const Board *board) noexcept nogil
cdef int playout(const Variant *variant, Board *board, uint64_t *random) noexcept nogil
cdef uint64_t perft(const Variant *variant, const Board *board, int depth, uint64_t *made) noexcept nogil
