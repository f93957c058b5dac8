"""The players of a game in the window: people with keys, and controllers."""

from __future__ import annotations

import inspect
import random
import sys
import time
import traceback
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from vgdl import Action, StateObservation
from vgdl.controllers import Controller, Timer
from vgdl.controllers.registry import load
from vgdl.play.keys import KeyHandler
from vgdl.registry import Entry

CONSTRUCTION_MS, ACTION_MS = 1000.0, 40.0
"""The limits of the competition (engine, 11.3). In the window, exceeding them has no consequences."""

SEED_BITS = 48
HUMAN = "human"  #: name of a person in replays


class PlayerFailed(Exception):
    """A controller raised an exception or returned no action; the message is the end of its traceback."""


@runtime_checkable
class Drawn(Protocol):
    """A controller with a method that shows how it values the actions."""

    def draw(self) -> Mapping[Action, float]:
        """The value of each action at the last call of ``act``, in any unit; higher is better.

        For a tree search: the values of the root's children. It is called after ``act``, and not timed.
        """


class Player(Protocol):
    """Chooses the actions of one avatar."""

    @property
    def name(self) -> str:
        """The name of the player in replays."""

    @property
    def is_person(self) -> bool:
        """Whether a person plays."""

    def begin(self, state: StateObservation, player: int) -> None:
        """Prepare for a play that starts in ``state``, as player number ``player``."""

    def answer(self, state: StateObservation) -> Action:
        """The action for this tick.

        Raises:
            PlayerFailed: the player cannot continue.
        """


class Person:
    """A person at the keyboard."""

    name = HUMAN
    is_person = True

    def __init__(self, keys: KeyHandler) -> None:
        self.keys = keys

    def begin(self, state: StateObservation, player: int) -> None:
        self.keys.clear()

    def answer(self, state: StateObservation) -> Action:
        return self.keys.answer()


class Machine:
    """A controller, run in this process with the competition's time limits, which are not enforced."""

    is_person = False

    def __init__(self, entry: Entry, seed: int | None = None) -> None:
        """Import a controller.

        Args:
            entry: of the registry.
            seed: for its random choices and its forward models; None: a new one.

        Raises:
            EntryInvalid: there is no controller.
            Exception: any exception of its module.
        """
        self.name = entry.ranking_name
        self.title = entry.name if entry.name.lower() == self.name.lower() else f"{entry.name} ({self.name})"
        self._class = load(entry)
        self._random = random.Random(seed)
        self._controller: Controller | None = None
        self.answered: Action | None = None  #: its last action
        self.used_ms = 0.0  #: CPU time of its last action
        self.values: dict[Action, float] = {}  #: values of the actions, if it has ``draw``

    def begin(self, state: StateObservation, player: int) -> None:
        self.answered, self.used_ms, self.values = None, 0.0, {}
        options = {"seed": self._random.getrandbits(SEED_BITS)} if _takes_seed(self._class) else {}
        try:
            self._controller = self._class(self.shown(state), Timer(CONSTRUCTION_MS), player, **options)
        except (Exception, SystemExit) as error:
            raise self._failed(error) from error

    def answer(self, state: StateObservation) -> Action:
        assert self._controller is not None, "asked before the play began"
        shown = self.shown(state)
        started = time.process_time_ns()
        try:
            answer = self._controller.act(shown, Timer(ACTION_MS))
            self.used_ms = (time.process_time_ns() - started) / 1e6
            self.answered = Action.NIL if answer is None else Action(answer)
            if isinstance(self._controller, Drawn):
                self.values = {Action(action): float(value) for action, value in self._controller.draw().items()}
        except (Exception, SystemExit) as error:
            raise self._failed(error) from error
        return self.answered

    def shown(self, state: StateObservation) -> StateObservation:
        """A copy with its own seed, so that the real future is not revealed."""
        return state.copy(seed=self._random.getrandbits(SEED_BITS))

    def _failed(self, error: BaseException) -> PlayerFailed:
        """The failure of the controller, whose traceback is printed; its first entry, a line above, is left out."""
        own = error.__traceback__.tb_next if error.__traceback__ else None
        print(f"{self.name} failed:", file=sys.stderr)
        traceback.print_exception(type(error), error, own or error.__traceback__, file=sys.stderr)
        last = traceback.extract_tb(error.__traceback__)[-1]
        return PlayerFailed(f"{self.name}: {type(error).__name__}: {error} ({last.filename}, line {last.lineno})")


def _takes_seed(controller: type[Controller]) -> bool:
    parameters = inspect.signature(controller).parameters
    return "seed" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
