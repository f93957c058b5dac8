"""Types are judged by the outcome of contacts; witness copies see only their own events."""

from __future__ import annotations

import random

import pytest

from small_games import small_game
from vgdl import Action
from vgdl.controllers.search.experience import Experience
from vgdl.controllers.search.futures import another_future, witnessed_future


def met(letter: str) -> tuple[Experience, int]:
    """The experience after meeting one sprite, and its type."""
    state = small_game(f"A{letter}.")
    lists = (state.npcs, state.resources, state.portals, state.immovables)
    type = next(seen.type for lists in lists for sprites in lists for seen in sprites if seen.position == (20, 10))
    experience = Experience()
    future = witnessed_future(state, random.Random(1))
    future.advance(Action.RIGHT)
    experience.learn(state.score, future)
    return experience, type


@pytest.mark.parametrize(
    ("letter", "is_good", "is_bad", "is_fatal"),
    [
        ("o", True, False, False),
        ("r", True, False, False),
        ("p", False, True, False),
        ("f", False, True, True),
        ("g", False, False, False),
        ("w", False, False, False),
    ],
)
def test_the_outcome_of_a_contact_is_remembered(letter: str, is_good: bool, is_bad: bool, is_fatal: bool) -> None:
    experience, type = met(letter)
    assert (experience.is_good(type), experience.is_bad(type), experience.is_fatal(type)) == (is_good, is_bad, is_fatal)


def test_types_never_met_are_neither_good_nor_bad() -> None:
    experience, type = met("o")
    assert not experience.is_good(type + 1)
    assert not experience.is_bad(type + 1)


def test_a_witness_sees_its_own_events_only_and_its_calls_count() -> None:
    state = small_game("Ao.")
    state.advance(Action.LEFT)
    assert state.events
    assert state.meter is not None
    used = state.meter.used
    future = witnessed_future(state, random.Random(1))
    assert not future.events
    future.advance(Action.RIGHT)
    assert [event.tick for event in future.events] == [1]
    assert state.meter.used == used + 1


def test_futures_differ_and_repeat_with_the_generator() -> None:
    state = small_game("A..")
    one, other = random.Random(1), random.Random(1)
    first, second = another_future(state, one), another_future(state, one)
    assert first.generator != second.generator
    assert another_future(state, other).generator == first.generator
    assert witnessed_future(state, other).generator == second.generator
