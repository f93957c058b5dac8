"""Boulderdash, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import distances, go, levels, place, play, start, wait, where


def cave(*rows: str) -> list[str]:
    """A level of some rows, as wide as the first, with stones around and a door far away."""
    width = len(rows[0])
    border = "x" * (width + 2)
    return [border, *(f"x{row}x" for row in rows), border, f"xd{'x' * width}", border]


def test_diamonds_are_worth_two_points_each() -> None:
    state = play("boulderdash", cave("A**-"), "RIGHT RIGHT")
    assert (state.score, where(state, "diamond"), state.is_over) == (4, [], False)


@pytest.mark.parametrize(("diamonds", "winner"), [(9, -1), (10, 1), (11, 1)])
def test_the_door_opens_with_ten_diamonds_or_more_and_that_wins(diamonds: int, winner: int) -> None:
    state = play("boulderdash", ["x" * 20, "xA" + "*" * diamonds + "d" + "x" * (17 - diamonds)], "RIGHT " * 12)
    assert (state.winner, state.score) == (winner, 2 * diamonds)


def test_the_miner_digs_by_walking_and_not_through_stone() -> None:
    state = start("boulderdash", cave("A..", ".x.", "..."))
    for action in ("RIGHT", "RIGHT", "DOWN", "LEFT", "DOWN", "LEFT", "UP"):
        go(state, action)
    assert where(state, "miner") == [(2, 3)]
    assert where(state, "dirt") == [(1, 2), (1, 3)]


def test_the_shovel_digs_the_cell_in_front_of_the_miner() -> None:
    state = play("boulderdash", cave("-...", ".A..", "...."), "USE")
    assert where(state, "dirt") == [(2, 1), (3, 1), (4, 1), (1, 2), (4, 2), (1, 3), (2, 3), (3, 3), (4, 3)]
    assert where(state, "miner") == [(2, 2)]


def test_rocks_fall_when_nothing_is_under_them_and_come_to_rest() -> None:
    state = wait(start("boulderdash", cave("ooooo..A", "--.*xx..", "-...xx..")), 20)
    assert sorted(where(state, "rock")) == [(1, 3), (2, 2), (3, 1), (4, 1), (5, 1)]


def test_a_pile_of_rocks_stays_a_pile() -> None:
    state = start("boulderdash", cave("oo....A", "oo.....", "oo.....", "-o.....", "-......"))
    wait(state, 40)
    assert sorted(where(state, "rock")) == [(1, 3), (1, 4), (1, 5), (2, 1), (2, 2), (2, 3), (2, 4)]


def test_a_falling_rock_kills_and_costs_a_point_and_the_game_is_lost() -> None:
    state = play("boulderdash", cave("..o..", "A....", "....."), "RIGHT RIGHT")
    assert not state.is_over
    wait(state, 1)
    assert (state.winner, state.score) == (0, -1)


@pytest.mark.parametrize("away", ["RIGHT", "LEFT", "DOWN"])
def test_a_miner_who_does_not_stop_under_a_rock_survives(away: str) -> None:
    state = play("boulderdash", cave("..o..", "A....", ".....", "....."), f"RIGHT RIGHT {away}")
    go(state, {"RIGHT": "RIGHT", "LEFT": "LEFT", "DOWN": "RIGHT"}[away])
    wait(state, 20)
    assert (state.is_over, state.score) == (False, 0)
    assert where(state, "rock")[0][1] > 1


def test_two_rocks_at_once_cost_one_point() -> None:
    state = play("boulderdash", cave("..o..", "..o..", "A...."), "RIGHT RIGHT UP")
    assert (state.winner, state.score) == (0, -1)


def test_rocks_cannot_be_pushed() -> None:
    state = play("boulderdash", cave("Ao.", "..."), "RIGHT RIGHT")
    assert (where(state, "miner"), where(state, "rock")) == ([(1, 1)], [(2, 1)])


@pytest.mark.parametrize("kind", "cb")
def test_the_touch_of_a_dweller_kills_and_costs_a_point_and_the_game_is_lost(kind: str) -> None:
    state = wait(start("boulderdash", cave(f"A{kind}")))
    assert (state.winner, state.score) == (0, -1)


def test_a_crab_and_a_bat_that_meet_turn_into_a_diamond_for_a_point() -> None:
    state = start("boulderdash", cave("A.cb"))
    while not state.score:
        wait(state, 1)
    assert state.score == 1
    assert len(where(state, "diamond")) == 1
    assert where(state, "crab", "bat") == []


@pytest.mark.parametrize("kind", ["cc", "bb"])
def test_two_dwellers_of_one_kind_do_not(kind: str) -> None:
    state = wait(start("boulderdash", cave(f"A.{kind}")), 200)
    assert (state.score, len(where(state, "crab", "bat"))) == (0, 2)


def test_dwellers_stay_in_their_caves() -> None:
    state = start("boulderdash", cave("o.----*A", "..-bcxo.", "........"))
    for _ in range(200):
        wait(state, 1)
        assert set(where(state, "crab", "bat")) <= {(3, 1), (4, 1), (5, 1), (6, 1), (3, 2), (4, 2), (5, 2)}


def test_every_level_has_more_than_ten_reachable_diamonds_and_a_reachable_door() -> None:
    for rows in levels("boulderdash"):
        reached = distances(rows, place(rows, "A"), walls="xo")
        cells = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
        assert sum(cells[cell] == "*" for cell in reached) > 10
        assert place(rows, "d") in reached


def test_every_level_has_more_rocks_than_the_one_before() -> None:
    numbers = ["".join(rows).count("o") for rows in levels("boulderdash")]
    assert numbers == sorted(set(numbers))
