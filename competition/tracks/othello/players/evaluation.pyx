"""The value of a position as a sum of learnt weights over all straight 2- and 3-tuples (specification 15.3).

Tuples that a symmetry of the board maps to each other share their weights (Lucas 2008; Jaśkowski 2014). The weights are
learnt by TD(0) in self-play: the value of a position moves towards that of its best successor.
"""

import time
from itertools import product

import numpy as np

from libc.math cimport tanhf
from libc.stdint cimport uint64_t

from vgdl.competition.tracks.othello.players.positions cimport ahead, empty_cells, move
from vgdl.tabletop.bits cimport any_of, below, count, has, listed, nth
from vgdl.tabletop.othello_engine cimport OVER, set_mover, skip

cdef enum:
    EXPLORED = 10  # percentage of random moves in self-play, which are not learnt from
    RANDOM_MOVES = 8  # at the start of a game between two sets of weights

_FORWARD = ((0, 1), (1, -1), (1, 0), (1, 1))
"""Four directions that cover all eight together with their opposites."""


cdef class NTuples:
    """Weights of all straight 2- and 3-tuples of a board, from the view of the player to move."""

    def __init__(self, Rules rules, board, *, bint over_blocked=False, int phases=3, clock=time.process_time):
        """Begin with all weights 0.

        Args:
            rules: the believed rules of the stage.
            board: any position of the stage.
            over_blocked: tuples pass over blocked cells, as captures do under "ignore occlusion"; else these end them.
            phases: parts of the game, by cells filled, that have weights of their own.
            clock: tells seconds.

        Raises:
            ValueError: there are too many tuples.
        """
        cdef Board position
        self.rules = rules
        self.clock = clock
        self.phases = phases
        rules.read(board, &self.variant, &position)
        self.cells = len(board) ** 2
        self.playable = count(self.variant.playable, self.variant.words)
        pairs, triples = (_straight(board, length, over_blocked) for length in (2, 3))
        if len(pairs) + len(triples) > MAX_TUPLES:
            raise ValueError("the board has too many tuples")
        self.pairs = len(pairs)
        self.tuples = len(pairs) + len(triples)
        maps = _symmetries(board)
        classes = {}
        for number, cells in enumerate(pairs + triples):
            orders = (cells, cells[::-1])
            images = [min(tuple([mapped[cell] for cell in order]) for mapped in maps) for order in orders]
            image = min(images)
            cells = orders[images.index(image)]
            self.mirrored[number] = images[0] == images[1]
            for place, cell in enumerate(cells):
                self.cell[number][place] = cell
            self.offset[number] = TABLE * classes.setdefault(image, len(classes))
        self.phase_size = TABLE * len(classes)
        self.weights = np.zeros(phases * self.phase_size, dtype=np.float32)

    def value(self, board, int player):
        """The expected result for the player to move, -1 ... 1."""
        cdef Board position
        self.start(board, player, &position)
        return tanhf(self.logit(&position, player - 1))

    def snapshot(self):
        """A copy of the weights."""
        return np.array(self.weights)

    def restore(self, weights):
        """Restore weights from ``snapshot``, by copying them."""
        self.weights = np.array(weights, dtype=np.float32)

    def train(self, board, int player, *, double seconds, int games, float rate, uint64_t seed):
        """Learn from games of self-play.

        Args:
            board: the start.
            player: who moves first.
            seconds: after which no further game is begun.
            games: most games.
            rate: size of a step, shared by the weights that are active together.
            seed: of the random moves.

        Returns:
            The number of games played.
        """
        cdef Board position
        cdef uint64_t state = seed
        cdef int played = 0
        cdef float step = rate / self.tuples
        self.start(board, player, &position)
        end = self.clock() + seconds
        while played < games and self.clock() < end:
            with nogil:
                self.play_and_learn(position, step, &state)
            played += 1
        return played

    def match(self, board, int player, mine, theirs, *, double seconds, int games, uint64_t seed):
        """Let two sets of weights play each other, one ply deep, after some random moves, in turns with each colour.

        Args:
            board: the start.
            player: who moves first.
            mine: weights as ``snapshot`` gives them.
            theirs: the other ones.
            seconds: after which no further game is begun.
            games: most games.
            seed: of the random moves.

        Returns:
            The games won by ``mine`` less those lost.
        """
        cdef Board position
        cdef uint64_t state = seed
        cdef int played = 0
        cdef float total = 0.0
        self.start(board, player, &position)
        kept = self.snapshot()
        views = np.stack([mine, theirs])
        cdef float[:, ::1] sets = views
        end = self.clock() + seconds
        while played < games and self.clock() < end:
            total += self.match_game(position, played % 2, sets, &state)
            played += 1
        self.restore(kept)
        return total

    cdef int start(self, object board, int player, Board* position) except -1:
        """Read a board on which it is a player's turn."""
        cdef Variant variant
        self.rules.read(board, &variant, position)
        set_mover(&self.variant, position, player - 1)
        if position.mover != OVER and not any_of(position.moves, self.variant.words):
            skip(&self.variant, position)
        return 0

    cdef float match_game(self, Board position, int side, float[:, ::1] sets, uint64_t* state):
        """The result for the first set of weights, which plays ``side``."""
        cdef float value
        cdef int result, made = 0
        while position.mover != OVER:
            if made < RANDOM_MOVES:
                chosen = nth(position.moves, below(state, count(position.moves, self.variant.words)), self.variant.words)
            else:
                self.weights = sets[0 if position.mover == side else 1]
                chosen = self.best(&position, &value)
            move(&self.variant, &position, chosen)
            made += 1
        result = ahead(&self.variant, &position, side)
        return 1.0 if result > 0 else -1.0 if result < 0 else 0.0

    cdef void play_and_learn(self, Board position, float step, uint64_t* state) noexcept nogil:
        cdef int chosen
        cdef float value, own
        while position.mover != OVER:
            if below(state, 100) < EXPLORED:
                chosen = nth(position.moves, below(state, count(position.moves, self.variant.words)), self.variant.words)
            else:
                chosen = self.best(&position, &value)
                own = tanhf(self.logit(&position, position.mover))
                self.learn(&position, position.mover, step * (value - own) * (1.0 - own * own))
            move(&self.variant, &position, chosen)

    cdef int best(self, const Board* position, float* value) noexcept nogil:
        """The move with the best value, the first one if several are equal."""
        cdef int moves[MAX_CELLS]
        cdef int number, chosen = -1
        cdef float found
        value[0] = -2.0
        for number in range(listed(position.moves, moves, self.variant.words)):
            found = self.after(position, moves[number])
            if found > value[0]:
                value[0], chosen = found, moves[number]
        return chosen

    cdef float after(self, const Board* position, int cell) noexcept nogil:
        """The value, for the mover, of the position after a move; at the end the margin as a share of all cells."""
        cdef Board board = position[0]
        cdef float value
        move(&self.variant, &board, cell)
        if board.mover == OVER:
            return <float>ahead(&self.variant, &board, position.mover) / self.playable
        value = tanhf(self.logit(&board, board.mover))
        return value if board.mover == position.mover else -value

    cdef float logit(self, const Board* position, int player) noexcept nogil:
        """The value before tanh."""
        cdef uint8_t own[MAX_CELLS]
        cdef int number
        cdef float total = 0.0
        cdef const float* weights = &self.weights[_phase(self, position) * self.phase_size]
        _contents(position, player, self.cells, own)
        for number in range(self.pairs):
            total += weights[self.offset[number] + 3 * own[self.cell[number][0]] + own[self.cell[number][1]]]
        for number in range(self.pairs, self.tuples):
            total += weights[
                self.offset[number]
                + 9 * own[self.cell[number][0]] + 3 * own[self.cell[number][1]] + own[self.cell[number][2]]
            ]
        return total

    cdef void learn(self, const Board* position, int player, float change) noexcept nogil:
        """Add a step to every active weight."""
        cdef uint8_t own[MAX_CELLS]
        cdef int number, first, last, forwards, backwards
        cdef float* weights = &self.weights[_phase(self, position) * self.phase_size]
        _contents(position, player, self.cells, own)
        for number in range(self.tuples):
            first, last = own[self.cell[number][0]], own[self.cell[number][1]]
            forwards, backwards = 3 * first + last, 3 * last + first
            if number >= self.pairs:
                last = own[self.cell[number][2]]
                forwards, backwards = 3 * forwards + last, 9 * last + 3 * own[self.cell[number][1]] + first
            weights[self.offset[number] + forwards] += change
            if self.mirrored[number] and backwards != forwards:
                weights[self.offset[number] + backwards] += change


cdef inline int _phase(NTuples values, const Board* position) noexcept nogil:
    return values.phases * (values.playable - empty_cells(&values.variant, position)) / (values.playable + 1)


cdef inline void _contents(const Board* position, int player, int cells, uint8_t* own) noexcept nogil:
    """The contents of the cells from the view of a player: 0 empty, 1 own, 2 the other's."""
    cdef int cell
    for cell in range(cells):
        own[cell] = has(&position.pieces[player], cell) + 2 * has(&position.pieces[1 - player], cell)


def _straight(board, int length, bint over_blocked):
    """All straight tuples of neighbouring cells, as numbers of cells."""
    size = len(board)
    found = []
    for row, column in product(range(size), repeat=2):
        for down, right in _FORWARD:
            cells, r, c = [], row, column
            while board[row][column] != 3 and len(cells) < length and 0 <= r < size and 0 <= c < size:
                if board[r][c] != 3:
                    cells.append(r * size + c)
                elif not over_blocked:
                    break
                r, c = r + down, c + right
            if len(cells) == length:
                found.append(tuple(cells))
    return found


def _symmetries(board):
    """The symmetries of a board with its blocked cells, as lists of numbers of cells."""
    size = len(board)
    last = size - 1
    found = []
    for flip, mirror, turn in product((False, True), repeat=3):
        images = []
        for row, column in product(range(size), repeat=2):
            r, c = (column, row) if turn else (row, column)
            images.append((last - r if flip else r, last - c if mirror else c))
        places = product(range(size), repeat=2)
        if all((board[r][c] == 3) == (board[row][column] == 3) for (row, column), (r, c) in zip(places, images)):
            found.append([r * size + c for r, c in images])
    return found
