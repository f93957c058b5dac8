"""Every game and level ends without an error and within the 2000 ticks of the rules."""

from __future__ import annotations

import random
from typing import Any

import pytest

import vgdl
from vgdl import Action, Meter, StateObservation, games
from vgdl.controllers import Timer
from vgdl.controllers.registry import load

LEVELS = [(name, number) for name in games.names() for number in range(5)]
CALLS = 40
"""Calls of the forward model per action: one for every action, and a few more."""


def ended_well(state: StateObservation) -> bool:
    return state.is_over and state.error is None and state.tick <= 2000 and set(state.winners) <= {0, 1}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_a_level_loads_without_warnings(name: str, number: int) -> None:
    game = vgdl.load(name, strict=True)
    assert not game.board(number).warnings


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_a_level_survives_random_play(name: str, number: int) -> None:
    for seed in range(5):
        state = vgdl.load(name).start(level=number, seed=seed)
        state.random_rollout(3000, seed)
        assert ended_well(state)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "number"), LEVELS)
def test_a_level_survives_an_idle_player(name: str, number: int) -> None:
    state = vgdl.load(name).start(level=number, seed=1)
    state.rollout([[Action.NIL] * state.n_players] * 3000)
    assert ended_well(state)


@pytest.mark.parametrize("name", games.names())
def test_a_game_survives_search(name: str) -> None:
    state = vgdl.load(name).start(level=random.Random(name).randrange(5), seed=1)
    players = range(state.n_players)
    make: Any = load("samplemcts")  # bundled ones also take a seed

    def shown(player: int) -> tuple[StateObservation, Timer]:
        seen = state.copy(seed=state.tick * state.n_players + player, history=False)
        seen.meter = Meter()
        return seen, Timer(budget_calls=CALLS, meter=seen.meter)

    controllers = [make(*shown(player), player=player, seed=player) for player in players]
    while not state.is_over:
        living = [avatar is not None and avatar.is_alive for avatar in state.avatars]
        state.advance([controllers[p].act(*shown(p)) if living[p] else Action.NIL for p in players])
    assert ended_well(state)
