"""Labyrinth, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

from itertools import pairwise

import pytest

from plays import distances, go, levels, place, play, start, wait, where

OPEN = ["xxxxxxxx", "xA.....x", "x.....Ex", "xxxxxxxx"]


def test_going_through_the_gate_wins_and_gives_a_point() -> None:
    state = play("labyrinth", ["xxxxx", "xA.Ex", "xxxxx"], "RIGHT RIGHT")
    assert (state.winner, state.score) == (1, 1)


def test_spikes_kill_and_cost_a_point() -> None:
    state = play("labyrinth", ["xxxxx", "xA^Ex", "xxxxx"], "RIGHT")
    assert (state.winner, state.score) == (0, -1)


def test_flames_shoot_up_from_a_grate_at_regular_intervals() -> None:
    state = start("labyrinth", ["xxxxxx", "xAxo.x", "x...Ex", "xxxxxx"])
    burning = []
    for _ in range(60):
        wait(state, 1)
        burning.append(bool(where(state, "flame")))
    assert burning[:4] == burning[14:18] == [True] * 4
    assert not any(burning[8:14])
    assert burning[:28] == burning[28:56]


@pytest.mark.parametrize(("waited", "winner"), [(9, 1), (14, 0)])
def test_a_grate_can_be_crossed_between_two_flames(waited: int, winner: int) -> None:
    state = wait(start("labyrinth", ["xxxxxx", "xAo.Ex", "xxxxxx"]), waited)
    for _ in range(3):
        go(state, "RIGHT")
    assert state.winner == winner
    assert state.score == (1 if winner else -1)


def test_the_explorer_walks_in_all_directions_but_not_through_stone() -> None:
    state = start("labyrinth", OPEN)
    seen = []
    for action in ("UP", "RIGHT", "DOWN", "LEFT", "LEFT", "UP"):
        go(state, action)
        seen += where(state, "explorer")
    assert seen == [(1, 1), (2, 1), (2, 2), (1, 2), (1, 2), (1, 1)]


def test_when_the_time_is_over_the_game_is_lost() -> None:
    state = wait(start("labyrinth", OPEN), 1000)
    assert not state.is_over
    wait(state, 1)
    assert (state.tick, state.winner, state.score) == (1000, 0, 0)


def test_the_way_out_gets_longer_and_never_needs_to_cross_spikes() -> None:
    ways = [distances(rows, place(rows, "A"), "x^")[place(rows, "E")] for rows in levels("labyrinth")]
    assert all(shorter < longer for shorter, longer in pairwise(ways)), ways
