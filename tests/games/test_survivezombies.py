"""Survive Zombies, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import distances, go, levels, place, play, start, wait, where

HUT = ["xxxxxxxxx", "x......ox", "xxxxxxxxx", "xA.h.xxxx", "xxxxxxxxx"]


def test_surviving_500_ticks_wins() -> None:
    state = wait(start("survivezombies", HUT), 500)
    assert not state.is_over
    wait(state, 1)
    assert (state.tick, state.winner) == (500, 1)


def test_honey_is_worth_a_point_to_collect_and_eight_can_be_carried() -> None:
    state = play("survivezombies", ["xxxxxxxxxxxxx", "xAhhhhhhhhhhx", "xxxxxxxxxxxxx"], "RIGHT " * 7)
    assert (state.score, len(where(state, "honey"))) == (7, 3)
    go(state, "RIGHT RIGHT RIGHT")
    assert (state.score, len(where(state, "honey"))) == (8, 2)


def test_without_honey_a_zombie_costs_a_point_and_the_game() -> None:
    state = wait(start("survivezombies", ["xxxxxxx", "xA...zx", "xxxxxxx"]))
    assert (state.winner, state.score) == (0, -1)


def test_two_zombies_at_once_bite_only_once() -> None:
    state = wait(start("survivezombies", ["xxxxxxx", "xz.A.zx", "xxxxxxx"]))
    assert where(state, "zombie") == [(3, 1), (3, 1)]
    assert (state.winner, state.score) == (0, -1)


def test_with_honey_a_zombie_dies_for_a_point_and_one_honey() -> None:
    state = play("survivezombies", ["xxxxxxxxx", "xAh...zxx", "xxxxxxxxx"], "RIGHT")
    wait(state, 20)
    assert (state.score, where(state, "zombie"), state.is_over) == (2, [], False)
    assert state.avatar is not None
    assert not any(state.avatar.resources.values())


def test_one_honey_is_not_enough_for_two_zombies() -> None:
    state = play("survivezombies", ["xxxxxxxxxxx", "xAh...z..zx", "xxxxxxxxxxx"], "RIGHT")
    wait(state, 40)
    assert (state.winner, state.score) == (0, 1)  # the honey, the first zombie, minus one


def test_falling_into_a_grave_costs_a_point_and_the_game_even_with_honey() -> None:
    state = play("survivezombies", ["xxxxxx", "xAho.x", "xxxxxx"], "RIGHT RIGHT")
    assert (state.winner, state.score) == (0, 1)  # the honey, a zombie just leaving, minus one


@pytest.mark.parametrize("grave", "of")
def test_graves_send_zombies_that_hunt_the_survivor(grave: str) -> None:
    state = start("survivezombies", ["xxxxxxxxxx", f"x...x...{grave}x", "xA..x....x", "x........x", "xxxxxxxxxx"])
    distance = 99.0
    for _ in range(12):
        wait(state, 1)
        ((column, row),) = where(state, "zombie")
        assert abs(column - 1) + abs(row - 2) <= distance
        distance = abs(column - 1) + abs(row - 2)
    assert distance <= 5


def test_bees_wander_about_and_drop_honey_inside_the_walls() -> None:
    state = start("survivezombies", ["xxxxxxxx", "xb.....x", "x......x", "xxxxxxxx", "xAxxxxxx", "xxxxxxxx"])
    bees = set()
    for _ in range(400):
        wait(state, 1)
        bees.update(where(state, "bee"))
        assert all(1 <= column <= 6 and row in (1, 2) for column, row in where(state, "bee", "honey"))
    assert len(bees) > 4
    assert len(where(state, "honey")) > 1


def test_the_survivor_walks_in_all_directions_but_not_through_bricks() -> None:
    state = start("survivezombies", ["xxxxxx", "x....x", "xA.xxx", "xxxxxx"])
    seen = []
    for action in ("DOWN", "UP", "RIGHT", "DOWN", "RIGHT", "LEFT"):
        go(state, action)
        seen += where(state, "survivor")
    assert seen == [(1, 2), (1, 1), (2, 1), (2, 2), (2, 2), (1, 2)]


def test_every_level_is_larger_than_the_one_before_and_has_reachable_graves_and_bees() -> None:
    sizes = []
    for rows in levels("survivezombies"):
        reached = distances(rows, place(rows, "A"), walls="x")
        cells = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
        assert {cell for cell, letter in cells.items() if letter in "ofbhz"} <= reached.keys()
        sizes.append(len(reached))
    assert sizes == sorted(set(sizes))
