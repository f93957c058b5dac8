"""Turns key presses into one action per tick (sprites, 14.1)."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Mapping
from typing import Protocol

from vgdl import Action, Game
from vgdl.language import parse

Bindings = Mapping[int, Action]  #: actions by key code


class KeyHandler(Protocol):
    """Turns the keys of a person into actions."""

    def press(self, key: int) -> None: ...
    def release(self, key: int) -> None: ...
    def answer(self) -> Action:
        """The action for the next tick; keys pressed later count for the tick after it."""

    def clear(self) -> None:
        """Forget all keys, since their release will not be seen."""


def action_of_keys(keys: Container[Action]) -> Action:
    """The action of several keys held together (sprites, 14.1).

    USE overrides all directions. DOWN overrides UP, RIGHT overrides LEFT; a horizontal and a vertical one cancel out.
    """
    if Action.USE in keys:
        return Action.USE
    vertical = Action.DOWN if Action.DOWN in keys else Action.UP if Action.UP in keys else Action.NIL
    horizontal = Action.RIGHT if Action.RIGHT in keys else Action.LEFT if Action.LEFT in keys else Action.NIL
    if vertical and horizontal:
        return Action.NIL
    return vertical or horizontal


class HeldKeys:
    """The default handler: keys that are down when a tick is played.

    A key pressed and released between two ticks counts too, so that no tap is lost in a slow game.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._down: set[int] = set()
        self._tapped: set[int] = set()

    def press(self, key: int) -> None:
        if key in self._bindings:
            self._down.add(key)
            self._tapped.add(key)

    def release(self, key: int) -> None:
        self._down.discard(key)

    def answer(self) -> Action:
        counting = self._down | self._tapped
        self._tapped.clear()
        return action_of_keys({self._bindings[key] for key in counting})

    def clear(self) -> None:
        self._down.clear()
        self._tapped.clear()


class PulsedKeys:
    """``key_handler=Pulse``: each key release counts once, one per tick, the oldest first."""

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._down: set[int] = set()
        self._released: deque[Action] = deque()

    def press(self, key: int) -> None:
        if key in self._bindings:
            self._down.add(key)

    def release(self, key: int) -> None:
        if key in self._down:
            self._down.remove(key)
            self._released.append(self._bindings[key])

    def answer(self) -> Action:
        return self._released.popleft() if self._released else Action.NIL

    def clear(self) -> None:
        self._down.clear()
        self._released.clear()


def is_pulsed(game: Game) -> bool:
    """Whether a game uses `PulsedKeys`."""
    handler = parse(game.text)[0].game.arguments.get("key_handler")
    return handler is not None and handler.value == "Pulse"


def key_handler(game: Game, bindings: Bindings) -> KeyHandler:
    """The handler that a game uses."""
    return PulsedKeys(bindings) if is_pulsed(game) else HeldKeys(bindings)
