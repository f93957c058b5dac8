"""Steps back before the pair effects.

If the first effect on a sprite that has moved can only be a `stepBack` off a level sprite, it steps back before it
enters the index: its hits need not be listed, and it need not be entered twice.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from vgdl.core.data.layout cimport FROM_AVATAR_FLAG, KILLED, Blocked, LevelTables, Sprite
from vgdl.core.data.machine cimport unlikely
from vgdl.core.data.scratch cimport Scratch, level_alive, level_sprite, row
from vgdl.core.rules.places cimport has_rested, is_usual, place_at


cdef bint stands_there(Scratch *w, uint64_t walls, int64_t cell) noexcept nogil:
    """Whether a cell has a level sprite whose class is one of ``walls``. Without sizes, these fill their cells."""
    cdef LevelTables *board = w.board
    cdef int32_t *following = board.cell_list + board.cells[cell]
    cdef int32_t *end = board.cell_list + board.cells[cell + 1]
    while following < end:
        if board.encounters[level_sprite(w, following[0]).type].own & walls and level_alive(w, following[0]):
            return True
        following += 1
    return False


cdef bint is_blocked(Scratch *w, uint32_t place, uint64_t walls) noexcept nogil:
    """`stands_there`, for all cells of a place."""
    cdef uint64_t *masks = w.board.cell_masks
    cdef int64_t cell = place >> 2, last
    if place & 3 == 3:
        last = cell + w.board.columns + 3
        if ((masks[cell + 1] & walls and stands_there(w, walls, cell + 1))
                or (masks[last - 1] & walls and stands_there(w, walls, last - 1))):
            return True
    else:
        last = cell + (w.board.columns + 2 if place & 1 else place >> 1 & 1)
    return ((masks[last] & walls and stands_there(w, walls, last))
            or (masks[cell] & walls and stands_there(w, walls, cell)))


cdef bint turn_back(Scratch *w) noexcept nogil:
    """Carry out the `stepBack` of records that can meet nothing else before: see `blocked` in the board's compiler.

    Such an effect has no other consequences, unless a player's avatar is gone, which is fatal, or the collision makes
    an event. Returns whether all have been looked at.
    """
    cdef Blocked *blocked = w.board.blocked
    cdef Blocked *end = blocked + w.board.n_blocked
    cdef LevelTables *board = w.board
    cdef uint64_t *masks = board.cell_masks
    cdef uint32_t *across = board.across
    cdef uint32_t *down = board.down
    cdef uint32_t last_x = board.width, last_y = board.height  # of the tables
    cdef bint recording = w.record_history
    cdef uint64_t walls
    cdef uint32_t place
    cdef char *records = w.records
    cdef int64_t stride = w.stride
    cdef Sprite *s
    cdef int index, p
    if w.n_shields or not is_usual(w):
        return False
    for p in range(w.rules.n_players):
        if w.header.avatar[p] < 0:
            return False
    while blocked < end:
        index = w.groups[blocked.group].first
        walls = blocked.walls
        while index >= 0:
            s = <Sprite *>(records + index * stride)
            index = s.next
            if has_rested(s):
                continue
            if s.flags & KILLED or (recording and (row(w, s).is_avatar or s.flags & FROM_AVATAR_FLAG)):
                continue
            if unlikely((<uint32_t>s.x > last_x) | (<uint32_t>s.y > last_y)):
                place = place_at(board, s.x, s.y)
            else:
                place = across[s.x] + down[s.y]
            if place & 3 == 0 and masks[place >> 2] & walls == 0:  # in a single cell
                continue
            if is_blocked(w, place, walls):
                s.x = s.last_x
                s.y = s.last_y
        blocked += 1
    return not recording
