"""Boulder Chase, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import levels, play, start, wait, where


def cave(*rows: str) -> list[str]:
    """The rows between walls, and a door out of reach."""
    wall = "x" * len(rows[0])
    return [wall, *rows, wall, "xE" + wall[2:], wall]


def test_the_digger_digs_where_it_walks() -> None:
    state = play("boulderchase", cave("xA--.x"), "RIGHT")
    assert (where(state, "digger"), where(state, "dirt")) == ([(2, 1)], [(3, 1)])


def test_use_digs_in_front() -> None:
    state = play("boulderchase", cave("xA--.x"), "USE")
    assert (where(state, "digger"), where(state, "dirt")) == ([(1, 1)], [(3, 1)])


def test_a_diamond_gives_two_points() -> None:
    state = play("boulderchase", cave("xA$$.x"), "RIGHT RIGHT")
    assert (state.score, where(state, "diamond")) == (4, [])


@pytest.mark.parametrize(("diamonds", "winner"), [(9, -1), (10, 1)])
def test_the_door_opens_with_ten_diamonds(diamonds: int, winner: int) -> None:
    rows = ["x" * 15, f"xA{'$' * diamonds}E".ljust(15, "x"), "x" * 15]
    state = play("boulderchase", rows, "RIGHT " * (diamonds + 2))
    assert (state.winner, state.score) == (winner, 2 * diamonds)


def test_boulders_fall_without_support() -> None:
    rows = cave("xo.o.o.o.A.x", "x-.$.x.o...x", "x...-...-..x", "x----------x")
    state = wait(start("boulderchase", rows), 60)
    assert sorted(where(state, "boulder")) == [(1, 1), (3, 1), (5, 1), (7, 2), (7, 3)]


def test_a_boulder_falls_when_its_dirt_is_dug_away() -> None:
    state = play("boulderchase", cave("x..o..x", "xA.-..x", "x.....x"), "RIGHT USE")
    wait(state, 30)
    assert where(state, "boulder") == [(3, 3)]
    assert not state.is_over


def test_a_boulder_kills_the_digger_under_it_and_costs_a_point() -> None:
    state = wait(play("boulderchase", cave("x..o..x", "xA.-..x", "x.....x"), "RIGHT RIGHT"), 10)
    assert (state.winner, state.score) == (0, -1)


@pytest.mark.parametrize("foe", ["B", "M"])
def test_a_boulder_kills_enemies(foe: str) -> None:
    state = wait(start("boulderchase", cave("xxoxx.x", f"xx{foe}xx.x", "xxxxx-x", "xxxxxAx")), 10)
    assert where(state, "bat", "mole") == []
    assert (state.is_over, state.score) == (False, 0)


def test_a_boulder_to_the_side_only_blocks_the_way() -> None:
    state = play("boulderchase", cave("xAo.x"), "RIGHT")
    assert where(state, "digger") == [(1, 1)]
    assert not state.is_over


@pytest.mark.parametrize(("foe", "ticks"), [("B", 3), ("M", 5)])
def test_enemies_chase_the_digger_at_their_own_speeds(foe: str, ticks: int) -> None:
    state = wait(start("boulderchase", cave(f"xA........{foe}.x")), 5 * ticks)
    assert where(state, "bat", "mole") == [(5, 1)]


def test_bats_need_an_open_way() -> None:
    state = wait(start("boulderchase", cave("xA..-.B.x")), 60)
    assert (where(state, "bat"), where(state, "dirt")) == ([(5, 1)], [(4, 1)])


def test_moles_dig_their_own_way() -> None:
    state = wait(start("boulderchase", cave("xA..-.M.x")), 15)
    assert where(state, "dirt") == []


@pytest.mark.parametrize("foe", ["B", "M"])
def test_the_touch_of_an_enemy_loses_the_game_and_a_point(foe: str) -> None:
    state = wait(start("boulderchase", cave(f"xA..{foe}.x")), 60)
    assert (state.winner, state.score) == (0, -1)


def test_a_bat_and_a_mole_that_meet_leave_a_diamond_and_a_point() -> None:
    state = start("boulderchase", cave("xA......M.B.x"))
    while state.score == 0 and not state.is_over:
        wait(state, 1)
    assert state.score == 1
    assert where(state, "bat", "mole") == []
    assert len(where(state, "diamond")) == 1


def test_levels_have_more_and_more_boulders_and_enemies() -> None:
    texts = ["".join(rows) for rows in levels("boulderchase")]
    for letters in ("o", "BM"):
        counts = [sum(text.count(letter) for letter in letters) for text in texts]
        assert counts == sorted(set(counts))
    assert all(text.count("$") > 10 for text in texts)
