"""Zelda, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import distances, go, levels, place, play, start, wait, where

CHAMBER = ["wwwwwwww", "wA.+...w", "w.....gw", "wwwwwwww"]


def test_the_key_opens_the_gate_and_that_wins() -> None:
    state = play("zelda", CHAMBER, "RIGHT RIGHT")
    assert (state.score, where(state, "key"), state.is_over) == (1, [], False)
    go(state, "DOWN DOWN RIGHT RIGHT RIGHT RIGHT")
    assert (state.winner, state.score) == (1, 2)


def test_without_the_key_the_gate_stays_shut() -> None:
    state = play("zelda", CHAMBER, "DOWN DOWN RIGHT RIGHT RIGHT RIGHT RIGHT RIGHT RIGHT")
    assert where(state, "hero") == [(5, 2)]
    assert (state.score, state.is_over) == (0, False)


@pytest.mark.parametrize("kind", "123")
def test_a_monster_kills_and_costs_a_point_and_the_game_is_lost(kind: str) -> None:
    state = wait(start("zelda", ["wwwwwww", f"wA{kind}w+gw", "wwwwwww"]))
    assert (state.winner, state.score) == (0, -1)


@pytest.mark.parametrize("kind", "123")
def test_the_sword_kills_a_monster_for_two_points(kind: str) -> None:
    state = play("zelda", ["wwwwwwww", f"wA{kind}ww+gw", "wwwwwwww"], "USE")
    assert (state.score, where(state, "ogre", "spider", "bat"), state.is_over) == (2, [], False)


def test_the_sword_strikes_the_cell_in_front_of_the_hero_and_only_for_a_moment() -> None:
    state = play("zelda", CHAMBER, "DOWN USE")
    assert where(state, "sword") == [(1, 2)]
    wait(state, 5)
    assert where(state, "sword") == []
    go(state, "RIGHT USE")
    assert where(state, "sword") == [(2, 1)]


def test_ogres_spiders_and_bats_are_each_faster_than_the_one_before() -> None:
    def steps(kind: str) -> int:
        state = start("zelda", ["wwwwwwwwwwww", "w.....w.+.gw", f"w..{kind}..w...Aw", "w.....w....w", "wwwwwwwwwwww"])
        path = []
        for _ in range(400):
            wait(state, 1)
            path += where(state, "ogre", "spider", "bat")
        return sum(path[i] != path[i + 1] for i in range(len(path) - 1))

    assert steps("1") < steps("2") < steps("3")


def test_monsters_wander_but_not_through_hedges_or_the_gate() -> None:
    state = start("zelda", ["wwwwwwwww", "w...w..Aw", "w.3.g...w", "w...w+..w", "wwwwwwwww"])
    path = set()
    for _ in range(400):
        wait(state, 1)
        path.update(where(state, "bat"))
    assert path == {(x, y) for x in (1, 2, 3) for y in (1, 2, 3)}


def test_the_hero_turns_first_walks_then_and_not_through_hedges() -> None:
    state = start("zelda", ["wwwww", "wA..w", "w.w.w", "w.+gw", "wwwww"])
    seen = []
    for action in ("RIGHT", "DOWN", "DOWN", "RIGHT", "RIGHT", "LEFT", "UP", "UP"):
        go(state, action)
        seen += where(state, "hero")
    assert seen == [(2, 1), (2, 1), (2, 1), (2, 1), (3, 1), (3, 1), (3, 1), (3, 1)]


@pytest.mark.parametrize("rows", levels("zelda"))
def test_key_and_gate_are_reachable(rows: list[str]) -> None:
    hero = place(rows, "A")
    assert place(rows, "+") in distances(rows, hero, walls="wg")
    assert place(rows, "g") in distances(rows, hero, walls="w")


def test_every_level_has_more_monsters_than_the_one_before() -> None:
    numbers = [sum(row.count(kind) for row in rows for kind in "123") for rows in levels("zelda")]
    assert numbers == sorted(set(numbers))


def test_two_monsters_at_once_are_one_hit() -> None:
    together = 0
    for seed in range(0, 2**31, 2**26):
        state = wait(start("zelda", ["wwwwwww", "w3A3+gw", "wwwwwww"], seed))
        assert (state.winner, state.score) == (0, -1)
        together += len(set(where(state, "bat"))) == 1
    assert together
