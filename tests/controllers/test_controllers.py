"""How the bundled controllers differ, seen in their actions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import vgdl
from vgdl import Action, Meter, StateObservation
from vgdl.controllers import Timer
from vgdl.controllers.entries.one_step_look_ahead import OneStepLookAhead
from vgdl.controllers.entries.random_controller import Random
from vgdl.controllers.entries.sample_mcts import SampleMCTS
from vgdl.controllers.search.value import WIN_VALUE, state_value

TOY = Path(__file__).parents[1] / "competition" / "toy" / "toy.txt"
COIN_TO_THE_RIGHT, CORRIDOR = 0, 1
LONG_MS = 10_000.0


def start(level: int, seed: int = 3) -> StateObservation:
    """A state that counts its calls."""
    state = vgdl.load(str(TOY)).start(level=level, seed=seed)
    state.meter = Meter()
    return state


def calls(state: StateObservation, count: int) -> Timer:
    return Timer(budget_calls=count, meter=state.meter)


def test_random_takes_all_available_actions_about_equally_often() -> None:
    state = start(COIN_TO_THE_RIGHT)
    controller = Random(state, Timer(LONG_MS), seed=1)
    taken = Counter(controller.act(state, Timer(LONG_MS)) for _ in range(2000))
    assert set(taken) == set(state.available_actions)
    assert min(taken.values()) > 0.8 * 2000 / len(taken)


def test_one_step_look_ahead_takes_the_coin() -> None:
    for seed in range(20):
        state = start(COIN_TO_THE_RIGHT)
        assert OneStepLookAhead(state, Timer(LONG_MS), seed=seed).act(state, Timer(LONG_MS)) is Action.RIGHT


def test_one_step_look_ahead_avoids_losing_but_does_not_see_the_goal() -> None:
    state = start(CORRIDOR)
    taken = {OneStepLookAhead(state, Timer(LONG_MS), seed=seed).act(state, Timer(LONG_MS)) for seed in range(40)}
    assert not taken & {Action.UP, Action.DOWN}
    assert len(taken) > 1


def test_sample_mcts_walks_to_a_goal_that_one_step_does_not_show() -> None:
    state = start(CORRIDOR)
    controller = SampleMCTS(state, Timer(LONG_MS), seed=5)
    while not state.is_over:
        seen = state.copy(seed=state.tick)
        state.advance(controller.act(seen, calls(seen, 2000)))
    assert state.winner == 1
    assert state.tick < 20


def test_deeper_rollouts_see_further() -> None:
    """The goal is four steps away: rollouts of two ticks see no difference along the corridor."""
    state = start(CORRIDOR)
    shallow = {SampleMCTS(state, Timer(LONG_MS), depth=2, seed=s).act(state, calls(state, 300)) for s in range(20)}
    deep = Counter(SampleMCTS(state, Timer(LONG_MS), seed=s).act(state, calls(state, 3000)) for s in range(20))
    assert Action.LEFT in shallow
    assert deep[Action.RIGHT] >= 18


@pytest.mark.parametrize("controller", [Random, OneStepLookAhead, SampleMCTS])
def test_the_same_seed_takes_the_same_actions(controller: type[Random | OneStepLookAhead | SampleMCTS]) -> None:
    def play() -> list[Action]:
        state = start(COIN_TO_THE_RIGHT)
        player = controller(state, Timer(LONG_MS), seed=11)
        return [player.act(state, calls(state, 200)) for _ in range(30)]

    assert play() == play()


@pytest.mark.parametrize("controller", [OneStepLookAhead, SampleMCTS])
@pytest.mark.parametrize("budget", [1, 3, 10, 99, 900])
def test_searches_keep_to_a_budget_of_calls(controller: type[OneStepLookAhead | SampleMCTS], budget: int) -> None:
    state = start(COIN_TO_THE_RIGHT)
    timer = calls(state, budget)
    assert controller(state, timer, seed=1).act(state, timer) in state.available_actions
    assert not timer.exceeded


def test_sample_mcts_uses_nearly_all_of_its_calls() -> None:
    state = start(COIN_TO_THE_RIGHT)
    timer = calls(state, 900)
    SampleMCTS(state, timer, seed=1).act(state, timer)
    assert timer.calls_left < 10


@pytest.mark.parametrize("controller", [OneStepLookAhead, SampleMCTS])
def test_searching_leaves_the_given_state_alone(controller: type[OneStepLookAhead | SampleMCTS]) -> None:
    state = start(COIN_TO_THE_RIGHT)
    before = state.to_bytes()
    controller(state, Timer(LONG_MS), seed=1).act(state, calls(state, 500))
    assert state.to_bytes() == before


@pytest.mark.parametrize("controller", [Random, OneStepLookAhead, SampleMCTS])
def test_an_ended_game_is_answered_with_nil(controller: type[Random | OneStepLookAhead | SampleMCTS]) -> None:
    state = start(CORRIDOR)
    state.advance(Action.UP)
    assert state.is_over
    assert controller(state, Timer(LONG_MS), seed=1).act(state, calls(state, 50)) is Action.NIL


def test_the_value_is_the_score_until_the_game_is_decided() -> None:
    state = start(COIN_TO_THE_RIGHT)
    state.advance(Action.RIGHT)
    assert state_value(state) == 1
    lost, won = start(CORRIDOR), start(CORRIDOR)
    lost.advance(Action.UP)
    won.rollout([Action.RIGHT] * 4)
    assert (state_value(lost), state_value(won)) == (-WIN_VALUE, WIN_VALUE)
