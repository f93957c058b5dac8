"""Where a sprite of the size of a cell is, and whether it has moved."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy

from vgdl.core.data.layout cimport LevelTables, Sprite
from vgdl.core.data.machine cimport unlikely
from vgdl.core.data.scratch cimport Scratch, larger


cdef inline bint is_usual(Scratch *w) noexcept nogil:
    """Whether records have the size of a cell, and the tables of their places exist."""
    return w.size_at == 0 and w.board.across != NULL


cdef inline uint32_t place_at(LevelTables *board, int x, int y) noexcept nogil:
    """The place of a sprite of the size of a cell."""
    if unlikely(<uint32_t>x > <uint32_t>board.width):  # below 0: large as unsigned
        x = board.width if x > 0 else larger(x, -board.block)
    if unlikely(<uint32_t>y > <uint32_t>board.height):
        y = board.height if y > 0 else larger(y, -board.block)
    return board.across[x] + board.down[y]


cdef inline int64_t point(const int32_t *x) noexcept nogil:
    """Two coordinates as one number, to be compared."""
    cdef int64_t both
    memcpy(&both, x, sizeof(both))
    return both


cdef inline bint has_rested(Sprite *s) noexcept nogil:
    """Whether a sprite is where it was a tick before."""
    return point(&s.x) == point(&s.last_x)
