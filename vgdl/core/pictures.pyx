"""The rendered frame, for programs that learn from pixels: as `vgdl.render.frame` draws it, but over the frame before.

A frame consists of the board's cells. A cell is painted again, from back to front and black at first, when a sprite over it
has changed. The marks of `Drawn` are `PER_RECORD` numbers per record: where its picture is, in pixels of the frame, and
the address of the picture.
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
    PER_RECORD = 4  # marks
    NO_TURN = 4
    # of a cell: 0 if it stays as it is, or the number of its first node (they are counted from 1), or
    EMPTY = -1  # it is to be painted, and no record is over it


cdef class Pictures(Observer):
    """The frame as (height, width, 3) bytes: red, green, blue; black outside of the board."""

    def __cinit__(self, BoardTables tables not None, make, *, int pixels=10, size=None, int view=-1):
        """Set up the frame.

        ``make(type, width, height, turns)``: the picture of a sprite with a rectangle of that size in pixels of the frame and so many
        quarter turns (None without a direction) as (rgb, mask or None, left, top), see `vgdl.render.pictures.Picture`;
        None for an invisible one. ``pixels``: of a cell; with ``size``, (height, width) of the whole frame, as many as
        fit, with a black margin. ``view``: cells shown to each side of the avatar, -1 for the whole board.
        """
        cdef int k
        if view < -1 or pixels < 1:
            raise ValueError(f"expected at least 1 pixel and a view of at least 0 cells, or -1, got {pixels} and {view}")
        self.tables = tables
        self.make = make
        self.size = size
        self.view = view
        self.columns = tables.level.columns if view < 0 else 2 * view + 1
        self.rows = tables.level.rows if view < 0 else 2 * view + 1
        if size is not None:
            pixels = min(size[0] // self.rows, size[1] // self.columns)
            if pixels < 1:
                raise ValueError(f"expected a frame of at least {self.rows} by {self.columns} pixels, one per cell, got {size}")
        self.pixels = pixels
        self.height = self.rows * pixels if size is None else size[0]
        self.width = self.columns * pixels if size is None else size[1]
        self.margin_top = (self.height - self.rows * pixels) // 2
        self.margin_left = (self.width - self.columns * pixels) // 2
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
        if self.images == NULL:
            raise MemoryError("no memory for pictures")
        place_level_sprites(self)

    def __dealloc__(self):
        cdef Image *image
        cdef int k
        if self.images == NULL:
            return
        for k in range(self.tables.rules.rules.n_types):
            while self.images[k] != NULL:
                image = self.images[k]
                self.images[k] = image.next
                free(image.rgb)
                free(image.mask)
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
        """Make a sprite's picture. It is linked in when it is complete, since other threads may be looking for one."""
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
        image.rgb = copied(rgb)
        if opaque is not None:
            image.mask = copied(np.ascontiguousarray(opaque[:, ::3], np.uint8))
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
        if dirty == NULL or not has_room(drawn, <int64_t>PER_RECORD * n):
            return False
        heads = dirty + n_cells
        memset(heads, 0, n_cells * sizeof(int32_t))
        n_dirty = find_changes(self, w, canvas, drawn, dirty, heads)
        if n_dirty < 0:
            return False
        n_nodes = 0
        for k in range(n):
            n_nodes += count_dirty(self, w, &drawn.marks[PER_RECORD * k], heads)
        dirty = <int32_t *>space_for(space, (2 * n_cells + 1 + 2 * n_nodes + 2) * sizeof(int32_t))
        if dirty == NULL:
            drawn.known = 0
            return False
        heads = dirty + n_cells
        nodes = heads + n_cells
        n_nodes = 0
        for k in range(n - 1, -1, -1):
            n_nodes = list_over(self, w, k, &drawn.marks[PER_RECORD * k], heads, nodes, n_nodes)
        for k in range(n_dirty):
            self.paint_cell(
                w, dirty[k] % w.board.columns, dirty[k] // w.board.columns, drawn.marks, nodes, heads[dirty[k]], canvas)
        return True

    cdef void paint_cell(
        self, Scratch *w, int column, int line, int32_t *marks, int32_t *nodes, int32_t first, Canvas *canvas
    ) noexcept nogil:
        """Paint a cell: all sprites over it by layer, in each layer the level's before the records."""
        cdef int cell = line * w.board.columns + column
        cdef int begin = self.cell_starts[cell], end = self.cell_starts[cell + 1]
        cdef int y, k, node, layer = -1, next_layer
        cdef uint8_t *into = canvas.into + (line - canvas.top) * self.pixels * canvas.stride
        cdef Sprite *s
        cdef int x_0 = column * self.pixels, y_0 = line * self.pixels
        into += 3 * (column - canvas.left) * self.pixels
        for y in range(self.pixels):
            memset(into + y * canvas.stride, 0, 3 * self.pixels)
        while True:
            next_layer = w.rules.n_order
            for k in range(begin, end):
                s = level_sprite(w, self.cell_sprites[k])
                if layer < self.layer_of[s.type] < next_layer and level_alive(w, self.cell_sprites[k]):
                    next_layer = self.layer_of[s.type]
            node = first
            while node > 0:
                s = record(w, nodes[2 * node - 2])
                if layer < self.layer_of[s.type] < next_layer:
                    next_layer = self.layer_of[s.type]
                node = nodes[2 * node - 1]
            layer = next_layer
            if layer == w.rules.n_order:
                return
            for k in range(begin, end):
                s = level_sprite(w, self.cell_sprites[k])
                if self.layer_of[s.type] == layer and level_alive(w, self.cell_sprites[k]):
                    paint(self.image_of(w, s), floored(<int64_t>s.x * self.pixels, w.board.block) - x_0,
                          floored(<int64_t>s.y * self.pixels, w.board.block) - y_0, self.pixels, into, canvas.stride)
            node = first
            while node > 0:
                k = nodes[2 * node - 2]
                if self.layer_of[record(w, k).type] == layer:
                    paint(image_at(&marks[PER_RECORD * k]), marks[PER_RECORD * k] - x_0, marks[PER_RECORD * k + 1] - y_0,
                          self.pixels, into, canvas.stride)
                node = nodes[2 * node - 1]


def _pictures(tables, make, pixels, size, view):
    """The pictures that were pickled."""
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


cdef inline Image *image_at(int32_t *marks) noexcept nogil:
    """The picture whose address is in a record's marks, NULL if it is not shown."""
    cdef Image *image
    memcpy(&image, marks + 2, sizeof(Image *))
    return image


cdef int place_level_sprites(Pictures pictures) except -1:
    """List the level sprites over each cell, and make their pictures."""
    cdef Scratch w
    cdef Sprite *s
    cdef Image *image
    cdef int32_t[4] box
    cdef int32_t[4] marks
    cdef int j, column, line
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &pictures.tables.level)
    look_at(&w, pictures.tables.level.initial)
    over = [[] for _ in range(w.board.columns * w.board.rows)]
    for j in range(w.board.n_level):
        s = level_sprite(&w, j)
        if pictures.layer_of[s.type] < 0:
            continue
        if pictures.image_of(&w, s) == NULL:
            pictures.add_image(&w, s)
        image = pictures.image_of(&w, s)
        marks[0] = floored(<int64_t>s.x * pictures.pixels, w.board.block) + image.left
        marks[1] = floored(<int64_t>s.y * pictures.pixels, w.board.block) + image.top
        box_of(pictures, &w, marks[0], marks[1], image, box)
        for line in range(box[1], box[3]):
            for column in range(box[0], box[2]):
                over[line * w.board.columns + column].append(j)
    pictures.cell_starts = np.cumsum([0, *map(len, over)], dtype=np.int32)
    pictures.cell_sprites = np.array([j for cell in over for j in cell] + [-1], np.int32)
    return 0


cdef inline void box_of(Pictures pictures, Scratch *w, int x, int y, Image *image, int32_t *box) noexcept nogil:
    """The cells of the board under a picture whose corner is at a pixel: first column and row, and those behind the last."""
    box[0] = larger(floored(x, pictures.pixels), 0)
    box[1] = larger(floored(y, pictures.pixels), 0)
    box[2] = smaller(floored(<int64_t>x + image.width - 1, pictures.pixels) + 1, w.board.columns)
    box[3] = smaller(floored(<int64_t>y + image.height - 1, pictures.pixels) + 1, w.board.rows)


cdef void box_at(Pictures pictures, Scratch *w, int32_t *marks, int32_t *box) noexcept nogil:
    """The cells of the board under a record, by its marks; none if it is not shown."""
    cdef Image *image = image_at(marks)
    if image == NULL:
        box[0] = box[1] = box[2] = box[3] = 0
    else:
        box_of(pictures, w, marks[0] + image.left, marks[1] + image.top, image, box)


cdef inline int soil(Canvas *canvas, Scratch *w, int column, int line, int32_t *dirty, int32_t *heads, int n) noexcept nogil:
    """Note a cell that has changed, if it is shown; how many there are."""
    cdef int cell = line * w.board.columns + column
    if heads[cell] or not (0 <= column - canvas.left < canvas.columns and 0 <= line - canvas.top < canvas.rows):
        return n
    heads[cell] = EMPTY
    dirty[n] = cell
    return n + 1


cdef int soil_under(
    Pictures pictures, Canvas *canvas, Scratch *w, int32_t *marks, int32_t *dirty, int32_t *heads, int n
) noexcept nogil:
    """Note the cells under a record."""
    cdef int32_t[4] box
    cdef int column, line
    box_at(pictures, w, marks, box)
    for line in range(box[1], box[3]):
        for column in range(box[0], box[2]):
            n = soil(canvas, w, column, line, dirty, heads, n)
    return n


cdef int find_changes(
    Pictures pictures, Scratch *w, Canvas *canvas, Drawn *drawn, int32_t *dirty, int32_t *heads
) noexcept nogil:
    """Bring the marks up to date and list the cells that are to be painted; their number, -1 if a picture is missing."""
    cdef int32_t[PER_RECORD] now
    cdef int32_t *marks
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
        now[0] = floored(<int64_t>s.x * pictures.pixels, w.board.block)
        now[1] = floored(<int64_t>s.y * pictures.pixels, w.board.block)
        memcpy(&now[2], &image, sizeof(Image *))
        marks = &drawn.marks[PER_RECORD * k]
        if k < before:
            if marks[0] == now[0] and marks[1] == now[1] and marks[2] == now[2] and marks[3] == now[3]:
                continue
            n_dirty = soil_under(pictures, canvas, w, marks, dirty, heads, n_dirty)
        memcpy(marks, now, sizeof(now))
        if drawn.known:
            n_dirty = soil_under(pictures, canvas, w, marks, dirty, heads, n_dirty)
    for k in range(w.header.n_sprites, before):
        n_dirty = soil_under(pictures, canvas, w, &drawn.marks[PER_RECORD * k], dirty, heads, n_dirty)
    for k in range((w.board.n_vanishing + 63) >> 6):
        changed = w.alive[k] ^ drawn.alive[k]
        drawn.alive[k] = w.alive[k]
        while changed and drawn.known:
            j = 64 * k + lowest_bit(changed)
            changed &= changed - 1
            if j < w.board.n_vanishing:
                n_dirty = soil_level(pictures, canvas, w, j, dirty, heads, n_dirty)
    if not drawn.known:
        for cell in range(w.board.columns * w.board.rows):
            n_dirty = soil(canvas, w, cell % w.board.columns, cell // w.board.columns, dirty, heads, n_dirty)
    drawn.n = w.header.n_sprites
    drawn.known = 1
    return n_dirty


cdef int soil_level(
    Pictures pictures, Canvas *canvas, Scratch *w, int j, int32_t *dirty, int32_t *heads, int n
) noexcept nogil:
    """Note the cells under a level sprite that is drawn."""
    cdef int32_t[PER_RECORD] marks
    cdef Sprite *s = level_sprite(w, j)
    cdef Image *image
    if pictures.layer_of[s.type] < 0:
        return n
    image = pictures.image_of(w, s)
    marks[0] = floored(<int64_t>s.x * pictures.pixels, w.board.block)
    marks[1] = floored(<int64_t>s.y * pictures.pixels, w.board.block)
    memcpy(&marks[2], &image, sizeof(Image *))
    return soil_under(pictures, canvas, w, marks, dirty, heads, n)


cdef int count_dirty(Pictures pictures, Scratch *w, int32_t *marks, int32_t *heads) noexcept nogil:
    """How many cells under a record are to be painted."""
    cdef int32_t[4] box
    cdef int column, line, n = 0
    box_at(pictures, w, marks, box)
    for line in range(box[1], box[3]):
        for column in range(box[0], box[2]):
            n += heads[line * w.board.columns + column] != 0
    return n


cdef int64_t list_over(
    Pictures pictures, Scratch *w, int k, int32_t *marks, int32_t *heads, int32_t *nodes, int64_t n
) noexcept nogil:
    """Put a record in front of the lists of those over each cell that is to be painted; how many nodes there are."""
    cdef int32_t[4] box
    cdef int column, line, cell
    box_at(pictures, w, marks, box)
    for line in range(box[1], box[3]):
        for column in range(box[0], box[2]):
            cell = line * w.board.columns + column
            if heads[cell]:
                nodes[2 * n] = k
                nodes[2 * n + 1] = heads[cell] if heads[cell] > 0 else 0
                n += 1
                heads[cell] = <int32_t>n
    return n


cdef void paint(Image *image, int x, int y, int size, uint8_t *into, int64_t stride) noexcept nogil:
    """Paint the part of a picture that is in a cell of ``size`` pixels; (x, y): where its sprite is, seen from the cell's corner."""
    cdef int left, right, top, bottom, row, k
    cdef uint8_t *rgb
    cdef uint8_t *mask
    cdef uint8_t *line
    x += image.left
    y += image.top
    left = larger(x, 0)
    right = smaller(x + image.width, size)
    top = larger(y, 0)
    bottom = smaller(y + image.height, size)
    if left >= right:
        return
    for row in range(top, bottom):
        rgb = image.rgb + 3 * (<int64_t>(row - y) * image.width + left - x)
        line = into + row * stride + 3 * left
        if image.mask == NULL:
            memcpy(line, rgb, 3 * (right - left))
            continue
        mask = image.mask + <int64_t>(row - y) * image.width + left - x
        for k in range(right - left):
            if mask[k]:
                line[3 * k] = rgb[3 * k]
                line[3 * k + 1] = rgb[3 * k + 1]
                line[3 * k + 2] = rgb[3 * k + 2]
