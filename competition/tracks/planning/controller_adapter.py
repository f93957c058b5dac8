"""Controllers as agents: the methods that the runner can call, and the adapter that calls them in the worker."""

from __future__ import annotations

import contextlib
import operator
import random
from dataclasses import dataclass

import numpy as np

from vgdl import Action, Meter, StateObservation
from vgdl.competition.agents.plain_data import Plain, printable
from vgdl.competition.agents.service import Method, Service, nothing
from vgdl.competition.tracks.planning import observation as observations
from vgdl.competition.tracks.planning.rules import Rules
from vgdl.controllers import Controller, Timer
from vgdl.controllers.base import takes_seed
from vgdl.controllers.registry import CONTROLLERS
from vgdl.core.data.tables import BoardTables
from vgdl.registry import Entry

_ADAPTER = "vgdl.competition.tracks.planning.controller_adapter:ControllerAdapter"


def service(rules: Rules) -> Service:
    """The methods of a controller, with the limits of ``rules`` as budgets."""
    limits = rules.limits
    return Service(
        adapter=_ADAPTER,
        methods={
            "construct": Method(limits.construction, nothing, ("board", "observation")),
            "act": Method(limits.action, _action_or_words, ("observation",)),
            "result": Method(limits.result, nothing, ("observation",)),
        },
        clock=rules.clock,
        patience=rules.patience,
        import_s=rules.import_s,
    )


class ControllerAdapter:
    """One controller and its play; observations and the board arrive as encoded by the runner."""

    def __init__(self, entry: Entry, meter: Meter, *, player: int, seed: int) -> None:
        """Import the controller.

        Args:
            entry: locates its class.
            meter: counts forward-model calls.
            player: its player number in the game.
            seed: for the global random number generators.
        """
        random.seed(seed)  # makes controllers that use the global generators repeatable, too
        np.random.seed(seed)
        self._class = CONTROLLERS.checked(entry, entry.imported())
        self._player = player
        self._options = {"seed": seed} if takes_seed(self._class) else {}
        self._meter = meter
        self._board: BoardTables | None = None
        self._controller: Controller | None = None

    def construct(self, *, board: bytes, observation: bytes, timer: Timer) -> None:
        """Construct the controller."""
        self._board = observations.decode_board(board)
        self._controller = self._class(self._state(observation), timer, self._player, **self._options)

    def act(self, *, observation: bytes, timer: Timer) -> int | str:
        """Ask for an action; returns its number, or in words what the controller returned instead of one."""
        answer = self._constructed().act(self._state(observation), timer)
        action = as_action(answer)
        return f"{answer!r:.200}" if action is None else int(action)

    def result(self, *, observation: bytes, timer: Timer) -> None:
        """Pass the final state to the controller."""
        self._constructed().result(self._state(observation))

    def _state(self, observation: bytes) -> StateObservation:
        if self._board is None:
            raise RuntimeError("an observation came before its board")
        state = observations.decode(observation, self._board)
        state.meter = self._meter
        return state

    def _constructed(self) -> Controller:
        if self._controller is None:
            raise RuntimeError("asked before it was constructed")
        return self._controller


@dataclass(frozen=True, slots=True)
class InvalidAnswer:
    """An answer that is not an action."""

    text: str  #: the answer in words


def as_action(answer: object) -> Action | None:
    """Convert an answer, an action or its number, to an action; None if it is neither."""
    with contextlib.suppress(TypeError):
        number = operator.index(answer)  # type: ignore[arg-type]
        for action in Action.__members__.values():
            if action == number:
                return action
    return None


def _action_or_words(value: Plain) -> Action | InvalidAnswer:
    action = as_action(value)
    return InvalidAnswer(printable(str(value))) if action is None else action
