"""Seaquest: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, play, start, wait, where
from vgdl import StateObservation

SKY, CALM, SHIP = "-" * 12, "_" * 12, "_" * 10 + "=_"


def air(state: StateObservation) -> int:
    assert state.avatar is not None
    return state.avatar.health


def passengers(state: StateObservation) -> int:
    assert state.avatar is not None
    return sum(state.avatar.resources.values())


def test_the_submarine_picks_divers_up_and_holds_four() -> None:
    state = play("seaquest", [SKY, SHIP, "xAdddddxxxxx", "xxxxxxxxxxxx"], "RIGHT " * 8)
    assert passengers(state) == 4
    assert len(where(state, "diver")) == 1
    assert state.score == 0


def test_four_divers_at_the_surface_give_1000_points_and_board_a_ship_and_the_last_ship_wins() -> None:
    rows = [SKY, "________=___", "xAddddxxxxxx", "xxxxxxxxxxxx"]
    state = play("seaquest", rows, "RIGHT RIGHT RIGHT RIGHT")
    assert (state.score, passengers(state)) == (0, 4)
    go(state, "UP")
    assert (state.score, passengers(state), where(state, "boat")) == (1000, 0, [(5, 1)])
    wait(state, 5)
    assert (where(state, "boat"), state.is_over) == ([(7, 1)], False)
    wait(state, 2)
    assert (state.score, state.winner) == (1000, 1)


def test_with_another_ship_waiting_the_game_goes_on() -> None:
    state = play("seaquest", [SKY, "____=______=", "xAddddxxxxxx", "xxxxxxxxxxxx"], "RIGHT RIGHT RIGHT RIGHT UP")
    wait(state, 20)
    assert (state.score, state.is_over, where(state, "ship"), where(state, "boat")) == (1000, False, [(11, 1)], [])


def test_three_divers_are_not_enough() -> None:
    state = play("seaquest", [SKY, "____=_______", "xAdddxxxxxxx", "xxxxxxxxxxxx"], "RIGHT RIGHT RIGHT UP")
    assert (state.score, passengers(state), where(state, "boat")) == (0, 3, [])


def test_four_divers_of_two_trips_are_not_enough_until_all_are_aboard() -> None:
    rows = [SKY, "___________=", "xAdddxdxxxxx", "xxxxxxxxxxxx"]
    state = play("seaquest", rows, "RIGHT RIGHT RIGHT UP")
    assert (state.score, passengers(state)) == (0, 3)
    go(state, "RIGHT RIGHT DOWN")
    assert (state.score, passengers(state)) == (0, 4)
    go(state, "UP")
    assert (state.score, passengers(state)) == (1000, 0)


def test_sharks_and_whales_cross_the_sea_the_sharks_quicker() -> None:
    state = start("seaquest", ["-" * 30, "_" * 29 + "=", "A" + "." * 29, "r" + "." * 29, "." * 30, "." * 29 + "l"])
    go(state, "UP")
    sharks, whales = [], []
    for _ in range(240):
        go(state, "NIL")
        sharks.append(where(state, "shark"))
        whales.append(where(state, "whale"))
    assert {row for found in sharks for _, row in found} == {3}
    assert {row for found in whales for _, row in found} == {5}
    assert max(column for found in sharks for column, _ in found) > 28
    assert min(column for found in whales for column, _ in found) < 1


def test_squids_chase_the_submarine() -> None:
    state = start("seaquest", [SKY, SHIP, "A..........q"])
    wait(state, 79)
    assert state.winner == 0
    assert state.tick < 70


@pytest.mark.parametrize("scene", ["rA", "Al", "Aq"])
def test_any_touch_destroys_the_submarine(scene: str) -> None:
    state = start("seaquest", [SKY, SHIP, "....." + scene + "....."], seed=5_000_000)
    wait(state, 79)  # the air lasts longer
    assert (state.winner, state.score) == (0, 0)


@pytest.mark.parametrize(
    ("scene", "aim"), [("r.....A.....", "LEFT"), (".....A.....l", "RIGHT"), (".....A.....q", "RIGHT")]
)
def test_a_torpedo_kills_an_animal_for_a_point(scene: str, aim: str) -> None:
    state = play("seaquest", [SKY, SHIP, scene], aim, seed=5_000_000)
    while not state.is_over and state.score == 0:
        go(state, "USE")
    assert (state.score, state.is_over) == (1, False)
    assert where(state, "torpedo") == []


def test_a_torpedo_spares_divers() -> None:
    state = play("seaquest", [SKY, SHIP, "A..dxxxxxxxx", "xxxxxxxxxxxx"], "RIGHT USE")
    wait(state, 3)
    assert (state.score, len(where(state, "diver"))) == (0, 1)


def test_the_air_lasts_for_80_ticks_under_water() -> None:
    state = start("seaquest", [SKY, SHIP, "A...........", "............"])
    wait(state, 79)
    assert (air(state), state.is_over) == (1, False)
    wait(state, 1)
    assert (state.winner, air(state)) == (0, 0)


def test_the_air_is_filled_up_at_the_surface() -> None:
    state = start("seaquest", [SKY, SHIP, "A...........", "............"])
    wait(state, 50)
    go(state, "UP")
    assert air(state) == 80
    wait(state, 100)
    assert air(state) == 80


def test_the_submarine_stays_in_the_sea() -> None:
    state = play("seaquest", [SKY, SHIP, "A...........", "............"], "LEFT UP UP UP")
    assert where(state, "submarine") == [(0, 1)]


def test_after_1500_ticks_the_game_is_lost() -> None:
    state = play("seaquest", [SKY, SHIP, "A...........", "............"], "UP")
    wait(state, 1499)
    assert not state.is_over
    wait(state, 1)
    assert (state.tick, state.winner) == (1500, 0)


def test_nothing_blocks_the_exits_of_dens() -> None:
    for rows in levels("seaquest"):
        for row in rows:
            assert "x" not in row or not set("rl") & set(row)
            assert "r" not in row[1:]
            assert "l" not in row[:-1]


def test_later_levels_have_at_least_as_many_dens_squids_and_ships_and_more_of_one_and_enough_divers() -> None:
    threats = [sum(row.count(letter) for row in rows for letter in "rlq") for rows in levels("seaquest")]
    ships = [str(rows).count("=") for rows in levels("seaquest")]
    assert (threats, ships) == (sorted(threats), sorted(ships))
    assert len(set(zip(threats, ships, strict=True))) == 5
    assert all(str(rows).count("d") >= 4 * str(rows).count("=") for rows in levels("seaquest"))
