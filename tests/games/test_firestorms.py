"""Firestorms: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, start, wait, where

ROOM = "x" * 12


def test_the_exit_wins() -> None:
    state = start("firestorms", [ROOM, "xA.E.......x", ROOM])
    go(state, "RIGHT")
    assert not state.is_over
    go(state, "RIGHT")
    assert (state.winner, state.score) == (1, 0)


def test_the_red_vents_throw_more_flames_than_the_brown_ones() -> None:
    def thrown(kind: str) -> int:
        seen = set()
        state = start(
            "firestorms", ["xAx" + "." * 9, "xxx" + "." * 8 + "E", f"......{kind}.....", "............", "............"]
        )
        for _ in range(200):
            go(state, "NIL")
            seen |= {sprite.id for group in state.movables for sprite in group}
        return len(seen)

    assert thrown("f") > 2 * thrown("c") > 0


def test_a_flame_flies_straight_until_it_meets_a_rock() -> None:
    state = start("firestorms", [ROOM, "xAx........x", "xxx.......Ex", "x....f.....x", "x..........x", ROOM])
    paths: dict[int, list[tuple[float, float]]] = {}
    for _ in range(100):
        go(state, "NIL")
        for group in state.movables:
            for flame in group:
                paths.setdefault(flame.id, []).append(flame.position)
    done = [path for path in paths.values() if path[-1] not in {flame.position for g in state.movables for flame in g}]
    assert len(done) > 5
    for path in done:
        assert len({x for x, _ in path}) == 1 or len({y for _, y in path}) == 1
        x, y = (place / state.block_size for place in path[-1])
        assert x < 1.5 or x > 9.5 or y < 1.5 or y > 3.5 or (x < 3.5 and y < 3), "it dies beside a rock"


def test_without_water_a_flame_kills_and_costs_a_point() -> None:
    state = start("firestorms", [ROOM, "xA.f......Ex", ROOM])
    wait(state)
    assert (state.winner, state.score) == (0, -1)


def test_water_puts_out_one_flame_that_touches_and_it_still_costs_a_point() -> None:
    rows = [ROOM, "xAwxxxxxxxEx", "xxfxxxxxxxxx", ROOM]
    for seed in range(10):
        state = start("firestorms", rows, seed=seed)
        go(state, "RIGHT")
        assert state.avatar is not None
        assert list(state.avatar.resources.values()) == [1]
        for _ in range(500):
            if not state.score:
                go(state, "NIL")
        assert (state.score, state.is_over, where(state, "flame")) == (-1, False, [])
        wait(state)
        assert (state.winner, state.score) == (0, -2)


@pytest.mark.parametrize("row", ["xAx...E....x", "xAc...E....x", "xAf...E....x"])
def test_rocks_and_vents_block_the_way(row: str) -> None:
    state = start("firestorms", [ROOM, row, ROOM])
    go(state, "RIGHT")
    assert where(state, "runner") == [(1, 1)]
