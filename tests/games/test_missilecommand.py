"""Missile Command, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, play, start, wait, where

MISSILES = ("rocket", "comet")


@pytest.mark.parametrize("kind", "rm")
def test_a_missile_destroyed_is_worth_two_points_and_the_last_one_wins(kind: str) -> None:
    state = play("missilecommand", ["........", f"A...{kind}...", "......c.", "xxxxxxxx"], "USE")
    wait(state, 10)
    assert (state.winner, state.score) == (1, 2)


def test_a_missile_that_destroys_a_city_costs_a_point_and_the_last_city_the_game() -> None:
    state = start("missilecommand", ["..r.r...A", ".........", "..c...c..", "xxxxxxxxx"])
    while len(where(state, "city")) == 2:
        wait(state, 1)
    assert (state.score, state.is_over, len(where(state, *MISSILES))) == (-1, False, 1)
    wait(state)
    assert (state.winner, state.score) == (0, -2)


def test_one_city_that_survives_is_enough() -> None:
    state = wait(start("missilecommand", ["..r.....A", ".........", "..c...c..", "xxxxxxxxx"]))
    assert (state.winner, state.score, where(state, "city")) == (1, -1, [(6, 2)])


def test_missiles_fly_to_the_nearest_city() -> None:
    state = start("missilecommand", ["c..........c", ".......r....", "............", "c.........Ac", "xxxxxxxxxxxx"])
    wait(state)
    assert where(state, "city") == [(0, 0), (0, 3), (11, 3)]


def test_comets_fall_twice_as_fast_as_rockets() -> None:
    state = start("missilecommand", ["r....m...A", *[".........."] * 8, "c....c....", "xxxxxxxxxx"])
    wait(state, 30)
    assert where(state, "rocket") == [(0, 3)]
    assert where(state, "comet") == [(5, 6)]


@pytest.mark.parametrize(("bay", "kind", "number"), [("R", "rocket", 4), ("C", "comet", 3)])
def test_a_bay_launches_its_missiles_and_the_game_lasts_until_the_last_one(bay: str, kind: str, number: int) -> None:
    state = start("missilecommand", [bay + "." * 59, *["." * 60] * 28, "." * 57 + "cAc"])
    seen = 0
    while where(state, "rocketbay", "cometbay"):
        assert not state.is_over
        wait(state, 1)
        seen = max(seen, len(where(state, kind)))
    assert seen == number
    assert not state.is_over


def test_there_is_one_shell_at_a_time_and_it_flies_where_the_interceptor_faces() -> None:
    state = play("missilecommand", ["..........", ".A.......r", "..........", "........c.", "xxxxxxxxxx"], "USE")
    assert where(state, "shell") == [(2, 1)]
    go(state, "USE USE DOWN")
    assert where(state, "shell") == [(5, 1)]
    state = play("missilecommand", ["..........", ".A.......r", "..........", "........c.", "xxxxxxxxxx"], "DOWN USE")
    assert where(state, "shell") == [(1, 2)]
    go(state, "NIL NIL")
    assert where(state, "shell") == []  # in the ground


def test_the_interceptor_turns_first_then_flies_but_not_into_the_ground_or_off_the_screen() -> None:
    state = start("missilecommand", ["A.......r", ".........", "......c..", "xxxxxxxxx"])
    seen = []
    for action in ("DOWN", "DOWN", "DOWN", "DOWN", "LEFT", "LEFT", "RIGHT", "RIGHT"):
        go(state, action)
        seen += where(state, "interceptor")
    assert seen == [(0, 0), (0, 1), (0, 2), (0, 2), (0, 2), (0, 2), (0, 2), (1, 2)]


def test_every_level_has_more_missiles_than_the_one_before_and_more_than_cities() -> None:
    coming = {"r": 1, "m": 1, "R": 4, "C": 3}
    numbers = []
    for rows in levels("missilecommand"):
        text = "".join(rows)
        numbers.append(sum(coming.get(letter, 0) for letter in text))
        assert numbers[-1] > text.count("c")
    assert numbers == sorted(set(numbers))
