"""Amounts that plays show, from which values of parameters are proposed: speeds, intervals, life times, shares."""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from vgdl.induction.observations import Fate, Frame, Play
from vgdl.induction.prior import largest_like
from vgdl.ontology.rows import Kind, Parameter, Refers

_MOST = 6  #: values proposed for a parameter
_RUNS = 2  #: lengths of runs in one direction from which values are proposed
_DIGITS = 4  #: digits after the point of a speed, at most
_DRAWN = 200  #: moves of a type per play of which it is noted what they lead to
_COMMON = (1, 2, 3)  #: proposed integers that nothing showed
SHARES = (0.05, 0.1, 0.25, 0.5)  #: proposed probabilities that nothing showed
WAYS = {(0, -1): "UP", (0, 1): "DOWN", (-1, 0): "LEFT", (1, 0): "RIGHT"}


Amount = TypeVar("Amount", int, float, str)
Act = tuple[bool, int]  #: a move: whether it is a turn, and ticks since the last one; or an end: False and 0


@dataclass
class Amounts:
    """What the sprites of one type show, each value with how often."""

    steps: Counter[float] = field(default_factory=Counter)  #: lengths of moves in cells
    spans: Counter[int] = field(default_factory=Counter)  #: ticks between moves and between births
    lives: Counter[int] = field(default_factory=Counter)  #: ticks from birth to end
    ways: Counter[str] = field(default_factory=Counter)  #: directions of moves
    runs: Counter[int] = field(default_factory=Counter)  #: ticks from a turn to the next one
    births_nearby: Counter[int] = field(default_factory=Counter)  #: types of new sprites that appear on or beside one
    makers: Counter[frozenset[int]] = field(default_factory=Counter)  #: types on, or else beside, which one appeared
    births: Counter[int] = field(default_factory=Counter)  #: types of new sprites that appear on one
    near: Counter[int] = field(default_factory=Counter)  #: types of other sprites in the same state
    categories: Counter[int] = field(default_factory=Counter)
    shares: Counter[float] = field(default_factory=Counter)  #: share of ticks with a move, or a birth
    held: Counter[int] = field(default_factory=Counter)  #: amounts of this type that an avatar holds, its health
    count: Counter[int] = field(default_factory=Counter)  #: number of sprites in a state
    nearer: Counter[int] = field(default_factory=Counter)  #: moves towards the nearest sprite of a type, less others
    apart: Counter[int] = field(default_factory=Counter)  #: moves towards the nearest sprite of a type, and others
    born: int = 0  #: sprites that appeared during a play
    #: plays and ticks in which it may have made others
    makes: Counter[tuple[int, int]] = field(default_factory=Counter)
    acts: dict[Act, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))  #: plays and ticks by act

    def values(self, parameter: Parameter) -> Sequence[object]:
        """Values to propose for a parameter that names no type."""
        if parameter.kind is Kind.BOOL:
            return [not parameter.default]
        if parameter.kind is Kind.DIRECTION:
            return list(WAYS.values())
        if parameter.kind is Kind.INT:
            whole = [*self.limits, *_top(self.spans + self.held), *self.ages, *self.repeats(parameter), *_COMMON]
            return [value for value in dict.fromkeys(whole) if value != parameter.default]
        found = [*_top(self.shares), *SHARES] if is_share(parameter) else _top(self.steps) if is_size(parameter) else []
        return [round(value, 3) for value in found if value != parameter.default]

    def worth(self, length: int) -> Counter[tuple[int, int]]:
        """How rare the acts in parts of plays of this length are: each is worth one, divided among its places."""
        found: Counter[tuple[int, int]] = Counter()
        for places in self.acts.values():
            for play, tick in places:
                found[play, tick // length] += 1 / len(places)  # type: ignore[assignment]
        return found

    @property
    def limits(self) -> Sequence[int]:
        """The largest amount held, and before it the largest one that is described in as many bits.

        If the largest amount was never exceeded for want of more, a higher limit explains the same.
        """
        most = max(self.held, default=0)
        return [largest_like(most), most] if most > 0 else []

    @property
    def ages(self) -> Sequence[int]:
        """Limits of the time that sprites live: the longest one seen twice, and the one seen most often.

        Words count in different ways, so the numbers next to these are possible, too.
        """
        twice = [life for life, count in self.lives.items() if count > 1]
        lives = (*sorted(twice)[-1:], *_top(self.lives, 1))
        return list(dict.fromkeys(age for life in lives for age in range(max(1, life - 2), life + 2)))

    def repeats(self, parameter: Parameter) -> Sequence[int]:
        """Values of an integer parameter by which sprites would turn as seldom as these do: after, or up to, a turn."""
        wanted = parameter.kind is Kind.INT and parameter.low == 0
        found = [value for run in _top(self.runs, _RUNS) for value in (run - 1, run)] if wanted else []
        return [value for value in dict.fromkeys(found) if value > 0 and value != parameter.default]

    def likeliest(self, parameter: Parameter) -> Sequence[object]:
        """The value that is shown most often, unless it is the default or nothing was shown.

        What happens in every tick shows no interval, and sprites of which no more than half go one way show none.
        """
        top: Sequence[object] = ()
        if parameter.kind is Kind.DIRECTION:
            top = [way for way in _top(self.ways, 1) if 2 * self.ways[way] > self.ways.total()]
        elif parameter.kind is Kind.INT:
            top = [span for span in _top(self.spans, 1) if span > 1]
        elif is_share(parameter):
            top = _top(self.shares, 1)
        elif is_size(parameter):
            top = _top(self.steps, 1)
        return [value for value in top if value != parameter.default]

    def drawn(self, kind: int) -> float:
        """How surely sprites move towards a type, or away from it: the square of a standard score."""
        return self.nearer[kind] ** 2 / max(1, self.apart[kind])

    def types(self, row_creates: bool) -> list[int]:
        """Types to propose for a parameter: those that appeared at such sprites if it creates them, else any other."""
        return _top(self.births_nearby) if row_creates else _top(self.near, 12)


def _top(counted: Mapping[Amount, int], most: int = _MOST) -> list[Amount]:
    return [value for value, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:most]]


def amounts_of(plays: Sequence[Play]) -> dict[int, Amounts]:
    """Collect the amounts of every type."""
    found: dict[int, Amounts] = defaultdict(Amounts)
    for number, play in enumerate(plays):
        _Collector(found, play, number).collect()
    return found


class _Collector:
    """Walks one play."""

    def __init__(self, amounts: dict[int, Amounts], play: Play, number: int) -> None:
        self.amounts, self.play, self.number = amounts, play, number
        self.moved: dict[int, int] = {}  # tick of the last move by sprite
        self.heading: dict[int, tuple[str, int]] = {}  # direction by sprite, and since which tick; -1: unknown
        self.born: dict[int, int] = {}  # tick of birth
        self.last_births: dict[tuple[int, int], int] = {}  # tick of the last birth by maker and type
        self.alive: Counter[int] = Counter()  # ticks of sprites by type
        self.moves: Counter[int] = Counter()
        self.births: Counter[tuple[int, int]] = Counter()

    def collect(self) -> None:
        for frame in self.play.frames[:1]:
            self._note_state(frame)
        for tick, before, after in self.play.steps():
            self.alive.update(fate[0] for fate in before.fates.values())
            if before.fates != after.fates:
                self._note_step(tick, before, after)
        for kind, ticks in self.alive.items():
            if self.moves[kind]:
                self.amounts[kind].shares[round(self.moves[kind] / ticks, 2)] += 1
        for (maker, _), births in self.births.items():
            self.amounts[maker].shares[round(births / max(1, self.alive[maker]), 3)] += births

    def _note_state(self, frame: Frame) -> None:
        counts = Counter(fate[0] for fate in frame.fates.values())
        for kind, number in counts.items():
            self.amounts[kind].count[number] += 1
            self.amounts[kind].near.update(other for other in counts if other != kind)
        for row in frame.arrays.tolist():
            self.amounts[row[1]].categories[row[2]] += 1
        if frame.avatar is not None:
            self.amounts[frame.avatar.type].held[frame.avatar.health] += 1

    def _note_step(self, tick: int, before: Frame, after: Frame) -> None:
        was, now = before.fates, after.fates
        for number, fate in was.items():
            later = now.get(number)
            if later is None:
                self.amounts[fate[0]].acts[False, 0].append((self.number, tick))
                if number in self.born:
                    self.amounts[fate[0]].lives[tick - self.born[number]] += 1
            elif later != fate:
                self._note_move(tick, number, fate, later, before.block_size)
                if self.moves[fate[0]] <= _DRAWN:
                    self._note_drawn(fate, later, before)
        fresh = [(number, fate) for number, fate in now.items() if number not in was]
        left = {fate[1:] for number, fate in was.items() if number not in now}
        for number, fate in fresh:
            self.born[number] = tick
            self.amounts[fate[0]].born += 1
            if fate[1:] not in left:  # else a sprite has become another one: that is no birth
                self._note_birth(tick, fate, before)
        if fresh:
            self._note_state(after)
        if after.avatar is not None:
            for kind, amount in after.avatar.resources.items():
                self.amounts[kind].held[amount] += 1

    def _note_move(self, tick: int, number: int, fate: Fate, later: Fate, block: int) -> None:
        amounts = self.amounts[fate[0]]
        dx, dy = later[1] - fate[1], later[2] - fate[2]
        if dx and dy:
            return
        self.moves[fate[0]] += 1
        amounts.steps[cells(abs(dx) + abs(dy), block)] += 1
        way = WAYS[(dx > 0) - (dx < 0), (dy > 0) - (dy < 0)]
        amounts.ways[way] += 1
        is_turn = way != self.heading.get(number, (way, 0))[0]
        amounts.acts[is_turn, tick - self.moved.get(number, tick)].append((self.number, tick))
        self._note_run(tick, number, way, amounts)
        if number in self.moved:
            amounts.spans[tick - self.moved[number]] += 1
        self.moved[number] = tick

    def _note_drawn(self, fate: Fate, later: Fate, before: Frame) -> None:
        """Note which types a move leads to, and from which."""
        kinds, x, y = (before.arrays[name].astype(np.int64) for name in ("type", "x", "y"))
        gaps = [np.abs(x - at[1]) + np.abs(y - at[2]) for at in (fate, later)]
        for kind in set(kinds.tolist()) - {fate[0]}:
            own = kinds == kind
            self.amounts[fate[0]].nearer[kind] += int(np.sign(gaps[0][own].min() - gaps[1][own].min()))
            self.amounts[fate[0]].apart[kind] += 1

    def _note_run(self, tick: int, number: int, way: str, amounts: Amounts) -> None:
        before, since = self.heading.get(number, ("", -1))
        if way != before:
            if since >= 0:
                amounts.runs[tick - since] += 1
            self.heading[number] = way, tick if before else -1

    def _note_birth(self, tick: int, fate: Fate, before: Frame) -> None:
        self.amounts[fate[0]].near.update({other[0] for other in before.fates.values()} - {fate[0]})
        near: dict[int, int] = {}
        for number, other in before.fates.items():
            apart = abs(other[1] - fate[1]) + abs(other[2] - fate[2])
            if apart <= before.block_size:
                amounts = self.amounts[other[0]]
                near[other[0]] = max(near.get(other[0], 0), 2 if apart == 0 else 1)
                amounts.makes[self.number, tick] += 1
                if apart == 0:
                    amounts.births[fate[0]] += 1
                    self.births[other[0], fate[0]] += 1
                    if (number, fate[0]) in self.last_births:
                        amounts.spans[tick - self.last_births[number, fate[0]]] += 1
                    self.last_births[number, fate[0]] = tick
        for kind, weight in near.items():
            self.amounts[kind].births_nearby[fate[0]] += weight
        on = {kind for kind, weight in near.items() if weight == 2}
        self.amounts[fate[0]].makers[frozenset(on or near)] += 1


@functools.cache
def cells(pixels: int, block: int) -> float:
    """The shortest decimal number of cells that is cut off to so many pixels, as the engine cuts off speeds."""
    for parts in (10.0**digits for digits in range(_DIGITS)):
        least = math.ceil(round(pixels / block * parts, _DIGITS))
        for number in (least / parts, (least + 1) / parts):  # a product of doubles may fall short of a whole
            if int(number * block) == pixels:
                return number
    return pixels / block


def is_share(parameter: Parameter) -> bool:
    """Whether a parameter is a probability."""
    return parameter.kind in (Kind.DOUBLE, Kind.FLOAT) and parameter.low == 0 and parameter.high == 1


def is_size(parameter: Parameter) -> bool:
    """Whether a parameter is a number from 0 on that is no probability, such as a length or a speed."""
    return parameter.kind in (Kind.DOUBLE, Kind.FLOAT) and parameter.low == 0 and not is_share(parameter)


def names_type(parameter: Parameter) -> bool:
    """Whether a parameter names types."""
    return parameter.refers in (Refers.SPRITE, Refers.SPRITES) and not parameter.internal and not parameter.drawing
