"""Controllers in two-player games: each plays its own avatar and takes the opponent into account."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import vgdl
from small_games import calls, duel, unlimited
from vgdl import Action, Meter, StateObservation, games
from vgdl.controllers import registry
from vgdl.controllers.entries.one_step_look_ahead import OneStepLookAhead
from vgdl.controllers.entries.random_controller import Random

SEEDS = range(15)


def looks_ahead(state: StateObservation, player: int, budget: int = 100) -> set[Action]:
    """The answers of one-step look-ahead, over seeds."""
    return {OneStepLookAhead(state, unlimited(), player, seed=seed).act(state, calls(state, budget)) for seed in SEEDS}


def test_random_takes_any_action_of_its_own_avatar() -> None:
    state = duel("A...B")
    for player in (0, 1):
        controller = Random(state, unlimited(), player, seed=1)
        taken = Counter(controller.act(state, unlimited()) for _ in range(500))
        assert set(taken) == set(state.actions_of(player))
        assert min(taken.values()) > 0.7 * 500 / len(taken)


@pytest.mark.parametrize(("player", "action"), [(0, Action.LEFT), (1, Action.RIGHT)])
def test_each_takes_the_point_beside_its_own_avatar(player: int, action: Action) -> None:
    assert looks_ahead(duel(".oA....Bo."), player) == {action}


@pytest.mark.parametrize("player", [0, 1])
def test_neither_loses_at_once(player: int) -> None:
    state = duel("wxwwwxw", "xA...Bx", "wxwwwxw")
    avatar_side = {Action.LEFT, Action.UP, Action.DOWN} if player == 0 else {Action.RIGHT, Action.UP, Action.DOWN}
    assert not looks_ahead(state, player) & avatar_side


def test_the_opponent_is_expected_not_to_lose_at_once() -> None:
    """If the opponent were expected to blunder, every action would win and the point would not matter."""
    assert looks_ahead(duel("wwwwwxw", ".oA..Bx", "wwwwwxw"), player=0) == {Action.LEFT}


@pytest.mark.parametrize("budget", [1, 3, 10])
def test_it_keeps_to_a_budget_of_calls(budget: int) -> None:
    state = duel("A...B")
    timer = calls(state, budget)
    OneStepLookAhead(state, unlimited(), 1, seed=1).act(state, timer)
    assert not timer.exceeded


@pytest.mark.parametrize("game", games.names("two_player"))
@pytest.mark.parametrize("name", ["random", "onesteplookahead", "samplemcts", "openloopmcts", "olets", "samplega"])
def test_it_plays_the_bundled_games_as_either_player(name: str, game: str) -> None:
    """It answers with its own avatar's actions and stays within its budget."""
    state = vgdl.load(game).start(level=0, seed=1)
    state.meter = Meter()
    make: Any = registry.load(name)
    players = [make(state.copy(), unlimited(), player, seed=player) for player in (0, 1)]
    while state.tick < 20 and not state.is_over:
        answers = []
        for number, player in enumerate(players):
            timer = calls(state, 60)
            answers.append(player.act(state.copy(seed=state.tick), timer))
            assert answers[-1] in state.actions_of(number)
            assert not timer.exceeded
        state.advance(tuple(answers))
    assert state.is_over == ((game, name) == ("surround2", "random"))  # a random rider soon crashes
