"""Copies are equal and independent; changing them leaves the original unchanged."""

from __future__ import annotations

import copy
import json
import pickle
import random
import subprocess
import sys
from collections.abc import Callable

import pytest

from laws import runs
from vgdl import Action, StateObservation, games

TICKS = 40
COPIES = 25  #: per tick, so that a play has a thousand


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", games.names())
def test_a_thousand_advanced_copies_leave_the_original_as_in_a_fresh_process(name: str) -> None:
    """Record, observations, events and bytes at every tick."""
    command = [sys.executable, runs.__file__, name, "3", str(TICKS)]
    fresh = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()
    for level, line in enumerate(fresh):
        state, draws = runs.start(name, level), random.Random(level)
        seen = [runs.digest(state)]
        for action in runs.script(name, level, TICKS):
            for _ in range(COPIES):
                future = state.copy(seed=draws.getrandbits(32), history=draws.random() < 0.5)
                future.random_rollout(draws.randrange(1, 6), draws.getrandbits(32))
            state.advance(action)
            seen.append(runs.digest(state))
        assert seen == json.loads(line)


def by_copy_into(state: StateObservation) -> StateObservation:
    other = state.copy(seed=99)
    other.random_rollout(20, 5)
    state.copy_into(other)
    return other


def by_bytes(state: StateObservation) -> StateObservation:
    return StateObservation.from_bytes(state.tables, state.to_bytes())


def by_pickle(state: StateObservation) -> StateObservation:
    restored: StateObservation = pickle.loads(pickle.dumps(state))
    return restored


WAYS: dict[str, Callable[[StateObservation], StateObservation]] = {
    "copy": lambda state: state.copy(),
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "copy(history=False)": lambda state: state.copy(history=False),
    "copy_into": by_copy_into,
    "bytes": by_bytes,
    "pickle": by_pickle,
}
KEEP_HISTORY = {"copy", "copy.copy", "deepcopy", "pickle"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "level"), runs.BOARDS, ids=runs.IDS)
def test_every_kind_of_copy_is_equal_and_continues_like_the_original(name: str, level: int) -> None:
    actions = runs.script(name, level, 2 * TICKS)
    half = len(actions) // 2
    state = runs.start(name, level)
    state.rollout(actions[:half])
    before = state.to_bytes()
    others = {way: make(state) for way, make in WAYS.items()}
    for way, other in others.items():
        assert other is not state, way
        assert other == state, way
        assert other.key() == state.key(), way
        assert other.to_bytes() == before, way
        other.rollout(actions[half:])
        assert state.to_bytes() == before, way
    state.rollout(actions[half:])
    for way, other in others.items():
        assert other == state, way
        assert way not in KEEP_HISTORY or runs.everything(other) == runs.everything(state), way


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "level"), runs.BOARDS, ids=runs.IDS)
def test_a_copy_without_history_plays_the_same_and_has_no_events(name: str, level: int) -> None:
    state = runs.start(name, level)
    other = state.copy(history=False)
    for action in runs.script(name, level, TICKS):
        state.advance(action)
        other.advance(action)
        assert other == state
    assert other.events == ()


def test_changed_states_are_unequal() -> None:
    state = runs.start("sokoban", 0)
    changes: list[Callable[[StateObservation], None]] = [
        lambda other: other.advance(Action.NIL),
        lambda other: other.reseed(1234),
        lambda other: other.abort(),
    ]
    for change in changes:
        other = state.copy()
        change(other)
        assert other != state
        assert state == runs.start("sokoban", 0)
    assert state != runs.start("sokoban", 1)
    assert state != "sokoban"


def test_other_seeds_give_other_futures() -> None:
    state = runs.start("butterflies", 0)
    one, other = state.copy(seed=1), state.copy(seed=2)
    again = state.copy(seed=1)
    for future in (one, other, again):
        future.rollout([Action.NIL] * 10)
    places = [[(n.position, n.type) for group in future.npcs for n in group] for future in (one, other, again)]
    assert places[0] != places[1]
    assert places[0] == places[2]
    assert one == again
