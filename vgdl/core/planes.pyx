"""The board as planes of zeros and ones, for programs that learn.

One plane per visible type: 1 in every cell where `StateObservation.grid` has one of its sprites. Five more follow
for the player's own avatar: its cell, and that cell again in the plane of the direction that it faces.

Observations of a whole board are drawn over the one before. The marks of `Drawn` are one number per record, in the
order of the records, after two for the avatar's planes: the place of its first cell in the planes, times eight, plus 4
if its plane also shows sprites of the level, 2 if it reaches into the next column and 1 if it reaches into the next
row; -1 for a sprite that is not shown. A record whose mark has not changed costs only a comparison.
"""

cimport numpy as cnp
import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from vgdl.core.data.machine cimport fetch_ahead, lowest_bit, unlikely
from vgdl.core.data.layout cimport NOWHERE, Sprite
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.observer cimport Drawn, Space, check_state, has_room
from vgdl.core.state cimport StateObservation, look_at
from vgdl.core.data.scratch cimport Walk, larger, level_alive, level_sprite, next_of, peek, record, set_up, smaller, walk

cnp.import_array()

cdef enum:
    BEFORE_RECORDS = 2  # marks of the avatar's planes
    MOST_PLACES = 1 << 27  # that a mark can tell apart
    MOST_PIXELS = 1 << 16  # across or down that the tables have entries for
    PLACE = 3  # bits below the place in a mark
    MIXED = 4  # its plane also shows sprites of the level
    WIDE = 2
    HIGH = 1
    UNKNOWN = -2  # in place of a mark: the record is new
    FEW_CHANGED = 4  # if more sprites have changed, all are drawn
    AT_ONCE = 64  # records whose marks are found before any of them is erased

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
    """Draws a board as planes of zeros and ones; immutable.

    One plane per visible type, in the order of ``types``; five follow for the player's own avatar: its cell, and that
    cell again in the plane of the direction that it faces (up, left, down, right).

    >>> board = vgdl.load("sokoban").board(level=0)
    >>> planes = vgdl.Planes(board.tables, view=2)
    >>> planes.observe(board.start(seed=7)).shape
    (11, 5, 5)
    """

    def __cinit__(self, BoardTables tables not None, int view=-1, size=None):
        """Set up the planes.

        Args:
            tables: of the board.
            view: cells shown to each side of the avatar, -1 for the whole board. With a view, cells outside of the
                board are 0, and so are all cells once the avatar is gone.
            size: rows and columns of the planes without a view, those of the board if None. Cells beyond the board,
                which is at the upper left, are 0.
        """
        cdef int stype
        if view < -1:
            raise ValueError(f"expected a view of at least 0 cells, or -1 for the whole board, got {view}")
        if size is not None and view < 0 and (size[0] < tables.level.rows or size[1] < tables.level.columns):
            raise ValueError(f"expected a size of at least {(tables.level.rows, tables.level.columns)}, got {tuple(size)}")
        shown = [
            stype for stype in range(tables.rules.rules.n_types)
            if tables.rules.rules.types[stype].creatable and not tables.rules.rules.types[stype].hidden
        ]
        self.tables = tables
        self.view = view
        self.types = tuple(shown)
        self.n_types = len(shown)
        self.n_planes = self.n_types + N_AVATAR_PLANES
        self.size = None if size is None else (int(size[0]), int(size[1]))
        self.rows, self.columns = (tables.level.rows, tables.level.columns) if size is None else self.size
        if view >= 0:
            self.rows = self.columns = 2 * view + 1
        self.shape = self.n_planes, self.rows, self.columns
        plane_of = np.full(tables.rules.rules.n_types, -1, np.int32)
        plane_of[shown] = np.arange(self.n_types)
        self.plane_of = plane_of
        rows, columns = (self.rows, self.columns) if view < 0 else (tables.level.rows, tables.level.columns)
        self.fixed = np.zeros((self.n_planes, rows, columns), np.uint8)
        draw_fixed(self)
        self.parts = (("observations", self.shape, np.dtype(np.uint8)),)
        pixels = max(tables.level.width, tables.level.height)
        self.by_changes = view < 0 and n_places(self) < MOST_PLACES and pixels <= MOST_PIXELS
        if self.by_changes:
            prepare_changes(self)

    def write(self, StateObservation state not None, uint8_t[:, :, ::1] into not None, int player=0):
        """Draw what a player sees into an array of the right shape.

        Raises:
            ValueError: an array of another shape, a state of another board, or no such player.
        """
        check_state(self, state, player)
        if (into.shape[0], into.shape[1], into.shape[2]) != self.shape:
            got = into.shape[0], into.shape[1], into.shape[2]
            raise ValueError(f"expected an array of shape {self.shape}, got {got}")
        self.draw_state(state, player, &into[0, 0, 0])

    def observe(self, StateObservation state not None, int player=0):
        """Draw what a player sees into a new array.

        Raises:
            ValueError: a state of another board, or no such player.
        """
        cdef cnp.npy_intp[3] shape
        cdef cnp.ndarray planes
        check_state(self, state, player)
        shape[0] = self.n_planes
        shape[1] = self.rows
        shape[2] = self.columns
        planes = cnp.PyArray_EMPTY(3, shape, cnp.NPY_UINT8, 0)
        self.draw_state(state, player, <uint8_t *>cnp.PyArray_DATA(planes))
        return planes

    def __reduce__(self):
        return Planes, (self.tables, self.view, self.size)

    cdef bint draw(self, Scratch *w, int player, Drawn *drawn, Space *space) noexcept nogil:
        if not self.by_changes:
            self.draw_anew(w, player, <uint8_t *>drawn.into[0])
            return True
        if w.header.n_sprites + BEFORE_RECORDS > drawn.room and not has_room(drawn, w.header.n_sprites + BEFORE_RECORDS):
            return False
        if not drawn.known:
            drawn.known = 1
            drawn.n = 0
            memset(drawn.alive, 0, 8 * ((w.board.n_vanishing + 63) >> 6))
            memcpy(drawn.into[0], &self.base[0], n_places(self))
        draw_changes(self, w, player, drawn)
        return True

    cdef void load_ahead(self, Drawn *drawn) noexcept nogil:
        """Prefetch the cells that will be erased; those that will be drawn are mostly beside them."""
        cdef int k
        if self.by_changes and drawn.known:
            for k in range(drawn.n):
                fetch_ahead(drawn.into[0] + (drawn.marks[k] >> PLACE))

    cdef void draw_state(self, StateObservation state, int player, uint8_t *into) noexcept:
        cdef Scratch w
        memset(&w, 0, sizeof(Scratch))
        set_up(&w, &state.tables.level)
        look_at(&w, state.block)
        if self.by_changes:
            draw_over_base(self, &w, player, into)
        else:
            self.draw_anew(&w, player, into)

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
    """Draw once what never changes."""
    cdef Scratch w
    cdef Window board
    cdef int stype
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &planes.tables.level)
    look_at(&w, planes.tables.level.initial)
    board.left = board.top = 0
    board.columns = <int>planes.fixed.shape[2]
    board.rows = <int>planes.fixed.shape[1]
    for stype in range(w.rules.n_types):
        if planes.plane_of[stype] >= 0 and w.board.group_of[stype] < 0:
            draw_type(&w, stype, &board, &planes.fixed[planes.plane_of[stype], 0, 0])


# ------------------------------------------------------------------------------------------ over the observation before

cdef inline int64_t n_places(Planes planes) noexcept nogil:
    return <int64_t>planes.n_planes * planes.rows * planes.columns


cdef void prepare_changes(Planes planes):
    """Find the places of the level sprites that can vanish or that a record of their type may be drawn over.

    If two of a type share a cell, or one is not at the corner of its cell, observations of this board are drawn anew.
    """
    cdef Scratch w
    cdef Sprite *s
    cdef int place, j, plane
    cdef int size = planes.rows * planes.columns
    planes.base = np.array(planes.fixed).reshape(-1)
    planes.level_at = np.full(n_places(planes), -1, np.int32)
    planes.level_place = np.full(planes.tables.level.n_level + 1, -1, np.int32)
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &planes.tables.level)
    look_at(&w, planes.tables.level.initial)
    mixed = set()
    for j in range(w.board.n_level):
        s = level_sprite(&w, j)
        plane = planes.plane_of[s.type]
        if plane < 0 or w.board.group_of[s.type] < 0:
            continue
        place = plane * size + s.y / w.board.block * planes.columns + s.x / w.board.block
        if s.x % w.board.block or s.y % w.board.block or planes.level_at[place] >= 0:
            planes.by_changes = False
            return
        mixed.add(plane)
        planes.level_at[place] = j
        if j < w.board.n_vanishing:
            planes.level_place[j] = place
        else:
            planes.base[place] = 1
    planes.first_marks = np.array(
        [-1 if plane < 0 else plane * size << PLACE | (MIXED if plane in mixed else 0) for plane in planes.plane_of], np.int32)
    planes.patterns[0] = 1
    planes.patterns[WIDE] = 3
    planes.patterns[HIGH] = 1 | bit(planes.columns)
    planes.patterns[WIDE | HIGH] = 3 | bit(planes.columns) | bit(planes.columns + 1)
    for j in range(4):
        wide = j & WIDE > 0
        planes.painted[j] = np.array((1, wide), np.uint8).view(np.uint16)[0]
        planes.kept[j] = np.array((0, 0 if wide else 255), np.uint8).view(np.uint16)[0]
        planes.below[j] = planes.columns if j & HIGH else 0
    x, y = np.arange(w.board.last_x + 1), np.arange(w.board.last_y + 1)
    planes.across = (x // w.board.block * 8 + np.where(x % w.board.block, WIDE, 0)).astype(np.int32)
    planes.down = (y // w.board.block * 8 * planes.columns + np.where(y % w.board.block, HIGH, 0)).astype(np.int32)


cdef int32_t mark_beyond(Planes planes, Scratch *w, int32_t first, int x, int y) noexcept nogil:
    """The mark of a sprite that is not completely on the screen, for the cells that `mark` would draw."""
    cdef int block = w.board.block, column = x / block, line = y / block
    cdef bint wide, high
    if not (0 <= column < w.board.columns and 0 <= line < w.board.rows):
        return -1
    wide = x > column * block and column + 1 < w.board.columns
    high = y > line * block and line + 1 < w.board.rows
    return first + ((line * planes.columns + column) << PLACE) + WIDE * wide + HIGH * high


cdef inline int32_t mark_of(Planes planes, Scratch *w, int32_t first, int x, int y) noexcept nogil:
    """The mark of a sprite at (x, y) in the plane whose first place has the mark ``first``."""
    # negative coordinates are large as unsigned numbers
    if <uint32_t>x <= <uint32_t>w.board.last_x and <uint32_t>y <= <uint32_t>w.board.last_y:
        return first + planes.across[x] + planes.down[y]
    return mark_beyond(planes, w, first, x, y)


cdef inline void paint(uint8_t *at, uint16_t cells) noexcept nogil:
    """Set those of two neighbouring cells that ``cells`` has."""
    cdef uint16_t both
    memcpy(&both, at, sizeof(both))
    both |= cells
    memcpy(at, &both, sizeof(both))


cdef inline void wipe(uint8_t *at, uint16_t others) noexcept nogil:
    """Clear two neighbouring cells but for those that ``others`` has."""
    cdef uint16_t both
    memcpy(&both, at, sizeof(both))
    both &= others
    memcpy(at, &both, sizeof(both))


cdef inline void put_mark(Planes planes, int32_t mark, uint8_t *into) noexcept nogil:
    """Draw a sprite in all cells of its mark. May write the cell behind them: not for the last plane."""
    # a row of cells may be written twice if the sprite covers only one: faster than unpredictable branches
    cdef uint8_t *at = into + (mark >> PLACE)
    cdef uint16_t cells = planes.painted[mark & (WIDE | HIGH)]
    cdef uint8_t *below = at + planes.below[mark & (WIDE | HIGH)]
    paint(at, cells)
    paint(below, cells)


cdef inline void put_cells(Planes planes, int32_t mark, uint8_t *into, uint8_t value) noexcept nogil:
    """Set all cells of a mark, and only those."""
    cdef int32_t place = mark >> PLACE, right = (mark >> 1) & 1, below = planes.below[mark & (WIDE | HIGH)]
    into[place] = into[place + right] = into[place + below] = into[place + below + right] = value


cdef void erase_mixed(Planes planes, Scratch *w, int32_t mark, uint8_t *into) noexcept nogil:
    """`erase` where cells may show level sprites of the same type."""
    cdef int32_t place = mark >> PLACE, right = (mark >> 1) & 1, below = planes.below[mark & (WIDE | HIGH)], k, j
    cdef int32_t[4] places
    places[0] = place
    places[1] = place + right
    places[2] = place + below
    places[3] = place + below + right
    for k in range(4):
        j = planes.level_at[places[k]]
        into[places[k]] = j >= 0 and level_alive(w, j)


cdef inline void erase(Planes planes, Scratch *w, int32_t mark, uint8_t *into) noexcept nogil:
    """Erase a sprite from all cells of its mark."""
    cdef uint8_t *at = into + (mark >> PLACE)
    cdef uint16_t others = planes.kept[mark & (WIDE | HIGH)]
    cdef uint8_t *below = at + planes.below[mark & (WIDE | HIGH)]
    if mark < 0:
        return
    if unlikely(mark & MIXED):
        erase_mixed(planes, w, mark, into)
        return
    wipe(at, others)
    wipe(below, others)


cdef inline uint64_t bit(int32_t place) noexcept nogil:
    return <uint64_t>1 << (place & 63)


cdef inline uint64_t bits_of(Planes planes, int32_t mark) noexcept nogil:
    """A bit for each cell of a mark, as `bit` numbers them; none for a sprite that is not shown."""
    cdef uint64_t pattern = planes.patterns[mark & (WIDE | HIGH)]
    return 0 if mark < 0 else pattern << (mark >> PLACE & 63) | pattern >> (-(mark >> PLACE) & 63)


cdef inline void mark_avatar(Planes planes, Scratch *w, int player, int32_t *own, int32_t *facing) noexcept nogil:
    """The marks of the avatar's planes."""
    cdef int32_t size = (planes.rows * planes.columns) << PLACE
    cdef Sprite *s
    cdef int plane
    own[0] = facing[0] = -1
    if w.header.avatar[player] >= 0:
        s = record(w, w.header.avatar[player])
        own[0] = mark_of(planes, w, (planes.n_types + SELF) * size, s.x, s.y)
        plane = facing_plane(s)
        if plane > 0 and own[0] >= 0:
            facing[0] = own[0] + (plane - SELF) * size


cdef void draw_avatar_changes(Planes planes, Scratch *w, int player, Drawn *drawn, uint8_t *into) noexcept nogil:
    """Draw the avatar's planes, which nothing else is drawn in, over what they were."""
    cdef int32_t[BEFORE_RECORDS] found
    cdef int k
    mark_avatar(planes, w, player, &found[0], &found[1])
    for k in range(BEFORE_RECORDS):
        if found[k] == drawn.marks[k]:
            continue
        if drawn.marks[k] >= 0:
            put_cells(planes, drawn.marks[k], into, 0)
        if found[k] >= 0:
            put_cells(planes, found[k], into, 1)
        drawn.marks[k] = found[k]


cdef inline uint32_t find_marks(Planes planes, Scratch *w, int first, int n, const int32_t *before, int32_t *found) noexcept nogil:
    """The marks of ``n`` records from ``first`` on; return bits in which they differ from those before."""
    # kept in local variables: the compiler would reload these after every write
    cdef int32_t *first_marks = &planes.first_marks[0]
    cdef int32_t *across = &planes.across[0]
    cdef int32_t *down = &planes.down[0]
    cdef char *next_record = <char *>record(w, first)
    cdef int64_t stride = w.stride
    cdef uint32_t last_x = w.board.last_x, last_y = w.board.last_y, different = 0
    cdef int32_t mark, x, y
    cdef Sprite *s
    cdef int k
    for k in range(n):
        s = <Sprite *>next_record
        next_record += stride
        mark = first_marks[s.type]
        x = s.x
        y = s.y
        if mark >= 0:
            if <uint32_t>x <= last_x and <uint32_t>y <= last_y:
                mark += across[x] + down[y]
            else:
                mark = mark_beyond(planes, w, mark, x, y)
        found[k] = mark
        different |= <uint32_t>(before[k] ^ mark)
    return different


cdef uint64_t erase_changed(Planes planes, Scratch *w, int32_t *marks, uint8_t *into) noexcept nogil:
    """Update the marks of all records, and erase those that have changed from where they were.

    Returns a bit for each cell that may have to be redrawn, all bits if many have changed.
    """
    cdef int32_t[AT_ONCE] found
    cdef int first = 0, n = w.header.n_sprites, n_changed = 0, k, count
    cdef uint64_t touched = 0
    while first < n:
        count = smaller(AT_ONCE, n - first)
        if find_marks(planes, w, first, count, marks, found):
            for k in range(count):
                if found[k] != marks[k]:
                    n_changed += 1
                    touched |= bits_of(planes, marks[k]) | bits_of(planes, found[k])
                    erase(planes, w, marks[k], into)
                    marks[k] = found[k]
        first += AT_ONCE
        marks += AT_ONCE
    return touched if n_changed <= FEW_CHANGED else ~<uint64_t>0


cdef uint64_t draw_level_changes(Planes planes, Scratch *w, Drawn *drawn, uint8_t *into) noexcept nogil:
    """Draw the level sprites that have vanished or reappeared; return a bit for each of their cells."""
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


cdef void draw_few(Planes planes, Scratch *w, Drawn *drawn, uint8_t *into) noexcept nogil:
    """Draw few records over what they were. If any has changed, all are erased and drawn: faster than unpredictable branches."""
    cdef int32_t[AT_ONCE] found
    cdef int32_t *before = drawn.marks + BEFORE_RECORDS
    cdef int n = w.header.n_sprites, n_before = drawn.n - BEFORE_RECORDS, k
    cdef uint32_t changed = find_marks(planes, w, 0, n, before, found) | (n ^ n_before)
    changed |= draw_level_changes(planes, w, drawn, into) != 0
    if not changed:
        return
    for k in range(n_before):
        erase(planes, w, before[k], into)
    for k in range(n):
        before[k] = found[k]
        if found[k] >= 0:
            put_mark(planes, found[k], into)
    drawn.n = n + BEFORE_RECORDS


cdef void draw_changes(Planes planes, Scratch *w, int player, Drawn *drawn) noexcept nogil:
    """Draw a state over the one before it.

    If few of many sprites have changed, one that has not is redrawn only if it covers several cells, or if a cell whose
    number is the same modulo 64 was touched.
    """
    cdef uint8_t *into = <uint8_t *>drawn.into[0]
    cdef int32_t *marks = drawn.marks
    cdef int32_t mark
    cdef int k, n = w.header.n_sprites + BEFORE_RECORDS
    cdef uint64_t touched
    for k in range(drawn.n, n):
        marks[k] = UNKNOWN
    draw_avatar_changes(planes, w, player, drawn, into)
    if larger(n, drawn.n) <= AT_ONCE:
        draw_few(planes, w, drawn, into)
        return
    touched = erase_changed(planes, w, marks + BEFORE_RECORDS, into)
    for k in range(n, drawn.n):
        erase(planes, w, marks[k], into)
        touched |= bits_of(planes, marks[k])
    touched |= draw_level_changes(planes, w, drawn, into)
    drawn.n = n
    if touched == 0:
        return
    if touched == ~<uint64_t>0:  # drawing all is then faster than unpredictable branches
        for k in range(BEFORE_RECORDS, n):
            if marks[k] >= 0:
                put_mark(planes, marks[k], into)
        return
    for k in range(BEFORE_RECORDS, n):
        mark = marks[k]
        if mark >= 0 and (mark & (WIDE | HIGH) or touched & bit(mark >> PLACE)):
            put_mark(planes, mark, into)


cdef void draw_over_base(Planes planes, Scratch *w, int player, uint8_t *into) noexcept nogil:
    """Draw a state into memory with undefined content."""
    cdef int32_t[BEFORE_RECORDS] own
    cdef int32_t mark
    cdef Sprite *s
    cdef int k
    memcpy(into, &planes.base[0], n_places(planes))
    for k in range(w.board.n_vanishing):
        if planes.level_place[k] >= 0:
            into[planes.level_place[k]] = level_alive(w, k)
    for k in range(w.header.n_sprites):
        s = record(w, k)
        mark = planes.first_marks[s.type]
        if mark >= 0:
            mark = mark_of(planes, w, mark, s.x, s.y)
        if mark >= 0:
            put_mark(planes, mark, into)
    mark_avatar(planes, w, player, &own[0], &own[1])
    for k in range(BEFORE_RECORDS):
        if own[k] >= 0:
            put_cells(planes, own[k], into, 1)


# ------------------------------------------------------------------------------------------------------------- anew

cdef void copy_fixed(Planes planes, Window *shown, uint8_t *into) noexcept nogil:
    """Copy the part of the fixed planes that is shown, with zeros outside of the board."""
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
    """Draw the planes of the player's own avatar; no direction if it faces nowhere."""
    cdef int size = shown.rows * shown.columns
    cdef int facing = facing_plane(own)
    mark(w, own, shown, planes + SELF * size)
    if facing:
        mark(w, own, shown, planes + facing * size)


cdef inline int facing_plane(Sprite *own) noexcept nogil:
    """The avatar plane of the direction that it faces, 0 if it faces nowhere."""
    cdef double x = own.orientation_x
    cdef double y = own.orientation_y
    if fabs(x) > fabs(y):
        return FACING_RIGHT if x > 0.0 else FACING_LEFT
    if y != 0.0:
        return FACING_DOWN if y > 0.0 else FACING_UP
    return 0


cdef inline void mark(Scratch *w, Sprite *s, Window *shown, uint8_t *plane) noexcept nogil:
    """Mark the cell of a sprite's corner and those it reaches into, as in `StateObservation.grid` (engine, 13.3)."""
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
