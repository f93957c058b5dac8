"""States as text, for programs that learn from language: as `vgdl.text.read` writes them, without the GIL.

An observation of this kind has no arrays: its bytes are in the marks of `Drawn`.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from vgdl.core.data import layout as _layout
from vgdl.core.data.layout cimport ABSENT, DOWN, LEFT, NIL, NOWHERE, RIGHT, SHOOT_ONLY_AVATAR, UP, USE, Sprite, TypeRow
from vgdl.core.data.scratch cimport Walk, Scratch, health, next_of, peek, record, row, vital, walk
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.observer cimport Drawn, Space, has_room, space_for

cdef enum:
    N_ACTIONS = 16  # room for their names
    NUMBERS = 96  # room for a few numbers


cdef class Texts(Observer):
    """Writes score and outcome, the board as a grid of symbols, and a legend of the symbols used."""

    def __cinit__(self, BoardTables tables not None, names, symbols, *, int view=-1, bint front=False):
        """Set up the text.

        Args:
            tables: of the board.
            names: of all types.
            symbols: an ASCII character for each visible type, in the order of the legend.
            view: cells shown to each side of the avatar, -1 for the whole board.
            front: whether to say what is in front of the avatar.
        """
        cdef int k, n_types = tables.rules.rules.n_types
        if view < -1 or len(names) != n_types:
            raise ValueError(f"expected {n_types} names and a view of at least 0 cells, or -1, got {len(names)} and {view}")
        self.tables = tables
        self.view = view
        self.front = front and view != 0
        self.names = tuple(names)
        self.symbols = dict(symbols)
        self.parts = ()
        order = {kind: place for place, kind in enumerate(tables.drawing_order)}
        shown = sorted(self.symbols, key=lambda kind: (order.get(kind, len(order)), kind))
        self.n_shown = len(shown)
        self.words_per_cell = (self.n_shown >> 6) + 1
        ranks = np.full(n_types, -1, np.int32)
        ranks[shown] = np.arange(self.n_shown)
        self.rank_of = ranks
        self.type_at = np.array([*shown, -1], np.int32)
        self.legend = np.array([*ranks[list(self.symbols)], -1], np.int32)
        held = [tables.rules.rules.resources[k] for k in range(tables.rules.rules.n_resources)]
        self.slots = np.array([*sorted(range(len(held)), key=held.__getitem__), -1], np.int32)
        self.kept = [name.encode() for name in self.names] + [_name(k) for k in range(N_ACTIONS)]
        self.name_of = <Words *>calloc(n_types + N_ACTIONS, sizeof(Words))
        self.symbol_of = <char *>calloc(self.n_shown + 1, 1)
        if self.name_of == NULL or self.symbol_of == NULL:
            raise MemoryError("no memory for names")
        self.action_names = self.name_of + n_types
        for k in range(n_types + N_ACTIONS):
            self.name_of[k].text = <bytes>self.kept[k]
            self.name_of[k].size = len(self.kept[k])
        for k in range(self.n_shown):
            self.symbol_of[k] = ord(self.symbols[shown[k]])

    def __dealloc__(self):
        free(self.name_of)
        free(self.symbol_of)

    def __reduce__(self):
        return _texts, (self.tables, self.names, self.symbols, self.view, self.front)

    cdef bint draw(self, Scratch *w, int player, Drawn *drawn, Space *space) noexcept nogil:
        cdef Pen pen
        cdef Sprite *own = NULL
        cdef int64_t size = <int64_t>w.board.columns * w.board.rows * self.words_per_cell * sizeof(uint64_t)
        cdef uint64_t *cells = <uint64_t *>space_for(space, size)
        cdef int columns = w.board.columns, rows = w.board.rows, left = 0, top = 0
        if cells == NULL:
            return False
        memset(cells, 0, size)
        if w.header.avatar[player] >= 0:
            own = record(w, w.header.avatar[player])
        pen.drawn = drawn
        pen.size = 0
        pen.failed = 0
        fill_cells(self, w, cells)
        write_headline(w, &pen, player)
        self.write_avatar(w, &pen, own, cells)
        self.write_actions(w, &pen, own)
        if self.view >= 0:
            columns = rows = 0
            if own != NULL and not w.header.ended:
                columns = rows = 2 * self.view + 1
                left = own.x / w.board.block - self.view
                top = own.y / w.board.block - self.view
        self.write_cells(w, &pen, cells, left, top, columns, rows)
        drawn.n = <int32_t>pen.size
        return not pen.failed

    cdef void write_avatar(self, Scratch *w, Pen *pen, Sprite *own, uint64_t *cells) noexcept nogil:
        cdef char[NUMBERS] numbers
        cdef int32_t *amounts
        cdef int k, most
        if own == NULL:
            put(pen, b"no avatar\n", 10)
            return
        put(pen, b"avatar: ", 8)
        put_words(pen, &self.name_of[own.type])
        if not w.header.ended:
            put(pen, numbers, snprintf(numbers, NUMBERS, b" at (%d, %d)", own.x / w.board.block, own.y / w.board.block))
            if write_facing(pen, own) and self.front:
                self.write_front(w, pen, own, cells)
            most = vital(w, own).max_health if w.rules.vital_at else row(w, own).max_health_points
            if most:
                put(pen, numbers, snprintf(numbers, NUMBERS, b", health %d of %d", health(w, own), most))
            if w.rules.resources_at:
                amounts = <int32_t *>(<char *>own + w.rules.resources_at)
                for k in range(w.rules.n_resources):
                    if amounts[self.slots[k]] != ABSENT and amounts[self.slots[k]]:
                        put(pen, numbers, snprintf(numbers, NUMBERS, b", %d ", amounts[self.slots[k]]))
                        put_words(pen, &self.name_of[w.rules.resources[self.slots[k]]])
        put(pen, b"\n", 1)

    cdef void write_front(self, Scratch *w, Pen *pen, Sprite *own, uint64_t *cells) noexcept nogil:
        """Write what is in the cell that the avatar faces: the one behind the second if it is between two."""
        cdef int block = w.board.block, across = <int>own.orientation_x, down = <int>own.orientation_y
        cdef int column = own.x / block, line = own.y / block
        cdef int rank
        column += across + (across > 0 and own.x > column * block)
        line += down + (down > 0 and own.y > line * block)
        put(pen, b" (in front: ", 12)
        if not (0 <= column < w.board.columns and 0 <= line < w.board.rows):
            put(pen, b"the edge", 8)
        else:
            rank = highest(&cells[(line * w.board.columns + column) * self.words_per_cell], self.words_per_cell, self.n_shown)
            if rank < 0:
                put(pen, b"nothing", 7)
            else:
                self.write_stack(pen, &cells[(line * w.board.columns + column) * self.words_per_cell], rank)
        put(pen, b")", 1)

    cdef void write_stack(self, Pen *pen, uint64_t *cell, int rank) noexcept nogil:
        """Write the types in a cell, from the topmost one, which has a rank, downwards."""
        put_words(pen, &self.name_of[self.type_at[rank]])
        rank = highest(cell, self.words_per_cell, rank)
        while rank >= 0:
            put(pen, b" on ", 4)
            put_words(pen, &self.name_of[self.type_at[rank]])
            rank = highest(cell, self.words_per_cell, rank)

    cdef void write_actions(self, Scratch *w, Pen *pen, Sprite *own) noexcept nogil:
        """Write the avatar's actions, in the order of `StateObservation.actions_of`."""
        cdef int[6] shooting
        cdef TypeRow *t
        cdef int k
        put(pen, b"actions:", 8)
        if own != NULL and not w.header.ended:
            t = row(w, own)
            if t.op == SHOOT_ONLY_AVATAR:  # as in `action_list`
                shooting[0], shooting[1], shooting[2], shooting[3], shooting[4], shooting[5] = USE, LEFT, RIGHT, DOWN, UP, NIL
                for k in range(6):
                    put(pen, b" ", 1)
                    put_words(pen, &self.action_names[shooting[k]])
            else:
                for k in range(t.actions_start, t.actions_start + t.actions_len):
                    put(pen, b" ", 1)
                    put_words(pen, &self.action_names[w.rules.pool[k]])
                put(pen, b" ", 1)
                put_words(pen, &self.action_names[<int>NIL])
        put(pen, b"\n\n", 2)

    cdef void write_cells(self, Scratch *w, Pen *pen, uint64_t *cells, int left, int top, int columns, int rows) noexcept nogil:
        """Write the grid, the legend of its symbols, and the cells with several types, column by column."""
        cdef char[NUMBERS] numbers
        cdef char symbol
        cdef int x, y, k, rank, n = self.words_per_cell
        cdef uint64_t *cell
        for y in range(top, top + rows):
            for x in range(left, left + columns):
                symbol = b' '
                if 0 <= x < w.board.columns and 0 <= y < w.board.rows:
                    rank = highest(&cells[(y * w.board.columns + x) * n], n, self.n_shown)
                    symbol = b'.' if rank < 0 else self.symbol_of[rank]
                put(pen, &symbol, 1)
            put(pen, b"\n", 1)
        put(pen, b"\n", 1)
        for k in range(self.n_shown):
            rank = self.legend[k]
            if occurs(w, cells, n, rank, left, top, columns, rows):
                put(pen, &self.symbol_of[rank], 1)
                put(pen, b" ", 1)
                put_words(pen, &self.name_of[self.type_at[rank]])
                put(pen, b"\n", 1)
        for x in range(left if left > 0 else 0, smaller(left + columns, w.board.columns)):
            for y in range(top if top > 0 else 0, smaller(top + rows, w.board.rows)):
                cell = &cells[(y * w.board.columns + x) * n]
                rank = highest(cell, n, self.n_shown)
                if rank < 0 or highest(cell, n, rank) < 0:
                    continue
                put(pen, numbers, snprintf(numbers, NUMBERS, b"at (%d, %d): ", x, y))
                self.write_stack(pen, cell, rank)
                put(pen, b"\n", 1)


def _texts(tables, names, symbols, view, front):
    """Unpickle `Texts`."""
    return Texts(tables, names, symbols, view=view, front=front)


def _name(action):
    """The name of the action with this number; empty if there is none."""
    return next((known.name.encode() for known in _layout.Action if known == action), b"")


cdef inline int smaller(int a, int b) noexcept nogil:
    return a if a < b else b


cdef void put(Pen *pen, const char *text, int size) noexcept nogil:
    """Append to the text."""
    if not has_room(pen.drawn, (pen.size + size + 3) // 4):
        pen.failed = 1
    if not pen.failed:
        memcpy(<char *>pen.drawn.marks + pen.size, text, size)
        pen.size += size


cdef inline void put_words(Pen *pen, Words *words) noexcept nogil:
    put(pen, words.text, words.size)


cdef void write_headline(Scratch *w, Pen *pen, int player) noexcept nogil:
    cdef char[NUMBERS] numbers
    put(pen, numbers, snprintf(numbers, NUMBERS, b"tick %d, score %g, ", w.header.tick, w.header.score[player]))
    if not w.header.ended:
        put(pen, b"running\n", 8)
    elif w.header.winner[player] == 1:
        put(pen, b"won\n", 4)
    elif w.header.winner[player] == 0:
        put(pen, b"lost\n", 5)
    else:
        put(pen, b"over\n", 5)


cdef bint write_facing(Pen *pen, Sprite *own) noexcept nogil:
    """Write the direction that the avatar faces; return whether it faces one."""
    cdef double x = own.orientation_x, y = own.orientation_y
    if x == 0.0 and y == -1.0:
        put(pen, b", facing up", 11)
    elif x == -1.0 and y == 0.0:
        put(pen, b", facing left", 13)
    elif x == 0.0 and y == 1.0:
        put(pen, b", facing down", 13)
    elif x == 1.0 and y == 0.0:
        put(pen, b", facing right", 14)
    else:
        return False
    return True


cdef void fill_cells(Texts texts, Scratch *w, uint64_t *cells) noexcept nogil:
    """Set a bit for every type with a sprite in a cell, as in `StateObservation.grid` (engine, 13.3)."""
    cdef Walk it
    cdef Sprite *s
    cdef int stype, ref, column, line, wide, high
    for stype in range(w.rules.n_types):
        if texts.rank_of[stype] < 0:
            continue
        it = walk(w, stype)
        ref = next_of(w, &it)
        while ref != NOWHERE:
            s = peek(w, ref)
            ref = next_of(w, &it)
            column = s.x / w.board.block
            line = s.y / w.board.block
            wide = s.x % w.board.block > 0
            high = s.y % w.board.block > 0
            enter(texts, w, cells, column, line, texts.rank_of[stype])
            if wide:
                enter(texts, w, cells, column + 1, line, texts.rank_of[stype])
            if high:
                enter(texts, w, cells, column, line + 1, texts.rank_of[stype])
            if wide and high:
                enter(texts, w, cells, column + 1, line + 1, texts.rank_of[stype])


cdef inline void enter(Texts texts, Scratch *w, uint64_t *cells, int column, int line, int rank) noexcept nogil:
    if 0 <= column < w.board.columns and 0 <= line < w.board.rows:
        cells[(line * w.board.columns + column) * texts.words_per_cell + (rank >> 6)] |= <uint64_t>1 << (rank & 63)


cdef inline int highest(uint64_t *cell, int n, int below) noexcept nogil:
    """The highest rank in a cell below another one, -1 if there is none."""
    cdef int rank = below - 1
    while rank >= 0 and not (cell[rank >> 6] >> (rank & 63)) & 1:
        rank -= 1
    return rank


cdef bint occurs(Scratch *w, uint64_t *cells, int n, int rank, int left, int top, int columns, int rows) noexcept nogil:
    """Whether one of the cells shown has a sprite of a type."""
    cdef int x, y
    for y in range(top if top > 0 else 0, smaller(top + rows, w.board.rows)):
        for x in range(left if left > 0 else 0, smaller(left + columns, w.board.columns)):
            if (cells[(y * w.board.columns + x) * n + (rank >> 6)] >> (rank & 63)) & 1:
                return True
    return False
