"""Camel Race: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, start, wait, where

ROOM = "xxxxxxxxx"


def test_reaching_the_line_first_wins_the_race_and_a_point() -> None:
    state = start("camelrace", [ROOM, "xA..|...x", "xxxxxxxxx", "xs.....|x", ROOM])
    go(state, "RIGHT RIGHT")
    assert not state.is_over
    go(state, "RIGHT")
    assert (state.winner, state.score, where(state, "laurel")) == (1, 1, [(4, 1)])


@pytest.mark.parametrize("kind", ["p", "s", "d"])
def test_if_another_camel_is_first_the_race_and_a_point_are_lost(kind: str) -> None:
    state = start("camelrace", [ROOM, f"x{kind}...|..x", ROOM, "xA.....|x", ROOM])
    wait(state)
    assert (state.winner, state.score, where(state, "thorn")) == (0, -1, [(5, 1)])


def test_a_dead_heat_is_lost() -> None:
    state = start("camelrace", [ROOM, "x..s|...x", ROOM, "x...A|..x", ROOM])
    go(state, "NIL NIL RIGHT")
    assert (state.winner, state.score) == (0, -1)


def test_two_rivals_at_once_cost_one_point() -> None:
    state = start("camelrace", [ROOM, "x..s|...x", "x..s|...x", ROOM, "xA.....|x", ROOM])
    wait(state)
    assert (state.winner, state.score) == (0, -1)


def test_the_red_camel_outruns_the_grey_one_and_the_blue_one_is_the_quickest_but_strays() -> None:
    sand = "x" + "." * 26 + "|x"
    wide = "x" * 29
    state = start("camelrace", [wide, "xp" + sand[2:], wide, "xs" + sand[2:], wide, "xA" + sand[2:], wide])
    for _ in range(40):
        go(state, "NIL")
    ((grey, _),), ((red, _),) = where(state, "plodder"), where(state, "sprinter")
    assert 1 < grey < red
    arrivals, lost = [], 0
    for seed in range(20):
        state = start("camelrace", [wide, sand, "xd" + sand[2:], sand, wide, "xA" + sand[2:], wide], seed=seed)
        rows = set()
        while not state.is_over:
            go(state, "NIL")
            rows |= {row for _, row in where(state, "dreamer")}
        arrivals.append(state.tick)
        lost += len(rows) > 1
    assert min(arrivals) < 3 * 26
    assert lost > 10


@pytest.mark.parametrize("row", ["xAx...|.x", "xA^...|.x", "xAp.x.|.x"])
def test_fences_dunes_and_camels_block_the_way(row: str) -> None:
    state = start("camelrace", [ROOM, row, ROOM])
    go(state, "RIGHT")
    assert where(state, "rider") == [(1, 1)]


def test_the_rider_blocks_the_others() -> None:
    state = start("camelrace", [ROOM, "xsA...|.x", ROOM])
    wait(state, 30)
    assert where(state, "sprinter") == [(1, 1)]
    assert not state.is_over
