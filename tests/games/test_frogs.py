"""Frogs, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, play, start, wait, where

BANKS = ["TTTTTTTTT", "T...g...T", "{lane}", "T...A...T", "TTTTTTTTT"]


def banks(lane: str) -> list[str]:
    return [row.format(lane=lane) for row in BANKS]


def test_hopping_home_wins_and_gives_a_point() -> None:
    state = play("frogs", banks("t,,,,,,,t"), "UP UP")
    assert (state.winner, state.score) == (1, 1)


@pytest.mark.parametrize("lane", ["t,,,,<,,t", "t,,>,,,,t", "t,,,,,{,t", "t,},,,,,t"])
def test_being_hit_by_a_truck_costs_two_points_and_the_game(lane: str) -> None:
    state = wait(play("frogs", banks(lane), "UP"))
    assert (state.winner, state.score) == (0, -2)


@pytest.mark.parametrize(("slow", "fast"), ["<{", ">}"])
def test_racers_drive_from_both_sides_twice_as_fast_as_vans(slow: str, fast: str) -> None:
    state = start("frogs", [f"t,,,,,{slow},,,,,t", f"t,,,,,{fast},,,,,t", "T....A.....gT"])
    wait(state, 9)  # the first tick is for starting
    ((van, _),) = where(state, "westvan", "eastvan")
    ((racer, _),) = where(state, "westracer", "eastracer")
    sign = -1 if slow == "<" else 1
    assert (van, racer) == (6 + sign * 2, 6 + sign * 4)


@pytest.mark.parametrize("lane", ["t<,,,,,,t", "t,,,,,,}t", "s(~~~~~~s", "s~~~~~~)s"])
def test_vehicles_and_logs_that_leave_on_one_side_enter_on_the_other(lane: str) -> None:
    state = start("frogs", banks(lane))
    seen = set()
    for _ in range(120):
        wait(state, 1)
        ((column, row),) = where(state, "westvan", "eastracer", "westlog", "eastlog")
        assert row == 2
        assert 0 <= column <= 8
        seen.add(column)
    assert {0, 4, 8} <= seen


def test_in_the_water_the_game_is_lost() -> None:
    state = play("frogs", banks("s~~~~~~~s"), "UP")
    assert (state.winner, state.score) == (0, 0)


@pytest.mark.parametrize(("lane", "sign"), [("s~~~(~~~s", -1), ("s~~~)~~~s", 1)])
def test_a_log_carries_the_frog_along(lane: str, sign: int) -> None:
    state = play("frogs", banks(lane), "UP")
    wait(state, 10)
    ((column, row),) = where(state, "frog")
    assert (column - 4) * sign >= 2
    assert row == 2
    ((log, _),) = where(state, "westlog", "eastlog")
    assert abs(log - column) <= 0.25  # it moved before the frog was on it


def test_trees_stop_the_frog_while_its_log_drifts_away() -> None:
    state = play("frogs", banks("s~~~(~~~s"), "UP")
    while not state.is_over:
        places = where(state, "frog")
        wait(state, 1)
    assert places == [(1, 2)]
    assert (state.winner, state.score) == (0, 0)


def test_on_a_bank_the_frog_is_aligned_with_the_cells_again() -> None:
    state = play("frogs", banks("s~~~(~~~s"), "UP")
    wait(state, 6)
    ((column, _),) = where(state, "frog")
    assert column % 1
    go(state, "DOWN")
    assert where(state, "frog") == [(column // 1, 3)]


def test_the_frog_hops_in_all_directions_but_not_into_trees() -> None:
    state = start("frogs", ["TTTTTTT", "T.....T", "T..A..T", "T..T.gT", "TTTTTTT"])
    seen = []
    for action in ("DOWN", "LEFT", "UP", "RIGHT", "RIGHT", "DOWN"):
        go(state, action)
        seen += where(state, "frog")
    assert seen == [(3, 2), (2, 2), (2, 1), (3, 1), (4, 1), (4, 2)]


def test_every_level_has_more_lanes_than_the_one_before_and_trees_around_them() -> None:
    numbers = []
    for rows in levels("frogs"):
        assert all(row[0] in "Tts" and row[-1] in "Tts" for row in rows)
        assert set(rows[0]) == set(rows[-1]) == {"T"}
        numbers.append(sum(row[0] in "ts" for row in rows))
    assert numbers == sorted(set(numbers))
