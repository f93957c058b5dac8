"""Descriptions of recorded plays for prompts: levels, types, moves, changes and meetings (13.3)."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vgdl import Category, Winner
from vgdl.competition.tracks.worldmodels.search.hypothesis import Cellful
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, layout_of
from vgdl.competition.tracks.worldmodels.texts.stepping import Words

Sprite = tuple[int, int, int, int, int]  # id, type, category, x, y
_SYMBOLS = [c for c in string.ascii_lowercase + string.ascii_uppercase + string.digits + "*+=~%&@!?/" if c != "A"]
EMPTY = "."
"""The symbol of an empty cell, which prompts explain."""
MOST_PARTNERS = 4
"""Most types listed as partners of an event."""
MOST_PAIRS = 40
"""Most pairs of types listed as meetings."""


@dataclass
class Map:
    """Draws states as grids, a symbol for each set of types in a cell."""

    names: Mapping[int, str]
    known: dict[Cellful, str] = field(default_factory=lambda: {(): EMPTY})

    def drawn(self, frame: Frame) -> str:
        """Draw a grid with a legend of the symbols that are new, and the sprites between cells."""
        layout, block = layout_of(frame), frame.block_size
        new = [standing for standing in layout.sets if standing not in self.known]
        for standing in new:
            number = len(self.known) - 1
            self.known[standing] = _SYMBOLS[number] if number < len(_SYMBOLS) else chr(0xC0 + number)
        lines = [f"{self.known[standing]} = {' and '.join(self.names[n] for n in standing)}" for standing in new]
        lines += layout.text(self.known).rstrip("\n").splitlines()
        words = Words(self.names.__getitem__, block)
        between = [
            f"{self.names[kind]} {words.cell(x, y)}"
            for _, kind, _, x, y in frame.arrays.tolist()
            if x % block or y % block
        ]
        return "\n".join([*lines, f"between cells: {', '.join(between)}"] if between else lines)


@dataclass
class _Seen:
    """Observations of a type."""

    category: str = ""
    most: int = 0  #: most sprites at a time
    ticks: int = 0  #: sum of the numbers of sprites over all ticks
    moved: int = 0


@dataclass
class _Events:
    """A kind of event: its number, the types next to it, and the changes of the score."""

    count: int = 0
    partners: Counter[int] = field(default_factory=Counter)
    scores: Counter[float] = field(default_factory=Counter)


class Statistics:
    """Counts over recorded plays."""

    def __init__(self, plays: Sequence[Play], names: Mapping[int, str]) -> None:
        self._plays = plays
        self._names = names
        self._sightings: dict[int, _Seen] = {}
        self._events: dict[tuple[int, str], _Events] = {}
        self._steps: dict[str, Counter[str]] = {}
        self._met: Counter[tuple[int, int]] = Counter()
        for play in plays:
            for before, after in zip(play.frames, play.frames[1:], strict=False):
                self._count(before, after)

    def _count(self, before: Frame, after: Frame) -> None:
        was, now = ({row[0]: row for row in frame.arrays.tolist()} for frame in (before, after))
        block, score = before.block_size, after.score - before.score
        for kind, number in Counter(row[1] for row in now.values()).items():
            seen = self._sightings.setdefault(kind, _Seen())
            seen.most = max(seen.most, number)
            seen.ticks += number
        grid: dict[tuple[int, int], list[Sprite]] = {}
        for row in (*was.values(), *(row for number, row in now.items() if was.get(number) != row)):
            grid.setdefault((row[3] // block, row[4] // block), []).append(row)
            self._sightings.setdefault(row[1], _Seen()).category = Category(row[2]).name
        for number in was.keys() | now.keys():
            old, new = was.get(number), now.get(number)
            if old == new:
                continue
            if old and new and old[1] == new[1]:
                self._sightings[old[1]].moved += 1
                met = {row[1] for row in _near(grid, new, block) if row[0] != number}
                self._met.update((new[1], other) for other in met)
                continue
            what = "died" if new is None else "appeared" if old is None else f"became {self._names[new[1]]}"
            events = self._events.setdefault(((old or new or (0, 0))[1], what), _Events())
            events.count += 1
            events.scores[score] += 1
            places = [row for row in (old, new) if row is not None]
            events.partners.update({o[1] for row in places for o in _near(grid, row, block, 1) if o[0] != number})
        if before.avatar is not None and after.avatar is not None and after.avatar.is_alive and not after.is_over:
            (x, y), (u, v) = before.avatar.position, after.avatar.position
            self._steps.setdefault(before.action.name, Counter())[f"({(u - x) / block:g},{(v - y) / block:g})"] += 1

    def text(self) -> str:
        """The description."""
        name = self._names
        lines = ["Types (category, most sprites at a time, moves per 100 sprites and ticks):"]
        for kind, seen in sorted(self._sightings.items()):
            share = 100 * seen.moved / max(1, seen.ticks)
            lines.append(f"- {name[kind]}: {seen.category}, {seen.most}, {share:.3g}")
        lines.append("Steps of the avatar in cells, by action:")
        for action, steps in sorted(self._steps.items()):
            lines.append(f"- {action}: " + ", ".join(f"{step} {count} times" for step, count in steps.most_common(4)))
        lines.append("What happened, and which types were in the same place or beside it:")
        for (kind, what), events in sorted(self._events.items()):
            met = ", ".join(f"{name[n]} {k}" for n, k in events.partners.most_common(MOST_PARTNERS))
            scored = ", ".join(f"{score:+g} {k}" for score, k in events.scores.most_common(2) if score)
            score_text = f"; score {scored}" if scored else ""
            lines.append(f"- {name[kind]} {what}: {events.count} times; beside {met or 'nothing'}{score_text}")
        lines.append("Moves into a place where another type was (mover, other, times):")
        lines += [f"- {name[a]}, {name[b]}: {k}" for (a, b), k in self._met.most_common(MOST_PAIRS)]
        lines.append("Ends of the plays:")
        lines += [f"- play {number}: {_ended(play)}" for number, play in enumerate(self._plays)]
        return "\n".join(lines)


def _near(grid: Mapping[tuple[int, int], list[Sprite]], row: Sprite, block: int, more: int = 0) -> list[Sprite]:
    """The sprites that overlap a sprite's place, or with ``more``, also those that touch one of its sides."""
    column, line, reach = row[3] // block, row[4] // block, block + more
    return [
        other
        for x in (column - 1, column, column + 1)
        for y in (line - 1, line, line + 1)
        for other in grid.get((x, y), ())
        if abs(other[3] - row[3]) < reach and abs(other[4] - row[4]) < reach
        and (other[3] == row[3] or other[4] == row[4] or not more)
    ]  # fmt: skip


def _ended(play: Play) -> str:
    last = play.frames[-1]
    if not last.is_over:
        return f"cut off after tick {last.tick}"
    how = {Winner.PLAYER_WINS: "won", Winner.PLAYER_LOSES: "lost"}.get(Winner(last.winner), "over")
    return f"{how} in tick {last.tick}, score {last.score:g}"
