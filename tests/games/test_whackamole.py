"""Whackamole: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, start, wait, where

HEDGE = "x" * 12


def test_moles_look_out_of_their_holes_for_a_while() -> None:
    state = start("whackamole", [HEDGE, "xAx..o..O..x", HEDGE])
    holes, looks = set(where(state, "burrow", "den")), []
    for _ in range(300):
        go(state, "NIL")
        looks.append(set(where(state, "mole")))
        assert looks[-1] <= holes
    assert set.union(*looks) == holes
    assert set() in looks


def test_a_mole_that_is_touched_is_caught_for_a_point() -> None:
    state = start("whackamole", [HEDGE, "xA.o.......x", HEDGE])
    while state.tick < 200 and not where(state, "mole"):
        go(state, "NIL")
    go(state, "RIGHT RIGHT")
    assert (state.score, where(state, "mole")) == (1, [])


@pytest.mark.parametrize("cat", ["1", "2"])
def test_a_cat_chases_the_nearest_mole_and_catching_it_costs_a_point(cat: str) -> None:
    state = start("whackamole", [HEDGE, "xAxo......ox", "xxxxxxxx...x", f"xxxxxxxx..{cat}x", HEDGE])
    while state.tick < 400 and state.score == 0:
        go(state, "NIL")
    assert state.score == -1
    assert where(state, "lazy", "wild") == [(10, 1)]


def test_a_cat_chases_the_gardener_if_nothing_is_nearer_and_black_ones_are_faster() -> None:
    def way(cat: str) -> float:
        state = start("whackamole", ["x" * 30, "xA" + "." * 26 + f"{cat}x", "x" * 30])
        wait(state, 24)
        ((column, _),) = where(state, "lazy", "wild")
        return 28 - column

    assert way("2") > way("1") > 0


def test_being_caught_by_a_cat_loses_the_game_and_five_points() -> None:
    state = start("whackamole", [HEDGE, "x2A.........", HEDGE])
    wait(state, 100)
    assert (state.winner, state.score) == (0, -5)


def test_surviving_500_ticks_wins() -> None:
    state = start("whackamole", [HEDGE, "xAx.......2x", HEDGE])
    wait(state, 500)
    assert not state.is_over
    wait(state, 1)
    assert (state.tick, state.winner) == (500, 1)


def test_hedges_block_gardener_and_cats() -> None:
    state = start("whackamole", [HEDGE, "xAx2xxxxxxxx", HEDGE])
    go(state, "UP LEFT DOWN RIGHT")
    wait(state, 50)
    assert where(state, "gardener", "wild") == [(1, 1), (3, 1)]


@pytest.mark.parametrize("key", ["NIL", "LEFT", "UP LEFT"])
def test_a_cat_finds_its_way_round_a_hedge_even_to_a_gardener_who_pushes_against_one(key: str) -> None:
    state = start("whackamole", [HEDGE, "xA.x.......x", "x..x.......x", "x..x...x.2.x", "x......x...x", HEDGE])
    while state.tick < 60 and not state.is_over:
        go(state, key)
    assert state.winner == 0


def test_the_cats_of_each_level_are_faster_in_total_than_those_of_the_one_before() -> None:
    paces = {"1": 1 / 4, "2": 1 / 2}
    totals = [sum(paces.get(letter, 0) for row in rows for letter in row) for rows in levels("whackamole")]
    assert totals == sorted(set(totals))
