"""Saves observed ticks (13.1): controllers think without one where nothing changes, and stale plays end."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vgdl import Action, StateObservation
from vgdl.controllers import Controller, Timer
from vgdl.controllers.base import takes_seed
from vgdl.controllers.registry import load

STALE = 50  #: ticks without a new state, after which a play is stale


@dataclass
class Thinking:
    """How often controllers may still be asked again where they stand still.

    In puzzles, `champion` stands still until it has found a win. Such ticks would be observed in vain.
    """

    left: int

    def act(
        self,
        controller: Controller,
        view: Callable[[], StateObservation],
        timer: Callable[[], Timer],
        running: Timer | None = None,
    ) -> Action:
        """Ask a controller for its action; again while it does nothing in a state that this does not change.

        Args:
            controller: the controller.
            view: makes a copy of the state.
            timer: starts the budget of an answer.
            running: the budget of the first one, if it has been started.
        """
        action = Action(controller.act(view(), running or timer()))
        while action == Action.NIL and self.left > 0 and _stands_still(view()):
            self.left -= 1
            action = Action(controller.act(view(), timer()))
        return action


class Staleness:
    """Tells when a play has shown only states that it had shown before for many ticks, as where a player is stuck."""

    def __init__(self) -> None:
        self._known: set[tuple[object, ...]] = set()
        self._repeated = 0

    def note(self, state: StateObservation) -> bool:
        """Note the next state of a play; returns whether the play is stale."""
        avatar = state.avatar
        holds = () if avatar is None else (avatar.orientation, avatar.health, tuple(sorted(avatar.resources.items())))
        rows = state.arrays[np.argsort(state.arrays["id"], kind="stable")]
        shown = (state.score, *holds, *(rows[name].tobytes() for name in ("type", "x", "y")))
        self._repeated = self._repeated + 1 if shown in self._known else 0
        self._known.add(shown)
        return self._repeated >= STALE


def _stands_still(state: StateObservation) -> bool:
    future = state.copy(history=False)
    future.advance(Action.NIL)
    return future.key() == state.key()


def make_controller(name: str, state: StateObservation, timer: Timer, seed: int, *, waiting: bool = True) -> Controller:
    """Make a bundled controller; without ``waiting``, one that does not stand still to think if it has that option."""
    found = load(name)
    options: dict[str, object] = {"seed": seed} if takes_seed(found) else {}
    if not waiting and "waiting" in inspect.signature(found).parameters:
        options["waiting"] = False
    return found(state, timer, **options)  # type: ignore[arg-type]
