"""Boards of Othello for the searches here: additions to the C interface of ``vgdl.tabletop``.

In C players are 0 (black) and 1 (white).
"""

from libc.stdint cimport uint64_t

from vgdl.tabletop.bits cimport any_of, count, mixed
from vgdl.tabletop.othello_engine cimport OVER, Board, Variant, margin, play, skip

cdef enum:
    MAX_CELLS = 144


cdef inline void move(const Variant* variant, Board* board, int cell) noexcept nogil:
    """Make a move and a pass after it, if needed, so that the mover has a move unless the game is over."""
    play(variant, board, cell)
    if board.mover != OVER and not any_of(board.moves, variant.words):
        skip(variant, board)


cdef inline int empty_cells(const Variant* variant, const Board* board) noexcept nogil:
    cdef int pieces = count(board.pieces[0], variant.words) + count(board.pieces[1], variant.words)
    return count(variant.playable, variant.words) - pieces


cdef inline int ahead(const Variant* variant, const Board* board, int player) noexcept nogil:
    """A player's margin, in the sense of the goal."""
    cdef int black = margin(variant, board)
    return -black if player else black


cdef inline uint64_t hashed(const Variant* variant, const Board* board) noexcept nogil:
    """A hash key for a table of positions."""
    cdef uint64_t key = board.mover + 1
    cdef int word
    for word in range(variant.words):
        key = mixed(key ^ board.pieces[0].word[word]) + board.pieces[1].word[word]
    return mixed(key)
