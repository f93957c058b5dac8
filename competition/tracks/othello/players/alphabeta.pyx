"""Alpha-beta with iterative deepening, for any rules of Othello (specification 15).

Principal variation search with a transposition table, killer moves and history. Values are from the view of the player
to move; the sign changes with the player, not with the ply, because under some rules a player moves again.
"""

import time

from libc.stdint cimport int16_t, int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from vgdl.competition.tracks.othello.players.evaluation cimport NTuples
from vgdl.competition.tracks.othello.players.positions cimport MAX_CELLS, ahead, empty_cells, hashed, move
from vgdl.tabletop.bits cimport any_of, count, has, listed
from vgdl.tabletop.othello cimport Rules
from vgdl.tabletop.othello_engine cimport OVER, Board, Variant, legal, set_mover

cdef enum:
    NO_CELL = 255
    DECIDED = 20000  # values of at least this magnitude are final margins
    INFINITE = 30000
    EXACT = 0
    LOWER = 1
    UPPER = 2
    TABLE_BITS = 19
    CLOCK_NODES = 512  # nodes between two looks at the clock
    SORTED_DEPTH = 3  # from this depth on, moves are sorted by the number of replies

cdef float LOGIT_UNIT = 4000.0


cdef struct Entry:
    uint64_t key
    int16_t value
    uint8_t depth
    uint8_t bound
    uint8_t move


cdef class AlphaBeta:
    """A search of one game's positions; the transposition table is kept between moves."""

    cdef Rules rules
    cdef Variant variant
    cdef NTuples values  # None for cell values and mobility
    cdef int cell_value[MAX_CELLS]
    cdef int mobility_weight
    cdef Entry* table
    cdef uint8_t killer[MAX_CELLS + 1][2]  # by distance from the root
    cdef int32_t history[2][MAX_CELLS]  # by player and move
    cdef readonly long nodes  #: nodes of the last search
    cdef long clock_at
    cdef object clock
    cdef bint stopped
    cdef double end

    def __cinit__(self):
        self.table = <Entry*>calloc(1 << TABLE_BITS, sizeof(Entry))
        if self.table is NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.table)

    def __init__(
        self, Rules rules, *, NTuples values=None, cell_values=None, int mobility_weight=0, clock=time.process_time
    ):
        """Search by a learnt value function, or by values of cells and mobility.

        Args:
            rules: the believed rules.
            values: the learnt one.
            cell_values: a board of numbers, used without a learnt one.
            mobility_weight: value of each legal move more than the opponent's, in units of the cells' values.
            clock: tells seconds.
        """
        self.rules = rules
        self.clock = clock
        self.values = values
        self.mobility_weight = mobility_weight
        if cell_values is not None:
            for cell, value in enumerate([value for row in cell_values for value in row]):
                self.cell_value[cell] = value

    def search(self, board, int player, *, double seconds, int max_depth=MAX_CELLS):
        """The best move within a time, by iterative deepening.

        Args:
            board: the position.
            player: whose turn it is.
            seconds: time to search.
            max_depth: deepest iteration.

        Returns:
            The cell, None if the player has no legal move by these rules, and the depth of the last finished iteration.
        """
        cdef Board position
        cdef int chosen, value, best, depth = 0
        if not self._begin(board, player, seconds, &position):
            return None, 0
        cdef int last = min(max_depth, empty_cells(&self.variant, &position))
        chosen = self._root(&position, 1, -INFINITE, INFINITE, &value)
        while not self.stopped and depth < last:
            depth += 1
            if depth == last or value >= DECIDED or value <= -DECIDED:
                break
            best = self._root(&position, depth + 1, -INFINITE, INFINITE, &value)
            if best != NO_CELL:  # also of an aborted iteration, which begins with the best move so far
                chosen = best
        return self._told(chosen), depth

    def solve(self, board, int player, *, double seconds):
        """Find the result under perfect play, and a move that leads to it.

        Returns:
            The cell and 1, 0 or -1 for a win, a tie or a loss; None if there was not enough time.
        """
        cdef Board position
        cdef int value, chosen
        if not self._begin(board, player, seconds, &position):
            return None
        chosen = self._root(&position, empty_cells(&self.variant, &position), -1, 1, &value)
        if self.stopped or chosen == NO_CELL:
            return None
        return self._told(chosen), (value > 0) - (value < 0)

    def margin(self, board, int player, *, double seconds=1e9):
        """The margin under perfect play, in pieces and in the sense of the goal; None if there was not enough time."""
        cdef Board position
        cdef int value
        if not self._begin(board, player, seconds, &position):
            return None
        self._root(&position, empty_cells(&self.variant, &position), -INFINITE, INFINITE, &value)
        if self.stopped:
            return None
        return value - DECIDED if value > 0 else value + DECIDED if value < 0 else 0

    cdef bint _begin(self, object board, int player, double seconds, Board* position) except -1:
        """Read a position and reset the clock; returns whether the player has a legal move."""
        cdef int side, cell
        self.rules.read(board, &self.variant, position)
        set_mover(&self.variant, position, player - 1)
        self.nodes = self.clock_at = 0
        self.stopped = False
        self.end = self.clock() + seconds
        memset(self.killer, NO_CELL, sizeof(self.killer))
        for side in range(2):
            for cell in range(MAX_CELLS):
                self.history[side][cell] >>= 3
        return position.mover == player - 1 and any_of(position.moves, self.variant.words)

    cdef object _told(self, int cell):
        return None if cell == NO_CELL else (cell // self.variant.n, cell % self.variant.n)

    cdef int _root(self, const Board* position, int depth, int alpha, int beta, int* value):
        """The best move of an iteration; NO_CELL if not even the first one was finished."""
        cdef int moves[MAX_CELLS]
        cdef int scores[MAX_CELLS]
        cdef int number, found, bound, best = NO_CELL, floor = alpha
        cdef int number_of_moves = listed(position.moves, moves, self.variant.words)
        cdef uint64_t key = hashed(&self.variant, position)
        cdef Entry* entry = self._entry(key)
        self._score(position, depth, 0, entry.move if entry.key == key else NO_CELL, moves, number_of_moves, scores)
        value[0] = -INFINITE
        for number in range(number_of_moves):
            _pick(moves, scores, number, number_of_moves)
            with nogil:
                found = self._after(position, moves[number], depth, alpha, beta, 0, number > 0)
            if self.stopped:
                return best
            if found > value[0]:
                value[0], best = found, moves[number]
                alpha = max(alpha, found)
                if alpha >= beta:
                    break
        bound = LOWER if value[0] >= beta else EXACT if value[0] > floor else UPPER
        self._store(key, depth, value[0], bound, best)
        return best

    cdef int _after(
        self, const Board* position, int cell, int depth, int alpha, int beta, int ply, bint narrow
    ) noexcept nogil:
        """The value of a move for its player; moves after the first are tried with a zero-width window first."""
        cdef Board board = position[0]
        cdef int value
        move(&self.variant, &board, cell)
        if board.mover == OVER:
            self.nodes += 1
            value = ahead(&self.variant, &board, position.mover)
            return value + DECIDED if value > 0 else value - DECIDED if value < 0 else 0
        if narrow:
            value = self._seen(&board, position.mover, depth - 1, alpha, alpha + 1, ply + 1)
            if value <= alpha or value >= beta:
                return value
        return self._seen(&board, position.mover, depth - 1, alpha, beta, ply + 1)

    cdef int _seen(self, const Board* position, int viewer, int depth, int alpha, int beta, int ply) noexcept nogil:
        """The value of a position from the view of any player."""
        if position.mover == viewer:
            return self._value(position, depth, alpha, beta, ply)
        return -self._value(position, depth, -beta, -alpha, ply)

    cdef int _value(self, const Board* position, int depth, int alpha, int beta, int ply) noexcept nogil:
        """The value of a position for its mover."""
        cdef int moves[MAX_CELLS]
        cdef int scores[MAX_CELLS]
        cdef int number, number_of_moves, found, best = -INFINITE, chosen = NO_CELL, bound, floor = alpha
        cdef uint64_t key
        cdef Entry* entry
        self.nodes += 1
        if self.nodes >= self.clock_at:
            self._look_at_clock()
        if self.stopped:
            return 0
        if depth <= 0:
            return self._evaluate(position)
        key = hashed(&self.variant, position)
        entry = self._entry(key)
        if entry.key == key:
            chosen = entry.move
            if entry.depth >= depth:
                found, bound = entry.value, entry.bound
                if bound == EXACT or (bound == LOWER and found >= beta) or (bound == UPPER and found <= alpha):
                    return found
        number_of_moves = listed(position.moves, moves, self.variant.words)
        self._score(position, depth, ply, chosen, moves, number_of_moves, scores)
        for number in range(number_of_moves):
            _pick(moves, scores, number, number_of_moves)
            found = self._after(position, moves[number], depth, alpha, beta, ply, number > 0)
            if self.stopped:
                return 0
            if found > best:
                best, chosen = found, moves[number]
                alpha = max(alpha, found)
                if alpha >= beta:
                    self._remember(position.mover, depth, ply, chosen)
                    break
        bound = LOWER if best >= beta else EXACT if best > floor else UPPER
        self._store(key, depth, best, bound, chosen)
        return best

    cdef int _evaluate(self, const Board* position) noexcept nogil:
        cdef int cell, own, other, total = 0
        cdef int player = position.mover
        if self.values is not None:
            total = <int>(self.values.logit(position, player) * LOGIT_UNIT)
        else:
            for cell in range(self.variant.n * self.variant.n):
                own, other = has(&position.pieces[player], cell), has(&position.pieces[1 - player], cell)
                total += self.cell_value[cell] * (own - other)
            other = count(
                legal(&self.variant, &position.pieces[1 - player], &position.pieces[player]), self.variant.words
            )
            total += self.mobility_weight * (count(position.moves, self.variant.words) - other)
        return max(1 - DECIDED, min(DECIDED - 1, total))

    cdef void _score(
        self, const Board* position, int depth, int ply, int first, const int* moves, int number_of_moves, int* scores
    ) noexcept nogil:
        """Score moves for ordering; higher scores are tried first."""
        cdef Board board
        cdef int number, cell, replies
        for number in range(number_of_moves):
            cell = moves[number]
            if cell == first:
                scores[number] = 1 << 30
                continue
            scores[number] = self.history[position.mover][cell]
            if cell == self.killer[ply][0]:
                scores[number] += 1 << 20
            elif cell == self.killer[ply][1]:
                scores[number] += 1 << 19
            if depth >= SORTED_DEPTH:
                board = position[0]
                move(&self.variant, &board, cell)
                replies = 0 if board.mover == OVER else count(board.moves, self.variant.words)
                scores[number] += (replies if board.mover == position.mover else -replies) << 14

    cdef void _remember(self, int player, int depth, int ply, int cell) noexcept nogil:
        """Update killer moves and history with a move that caused a cutoff."""
        if self.killer[ply][0] != cell:
            self.killer[ply][1] = self.killer[ply][0]
            self.killer[ply][0] = cell
        self.history[player][cell] = min(self.history[player][cell] + depth * depth, 1 << 18)

    cdef Entry* _entry(self, uint64_t key) noexcept nogil:
        return &self.table[key & ((1 << TABLE_BITS) - 1)]

    cdef void _store(self, uint64_t key, int depth, int value, int bound, int cell) noexcept nogil:
        cdef Entry* entry = self._entry(key)
        entry.key, entry.value, entry.depth, entry.bound, entry.move = key, value, min(depth, 255), bound, cell

    cdef void _look_at_clock(self) noexcept nogil:
        with gil:
            self.stopped = self.clock() > self.end
        self.clock_at = self.nodes + CLOCK_NODES


cdef inline void _pick(int* moves, int* scores, int number, int number_of_moves) noexcept nogil:
    """Swap the best of the remaining moves to a place."""
    cdef int other, best = number
    for other in range(number + 1, number_of_moves):
        if scores[other] > scores[best]:
            best = other
    moves[number], moves[best] = moves[best], moves[number]
    scores[number], scores[best] = scores[best], scores[number]
