"""The board as planes of zeros and ones, for programs that learn.

One plane per visible type: 1 in every cell where `StateObservation.grid` has one of its sprites. Behind them five
about the player's own avatar: where it is, and that cell again in the plane of the way it faces.
"""

import numpy as np

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from vgdl.core.data.layout cimport NOWHERE, Sprite
from vgdl.core.state cimport StateObservation, look_at
from vgdl.core.data.scratch cimport Walk, larger, next_of, peek, record, set_up, smaller, walk

cdef enum AvatarPlane:  # behind those of the types
    SELF
    FACING_UP
    FACING_LEFT
    FACING_DOWN
    FACING_RIGHT
    N_AVATAR_PLANES

#: names of the planes behind those of the types
AVATAR_PLANES = ("avatar", "facing up", "facing left", "facing down", "facing right")


cdef class Planes:
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

    def write(self, StateObservation state not None, uint8_t[:, :, ::1] into not None, int player=0):
        """Draw what a player sees into an array of the right shape. ValueError for another shape, board or player."""
        cdef Scratch w
        if state.tables.rules is not self.tables.rules or state.tables.level.initial != self.tables.level.initial:
            raise ValueError("this state is of another board")
        if (into.shape[0], into.shape[1], into.shape[2]) != self.shape:
            got = into.shape[0], into.shape[1], into.shape[2]
            raise ValueError(f"expected an array of shape {self.shape}, got {got}")
        if not 0 <= player < state.tables.rules.rules.n_players:
            raise ValueError(f"expected a player below {state.tables.rules.rules.n_players}, got {player}")
        memset(&w, 0, sizeof(Scratch))
        set_up(&w, &state.tables.level)
        look_at(&w, state.block)
        self.draw(&w, player, &into[0, 0, 0])

    def __reduce__(self):
        return Planes, (self.tables, self.view)

    cdef void draw(self, Scratch *w, int player, uint8_t *into) noexcept nogil:
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
    cdef double x = own.orientation_x
    cdef double y = own.orientation_y
    cdef int size = shown.rows * shown.columns
    mark(w, own, shown, planes + SELF * size)
    if fabs(x) > fabs(y):
        mark(w, own, shown, planes + (FACING_RIGHT if x > 0.0 else FACING_LEFT) * size)
    elif y != 0.0:
        mark(w, own, shown, planes + (FACING_DOWN if y > 0.0 else FACING_UP) * size)


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
