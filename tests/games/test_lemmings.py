"""Lemmings, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import play, start, wait, where


def tunnel(row: str, below: str = "") -> list[str]:
    """A tunnel between rocks, and a separate shaft for the digger."""
    return ["x" * len(row), row, below or "x" * len(row), "xA" + "-" * (len(row) - 3) + "x", "x" * len(row)]


def test_24_lemmings_climb_out_of_the_hatch() -> None:
    state = wait(start("lemmings", tunnel("xH.-.Ex")), 400)
    assert where(state, "lemming") == [(2, 1)] * 24
    assert where(state, "hatch") == []


def test_a_lemming_gives_five_points_at_home_and_20_win() -> None:
    state = start("lemmings", tunnel("xH..Ex"))
    scores = []
    while not state.is_over:
        scores.append(wait(state, 1).score)
    assert sorted(set(scores)) == [5.0 * count for count in range(21)]
    assert state.winner == 1


@pytest.mark.parametrize("stop", ["-", "x"])
def test_earth_and_rock_stop_lemmings_and_they_never_go_around(stop: str) -> None:
    rows = ["xxxxxxxxx", f"xH..{stop}..Ex", "x.......x", "xxxxxxxxx", "xA------x", "xxxxxxxxx"]
    state = wait(start("lemmings", rows), 1000)
    assert set(where(state, "lemming")) == {(3, 1)}
    assert state.score == 0


def test_digging_costs_two_points_a_cell_and_opens_the_way() -> None:
    state = play(
        "lemmings", ["xxxxxxx", "xA-.--x", "xxxxxxx", "xH-E..x", "xxxxxxx"], "USE RIGHT NIL NIL RIGHT RIGHT USE"
    )
    assert where(state, "earth") == [(5, 1), (2, 3)]
    assert state.score == -4
    assert where(state, "digger") == [(3, 1)]


def test_the_spade_does_nothing_to_rock() -> None:
    state = play("lemmings", ["xxxxxx", "xAx..x", "xH-E.x", "xxxxxx"], "USE NIL NIL RIGHT")
    assert where(state, "digger") == [(1, 1)]
    assert state.score == 0


def test_a_lemming_in_a_pit_is_lost_and_costs_three_points() -> None:
    state = start("lemmings", tunnel("xH.o.Ex"))
    while state.score == 0:
        wait(state, 1)
    assert state.score == -3
    assert (2, 1) not in where(state, "lemming")


def test_when_no_lemming_is_left_the_game_is_lost() -> None:
    state = wait(start("lemmings", tunnel("xHo.Ex")), 400)
    assert (state.winner, state.score) == (0, -72)
    assert state.tick < 400


def test_when_the_time_is_over_the_game_is_lost() -> None:
    state = wait(start("lemmings", tunnel("xH-Ex")), 1000)
    assert not state.is_over
    assert wait(state, 1).winner == 0


def test_falling_into_a_pit_loses_the_game_and_ten_points() -> None:
    state = play("lemmings", ["xxxxxx", "xAo..x", "xHx.Ex", "xxxxxx"], "RIGHT")
    assert (state.winner, state.score) == (0, -10)
