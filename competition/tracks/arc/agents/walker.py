"""Walks of a body among things, as far as the contacts with these are understood.

The body is what the keys move. Its steps give the places that it can be in, and what is at a place has a kind.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence, Set
from functools import cache

from vgdl.competition.tracks.arc.agents.base import Task
from vgdl.competition.tracks.arc.agents.bodies import WAYS, BodyFinder, Shape, motions, shape_of
from vgdl.competition.tracks.arc.agents.contacts import Attempt, Contacts, Reading, hashed
from vgdl.competition.tracks.arc.agents.grid import Cell
from vgdl.competition.tracks.arc.agents.knowledge import Knowledge
from vgdl.competition.tracks.arc.agents.lattice import Kind, Kinds, Lattice, Scene, lattice_of
from vgdl.competition.tracks.arc.agents.route import Problem
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment
from vgdl.competition.tracks.arc.agents.steering import Steering
from vgdl.competition.tracks.arc.frame import RESET, SPECIAL, State

MOST_STRANGE = 0.1  #: strange steps per usual one up to which the walker's word is taken
TRUSTED = 12  #: strange steps up to which the walker's word is taken in any case
SURE = 3  #: refusals of a kind after which more of them are expected
FAR = 2  #: steps beyond which a change is not the contact itself
RARE = 10  #: places per thing of a kind from which it is no ground
UNUSED, UNUSED_GROUND = 5.0, 0.5  #: value of a first press of the special key on a thing, as of a first push; on ground
USEFUL = 3.0  #: value of another press where one has changed something, as of what is known to vanish
VAIN, VAIN_EACH = 4, 3  #: presses to no effect, and more per effect, up to which what is below the body may matter


class Walker(Contacts):
    """Plans with learnt rules of contacts.

    Args:
        task: the game's task.
        generator: the source of random choices.
        steering: whether keys may mean something else than by convention.

    Attributes:
        news: the number of things learnt so far; without any for long, the walker is of no use.
    """

    most_states = 12_000

    def __init__(self, task: Task, generator: random.Random, *, steering: bool = True) -> None:
        super().__init__(task, generator)
        self.bodies = BodyFinder(steering)
        self.steering = Steering(task.keys, steering)
        self.kinds = Kinds()
        self.news = 0
        self.useless: Set[int] = frozenset()  #: see `propose`
        self.usual = self.strange = 0  #: steps of a place or none, and other ones
        self.useful: Counter[tuple[Kind, int]] = Counter()  #: effects of the special key by what is below, and by look
        self.idle: Counter[tuple[Kind, int]] = Counter()  #: presses of it to no effect
        self.start_level([])

    # ------------------------------------------------------------------------------------------------------ frames

    def start_level(self, areas: Sequence[Segment]) -> None:
        """A level begins."""
        self.bodies.start_level(areas)
        self.lattice: Lattice | None = None
        self._forget_level()
        self.budget = self.most_states
        self.start_attempt(None, areas)

    def start_attempt(self, pixels: Pixels | None, areas: Sequence[Segment]) -> None:
        """The level begins, or begins anew after a reset."""
        self.attempt = Attempt()
        self.used: dict[tuple[Cell, Kind, int], int] = {}  #: events of the level when the special key was pressed there
        self.scene: Scene | None = None
        self.route = None
        self.avatar = None
        self.shape: Shape = (-1, 0, 0)  #: of the body
        self.body: Segment | None = None
        self.facing = 0
        self.look = -1  #: of the body, for steering
        self.last_choice = RESET
        self.areas = areas
        if pixels is not None:
            self.attempt.history = hashed(b"", -1, pixels)
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
            self.neighbours = [[lattice.step(cell, d) for cell in range(lattice.n_cells)] for d in WAYS]
            self.visited.clear()
            self.jumps.clear()
            self.scene = self.route = self.attempt.pending = self.attempt.aimed = None
        self.body, self.look = body, self.steering.look_of(body)
        scene = Scene(pixels, self.lattice, self.kinds)
        if self.scene is None:
            self.attempt.kinds = list(scene.kinds)
            self.attempt.barred.clear()
            self.avatar = self.lattice.cell_of(body)
            assert self.avatar is not None
            self.shape = shape_of(body)
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
        return [there for of in self.neighbours[:4] if (there := of[cell]) is not None]

    def observe(self, key: int, pixels: Pixels, areas: Sequence[Segment], state: State) -> None:
        """Learn from an action, whoever chose it.

        Args:
            key: the action; 6 for a click.
            pixels: the frame after it, with counters hidden; of the old level if that was won.
            areas: the segments of that frame.
            state: ``WIN`` if it ended the level, ``GAME_OVER`` if it lost it.
        """
        self.bodies.learn(key, motions(self.areas, areas))
        before = self.attempt.history
        self._continue_history(key, pixels)
        self.tried[before, key] += 1
        self.last_choice = key
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
            self._bar(before, key)
        elif self.scene is None or self.lattice is None or (self.avatar is None and state == State.NOT_FINISHED):
            self.scene = self.body = None
            self._look(pixels, areas)

    def propose(self, useless: Set[int] = frozenset()) -> int | None:
        """The next key by plan; None if there is nothing of value to do.

        Args:
            useless: keys that are known to lose the level, or to change nothing, in the present frame.
        """
        self._save()
        self.useless = useless
        if self.scene is None or self.avatar is None or not (self.moves or self.steering.ways):
            return None
        if self.strange > max(self.usual, TRUSTED):
            return None  # the body does not walk from place to place
        return self._choose()

    def is_shut(self, key: int) -> bool:
        """Whether what lies ahead in a key's direction has always blocked the way."""
        direction = self._direction(key)
        if self.scene is None or self.avatar is None or direction is None:
            return False
        ahead = self.neighbours[direction][self.avatar]
        if MOST_STRANGE * self.usual < self.strange or self.usual < SURE:
            return False  # the body does not walk from place to place
        if ahead is None:
            return True
        lore = self.know.lore[self.attempt.kinds[ahead]]
        passed = lore.entered or lore.vanished or lore.pushed or lore.carried or lore.won or lore.died
        return lore.blocked >= SURE and not passed

    @property
    def insights(self) -> int:
        """How much is known about keys that mean something else than by convention; more makes plans better at once."""
        return self.steering.is_relative + (not self.steering.is_usual)

    @property
    def is_at_home(self) -> bool:
        """Whether it knows where the body is, and has walked with every key that has a direction by convention."""
        return self.avatar is not None and all(self.know.walked[key] for key, _ in self.moves)

    # ---------------------------------------------------------------------------------------------------- learning

    @property
    def looks(self) -> Shape:
        return self.shape

    def _is_avatar(self, cell: Cell, kind: Kind, *places: Cell | None) -> bool:
        return cell in places

    def _learn(self, scene: Scene, areas: Sequence[Segment], state: State) -> None:
        """Learn from the step between the present scene and ``scene``, which becomes the present one."""
        before = self.scene
        assert before is not None
        changed = before.changed(scene)
        self._learn_motion(before, scene, changed)
        was, look = self.avatar, self.look
        if state == State.NOT_FINISHED or self.bodies.find(areas, None) is not None:
            self._find_avatar(scene, areas)
        if self.lattice is None:
            return
        if was is not None:
            self._steered(was, look)
            after, self.look = self.look, look  # a key's direction is that of the look before
            self._learn_contact(before, scene, was, state)
            self._learn_use(was, after)
            self.look = after
        self._learn_special(before, scene, was)
        self._learn_remote(before, scene, changed, was)
        if state == State.WIN:
            was_kind = before.kinds[was] if was is not None else -1
            for kind in before.counts:
                if kind not in scene.counts and kind != was_kind:
                    self.know.goals[kind] += 1
        self._remember(scene)
        self.scene = scene

    def _learn_use(self, was: Cell, after: int) -> None:
        """Learn whether the body takes up or puts down something with the special key, which shows on the body."""
        if self.last_choice != SPECIAL or self._direction(SPECIAL) is not None:
            return
        kind = self.attempt.kinds[was]
        use = kind, self.look
        if self.avatar != was or after == self.look:
            self.idle[use] += 1
        else:
            self.useful[use] += 1
            if self.useful[use] == 1:
                self._event()
        self.used[was, kind, self.look] = self.attempt.events

    def _direction(self, key: int) -> int | None:
        return self.steering.direction(key, self.look)

    def _steered(self, was: Cell, look: int) -> None:
        """Learn what the latest key did to the body, which was at a place and had a look."""
        if self.avatar is None or self.lattice is None or self.last_choice is None:
            return
        (row, column), (was_row, was_column) = (divmod(cell, self.lattice.columns) for cell in (self.avatar, was))
        step = column - was_column, row - was_row
        if max(map(abs, step)) <= 1:
            way = WAYS.index(step) if step != (0, 0) else None
            self.steering.learn(self.last_choice, way, look, self.look)

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
            self.shape = shape_of(body)
            self.look = self.steering.look_of(body)

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

    def _learn_contact(self, before: Reading, scene: Reading, was: Cell, state: State) -> None:
        """Count the usual steps as well."""
        assert self.last_choice is not None
        direction = self._direction(self.last_choice)
        ahead = self.neighbours[direction][was] if direction is not None else None
        if ahead is not None and self.avatar in (was, ahead):
            self.usual += 1
        elif ahead is not None:
            self.strange += 1
        super()._learn_contact(before, scene, was, state)

    def _remember(self, scene: Scene) -> None:
        """Store the kind in each cell; the avatar's cell keeps its previous one."""
        covered = self._covered()
        self.attempt.kinds = [
            old if cell in covered else new
            for cell, (old, new) in enumerate(zip(self.attempt.kinds, scene.kinds, strict=True))
        ]

    def _news(self, small: bool = False) -> None:
        self.news += 1
        if not small:
            self.route = None

    # ---------------------------------------------------------------------------------------------------- deciding

    def _moves(self) -> list[tuple[int, int]]:
        ways = [(key, self._direction(key)) for key in self.task.keys]
        return [(key, way) for key, way in ways if way is not None and not self.know.inert(key)]

    def _problem(self, scene: Reading) -> Problem:
        """Search among the body's looks as well, where directions depend on these."""
        problem = super()._problem(scene)
        problem.forbidden |= self.useless
        if self.steering.is_relative:
            problem.aims, problem.facing, problem.steer = {}, self.look, cache(self._steer)
        elif self._direction(SPECIAL) is not None:
            problem.aims = {}
        elif SPECIAL in self.task.keys:
            problem.uses = self._uses(scene)
        return problem

    def _uses(self, scene: Reading) -> dict[Cell, float]:
        """The values of pressing the special key on places, where they are positive."""
        if self.idle.total() > VAIN + VAIN_EACH * self.useful.total():
            return {}
        if any(self.know.lore[kind].mobile for kind in scene.counts):
            return {}  # what a press has done could not be told
        shown = scene.counts.items()  # what is below the body may be gone
        worth = {kind: self._use_value(kind, n * RARE < len(scene.kinds)) for kind, n in shown}
        return {
            cell: value
            for cell, kind in enumerate(self.attempt.kinds)
            if (value := worth.get(kind, 0.0)) and self.used.get((cell, kind, self.look), -1) < self.attempt.events
        }

    def _use_value(self, kind: Kind, is_thing: bool) -> float:
        """The value of pressing the special key on a place of a kind, which may be a thing or ground."""
        use = kind, self.look
        if not self._walkable(kind):
            return 0.0
        if self.useful[use] or self.idle[use]:
            return USEFUL if is_thing and self.useful[use] >= self.idle[use] else 0.0
        return UNUSED if is_thing else UNUSED_GROUND

    def _steer(self, look: int) -> list[tuple[int, int | None, int]]:
        """By key: its direction for a look of the body, if any, and the look after it."""
        steering = self.steering
        return [(key, steering.direction(key, look), steering.after(key, look)) for key in self.task.keys]

    def _choose(self) -> int | None:
        """Choose the next key; None if nothing is of value."""
        scene, attempt = self.scene, self.attempt
        assert scene is not None
        fatal = self.fatal.get(attempt.history, set()) | self.useless
        special = SPECIAL in self.task.keys and self._direction(SPECIAL) is None
        if special and not self.know.special_tries and SPECIAL not in fatal:
            self.know.special_tries += 1
            return SPECIAL
        untried = self.steering.untried(self.look)
        if untried is not None and untried not in fatal:
            return untried
        route = self._follow(scene, fatal) or self._plan(scene)
        self.route = route
        if route is None:
            return None
        key = route.keys[0]
        if special and key == SPECIAL and self.avatar not in self._uses(scene):
            self._aim(scene)
        return key


def _close(one: Segment, other: Segment) -> bool:
    """Whether two areas are at most a step of a large body apart."""
    return abs(one.left - other.left) + abs(one.top - other.top) <= max(one.width, one.height, other.width)
