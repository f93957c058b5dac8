"""Plants, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

from plays import go, levels, play, start, wait, where

LANES = ["x" * 16, "h.............Gx", "h.............xx", "hA...........xxx", "x" * 16]


def lanes(first: str) -> list[str]:
    return [LANES[0], first, *LANES[2:]]


def test_zombies_rise_from_the_graves_and_walk_towards_the_houses() -> None:
    state = start("plants", LANES)
    while not where(state, "zombie"):
        wait(state, 1)
    ((column, row),) = where(state, "zombie")
    assert (column, row) == (14, 1)
    wait(state, 41)
    assert min(where(state, "zombie")) == (10, 1)


def test_a_zombie_that_reaches_a_house_ends_the_game_in_defeat() -> None:
    state = wait(start("plants", LANES), 400)
    assert (state.winner, state.score) == (0, 0)
    assert where(state, "house") == [(0, 2), (0, 3)]


def test_digging_in_the_bed_brings_up_a_plant() -> None:
    state = play("plants", lanes("hAb.........xxxx"), "USE")
    assert (where(state, "plant"), where(state, "bed")) == ([(2, 1)], [])


def test_digging_in_the_lawn_does_nothing() -> None:
    state = play("plants", lanes("hA..b.......xxxx"), "USE")
    assert (where(state, "plant"), where(state, "bed")) == ([], [(4, 1)])


def test_a_plant_shoots_peas_along_its_lane() -> None:
    state = play("plants", lanes("hAb.........xxxx"), "USE")
    seen = set()
    for _ in range(30):
        seen |= set(where(wait(state, 1), "pea"))
    assert {row for _, row in seen} == {1}
    assert max(column for column, _ in seen) == 11


def test_the_third_pea_kills_a_zombie_for_a_point() -> None:
    state = play("plants", ["xxxxxxxxxx", "hAb.....Gx", "xxxxxxxxxx"], "USE")
    while not where(state, "zombie"):
        before = where(state, "pea")
        wait(state, 1)
    hits = 0
    while state.score == 0:
        hits += sum((column + 0.5, row) not in where(state, "pea") for column, row in before if column > 3)
        before = where(state, "pea")
        wait(state, 1)
    assert (hits + 1, state.score) == (3, 1)
    assert where(state, "zombie") == []


def test_a_zombie_tramples_a_plant_back_into_the_bed_and_costs_a_point() -> None:
    state = start("plants", lanes("h...........AbGx"))
    while not where(state, "zombie"):
        wait(state, 1)
    go(state, "USE")
    while state.score == 0:
        wait(state, 1)
    assert (where(state, "plant"), where(state, "bed")) == ([], [(13, 1)])
    assert state.score == -1


def test_the_touch_of_a_zombie_loses_the_game_and_a_point() -> None:
    state = wait(start("plants", lanes("h.....A.......Gx")), 400)
    assert (state.winner, state.score) == (0, -1)


def test_holding_out_until_the_time_limit_wins() -> None:
    state = wait(start("plants", lanes("h............xxx")), 600)
    assert not state.is_over
    assert wait(state, 1).winner == 1


def test_houses_and_fences_stop_the_gardener() -> None:
    state = play("plants", ["x" * 16, "hAx............x", "x" * 16], "LEFT RIGHT UP DOWN")
    assert where(state, "gardener") == [(1, 1)]


def test_levels_have_more_and_more_graves() -> None:
    graves = ["".join(rows).count("G") for rows in levels("plants")]
    assert graves == sorted(set(graves))
