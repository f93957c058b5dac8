"""culim: learned values decide, and the learning rate decays."""

from __future__ import annotations

import pytest

from small_games import calls, small_game, unlimited
from vgdl import Action, StateObservation
from vgdl.controllers.entries.culim import Culim

SEEDS = range(8)


def taught(state: StateObservation, seed: int, decay: float = 0.99, lowest_rate: float = 0.1) -> Culim:
    """A controller after one search from a state."""
    controller = Culim(state, unlimited(), decay=decay, lowest_rate=lowest_rate, seed=seed)
    controller.act(state, calls(state, 2000))
    return controller


def test_it_learns_to_walk_to_a_point() -> None:
    state = small_game(".....A..o..")
    answers = [Culim(state, unlimited(), seed=seed).act(state, calls(state, 3000)) for seed in SEEDS]
    assert answers.count(Action.RIGHT) == len(SEEDS)


def test_the_table_outlasts_the_tick() -> None:
    """Without a call left, the answer comes from what an earlier tick has learned."""
    state = small_game(".....A.o...")
    remembered = {taught(state, seed).act(state, calls(state, 0)) for seed in SEEDS}
    ignorant = {Culim(state, unlimited(), seed=seed).act(state, calls(state, 0)) for seed in SEEDS}
    assert remembered == {Action.RIGHT}
    assert len(ignorant) > 1


def test_the_learning_rate_decays_from_0_7_to_0_1() -> None:
    state = small_game("A")
    controller = Culim(state, unlimited(), seed=1)
    rates = []
    for _ in range(300):
        rates.append(controller.rate)
        controller.act(state, calls(state, 0))
    assert rates[0] == 0.7
    assert rates == sorted(rates, reverse=True)
    assert rates[100] == pytest.approx(0.7 * 0.99**100)
    assert rates[-1] == 0.1


def test_a_rate_that_has_decayed_to_nothing_learns_nothing() -> None:
    empty, point = small_game("...A..."), small_game(".....A.o...")
    quick = {taught(empty, seed).act(point, calls(point, 2000)) for seed in SEEDS}
    stuck = {taught(empty, seed, decay=0.0, lowest_rate=0.0).act(point, calls(point, 2000)) for seed in SEEDS}
    assert quick == {Action.RIGHT}
    assert len(stuck) > 1


def test_the_distance_to_the_nearest_npc_is_rewarded() -> None:
    state = small_game("......A..........r")
    answers = [Culim(state, unlimited(), seed=seed).act(state, calls(state, 3000)) for seed in SEEDS]
    assert answers.count(Action.RIGHT) == len(SEEDS)


def test_defeat_is_avoided() -> None:
    state = small_game("...fA..", ".......")
    answers = {Culim(state, unlimited(), seed=seed).act(state, calls(state, 3000)) for seed in SEEDS}
    assert Action.LEFT not in answers
