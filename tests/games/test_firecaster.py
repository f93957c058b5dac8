"""Firecaster: every sentence of its rules is a behaviour here."""

from __future__ import annotations

from plays import go, levels, play, start, wait, where
from vgdl import StateObservation

STONE = "x" * 12


def health(state: StateObservation) -> int:
    assert state.avatar is not None
    return state.avatar.health


def test_the_stairs_win() -> None:
    state = play("firecaster", [STONE, "xA.E.......x", STONE], "RIGHT RIGHT")
    assert (state.winner, state.score) == (1, 0)


def test_boxes_block_the_way() -> None:
    state = play("firecaster", [STONE, "xAb......E.x", STONE], "RIGHT RIGHT")
    assert where(state, "caster") == [(1, 1)]


def test_mana_is_a_point_each_and_every_fireball_takes_one() -> None:
    state = play("firecaster", [STONE, "xA**.....E.x", STONE], "RIGHT RIGHT")
    assert state.score == 2
    assert state.avatar is not None
    assert list(state.avatar.resources.values()) == [2]
    go(state, "USE")
    assert state.avatar is not None
    assert list(state.avatar.resources.values()) == [1]
    go(state, "USE USE")
    assert len(where(state, "fireball")) == 2, "the third one finds no mana"


def test_a_fireball_sets_a_box_on_fire_for_a_point() -> None:
    state = play("firecaster", [STONE, "xA*......b.x", STONE, "xxxxxxxxxxEx", STONE], "RIGHT USE")
    wait(state, 7)
    assert (state.score, where(state, "box"), where(state, "blaze")) == (2, [], [(9, 1)])


def test_a_fireball_ends_at_a_stone() -> None:
    state = play("firecaster", [STONE, "xA*.xb...E.x", STONE], "RIGHT USE")
    wait(state, 5)
    assert (where(state, "fireball"), len(where(state, "box"))) == ([], 1)


def test_fire_spreads_most_of_the_time_to_the_boxes_beside_for_a_point_each() -> None:
    spread = 0
    for seed in range(40):
        state = start("firecaster", [STONE, "xA*....b...x", "xxxxxxxbxxxx", "xxxxxxxxxxEx", STONE], seed=seed)
        go(state, "RIGHT USE")
        wait(state, 20)
        left = len(where(state, "box"))
        assert state.score == 3 - left
        spread += left == 0
    assert 20 < spread < 40


def test_sparks_fly_in_all_directions_but_not_into_stones() -> None:
    seen = set()
    for seed in range(0, 10_000_000, 1_000_000):  # first draws of close seeds are nearly the same
        state = start(
            "firecaster", [STONE, "xxxxxxx.xxxx", "xA*....b...x", "xxxxxxx.xxxx", "xxxxxxxxxxEx", STONE], seed=seed
        )
        go(state, "RIGHT USE")
        for _ in range(20):
            go(state, "NIL")
            seen |= set(where(state, "spark"))
    assert seen == {(7, 1), (6, 2), (8, 2), (7, 3)}


def test_a_flame_that_touches_costs_two_points_and_a_life() -> None:
    for seed in range(20):
        state = start("firecaster", [STONE, "xA*b.......x", "xxxxxxxxxxEx", STONE], seed=seed)
        go(state, "RIGHT")
        assert health(state) == 5
        go(state, "USE")
        wait(state, 10)
        if health(state) < 5:
            assert (health(state), state.score) == (4, 0)
            return
    raise AssertionError("no spark hits")


def test_without_lives_the_game_is_lost() -> None:
    rows = ["x" * 26, "xA*b*b*b*b*b*b*b*b*b*b.E.x", "x" * 26]
    for seed in range(20):
        state = start("firecaster", rows, seed=seed)
        for _ in range(200):
            go(state, "RIGHT USE")
        if state.winner == 0:
            assert health(state) == 0
            return
    raise AssertionError("the caster does not burn")


def test_later_levels_have_more_boxes() -> None:
    boxes = [str(rows).count("b") for rows in levels("firecaster")]
    assert boxes == sorted(set(boxes))
