"""The colours of a game's types: permuted per game, and the same in all of its levels (spec, 6.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vgdl.competition.tracks.arc.frame import COLORS
from vgdl.competition.tracks.arc.options import PaletteKind
from vgdl.competition.tracks.arc.painting import INVISIBLE

LOW = 6  #: a banded palette draws scenery in colours below
SECOND = 5  #: the second colour of a type is this many places after its first


@dataclass(frozen=True, slots=True)
class Colors:
    """The colours of a game.

    Attributes:
        letterbox, background, marker: colours, 0 to 15.
        types: colour per type number, `INVISIBLE` for types that are not drawn.
        corners: colour of the lower right quarter per type number, `INVISIBLE` for types of one colour.
    """

    letterbox: int
    background: int
    marker: int
    types: tuple[int, ...]
    corners: tuple[int, ...]


def permutation(base: str, version: str, seed: int) -> tuple[int, ...]:
    """Fisher-Yates permutation of 0 to 15, from a byte stream that depends on the game and the palette's seed."""
    colors = list(range(COLORS))
    stream = _numbers(f"{base} {version} {seed}")
    for last in range(COLORS - 1, 0, -1):
        other = next(stream) % (last + 1)
        colors[last], colors[other] = colors[other], colors[last]
    return tuple(colors)


def deal(
    kind: PaletteKind, colors: Sequence[int], n_types: int, shown: Sequence[int], scenery: frozenset[int] = frozenset()
) -> Colors:
    """Assign colours to the types of a game.

    Args:
        kind: shuffled or banded.
        colors: a `permutation`.
        n_types: types of the game.
        shown: numbers of the types that are drawn, ascending.
        scenery: the types among them that take part in no effect; for banded palettes.
    """
    types, corners = [INVISIBLE] * n_types, [INVISIBLE] * n_types
    if kind is PaletteKind.SHUFFLED:
        letterbox, background, *free, marker = colors
        _deal(shown, free, types, corners)
        return Colors(letterbox, background, marker, tuple(types), tuple(corners))
    letterbox, background, *low = (color for color in colors if color < LOW)
    *high, marker = (color for color in colors if color >= LOW)
    _deal([number for number in shown if number in scenery], low, types, corners)
    _deal([number for number in shown if number not in scenery], high, types, corners)
    return Colors(letterbox, background, marker, tuple(types), tuple(corners))


def _deal(shown: Sequence[int], free: Sequence[int], types: list[int], corners: list[int]) -> None:
    """The i-th type gets the i-th colour; from the second round on, another one in its lower right quarter."""
    n = len(free)
    for i, number in enumerate(shown):
        types[number] = free[i % n]
        if i >= n:
            corners[number] = free[(i + SECOND) % n]


def _numbers(key: str) -> Iterator[int]:
    """An endless stream of 32-bit numbers."""
    block = 0
    while True:
        data = hashlib.blake2b(f"{key} {block}".encode()).digest()
        for at in range(0, len(data), 4):
            yield int.from_bytes(data[at : at + 4], "big")
        block += 1
