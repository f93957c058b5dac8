"""Who can sit at a game: a person with keys, a controller, and a replay."""

from __future__ import annotations

import inspect
import random
import time
import traceback
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from vgdl import Action, StateObservation
from vgdl.controllers import Controller, Timer
from vgdl.controllers.registry import Entry
from vgdl.play.keys import KeyHandler

CONSTRUCTION_MS, ACTION_MS = 1000.0, 40.0
"""The limits of the competition (engine, 11.3). Watching, nobody is disqualified."""

SEED_BITS = 48
HUMAN = "human"  #: what replays call a person


class PlayerFailed(Exception):
    """A controller raised, or answered nonsense; the message is the end of its traceback."""


@runtime_checkable
class Drawn(Protocol):
    """A controller that shows what it thinks: all it needs is this method."""

    def draw(self) -> Mapping[Action, float]:
        """What each action was worth when the controller was asked last, in any unit, more being better.

        For a tree search: the values of the root's children. It is called after ``act``, and not timed.
        """


class Player(Protocol):
    """One who answers."""

    @property
    def name(self) -> str:
        """What replays call the player."""

    @property
    def is_person(self) -> bool:
        """Whether somebody plays by hand."""

    def begin(self, state: StateObservation, player: int) -> None:
        """Get ready for a play that starts in ``state``, as its ``player``."""

    def answer(self, state: StateObservation) -> Action:
        """The action for this tick.

        Raises:
            PlayerFailed: there is none, and will not be.
        """


class Person:
    """One who presses keys."""

    name = HUMAN
    is_person = True

    def __init__(self, keys: KeyHandler) -> None:
        self.keys = keys

    def begin(self, state: StateObservation, player: int) -> None:
        self.keys.clear()

    def answer(self, state: StateObservation) -> Action:
        return self.keys.answer()


class Machine:
    """A controller, in this process and under the competition's clock, but without its consequences."""

    is_person = False

    def __init__(self, entry: Entry, seed: int | None = None) -> None:
        """Import a controller.

        Args:
            entry: where it is.
            seed: of its random choices and of the futures that it is shown; a fresh one if not given.

        Raises:
            ControllerInvalid: there is no controller.
            Exception: whatever its module raises.
        """
        self.name = entry.ranking_name
        self.title = entry.name if entry.name.lower() == self.name.lower() else f"{entry.name} ({self.name})"
        self._class = entry.load()
        self._random = random.Random(seed)
        self._controller: Controller | None = None
        self.answered: Action | None = None  #: what it said last
        self.used_ms = 0.0  #: CPU time that it took for that
        self.values: dict[Action, float] = {}  #: what it thinks of the actions, if it says so

    def begin(self, state: StateObservation, player: int) -> None:
        self.answered, self.used_ms, self.values = None, 0.0, {}
        options = {"seed": self._random.getrandbits(SEED_BITS)} if _takes_seed(self._class) else {}
        try:
            self._controller = self._class(self._shown(state), Timer(CONSTRUCTION_MS), player, **options)
        except Exception as error:
            raise self._failed(error) from error

    def answer(self, state: StateObservation) -> Action:
        assert self._controller is not None, "asked before the play began"
        shown = self._shown(state)
        started = time.process_time_ns()
        try:
            answer = self._controller.act(shown, Timer(ACTION_MS))
            self.used_ms = (time.process_time_ns() - started) / 1e6
            self.answered = Action.NIL if answer is None else Action(answer)
            if isinstance(self._controller, Drawn):
                self.values = {Action(action): float(value) for action, value in self._controller.draw().items()}
        except Exception as error:
            raise self._failed(error) from error
        return self.answered

    def _shown(self, state: StateObservation) -> StateObservation:
        """A copy with a future that is not the real one."""
        return state.copy(seed=self._random.getrandbits(SEED_BITS))

    def _failed(self, error: Exception) -> PlayerFailed:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return PlayerFailed(f"{self.name}: {type(error).__name__}: {error} ({last.filename}, line {last.lineno})")


def _takes_seed(controller: type[Controller]) -> bool:
    parameters = inspect.signature(controller).parameters
    return "seed" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
