"""Escape, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

from itertools import pairwise

import pytest

from plays import go, play, start, wait, where
from vgdl import games, replay

CELL = ["xxxxxxxx", "xA.b...x", "x.....Ex", "xxxxxxxx"]


def test_the_door_wins_and_gives_a_point() -> None:
    state = play("escape", ["xxxxx", "xA.Ex", "xxxxx"], "RIGHT RIGHT")
    assert (state.winner, state.score) == (1, 1)


def test_a_barrel_is_pushed_and_never_pulled() -> None:
    state = start("escape", CELL)
    seen = []
    for action in ("RIGHT", "RIGHT", "LEFT"):
        go(state, action)
        seen.append((*where(state, "prisoner"), *where(state, "barrel")))
    assert seen == [((2, 1), (3, 1)), ((3, 1), (4, 1)), ((2, 1), (4, 1))]


@pytest.mark.parametrize("row", ["xAbx..Ex", "xAbb..Ex", "xAbE...x"])
def test_rocks_barrels_and_the_door_stop_a_push(row: str) -> None:
    state = start("escape", ["xxxxxxxx", row, "xxxxxxxx"])
    before = where(state, "prisoner", "barrel")
    go(state, "RIGHT RIGHT")
    assert where(state, "prisoner", "barrel") == before


def test_a_barrel_fills_a_shaft_and_both_are_gone() -> None:
    state = play("escape", ["xxxxxxxx", "xAbo..Ex", "xxxxxxxx"], "RIGHT")
    assert where(state, "barrel", "shaft") == []
    go(state, "RIGHT RIGHT")
    assert where(state, "prisoner") == [(4, 1)]
    assert not state.is_over


def test_falling_into_a_shaft_kills_and_costs_a_point() -> None:
    state = play("escape", ["xxxxxxxx", "xAo...Ex", "xxxxxxxx"], "RIGHT")
    assert (state.winner, state.score) == (0, -1)


def test_when_the_time_is_over_the_game_is_lost() -> None:
    state = wait(start("escape", CELL), 1000)
    assert not state.is_over
    wait(state, 1)
    assert (state.tick, state.winner, state.score) == (1000, 0, 0)


def test_the_shortest_way_out_gets_longer() -> None:
    """The recorded plays are shortest ones, found breadth first."""
    folder = games.path("escape").parent / "replays"
    ways = [len(replay.read(folder / f"escape_lvl{number}.json").actions) for number in range(5)]
    assert all(shorter < longer for shorter, longer in pairwise(ways)), ways
