"""Learning what contacts with things do, and searching for the walk to the most valuable thing.

Of every kind of thing the learner keeps statistics: whether it blocks the way, can be pushed, vanishes, kills, or ends
the level. A search over these learnt rules leads to the most promising target: a known goal, something to collect, or a
kind never touched. How a frame is divided into cells, and where the avatar is, subclasses find out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import Any, Protocol

from vgdl.competition.tracks.arc.agents.base import Task
from vgdl.competition.tracks.arc.agents.bodies import DIRECTIONS
from vgdl.competition.tracks.arc.agents.grid import Cell
from vgdl.competition.tracks.arc.agents.knowledge import Knowledge, Lore, Push
from vgdl.competition.tracks.arc.agents.lattice import Kind
from vgdl.competition.tracks.arc.agents.route import Problem, Route, find_route
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.frame import SPECIAL, State

STATES_PER_ACTION = 1000  #: states of all searches per action, on average
UNVISITED = 0.02  #: value of a cell that the avatar has not visited
HORIZON = 8  #: steps for which objects that fly straight are predicted


class Cells(Protocol):
    """A division of frames into cells."""

    def distance(self, one: Cell, other: Cell) -> int:
        """The number of steps between two cells without obstacles."""


class Reading(Protocol):
    """A frame, cell by cell."""

    kinds: list[Kind]  #: of each cell
    counts: Counter[Kind]
    blocks: Any  #: the pixels of each cell, an array of shape (cells, pixels)

    @property
    def field(self) -> Cells:
        """The cells."""

    def touched_by(self, kind: Kind) -> list[Cell]:
        """The cells in which something of a kind may be."""


@dataclass(slots=True)
class Attempt:
    """A level since its start or latest reset."""

    history: bytes = b""  #: hash of all frames and actions
    n_actions: int = 0
    events: int = 0  #: vanished objects and changes of the status bars
    kinds: list[Kind] = field(default_factory=list)  #: the kind in each cell, also below the avatar
    under: dict[Cell, Kind] = field(default_factory=dict)  #: what pushed objects have been pushed onto, by their cells
    barred: Counter[tuple[Cell, int]] = field(default_factory=Counter)  #: failed steps onto floor, by (cell, direction)
    pending: tuple[Cell, Kind] | None = None  #: the cell and kind last entered, not yet known to have remained
    aimed: tuple[Kind, int, int] | None = None  #: target kind of the special key, its count, deadline


class Contacts(ABC):
    """What is known about kinds of things, and the plans that follow from it.

    Knowledge about kinds is kept across levels; within a level, the exact histories that lost it are, too.
    """

    most_states: int  #: most states of one search

    def __init__(self, task: Task, generator: Random) -> None:
        """Know nothing yet.

        Args:
            task: the game's task.
            generator: the source of random choices.
        """
        self.task = task
        self.random = generator
        self.know = Knowledge()
        self.moves = [(key, key - 1) for key in task.keys if key <= len(DIRECTIONS)]
        self.avatar: Cell | None = None
        self.avatar_kind: Kind = -1  #: the kind that only the avatar has; -1 if it is known by its place
        self.neighbours: list[list[Cell | None]] = []  #: by direction and cell
        self.attempt = Attempt()
        self.facing = 0
        self.last_choice: int | None = None
        self.route: Route | None = None
        self.budget = self.most_states  #: states that the next search may visit
        self._forget_level()

    def _forget_level(self) -> None:
        """A level begins, of which nothing is known."""
        self.fatal: defaultdict[bytes, set[int]] = defaultdict(set)  #: keys that lost the level, by history
        self.parents: dict[bytes, tuple[bytes, int]] = {}
        self.visited: set[Cell] = set()
        self.jumps: dict[Cell, Cell] = {}
        self.resets = 0
        self.tried: Counter[tuple[bytes, int]] = Counter()
        self.mood: defaultdict[tuple[int, Kind], float] = defaultdict(lambda: 1.0)  #: factors of values

    @property
    @abstractmethod
    def looks(self) -> Hashable:
        """The avatar's look, on which the effect of a contact may depend."""

    @abstractmethod
    def _is_avatar(self, cell: Cell, kind: Kind, *places: Cell | None) -> bool:
        """Whether what a cell shows is the avatar, which has been at some places."""

    @abstractmethod
    def _news(self, small: bool = False) -> None:
        """Something has been learnt; unless it is small, the present route is out of date."""

    # ---------------------------------------------------------------------------------------------------- learning

    @property
    def _latest(self) -> int:
        """The latest action."""
        assert self.last_choice is not None
        return self.last_choice

    def _direction(self, key: int) -> int | None:
        """The direction in which a key moves the avatar; None if it does not."""
        return key - 1 if key <= len(DIRECTIONS) else None

    def _continue_history(self, key: int, pixels: Pixels) -> None:
        """Add an action and the frame after it to the history."""
        before = self.attempt.history
        self.attempt.history = hashed(before, key, pixels)
        self.parents[self.attempt.history] = before, key
        self.attempt.n_actions += 1

    def _bar(self, history: bytes, key: int) -> None:
        """Note that a key lost the level, and with it all that leads there and nowhere else."""
        keys = set(self.task.keys)
        self.fatal[history].add(key)
        while self.fatal[history] >= keys and history in self.parents:
            history, key = self.parents[history]
            self.fatal[history].add(key)

    def _learn_motion(self, before: Reading, scene: Reading, changed: list[Cell]) -> None:
        """Count the kinds that move by themselves, and their directions."""
        moved: dict[Kind, Counter[int]] = {}
        spots = set(changed)
        for cell in changed:
            kind = before.kinds[cell]
            if kind == self.avatar_kind or scene.kinds[cell] == kind:
                continue
            if self.avatar is not None and scene.field.distance(cell, self.avatar) <= 1:
                continue
            if before.counts[kind] > before.counts[scene.kinds[cell]] and before.counts[scene.kinds[cell]]:
                continue
            for direction in range(4):
                there = self.neighbours[direction][cell]
                if there in spots and there is not None and scene.kinds[there] == kind != before.kinds[there]:
                    moved.setdefault(kind, Counter())[direction] += 1
        for kind in before.counts:
            lore = self.know.lore[kind]
            if kind in moved:
                lore.moved += 1
                for direction, n in moved[kind].items():
                    lore.directions[direction] += n
            else:
                lore.still += 1

    def _learn_contact(self, before: Reading, scene: Reading, was: Cell, state: State) -> None:
        """Learn the effect of walking into the object ahead."""
        now = self.avatar
        self._leave(scene, was)
        direction = self._direction(self._latest)
        ahead = self.neighbours[direction][was] if direction is not None else None
        if ahead is None or direction is None:
            if state == State.GAME_OVER:
                self._blame(before, was, None)
            return
        kind = self.attempt.kinds[ahead]
        if kind == self.avatar_kind:
            return
        lore = self.know.lore[kind]
        turned = self.facing != direction and now == was and before.blocks[was].tolist() != scene.blocks[was].tolist()
        self.facing = direction
        if state == State.GAME_OVER:
            self._blame(before, was, ahead)
        elif state == State.WIN:
            self._credit(before, ahead, kind)
        elif turned:
            self.know.turns += 1
        elif now == ahead:
            self._entered(before, scene, ahead, kind, direction)
        elif now == was:
            self._refused(before, scene, was, ahead, kind, direction)
        elif now is not None and scene.field.distance(now, was) > 2:
            lore.tried += 1
            lore.carried += 1
            if ahead not in self.jumps:
                self._news()
            self.jumps[ahead] = now

    def _leave(self, scene: Reading, was: Cell) -> None:
        """Learn whether the object that the avatar stood on is still there."""
        pending = self.attempt.pending
        if pending is None or self.avatar == pending[0]:
            return
        cell, kind = pending
        self.attempt.pending = None
        lore = self.know.lore[kind]
        if scene.kinds[cell] == kind:
            lore.stayed += 1
            lore.vain[self.looks] += not lore.floor
        elif not self.know.lore[left := scene.kinds[cell]].mobile and left != self.avatar_kind and not lore.stayed:
            lore.vanished += 1
            lore.gained[self.looks] += 1
            self.know.lore[left].stayed += 1
            self.know.lore[left].entered += 1
            self._event()

    def _entered(self, before: Reading, scene: Reading, ahead: Cell, kind: Kind, direction: int) -> None:
        lore, key = self.know.lore[kind], self._latest
        self.know.walked[key] += 1
        beyond = self.neighbours[direction][ahead]
        by_itself = lore.floor or lore.mobile
        if beyond is not None and scene.kinds[beyond] == kind != before.kinds[beyond] and not by_itself:
            into = self.attempt.kinds[beyond]
            self._pushed(kind, into, Push.MOVES)
            self._uncover_below(scene, ahead)
            self.attempt.under[beyond] = into
            return
        if lore.pushed and beyond is not None and not lore.mobile:
            into = before.kinds[beyond]
            gone = scene.kinds[beyond] != into
            self._pushed(kind, into, Push.BOTH_VANISH if gone else Push.VANISHES)
            self._uncover_below(scene, ahead)
            self._event()
            return
        if not lore.tried:
            self._news()
        lore.tried += 1
        lore.entered += 1
        if ahead not in self.visited:
            self.visited.add(ahead)
            self._news(small=True)
        if lore.mobile:
            if scene.counts[kind] < before.counts[kind]:
                lore.vanished += 1
                lore.gained[self.looks] += 1
                self._event()
            else:
                lore.vain[self.looks] += 1
        else:
            self.attempt.pending = ahead, kind

    def _uncover_below(self, scene: Reading, cell: Cell) -> None:
        """The avatar has pushed an object out of a cell and stands there: remember what was below the object."""
        below = self.attempt.under.pop(cell, self._usual_floor(scene))
        if below >= 0:
            self.attempt.kinds[cell] = below

    def _refused(self, before: Reading, scene: Reading, was: Cell, ahead: Cell, kind: Kind, direction: int) -> None:
        lore, key = self.know.lore[kind], self._latest
        if lore.floor:
            self.know.refused[key] += 1
            self.attempt.barred[was, direction] += 1
            return
        if self.know.inert(key):
            return
        if not lore.tried:
            self._news()
        lore.tried += 1
        if scene.kinds[ahead] != kind and not lore.mobile:
            lore.vanished += 1
            self._event()
            return
        beyond = self.neighbours[direction][ahead]
        if lore.pushed and beyond is not None and not lore.mobile:
            self._pushed(kind, self.attempt.kinds[beyond], Push.STAYS)
            return
        lore.blocked += 1
        lore.refused_at = self.attempt.events

    def _pushed(self, kind: Kind, into: Kind, outcome: Push) -> None:
        lore = self.know.lore[kind]
        lore.tried += 1
        lore.pushed += 1
        if not self.know.pushes[kind, into][outcome]:
            self._news()
        self.know.pushes[kind, into][outcome] += 1

    def _blame(self, before: Reading, was: Cell, ahead: Cell | None) -> None:
        """Blame the object that the avatar walked into for its death, or else nearby objects, moving ones first."""
        if ahead is not None:
            kind = self.attempt.kinds[ahead]
            lore = self.know.lore[kind]
            if not lore.floor and kind != self.avatar_kind:
                lore.tried += 1
                lore.killed(self.attempt.events, 1.0)
                return
        places = {was, ahead}
        near = {
            kind
            for cell, kind in enumerate(before.kinds)
            if not self._is_avatar(cell, kind, was)
            and not self.know.lore[kind].floor
            and any(place is not None and before.field.distance(cell, place) <= 1 for place in places)
        }
        mobile = [kind for kind in near if self.know.lore[kind].mobile] or [
            kind for kind in near if not self.know.lore[kind].solid
        ]
        for kind in mobile:
            self.know.lore[kind].killed(self.attempt.events, 1 / len(mobile))

    def _credit(self, before: Reading, ahead: Cell, kind: Kind) -> None:
        lore = self.know.lore[kind]
        if not lore.floor:
            lore.tried += 1
            lore.won += 1
            return
        for cell, other in enumerate(before.kinds):
            if before.field.distance(cell, ahead) <= 1 and self.know.lore[other].mobile:
                self.know.lore[other].won += 1

    def _learn_special(self, before: Reading, scene: Reading, was: Cell | None) -> None:
        """Learn whether the special key made an object, or made one vanish."""
        attempt = self.attempt
        if self.last_choice == SPECIAL and was is not None:
            for cell, kind in enumerate(scene.kinds):
                fresh = kind not in before.counts and not self._is_avatar(cell, kind, was, self.avatar)
                if fresh and (scene.field.distance(cell, was) <= 2) and not self.know.lore[kind].tried:
                    self.know.own[kind] += 1
        for kind in self.know.own:
            self.know.ranged += self.know.lore[kind].moved > 1
        self.know.learn_shot()
        if attempt.aimed is not None:
            kind, n, deadline = attempt.aimed
            if any(own in scene.counts for own in self.know.own):
                pass  # it may just hide its target
            elif scene.counts[kind] < n:
                self.know.lore[kind].struck += 1
                attempt.aimed = None
                self._event()
            elif attempt.n_actions > deadline:
                attempt.aimed = None

    def _event(self) -> None:
        self.attempt.events += 1
        self.attempt.barred.clear()
        self._news()

    # ---------------------------------------------------------------------------------------------------- deciding

    def _save(self) -> None:
        """Add what an action may cost to the budget of searches."""
        self.budget = min(self.budget + STATES_PER_ACTION, self.most_states)

    def vary(self) -> None:
        """Count a reset of the level, and vary the values so that things are visited in another order."""
        self.resets += 1
        self.mood = defaultdict(lambda: self.random.uniform(0.3, 1.5))

    def _follow(self, scene: Reading, fatal: set[int]) -> Route | None:
        """The rest of the present route, if it went as planned and nothing moves by itself."""
        route = self.route
        if route is None or len(route.keys) < 2 or route.cells[0] != self.avatar or route.keys[1] in fatal:
            return None
        if any(self.know.lore[kind].mobile for kind in scene.counts):
            return None
        return Route(route.keys[1:], route.cells[1:], route.value)

    def _aim(self, scene: Reading) -> None:
        assert self.avatar is not None
        target = self._target(self.avatar, self.facing if self.know.shot is None else self.know.shot)
        self.know.special_tries += 1
        if target is not None:
            kind = self.attempt.kinds[target]
            self.know.lore[kind].used += 1
            wait = 12 if self.know.flies else 3
            self.attempt.aimed = kind, scene.counts[kind], self.attempt.n_actions + wait

    def _target(self, cell: Cell, direction: int) -> Cell | None:
        """The target of the special key: the cell ahead, or with shots that fly, the next object in that direction."""
        there = self.neighbours[direction][cell]
        if self.know.flies:
            while there is not None and self._walkable(self.attempt.kinds[there]):
                there = self.neighbours[direction][there]
        return there

    def _walkable(self, kind: Kind) -> bool:
        return self.know.lore[kind].passable or kind in self.know.own

    def _plan(self, scene: Reading) -> Route | None:
        """Search for a route, within the budget of states."""
        route, n_states = find_route(self._problem(scene))
        self.budget -= n_states
        return route

    def _problem(self, scene: Reading) -> Problem:
        """The planning problem of the present state, as far as it is known."""
        assert self.avatar is not None
        know, attempt = self.know, self.attempt
        values, boxes = self._things(scene)
        walkable = {kind for kind in scene.counts if self._walkable(kind)}
        floor = self._usual_floor(scene)
        aims, turn_first = self._aims(scene)
        return Problem(
            start=self.avatar,
            facing=self.facing,
            neighbours=self.neighbours,
            moves=self._moves(),
            walkable=[cell in boxes or kind in walkable for cell, kind in enumerate(attempt.kinds)],
            values=values,
            kinds=[
                attempt.under.get(cell, floor) if cell in boxes else kind for cell, kind in enumerate(attempt.kinds)
            ],
            floor=floor,
            boxes=boxes,
            push=know.push,
            push_values=self._push_value,
            jumps=self.jumps,
            barred={place for place, n in attempt.barred.items() if n >= 2},
            dangers=self._dangers(scene),
            forbidden=frozenset(self.fatal.get(attempt.history, ())),
            aims=aims,
            turn_first=turn_first,
            most_states=self.budget,
        )

    def _moves(self) -> list[tuple[int, int]]:
        """The keys that walk, with their directions."""
        return [(key, direction) for key, direction in self.moves if not self.know.inert(key)]

    def _things(self, scene: Reading) -> tuple[dict[Cell, float], dict[Cell, Kind]]:
        """The value of entering each cell, and the objects that can be pushed."""
        lore = self.know.lore
        worth = {kind: self._value(kind, lore[kind], scene) for kind in scene.counts}
        values: dict[Cell, float] = {}
        boxes: dict[Cell, Kind] = {}
        for cell, kind in enumerate(self.attempt.kinds):
            if kind not in worth or cell in self.jumps or cell == self.avatar:
                continue
            if lore[kind].pushed and not lore[kind].mobile:
                boxes[cell] = kind
            elif worth[kind] > 0:
                values[cell] = worth[kind] * self.mood[cell, kind]
            elif self._walkable(kind) and cell not in self.visited:
                values[cell] = UNVISITED
        return values, boxes

    def _usual_floor(self, scene: Reading) -> Kind:
        floors = [kind for kind in scene.counts if self.know.lore[kind].floor]
        return max(floors, key=lambda kind: scene.counts[kind]) if floors else -1

    def _value(self, kind: Kind, lore: Lore, scene: Reading) -> float:
        """The value of walking into a kind."""
        if kind == self.avatar_kind or kind in self.know.own:
            return 0.0
        events = self.attempt.events
        if lore.won:
            refused = lore.refused_at >= 0 and events <= lore.refused_at
            return 0.0 if refused else 40.0 * lore.won / (lore.won + lore.blocked + lore.died)
        if lore.deadly:
            return float(min(self.resets, 6)) if not lore.mobile and lore.untried_after(events) else 0.0
        if not lore.tried:
            return 6.0 if lore.mobile else 8.0 if scene.counts[kind] * 10 < len(scene.kinds) else 3.0
        if lore.floor:
            return 0.0
        looks = self.looks
        if lore.vain[looks] >= 2 and not lore.gained[looks]:
            return 0.0
        if lore.mobile and not lore.vain[looks] and not lore.gained[looks] and (lore.vain or lore.gained):
            return 3.0  # never touched with this look
        bonus = 10.0 if self.know.goals[kind] else 0.0
        if lore.vanished:
            if lore.solid and 0 <= events <= lore.refused_at:
                return 0.0  # nothing has changed since
            rarity = 1 - scene.counts[kind] / len(scene.kinds)
            return (4.0 * rarity + bonus) * (lore.vanished + 1) / (lore.vanished + lore.blocked + 2 * lore.died + 1)
        if lore.blocked and scene.counts[kind] <= 4 and events > lore.refused_at >= 0:
            return 2.0
        if lore.carried:
            return 3.0  # its destination may be unknown
        if lore.entered:
            return 0.5
        return 0.0

    def _push_value(self, kind: Kind, into: Kind, outcome: Push | None) -> float:
        if outcome is None:
            return 5.0
        if outcome not in (Push.VANISHES, Push.BOTH_VANISH):
            return 0.0
        return (10.0 if self.know.goals[kind] else 3.0) * self.mood[kind, into]

    def _aims(self, scene: Reading) -> tuple[dict[tuple[Cell, int], float], frozenset[tuple[Cell, int]]]:
        """The value of pressing the special key, by cell and direction."""
        know = self.know
        aims: dict[tuple[Cell, int], float] = {}
        turns: set[tuple[Cell, int]] = set()
        if SPECIAL not in self.task.keys or (know.special_tries > 12 and not know.own and not know.strikes):
            return aims, frozenset()
        worth = {kind: self._strike_value(kind, know.lore[kind]) for kind in scene.counts}
        walkable = [self._walkable(kind) for kind in self.attempt.kinds]
        for cell, kind in enumerate(self.attempt.kinds):
            value = worth.get(kind, 0.0)
            if value <= 0:
                continue
            for direction in range(4) if know.shot is None else (know.shot,):
                back = direction ^ 1
                here = self.neighbours[back][cell]
                while here is not None and (walkable[here] or here == self.avatar):
                    for facing in (direction,) if know.shot is None else range(4):
                        aims[here, facing] = max(value, aims.get((here, facing), 0.0))
                    if know.lore[kind].solid or know.turns:
                        turns.add((here, direction))
                    if not know.flies:
                        break
                    here = self.neighbours[back][here]
        return aims, frozenset(turns)

    def _strike_value(self, kind: Kind, lore: Lore) -> float:
        if kind == self.avatar_kind or kind in self.know.own or lore.floor:
            return 0.0
        bonus = 10.0 if self.know.goals[kind] else 0.0
        if lore.struck:
            return (3.0 + bonus) * lore.struck / max(lore.used, 1)
        if lore.used >= (2 + 2 * lore.mobile) * (4 if self.know.flies else 1):
            return 0.0
        return 1.5 if lore.deadly or lore.mobile else 1.0 if lore.solid or lore.pushed else 0.0

    def _dangers(self, scene: Reading) -> list[frozenset[Cell]]:
        """Cells that deadly objects may occupy after 1, 2, … steps."""
        dangers: list[set[Cell]] = [set() for _ in range(HORIZON)]
        for kind in scene.counts:
            lore = self.know.lore[kind]
            if not lore.deadly or not lore.mobile:
                continue
            cells = scene.touched_by(kind)
            speed = lore.moved / max(lore.moved + lore.still, 1)
            for cell in cells:
                if lore.straight is not None:
                    self._predict(cell, lore.straight, speed, dangers)
                    continue
                around = {near for of in self.neighbours[:4] if (near := of[cell]) is not None}
                dangers[0] |= around | {cell}
                dangers[1] |= around
        return [frozenset(cells) for cells in dangers]

    def _predict(self, start: Cell, direction: int, speed: float, dangers: list[set[Cell]]) -> None:
        """Add the cells of an object that flies straight; it may cross a border within a step."""
        cell, gone = start, 0
        for step, cells in enumerate(dangers, 1):
            cells.add(cell)
            while gone < speed * step:
                there = self.neighbours[direction][cell]
                if there is None:
                    return
                cell = there
                gone += 1
            cells.add(cell)


def hashed(history: bytes, key: int, pixels: Pixels) -> bytes:
    """The hash of a history that goes on with a key and the frame after it."""
    return blake2b(history + bytes([key + 1]) + pixels.tobytes(), digest_size=12).digest()
