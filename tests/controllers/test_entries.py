"""Laws that every bundled controller keeps."""

from __future__ import annotations

import gc

import pytest

from small_games import calls, small_game, unlimited
from vgdl import Action, StateObservation
from vgdl.controllers import Controller, registry
from vgdl.controllers.base import takes_seed

PLACE = ("r...o.w.d", "..Aw..w..", "g..w..f.p", ".........")
NAMES = [entry.name for entry in registry.BUNDLED]

by_name = pytest.mark.parametrize("name", NAMES)


def make(name: str, state: StateObservation, seed: int = 1) -> Controller:
    controller = registry.load(name)
    options = {"seed": seed} if takes_seed(controller) else {}
    return controller(state, unlimited(), **options)


def play(name: str, seed: int, ticks: int = 15) -> list[Action]:
    """The actions of a play with fixed seeds."""
    state = small_game(*PLACE, avatar="ShootAvatar")
    controller = make(name, state, seed)
    taken: list[Action] = []
    while len(taken) < ticks and not state.is_over:
        taken.append(controller.act(state.copy(seed=state.tick), calls(state, 200)))
        state.advance(taken[-1])
    return taken


def test_all_entries_of_2014_are_there() -> None:
    entries = (
        "adrienctx JinJerry SampleMCTS Shmokin Normal_MCTS culim MMbot TESTGAG Yraid T2Thompson MnMCTS SampleGA "
        "IdealStandard Random Tichau OneStepLookAhead levis501 LCU_14"
    )
    assert set(entries.split()) <= {entry.ranking_name for entry in registry.BUNDLED}


@by_name
def test_it_keeps_to_a_budget_of_calls(name: str) -> None:
    state = small_game(*PLACE, avatar="ShootAvatar")
    controller = make(name, state)
    for budget in (0, 1, 3, 10, 99, 900):
        timer = calls(state, budget)
        assert isinstance(controller.act(state.copy(seed=budget), timer), Action)
        assert not timer.exceeded


@by_name
def test_the_same_seed_plays_the_same(name: str) -> None:
    assert play(name, seed=7) == play(name, seed=7)


@by_name
def test_it_leaves_the_state_it_is_given_alone(name: str) -> None:
    state = small_game(*PLACE)
    before = state.to_bytes()
    make(name, state).act(state, calls(state, 500))
    assert state.to_bytes() == before


@by_name
def test_an_ended_game_is_answered(name: str) -> None:
    state = small_game("Ad")
    controller = make(name, state)
    state.advance(Action.RIGHT)
    assert state.is_over
    assert controller.act(state, calls(state, 50)) in (Action.NIL, Action.USE)
    controller.result(state)


@by_name
def test_its_garbage_contains_no_reference_cycles(name: str) -> None:
    state = small_game(*PLACE)
    controller = make(name, state)
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            controller.act(state.copy(seed=1), calls(state, 300))
        assert gc.collect() == 0
    finally:
        gc.enable()
