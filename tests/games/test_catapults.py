"""Catapults, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, play, start, wait, where

FIELD = ["xxxxxxxxx", "x.......x", "x~~~~~~~x", "x...~...x", "x...~.E.x", "xxxxxxxxx"]


def with_letter(letter: str, column: int, row: int) -> list[str]:
    """The field with a catapult, and the walker on its left."""
    rows = list(FIELD)
    rows[row] = rows[row][: column - 1] + "A" + letter + rows[row][column + 1 :]
    return rows


@pytest.mark.parametrize(
    ("letter", "column", "row", "landing"),
    [("n", 2, 3, (2, 1)), ("w", 5, 1, (1, 1)), ("s", 2, 1, (2, 4)), ("e", 2, 1, (7, 1))],
)
def test_a_catapult_throws_in_its_direction_until_a_cliff(
    letter: str, column: int, row: int, landing: tuple[int, int]
) -> None:
    state = wait(play("catapults", with_letter(letter, column, row), "RIGHT"), 12)
    assert where(state, "walker") == [landing]
    assert not state.is_over


def test_a_throw_gives_a_point_and_uses_the_catapult_up() -> None:
    state = play("catapults", with_letter("e", 2, 1), "RIGHT")
    assert (state.score, where(state, "eastward")) == (1, [])


def test_a_flyer_cannot_steer() -> None:
    state = play("catapults", with_letter("e", 2, 1), "RIGHT DOWN DOWN UP LEFT DOWN")
    assert where(state, "east") == [(6, 1)]


def test_after_landing_the_walker_walks_on() -> None:
    state = wait(play("catapults", with_letter("s", 2, 1), "RIGHT"), 12)
    assert where(go(state, "LEFT UP"), "walker") == [(1, 3)]


def test_landing_on_another_catapult_throws_again() -> None:
    rows = ["xxxxxxxxx", "xAe...s.x", "x~~~~~~~x", "x.......x", "x......Ex", "xxxxxxxxx"]
    state = wait(play("catapults", rows, "RIGHT"), 15)
    assert where(state, "walker") == [(6, 4)]
    assert state.score == 2


@pytest.mark.parametrize("row", ["xA.E~...x", "xAe~~E..x"])
def test_walking_or_flying_into_the_castle_wins_and_gives_ten_points(row: str) -> None:
    state = wait(play("catapults", ["xxxxxxxxx", row, "xxxxxxxxx"], "RIGHT RIGHT"), 10)
    assert state.winner == 1
    assert state.score == 10 + row.count("e")


@pytest.mark.parametrize("row", ["xA~....Ex", "xAe..~x.x"])
def test_falling_into_the_water_loses_the_game_and_a_point(row: str) -> None:
    state = wait(play("catapults", ["xxxxxxxxx", row, "x......Ex", "xxxxxxxxx"], "RIGHT"), 10)
    assert state.winner == 0
    assert state.score == row.count("e") - 1


def test_a_walker_is_stopped_by_cliffs() -> None:
    state = start("catapults", ["xxxxx", "xA.Ex", "xxxxx"])
    assert where(go(state, "UP LEFT DOWN"), "walker") == [(1, 1)]
