"""States made from observations: `vgdl.placing`."""

from __future__ import annotations

import random

import numpy as np
import pytest

import vgdl
from vgdl.placing import open_board, place


def _shown(state: vgdl.StateObservation) -> list[tuple[int, int, int]]:
    return sorted((int(row["type"]), int(row["x"]), int(row["y"])) for row in state.arrays)


@pytest.mark.parametrize("name", ["sokoban", "aliens", "roguelike", "frogs"])
def test_placed_state_has_the_same_future_as_the_observed_one(name: str) -> None:
    game = vgdl.load(name)
    board = open_board(game, game.levels[0].read_text())
    draws = random.Random(1)
    state = game.start(0, seed=3)
    shadow = place(board, state, seed=3)
    same = ticks = 0
    while not state.is_over and ticks < 60:
        action = draws.choice(state.actions_of(0, nil=True))
        state.advance(action)
        shadow.advance(action)
        same += _shown(shadow) == _shown(state)
        ticks += 1
        shadow = place(board, state, before=shadow)
    assert same >= ticks - 1


def test_place_shows_what_was_observed() -> None:
    game = vgdl.load("zelda")
    state = game.start(0, seed=5)
    state.rollout([vgdl.Action.LEFT, vgdl.Action.USE, vgdl.Action.DOWN] * 5)
    placed = place(open_board(game, game.levels[0].read_text()), state)
    avatar, seen = placed.avatar, state.avatar
    assert _shown(placed) == _shown(state)
    assert avatar is not None
    assert seen is not None
    assert (avatar.orientation, avatar.resources, avatar.health) == (seen.orientation, seen.resources, seen.health)
    assert (placed.tick, placed.score, placed.winner) == (state.tick, state.score, state.winner)


def test_placed_state_shares_nothing_with_what_was_expected() -> None:
    game = vgdl.load("sokoban")
    board = open_board(game, game.levels[0].read_text())
    state = game.start(0, seed=1)
    expected = place(board, state)
    placed = place(board, state, before=expected)
    kept = expected.to_bytes()
    placed.advance(vgdl.Action.LEFT)
    assert expected.to_bytes() == kept


def test_board_of_another_size_is_refused() -> None:
    game = vgdl.load("sokoban")
    board = open_board(game, game.levels[0].read_text())
    other = vgdl.load("aliens").start(0, seed=1)
    with pytest.raises(ValueError, match="expected a screen"):
        place(board, other)


def test_board_that_is_not_open_is_refused() -> None:
    game = vgdl.load("sokoban")
    with pytest.raises(ValueError, match="open to all types"):
        place(game.board(0), game.start(0, seed=1))


def test_ids_that_occur_twice_are_refused() -> None:
    from vgdl.core.placing import place as place_array

    game = vgdl.load("sokoban")
    board = open_board(game, game.levels[0].read_text())
    arrays = np.concatenate([game.start(0, seed=1).arrays] * 2)
    with pytest.raises(ValueError, match="distinct ids"):
        place_array(board.tables, arrays)
