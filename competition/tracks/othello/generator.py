"""Seeded generator of hidden stages (specification 5.2): the same seed gives the same stage on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean
from typing import TypeVar

from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.othello.board import Board, Cell
from vgdl.tabletop.othello import Rules
from vgdl.tabletop.othello_stages import Stage

_T = TypeVar("_T")

SEED_BITS = 128
MAX_TRIES = 200

GAMES = 200
"""Number of random games by which a stage is judged."""
MIN_LENGTH = 0.6
"""Minimum mean number of moves, as a share of the cells that are empty at the start."""
WIN_SHARE = (0.30, 0.70)
"""Minimum and maximum share of wins by black, counting a tie as half a win."""
MIN_ACROSS = 0.25
"""Minimum share of games with a capture across a blocked cell, if the rules allow such captures."""


class Kind(StrEnum):
    """The way in which a stage differs from the standard one."""

    SIZE = "size"
    BLOCKED = "blocked"
    OCCLUSION = "occlusion"
    FEWER = "fewer"
    REVERSE = "reverse"
    START = "start"
    MIXED = "mixed"


class Symmetry(StrEnum):
    """The symmetry of the blocked cells, in the order of the numbers drawn."""

    POINT = "point reflection"
    QUARTER = "quarter turn"
    NONE = "none"


class StageError(CompetitionError):
    """No stage can be generated; the message says why."""


class Stream:
    """The random numbers of a seed: 64-bit words by BLAKE2b, word ``i`` from the seed and ``i`` alone."""

    def __init__(self, seed: int) -> None:
        """Start at word 0; raises ``StageError`` for a seed below 0 or of more than 128 bits."""
        if not 0 <= seed < 1 << SEED_BITS:
            raise StageError(f"the seed {seed} is not in 0 ... 2**{SEED_BITS} - 1")
        self._prefix = b"othello-stage" + seed.to_bytes(16, "little")
        self._next = 0

    def word(self) -> int:
        """The next word."""
        message = self._prefix + self._next.to_bytes(8, "little")
        self._next += 1
        return int.from_bytes(hashlib.blake2b(message, digest_size=8).digest(), "little")

    def below(self, bound: int) -> int:
        """A uniform integer from 0 to ``bound - 1``."""
        usable = (1 << 64) - (1 << 64) % bound
        while (word := self.word()) >= usable:
            pass
        return word % bound

    def chance(self, one_in: int) -> bool:
        """True with probability ``1 / one_in``."""
        return self.below(one_in) == 0

    def choice(self, options: Sequence[_T]) -> _T:
        """One of the options, uniformly."""
        return options[self.below(len(options))]


def generate(seed: int, kind: Kind | str | None = None) -> Stage:
    """Generate the stage of a seed.

    Args:
        seed: 0 ... 2**128 - 1.
        kind: kind of the stage; drawn uniformly if not given.

    Raises:
        ValueError: there is no such kind.
        StageError: the seed is out of range, or no candidate was accepted.
    """
    stream = Stream(seed)
    wanted = stream.choice(list(Kind)) if kind is None else Kind(kind)
    for _ in range(MAX_TRIES):
        stage = _candidate(seed, wanted, stream)
        if _accepted(stage, stream):
            return stage
    raise StageError(f"none of {MAX_TRIES} candidates for seed {seed} and kind {wanted} was accepted")


def _candidate(seed: int, kind: Kind, stream: Stream) -> Stage:
    """One draw of size, blocked cells, flags and start, in this order."""
    size = _size(kind, stream)
    blocked = _blocked(kind, size, stream)
    occlusion, fewer, reverse = _flags(kind, bool(blocked), stream)
    black, white = _start(kind, size, blocked, stream)
    return Stage(
        id=f"seed-{seed}",  # not `stage-…`, as for public ones
        name=f"Stage {seed}",
        board_size=size,
        initial_blocked=tuple(sorted(blocked)),
        initial_black=tuple(sorted(black)),
        initial_white=tuple(sorted(white)),
        ignore_occlusion=occlusion,
        fewer_pieces_continue=fewer,
        fewest_wins=reverse,
    )


def _size(kind: Kind, stream: Stream) -> int:
    if kind is Kind.SIZE:
        return stream.choice((6, 10))
    if kind in (Kind.FEWER, Kind.REVERSE, Kind.MIXED):
        return stream.choice((6, 8, 10))
    return 8


def _blocked(kind: Kind, size: int, stream: Stream) -> set[Cell]:
    if kind not in (Kind.BLOCKED, Kind.OCCLUSION) and not (kind is Kind.MIXED and stream.chance(2)):
        return set()
    symmetry = stream.choice(list(Symmetry))
    orbits = 1 + stream.below(size // 2)
    centre = set(_central(size))
    blocked: set[Cell] = set()
    for _ in range(orbits):
        free = [cell for cell in _cells(size) if cell not in centre and cell not in blocked]
        blocked.update(_orbit(stream.choice(free), symmetry, size))
    return blocked


def _flags(kind: Kind, any_blocked: bool, stream: Stream) -> tuple[bool, bool, bool]:
    """Ignore occlusion, fewer pieces continue, fewest wins; ``mixed`` draws them again until one is set."""
    if kind is not Kind.MIXED:
        return kind is Kind.OCCLUSION, kind is Kind.FEWER, kind is Kind.REVERSE
    while True:
        flags = (any_blocked and stream.chance(3), stream.chance(3), stream.chance(3))
        if any(flags):
            return flags


def _start(kind: Kind, size: int, blocked: set[Cell], stream: Stream) -> tuple[set[Cell], set[Cell]]:
    """The cells of black and of white."""
    high = size // 2
    low = high - 1
    black, white = {(low, high), (high, low)}, {(low, low), (high, high)}
    if kind in (Kind.START, Kind.MIXED) and stream.chance(2):
        black, white = white, black
    if kind is Kind.START or (kind is Kind.MIXED and stream.chance(2)):
        pieces = 2 + stream.below(2)
        black, white = set(), set()
        for _ in range(pieces):
            taken = blocked | black | white
            # n is even, so that no cell is its own reflection
            free = [cell for cell in _central(size) if cell not in taken and _reflected(cell, size) not in taken]
            cell = stream.choice(free)
            black.add(cell)
            white.add(_reflected(cell, size))
    return black, white


def _accepted(stage: Stage, stream: Stream) -> bool:
    """Whether a stage is playable, long enough, fair, and affected by its special rules, judged by random games."""
    rules, board = Rules(stage), stage.board()
    if len(rules.legal_moves(board, 1)) < 2:
        return False
    standard = Rules(replace(stage, ignore_occlusion=False))
    games = [_Game.random(board, rules, standard, stream) for _ in range(GAMES)]
    empty = sum(row.count(0) for row in board)
    share = fmean({1: 1.0, 0: 0.5, 2: 0.0}[game.winner] for game in games)
    across = fmean(game.across for game in games) if stage.ignore_occlusion else 1.0
    lowest, highest = WIN_SHARE
    return (
        fmean(game.moves for game in games) >= MIN_LENGTH * empty
        and lowest <= share <= highest
        and across >= MIN_ACROSS
    )


@dataclass(frozen=True, slots=True)
class _Game:
    """Statistics of a random game on a stage."""

    moves: int
    winner: int
    across: bool  #: whether a capture went across a blocked cell

    @classmethod
    def random(cls, board: Board, rules: Rules, standard: Rules, stream: Stream) -> _Game:
        """Play uniformly random moves; ``standard`` are the rules by which a blocked cell ends every capture."""
        player, moves, across = 1, 0, False
        while player:
            row, column = stream.choice(rules.legal_moves(board, player))
            played = rules.simulate(board, player, row, column)
            across = across or standard.simulate(board, player, row, column).captured_count < played.captured_count
            board = played.resulting_board or board
            player, moves = rules.next_player(board, player), moves + 1
        return cls(moves, rules.winner(board) or 0, across)


def _cells(size: int) -> Iterator[Cell]:
    return ((row, column) for row in range(size) for column in range(size))


def _central(size: int) -> list[Cell]:
    """The central square of half the size, rounded down; if it cannot be centred, towards the upper left."""
    side = size // 2
    first = (size - side) // 2
    return [(row, column) for row, column in _cells(size) if min(row, column) >= first > max(row, column) - side]


def _reflected(cell: Cell, size: int) -> Cell:
    row, column = cell
    return size - 1 - row, size - 1 - column


def _orbit(cell: Cell, symmetry: Symmetry, size: int) -> set[Cell]:
    """All cells to which a cell is mapped."""
    row, column = cell
    if symmetry is Symmetry.NONE:
        return {cell}
    if symmetry is Symmetry.POINT:
        return {cell, _reflected(cell, size)}
    turned = (column, size - 1 - row)
    return {cell, turned, _reflected(cell, size), _reflected(turned, size)}
