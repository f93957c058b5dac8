# cython: auto_pickle=False
"""Othello with the variants of the Othello arena: as a turn-based game, and as rules that answer questions about boards.

`OthelloState` is a state of the game `vgdl.tabletop.load("othello")`. `Rules` is for the referee: its functions take
boards as rows of codes (0 empty, 1 black, 2 white, 3 blocked) and answer in microseconds. An analysing player gets a
`PaperApi` or an `ObservableApi`: they give the same answers, but Python cannot read the rules from them, be it through
an attribute, a representation, a pickle or the text of an error (arena, 6.3).
"""

cimport cython
from cpython.long cimport PyLong_AsLong
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_New, PyTuple_SET_ITEM
from libc.math cimport fabs
from libc.stdint cimport uint64_t

from vgdl.tabletop.bits cimport Bits, add, any_of, both, count, has, listed, mixed, none, without
from vgdl.tabletop.othello_engine cimport (
    LARGEST, OVER, SMALLEST, Board, Variant, captured, legal, margin, next_mover, perft, play, playout, set_mover,
    set_size, skip,
)
from vgdl.tabletop.position cimport CompiledState, Position

from vgdl.tabletop.othello_answers import Evaluation, MoveResult, Playouts

cdef enum:
    CHANCE = -1
    TERMINAL = -4

cdef Variant[LARGEST + 1] _sizes  # boards without blocked cells and with standard rules, by their number of rows
cdef int _n
for _n in range(SMALLEST, LARGEST + 1):
    set_size(&_sizes[_n], _n)

# Regions of cells of equal value in the standard game: by their distances to the two nearest edges, up to 3, the
# weights of an 8×8 quadrant (arena, 9). An estimate adds ten times the difference in mobility (arena, 15).
cdef enum:
    REGIONS = 8
    MOBILITY = 10

cdef Bits[(LARGEST + 1) * REGIONS] _regions
cdef int[REGIONS] _weights = [120, -20, 20, 5, -40, -5, 15, 3]
cdef int[16] _region_of = [0, 1, 2, 3, 1, 4, 5, 5, 2, 5, 6, 7, 3, 5, 7, 7]

cdef void _set_regions(int n) noexcept:
    cdef int cell, row, column
    for cell in range(n * n):
        row, column = min(cell // n, n - 1 - cell // n, 3), min(cell % n, n - 1 - cell % n, 3)
        add(&_regions[n * REGIONS + _region_of[4 * row + column]], cell)

for _n in range(SMALLEST, LARGEST + 1):
    _set_regions(_n)

_ILLEGAL = MoveResult(False, None, 0)
_CODES = (0, 1, 2, 3)


cdef object _cells(Bits cells, int n, int words):
    """A list of (row, column), row-major."""
    cdef int[LARGEST * LARGEST] found
    cdef int number = listed(cells, found, words)
    cdef int k
    return [(found[k] // n, found[k] % n) for k in range(number)]


cdef object _rows(const Variant *variant, const Board *board):
    """A board as rows of codes."""
    cdef int row, column, cell, code
    cdef int n = variant.n
    cdef tuple made = PyTuple_New(n)
    cdef tuple line
    for row in range(n):
        line = PyTuple_New(n)
        for column in range(n):
            cell = row * n + column
            code = has(&board.pieces[0], cell) + 2 * has(&board.pieces[1], cell) + 3 * has(&variant.blocked, cell)
            value = _CODES[code]
            Py_INCREF(value)
            PyTuple_SET_ITEM(line, column, value)
        Py_INCREF(line)
        PyTuple_SET_ITEM(made, row, line)
    return made


cdef int _player(int player) except -1:
    """0 for black, 1 for white."""
    if player != 1 and player != 2:
        raise ValueError(f"a player is 1 (black) or 2 (white), not {player}")
    return player - 1


cdef tuple _fixed(object given, str what):
    """Copy a sequence into a tuple: a list could lose its items while one of them is converted to a number."""
    if type(given) is tuple:
        return <tuple>given
    try:
        return tuple(given)
    except TypeError:
        raise ValueError(f"a board is a sequence of rows of codes; {what} is not a sequence") from None


@cython.final
cdef class Rules:
    """The rules of a stage (arena, 3), as functions of boards of any size from 4 to 12 rows.

    Which cells are blocked is read from each board. Players are 1 (black) and 2 (white).
    """

    def __init__(self, stage):
        """Take the size, the start and the three flags of a `Stage`."""
        self.variant = _sizes[stage.board_size]
        self.variant.over_blocked = stage.ignore_occlusion
        self.variant.fewer_continue = stage.fewer_pieces_continue
        self.variant.fewest_win = stage.fewest_wins
        self.read(stage.board(), &self.variant, &self.start)
        set_mover(&self.variant, &self.start, 0)
        if self.start.mover != OVER and not any_of(self.start.moves, self.variant.words):
            skip(&self.variant, &self.start)

    def __reduce__(self):
        raise TypeError("the rules of a stage cannot be pickled or copied")

    cdef int read(self, object rows, Variant *variant, Board *board) except -1:
        """Check and parse a board; its size, its blocked cells and this stage's flags go into ``variant``."""
        cdef int row, column, n
        cdef long code
        cdef tuple lines = _fixed(rows, "this")
        cdef tuple line
        n = len(lines)
        if not SMALLEST <= n <= LARGEST:
            raise ValueError(f"a board has {SMALLEST} to {LARGEST} rows, not {n}")
        cdef bint over_blocked = self.variant.over_blocked
        cdef bint fewer_continue = self.variant.fewer_continue
        cdef bint fewest_win = self.variant.fewest_win
        variant[0] = _sizes[n]
        variant.over_blocked = over_blocked
        variant.fewer_continue = fewer_continue
        variant.fewest_win = fewest_win
        board.pieces[0] = board.pieces[1] = none(3)
        for row in range(n):
            line = _fixed(lines[row], "a row")
            if len(line) != n:
                raise ValueError(f"a board is square; row {row} has {len(line)} cells, not {n}")
            for column in range(n):
                try:
                    code = PyLong_AsLong(<object>PyTuple_GET_ITEM(line, column))
                except (TypeError, OverflowError):
                    code = -1
                if code == 1 or code == 2:
                    add(&board.pieces[code - 1], row * n + column)
                elif code == 3:
                    add(&variant.blocked, row * n + column)
                elif code != 0:
                    raise ValueError(f"cells are 0 empty, 1 black, 2 white, 3 blocked; cell ({row}, {column}) is none of them")
        variant.playable = without(variant.playable, variant.blocked, 3)
        return 0

    def legal_moves(self, board, int player):
        """The cells on which a player may move, row-major.

        Raises:
            ValueError: the board is invalid, or the player is neither 1 nor 2. This holds for all methods.
        """
        cdef Variant variant
        cdef Board read
        cdef int own = _player(player)
        self.read(board, &variant, &read)
        return _cells(legal(&variant, &read.pieces[own], &read.pieces[1 - own]), variant.n, variant.words)

    def captures(self, board, int player, int row, int col):
        """The cells that a move turns, row-major; empty if it is illegal."""
        cdef Variant variant
        cdef Board read
        cdef Bits found
        if not self.turned(board, player, row, col, &variant, &read, &found):
            return []
        return _cells(found, variant.n, variant.words)

    cdef bint turned(
        self, object board, int player, int row, int col, Variant *variant, Board *read, Bits *captures
    ) except -1:
        """Find what a move turns; return whether the move is legal."""
        cdef int own = _player(player)
        cdef int cell
        self.read(board, variant, read)
        if not (0 <= row < variant.n and 0 <= col < variant.n):
            return False
        cell = row * variant.n + col
        if not has(&variant.playable, cell) or has(&read.pieces[0], cell) or has(&read.pieces[1], cell):
            return False
        captures[0] = captured(variant, &read.pieces[own], &read.pieces[1 - own], cell)
        return any_of(captures[0], variant.words)

    def simulate(self, board, int player, int row, int col):
        """The `MoveResult` of a move; a move off the board is illegal."""
        cdef Variant variant
        cdef Board read
        cdef Bits found
        cdef int k
        if not self.turned(board, player, row, col, &variant, &read, &found):
            return _ILLEGAL
        for k in range(variant.words):
            read.pieces[player - 1].word[k] |= found.word[k]
            read.pieces[2 - player].word[k] &= ~found.word[k]
        add(&read.pieces[player - 1], row * variant.n + col)
        return MoveResult(True, _rows(&variant, &read), count(found, variant.words))

    def simulate_moves(self, boards, players, rows, cols):
        """A list of `simulate` for each entry of four sequences of equal length.

        Raises:
            ValueError: the lengths differ, or as for `simulate`.
        """
        return [
            self.simulate(board, player, row, col)
            for board, player, row, col in zip(boards, players, rows, cols, strict=True)
        ]

    def next_player(self, board, int mover):
        """The player who moves next, passes left out, after a move of ``mover`` led to ``board``; 0 at the end."""
        cdef Variant variant
        cdef Board read
        cdef int own = _player(mover)
        self.read(board, &variant, &read)
        cdef int following = next_mover(&variant, &read, own)
        return 0 if following == OVER else following + 1

    def winner(self, board):
        """1 or 2, 0 for a tie, None if the game is not over."""
        cdef Variant variant
        cdef Board read
        self.read(board, &variant, &read)
        set_mover(&variant, &read, 0)
        if read.mover != OVER:
            return None
        cdef int ahead = margin(&variant, &read)
        return 1 if ahead > 0 else 2 if ahead < 0 else 0

    def evaluate(self, board, int player):
        """The `Evaluation` of a board for a player."""
        cdef Variant variant
        cdef Board read
        cdef int own = _player(player)
        cdef int corners = 0, edges = 0
        cdef int n, words, k, last
        self.read(board, &variant, &read)
        n, words = variant.n, variant.words
        last = n - 1
        for k in range(1, last):
            edges += has(&read.pieces[own], k) + has(&read.pieces[own], last * n + k)
            edges += has(&read.pieces[own], k * n) + has(&read.pieces[own], k * n + last)
        for k in (0, last, last * n, last * n + last):
            corners += has(&read.pieces[own], k)
        cdef int pieces = count(read.pieces[own], words) - count(read.pieces[1 - own], words)
        cdef int mobility = count(legal(&variant, &read.pieces[own], &read.pieces[1 - own]), words)
        mobility -= count(legal(&variant, &read.pieces[1 - own], &read.pieces[own]), words)
        total = pieces + 2.0 * mobility + 100.0 * corners + 10.0 * edges
        return Evaluation(pieces, mobility, 100 * corners, 20 * edges, total)

    def random_playouts(self, board, int player, int count, seed, bint boards=False):  # no-cython-lint
        """Play ``count`` games of uniformly random moves from a board on which it is a player's turn.

        The same seed gives the same games. With ``boards``, the result includes the final boards.
        """
        cdef Variant variant
        cdef Board start, game
        cdef int[3] wins = [0, 0, 0]
        cdef int ahead, _
        cdef list finals = []
        cdef uint64_t random = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
        cdef int own = _player(player)
        if count < 0:
            raise ValueError(f"there cannot be {count} playouts")
        self.read(board, &variant, &start)
        set_mover(&variant, &start, own)
        for _ in range(count):
            game = start
            with nogil:
                playout(&variant, &game, &random)
            ahead = margin(&variant, &game)
            wins[0 if ahead > 0 else 1 if ahead < 0 else 2] += 1
            if boards:
                finals.append(_rows(&variant, &game))
        return Playouts(wins[0], wins[1], wins[2], tuple(finals))


@cython.no_gc  # else the garbage collector would expose the rules of an API, which answer more than it does
cdef class PaperApi:
    """The queries of an analysing player under ``api=paper`` (arena, 6.1): moves, their results, values of boards."""

    def __init__(self, Rules rules not None):
        """Answer by these rules."""
        self.rules = rules

    def __reduce__(self):
        raise TypeError("the API of a stage cannot be pickled or copied")

    def get_valid_moves(self, board, int player):
        """The cells on which a player may move, as (row, column) in row-major order.

        Raises:
            ValueError: the board is invalid, or the player is neither 1 nor 2. This holds for all methods.
        """
        return self.rules.legal_moves(board, player)

    def simulate_move(self, board, int player, int row, int col):
        """The `MoveResult` of a move."""
        return self.rules.simulate(board, player, row, col)

    def simulate_moves(self, boards, players, rows, cols):
        """A list of `simulate_move` for each entry of four sequences of equal length."""
        return self.rules.simulate_moves(boards, players, rows, cols)

    def evaluate_board(self, board, int player):
        """The `Evaluation` of a board for a player."""
        return self.rules.evaluate(board, player)


@cython.no_gc
cdef class ObservableApi(PaperApi):
    """The queries of an analysing player under ``api=observable`` (arena, 6.2): also the next turn and the winner."""

    def next_player(self, board, int mover):
        """The player who moves next, passes left out, after a move of ``mover`` led to ``board``; 0 at the end."""
        return self.rules.next_player(board, mover)

    def winner(self, board):
        """1 or 2, 0 for a tie, None if the game is not over."""
        return self.rules.winner(board)

    def random_playouts(self, board, int player, int count, seed, bint boards=False):  # no-cython-lint
        """The `Playouts` of ``count`` uniformly random games from a board on which it is a player's turn."""
        return self.rules.random_playouts(board, player, count, seed, boards)


cdef class OthelloState(CompiledState):
    """A state of Othello. Player 0 is black; action ``row * n + column``, and ``n * n`` to pass, as in OpenSpiel."""

    def __init__(self, game, Rules rules not None):
        """Set up the start; called by ``Othello.new_initial_state``."""
        self.game = game
        self.rules = rules
        self.board = rules.start
        self.past = []

    cdef int players(self) except -1:
        return 2

    cdef int mover(self) except? -9:
        return TERMINAL if self.board.mover == OVER else self.board.mover

    cdef int moves(self, int *actions) except -1:
        cdef int n = listed(self.board.moves, actions, self.rules.variant.words)
        if n == 0:
            actions[0] = self.rules.variant.n * self.rules.variant.n
            return 1
        return n

    cdef int make(self, int action) except -1:
        if action == self.rules.variant.n * self.rules.variant.n:
            skip(&self.rules.variant, &self.board)
        else:
            play(&self.rules.variant, &self.board, action)
        return 0

    cdef int results(self, double *values) except -1:
        cdef int ahead = 0
        if self.board.mover == OVER:
            ahead = margin(&self.rules.variant, &self.board)
        values[0] = (ahead > 0) - (ahead < 0)
        values[1] = -values[0]
        return 0

    cdef Position twin(self):
        cdef OthelloState made = OthelloState.__new__(OthelloState)
        made.game = self.game
        made.rules = self.rules
        made.board = self.board
        return made

    cdef int assign(self, Position other) except -1:
        self.board = (<OthelloState>other).board
        return 0

    cdef uint64_t fingerprint(self) except? 0:
        cdef uint64_t hashed = self.board.mover
        cdef int k
        for k in range(self.rules.variant.words):
            hashed = mixed(hashed * 3 + self.board.pieces[0].word[k])
            hashed = mixed(hashed * 3 + self.board.pieces[1].word[k])
        return hashed

    cdef double estimate(self, int player) except? -9.0:
        """Mobility and the weights of cells, as a number between -1 and 1."""
        cdef const Bits *own = &self.board.pieces[player]
        cdef const Bits *other = &self.board.pieces[1 - player]
        cdef int n = self.rules.variant.n
        cdef int words = self.rules.variant.words
        cdef int mobility, region, cells = 0
        for region in range(REGIONS):
            part = &_regions[n * REGIONS + region]
            cells += _weights[region] * (count(both(own[0], part[0], words), words) - count(both(other[0], part[0], words), words))
        if self.rules.variant.fewest_win:
            cells = -cells
        mobility = count(legal(&self.rules.variant, own, other), words) - count(legal(&self.rules.variant, other, own), words)
        cdef double sum_of_all = cells + MOBILITY * mobility
        return sum_of_all / (fabs(sum_of_all) + 300.0)

    cdef int playout(self, uint64_t *random, int limit, double *values) except -1:  # no-cython-lint
        """Play all moves in C; ``limit`` is ignored, since no game of Othello is that long."""
        cdef int made = playout(&self.rules.variant, &self.board, random)
        self.results(values)
        return made

    def key(self):
        """What the rest of the game depends on: the pieces and the player to move."""
        cdef int words = self.rules.variant.words
        pieces = [self.board.pieces[who].word[k].to_bytes(8, "little") for who in range(2) for k in range(words)]
        return bytes([self.board.mover]) + b"".join(pieces)

    def rows(self):
        """The board as rows of codes: 0 empty, 1 black, 2 white, 3 blocked."""
        return _rows(&self.rules.variant, &self.board)

    def captures(self, int action):
        """The cells that a legal move turns, as (row, column).

        Raises:
            IllegalAction: the rules do not allow the move.
        """
        cdef int n = self.rules.variant.n
        cdef int mover = self.board.mover
        self.check(action)
        if action == n * n:
            return []
        turned = captured(&self.rules.variant, &self.board.pieces[mover], &self.board.pieces[1 - mover], action)
        return _cells(turned, n, self.rules.variant.words)

    def counts(self):
        """Number of black and of white pieces."""
        cdef int words = self.rules.variant.words
        return count(self.board.pieces[0], words), count(self.board.pieces[1], words)

    def perft(self, int depth):
        """Leaves of the tree of all games of ``depth`` plies, and the number of moves made to count them.

        A pass is a ply, and a game that ended earlier is a leaf.

        Raises:
            ValueError: the depth is negative.
        """
        cdef uint64_t made = 0
        cdef uint64_t leaves
        if depth < 0:
            raise ValueError(f"a depth is not negative, as {depth} is")
        with nogil:
            leaves = perft(&self.rules.variant, &self.board, depth, &made)
        return leaves, made

    def action_to_string(self, int first, second=None):
        """A cell such as ``d3`` (column, then row from 1), or ``pass``; the optional first argument is the player."""
        cdef int n = self.rules.variant.n
        cdef int action = first if second is None else second
        if action == n * n:
            return "pass"
        return f"{chr(ord('a') + action % n)}{action // n + 1}"

    def __str__(self):
        """The board as OpenSpiel draws it, with ``#`` for blocked cells."""
        n = self.rules.variant.n
        width = len(str(n))
        letters = " " * width + " " + "".join([f"{chr(ord('a') + k)} " for k in range(n)]) + " "
        first = "Terminal State:" if self.board.mover == OVER else ("Black (x)", "White (o)")[self.board.mover] + " to play:"
        lines = [
            f"{number:>{width}} {' '.join(['-xo#'[code] for code in row])} {number}"
            for number, row in enumerate(self.rows(), 1)
        ]
        return "\n".join([first, letters, *lines, letters])

    def __repr__(self):
        return f"<OthelloState after {self.move_number()} actions>"

    def observation_tensor(self, int player=0):
        """Planes of empty, own and the other's cells, as in OpenSpiel, and of blocked ones if there are any."""
        shape = self.game.observation_tensor_shape()
        planes = [[0.0] * (shape[1] * shape[2]) for _ in range(shape[0])]
        for cell, code in enumerate([code for row in self.rows() for code in row]):
            planes[0 if code == 0 else 3 if code == 3 else 1 if code == player + 1 else 2][cell] = 1.0
        return [value for plane in planes for value in plane]
