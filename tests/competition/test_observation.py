"""What a controller is shown: the whole state, another future, and rules that are numbers only."""

from __future__ import annotations

from pathlib import Path

import pytest

import vgdl
from vgdl import Action, StateObservation
from vgdl.competition.contest import observation

TOY = Path(__file__).parent / "toy" / "toy.txt"
WANDERERS = 2


@pytest.fixture
def state() -> StateObservation:
    """A state in which something has happened."""
    state = vgdl.load(TOY).start(level=0, seed=1)
    state.advance(Action.RIGHT)
    return state


def shown(state: StateObservation, seed: int = 5) -> StateObservation:
    board = observation.decode_board(observation.encode_board(state))
    return observation.decode(observation.encode(state, seed), board)


def test_all_of_the_state_is_shown_but_its_future(state: StateObservation) -> None:
    copy = shown(state)
    assert copy.generator != state.generator
    assert copy.to_bytes() == state.copy(seed=5).to_bytes()


def test_the_history_of_events_is_shown(state: StateObservation) -> None:
    assert len(state.events) == 1
    assert shown(state).events == state.events


def test_the_future_shown_does_not_depend_on_the_real_one() -> None:
    game = vgdl.load(TOY)
    futures = []
    for seed in (1, 2):
        copy = shown(game.start(level=WANDERERS, seed=seed))
        copy.rollout([Action.NIL] * 10)
        futures.append(copy.to_bytes())
    assert futures[0] == futures[1]


def test_no_name_or_path_is_shown(state: StateObservation) -> None:
    sent = observation.encode_board(state) + observation.encode(state, 5)
    for secret in (*state.game.types, "toy", str(TOY.parent), "wanderer"):
        if secret not in ("wall", "avatar"):  # words of VGDL itself
            assert secret.encode() not in sent
    assert shown(state).board is None
    assert shown(state).game is None


def test_a_decoded_state_can_be_searched(state: StateObservation) -> None:
    copy = shown(state)
    copy.copy(seed=3, history=False).random_rollout(10, seed=4)
    copy.advance(Action.LEFT)
    assert copy.tick == state.tick + 1
