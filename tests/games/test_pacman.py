"""Pacman: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, play, start, wait, where

WALL = "x" * 12
GHOSTS = [("1", "red"), ("2", "pink"), ("3", "blue")]


def test_pellets_fruit_and_pills_are_points_and_the_last_of_them_wins() -> None:
    state = play("pacman", [WALL, "xA.fo.xxxxxx", WALL], "RIGHT")
    assert state.score == 1
    go(state, "RIGHT")
    assert state.score == 6
    go(state, "RIGHT")
    assert (state.score, state.is_over) == (16, False)
    go(state, "RIGHT")
    assert (state.score, state.winner) == (17, 1)


@pytest.mark.parametrize("left", [".", "f", "o"])
def test_everything_must_be_eaten(left: str) -> None:
    state = play("pacman", [WALL, f"xA.x{left}xxxxxxx", WALL], "RIGHT")
    wait(state, 50)
    assert not state.is_over


@pytest.mark.parametrize(("lair", "ghost"), GHOSTS)
def test_a_ghost_that_touches_kills_and_costs_a_point(lair: str, ghost: str) -> None:
    state = start("pacman", [WALL, f"xA__{lair}xx.xxxx", WALL])
    wait(state, 1000)
    assert (state.winner, state.score) == (0, -1)
    assert where(state, ghost) == [(1, 1)]


@pytest.mark.parametrize(("lair", "ghost"), GHOSTS)
def test_after_a_power_pill_ghosts_die_for_40_points(lair: str, ghost: str) -> None:
    state = start("pacman", [WALL, f"xAo{lair}xxx.xxxx", WALL])
    go(state, "RIGHT")
    assert (state.score, where(state, "mighty")) == (10, [(2, 1)])
    go(state, "RIGHT")
    wait(state, 4)
    assert (state.score, where(state, ghost)) == (50, [])


def test_the_power_of_a_pill_lasts_40_ticks() -> None:
    state = play("pacman", [WALL, "xAo_____x.xx", WALL], "RIGHT")
    wait(state, 38)
    assert (where(state, "mighty"), where(state, "timid")) == ([(2, 1)], [])
    wait(state, 1)
    assert (where(state, "mighty"), where(state, "timid"), where(state, "worn")) == ([], [(2, 1)], [])


def test_a_second_pill_restores_the_full_time() -> None:
    state = play("pacman", [WALL, "xAoo____x.xx", WALL], "RIGHT")
    wait(state, 20)
    go(state, "RIGHT")
    wait(state, 38)
    assert where(state, "mighty") == [(3, 1)]
    wait(state, 1)
    assert where(state, "timid") == [(3, 1)]


@pytest.mark.parametrize(("lair", "ghost"), GHOSTS)
def test_a_dead_ghost_comes_back_from_its_lair(lair: str, ghost: str) -> None:
    state = play("pacman", [WALL, f"xAo{lair}xxx.xxxx", WALL], "RIGHT RIGHT LEFT")
    assert where(state, ghost) == []
    for _ in range(70):
        if not where(state, ghost):
            go(state, "NIL")
    assert where(state, ghost)


def test_the_red_ghost_follows_the_path_and_the_pink_one_the_direction() -> None:
    def meets(lair: str) -> bool:
        state = start("pacman", [WALL, "xxx______xxx", f"xxA_xxxx{lair}_xx", "xxxxxxxxxxxx", "xxxxxxxx.xxx", WALL])
        wait(state, 60)
        return state.is_over

    assert meets("1")
    assert not meets("2")


def test_walls_block_the_way() -> None:
    state = play("pacman", [WALL, "xAx........x", WALL], "RIGHT UP LEFT DOWN")
    assert where(state, "timid") == [(1, 1)]
