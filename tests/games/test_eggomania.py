"""Eggomania: every sentence of its rules is a behaviour here."""

from __future__ import annotations

from itertools import pairwise

import pytest

from plays import go, start, wait, where
from vgdl import StateObservation

FIELD = ["x............x"] * 5
FLOOR = "x============x"


def barn(chicken: str, floor: str = FLOOR, avatar: str = "x.....A......x", seed: int = 1) -> StateObservation:
    return start("eggomania", ["x" * 14, f"x..{chicken}.........x", *FIELD, avatar, floor], seed=seed)


def catch(state: StateObservation, eggs: int) -> None:
    """Run after the lowest egg, or the chicken, until the basket holds a number of eggs."""
    for _ in range(900):
        if state.score >= eggs:
            return
        ((farmer, _),) = where(state, "farmer")
        goal, _ = max(where(state, "hen", "egg"), key=lambda place: place[1])
        go(state, "RIGHT" if goal > farmer + 0.5 else "LEFT" if goal < farmer - 0.5 else "NIL")
    raise AssertionError("too few eggs fall")


@pytest.mark.parametrize("chicken", ["1", "2", "3"])
def test_a_chicken_runs_to_and_fro_under_the_roof_and_throws_eggs(chicken: str) -> None:
    state = barn(chicken, floor="xhhhhhhhhhhhhx")
    places, eggs = [], 0
    for _ in range(200):
        go(state, "NIL")
        places += where(state, "hen", "pullet", "rooster")
        eggs = max(eggs, len(where(state, "egg")))
    assert {row for _, row in places} == {1}
    assert min(places)[0] < 2
    assert max(places)[0] > 11
    assert eggs > 0


def test_an_egg_in_the_basket_is_a_point() -> None:
    state = barn("1")
    catch(state, 3)
    assert (state.score, state.is_over) == (3, False)
    assert state.avatar is not None
    assert list(state.avatar.resources.values()) == [3]


def test_a_single_egg_that_breaks_on_the_floor_loses() -> None:
    state = barn("1", avatar="xA...........x")
    wait(state)
    assert (state.winner, len(where(state, "splat"))) == (0, 1)


def test_eggs_in_the_hay_do_no_harm() -> None:
    state = barn("1", floor="xhhhhhhhhhhhhx", avatar="xA...........x")
    wait(state, 400)
    assert not state.is_over


def test_the_hen_is_slow_the_pullet_is_quick_and_the_rooster_turns() -> None:
    def columns(chicken: str) -> list[float]:
        state = start("eggomania", ["x" * 30, f"x{chicken}{'.' * 27}x", "xA" + "." * 27 + "x", "x" + "h" * 28 + "x"])
        found = []
        for _ in range(45):
            go(state, "NIL")
            found.append(where(state, "hen", "pullet", "rooster")[0][0])
        return found

    hen, pullet, rooster = columns("1"), columns("2"), columns("3")
    assert 1 < hen[-1] < pullet[-1]
    assert pullet == sorted(pullet)
    assert any(before > after for before, after in pairwise(rooster))


def test_from_ten_eggs_on_three_are_thrown_at_once() -> None:
    state = barn("1")
    catch(state, 9)
    go(state, "USE")
    assert where(state, "throw") == []
    catch(state, 10)
    go(state, "USE")
    assert len(where(state, "throw")) == 1
    assert state.avatar is not None
    assert list(state.avatar.resources.values()) == [state.score - 3]


def test_hitting_the_chicken_wins_and_is_worth_100_points() -> None:
    for seed in range(20):
        state = barn("1", seed=seed)
        catch(state, 10)
        go(state, "USE")
        while where(state, "throw") and not state.is_over:
            ((chicken, _),), ((farmer, _),) = where(state, "hen"), where(state, "farmer")
            go(state, "RIGHT" if chicken > farmer else "LEFT")
        if state.winner == 1:
            assert state.score >= 110
            return
    raise AssertionError("no egg hits the chicken")


def test_after_1000_ticks_the_game_is_lost() -> None:
    state = barn("1", floor="xhhhhhhhhhhhhx")
    wait(state, 1000)
    assert not state.is_over
    wait(state, 1)
    assert (state.tick, state.winner) == (1000, 0)
