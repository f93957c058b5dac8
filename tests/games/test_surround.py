"""Surround, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, play, start, wait, where

FIELD = ["xxxxxxxxx", "xA......x", "x.......x", "xxxxxxxxx"]

ROUND = [
    *["x" * 24],
    "xA" + "." * 21 + "x",
    "x" + "." * 22 + "x",
    *["x" * 24],
]  # 44 cells, and a path through all of them
WAY = " ".join(["RIGHT"] * 21 + ["DOWN"] + ["LEFT"] * 21)


def test_a_cell_gives_a_point_at_the_first_visit() -> None:
    state = start("surround", FIELD)
    seen = [go(state, action).score for action in ("NIL", "RIGHT", "NIL", "DOWN", "DOWN")]
    assert seen == [0, 1, 1, 2, 2]


def test_every_step_leaves_a_trail_behind() -> None:
    state = play("surround", FIELD, "RIGHT RIGHT DOWN NIL DOWN")
    assert where(state, "runner") == [(3, 2)]
    assert sorted(where(state, "trail")) == [(1, 1), (2, 1), (3, 1)]


def test_the_trail_kills() -> None:
    state = play("surround", FIELD, "RIGHT RIGHT LEFT")
    assert (state.winner, state.score) == (0, 2)


def test_a_hunter_kills() -> None:
    state = wait(start("surround", ["xxxxxx", "xA..hx", "xxxxxx"]))
    assert (state.winner, state.score) == (0, 0)


def test_hunters_follow_at_half_the_speed() -> None:
    state = start("surround", ["x" * 24, "xh" + "." * 10 + "A" + "." * 10 + "x", "x" * 24])
    go(state, "RIGHT " * 10)
    assert where(state, "runner") == [(22, 1)]
    assert where(state, "hunter") == [(6, 1)]


def test_hunters_do_not_cross_the_trail() -> None:
    state = play("surround", ["xxxxxxxx", "xh.A...x", "xxxxxxxx"], "RIGHT RIGHT")
    wait(state, 600)
    assert (state.tick, state.winner) == (500, 0)
    assert where(state, "hunter") == [(2, 1)]


@pytest.mark.parametrize(("steps", "winner"), [(39, 0), (40, 1)])
def test_the_flag_ends_the_game_and_a_trail_of_40_cells_wins(steps: int, winner: int) -> None:
    state = start("surround", ROUND)
    go(state, " ".join(WAY.split()[:steps]))
    assert len(where(state, "trail")) == steps
    assert not state.is_over
    go(state, "USE")
    assert (state.winner, state.score) == (winner, steps)


def test_the_flag_may_be_placed_in_a_wall() -> None:
    state = play("surround", ["xxxx", "xA.x", "xxxx"], "RIGHT USE")
    assert state.winner == 0


def test_when_the_time_is_over_the_game_is_lost() -> None:
    state = wait(start("surround", FIELD), 500)
    assert not state.is_over
    assert wait(state, 1).winner == 0


def test_levels_have_more_and_more_hunters() -> None:
    hunters = ["".join(rows).count("h") for rows in levels("surround")]
    assert hunters == [1, 2, 3, 4, 6]
