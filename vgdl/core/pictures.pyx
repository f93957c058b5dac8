"""The rendered frame, for programs that learn from pixels: as `vgdl.render.frame` draws it, but over the frame before.

A frame consists of the board's cells. A cell is repainted, from back to front, when a sprite over it has changed.
Sprites that never change and are behind all that do, mostly the floor, are painted once into a base frame, which is
copied from. The marks of `Drawn` are one `Painted` per record.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from vgdl.core.data.layout cimport DISABLED, Sprite
from vgdl.core.data.machine cimport lowest_bit
from vgdl.core.data.scratch cimport Scratch, height, larger, level_alive, level_sprite, record, set_up, smaller, width
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.observer cimport Drawn, Space, has_room, space_for
from vgdl.core.state cimport look_at

from libc.math cimport fabs

cdef enum:
    NO_TURN = 4
    MOST_BASE = 1 << 26  # bytes of `base`; larger boards have none
    # of a cell: 0 if it stays as it is, or the number of its first node (they are counted from 1), or
    EMPTY = -1  # it is to be painted, and no record is over it


cdef class Pictures(Observer):
    """The frame as (height, width, 3) bytes: red, green, blue; black outside of the board."""

    def __cinit__(self, BoardTables tables not None, make, *, pixels=None, size=None, int view=-1):
        """Set up the frame.

        Args:
            tables: of the board.
            make: function of a sprite's type, the width and height of its rectangle in pixels of the frame, and its
                quarter turns (None without a direction); returns (rgb, mask or None, left, top), see
                `vgdl.render.pictures.Picture`, or None for an invisible sprite.
            pixels: width and height of a cell; 10 if neither this nor ``size`` is given.
            size: height and width of the whole frame, with black margins; cells have as many pixels as fit, or ``pixels``.
            view: cells shown to each side of the avatar, -1 for the whole board.
        """
        cdef int k
        if view < -1 or (pixels is not None and pixels < 1):
            raise ValueError(f"expected at least 1 pixel and a view of at least 0 cells, or -1, got {pixels} and {view}")
        self.tables = tables
        self.make = make
        self.size = size
        self.view = view
        self.columns = tables.level.columns if view < 0 else 2 * view + 1
        self.rows = tables.level.rows if view < 0 else 2 * view + 1
        if size is not None:
            fitting = min(size[0] // self.rows, size[1] // self.columns)
            if fitting < (1 if pixels is None else pixels):
                least = (self.rows, self.columns) if pixels is None else (self.rows * pixels, self.columns * pixels)
                raise ValueError(f"expected a frame of at least {least[0]} by {least[1]} pixels, got {size}")
            pixels = fitting if pixels is None else pixels
        self.pixels = 10 if pixels is None else pixels
        self.height = self.rows * self.pixels if size is None else size[0]
        self.width = self.columns * self.pixels if size is None else size[1]
        self.margin_top = (self.height - self.rows * self.pixels) // 2
        self.margin_left = (self.width - self.columns * self.pixels) // 2
        self.shape = self.height, self.width, 3
        self.parts = (("observations", self.shape, np.dtype(np.uint8)),)
        layers = np.full(tables.rules.rules.n_types, -1, np.int32)
        for k in range(tables.rules.rules.n_order):
            layers[tables.rules.rules.order[k]] = k
        for k in range(tables.rules.rules.n_types):
            if layers[k] >= 0 and make(k, 1, 1, None) is None:
                layers[k] = -1
        self.layer_of = layers
        self.images = <Image **>calloc(tables.rules.rules.n_types + 1, sizeof(Image *))
        self.level = <Painted *>calloc(tables.level.n_level + 1, sizeof(Painted))
        if self.images == NULL or self.level == NULL:
            raise MemoryError("no memory for pictures")
        place_level_sprites(self)

    def __dealloc__(self):
        cdef Image *image
        cdef int k
        free(self.level)
        if self.images == NULL:
            return
        for k in range(self.tables.rules.rules.n_types):
            while self.images[k] != NULL:
                image = self.images[k]
                self.images[k] = image.next
                free(image.rgb)
                free(image.keep)
                free(image)
        free(self.images)

    def __reduce__(self):
        return _pictures, (self.tables, self.make, self.pixels, self.size, self.view)

    cdef bint draw(self, Scratch *w, int player, Drawn *drawn, Space *space) noexcept nogil:
        cdef Canvas canvas
        cdef Sprite *own = NULL
        cdef uint8_t *into = <uint8_t *>drawn.into[0]
        canvas.left = canvas.top = 0
        canvas.columns = self.columns
        canvas.rows = self.rows
        canvas.stride = 3 * <int64_t>self.width
        canvas.into = into + self.margin_top * canvas.stride + 3 * self.margin_left
        if self.view < 0:
            if not drawn.known:
                memset(into, 0, self.height * canvas.stride)
            return self.draw_changes(w, &canvas, drawn, space)
        memset(into, 0, self.height * canvas.stride)
        if w.header.avatar[player] >= 0:
            own = record(w, w.header.avatar[player])
        if own == NULL or w.header.ended:  # the view has no centre
            return True
        canvas.left = smaller(larger(floored(own.x, w.board.block), 0), w.board.columns) - self.view
        canvas.top = smaller(larger(floored(own.y, w.board.block), 0), w.board.rows) - self.view
        drawn.known = 0
        return self.draw_changes(w, &canvas, drawn, space)

    cdef int prepare(self, Scratch *w) except -1:
        """Make the pictures of all sprites of a state that have none."""
        cdef Sprite *s
        cdef bint made = False
        cdef int k
        for k in range(w.header.n_sprites):
            s = record(w, k)
            if self.layer_of[s.type] >= 0 and self.image_of(w, s) == NULL:
                self.add_image(w, s)
                made = True
        if not made:
            raise MemoryError("no memory for an observation")
        return 0

    cdef Image *image_of(self, Scratch *w, Sprite *s) noexcept nogil:
        """A sprite's picture, NULL if it has not been made."""
        cdef Image *image = self.images[s.type]
        cdef int wide = width(w, s), high = height(w, s), turns = quarter_turns(s)
        while image != NULL and not (image.turns == turns and image.wide == wide and image.high == high):
            image = image.next
        return image

    cdef int add_image(self, Scratch *w, Sprite *s) except -1:
        """Make a sprite's picture. It is linked in once complete, since other threads may be searching the list."""
        cdef Image *image
        cdef int64_t block = w.board.block
        cdef int64_t wide = width(w, s), high = height(w, s)
        cdef int turns = quarter_turns(s)
        cdef const uint8_t[:, ::1] rgb
        # a sprite may be millions of cells large; its picture need not be much larger than the frame
        drawn_width = max(1, min(floored(wide * self.pixels, block), 2 * w.board.columns * self.pixels))
        drawn_height = max(1, min(floored(high * self.pixels, block), 2 * w.board.rows * self.pixels))
        colours, opaque, left, top = self.make(s.type, drawn_width, drawn_height, None if turns == NO_TURN else turns)
        rgb = np.ascontiguousarray(colours, np.uint8)
        image = <Image *>calloc(1, sizeof(Image))
        if image == NULL:
            raise MemoryError("no memory for pictures")
        image.wide = <int32_t>wide
        image.high = <int32_t>high
        image.turns = turns
        image.height = <int32_t>rgb.shape[0]
        image.width = <int32_t>(rgb.shape[1] // 3)
        image.left = left
        image.top = top
        if opaque is None:
            image.rgb = copied(rgb)
        else:
            image.rgb = copied(np.where(opaque, rgb, 0).astype(np.uint8))
            image.keep = copied(np.where(opaque, 0, 255).astype(np.uint8))
        image.next = self.images[s.type]
        self.images[s.type] = image
        return 0

    cdef bint draw_changes(self, Scratch *w, Canvas *canvas, Drawn *drawn, Space *space) noexcept nogil:
        """Paint the cells in which something has changed."""
        cdef int n_cells = w.board.columns * w.board.rows
        cdef int n = w.header.n_sprites
        cdef int k, n_dirty
        cdef int64_t n_nodes
        cdef int32_t *dirty = <int32_t *>space_for(space, (2 * n_cells + 1) * sizeof(int32_t))
        cdef int32_t *heads
        cdef int32_t *nodes
        cdef Painted *records
        if dirty == NULL or not has_room(drawn, <int64_t>(sizeof(Painted) // sizeof(int32_t)) * n):
            return False
        heads = dirty + n_cells
        memset(heads, 0, n_cells * sizeof(int32_t))
        n_dirty = find_changes(self, w, canvas, drawn, dirty, heads)
        if n_dirty <= 0:
            return n_dirty == 0
        records = <Painted *>drawn.marks
        n_nodes = 0
        for k in range(n):
            n_nodes += count_dirty(w, &records[k], heads)
        dirty = <int32_t *>space_for(space, (2 * n_cells + 1 + 2 * n_nodes + 2) * sizeof(int32_t))
        if dirty == NULL:
            drawn.known = 0
            return False
        heads = dirty + n_cells
        nodes = heads + n_cells
        n_nodes = 0
        for k in range(n - 1, -1, -1):
            n_nodes = list_over(w, k, &records[k], heads, nodes, n_nodes)
        for k in range(n_dirty):
            self.paint_cell(w, dirty[k], records, nodes, heads[dirty[k]], canvas)
        return True

    cdef void paint_cell(
        self, Scratch *w, int cell, Painted *records, int32_t *nodes, int32_t node, Canvas *canvas
    ) noexcept nogil:
        """Paint a cell: what is in `base`, and all other sprites over it by layer, in each layer the level's before the records."""
        cdef int line = cell // w.board.columns, column = cell % w.board.columns
        cdef int x = column * self.pixels, y = line * self.pixels, k
        cdef uint8_t *into = canvas.into + (line - canvas.top) * self.pixels * canvas.stride
        into += 3 * (column - canvas.left) * self.pixels
        for k in range(self.pixels):
            if self.base is None:
                memset(into + k * canvas.stride, 0, 3 * self.pixels)
            else:
                copy_bytes(into + k * canvas.stride, &self.base[y + k, 3 * x], 3 * self.pixels)
        if self.cell_starts[cell] < self.cell_starts[cell + 1] or (node > 0 and nodes[2 * node - 1] > 0):
            self.paint_layers(w, cell, records, nodes, node, into, canvas.stride)
        elif node > 0:
            paint(&records[nodes[2 * node - 2]], x, y, self.pixels, into, canvas.stride)

    cdef void paint_layers(
        self, Scratch *w, int cell, Painted *records, int32_t *nodes, int32_t first, uint8_t *into, int64_t stride
    ) noexcept nogil:
        """Paint a cell's sprites that are not in `base`, as `paint_cell`."""
        cdef int begin = self.cell_starts[cell], end = self.cell_starts[cell + 1]
        cdef int x = cell % w.board.columns * self.pixels, y = cell // w.board.columns * self.pixels
        cdef int k, j, node, layer = -1, next_layer
        while True:
            next_layer = w.rules.n_order
            for k in range(begin, end):
                j = self.cell_sprites[k]
                if layer < self.layer_of[level_sprite(w, j).type] < next_layer and level_alive(w, j):
                    next_layer = self.layer_of[level_sprite(w, j).type]
            node = first
            while node > 0:
                k = nodes[2 * node - 2]
                if layer < self.layer_of[record(w, k).type] < next_layer:
                    next_layer = self.layer_of[record(w, k).type]
                node = nodes[2 * node - 1]
            layer = next_layer
            if layer == w.rules.n_order:
                return
            for k in range(begin, end):
                j = self.cell_sprites[k]
                if self.layer_of[level_sprite(w, j).type] == layer and level_alive(w, j):
                    paint(&self.level[j], x, y, self.pixels, into, stride)
            node = first
            while node > 0:
                k = nodes[2 * node - 2]
                if self.layer_of[record(w, k).type] == layer:
                    paint(&records[k], x, y, self.pixels, into, stride)
                node = nodes[2 * node - 1]


def _pictures(tables, make, pixels, size, view):
    """Unpickle `Pictures`."""
    return Pictures(tables, make, pixels=pixels, size=size, view=view)


cdef uint8_t *copied(const uint8_t[:, ::1] numbers) except NULL:
    """A copy of an array's content."""
    cdef int64_t size = numbers.shape[0] * numbers.shape[1]
    cdef uint8_t *copy = <uint8_t *>malloc(size + 1)
    if copy == NULL:
        raise MemoryError("no memory for pictures")
    if size:
        memcpy(copy, &numbers[0, 0], size)
    return copy


cdef inline int floored(int64_t number, int64_t divisor) noexcept nogil:
    """The quotient, rounded down, as far as frames reach."""
    cdef int64_t quotient = number // divisor - (number % divisor < 0)
    return <int>(1 << 30 if quotient > 1 << 30 else -(1 << 30) if quotient < -(1 << 30) else quotient)


cdef inline int quarter_turns(Sprite *s) noexcept nogil:
    """As `vgdl.render.pictures.quarter_turns`, `NO_TURN` for None."""
    cdef double x = s.orientation_x, y = s.orientation_y
    if x == 0.0 and y == 0.0:
        return NO_TURN
    if fabs(x) >= fabs(y):
        return 0 if x > 0.0 else 2
    return 1 if y < 0.0 else 3


cdef inline void place(Pictures pictures, Scratch *w, Sprite *s, Image *image, Painted *into) noexcept nogil:
    """Record where a sprite's picture is; ``image`` is NULL if it is not shown."""
    cdef int pixels = pictures.pixels
    into.x = s.x
    into.y = s.y
    into.image = image
    if image == NULL:
        memset(into.box, 0, sizeof(into.box))
        return
    into.left = floored(<int64_t>s.x * pixels, w.board.block) + image.left
    into.top = floored(<int64_t>s.y * pixels, w.board.block) + image.top
    into.box[0] = larger(floored(into.left, pixels), 0)
    into.box[1] = larger(floored(into.top, pixels), 0)
    into.box[2] = smaller(floored(<int64_t>into.left + image.width - 1, pixels) + 1, w.board.columns)
    into.box[3] = smaller(floored(<int64_t>into.top + image.height - 1, pixels) + 1, w.board.rows)


cdef int place_level_sprites(Pictures pictures) except -1:
    """Make the pictures of the level's sprites, paint `base`, and list the other ones over each cell."""
    cdef Scratch w
    cdef Sprite *s
    cdef int j, column, line, layer, behind, pixels = pictures.pixels
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &pictures.tables.level)
    look_at(&w, pictures.tables.level.initial)
    behind = 0  # the first layer of sprites that are not in `base`
    if 3 * <int64_t>w.board.rows * w.board.columns * pixels * pixels <= MOST_BASE:
        pictures.base = np.zeros((w.board.rows * pixels, w.board.columns * pixels * 3), np.uint8)
        behind = w.rules.n_order
    for j in range(w.rules.n_types):
        if w.board.group_of[j] >= 0 and 0 <= pictures.layer_of[j] < behind:
            behind = pictures.layer_of[j]
    over = [[] for _ in range(w.board.columns * w.board.rows)]
    floor = []
    for j in range(w.board.n_level):
        s = level_sprite(&w, j)
        layer = pictures.layer_of[s.type]
        if layer < 0:
            continue
        if pictures.image_of(&w, s) == NULL:
            pictures.add_image(&w, s)
        place(pictures, &w, s, pictures.image_of(&w, s), &pictures.level[j])
        if j >= w.board.n_vanishing and layer < behind:
            floor.append((layer, j))
            continue
        for line in range(pictures.level[j].box[1], pictures.level[j].box[3]):
            for column in range(pictures.level[j].box[0], pictures.level[j].box[2]):
                over[line * w.board.columns + column].append(j)
    for _, j in sorted(floor):
        for line in range(pictures.level[j].box[1], pictures.level[j].box[3]):
            for column in range(pictures.level[j].box[0], pictures.level[j].box[2]):
                paint(&pictures.level[j], column * pixels, line * pixels, pixels,
                      &pictures.base[line * pixels, 3 * column * pixels], pictures.base.shape[1])
    pictures.cell_starts = np.cumsum([0, *map(len, over)], dtype=np.int32)
    pictures.cell_sprites = np.array([j for cell in over for j in cell] + [-1], np.int32)
    return 0


cdef inline int soil(Canvas *canvas, Scratch *w, int column, int line, int32_t *dirty, int32_t *heads, int n) noexcept nogil:
    """Add a changed cell to the list if it is shown; return the length of the list."""
    cdef int cell = line * w.board.columns + column
    if heads[cell] or not (0 <= column - canvas.left < canvas.columns and 0 <= line - canvas.top < canvas.rows):
        return n
    heads[cell] = EMPTY
    dirty[n] = cell
    return n + 1


cdef int soil_under(Canvas *canvas, Scratch *w, Painted *what, int32_t *dirty, int32_t *heads, int n) noexcept nogil:
    """Add the cells under a picture to the list; return its length."""
    cdef int column, line
    for line in range(what.box[1], what.box[3]):
        for column in range(what.box[0], what.box[2]):
            n = soil(canvas, w, column, line, dirty, heads, n)
    return n


cdef int find_changes(
    Pictures pictures, Scratch *w, Canvas *canvas, Drawn *drawn, int32_t *dirty, int32_t *heads
) noexcept nogil:
    """Bring the marks up to date and list the cells to be painted; return their number, -1 if a picture is missing."""
    cdef Painted *known = <Painted *>drawn.marks
    cdef Sprite *s
    cdef Image *image
    cdef uint64_t changed
    cdef int k, j, cell, n_dirty = 0
    cdef int before = drawn.n if drawn.known else 0
    for k in range(w.header.n_sprites):
        s = record(w, k)
        image = NULL
        if pictures.layer_of[s.type] >= 0 and not s.flags & DISABLED:
            image = pictures.image_of(w, s)
            if image == NULL:
                drawn.known = 0  # some marks are those of the new state
                return -1
        if k < before:
            if known[k].x == s.x and known[k].y == s.y and known[k].image == image:
                continue
            n_dirty = soil_under(canvas, w, &known[k], dirty, heads, n_dirty)
        place(pictures, w, s, image, &known[k])
        if drawn.known:
            n_dirty = soil_under(canvas, w, &known[k], dirty, heads, n_dirty)
    for k in range(w.header.n_sprites, before):
        n_dirty = soil_under(canvas, w, &known[k], dirty, heads, n_dirty)
    for k in range((w.board.n_vanishing + 63) >> 6):
        changed = w.alive[k] ^ drawn.alive[k]
        drawn.alive[k] = w.alive[k]
        while changed and drawn.known:
            j = 64 * k + lowest_bit(changed)
            changed &= changed - 1
            if j < w.board.n_vanishing:
                n_dirty = soil_under(canvas, w, &pictures.level[j], dirty, heads, n_dirty)
    if not drawn.known:
        for cell in range(w.board.columns * w.board.rows):
            n_dirty = soil(canvas, w, cell % w.board.columns, cell // w.board.columns, dirty, heads, n_dirty)
    drawn.n = w.header.n_sprites
    drawn.known = 1
    return n_dirty


cdef int count_dirty(Scratch *w, Painted *what, int32_t *heads) noexcept nogil:
    """The number of cells under a picture that are to be painted."""
    cdef int column, line, n = 0
    for line in range(what.box[1], what.box[3]):
        for column in range(what.box[0], what.box[2]):
            n += heads[line * w.board.columns + column] != 0
    return n


cdef int64_t list_over(Scratch *w, int k, Painted *what, int32_t *heads, int32_t *nodes, int64_t n) noexcept nogil:
    """Put a record at the head of the list of each cell under it that is to be painted; return the number of nodes."""
    cdef int column, line, cell
    for line in range(what.box[1], what.box[3]):
        for column in range(what.box[0], what.box[2]):
            cell = line * w.board.columns + column
            if heads[cell]:
                nodes[2 * n] = k
                nodes[2 * n + 1] = heads[cell] if heads[cell] > 0 else 0
                n += 1
                heads[cell] = <int32_t>n
    return n


cdef inline void copy_bytes(uint8_t *into, const uint8_t *source, int n) noexcept nogil:
    """Copy a few bytes inline, which is faster than a call."""
    cdef uint64_t word
    cdef int k
    for k in range(0, n - 7, 8):
        memcpy(&word, source + k, 8)
        memcpy(into + k, &word, 8)
    for k in range(n & ~7, n):
        into[k] = source[k]


cdef inline void blend(uint8_t *into, const uint8_t *rgb, const uint8_t *keep, int n) noexcept nogil:
    """Copy those of ``n`` bytes that are opaque."""
    cdef uint64_t word, kept, added
    cdef int k
    for k in range(0, n - 7, 8):
        memcpy(&word, into + k, 8)
        memcpy(&kept, keep + k, 8)
        memcpy(&added, rgb + k, 8)
        word = word & kept | added
        memcpy(into + k, &word, 8)
    for k in range(n & ~7, n):
        into[k] = into[k] & keep[k] | rgb[k]


cdef void paint(Painted *what, int x, int y, int size, uint8_t *into, int64_t stride) noexcept nogil:
    """Paint the part of a picture that is in a cell of ``size`` pixels, whose corner (x, y) is in the frame."""
    cdef Image *image = what.image
    cdef int left = larger(what.left - x, 0), right = smaller(what.left - x + image.width, size)
    cdef int top = larger(what.top - y, 0), bottom = smaller(what.top - y + image.height, size)
    cdef int64_t at = 3 * (<int64_t>(top - (what.top - y)) * image.width + left - (what.left - x))
    cdef int _row
    if left >= right:
        return
    into += top * stride + 3 * left
    for _row in range(top, bottom):
        if image.keep == NULL:
            copy_bytes(into, image.rgb + at, 3 * (right - left))
        else:
            blend(into, image.rgb + at, image.keep + at, 3 * (right - left))
        into += stride
        at += 3 * image.width
