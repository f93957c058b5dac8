"""The parts of `experimenter` that deal with keys of any meaning and several bodies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pytest

from tracks.arc.toys import Maze, Toy
from vgdl.competition.tracks.arc.agents import create
from vgdl.competition.tracks.arc.agents.bodies import WAYS, BodyFinder, motions, shape_of, way_of
from vgdl.competition.tracks.arc.agents.joint_plans import JointPlans
from vgdl.competition.tracks.arc.agents.movers import Deed, Movers
from vgdl.competition.tracks.arc.agents.playing import play
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import segments
from vgdl.competition.tracks.arc.agents.steering import Steering
from vgdl.competition.tracks.arc.frame import CLICK, SIZE

Cell = tuple[int, int]
STEPS: Mapping[int, Cell] = {1: (0, -1), 2: (0, 1), 3: (-1, 0), 4: (1, 0)}
PITCH, LEFT = 6, 5


def boxes(*places: tuple[int, int, int]) -> Pixels:
    """Boxes of 4×4 pixels on a plain ground: left, top and colour of each."""
    pixels = np.zeros((SIZE, SIZE), dtype=np.uint8)
    for x, y, colour in places:
        pixels[y : y + 4, x : x + 4] = colour
    return pixels


# ----------------------------------------------------------------------------------------------------------- steering


class OtherKeys(Maze):
    """A maze whose keys go left, up, right and down."""

    actions: tuple[int, ...] = (1, 2, 3, 4)
    meaning: Mapping[int, int] = MappingProxyType({1: 3, 2: 1, 3: 4, 4: 2})

    def move(self, action: int, x: int | None, y: int | None) -> str:
        return super().move(self.meaning[action], x, y)


class FifthKey(OtherKeys):
    """The special key goes down, and the fourth key does nothing."""

    actions: tuple[int, ...] = (1, 2, 3, 4, 5)
    meaning = MappingProxyType({1: 3, 2: 1, 3: 4, 5: 2})

    def move(self, action: int, x: int | None, y: int | None) -> str:
        return "" if action == 4 else super().move(action, x, y)


@pytest.mark.parametrize("toy", [OtherKeys, FifthKey])
def test_keys_may_mean_anything(toy: type[Toy]) -> None:
    game = toy()
    assert play(create("experimenter", game.task, 1), game, 200).won


@pytest.mark.parametrize(("shift", "way"), [((0, -3), 0), ((4, 0), 3), ((-2, -2), 4), ((5, -5), 6), ((3, 1), None)])
def test_ways_are_straight_or_diagonal(shift: Cell, way: int | None) -> None:
    assert way_of(shift) == way
    assert all(WAYS[k ^ 1] == (-dx, -dy) for k, (dx, dy) in enumerate(WAYS))


def test_a_body_may_obey_keys_of_any_meaning_and_what_drifts_is_none() -> None:
    finder = BodyFinder()
    x, y, drifting = 20, 20, 0
    for key in (1, 5, 1, 5, 1, 5):
        before = boxes((x, y, 9), (drifting, 40, 7))
        x, y, drifting = x + (4 if key == 1 else 0), y + (4 if key == 5 else 0), drifting + 4
        finder.learn(key, motions(segments(before), segments(boxes((x, y, 9), (drifting, 40, 7)))))
    body = finder.find(segments(boxes((x, y, 9), (drifting, 40, 7))), None)
    assert body is not None
    assert (body.colour, finder.step(shape_of(body))) == (9, 4)


def test_the_direction_of_a_key_may_depend_on_where_the_body_is_heading() -> None:
    steering = Steering((1, 3, 4))
    for _ in range(3):
        for look in range(4):
            steering.learn(1, look, look, look)  # forward
            steering.learn(3, None, look, (look + 1) % 4)  # turns
    assert steering.is_relative
    assert [steering.direction(1, look) for look in range(4)] == [0, 1, 2, 3]
    assert [steering.after(3, look) for look in range(4)] == [1, 2, 3, 0]
    assert steering.direction(3, 0) is None


def test_one_step_does_not_refute_the_convention() -> None:
    steering = Steering((1, 2, 3, 4, 5))
    for key, way in ((1, 3), (5, 0)):
        steering.learn(key, way, 0, 0)
    assert [steering.direction(key, 0) for key in (1, 2, 5)] == [0, 1, None]
    for key, way in ((1, 3), (5, 0)):
        steering.learn(key, way, 0, 0)
    assert [steering.direction(key, 0) for key in (1, 2, 5)] == [3, None, 0]


# ------------------------------------------------------------------------------------------------------ several bodies


class Room(Toy):
    """Bodies on a floor with walls around it and a mark for each of them."""

    actions: tuple[int, ...] = (1, 2, 3, 4)
    levels = 3
    size = 7
    bodies: tuple[int, ...] = (8, 9)
    walls: frozenset[Cell] = frozenset({(3, 3), (1, 4)})

    def begin(self) -> None:
        k = self.completed
        self.at = [(1, 1), (5, 1)][: len(self.bodies)]
        self.marks = [((1, 5), (5, 5)), ((2, 3), (4, 3)), ((2, 2), (5, 4))][k]
        self.active = 0

    def draw(self) -> np.ndarray:
        pixels = np.full((SIZE, SIZE), 5, dtype=np.uint8)
        for column in range(self.size):
            for row in range(self.size):
                self._box(pixels, (column, row), 3 if self._is_wall((column, row)) else 0, 0)
        for mark, colour in zip(self.marks, self.bodies, strict=True):
            self._box(pixels, mark, colour, 0)
            self._box(pixels, mark, 0, 1)
        for at, colour in zip(self.at, self.bodies, strict=True):
            self._box(pixels, at, colour, 1)
        return pixels

    def _box(self, pixels: np.ndarray, cell: Cell, colour: int, inset: int) -> None:
        x, y = LEFT + PITCH * cell[0], LEFT + PITCH * cell[1]
        pixels[y + inset : y + PITCH - inset, x + inset : x + PITCH - inset] = colour

    def _is_wall(self, cell: Cell) -> bool:
        return not all(0 < place < self.size - 1 for place in cell) or cell in self.walls

    def _go(self, body: int, step: Cell) -> None:
        there = self.at[body][0] + step[0], self.at[body][1] + step[1]
        if not self._is_wall(there) and there not in self.at:
            self.at[body] = there

    def _ended(self) -> str:
        return "won" if tuple(self.at) == self.marks else ""


class Mirrored(Room):
    """The second body goes left where the first one goes right."""

    def begin(self) -> None:
        super().begin()
        self.marks = [((2, 4), (4, 4)), ((1, 3), (5, 3)), ((2, 2), (3, 2))][self.completed]

    def move(self, action: int, x: int | None, y: int | None) -> str:
        dx, dy = STEPS[action]
        self._go(0, (dx, dy))
        self._go(1, (-dx, dy))
        return self._ended()


class TwoRooms(Toy):
    """Small mirrored bodies, each in a room of its own."""

    actions = (1, 2, 3, 4)
    levels = 3
    size = 7
    walls: tuple[frozenset[Cell], ...] = (frozenset({(2, 3), (4, 4), (3, 1)}), frozenset({(4, 2), (2, 4)}))

    def begin(self) -> None:
        self.at = [(1, 1), (5, 5)]
        self.marks = [((1, 5), (5, 3)), ((5, 2), (1, 3)), ((3, 3), (1, 1))][self.completed]

    def _is_wall(self, room: int, cell: Cell) -> bool:
        return not all(0 < place < self.size - 1 for place in cell) or cell in self.walls[room]

    def draw(self) -> np.ndarray:
        pixels = np.full((SIZE, SIZE), 5, dtype=np.uint8)
        for room, colour in enumerate((8, 9)):
            part = pixels[16 : 16 + 4 * self.size, 2 + 32 * room : 2 + 32 * room + 4 * self.size]
            for x in range(self.size):
                for y in range(self.size):
                    part[4 * y : 4 * y + 4, 4 * x : 4 * x + 4] = 3 if self._is_wall(room, (x, y)) else 1
            x, y = self.marks[room]
            part[4 * y : 4 * y + 4, 4 * x : 4 * x + 4] = colour
            part[4 * y + 1 : 4 * y + 3, 4 * x + 1 : 4 * x + 3] = 1
            x, y = self.at[room]
            part[4 * y + 1 : 4 * y + 3, 4 * x + 1 : 4 * x + 3] = colour
        return pixels

    def move(self, action: int, x: int | None, y: int | None) -> str:
        dx, dy = STEPS[action]
        for room, step in enumerate(((dx, dy), (-dx, dy))):
            there = self.at[room][0] + step[0], self.at[room][1] + step[1]
            if not self._is_wall(room, there):
                self.at[room] = there
        return "won" if tuple(self.at) == self.marks else ""


class ByTurns(Room):
    """The special key passes control to the other body."""

    actions = (1, 2, 3, 4, 5)

    def move(self, action: int, x: int | None, y: int | None) -> str:
        if action == 5:
            self.active = 1 - self.active
        else:
            self._go(self.active, STEPS[action])
        return self._ended()

    def draw(self) -> np.ndarray:
        pixels = super().draw()
        self._box(pixels, self.at[self.active], 11, 2)
        return pixels


class Selected(ByTurns):
    """A click on a body selects it."""

    actions = (1, 2, 3, 4, CLICK)

    def move(self, action: int, x: int | None, y: int | None) -> str:
        if action != CLICK:
            self._go(self.active, STEPS[action])
            return self._ended()
        assert x is not None
        assert y is not None
        cell = (x - LEFT) // PITCH, (y - LEFT) // PITCH
        self.active = self.at.index(cell) if cell in self.at else self.active
        return ""


@pytest.mark.costly
@pytest.mark.parametrize(("toy", "actions"), [(Mirrored, 100), (TwoRooms, 400), (ByTurns, 400), (Selected, 400)])
def test_bodies_are_led_to_their_marks(toy: type[Toy], actions: int) -> None:
    game = toy()
    assert play(create("experimenter", game.task, 1), game, actions).won


def test_a_body_that_vanished_on_something_of_its_colour_is_found_again() -> None:
    movers, (keys, frames) = Movers(), mirrored(12)
    moved_by(movers, keys, frames)
    hidden = frames[-1].copy()
    hidden[hidden == 8] = 0
    movers.observe(1, None, hidden, segments(hidden))
    assert [shape[0] for shape in movers.shapes] == [9]
    movers.observe(2, None, frames[-1], segments(frames[-1]))
    assert sorted(shape[0] for shape in movers.shapes) == [8, 9]
    assert sorted(movers.places) == [(20, 20), (40, 20)]


def moved_by(movers: Movers, keys: list[int], frames: list[Pixels]) -> None:
    """Show a level to movers from its first frame on."""
    movers.start_level(frames[0], segments(frames[0]))
    for key, frame in zip(keys, frames[1:], strict=True):
        movers.observe(key, None, frame, segments(frame))


def mirrored(steps: int) -> tuple[list[int], list[Pixels]]:
    """Two bodies that go apart and together in turns."""
    keys = [4, 3] * (steps // 2)
    at = [20 + 6 * (k % 2) for k in range(steps + 1)]
    return keys, [boxes((x, 20, 8), (60 - x, 20, 9)) for x in at]


def test_what_keys_do_to_each_of_several_bodies_is_predicted() -> None:
    movers = Movers()
    moved_by(movers, *mirrored(12))
    assert movers.are_known
    assert sorted(movers.places) == [(20, 20), (40, 20)]
    assert not movers.is_selective
    ahead = movers.predict(movers.state, Deed(4))
    assert sorted(ahead.places) == [(26, 20), (34, 20)]
    assert movers.predict(ahead, Deed(4)).places == ahead.places, "they are in each other's way"


def test_a_body_that_moves_takes_the_place_of_its_marks() -> None:
    movers, (keys, frames) = Movers(), mirrored(12)
    moved_by(movers, keys, frames)
    movers.shapes, movers.places, movers._fills = [(8, 1, 1)] * 3, [(21, 21), (22, 22), (21, 22)], [1] * 3
    movers.observe(4, None, frames[1], segments(frames[1]))
    assert sorted(movers.places) == [(26, 20), (34, 20)]


def test_a_single_body_is_left_to_the_walker() -> None:
    movers = Movers()
    moved_by(movers, [4, 3] * 6, [boxes((20 + 6 * (k % 2), 20, 8)) for k in range(13)])
    assert not movers.are_known


def test_bodies_that_slide_are_predicted_to_go_on_until_something_is_in_the_way() -> None:
    """A ball rolls to the walls, which are not equally far away in each row."""
    movers, room = Movers(), np.full((SIZE, SIZE), 3, dtype=np.uint8)
    room[10:14, 10:50] = room[10:50, 10:14] = room[46:50, 10:30] = room[10:50, 46:50] = 0
    stops, keys = (
        [(10, 10), (46, 10), (46, 46), (46, 10), (10, 10), (10, 46), (26, 46), (10, 46)],
        [4, 2, 1, 3, 2, 4, 3],
    )
    frames = []
    for x, y in [*stops, *stops[1:]]:
        frame = room.copy()
        frame[y : y + 4, x : x + 4] = 8
        frames.append(frame)
    moved_by(movers, [*keys, 1, *keys[1:]], [frames[0], *frames[1:8], frames[0], *frames[9:]])
    x, y = movers.places[0]
    assert (x, y) == (10, 46)
    assert movers.predict(movers.state, Deed(1)).places == ((10, 10),)


def with_marks(pixels: Pixels) -> Pixels:
    """A frame with marks for mirrored bodies, which both can be on at once."""
    marked = pixels.copy()
    for x, colour in ((6, 8), (50, 9)):
        marked[18:26, x : x + 8] = colour
        marked[19:25, x + 1 : x + 7] = 0
    return marked


def test_a_joint_plan_leads_each_body_to_the_mark_of_its_colour() -> None:
    movers, (keys, frames) = Movers(), mirrored(12)
    moved_by(movers, keys, [with_marks(frame) for frame in frames])
    plans, found = JointPlans(movers), list[Deed]()
    assert plans.propose((1, 3, 4), clicks=False) == Deed(1), "what it does is not known yet"
    for _ in range(60):
        deed = plans.propose((3, 4), clicks=False)
        if deed is not None:
            found.append(deed)
            break
    assert found == [Deed(3)]


@pytest.mark.costly
def test_what_plans_for_one_body_do_not_find() -> None:
    game = ByTurns()
    assert not play(create("experimenter", game.task, 1, movers=False), game, 200).won


def test_what_passes_control_is_forgotten_of_bodies_that_a_new_attempt_lacks() -> None:
    keys, frames = list[int](), [boxes((20, 20, 8), (40, 40, 9))]
    first, second = 20, 40
    for _ in range(3):
        for key, step in ((4, 4), (4, 4), (3, -4), (3, -4)):
            first += step
            keys.append(key)
            frames.append(boxes((first, 20, 8), (second, 40, 9)))
        keys.append(5)
        frames.append(frames[-1])
        for key, step in ((4, 4), (3, -4)):
            second += step
            keys.append(key)
            frames.append(boxes((first, 20, 8), (second, 40, 9)))
        keys.append(5)
        frames.append(frames[-1])
    movers = Movers()
    moved_by(movers, keys, frames)
    assert movers.n_switches
    alone = boxes((20, 20, 8))
    movers.start_attempt(alone, segments(alone))
    for key in (4, 5, 4, 5, 4):
        movers.observe(key, None, alone, segments(alone))
        assert movers.active < len(movers.places)
