"""Walks of a body among things: learns what contacts do, and plans for the most valuable one.

The body is what the keys move. Its steps give the places that it can be in, and what is at a place has a kind. Of every
kind the walker keeps statistics: whether it blocks the way, can be pushed, vanishes, kills, or ends the level. A search
over these learnt rules leads to the most promising target: a known goal, something to collect, or a kind never
touched. Knowledge about kinds is kept across levels; within a level, the exact histories that lost it are, too.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from vgdl.competition.tracks.arc.agents.base import Task
from vgdl.competition.tracks.arc.agents.bodies import DIRECTIONS, BodyFinder, Shape, motions, shape_of
from vgdl.competition.tracks.arc.agents.knowledge import Knowledge, Lore, Push
from vgdl.competition.tracks.arc.agents.lattice import Cell, Kind, Kinds, Lattice, Scene, lattice_of
from vgdl.competition.tracks.arc.agents.route import Problem, Route, find_route
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment
from vgdl.competition.tracks.arc.frame import RESET, SPECIAL, State

MOST_STATES = 12_000  #: most states of one search
STATES_PER_ACTION = 1000  #: states of all searches per action, on average
UNVISITED = 0.02  #: value of a cell that the body has not visited
HORIZON = 8  #: steps for which objects that fly straight are predicted
MOST_STRANGE = 0.1  #: strange steps per usual one up to which the walker's word is taken
SURE = 3  #: refusals of a kind after which more of them are expected
FAR = 2  #: steps beyond which a change is not the contact itself


@dataclass(slots=True)
class Attempt:
    """A level since its start or latest reset."""

    history: bytes = b""  #: hash of all frames and actions
    n_actions: int = 0
    events: int = 0  #: vanished objects and changes of the status bars
    kinds: list[Kind] = field(default_factory=list)  #: the kind in each cell, also below the avatar
    barred: Counter[tuple[Cell, int]] = field(default_factory=Counter)  #: failed steps onto floor, by (cell, direction)
    pending: tuple[Cell, Kind] | None = None  #: the cell and kind last entered, not yet known to have remained
    aimed: tuple[Kind, int, int] | None = None  #: target kind of the special key, its count, deadline


class Walker:
    """Plans with learnt rules of contacts.

    Args:
        task: the game's task.
        generator: the source of random choices.

    Attributes:
        news: the number of things learnt so far; without any for long, the walker is of no use.
    """

    def __init__(self, task: Task, generator: random.Random) -> None:
        self.task = task
        self.random = generator
        self.know = Knowledge()
        self.bodies = BodyFinder()
        self.kinds = Kinds()
        self.moves = [(key, key - 1) for key in task.keys if key <= len(DIRECTIONS)]
        self.news = 0
        self.usual = self.strange = 0  #: steps of a place or none, and other ones
        self.start_level([])

    # ------------------------------------------------------------------------------------------------------ frames

    def start_level(self, areas: Sequence[Segment]) -> None:
        """A level begins."""
        self.bodies.start_level()
        self.lattice: Lattice | None = None
        self.fatal: defaultdict[bytes, set[int]] = defaultdict(set)  #: keys that lost the level, by history
        self.parents: dict[bytes, tuple[bytes, int]] = {}
        self.visited: set[Cell] = set()
        self.jumps: dict[Cell, Cell] = {}
        self.resets = 0
        self.tried: Counter[tuple[bytes, int]] = Counter()
        self.budget = MOST_STATES  #: states that the next search may visit
        self.mood: defaultdict[tuple[int, Kind], float] = defaultdict(lambda: 1.0)  #: factors of values
        self.start_attempt(None, areas)

    def start_attempt(self, pixels: Pixels | None, areas: Sequence[Segment]) -> None:
        """The level begins, or begins anew after a reset."""
        self.attempt = Attempt()
        self.scene: Scene | None = None
        self.route: Route | None = None
        self.avatar: Cell | None = None
        self.looks: Shape = (-1, 0, 0)  #: of the body
        self.body: Segment | None = None
        self.facing = 0
        self.taken = RESET
        self.areas = areas
        if pixels is not None:
            self.attempt.history = _hash(b"", -1, pixels)
            self._look(pixels, areas)

    def _look(self, pixels: Pixels, areas: Sequence[Segment]) -> None:
        """Find the body, and read the frame as the places that it can be in."""
        last = (self.body.left, self.body.top) if self.body is not None else None
        body = self.bodies.find(areas, last)
        step = self.bodies.step(shape_of(body)) if body is not None else 0
        if body is None or not step:
            return
        if self.lattice is None or self.lattice.cell_of(body) is None or self.lattice.pitch != step:
            lattice = lattice_of(pixels, body, step)
            if lattice is None or lattice.cell_of(body) is None:
                return
            self.kinds.start_level()
            self.lattice = lattice
            self.neighbours = [[lattice.step(cell, d) for cell in range(lattice.n_cells)] for d in DIRECTIONS]
            self.visited.clear()
            self.jumps.clear()
            self.scene = self.route = self.attempt.pending = self.attempt.aimed = None
        self.body = body
        scene = Scene(pixels, self.lattice, self.kinds)
        if self.scene is None:
            self.attempt.kinds = list(scene.kinds)
            self.attempt.barred.clear()
            self.avatar = self.lattice.cell_of(body)
            assert self.avatar is not None
            self.looks = shape_of(body)
            self._uncover(scene)
            self.scene = scene

    def _uncover(self, scene: Scene) -> None:
        """Guess what is below the body: what is most frequent around it."""
        covered = self._covered()
        usual = Counter(scene.kinds[there] for cell in covered for there in self._around(cell) if there not in covered)
        for cell in covered:
            self.attempt.kinds[cell] = usual.most_common(1)[0][0] if usual else scene.kinds[cell]

    def _covered(self) -> set[Cell]:
        """The places that share pixels with the body's."""
        lattice, here = self.lattice, self.avatar
        if lattice is None or here is None:
            return set()
        if not lattice.overlaps:
            return {here}
        row, column = divmod(here, lattice.columns)
        across, down = -(-lattice.width // lattice.pitch), -(-lattice.height // lattice.pitch)
        return {
            other_row * lattice.columns + other
            for other_row in range(max(row - down + 1, 0), min(row + down, lattice.rows))
            for other in range(max(column - across + 1, 0), min(column + across, lattice.columns))
        }

    def _around(self, cell: Cell) -> list[Cell]:
        return [there for of in self.neighbours if (there := of[cell]) is not None]

    def observe(self, key: int, pixels: Pixels, areas: Sequence[Segment], state: State) -> None:
        """Learn from an action, whoever chose it.

        Args:
            key: the action; 6 for a click.
            pixels: the frame after it, with counters hidden; of the old level if that was won.
            areas: the segments of that frame.
            state: ``WIN`` if it ended the level, ``GAME_OVER`` if it lost it.
        """
        attempt = self.attempt
        self.bodies.learn(key, motions(self.areas, areas))
        before = attempt.history
        attempt.history = _hash(before, key, pixels)
        self.parents[attempt.history] = before, key
        attempt.n_actions += 1
        self.tried[before, key] += 1
        self.taken = key
        if self.lattice is not None and self.body is not None:
            step = self.bodies.step(shape_of(self.body))
            if step and step != self.lattice.pitch:
                self.lattice = self.scene = None  # this level is drawn at another size
        known = self.scene is not None
        scene = Scene(pixels, self.lattice, self.kinds) if known and self.lattice is not None else None
        if scene is not None and key <= SPECIAL:
            self._learn(scene, areas, state)
        elif scene is not None:
            self._find_avatar(scene, areas)
            if self.lattice is not None:
                self._remember(scene)
                self.scene = scene
        self.areas = areas
        if state == State.GAME_OVER:
            self._lost(before, key)
        elif self.scene is None or self.lattice is None or (self.avatar is None and state == State.NOT_FINISHED):
            self.scene = self.body = None
            self._look(pixels, areas)

    def propose(self) -> int | None:
        """The next key by plan; None if there is nothing of value to do."""
        self.budget = min(self.budget + STATES_PER_ACTION, MOST_STATES)
        if self.scene is None or self.avatar is None or not self.moves:
            return None
        return self._choose()

    def is_shut(self, key: int) -> bool:
        """Whether what lies ahead in a key's direction has always blocked the way."""
        if self.scene is None or self.avatar is None or not 1 <= key <= len(DIRECTIONS):
            return False
        ahead = self.neighbours[key - 1][self.avatar]
        if MOST_STRANGE * self.usual < self.strange or self.usual < SURE:
            return False  # the body does not walk from place to place
        if ahead is None:
            return True
        lore = self.know.lore[self.attempt.kinds[ahead]]
        passed = lore.entered or lore.vanished or lore.pushed or lore.carried or lore.won or lore.died
        return lore.blocked >= SURE and not passed

    def _lost(self, history: bytes, key: int) -> None:
        keys = set(self.task.keys)
        self.fatal[history].add(key)
        while self.fatal[history] >= keys and history in self.parents:
            history, key = self.parents[history]
            self.fatal[history].add(key)

    # ---------------------------------------------------------------------------------------------------- learning

    def _learn(self, scene: Scene, areas: Sequence[Segment], state: State) -> None:
        """Learn from the step between the present scene and ``scene``, which becomes the present one."""
        before = self.scene
        assert before is not None
        changed = before.changed(scene)
        self._learn_motion(before, scene, changed)
        was = self.avatar
        if state == State.NOT_FINISHED or self.bodies.find(areas, None) is not None:
            self._find_avatar(scene, areas)
        if self.lattice is None:
            return
        if was is not None:
            self._learn_contact(before, scene, was, state)
        self._learn_special(before, scene, was)
        self._learn_remote(before, scene, changed, was)
        if state == State.WIN:
            was_kind = before.kinds[was] if was is not None else -1
            for kind in before.counts:
                if kind not in scene.counts and kind != was_kind:
                    self.know.goals[kind] += 1
        self._remember(scene)
        self.scene = scene

    def _learn_remote(self, before: Scene, scene: Scene, changed: list[Cell], was: Cell | None) -> None:
        """Notice changes elsewhere: what did not work may work now."""
        places = [cell for cell in (was, self.avatar) if cell is not None]
        lore = self.know.lore
        for cell in changed:
            far = all(scene.field.distance(cell, place) > FAR for place in places)
            if far and before.kinds[cell] != scene.kinds[cell]:
                if lore[before.kinds[cell]].mobile or lore[scene.kinds[cell]].mobile:
                    continue
                self.attempt.events += 1
                self.attempt.barred.clear()
                return

    def _learn_motion(self, before: Scene, scene: Scene, changed: list[Cell]) -> None:
        """Count the kinds that move by themselves, and their directions."""
        moved: dict[Kind, Counter[int]] = {}
        spots = set(changed)
        for cell in changed:
            kind = before.kinds[cell]
            if cell == self.avatar or scene.kinds[cell] == kind:
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

    def _find_avatar(self, scene: Scene, areas: Sequence[Segment]) -> None:
        """Locate the body, whose look may have changed."""
        assert self.lattice is not None
        last = self.body
        near = (last.left, last.top) if last is not None else None
        body = self.bodies.find(areas, near)
        if body is not None and last is not None and shape_of(body) != shape_of(last) and not _close(body, last):
            self.lattice = self.avatar = None
            if self.bodies.doubts(shape_of(last), shape_of(body)):
                self.know = Knowledge()  # what was learnt about another one's contacts is wrong
            return
        cell = self.lattice.cell_of(body) if body is not None else None
        if cell is None and last is not None:
            body = self._changed_body(areas, last)
            cell = self.lattice.cell_of(body) if body is not None else None
        self.avatar = cell
        if body is not None and cell is not None:
            self.body = body
            self.looks = shape_of(body)

    def _changed_body(self, areas: Sequence[Segment], last: Segment) -> Segment | None:
        """A new area at or next to the body's last place, which has taken the place of the body."""
        assert self.lattice is not None
        known = {(area.colour, area.pixels.tobytes()) for area in self.areas}
        reach = self.lattice.pitch
        for area in areas:
            close = abs(area.left - last.left) <= reach and abs(area.top - last.top) <= reach
            alike = abs(area.width - last.width) <= 1 and abs(area.height - last.height) <= 1
            if close and alike and (area.colour, area.pixels.tobytes()) not in known:
                self.bodies.take_for(shape_of(last), shape_of(area))
                return area
        return None

    def _learn_contact(self, before: Scene, scene: Scene, was: Cell, state: State) -> None:
        """Learn the effect of walking into the object ahead."""
        now = self.avatar
        self._leave(scene, was)
        direction = self.taken - 1
        ahead = self.neighbours[direction][was] if direction < len(DIRECTIONS) else None
        if ahead is None:
            if state == State.GAME_OVER:
                self._blame(before, was, None)
            return
        kind = self.attempt.kinds[ahead]
        if now in (was, ahead):
            self.usual += 1
        else:
            self.strange += 1
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

    def _leave(self, scene: Scene, was: Cell) -> None:
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
        elif not self.know.lore[left := scene.kinds[cell]].mobile and not lore.stayed:
            lore.vanished += 1
            lore.gained[self.looks] += 1
            self.know.lore[left].stayed += 1
            self.know.lore[left].entered += 1
            self._event()

    def _entered(self, before: Scene, scene: Scene, ahead: Cell, kind: Kind, direction: int) -> None:
        lore = self.know.lore[kind]
        self.know.walked[direction + 1] += 1
        beyond = self.neighbours[direction][ahead]
        by_itself = lore.floor or lore.mobile
        if beyond is not None and scene.kinds[beyond] == kind != before.kinds[beyond] and not by_itself:
            self._pushed(kind, self.attempt.kinds[beyond], Push.MOVES)
            return
        if lore.pushed and beyond is not None and not lore.mobile:
            into = before.kinds[beyond]
            gone = scene.kinds[beyond] != into
            self._pushed(kind, into, Push.BOTH_VANISH if gone else Push.VANISHES)
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

    def _refused(self, before: Scene, scene: Scene, was: Cell, ahead: Cell, kind: Kind, direction: int) -> None:
        lore = self.know.lore[kind]
        if lore.floor:
            self.know.refused[direction + 1] += 1
            self.attempt.barred[was, direction] += 1
            return
        if self.know.inert(direction + 1):
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

    def _blame(self, before: Scene, was: Cell, ahead: Cell | None) -> None:
        """Blame the object that the avatar walked into for its death, or else nearby objects, moving ones first."""
        if ahead is not None:
            kind = self.attempt.kinds[ahead]
            lore = self.know.lore[kind]
            if not lore.floor:
                lore.tried += 1
                lore.killed(self.attempt.events, 1.0)
                return
        places = {was, ahead}
        near = {
            kind
            for cell, kind in enumerate(before.kinds)
            if cell != was
            and not self.know.lore[kind].floor
            and any(place is not None and before.field.distance(cell, place) <= 1 for place in places)
        }
        mobile = [kind for kind in near if self.know.lore[kind].mobile] or [
            kind for kind in near if not self.know.lore[kind].solid
        ]
        for kind in mobile:
            self.know.lore[kind].killed(self.attempt.events, 1 / len(mobile))

    def _credit(self, before: Scene, ahead: Cell, kind: Kind) -> None:
        lore = self.know.lore[kind]
        if not lore.floor:
            lore.tried += 1
            lore.won += 1
            return
        for cell, other in enumerate(before.kinds):
            if before.field.distance(cell, ahead) <= 1 and self.know.lore[other].mobile:
                self.know.lore[other].won += 1

    def _learn_special(self, before: Scene, scene: Scene, was: Cell | None) -> None:
        """Learn whether the special key made an object, or made one vanish."""
        attempt = self.attempt
        if self.taken == SPECIAL and was is not None:
            for cell, kind in enumerate(scene.kinds):
                fresh = kind not in before.counts and cell not in (was, self.avatar)
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

    def _remember(self, scene: Scene) -> None:
        """Store the kind in each cell; the avatar's cell keeps its previous one."""
        covered = self._covered()
        self.attempt.kinds = [
            old if cell in covered else new
            for cell, (old, new) in enumerate(zip(self.attempt.kinds, scene.kinds, strict=True))
        ]

    def _event(self) -> None:
        self.attempt.events += 1
        self.attempt.barred.clear()
        self._news()

    def _news(self, small: bool = False) -> None:
        self.news += 1
        if not small:
            self.route = None

    # ---------------------------------------------------------------------------------------------------- deciding

    def _choose(self) -> int | None:
        """Choose the next key; None if nothing is of value."""
        scene, attempt = self.scene, self.attempt
        assert scene is not None
        fatal = self.fatal.get(attempt.history, set())
        if SPECIAL in self.task.keys and not self.know.special_tries and SPECIAL not in fatal:
            self.know.special_tries += 1
            return SPECIAL
        route = self._follow(scene, fatal) or self._plan(scene)
        self.route = route
        if route is None:
            return None
        key = route.keys[0]
        if key == SPECIAL:
            self._aim(scene)
        return key

    def vary(self) -> None:
        """Vary the values, so that things are visited in another order."""
        self.resets += 1
        self.mood = defaultdict(lambda: self.random.uniform(0.3, 1.5))

    def _follow(self, scene: Scene, fatal: set[int]) -> Route | None:
        """The rest of the present route, if it went as planned and nothing moves by itself."""
        route = self.route
        if route is None or len(route.keys) < 2 or route.cells[0] != self.avatar or route.keys[1] in fatal:
            return None
        if any(self.know.lore[kind].mobile for kind in scene.counts):
            return None
        return Route(route.keys[1:], route.cells[1:], route.value)

    def _aim(self, scene: Scene) -> None:
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

    def _plan(self, scene: Scene) -> Route | None:
        """Search for a route, within the budget of states."""
        route, n_states = find_route(self._problem(scene))
        self.budget -= n_states
        return route

    def _problem(self, scene: Scene) -> Problem:
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
            moves=[(key, direction) for key, direction in self.moves if not know.inert(key)],
            walkable=[cell in boxes or kind in walkable for cell, kind in enumerate(attempt.kinds)],
            values=values,
            kinds=[floor if cell in boxes else kind for cell, kind in enumerate(attempt.kinds)],
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

    def _things(self, scene: Scene) -> tuple[dict[Cell, float], dict[Cell, Kind]]:
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

    def _usual_floor(self, scene: Scene) -> Kind:
        floors = [kind for kind in scene.counts if self.know.lore[kind].floor]
        return max(floors, key=lambda kind: scene.counts[kind]) if floors else -1

    def _value(self, kind: Kind, lore: Lore, scene: Scene) -> float:
        """The value of walking into a kind."""
        if kind in self.know.own:
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

    def _aims(self, scene: Scene) -> tuple[dict[tuple[Cell, int], float], frozenset[tuple[Cell, int]]]:
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
        if kind in self.know.own or lore.floor:
            return 0.0
        bonus = 10.0 if self.know.goals[kind] else 0.0
        if lore.struck:
            return (3.0 + bonus) * lore.struck / max(lore.used, 1)
        if lore.used >= (2 + 2 * lore.mobile) * (4 if self.know.flies else 1):
            return 0.0
        return 1.5 if lore.deadly or lore.mobile else 1.0 if lore.solid or lore.pushed else 0.0

    def _dangers(self, scene: Scene) -> list[frozenset[Cell]]:
        """Cells that deadly objects may occupy after 1, 2, … steps."""
        dangers: list[set[Cell]] = [set() for _ in range(HORIZON)]
        for kind in scene.counts:
            lore = self.know.lore[kind]
            if not lore.deadly or not lore.mobile:
                continue
            cells = scene.where(kind)
            speed = lore.moved / max(lore.moved + lore.still, 1)
            for cell in cells:
                if lore.straight is not None:
                    self._predict(cell, lore.straight, speed, dangers)
                    continue
                around = {near for of in self.neighbours if (near := of[cell]) is not None}
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


def _close(one: Segment, other: Segment) -> bool:
    """Whether two areas are at most a step of a large body apart."""
    return abs(one.left - other.left) + abs(one.top - other.top) <= max(one.width, one.height, other.width)


def _hash(history: bytes, key: int, pixels: Pixels) -> bytes:
    return blake2b(history + bytes([key + 1]) + pixels.tobytes(), digest_size=12).digest()
