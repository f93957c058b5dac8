"""The part of `experimenter` that takes a cursor and the special key for clicks."""

from __future__ import annotations

import random
from typing import ClassVar

import numpy as np
import pytest

from tracks.arc.toys import Toy
from vgdl.competition.tracks.arc.agents import create
from vgdl.competition.tracks.arc.agents.cursor_clicks import CursorClicks
from vgdl.competition.tracks.arc.agents.cursors import CursorFinder, View, shift_of
from vgdl.competition.tracks.arc.agents.experimenter import Experimenter
from vgdl.competition.tracks.arc.agents.playing import play
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import segments
from vgdl.competition.tracks.arc.frame import SIZE

STEPS = {1: (0, -1), 2: (0, 1), 3: (-1, 0), 4: (1, 0)}
DARK, LIT, CURSOR = 1, 12, 8


class Lamps(Toy):
    """The special key switches the lamp below a cursor, a frame whose sides lie on each other after a step."""

    actions = (1, 2, 3, 4, 5)
    levels = 3
    is_solid: ClassVar[bool] = False
    pitch, left, top = 8, 10, 10

    def begin(self) -> None:
        draws = random.Random(self.completed)
        self.n = 3 + (self.completed > 1)
        self.at = (0, 0)
        self.dark = {(x, y) for x in range(self.n) for y in range(self.n) if draws.random() < 0.5}

    def draw(self) -> Pixels:
        pixels = np.zeros((SIZE, SIZE), dtype=np.uint8)
        for x in range(self.n):
            for y in range(self.n):
                left, top = self.left + self.pitch * x, self.top + self.pitch * y
                pixels[top + 2 : top + 7, left + 2 : left + 7] = DARK if (x, y) in self.dark else LIT
        left, top = (corner + self.pitch * k for corner, k in zip((self.left, self.top), self.at, strict=True))
        cell = pixels[top : top + 9, left : left + 9]
        if self.is_solid:
            cell[1:8, 1:8] = CURSOR
        else:
            cell[[0, -1], :] = cell[:, [0, -1]] = CURSOR
        return pixels

    def move(self, action: int, x: int | None, y: int | None) -> str:
        if action == 5:
            self.dark ^= {self.at}
        else:
            dx, dy = STEPS[action]
            there = self.at[0] + dx, self.at[1] + dy
            if all(0 <= k < self.n for k in there):
                self.at = there
        return "" if self.dark else "won"


class Covered(Lamps):
    """The cursor hides the lamp below it."""

    is_solid = True


@pytest.mark.parametrize("toy", [Lamps, Covered])
def test_a_cursor_and_a_key_are_clicks(toy: type[Toy]) -> None:
    game = toy()
    agent = create("experimenter", game.task, 1)
    assert play(agent, game, 500).won
    assert isinstance(agent, Experimenter)
    assert isinstance(agent.cursor, CursorClicks)
    assert agent.cursor.is_known


def test_without_the_part_these_levels_take_too_long() -> None:
    game = Lamps()
    assert not play(create("experimenter", game.task, 1, cursor=False), game, 500).level_actions


def shown(x: int, y: int, *others: tuple[int, int], look: int = CURSOR) -> View:
    """A cursor of two parts at a place, and boxes of another colour."""
    pixels = np.zeros((SIZE, SIZE), dtype=np.uint8)
    for left, top in others:
        pixels[top : top + 4, left : left + 4] = 3
    pixels[y, x] = pixels[y + 4, x + 4] = look
    return View(pixels, segments(pixels))


def test_what_moves_is_found_by_all_its_parts() -> None:
    found = shift_of(4, shown(10, 10, (30, 30)), shown(16, 10, (30, 30)))
    assert found is not None
    look, step, place = found
    assert (look.size, step, place) == ((5, 5), 6, (16, 10))
    assert shift_of(1, shown(10, 10), shown(16, 10)) is None  # it has gone elsewhere
    assert shift_of(4, shown(10, 10, (30, 30)), shown(16, 10, (36, 36))) is None  # something else has changed


def walked(finder: CursorFinder, keys: str, others: tuple[tuple[int, int], ...] = ()) -> None:
    """Moves a cursor by U, D, L and R within 5 × 5 places, 6 pixels apart."""
    x, y = 0, 0
    before = shown(10, 10, *others)
    finder.start_level(before.pixels)
    for key in keys:
        action = 1 + "UDLR".index(key)
        dx, dy = STEPS[action]
        x, y = min(max(x + dx, 0), 4), min(max(y + dy, 0), 4)
        after = shown(10 + 6 * x, 10 + 6 * y, *others)
        finder.move(action, before, after)
        before = after


def test_a_cursor_is_followed_over_whatever_there_is() -> None:
    finder = CursorFinder()
    walked(finder, "RRDDRDLLLUUU", ((17, 17), (30, 12)))
    assert finder.is_sure
    assert finder.at == (10, 10)
    assert (finder.step(0), finder.step(1)) == (6, 6)
    assert finder.place_of(25, 25) == (22, 22)
    assert finder.place_of(63, 63) == (58, 58)


def test_where_a_step_was_refused_the_board_ends() -> None:
    finder = CursorFinder()
    walked(finder, "RRRRRDDLL")
    assert finder.is_beyond((40, 16))
    assert not finder.is_beyond((34, 28))
    walked(finder, "RRDDRDRRD")
    assert not finder.is_beyond((34, 34))


def test_what_changes_its_surroundings_is_no_cursor() -> None:
    finder = CursorFinder()
    walked(finder, "RRDDRD")
    before = shown(10, 10, (24, 10))
    finder.start_level(before.pixels)
    for k in range(1, 5):  # it pushes a box
        after = shown(10 + 6 * k, 10, (24 + 6 * k, 10))
        finder.move(4, before, after)
        before = after
    assert not finder.is_sure


def test_a_cursor_that_looks_otherwise_is_learnt_anew() -> None:
    finder = CursorFinder()
    walked(finder, "RRDDRDLU")
    first = finder.look
    before = shown(12, 12, look=5)
    finder.start_level(before.pixels)
    lost = finder.at
    assert lost is None
    for k in range(1, 5):
        after = shown(12 + 5 * k, 12, look=5)
        finder.move(4, before, after)
        before = after
    assert finder.look != first
    assert (finder.at, finder.step(0)) == ((32, 12), 5)
