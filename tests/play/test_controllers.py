"""Watching controllers and their values of actions."""

from __future__ import annotations

import math
from pathlib import Path

import pygame
import pytest

from play.conftest import screen_of
from play.window import Open, Window
from vgdl import Action
from vgdl.play.hud import shares_of
from vgdl.play.players import ACTION_MS, Machine
from vgdl.play.playing import PlayScreen


def machine(window: Window) -> Machine:
    found = screen_of(window, PlayScreen).match.players[0]
    assert isinstance(found, Machine)
    return found


def test_a_controller_plays(opened: Open) -> None:
    window = opened("race.txt", "--controller", "players.py:Right")
    window.hold(pygame.K_LEFT)  # it does not affect it
    window.ticks(4)
    assert screen_of(window, PlayScreen).match.outcome == "You won!"


@pytest.mark.parametrize(
    ("values", "shares"),
    [
        ((1.0, 2.0, 3.0), (0.0, 0.5, 1.0)),
        ((2.0, 2.0), (1.0, 1.0)),
        ((1.0, math.nan, 2.0, math.inf, -math.inf), (0.0, 0.0, 1.0, 1.0, 0.0)),
        ((-1.7e308, 0.0, 1.7e308), (0.0, 0.5, 1.0)),
        ((math.nan,), (0.0,)),
        ((), ()),
    ],
)
def test_any_values_have_bars(values: tuple[float, ...], shares: tuple[float, ...]) -> None:
    """Searches value actions that they have not visited as infinite, or divide by zero."""
    found = shares_of(dict(zip(Action, values, strict=False)))
    assert tuple(found.values()) == shares


def test_a_window_shows_values_that_are_no_numbers(opened: Open, folder: Path) -> None:
    (folder / "odd.py").write_text(ODD)
    window = opened("race.txt", "--controller", "odd.py:Odd")
    window.ticks(2)
    assert set(machine(window).values) == {Action.LEFT, Action.RIGHT, Action.USE}
    assert not screen_of(window, PlayScreen).match.failure


ODD = """
from vgdl import Action
from vgdl.controllers import Controller

class Odd(Controller):
    def act(self, state, timer):
        return Action.NIL

    def draw(self):
        return {Action.RIGHT: float("inf"), Action.LEFT: float("nan"), Action.USE: 1.0}
"""


def test_its_values_are_shown_and_can_be_hidden(opened: Open) -> None:
    window = opened("race.txt", "--controller", "players.py:Right", "--paused")
    window.press(pygame.K_PERIOD)
    assert machine(window).values == {Action.RIGHT: 2.5, Action.LEFT: -1.0, Action.UP: 0.0}
    shown = window.pixels()
    machine(window).values = {Action.RIGHT: 2.5, Action.LEFT: 2.0, Action.UP: 0.0}
    window.wait()
    assert window.pixels() != shown
    board = screen_of(window, PlayScreen).board.rect
    window.press(pygame.K_v)
    assert screen_of(window, PlayScreen).board.rect.width >= board.width
    assert screen_of(window, PlayScreen).board.rect.centerx == pytest.approx(400, abs=1)


def test_a_controller_without_values_can_be_watched(opened: Open) -> None:
    window = opened("race.txt", "--controller", "players.py:Silent")
    window.ticks(2)
    assert (machine(window).answered, machine(window).values) == (Action.RIGHT, {})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Broken", "RuntimeError: out of ideas"),
        ("Stillborn", "RuntimeError: no wish to play"),
        ("Leaving", "SystemExit: 3"),
    ],
)
def test_a_failing_controller_ends_the_play_and_says_why(
    opened: Open, name: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    window = opened("race.txt", "--controller", f"players.py:{name}")
    window.ticks(2)
    match = screen_of(window, PlayScreen).match
    assert match.is_over
    assert match.outcome == "The game stopped"
    assert reason in match.failure
    assert "players.py" in match.failure
    traceback = capfd.readouterr().err
    assert f"players.py:{name} failed:\nTraceback" in traceback or f"{name} failed:\nTraceback" in traceback
    assert traceback.rstrip().endswith(reason)
    assert "vgdl/play/players.py" not in traceback


def test_a_bundled_controller_keeps_to_its_time(opened: Open) -> None:
    window = opened("race.txt", "--controller", "samplemcts", "--seed", "3")
    window.ticks(2)
    assert 1 < machine(window).used_ms < 2 * ACTION_MS


def test_it_does_not_see_the_real_future(opened: Open) -> None:
    window = opened("race.txt", "--controller", "players.py:Silent", "--seed", "3")
    state = screen_of(window, PlayScreen).match.state
    assert machine(window).shown(state).generator != state.generator


def test_plays_of_controllers_are_saved_only_if_wanted(opened: Open, folder: Path) -> None:
    opened("race.txt", "--controller", "players.py:Right").ticks(5)
    assert not (folder / "data").exists()
    opened("race.txt", "--controller", "players.py:Right", "--replays", "kept").ticks(5)
    assert len(list((folder / "kept").iterdir())) == 1
