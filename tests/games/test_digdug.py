"""Digdug: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, play, start, wait, where

ROCK = "x" * 12


def test_soil_is_dug_away() -> None:
    state = play("digdug", [ROCK, "xAss....xxGx", ROCK], "RIGHT")
    assert (where(state, "digger"), where(state, "soil")) == ([(2, 1)], [(3, 1)])


def test_gems_are_a_point_each_and_coins_none_and_all_of_them_win() -> None:
    state = play("digdug", [ROCK, "xAgCGc.....x", ROCK], "RIGHT RIGHT RIGHT")
    assert (state.score, state.is_over) == (2, False)
    go(state, "RIGHT")
    assert (state.score, state.winner) == (2, 1)


def test_a_monster_that_touches_kills_and_costs_a_point() -> None:
    state = start("digdug", [ROCK, "xAmxxxxxxxGx", ROCK])
    wait(state, 300)
    assert (state.winner, state.score) == (0, -1)


def test_monsters_stay_in_the_tunnels() -> None:
    state = start("digdug", [ROCK, "xsm.sxxxxxxx", "xssssxxxAxGx", ROCK])
    places = set()
    for _ in range(100):
        go(state, "NIL")
        places |= set(where(state, "monster"))
    assert places == {(2, 1), (3, 1)}


def test_two_strikes_in_a_row_set_a_boulder_rolling_until_it_meets_an_obstacle() -> None:
    state = play("digdug", [ROCK, "xAO....s..Gx", ROCK], "USE")
    assert (where(state, "loose"), where(state, "rolling")) == ([(2, 1)], [])
    go(state, "USE")
    assert where(state, "rolling") == [(2, 1)]
    wait(state, 2)
    assert where(state, "rolling") == [(2.5, 1)]
    wait(state, 10)
    assert (where(state, "boulder"), where(state, "soil")) == ([(6, 1)], [(7, 1)])


@pytest.mark.parametrize("stop", ["x", "s", "O"])
def test_rock_soil_and_other_boulders_stop_a_boulder(stop: str) -> None:
    state = play("digdug", [ROCK, f"xAO...{stop}...Gx", ROCK], "USE USE")
    wait(state, 10)
    assert (where(state, "rolling"), (5, 1) in where(state, "boulder")) == ([], True)


def test_strikes_with_a_pause_between_do_nothing() -> None:
    state = play("digdug", [ROCK, "xAO....s..Gx", ROCK], "USE NIL USE NIL NIL NIL")
    assert (where(state, "boulder"), where(state, "loose"), where(state, "rolling")) == ([(2, 1)], [], [])


def test_a_boulder_rolls_the_way_it_was_struck() -> None:
    state = play("digdug", [ROCK, "x...OAxxxxGx", ROCK], "LEFT USE USE")
    wait(state, 10)
    assert where(state, "boulder") == [(1, 1)]


def test_every_monster_in_the_way_of_a_boulder_is_killed_for_two_points() -> None:
    for seed in range(20):
        state = play("digdug", [ROCK, "xAO.mm....Gx", ROCK], "USE USE", seed=seed)
        wait(state, 20)
        assert (state.score, where(state, "monster", "rolling")) == (4, [])


def test_a_boulder_blocks_the_way() -> None:
    state = play("digdug", [ROCK, "xAO.......Gx", ROCK], "RIGHT RIGHT")
    assert where(state, "digger") == [(1, 1)]


def test_later_levels_have_at_least_as_much_treasure_and_as_many_monsters_and_more_of_one() -> None:
    treasure = [sum(row.count(letter) for row in rows for letter in "gGcC") for rows in levels("digdug")]
    monsters = [str(rows).count("m") for rows in levels("digdug")]
    assert (treasure, monsters) == (sorted(treasure), sorted(monsters))
    assert len(set(zip(treasure, monsters, strict=True))) == 5
