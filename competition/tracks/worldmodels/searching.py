"""Planning on a learnt game, in the process of its program (8.1, 8.2; for wrong samplers see 7.5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.model import ModelGame, ModelState, NoConsistentState
from vgdl.controllers.tabletop import ISMCTS, MCTS
from vgdl.tabletop import sample_chance
from vgdl.tabletop.game import Information
from vgdl.tabletop.protocols import Uniform

Value = Callable[[Any, int], float]

MOST_FAILURES = 20
"""Simulations in a row without a consistent sample, after which a search gives up."""


@dataclass(frozen=True, slots=True)
class Search:
    """Settings of a planner. The defaults are the paper's, or the specification's where the paper has none."""

    simulations: int = 1000  #: per move
    rollouts: int = 10  #: per new leaf, unless a value function is given
    exploration: float = math.sqrt(2)  #: weight of exploration
    max_rollout: int = 1000
    seconds: float = 60.0  #: CPU time per move
    seed: int = 0
    value: str = ""  #: source of a value function


def choose(game: ModelGame, situation: dict[str, Any], search: Search, value: Value | None) -> dict[str, Any]:
    """Choose an action for the player to move.

    If no sampled history agrees with the player's observation, or the planner fails, the action is a uniformly random
    legal one of a sampled state, and ``fallback`` gives the reason (7.5).

    Args:
        game: the learnt game.
        situation: ``state`` (a JSON value), or in games of imperfect information ``history`` and ``player``.
        search: settings of the planner.
        value: a value function in place of rollouts.

    Returns:
        ``action``, ``candidates`` as [action, visits, value], ``simulations``, ``dropped`` samples, ``fallback``.

    Raises:
        WorldModelError: no state with legal actions could be found.
    """
    draws = Random(search.seed)
    shared: dict[str, Any] = {
        "simulations": search.simulations,
        "rollouts": search.rollouts,
        "exploration": search.exploration,
        "max_rollout": search.max_rollout,
        "value": value,
        "seed": search.seed,
    }
    if game.type.information is Information.PERFECT_INFORMATION:
        state = game.state_at(situation["state"])
        return _searched(MCTS(**shared, solve=False), state, draws)
    history, player = situation["history"], situation["player"]
    try:
        state = game.sample(history, player, draws.random)
    except NoConsistentState as error:
        return _at_random(_any_state(game, history, player, draws.random, error), draws, str(error))
    sampler = _Sampler(game, history)
    return _searched(ISMCTS(**shared, sampler=sampler), state, draws)


class _Sampler:
    """Samples root states of an information set search; failures return the initial state, which the search drops."""

    def __init__(self, game: ModelGame, history: Sequence[Any]) -> None:
        self._game = game
        self._history = history
        self._failures = 0

    def __call__(self, state: ModelState, player: int, uniform: Uniform) -> ModelState:
        try:
            found = self._game.sample(self._history, player, uniform)
        except NoConsistentState:
            self._failures += 1
            if self._failures >= MOST_FAILURES:
                raise
            return self._game.new_initial_state()
        self._failures = 0
        return found


def _searched(planner: MCTS | ISMCTS, state: ModelState, draws: Random) -> dict[str, Any]:
    legal = state.legal_actions()
    if state.current_player() < 0 or not legal:
        raise NoConsistentState(Kind.CONTRACT, "get_current_player", "no player is to move in the present state")
    if len(legal) == 1:
        return _answer(state, legal[0], [], 0, 0, "")
    try:
        found = planner.search(state)
    except (WorldModelError, ValueError, RuntimeError, ArithmeticError) as error:
        return _at_random(state, draws, str(error))
    candidates = [[state.action_to_string(each.action), each.visits, each.value] for each in found]
    dropped = getattr(planner, "dropped", 0)
    fallback = "" if planner.simulations else "every sample was dropped"
    return _answer(state, found[0].action, candidates, planner.simulations, dropped, fallback)


def _any_state(game: ModelGame, history: Any, player: int, uniform: Uniform, reason: WorldModelError) -> ModelState:
    """Sample a state in which the player is to move, consistent or not.

    Raises:
        WorldModelError: no state was found; the error is ``reason``.
    """
    for _ in range(10):
        try:
            state = game.run(game.program.resample(history, player, int(uniform() * (1 << 31))))
            if state.current_player() == player:
                return state
        except WorldModelError:
            continue
    raise reason


def _at_random(state: ModelState, draws: Random, reason: str) -> dict[str, Any]:
    return _answer(state, draws.choice(state.legal_actions()), [], 0, 0, reason)


def _answer(
    state: ModelState, action: int, candidates: list[Any], simulations: int, dropped: int, fallback: str
) -> dict[str, Any]:
    return {
        "action": state.action_to_string(action),
        "candidates": candidates[:50],
        "simulations": simulations,
        "dropped": dropped,
        "fallback": fallback[:500],
    }


def play_out(game: ModelGame, values: Sequence[Value | None], search: Search) -> list[float]:
    """Play the learnt game between planners that differ in their value functions.

    In games of imperfect information, root states come from the program's own sampler. Unfinished games return zeros.

    Raises:
        WorldModelError: the program failed.
    """
    draws = Random(search.seed)
    state = game.new_initial_state()
    for _ in range(search.max_rollout):
        if state.is_terminal():
            return state.returns()
        if state.is_chance_node():
            sample_chance(state, draws.random)
            continue
        player = state.current_player()
        situation = {"state": state.value, "history": state.own_history(player), "player": player}
        settings = Search(search.simulations, search.rollouts, seed=draws.getrandbits(31))
        chosen = choose(game, situation, settings, values[player])
        state.apply_action(state.string_to_action(chosen["action"]))
    return [0.0] * game.num_players()
