"""Keys that act where a cursor is, taken for clicks there: their effects are learnt and planned with likewise.

A cursor is a body that moves over things. What it covers is remembered, so that frames without it can be compared. A
key that does not move it is a tool; what the cursor looks like, such as the colour of its brush, is part of the tool.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.bodies import DIRECTIONS, WAYS, BodyFinder, Shape, shape_of
from vgdl.competition.tracks.arc.agents.click_plans import Aim, ClickPlans
from vgdl.competition.tracks.arc.agents.effects import Effects
from vgdl.competition.tracks.arc.agents.pictures import Pictures
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of
from vgdl.competition.tracks.arc.agents.segments import Segment
from vgdl.competition.tracks.arc.agents.steering import Steering
from vgdl.competition.tracks.arc.agents.things import Thing
from vgdl.competition.tracks.arc.frame import COLORS, RESET, SIZE, UNDO

LONGEST = 40  #: keys on the way to a place after which it is given up
SHORT = 15  #: likewise, if it is only to be seen, or to try a tool
MOST_PLACES = 150
INSIDE = 8  #: pixels around a cursor that one within it counts for, as a guess of what it covers
OFTEN, SELDOM = 80, 25  #: actions of plans, experiments included, in a level
FEW_SEEN = 8  #: places to see before a tool is understood
BETWEEN = 15  #: actions from one reset for a better plan to the next one
MOST_TRIES = 8  #: experiments with a tool
MANY = 4  #: places where a key for a direction has not moved the cursor, before it is taken for a tool
FEW_TRIES = 3  #: experiments with a tool that has never changed anything
MOST_IN_VAIN = 8  #: experiments with all of these
Place = tuple[int, int]  #: left and top
Look = tuple[int, ...]  #: the colours of the cursor


class Cursor:
    """A cursor, its tools and plans.

    Args:
        keys: the game's keys.
        bodies: finds what the keys move.
        steering: knows which keys move it.
        pictures: whether to look for parts of the frame that may have to become equal.

    Attributes:
        base: the frame without the cursor, as far as it has been seen.
    """

    def __init__(self, keys: Sequence[int], bodies: BodyFinder, steering: Steering, *, pictures: bool) -> None:
        self.keys = keys
        self.bodies, self.steering = bodies, steering
        self.effects = Effects()
        self.pictures = Pictures() if pictures else None
        self.plans = ClickPlans(self.effects, self.pictures, uniform=True)
        self._tools: dict[tuple[int, Look], int] = {}  #: numbers from 1
        self._looks: set[Look] = set()
        self._n_won = self._n_others = 0  #: levels won by the cursor's plans, and by others
        self._is_acting = False  #: whether the latest action was one of its plans
        self._n_seen = 0  #: places visited to see them
        self._n_tries: Counter[int] = Counter()  #: experiments by tool
        self._asked: Counter[tuple[int, bytes]] = Counter()  #: uses by tool and what was there
        self._answers: Counter[bytes] = Counter()  #: those that changed something, by what was there
        self._worked: set[int] = set()  #: tools that have changed something
        self._opaque: dict[Shape, NDArray[np.bool_]] = {}  #: pixels that the cursor hides, by its shape
        self.start_level(None, [])

    def start_level(self, pixels: Pixels | None, areas: Sequence[Segment]) -> None:
        """A level begins."""
        self.effects.start_level()
        if self.pictures is not None:
            self.pictures.start_level()
        self.plans.start_level()
        self._n_actions = self._n_acted = 0  #: actions in this level, and those by the cursor's plans
        self._n_shown = 0  #: experiments that should have shown where pictures are
        self._known: set[bytes] = set()  #: frames without the cursor
        self._barred: set[tuple[Place, int]] = set()  #: keys that did not move it
        self._used: set[tuple[int, int, int]] = set()  #: places and tools of experiments
        self._wells: dict[Look, Place] = {}  #: where it got a look
        self._n_since = BETWEEN  #: actions since the level was reset for a better plan
        self._first: Pixels | None = None
        self._visited: set[Place] = set()
        self._looked_at: set[bytes] = set()  #: what the places looked like that were, or should have been, visited
        self.start_attempt(pixels, areas)

    def start_attempt(self, pixels: Pixels | None, areas: Sequence[Segment]) -> None:
        """The level begins, or begins anew."""
        self.plans.start_attempt()
        self.base: Pixels | None = None
        self._body: Segment | None = None
        self._look: Look = ()
        #: since the last step, with the frames before and after, of which the latter does not show what is covered
        self._pressed: list[tuple[Thing, Pixels, Pixels]] = []
        self._is_first = self._first is None  #: whether it has not left its first place, under which nobody has looked
        self._is_touched = False  #: whether a tool was used
        self._errand: Thing | None = None
        self._spent = 0  #: keys for the errand
        self._limit = LONGEST  #: most of them
        if pixels is not None:
            self._locate(pixels, areas)

    # ------------------------------------------------------------------------------------------------------ learning

    def observe(self, key: int, pixels: Pixels, areas: Sequence[Segment]) -> None:
        """Learn from an action.

        Args:
            key: the action.
            pixels: the frame after it.
            areas: its segments.
        """
        self.effects.earn()
        self._n_since += 1
        self._n_actions += 1
        self._is_acting = False
        was, before = self._body, self.base.copy() if self.base is not None else None
        look = self._look
        self._locate(pixels, areas)
        now = self._body
        if was is None or now is None or before is None or self.base is None or key == UNDO:
            self._pressed.clear()
            return
        if _corner(was) != _corner(now):
            if not self._is_first:
                self._left()
            elif not self._pressed:
                self._first = self.base.copy()
            self._is_first = False
            self._pressed.clear()
            if look != self._look:
                self._wells[self._look] = _corner(now)
        elif self._is_tool(key) and was.outline == now.outline:
            self._is_touched = True
            self._pressed.append((self._thing(key, _corner(now), look), before, self.base))
        else:
            self._barred.add((_corner(now), key))

    def _left(self) -> None:
        """The cursor has left a place: what a tool did there shows now."""
        assert self.base is not None
        assert self._body is not None
        if len(self._pressed) == 1:
            thing, earlier, later = self._pressed[0]
            left, top = self._place(thing)
            rows, columns = slice(top, top + self._body.height), slice(left, left + self._body.width)
            after = later.copy()
            after[rows, columns] = self.base[rows, columns]
            self.effects.learn(thing, earlier, after)
            changed = bool((earlier != after).any())
            look = earlier[rows, columns].tobytes()
            self._asked[thing.tool, look] += 1
            self._answers[look] += changed
            if changed:
                self._worked.add(thing.tool)
            if self.pictures is not None:
                self.pictures.learn(earlier, after)
        self._known.add(key_of(self.base))

    def won(self, key: int) -> None:
        """Learn from the key that won a level."""
        self._n_won += self._is_acting
        self._n_others += not self._is_acting
        if self.pictures is None or self._first is None or self.base is None or self._body is None:
            return
        last = self.effects.predict(self.base, self._thing(key, _corner(self._body), self._look))
        if last is not None:
            self.pictures.won(self._first, last)

    def _locate(self, pixels: Pixels, areas: Sequence[Segment]) -> None:
        """Find the cursor, and the frame without it."""
        body = self.bodies.find(areas, _corner(self._body) if self._body is not None else None)
        if body is None or (self._body is not None and shape_of(body) != shape_of(self._body)):
            self._body, self.base = body, None
        if body is None:
            return
        rows, columns = slice(body.top, body.bottom + 1), slice(body.left, body.right + 1)
        shown = pixels[rows, columns]
        opaque = self._opaque.setdefault(shape_of(body), np.zeros(shown.shape, dtype=bool))
        outline = np.zeros(SIZE * SIZE, dtype=bool)
        outline[body.pixels] = True
        opaque |= outline.reshape(SIZE, SIZE)[rows, columns]
        base = pixels.copy()
        if self.base is None:
            base[rows, columns][opaque] = _likely(pixels, body, opaque)
            if self._first is not None:
                base[rows, columns] = self._first[rows, columns]
        else:
            under = self.base[rows, columns].copy()
            if self._body is not None and _corner(body) != _corner(self._body):
                opaque |= shown != under
            else:
                _spread(under, shown, opaque)
            base[rows, columns] = np.where(opaque, under, shown)
        self.base, self._body = base, body
        if self._first is None:
            self._first = base.copy()
        self._look = tuple(np.unique(shown[opaque]).tolist())
        self._looks.add(self._look)
        self._visited.add(_corner(body))

    def _is_tool(self, key: int) -> bool:
        if key not in self.keys or self.steering.ways.get(key):
            return False
        return key > len(DIRECTIONS) or sum(other == key for _, other in self._barred) >= MANY

    def _thing(self, key: int, place: Place, look: Look) -> Thing:
        assert self._body is not None
        tool = self._tools.setdefault((key, look), len(self._tools) + 1)
        x, y = place[0] + self._body.width // 2, place[1] + self._body.height // 2
        return Thing((0,), min(max(x, 0), SIZE - 1), min(max(y, 0), SIZE - 1), tool=tool)

    # ---------------------------------------------------------------------------------------------------- deciding

    def propose(self, trend: Aim | None) -> int | None:
        """The next key of a plan; None if there is none.

        Args:
            trend: what levels won before have in common.
        """
        if self._body is None or self.base is None or self.steering.is_relative or not self._may_act:
            return None
        if self._errand is None:
            self._choose_errand(trend)
            if self.plans.is_partial and self._is_spoilt and self._n_since >= BETWEEN:
                self._n_since = 0
                self._errand = None
                self.plans.again()
                return RESET
        if self._errand is None:
            return None
        self._is_acting = True
        key = self._step(self._errand)
        self._spent += 1
        self._n_acted += 1
        if key is None or self._spent > self._limit:
            self._errand = None
            self.plans.start_attempt()
        return key

    @property
    def _may_act(self) -> bool:
        """Whether it has not acted too often: less where others win levels, later in every other action."""
        most = OFTEN if self._n_won >= self._n_others else SELDOM
        return self._n_acted < most + self._n_actions // 2 - OFTEN // 2

    def _choose_errand(self, trend: Aim | None) -> None:
        """Choose an experiment, a place to see, or the next step of a plan."""
        assert self.base is not None
        self._spent, self._limit = 0, SHORT
        self.plans.is_partial = False
        things = self._things()
        self._errand = self._experiment(things)
        if self._errand is None and self._worked and (self._n_seen < FEW_SEEN or self._is_understood(things)):
            self._errand = self._survey()
        if self._errand is None:
            self._limit = LONGEST
            self._errand = self.plans.propose(key_of(self.base), self.base, things, self._known, trend)

    def _is_understood(self, things: Sequence[Thing]) -> bool:
        """Whether what some tool does is predicted reliably."""
        return any(thing.tool in self._worked and self.effects.is_understood(thing) for thing in things)

    def _things(self) -> list[Thing]:
        """What tools can be used on: places, but those where the cursor would lose its look."""
        if not self.steering.ways:
            return []
        looks = [look for look in sorted(self._looks) if look == self._look or look in self._wells]
        wells, places = set(self._wells.values()), self._places()
        return [
            self._thing(key, place, look)
            for key in self.keys
            if self._is_tool(key)
            for look in looks
            for place in places
            if place not in wells or place == self._wells.get(look)
        ]

    @property
    def _is_spoilt(self) -> bool:
        """Whether tools have changed anything since the level began."""
        if self._first is None or self.base is None or not self._is_touched:
            return False
        return bool((self._first != self.base).any())

    def _experiment(self, things: Sequence[Thing]) -> Thing | None:
        """The nearest place to use a tool at of which too little is known."""
        assert self._body is not None
        in_vain = sum(n for tool, n in self._n_tries.items() if tool not in self._worked)
        if in_vain >= MOST_IN_VAIN or not self.bodies.step(shape_of(self._body)):
            return None
        x, y = self._body.left + self._body.width // 2, self._body.top + self._body.height // 2
        looks = [self._under(self._place(thing)) for thing in things]
        often = Counter(looks)
        rated = [
            (self._asked[thing.tool, look], -self._answers[look], -often[look], abs(thing.x - x) + abs(thing.y - y), k)
            for k, (thing, look) in enumerate(zip(things, looks, strict=True))
            if (thing.x, thing.y, thing.tool) not in self._used
            and (self._answers[look] or self._place(thing) in self._visited)
            and self._is_worth_a_try(thing, look)
        ]
        if not rated:
            return None
        thing = things[min(rated)[-1]]
        self._n_tries[thing.tool] += 1
        self._n_shown += self._is_blind
        self._used.add((thing.x, thing.y, thing.tool))
        return thing

    def _is_worth_a_try(self, thing: Thing, look: bytes) -> bool:
        """Whether a tool may do something unknown, or has to show where pictures are in this level."""
        works, answers = thing.tool in self._worked, self._answers[look] > 0
        if works and answers and self._is_blind and self._n_shown < FEW_TRIES:
            return True
        most = MOST_TRIES if works or (answers and not self._asked[thing.tool, look]) else FEW_TRIES
        return self._n_tries[thing.tool] < most and self._is_open(thing, look)

    @property
    def _is_blind(self) -> bool:
        """Whether equal pictures have ended levels, and nothing shows yet where they are in this one."""
        return self.pictures is not None and bool(self.pictures.trust) and not self.pictures.is_any_changed

    def _is_open(self, thing: Thing, look: bytes) -> bool:
        """Whether a tool may do something unknown to what looks like this."""
        is_open = self._answers[look] > 0 or not self._asked[thing.tool, look]
        return is_open and not self.effects.is_understood(thing)

    def _place(self, thing: Thing) -> Place:
        assert self._body is not None
        return thing.x - self._body.width // 2, thing.y - self._body.height // 2

    def _under(self, place: Place) -> bytes:
        """What a place looks like without the cursor."""
        assert self._body is not None
        assert self.base is not None
        (left, top), body = place, self._body
        return self.base[top : top + body.height, left : left + body.width].tobytes()

    def _survey(self) -> Thing | None:
        """The nearest place that looks like none where the cursor has been, to be visited without a tool."""
        assert self._body is not None
        self._looked_at |= {self._under(place) for place in self._visited}
        here = _corner(self._body)
        strange = [
            (abs(place[0] - here[0]) + abs(place[1] - here[1]), place)
            for place in self._places()
            if place not in self._visited and self._under(place) not in self._looked_at
        ]
        if not strange:
            return None
        left, top = min(strange)[1]
        self._looked_at.add(self._under((left, top)))
        self._n_seen += 1
        return Thing((0,), left + self._body.width // 2, top + self._body.height // 2)

    def _step(self, errand: Thing) -> int | None:
        """The next key on an errand; None if there is no way."""
        assert self._body is not None
        goal = self._place(errand)
        if not errand.tool:
            return self._way(goal) if self._spent < SHORT else None
        tool, look = next(pair for pair, number in self._tools.items() if number == errand.tool)
        if look != self._look:
            if _corner(self._body) == self._wells.get(look):
                del self._wells[look]  # it does not give this look
            if _corner(self._body) == goal:
                return None  # it has just lost the look
            return self._way(self._wells[look]) if look in self._wells else None
        if _corner(self._body) == goal:
            self._errand = None
            return tool
        return self._way(goal)

    def _way(self, goal: Place) -> int | None:
        """The first key of the shortest way to a place, around those that change the cursor's look."""
        assert self._body is not None
        start, shape = _corner(self._body), shape_of(self._body)
        places, step = set(self._places()), self.bodies.step(shape)
        look = self.steering.look_of(self._body)
        moves = [(key, way) for key in self.keys if (way := self.steering.direction(key, look)) is not None]
        wells = set(self._wells.values()) - {goal}
        first: dict[Place, int] = {start: 0}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for key, way in moves:
                there = here[0] + step * WAYS[way][0], here[1] + step * WAYS[way][1]
                if there in first or there not in places or there in wells or (here, key) in self._barred:
                    continue
                first[there] = first[here] or key
                if there == goal:
                    return first[there]
                queue.append(there)
        return None

    def _places(self) -> list[Place]:
        """The places that the cursor has been in, and those between and beside them, unless an edge was met there."""
        assert self._body is not None
        step = self.bodies.step(shape_of(self._body))
        if not step or not self._visited:
            return []
        lefts, tops = zip(*self._visited, strict=True)
        edges = (min(tops), max(tops), min(lefts), max(lefts))
        look = self.steering.look_of(self._body)
        met = {
            way
            for place, key in self._barred
            if (way := self.steering.direction(key, look)) is not None
            and way < len(edges)
            and place[way < 2] == edges[way]
        }
        top, bottom, left, right = (
            edge + (0 if way in met else step * (-1, 1)[way % 2]) for way, edge in enumerate(edges)
        )
        found = [
            (x, y)
            for y in range(top, bottom + 1, step)
            for x in range(left, right + 1, step)
            if 0 <= x <= SIZE - self._body.width and 0 <= y <= SIZE - self._body.height
        ]
        return found if len(found) <= MOST_PLACES else sorted(self._visited)


def _likely(pixels: Pixels, body: Segment, opaque: NDArray[np.bool_]) -> int:
    """The colour that a cursor is likely to hide: that of most pixels within and around it."""
    around = pixels[max(body.top - 1, 0) : body.bottom + 2, max(body.left - 1, 0) : body.right + 2]
    within = pixels[body.top : body.bottom + 1, body.left : body.right + 1][~opaque]
    counts = np.bincount(np.concatenate([around.ravel(), np.repeat(within, INSIDE)]), minlength=COLORS)
    counts[body.colour] = 0
    return int(counts.argmax())


def _spread(under: Pixels, shown: Pixels, opaque: NDArray[np.bool_]) -> None:
    """Let what a cursor hides change as what shows within it, if all pixels of a colour there have changed alike."""
    for colour in np.unique(under[opaque]).tolist():
        became = np.unique(shown[~opaque & (under == colour)])
        if len(became) == 1:
            under[opaque & (under == colour)] = became[0]


def _corner(body: Segment) -> Place:
    return body.left, body.top
