"""Several keys become one action per tick (sprites, 14.1)."""

from __future__ import annotations

import pytest

import vgdl
from play.window import RACE
from vgdl import Action
from vgdl.play.keys import HeldKeys, PulsedKeys, action_of_keys, is_pulsed, key_handler

NIL, UP, LEFT, DOWN, RIGHT, USE = (Action[name] for name in ("NIL", "UP", "LEFT", "DOWN", "RIGHT", "USE"))
BINDINGS = {1: UP, 2: LEFT, 3: DOWN, 4: RIGHT, 5: USE, 12: LEFT}


@pytest.mark.parametrize(
    ("held", "meant"),
    [
        ((), NIL),
        ((UP,), UP),
        ((LEFT,), LEFT),
        ((UP, DOWN), DOWN),
        ((LEFT, RIGHT), RIGHT),
        ((UP, RIGHT), NIL),
        ((UP, DOWN, LEFT, RIGHT), NIL),
        ((UP, LEFT, USE), USE),
        ((USE, RIGHT), USE),
    ],
)
def test_keys_held_together_mean_one_action(held: tuple[Action, ...], meant: Action) -> None:
    assert action_of_keys(set(held)) is meant


def test_a_held_key_counts_in_every_tick() -> None:
    keys = HeldKeys(BINDINGS)
    keys.press(4)
    assert [keys.answer(), keys.answer()] == [RIGHT, RIGHT]
    keys.release(4)
    assert keys.answer() is NIL


def test_a_short_tap_counts_once() -> None:
    keys = HeldKeys(BINDINGS)
    keys.press(1)
    keys.release(1)
    assert [keys.answer(), keys.answer()] == [UP, NIL]


def test_two_keys_for_one_action_are_interchangeable() -> None:
    keys = HeldKeys(BINDINGS)
    keys.press(2)
    keys.press(12)
    keys.release(2)
    keys.answer()
    assert keys.answer() is LEFT


def test_keys_without_a_meaning_are_ignored() -> None:
    for keys in (HeldKeys(BINDINGS), PulsedKeys(BINDINGS)):
        keys.press(99)
        keys.release(99)
        assert keys.answer() is NIL


def test_pulsed_keys_count_once_on_release_in_order_one_per_tick() -> None:
    keys = PulsedKeys(BINDINGS)
    for key in (4, 1):
        keys.press(key)
    assert keys.answer() is NIL
    for key in (1, 4):
        keys.release(key)
    assert [keys.answer(), keys.answer(), keys.answer()] == [UP, RIGHT, NIL]


@pytest.mark.parametrize("handler", [HeldKeys, PulsedKeys])
def test_cleared_keys_do_not_count(handler: type[HeldKeys] | type[PulsedKeys]) -> None:
    keys = handler(BINDINGS)
    keys.press(4)
    keys.release(4)
    keys.press(5)
    keys.clear()
    keys.release(5)
    assert keys.answer() is NIL


def test_the_game_chooses_how_keys_are_handled() -> None:
    usual, pulsed = vgdl.loads(RACE), vgdl.loads(RACE.replace("square_size", "key_handler=Pulse square_size"))
    assert (is_pulsed(usual), is_pulsed(pulsed)) == (False, True)
    assert isinstance(key_handler(usual, {}), HeldKeys)
    assert isinstance(key_handler(pulsed, {}), PulsedKeys)
