"""Jaws, played: every sentence of its rules is a behaviour here."""

from __future__ import annotations

import pytest

from plays import go, levels, play, start, wait, where

TANK = ["J" + "." * 13, "x" * 14, "x" * 14]  # a shark that cannot get past the corals


def test_the_shark_follows_the_diver() -> None:
    state = wait(start("jaws", ["A" + "." * 13, *["." * 14] * 5, "." * 13 + "J"]), 60)
    ((column, row),) = where(state, "shark")
    assert column + row == 19 - 60 * 0.2


@pytest.mark.parametrize(
    ("row", "fish", "column", "pace"),
    [("(" + "." * 13, "piranha", 0, 0.2), ("." * 13 + ")", "barracuda", 13, -0.35)],
)
def test_fish_swim_out_of_the_dens(row: str, fish: str, column: int, pace: float) -> None:
    state = start("jaws", [*TANK, row, "." * 14, "A" + "." * 13])
    seen: list[float] = []
    while len(seen) < 10:
        wait(state, 1)
        seen += [place for place, _ in where(state, fish)]
    assert seen[0] == column
    assert seen[9] - seen[4] == pytest.approx(5 * pace)


def test_a_harpooned_fish_leaves_a_shell_which_gives_a_point() -> None:
    state = start("jaws", [*TANK, "." * 7 + "A" + "." * 5 + ")"])
    while not where(state, "shell"):
        go(state, "USE")
    assert (state.score, where(state, "barracuda", "harpoon")) == (0, [])
    while where(state, "shell"):
        go(state, "RIGHT")
    assert state.score == 1


@pytest.mark.parametrize("key", ["NIL", "LEFT", "UP", "RIGHT"])
def test_the_shark_swims_round_corals_even_to_a_diver_who_pushes_against_one(key: str) -> None:
    state = start("jaws", [".....x.x", ".....xAx", ".......x", "xxxxx...", "J......."])
    while state.tick < 100 and not state.is_over:
        go(state, key)
    assert (state.winner, state.score) == (0, -1)


def test_harpoons_do_nothing_to_a_shark() -> None:
    state = start("jaws", ["." * 13 + "J", "A" + "." * 13])
    while not state.is_over:
        go(state, "USE")
    assert (state.winner, state.score) == (0, -1)


@pytest.mark.parametrize(("shells", "winner"), [(9, 0), (10, 1)])
def test_with_ten_shells_the_touch_of_the_shark_beats_it(shells: int, winner: int) -> None:
    state = play("jaws", ["A" + "$" * shells + "." * 8 + "J"], "RIGHT " * 2 * shells)
    assert state.score == shells
    wait(state)
    assert state.winner == winner
    assert state.score == (1000 + shells if winner else shells - 1)


def test_the_game_goes_on_while_a_shark_is_left() -> None:
    state = play("jaws", ["J" + "x" * 12 + "." * 12, "A" + "$" * 10 + "." * 13 + "J"], "RIGHT " * 20)
    while state.score == 10:
        wait(state, 1)
    assert state.score == 1010
    assert not state.is_over


def test_the_touch_of_a_fish_kills_and_costs_a_point() -> None:
    state = wait(start("jaws", [*TANK, "(" + "." * 5 + "A" + "." * 7]), 600)
    assert (state.winner, state.score) == (0, -1)


def test_surviving_until_the_time_limit_wins() -> None:
    state = wait(start("jaws", [*TANK, "A" + "." * 13]), 1000)
    assert not state.is_over
    assert wait(state, 1).winner == 1


def test_corals_stop_diver_and_harpoon() -> None:
    state = play("jaws", [*TANK, "Ax" + "." * 12], "RIGHT RIGHT USE")
    assert where(state, "diver") == [(0, 3)]
    assert where(state, "harpoon") == []


def test_levels_have_more_and_more_dens_and_sharks() -> None:
    texts = ["".join(rows) for rows in levels("jaws")]
    assert [text.count("J") for text in texts] == [1, 1, 1, 2, 2]
    dens = [text.count("(") + text.count(")") for text in texts]
    assert dens == sorted(set(dens))
