"""Draws states as layers of an ARC frame (spec, 6.3): 64 by 64 pixels, integers only.

A layer is drawn from scratch for every action, in a few microseconds, so this is compiled.
"""

import numpy as np

from libc.math cimport fabs
from libc.string cimport memset

from vgdl.core.data.layout cimport DISABLED, NOWHERE, ORIENTED
from vgdl.core.data.scratch cimport Walk, amount, health, height, next_of, peek, record, set_up, walk, width
from vgdl.core.state cimport StateObservation, look_at

from vgdl.competition.tracks.arc.painting cimport Rectangle

HEALTH = -1  #: in the contents of the HUD: the avatar's health points
INVISIBLE = UNSEEN  #: in a list of colours: not drawn


cdef inline int64_t floored(int64_t x, int64_t divisor) noexcept nogil:
    """Division that rounds down; the divisor is positive."""
    cdef int64_t quotient = x / divisor
    return quotient - 1 if x % divisor < 0 else quotient


cdef inline int clipped(int64_t x, int low, int high) noexcept nogil:
    return low if x < low else high if x > high else <int>x


cdef class Painter:
    """Draws the states of one board; immutable.

    Args:
        tables: tables of the board.
        scale: pixels per cell, as a fraction: 4 and 1 for four pixels, 64 and 69 for 69 cells on 64 pixels.
        corner: column and row of the playfield's left upper corner.
        colors: colours of the letterbox, the background and the marker.
        types: colour per type, `INVISIBLE` for those that are not drawn.
        corners: colour of the lower right quarter per type, `INVISIBLE` for those of one colour.
        hud: contents of the two rows at the bottom: resource types and `HEALTH`; empty for no HUD.

    Raises:
        ValueError: the playfield does not fit, or a list has another length than there are types.
    """

    def __cinit__(self, BoardTables tables not None, tuple scale, tuple corner, tuple colors, types, corners, hud=()):
        cdef int room = SIZE - (2 if hud else 0)
        self.tables = tables
        self.pixels, self.cells = scale
        self.left, self.top = corner
        if self.pixels < 1 or self.cells < 1:
            raise ValueError(f"expected a positive scale, got {scale}")
        self.right = self.left + self.pixels * tables.level.columns / self.cells
        self.bottom = self.top + self.pixels * tables.level.rows / self.cells
        self.letterbox, self.background, self.marker = colors
        self.colors = np.array(types, np.uint8)
        self.corners = np.array(corners, np.uint8)
        self.shown = np.array(hud, np.int32)
        if self.left < 0 or self.top < 0 or self.right > SIZE or self.bottom > room:
            raise ValueError(f"{tables.level.columns} by {tables.level.rows} cells do not fit at {corner} in scale {scale}")
        if self.colors.shape[0] != tables.rules.rules.n_types or self.corners.shape[0] != tables.rules.rules.n_types:
            raise ValueError(f"expected colours for {tables.rules.rules.n_types} types")

    def paint(self, StateObservation state not None):
        """Draw a state as a new, read-only uint8 array (64, 64). Raises ValueError for a state of another board."""
        cdef Scratch w
        cdef uint8_t[:, ::1] into
        if state.tables.rules is not self.tables.rules or state.tables.level.initial != self.tables.level.initial:
            raise ValueError("this state is of another board")
        layer = np.empty((SIZE, SIZE), np.uint8)
        into = layer
        memset(&w, 0, sizeof(Scratch))
        set_up(&w, &state.tables.level)
        look_at(&w, state.block)
        self.paint_into(&w, &into[0, 0])
        layer.flags.writeable = False
        return layer

    cdef int paint_into(self, Scratch *w, uint8_t *layer) noexcept nogil:
        cdef Rectangle r = [self.left, self.top, self.right, self.bottom]
        cdef Sprite *own = NULL
        cdef Sprite *s
        cdef Walk it
        cdef int k, stype, ref, half = (self.pixels / self.cells + 1) / 2
        memset(layer, self.letterbox, SIZE * SIZE)
        self.fill(layer, &r, self.background)
        for k in range(w.rules.n_order):
            stype = w.rules.order[k]
            if self.colors[stype] == UNSEEN:
                continue
            it = walk(w, stype)
            ref = next_of(w, &it)
            while ref != NOWHERE:
                s = peek(w, ref)
                ref = next_of(w, &it)
                if s.flags & DISABLED:
                    continue
                r = self.rectangle(w, s)
                self.fill(layer, &r, self.colors[stype])
                if self.corners[stype] != UNSEEN:
                    r.left = r.right - half if r.right - half > r.left else r.left
                    r.top = r.bottom - half if r.bottom - half > r.top else r.top
                    self.fill(layer, &r, self.corners[stype])
        if w.header.avatar[0] >= 0:
            own = record(w, w.header.avatar[0])
            if not own.flags & DISABLED and self.colors[own.type] != UNSEEN:
                self.mark(w, own, layer)
        self.draw_hud(w, layer)
        return 0

    cdef Rectangle rectangle(self, Scratch *w, Sprite *s) noexcept nogil:
        """The pixels that a sprite covers, at least one in each dimension, including those outside of the playfield."""
        cdef Rectangle r
        cdef int64_t block = <int64_t>w.board.block * self.cells
        cdef int64_t x = s.x, y = s.y
        r.left = clipped(floored(x * self.pixels, block), -SIZE, 2 * SIZE) + self.left
        r.top = clipped(floored(y * self.pixels, block), -SIZE, 2 * SIZE) + self.top
        r.right = clipped(floored((x + width(w, s)) * self.pixels, block), -SIZE, 2 * SIZE) + self.left
        r.bottom = clipped(floored((y + height(w, s)) * self.pixels, block), -SIZE, 2 * SIZE) + self.top
        if r.right <= r.left:
            r.right = r.left + 1
        if r.bottom <= r.top:
            r.bottom = r.top + 1
        return r

    cdef void fill(self, uint8_t *layer, Rectangle *r, int color) noexcept nogil:
        """Fill a rectangle, clipped to the playfield."""
        cdef int left = clipped(r.left, self.left, self.right)
        cdef int right = clipped(r.right, self.left, self.right)
        cdef int x, y
        for y in range(clipped(r.top, self.top, self.bottom), clipped(r.bottom, self.top, self.bottom)):
            for x in range(left, right):
                layer[y * SIZE + x] = <uint8_t>color

    cdef void mark(self, Scratch *w, Sprite *own, uint8_t *layer) noexcept nogil:
        """Mark the direction of an oriented avatar by a pixel; none if it has no direction."""
        cdef Rectangle r = self.rectangle(w, own)
        cdef double x = own.orientation_x
        cdef double y = own.orientation_y
        cdef bint small = self.pixels < 3 * self.cells
        if not own.flags & ORIENTED or (x == 0.0 and y == 0.0):
            return
        if fabs(x) >= fabs(y):
            r.left = r.right - 1 if x > 0.0 else r.left
            r.top = (r.top if x > 0.0 else r.bottom - 1) if small else (r.top + r.bottom) / 2
        else:
            r.top = r.bottom - 1 if y > 0.0 else r.top
            r.left = (r.right - 1 if y > 0.0 else r.left) if small else (r.left + r.right) / 2
        r.right = r.left + 1
        r.bottom = r.top + 1
        self.fill(layer, &r, self.marker)

    cdef void draw_hud(self, Scratch *w, uint8_t *layer) noexcept nogil:
        """Draw the avatar's resources and health as bars in the last two rows; nothing once it is gone."""
        cdef int n = <int>self.shown.shape[0]
        cdef int k, held, room
        cdef Sprite *own
        cdef uint8_t color
        if n == 0 or w.header.avatar[0] < 0:
            return
        room = SIZE / n
        own = record(w, w.header.avatar[0])
        for k in range(n):
            if self.shown[k] < 0:
                held = health(w, own)
                color = <uint8_t>self.marker
            else:
                held = amount(w, own, self.shown[k])
                color = self.colors[self.shown[k]]
            held = clipped(held, 0, room)
            if held:
                memset(layer + (SIZE - 2) * SIZE + k * room, color, held)
                memset(layer + (SIZE - 1) * SIZE + k * room, color, held)
