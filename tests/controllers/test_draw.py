"""What controllers show to viewers: a value for each action that they considered."""

from __future__ import annotations

from typing import Any

import pytest

import vgdl
from small_games import calls, unlimited
from vgdl import Meter
from vgdl.controllers.registry import load
from vgdl.play.players import Drawn

SHOWING = (
    "olets", "samplemcts", "openloopmcts", "normal_mcts", "mn_mcts", "mmbot",
    "samplega", "testgag", "yraid", "onesteplookahead",
)  # fmt: skip


@pytest.mark.parametrize("name", SHOWING)
def test_the_answer_is_among_the_actions_that_are_shown(name: str) -> None:
    state = vgdl.load("aliens").start(level=0, seed=1)
    state.meter = Meter()
    make: Any = load(name)
    player = make(state, unlimited(), seed=1)
    assert player.draw() == {}
    answer = player.act(state.copy(seed=2), calls(state, 400))
    shown = player.draw()
    assert set(shown) == set(state.available_actions)
    assert answer in shown
    assert isinstance(player, Drawn)
    assert all(isinstance(value, float) for value in shown.values())


@pytest.mark.parametrize("name", ["olets", "samplemcts", "onesteplookahead"])
def test_an_action_that_wins_is_shown_as_the_best(name: str) -> None:
    state = vgdl.load("sokoban").start(level="xxxxxx\nxA$o.x\nxxxxxx", seed=1)
    state.meter = Meter()
    make: Any = load(name)
    player = make(state, unlimited(), seed=1)
    answer = player.act(state.copy(seed=2), calls(state, 400))
    shown = player.draw()
    assert answer == vgdl.Action.RIGHT
    assert max(shown, key=shown.__getitem__) == vgdl.Action.RIGHT
