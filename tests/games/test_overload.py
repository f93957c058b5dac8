"""Overload: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, play, start, wait, where

ROCK = "x" * 16


@pytest.mark.parametrize(("coins", "winner"), [(9, -1), (10, 1)])
def test_coins_are_a_point_each_and_the_gate_opens_for_ten(coins: int, winner: int) -> None:
    state = play("overload", [ROCK, f"xA{'c' * coins}E{'.' * (12 - coins)}x", ROCK], "RIGHT " * coins)
    assert (state.score, state.is_over) == (coins, False)
    go(state, "RIGHT")
    assert (state.score, state.winner) == (coins, winner)
    if not state.is_over:
        assert where(state, "bare") == [(1 + coins, 1)]


@pytest.mark.parametrize(("coins", "winner"), [(0, -1), (4, -1), (5, 0), (9, 0)])
def test_the_bog_can_be_crossed_with_up_to_four_coins(coins: int, winner: int) -> None:
    state = play("overload", [ROCK, f"xA{'c' * coins}b{'.' * (11 - coins)}Ex", ROCK], "RIGHT " * (coins + 1))
    assert (state.winner, state.score) == (winner, coins)


def test_the_sword_is_worth_two_points() -> None:
    state = play("overload", [ROCK, "xAs..........E.x", ROCK], "RIGHT")
    assert (state.score, where(state, "sword"), where(state, "armed")) == (2, [], [(2, 1)])


def test_with_the_sword_a_strike_clears_a_piece_of_bog_for_a_point() -> None:
    state = play("overload", [ROCK, "xAsbb........E.x", ROCK], "RIGHT USE")
    assert (state.score, where(state, "bog")) == (3, [(4, 1)])


def test_picking_up_the_sword_keeps_coins_and_direction() -> None:
    state = play("overload", [ROCK, "xbscccA......E.x", ROCK], "LEFT LEFT LEFT LEFT USE")
    assert state.avatar is not None
    assert list(state.avatar.resources.values()) == [3]
    assert (state.score, where(state, "bog")) == (6, [])


def test_without_the_sword_use_does_nothing() -> None:
    state = play("overload", [ROCK, "xAbb.........E.x", ROCK], "USE NIL USE")
    assert (state.score, where(state, "bog")) == (0, [(2, 1), (3, 1)])


def test_a_strike_kills_a_leech() -> None:
    state = play("overload", [ROCK, "xAsl.........E.x", ROCK], "RIGHT USE")
    assert (state.score, where(state, "leech")) == (2, [])


def test_a_leech_that_touches_kills() -> None:
    state = start("overload", [ROCK, "xAlx.........E.x", ROCK])
    wait(state)
    assert state.winner == 0
    assert state.tick < 300


def test_rocks_block_everything() -> None:
    state = play("overload", [ROCK, "xAxlx........E.x", ROCK], "RIGHT LEFT UP DOWN")
    wait(state, 50)
    assert where(state, "bare", "leech") == [(3, 1), (1, 1)]
