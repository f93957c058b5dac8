"""A controller that is given a state of another game than its own says so: what it has allocated does not fit."""

from typing import Any

import pytest

import vgdl
from small_games import calls
from vgdl import Meter
from vgdl.controllers import load

#: Those that keep what they allocated for a game from tick to tick.
KEEPERS = ("champion", "mmbot", "mn_mcts", "testgag", "yraid")


@pytest.mark.parametrize("name", KEEPERS)
def test_another_game_is_refused(name: str) -> None:
    mine, other = vgdl.load("zelda").start(0, seed=1), vgdl.load("roguelike").start(0, seed=1)
    mine.meter = other.meter = Meter()
    entry: Any = load(name)
    controller = entry(mine, calls(mine, 50), seed=1)
    controller.act(mine, calls(mine, 50))
    with pytest.raises(ValueError, match="that the search was made for"):
        controller.act(other, calls(other, 50))
