"""Infection: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, play, start, wait, where

WALL = "x" * 12


@pytest.mark.parametrize("source", ["b", "i"])
def test_bugs_and_infected_animals_infect_the_player(source: str) -> None:
    state = play("infection", [WALL, f"xA{source}xxxxxxxhx", WALL], "RIGHT")
    assert (len(where(state, "ill")), where(state, "well")) == (1, [])
    assert state.score == 0


def test_an_ill_player_infects_healthy_animals_for_two_points_each() -> None:
    state = play("infection", [WALL, "xAb.xhxxxxhx", "xxxxx.xxxxxx", WALL], "RIGHT")
    assert state.score == 0
    state = start("infection", [WALL, "xbhxxxxxxxhx", "xAxxxxxxxxxx", WALL])
    go(state, "UP")
    for _ in range(30):
        if state.score == 0:
            go(state, "RIGHT")
    assert state.score == 2
    assert len(where(state, "infected")) == 1
    assert not state.is_over


def test_a_healthy_player_does_not_infect() -> None:
    state = start("infection", [WALL, "xAhxxxxxxxhx", WALL])
    wait(state, 100)
    assert (state.score, len(where(state, "healthy"))) == (0, 2)


def test_medics_run_to_infected_animals_and_cure_them() -> None:
    state = start("infection", [WALL, "xAx.......hx", "xxxm.....ixx", WALL])
    wait(state, 100)
    assert where(state, "infected") == []
    assert len(where(state, "healthy")) == 2
    assert state.score == 0


def test_being_cured_costs_a_point() -> None:
    state = start("infection", [WALL, "xbxxxxxxxxhx", "xAmxxxxxxxxx", WALL])
    go(state, "UP DOWN")
    assert len(where(state, "ill")) == 1
    for _ in range(100):
        if state.score == 0:
            go(state, "NIL")
    assert (state.score, len(where(state, "well"))) == (-1, 1)


def test_the_sword_kills_medics_for_two_points_each() -> None:
    state = play("infection", [WALL, "xAmxxxxxxxhx", WALL], "USE")
    assert (state.score, where(state, "medic")) == (2, [])


def test_a_ward_sends_new_medics_for_a_while() -> None:
    state = start("infection", [WALL, "xAx.+.....hx", WALL])
    wait(state, 50)
    assert len(where(state, "medic")) == 1
    wait(state, 1900)
    assert (len(where(state, "medic")), where(state, "ward")) == (10, [])


def test_when_no_animal_is_healthy_the_game_is_won() -> None:
    state = start("infection", [WALL, "xbhxxxxxxxxx", "xAxxxxxxxxxx", WALL])
    go(state, "UP")
    for _ in range(30):
        if not state.is_over:
            go(state, "RIGHT")
    assert (state.winner, state.score) == (1, 2)
