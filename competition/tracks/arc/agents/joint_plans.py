"""Plans for several bodies at once: each onto a mark of its colour, all onto marks of one look, or all together."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from vgdl.competition.tracks.arc.agents.bodies import LARGEST, Shape, shape_of
from vgdl.competition.tracks.arc.agents.movers import Deed, Movers, Place, State
from vgdl.competition.tracks.arc.agents.segments import Segment, segments
from vgdl.competition.tracks.arc.frame import CLICK

EARNED, MOST_EARNED = 150, 8000  #: predictions that an action earns for plans, and how many can be saved
RESTING = 1  #: actions of others per action of a plan and plan with the same aim in this level
PAUSE = 5  #: actions of others after a search that found no plan
FEW = 8  #: places in which a key is tried that has not moved anything yet
OWN = 2  #: plans for marks of the colours of bodies before the first one for others
FAVOUR = 3  #: plans for each level that an aim has ended, before the first one for others
WIDER = 3  #: times the size of the largest body that its mark has at most
NEAR = 1.5  #: pixels between the middles of a body and of its mark
STEP = 0.5  #: cost of an action in a plan, in pixels
MOST_MARKS = 12  #: of one look; what is more frequent is ground

Cost = Callable[[Sequence[Place]], float]


class Aim(NamedTuple):
    """Something that plans can be made for."""

    kind: str  #: the same in all levels
    marks: Hashable  #: the look of the marks
    cost: Cost  #: how far bodies are from it, in pixels

    favour: int = 0  #: plans before the first one for others

    @property
    def name(self) -> Hashable:
        return self.kind, self.marks


class JointPlans:
    """Makes plans and follows them, in turns with others.

    Args:
        movers: predicts what bodies do.
    """

    def __init__(self, movers: Movers) -> None:
        self.movers = movers
        self.trust: Counter[str] = Counter()  #: by kind of aim: levels that ended when one was reached
        self._credit = 0
        self.start_level()

    def start_level(self) -> None:
        """Forget the level before."""
        self._n_plans: Counter[Hashable] = Counter()
        self._vain: set[tuple[Place, ...]] = set()  #: ends of plans, to no effect
        self._tries: Counter[int] = Counter()  #: of keys that have not moved anything
        self._tried: set[tuple[int, tuple[Place, ...]]] = set()  #: these, with the places of bodies
        self._rest = 0
        self.start_attempt()

    def start_attempt(self) -> None:
        """Drop the present plan."""
        self._plan: deque[tuple[Deed, State]] = deque()
        self._planned_for: State | None = None

    def propose(self, keys: Sequence[int], *, clicks: bool) -> Deed | None:
        """The next action of a plan; None if there is none.

        Args:
            keys: the game's keys.
            clicks: whether it accepts clicks.
        """
        self._credit = min(self._credit + EARNED, MOST_EARNED)
        self._rest -= 1
        movers = self.movers
        if not movers.are_known:
            self.start_attempt()
            return None
        state = movers.state
        if self._plan and state != self._planned_for:
            self._plan.clear()
            self._rest = min(self._rest, 1)
        for key in movers.unknown(keys):
            if self._tries[key] < FEW and (key, state.places) not in self._tried:
                self._tries[key] += 1
                self._tried.add((key, state.places))
                self._plan.clear()
                return Deed(key)
        if not self._plan and self._rest <= 0 and self._credit >= MOST_EARNED // 2:
            self._make(state, movers.deeds(keys, clicks=clicks))
        if not self._plan:
            return None
        deed, self._planned_for = self._plan.popleft()
        return deed

    def won(self, deed: Deed) -> None:
        """Learn from the action that won a level."""
        if self.movers.are_known:
            end = self.movers.predict(self.movers.state, deed)
            self.trust.update({aim.kind for aim in self._aims() if aim.cost(end.places) <= 0})

    def _make(self, state: State, deeds: Sequence[Deed]) -> None:
        self._vain.add(state.places)
        aims = self._aims()
        if not aims:
            self._rest = PAUSE
            return
        aim = min(aims, key=lambda aim: self._n_plans[aim.name] - aim.favour - FAVOUR * self.trust[aim.kind])
        self._n_plans[aim.name] += 1
        self._plan.extend(self._search(state, deeds, aim.cost))
        if self._plan:
            self._vain.add(self._plan[-1][1].places)
        n_rests = 1 if self.trust[aim.kind] else self._n_plans[aim.name]
        self._rest = len(self._plan) * (1 + n_rests * RESTING) or PAUSE

    def _search(self, start: State, deeds: Sequence[Deed], cost: Cost) -> list[tuple[Deed, State]]:
        """A best-first search for a state of no cost, or else of the least one."""
        came: dict[State, tuple[State, Deed] | None] = {start: None}
        order = itertools.count()
        best, end = cost(start.places), start
        waiting = [(best, next(order), 0, start)]
        while waiting and self._credit > 0 and (best > 0 or end == start):
            _, _, depth, state = heapq.heappop(waiting)
            self._credit -= len(deeds)
            for deed in deeds:
                after = self.movers.predict(state, deed)
                if after in came:
                    continue
                came[after] = (state, deed)
                left = cost(after.places)
                if after.places not in self._vain and (left < best or (end == start and left <= 0)):
                    best, end = left, after
                heapq.heappush(waiting, (left + STEP * (depth + 1), next(order), depth + 1, after))
        plan: list[tuple[Deed, State]] = []
        while (step := came[end]) is not None:
            plan.append((step[1], end))
            end = step[0]
        return plan[::-1]

    # ---------------------------------------------------------------------------------------------------------- aims

    def _aims(self) -> list[Aim]:
        """What bodies may have to do, the likeliest first."""
        movers = self.movers
        if movers.base is None:
            return []
        areas = segments(movers.base)
        largest = min(LARGEST, WIDER * max(max(width, height) for _, width, height in movers.shapes))
        marks = [area for area in areas if max(area.width, area.height) <= largest and min(area.width, area.height) > 1]
        looks = Counter(shape_of(area) for area in marks)
        marks = [area for area in marks if looks[shape_of(area)] <= MOST_MARKS and area.colour not in movers.walls]
        shapes = list(movers.shapes)
        own = [[area for area in marks if area.colour == shape[0]] for shape in shapes]
        aims = [Aim("own", None, _apart(shapes, own), OWN)] if any(own) else []
        looks = Counter(shape_of(area) for area in marks)
        for look in sorted(looks, key=lambda look: (looks[look] != len(shapes), -looks[look], look)):
            if looks[look] > 1:
                alike = [area for area in marks if shape_of(area) == look]
                aims.append(Aim("marks", look, _apart(shapes, [alike] * len(shapes))))
        return [*aims, Aim("together", None, _together(shapes))]


def _apart(shapes: Sequence[Shape], marks: Sequence[Sequence[Segment]]) -> Cost:
    """The distances of bodies from marks, each of which is for one body."""
    middles = [[(area.left + area.right + 1, area.top + area.bottom + 1) for area in of_body] for of_body in marks]

    def cost(places: Sequence[Place]) -> float:
        taken: set[Place] = set()
        total = 0.0
        for (left, top), (_, width, height), of_body in zip(places, shapes, middles, strict=False):
            x, y = 2 * left + width, 2 * top + height
            free = [mark for mark in of_body if mark not in taken]
            if free:
                nearest = min(free, key=lambda mark: abs(mark[0] - x) + abs(mark[1] - y))
                taken.add(nearest)
                total += _far(nearest[0] - x) + _far(nearest[1] - y)
        return total

    return cost


def _far(twice: int) -> float:
    return max(0.0, abs(twice) / 2 - NEAR)


def _together(shapes: Sequence[Shape]) -> Cost:
    """The gaps between each body and the one before it."""

    def cost(places: Sequence[Place]) -> float:
        total = 0.0
        for k in range(1, min(len(places), len(shapes))):
            (left, top), (_, width, height) = places[k - 1], shapes[k - 1]
            (other, other_top), (_, other_width, other_height) = places[k], shapes[k]
            total += max(0, other - left - width, left - other - other_width)
            total += max(0, other_top - top - height, top - other_top - other_height)
        return total

    return cost


def pixel_of(movers: Movers, deed: Deed) -> Place | None:
    """The place of a click."""
    if deed.key != CLICK:
        return None
    (left, top), (_, width, height) = movers.places[deed.body], movers.shapes[deed.body]
    return left + width // 2, top + height // 2
