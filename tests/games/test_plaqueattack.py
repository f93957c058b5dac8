"""Plaque Attack, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, play, start, wait, where

LANE = ["xxxxxxxxxxxxxx", "xA...........x", "xxxxxxxxxxxxxx"]


def lane(*letters: tuple[int, str]) -> list[str]:
    """A lane with the brush at its left end, and some letters at their columns."""
    row = list(LANE[1])
    for column, letter in letters:
        row[column] = letter
    return [LANE[0], "".join(row), LANE[2]]


@pytest.mark.parametrize(("plate", "food", "pace"), [("c", "candy", 0.2), ("b", "burger", 0.1)])
def test_food_leaves_a_plate_and_heads_for_the_nearest_tooth(plate: str, food: str, pace: float) -> None:
    state = start("plaqueattack", ["xxxxxxxxxxxxxx", "xT.....A.....x", f"x....T...{plate}...x", "xxxxxxxxxxxxxx"])
    columns = []
    for _ in range(10):
        wait(state, 1)
        columns += [column for column, _ in where(state, food)]
    assert columns[9] == 9 - 9 * pace
    wait(state, 50)
    assert where(state, "decayed") == [(5, 2)]


def test_food_passes_by_decayed_teeth() -> None:
    state = wait(start("plaqueattack", lane((12, "c"), (8, "D"), (4, "T"), (2, "x"))), 60)
    assert sorted(where(state, "decayed")) == [(4, 1), (8, 1)]


@pytest.mark.parametrize(("plate", "food", "points"), [("c", "candy", 1), ("b", "burger", 2)])
def test_paste_stops_food(plate: str, food: str, points: int) -> None:
    state = start("plaqueattack", lane((12, plate), (2, "T")))
    while state.score == 0 and not state.is_over:
        go(state, "USE")
    assert state.score == points
    assert where(state, food, "paste") == []


def test_there_is_one_squirt_of_paste_at_a_time() -> None:
    state = start("plaqueattack", lane((12, "T")))
    seen = [len(where(go(state, "USE"), "paste")) for _ in range(6)]
    assert seen == [1] * 6


def test_a_tooth_that_is_reached_decays_and_costs_two_points() -> None:
    state = start("plaqueattack", lane((12, "c"), (9, "T"), (3, "T")))
    while not where(state, "decayed"):
        wait(state, 1)
    assert where(state, "decayed") == [(9, 1)]
    assert where(state, "candy") == []
    assert state.score == -2


def test_the_brush_repairs_a_decayed_tooth_for_a_point() -> None:
    state = play("plaqueattack", lane((3, "D"), (7, "T"), (12, "c")), "RIGHT RIGHT")
    assert sorted(where(state, "tooth")) == [(3, 1), (7, 1)]
    assert state.score == 1


def test_when_the_plates_are_empty_and_no_food_is_left_the_game_is_won() -> None:
    state = start("plaqueattack", ["x" * 22, "x.A..................x", "xTTTTTTTTTTT........cx", "x" * 22])
    eaten = 0
    while not state.is_over:
        wait(state, 1)
        eaten = max(eaten, len(where(state, "decayed")))
    assert eaten == 10
    assert (state.winner, state.score) == (1, -20)


def test_when_no_healthy_tooth_is_left_the_game_is_lost() -> None:
    state = wait(start("plaqueattack", lane((12, "c"), (9, "T"))))
    assert (state.winner, state.score) == (0, -2)


def test_gum_stops_brush_and_paste() -> None:
    state = play("plaqueattack", lane((2, "x"), (12, "T"), (5, "c")), "RIGHT USE UP LEFT")
    assert where(state, "brush") == [(1, 1)]
    assert where(state, "paste") == []


def test_later_levels_serve_more_food() -> None:
    served = ["".join(rows).count("c") * 10 + "".join(rows).count("b") * 6 for rows in levels("plaqueattack")]
    assert served == sorted(set(served))
