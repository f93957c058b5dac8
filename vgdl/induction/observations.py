"""What a learner sees: sprites, avatar, score, outcome and legal actions, with permuted numbers of types.

The numbers of types in a game follow the order of its text, so they would tell something about the rules. An
`Observer` replaces them by random ones, which stay the same for all plays of a game.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vgdl import Action
from vgdl.core.observation import Avatar
from vgdl.core.state import StateObservation

_NUMBERS = 1000  #: the permuted numbers are below this; no game has as many types
_OFFSET = 1 << 20  #: added to positions, which may be negative, before they are packed
_TYPE_BITS, _ROW_BITS = 44, 22

Fate = tuple[int, int, int]  #: type, x and y of a sprite, in pixels
Cell = tuple[int, int]
Step = tuple[int, int] | None  #: how far a sprite moves, in pixels; None: it vanishes or changes its type
Moves = Counter[tuple[int, bool]]  #: number of sprites by type and whether they move


class Rest(NamedTuple):
    """The part of two frames that may differ.

    Attributes:
        steady: numbers (`Frame.coded`) that exactly one sprite has in both frames, and the same one.
        was, now: the fates of the other sprites, before and after.
        moves: how many sprites of each type move, and how many rest.
        queues: types of which a sprite is where another one was, such as those of a beam: only ids tell how they move.
        held: the sprites of `steady` numbers.
    """

    steady: frozenset[int]
    was: dict[int, Fate]
    now: dict[int, Fate]
    moves: Moves
    queues: frozenset[int]
    held: dict[int, int]


@dataclass(frozen=True)
class Frame:
    """One observed state.

    Attributes:
        arrays: visible sprites in order of id (`vgdl.core.observation.VISIBLE`).
        action: the action taken in this state; NIL in the last state of a play.
    """

    arrays: NDArray[np.void]
    avatar: Avatar | None
    score: float
    winner: int
    is_over: bool
    tick: int
    actions: tuple[Action, ...]
    block_size: int
    world_dimension: tuple[int, int]
    action: Action = Action.NIL

    @functools.cached_property
    def fates(self) -> dict[int, Fate]:
        """Type and position of each sprite by id."""
        return {number: (kind, x, y) for number, kind, _, x, y in self.arrays.tolist()}

    @functools.cached_property
    def coded(self) -> dict[int, int]:
        """The number of each sprite's type and position (`codes`) by id."""
        return dict(zip(self.arrays["id"].tolist(), codes(self.arrays).tolist(), strict=True))

    @functools.cached_property
    def single(self) -> frozenset[int]:
        """The numbers in `coded` that only one sprite has."""
        counted = Counter(self.coded.values())
        return frozenset(code for code, count in counted.items() if count == 1)

    @functools.cached_property
    def _since(self) -> dict[int, tuple[Frame, Rest]]:
        return {}

    def since(self, before: Frame) -> Rest:
        """What may have changed between a frame and this one; computed once for a pair of frames."""
        known = self._since.get(id(before))
        if known is None:
            held = {code: number for number, code in self.coded.items()}
            stayed = (code for number, code in before.coded.items() if held.get(code) == number)
            steady = before.single & self.single & frozenset(stayed)
            was = {number: before.fates[number] for number, code in before.coded.items() if code not in steady}
            now = {number: self.fates[number] for number, code in self.coded.items() if code not in steady}
            taken = set(now.values())
            queues = frozenset(fate[0] for number, fate in was.items() if fate in taken and now.get(number) != fate)
            known = self._since[id(before)] = before, Rest(steady, was, now, _moves(before, was, now), queues, held)
        return known[1]

    def of(self, types: Set[int]) -> Frame:
        """The frame with the sprites of some types only; without the avatar if it has none of them."""
        avatar = None if self.avatar is None or self.avatar.type not in types else self.avatar
        return replace(self, arrays=self.arrays[np.isin(self.arrays["type"], list(types))], avatar=avatar)

    @functools.cached_property
    def by_cell(self) -> dict[Cell, list[tuple[int, int, int]]]:
        """Id, x and y of the sprites by the cell of their upper left corner."""
        found: dict[Cell, list[tuple[int, int, int]]] = {}
        for number, (_, x, y) in self.fates.items():
            found.setdefault((x // self.block_size, y // self.block_size), []).append((number, x, y))
        return found

    def around(self, x: int, y: int, reach: int) -> Iterator[tuple[int, int]]:
        """Ids of the sprites less than so many pixels from a position along both axes, and the larger distance."""
        block = self.block_size
        columns, rows = (range((at - reach) // block, (at + reach) // block + 1) for at in (x, y))
        for cell in itertools.product(columns, rows):
            for number, sx, sy in self.by_cell.get(cell, ()):
                distance = max(abs(sx - x), abs(sy - y))
                if distance < reach:
                    yield number, distance

    def overlapping(self, x: int, y: int) -> Iterator[tuple[int, int, int]]:
        """Id, x and y of the sprites that overlap one at a position."""
        for number, _ in self.around(x, y, self.block_size):
            yield number, *self.fates[number][1:]

    @functools.cached_property
    def packed(self) -> NDArray[np.int64]:
        """A number for each sprite's type and position, in ascending order."""
        return packed(self.arrays)

    @property
    def types(self) -> set[int]:
        """The types of the visible sprites, of the avatar, which may be hidden, and of held resources."""
        own = set() if self.avatar is None else {self.avatar.type, *self.avatar.resources}
        return own | set(np.unique(self.arrays["type"]).tolist())

    def renumbered(self, numbers: Mapping[int, int]) -> Frame:
        """The frame with other numbers of types."""
        arrays = self.arrays.copy()
        arrays["type"] = [numbers[kind] for kind in arrays["type"].tolist()]
        avatar = self.avatar
        if avatar is not None:
            held = {numbers[kind]: amount for kind, amount in avatar.resources.items() if kind in numbers}
            avatar = avatar._replace(type=numbers[avatar.type], resources=held)
        return replace(self, arrays=arrays, avatar=avatar)


@dataclass
class Play:
    """The frames of one play from the start of a level, to which the next ones are appended."""

    frames: list[Frame] = field(default_factory=list)

    @property
    def ticks(self) -> int:
        """Number of observed transitions."""
        return max(0, len(self.frames) - 1)

    def steps(self) -> Iterator[tuple[int, Frame, Frame]]:
        """The transitions: index, state before, state after."""
        for k in range(self.ticks):
            yield k, self.frames[k], self.frames[k + 1]


class Observer:
    """Makes frames of states, with the numbers of types permuted.

    Args:
        seed: the permutation is drawn from it. Plays of one game need the same observer.
    """

    def __init__(self, seed: int) -> None:
        shuffled = random.Random(seed).sample(range(_NUMBERS), _NUMBERS)
        self._numbers = dict(enumerate(shuffled))

    def number_of(self, kind: int) -> int:
        """The permuted number of a type."""
        return self._numbers[kind]

    def observe(self, state: StateObservation) -> Frame:
        """The frame of a state; names, events and everything hidden are left out."""
        arrays = state.arrays
        return Frame(
            arrays=arrays[np.argsort(arrays["id"], kind="stable")],
            avatar=state.avatar,
            score=state.score,
            winner=int(state.winner),
            is_over=state.is_over,
            tick=state.tick,
            actions=state.available_actions,
            block_size=state.block_size,
            world_dimension=state.world_dimension,
        ).renumbered(self._numbers)


def step_of(before: Fate, after: Fate | None) -> Step:
    """How a sprite moves from one fate to another."""
    return None if after is None or after[0] != before[0] else (after[1] - before[1], after[2] - before[2])


def _moves(before: Frame, was: Mapping[int, Fate], now: Mapping[int, Fate]) -> Moves:
    """How many sprites of each type move, and how many rest, if others than those that may differ rest."""
    found: Moves = Counter((kind, False) for kind in before.arrays["type"].tolist())
    for number, fate in was.items():
        step = step_of(fate, now.get(number))
        if step != (0, 0):
            found[fate[0], False] -= 1
            found[fate[0], True] += step is not None
    return found


def codes(arrays: NDArray[np.void]) -> NDArray[np.int64]:
    """A number for each sprite's type and position, in the order of the rows."""
    found: NDArray[np.int64] = arrays["type"].astype(np.int64) << _TYPE_BITS
    found += (arrays["x"].astype(np.int64) + _OFFSET) << _ROW_BITS
    found += arrays["y"]
    found += _OFFSET
    return found


def packed(arrays: NDArray[np.void]) -> NDArray[np.int64]:
    """The numbers of `codes` in ascending order."""
    found = codes(arrays)
    found.sort()
    return found


@dataclass(frozen=True)
class Layout:
    """The sprites at the start of a level that never change, by cell: they are the cheapest to place."""

    width: int
    height: int
    standing: tuple[tuple[Cell, int], ...]
    block_size: int  #: pixels per cell

    def of(self, types: Set[int]) -> Layout:
        """The layout with the sprites of some types only."""
        return replace(self, standing=tuple(entry for entry in self.standing if entry[1] in types))

    @functools.cached_property
    def text(self) -> str:
        """The level as text, with a symbol per type."""
        rows = [[" "] * self.width for _ in range(self.height)]
        for (column, row), kind in self.standing:
            rows[row][column] = symbol(kind)
        return "\n".join("".join(row) for row in rows) + "\n"


def symbol(kind: int) -> str:
    """The character of a type in the text of a level."""
    return chr(0x4E00 + kind)


def layout_of(frame: Frame, steady: frozenset[int]) -> Layout:
    """The level as shown by a first state, with one sprite of the ``steady`` types per cell."""
    block = frame.block_size
    width, height = frame.world_dimension
    standing: dict[Cell, int] = {}
    for kind, x, y in frame.fates.values():
        inside = 0 <= x < width and 0 <= y < height
        if kind in steady and inside and x % block == 0 and y % block == 0:
            standing.setdefault((x // block, y // block), kind)
    return Layout(width // block, height // block, tuple(sorted(standing.items())), block)
