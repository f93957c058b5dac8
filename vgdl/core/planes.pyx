"""The board as planes of zeros and ones, for programs that learn.

One plane per visible type: 1 in every cell where `StateObservation.grid` has one of its sprites. Behind them five
about the player's own avatar: where it is, and that cell again in the plane of the way it faces.

Of a whole board, an observation is drawn over the one before. The marks of `Drawn` are one number per record, in the order of
the records, after two for the avatar's planes: the place of its first cell in the planes, times four, plus 2 if it reaches into
the next column and 1 if it reaches into the next row; -1 for a sprite that is not shown. A record whose mark has not changed
costs a comparison.
"""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from vgdl.core.data.machine cimport fetch_ahead, lowest_bit
from vgdl.core.data.layout cimport NOWHERE, Sprite
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.observer cimport Drawn, Space, check_state, has_room
from vgdl.core.state cimport StateObservation, look_at
from vgdl.core.data.scratch cimport Walk, larger, level_alive, level_sprite, next_of, peek, record, set_up, smaller, walk

cdef enum:
    BEFORE_RECORDS = 2  # marks of the avatar's planes
    MOST_PLACES = 1 << 28  # that a mark can tell apart

cdef enum AvatarPlane:  # behind those of the types
    SELF
    FACING_UP
    FACING_LEFT
    FACING_DOWN
    FACING_RIGHT
    N_AVATAR_PLANES

#: names of the planes behind those of the types
AVATAR_PLANES = ("avatar", "facing up", "facing left", "facing down", "facing right")


cdef class Planes(Observer):
    """Which plane shows what on a board, and how to draw them; immutable."""

    def __cinit__(self, BoardTables tables not None, int view=-1):
        """``view``: show that many cells to each side of the avatar instead of the whole board; cells outside of the
        board are 0, and so is everything once the avatar is gone.
        """
        cdef int stype
        if view < -1:
            raise ValueError(f"expected a view of at least 0 cells, or -1 for the whole board, got {view}")
        shown = [
            stype for stype in range(tables.rules.rules.n_types)
            if tables.rules.rules.types[stype].creatable and not tables.rules.rules.types[stype].hidden
        ]
        self.tables = tables
        self.view = view
        self.types = tuple(shown)
        self.n_types = len(shown)
        self.n_planes = self.n_types + N_AVATAR_PLANES
        self.columns = tables.level.columns if view < 0 else 2 * view + 1
        self.rows = tables.level.rows if view < 0 else 2 * view + 1
        self.shape = self.n_planes, self.rows, self.columns
        plane_of = np.full(tables.rules.rules.n_types, -1, np.int32)
        plane_of[shown] = np.arange(self.n_types)
        self.plane_of = plane_of
        self.fixed = np.zeros((self.n_planes, tables.level.rows, tables.level.columns), np.uint8)
        draw_fixed(self)
        self.parts = (("observations", self.shape, np.dtype(np.uint8)),)
        self.by_changes = view < 0 and n_places(self) < MOST_PLACES
        if self.by_changes:
            prepare_changes(self)

    def write(self, StateObservation state not None, uint8_t[:, :, ::1] into not None, int player=0):
        """Draw what a player sees into an array of the right shape. ValueError for another shape, board or player."""
        cdef Scratch w
        check_state(self, state, player)
        if (into.shape[0], into.shape[1], into.shape[2]) != self.shape:
            got = into.shape[0], into.shape[1], into.shape[2]
            raise ValueError(f"expected an array of shape {self.shape}, got {got}")
        memset(&w, 0, sizeof(Scratch))
        set_up(&w, &state.tables.level)
        look_at(&w, state.block)
        self.draw_anew(&w, player, &into[0, 0, 0])

    def __reduce__(self):
        return Planes, (self.tables, self.view)

    cdef bint draw(self, Scratch *w, int player, Drawn *drawn, Space *space) noexcept nogil:
        if not self.by_changes:
            self.draw_anew(w, player, <uint8_t *>drawn.into[0])
            return True
        if not has_room(drawn, w.header.n_sprites + BEFORE_RECORDS):
            return False
        if not drawn.known:
            drawn.known = 1
            drawn.n = 0
            memset(drawn.alive, 0, 8 * ((w.board.n_vanishing + 63) >> 6))
            memcpy(drawn.into[0], &self.base[0], n_places(self))
        draw_changes(self, w, player, drawn)
        return True

    cdef void load_ahead(self, Drawn *drawn) noexcept nogil:
        """The cells that will be erased; those that will be drawn are mostly beside them."""
        cdef int k
        if self.by_changes and drawn.known:
            for k in range(drawn.n):
                fetch_ahead(drawn.into[0] + (drawn.marks[k] >> 2))

    cdef void draw_anew(self, Scratch *w, int player, uint8_t *into) noexcept nogil:
        """Draw a state into ``n_planes * rows * columns`` bytes."""
        cdef Window shown
        cdef Sprite *own = NULL
        cdef int stype
        if w.header.avatar[player] >= 0:
            own = record(w, w.header.avatar[player])
        shown.left = shown.top = 0
        shown.columns = self.columns
        shown.rows = self.rows
        if self.view >= 0:
            if own == NULL:
                memset(into, 0, <size_t>self.n_planes * self.rows * self.columns)
                return
            shown.left = own.x / w.board.block - self.view
            shown.top = own.y / w.board.block - self.view
        copy_fixed(self, &shown, into)
        for stype in range(w.rules.n_types):
            if self.plane_of[stype] >= 0 and w.board.group_of[stype] >= 0:
                draw_type(w, stype, &shown, into + self.plane_of[stype] * self.rows * self.columns)
        if own != NULL:
            draw_avatar(w, own, &shown, into + self.n_types * self.rows * self.columns)


cdef void draw_fixed(Planes planes):
    """What never changes, drawn once."""
    cdef Scratch w
    cdef Window board
    cdef int stype
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &planes.tables.level)
    look_at(&w, planes.tables.level.initial)
    board.left = board.top = 0
    board.columns = w.board.columns
    board.rows = w.board.rows
    for stype in range(w.rules.n_types):
        if planes.plane_of[stype] >= 0 and w.board.group_of[stype] < 0:
            draw_type(&w, stype, &board, &planes.fixed[planes.plane_of[stype], 0, 0])


# ------------------------------------------------------------------------------------------ over the observation before

cdef inline int64_t n_places(Planes planes) noexcept nogil:
    return <int64_t>planes.n_planes * planes.rows * planes.columns


cdef void prepare_changes(Planes planes):
    """Find out where the level sprites are drawn that can vanish, or that a record of their type may be drawn over.

    If two of a type share a cell, or one is not at the corner of its cell, observations of this board are drawn anew instead.
    """
    cdef Scratch w
    cdef Sprite *s
    cdef int32_t mark
    cdef int j
    planes.base = np.array(planes.fixed).reshape(-1)
    planes.level_at = np.full(n_places(planes), -1, np.int32)
    planes.level_place = np.full(planes.tables.level.n_level + 1, -1, np.int32)
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &planes.tables.level)
    look_at(&w, planes.tables.level.initial)
    for j in range(w.board.n_level):
        s = level_sprite(&w, j)
        if planes.plane_of[s.type] < 0 or w.board.group_of[s.type] < 0:
            continue
        mark = mark_of(planes, &w, planes.plane_of[s.type], s.x, s.y)
        if mark < 0:
            continue
        if mark & 3 or planes.level_at[mark >> 2] >= 0:
            planes.by_changes = False
            return
        planes.level_at[mark >> 2] = j
        if j < w.board.n_vanishing:
            planes.level_place[j] = mark >> 2
        else:
            planes.base[mark >> 2] = 1


cdef inline int32_t mark_of(Planes planes, Scratch *w, int plane, int x, int y) noexcept nogil:
    """The mark of a sprite at (x, y), for the cells that `mark` would draw."""
    cdef int block = w.board.block, column, line
    cdef bint wide, high
    if w.board.inverse and <uint32_t>x <= <uint32_t>w.board.last_x and <uint32_t>y <= <uint32_t>w.board.last_y:
        column = <int>((<uint64_t>x * w.board.inverse) >> 32)
        line = <int>((<uint64_t>y * w.board.inverse) >> 32)
    else:
        column = x / block
        line = y / block
        if not (0 <= column < planes.columns and 0 <= line < planes.rows):
            return -1
    wide = x > column * block and column + 1 < planes.columns
    high = y > line * block and line + 1 < planes.rows
    return 4 * ((plane * planes.rows + line) * planes.columns + column) + 2 * wide + high


cdef inline uint64_t bit(int32_t place) noexcept nogil:
    return <uint64_t>1 << (place & 63)


cdef inline uint64_t erase_place(Planes planes, Scratch *w, int32_t place, uint8_t *into) noexcept nogil:
    """Take a record's sprite out of a cell, which may show a level sprite of its type."""
    cdef int32_t j = planes.level_at[place]
    into[place] = j >= 0 and level_alive(w, j)
    return bit(place)


cdef uint64_t erase(Planes planes, Scratch *w, int32_t mark, uint8_t *into) noexcept nogil:
    """Take a sprite out of all cells of its mark; a bit for each of them, as `bit` numbers them."""
    cdef int32_t place = mark >> 2
    cdef uint64_t erased
    if mark < 0:
        return 0
    erased = erase_place(planes, w, place, into)
    if mark & 2:
        erased |= erase_place(planes, w, place + 1, into)
    if mark & 1:
        erased |= erase_place(planes, w, place + planes.columns, into)
    if mark & 3 == 3:
        erased |= erase_place(planes, w, place + planes.columns + 1, into)
    return erased


cdef uint64_t change(Planes planes, Scratch *w, Drawn *drawn, int k, int32_t mark, uint8_t *into) noexcept nogil:
    """Note the k-th mark, which is a new one, and take out what it was before; a bit for each cell that may have to be drawn."""
    cdef uint64_t erased = erase(planes, w, drawn.marks[k], into) if k < drawn.n else 0
    drawn.marks[k] = mark
    return erased | bit(mark >> 2)


cdef uint64_t change_avatar(Planes planes, Scratch *w, int player, Drawn *drawn, uint8_t *into) noexcept nogil:
    """Note the marks of the avatar's planes, as `change` does."""
    cdef int32_t own = -1, facing = -1
    cdef uint64_t touched = 0
    cdef Sprite *s
    cdef int plane
    if w.header.avatar[player] >= 0:
        s = record(w, w.header.avatar[player])
        own = mark_of(planes, w, planes.n_types + SELF, s.x, s.y)
        plane = facing_plane(s)
        if plane > 0:
            facing = mark_of(planes, w, planes.n_types + plane, s.x, s.y)
    if drawn.n == 0 or own != drawn.marks[0]:
        touched |= change(planes, w, drawn, 0, own, into)
    if drawn.n == 0 or facing != drawn.marks[1]:
        touched |= change(planes, w, drawn, 1, facing, into)
    return touched


cdef uint64_t change_records(Planes planes, Scratch *w, Drawn *drawn, uint8_t *into) noexcept nogil:
    """Note the marks of all records, as `change` does."""
    # what stays as it is, in variables: the compiler would look at it again after every write
    cdef int32_t *plane_of = &planes.plane_of[0]
    cdef int32_t *marks = drawn.marks + BEFORE_RECORDS
    cdef char *next_record = w.records
    cdef int stride = w.stride, block = w.block_size, columns = planes.columns, size = planes.rows * planes.columns
    cdef int n = w.header.n_sprites, known = drawn.n - BEFORE_RECORDS, plane, column, line, k
    cdef uint32_t last_x = w.board.last_x, last_y = w.board.last_y
    cdef uint64_t inverse = w.board.inverse, touched = 0
    cdef int32_t mark, x, y
    cdef Sprite *s
    for k in range(n):
        s = <Sprite *>next_record
        next_record += stride
        plane = plane_of[s.type]
        x = s.x
        y = s.y
        if plane < 0:
            mark = -1
        elif inverse and <uint32_t>x <= last_x and <uint32_t>y <= last_y:  # those below 0 are large, too
            column = <int>((<uint64_t>x * inverse) >> 32)
            line = <int>((<uint64_t>y * inverse) >> 32)
            mark = 4 * (plane * size + line * columns + column) + 2 * (x != column * block) + (y != line * block)
        else:
            mark = mark_of(planes, w, plane, x, y)
        if k >= known or marks[k] != mark:
            touched |= change(planes, w, drawn, k + BEFORE_RECORDS, mark, into)
    return touched


cdef uint64_t change_level(Planes planes, Scratch *w, Drawn *drawn, uint8_t *into) noexcept nogil:
    """Draw the level sprites that have vanished, or are there again, since the last time."""
    cdef uint64_t changed, touched = 0
    cdef int k, j
    for k in range((w.board.n_vanishing + 63) >> 6):
        changed = w.alive[k] ^ drawn.alive[k]
        drawn.alive[k] = w.alive[k]
        while changed:
            j = 64 * k + lowest_bit(changed)
            changed &= changed - 1
            if j < w.board.n_vanishing and planes.level_place[j] >= 0:
                into[planes.level_place[j]] = (w.alive[k] >> (j & 63)) & 1
                touched |= bit(planes.level_place[j])
    return touched


cdef void draw_changes(Planes planes, Scratch *w, int player, Drawn *drawn) noexcept nogil:
    """Draw a state over the one before it.

    A sprite that has not moved is drawn again only if it is in a cell that was erased, or in one of the same number modulo 64.
    """
    cdef uint8_t *into = <uint8_t *>drawn.into[0]
    cdef int32_t *marks = drawn.marks
    cdef int32_t mark, columns = planes.columns
    cdef int k, n = w.header.n_sprites + BEFORE_RECORDS
    cdef uint64_t touched = change_avatar(planes, w, player, drawn, into)
    touched |= change_records(planes, w, drawn, into)
    for k in range(n, drawn.n):
        touched |= erase(planes, w, marks[k], into)
    touched |= change_level(planes, w, drawn, into)
    drawn.n = n
    if touched == 0:
        return
    for k in range(n):
        mark = marks[k]
        if mark >= 0 and (mark & 3 or touched & bit(mark >> 2)):
            into[mark >> 2] = 1
            if mark & 2:
                into[(mark >> 2) + 1] = 1
            if mark & 1:
                into[(mark >> 2) + columns] = 1
            if mark & 3 == 3:
                into[(mark >> 2) + columns + 1] = 1


# ------------------------------------------------------------------------------------------------------------- anew

cdef void copy_fixed(Planes planes, Window *shown, uint8_t *into) noexcept nogil:
    """The part of the fixed planes that is shown, and zeros where there are none."""
    cdef int columns = <int>planes.fixed.shape[2]
    cdef int rows = <int>planes.fixed.shape[1]
    cdef int left = larger(shown.left, 0)
    cdef int right = smaller(shown.left + shown.columns, columns)
    cdef int plane, y
    if planes.view < 0:
        memcpy(into, &planes.fixed[0, 0, 0], <size_t>planes.n_planes * rows * columns)
        return
    memset(into, 0, <size_t>planes.n_planes * shown.rows * shown.columns)
    if left >= right:
        return
    for plane in range(planes.n_types):
        for y in range(larger(shown.top, 0), smaller(shown.top + shown.rows, rows)):
            memcpy(into + (plane * shown.rows + y - shown.top) * shown.columns + left - shown.left,
                   &planes.fixed[plane, y, left], right - left)


cdef void draw_type(Scratch *w, int stype, Window *shown, uint8_t *plane) noexcept nogil:
    cdef Walk it = walk(w, stype)
    cdef int ref = next_of(w, &it)
    while ref != NOWHERE:
        mark(w, peek(w, ref), shown, plane)
        ref = next_of(w, &it)


cdef void draw_avatar(Scratch *w, Sprite *own, Window *shown, uint8_t *planes) noexcept nogil:
    """The planes about the player's own avatar; none for the way it faces if it faces nowhere."""
    cdef int size = shown.rows * shown.columns
    cdef int facing = facing_plane(own)
    mark(w, own, shown, planes + SELF * size)
    if facing:
        mark(w, own, shown, planes + facing * size)


cdef inline int facing_plane(Sprite *own) noexcept nogil:
    """Which of the avatar's planes shows the way it faces, 0 if it faces nowhere."""
    cdef double x = own.orientation_x
    cdef double y = own.orientation_y
    if fabs(x) > fabs(y):
        return FACING_RIGHT if x > 0.0 else FACING_LEFT
    if y != 0.0:
        return FACING_DOWN if y > 0.0 else FACING_UP
    return 0


cdef inline void mark(Scratch *w, Sprite *s, Window *shown, uint8_t *plane) noexcept nogil:
    """The cell of a sprite's corner and the next ones that it reaches into, as in `StateObservation.grid` (engine, 13.3)."""
    cdef int column = s.x / w.board.block
    cdef int line = s.y / w.board.block
    cdef bint wide = s.x % w.board.block > 0
    cdef bint high = s.y % w.board.block > 0
    put(w, column, line, shown, plane)
    if wide:
        put(w, column + 1, line, shown, plane)
    if high:
        put(w, column, line + 1, shown, plane)
    if wide and high:
        put(w, column + 1, line + 1, shown, plane)


cdef inline void put(Scratch *w, int column, int line, Window *shown, uint8_t *plane) noexcept nogil:
    """Mark a cell, if it is on the board and shown."""
    cdef int x = column - shown.left
    cdef int y = line - shown.top
    if not (0 <= column < w.board.columns and 0 <= line < w.board.rows):
        return
    if 0 <= x < shown.columns and 0 <= y < shown.rows:
        plane[y * shown.columns + x] = 1
