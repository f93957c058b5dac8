"""Roguelike, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, play, start, wait, where
from vgdl import StateObservation


def room(row: str) -> list[str]:
    """A corridor with that row in it, and the stairs out of reach."""
    return ["x" * len(row), row, "x" * len(row), "xE" + "x" * (len(row) - 2)]


def health(state: StateObservation) -> int:
    assert state.avatar is not None
    return state.avatar.health


def test_the_stairs_win_and_give_ten_points() -> None:
    state = play("roguelike", ["xxxxx", "xA.Ex", "xxxxx"], "RIGHT RIGHT")
    assert (state.winner, state.score) == (1, 10)


def test_gold_and_keys_give_a_point_each() -> None:
    assert play("roguelike", room("xAgkgx"), "RIGHT RIGHT RIGHT").score == 3


def test_a_key_opens_one_lock_for_a_point() -> None:
    state = play("roguelike", room("xAkL.L.x"), "RIGHT RIGHT RIGHT RIGHT RIGHT RIGHT RIGHT RIGHT")
    assert where(state, "lock") == [(5, 1)]
    assert where(state, "unarmed") == [(4, 1)]
    assert state.score == 2


def test_without_a_key_a_lock_stays_closed() -> None:
    state = play("roguelike", room("xAL..x"), "RIGHT RIGHT")
    assert (where(state, "unarmed"), where(state, "lock")) == ([(1, 1)], [(2, 1)])


def test_use_does_nothing_before_the_sword_is_found() -> None:
    state = play("roguelike", room("xAs..x"), "USE")
    assert where(state, "slash") == []
    go(state, "RIGHT")
    assert state.score == 2
    go(state, "USE")
    assert where(state, "slash") == [(3, 1)]


@pytest.mark.parametrize(("foe", "points"), [("S", 2), ("W", 3)])
def test_a_strike_kills_and_gives_points(foe: str, points: int) -> None:
    state = play("roguelike", room(f"xAs{foe}x"), "RIGHT USE")
    assert where(state, "spider", "wraith") == []
    assert state.score == 2 + points


@pytest.mark.parametrize(("foe", "cost"), [("S", 1), ("W", 3)])
def test_touching_a_foe_costs_health_once_and_pushes_back(foe: str, cost: int) -> None:
    state = start("roguelike", room(f"xA{foe}x"))
    assert health(state) == 10
    go(state, "RIGHT")
    assert health(state) == 10 - cost
    assert where(state, "unarmed") == [(1, 1)]
    assert where(state, "spider", "wraith") == [(2, 1)]


def test_spiders_wander_about_between_the_walls() -> None:
    state = start("roguelike", ["xxxxxxxx", "xAxS...x", "xxx....x", "xE.....x", "xxxxxxxx"])
    seen = set()
    for _ in range(300):
        seen |= set(where(wait(state, 1), "spider"))
    assert len(seen) > 6
    assert all(1 <= column <= 6 and 1 <= row <= 3 for column, row in seen)


def test_wraiths_come_through_the_walls() -> None:
    state = wait(start("roguelike", room("xA.xxxWx")), 40)
    assert health(state) < 10


def test_wraiths_do_not_notice_a_distant_hero() -> None:
    state = start("roguelike", room("xA" + "x" * 40 + "W" + "x" * 40))
    assert health(wait(state, 40)) == 10


def test_three_gold_buy_a_potion_at_a_stall() -> None:
    state = play("roguelike", room("xAggT.x"), "RIGHT RIGHT RIGHT NIL")
    assert health(state) == 10
    state = play("roguelike", room("xAgggT.x"), "RIGHT RIGHT RIGHT RIGHT")
    assert health(state) == 15
    assert health(go(state, "NIL NIL")) == 15


def test_health_stays_below_twenty_one() -> None:
    state = play("roguelike", room("xA" + "g" * 9 + "T.x"), "RIGHT " * 10 + "NIL NIL NIL")
    assert health(state) == 20
    assert len(where(state, "potion")) == 1


def test_without_health_the_game_is_lost() -> None:
    state = start("roguelike", room("xASx"))
    while health(state) > 0:
        assert not state.is_over
        go(state, "RIGHT LEFT")
    assert (state.winner, state.score) == (0, 0)


def test_levels_have_more_and_more_locks_and_foes() -> None:
    texts = ["".join(rows) for rows in levels("roguelike")]
    for letters in ("L", "SW"):
        counts = [sum(text.count(letter) for letter in letters) for text in texts]
        assert counts == sorted(counts)
        assert counts[0] < counts[-1]
