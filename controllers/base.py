"""What a controller is, and the timer that tells it how much of its budget is left."""

from __future__ import annotations

import abc
import inspect
import math
import time
from collections.abc import Callable
from typing import Protocol

from vgdl import Action, StateObservation

NS_PER_MS = 1_000_000


class Meter(Protocol):
    """Counts the ticks that a state and all its copies were advanced, by any means; an ended state counts none."""

    @property
    def used(self) -> int:
        """Ticks advanced so far."""


class Timer:
    """The budget of one answer, running from the moment the timer is made.

    A budget is either a time (milliseconds of ``clock``) or a number of calls of the forward model: one call for each
    tick that a state or any of its copies is advanced, whether by ``advance``, ``rollout`` or ``random_rollout``. What
    is not limited reads as infinite, so a search that checks both works under either kind of budget.
    """

    __slots__ = ("_calls_before", "_clock", "_meter", "_started_ns", "budget_calls", "budget_ms")

    def __init__(
        self,
        budget_ms: float = math.inf,
        *,
        budget_calls: float = math.inf,
        meter: Meter | None = None,
        clock: Callable[[], int] = time.process_time_ns,
    ) -> None:
        """Start the timer.

        Args:
            budget_ms: milliseconds allowed.
            budget_calls: calls of the forward model allowed; needs ``meter``.
            meter: the call meter shared by the states that the controller is given.
            clock: nanoseconds from any starting point; CPU time of the whole process unless told otherwise.
        """
        if meter is None and budget_calls != math.inf:
            raise ValueError("a budget of calls needs the meter that counts them")
        self.budget_ms = budget_ms
        self.budget_calls = budget_calls
        self._meter = meter
        self._clock = clock
        self._calls_before = meter.used if meter is not None else 0
        self._started_ns = clock()

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds of the clock since the timer was made."""
        return (self._clock() - self._started_ns) / NS_PER_MS

    @property
    def remaining_ms(self) -> float:
        """Milliseconds left; negative once they are exceeded, infinite under a budget of calls."""
        return self.budget_ms - self.elapsed_ms

    @property
    def calls_used(self) -> int:
        """Ticks of the forward model advanced since the timer was made; 0 where nothing counts them."""
        return self._meter.used - self._calls_before if self._meter is not None else 0

    @property
    def calls_left(self) -> float:
        """Calls of the forward model left; negative once they are exceeded, infinite under a budget of time."""
        return self.budget_calls - self.calls_used

    @property
    def exceeded(self) -> bool:
        """Whether more than the budget was used."""
        return self.remaining_ms < 0 or self.calls_left < 0


class Controller(abc.ABC):
    """A player. It sees the game through state observations only and answers with one action per tick.

    A controller whose constructor has a keyword ``seed`` is given one by whoever runs it; it must draw all its random
    numbers from generators seeded with it, so that its plays can be repeated.
    """

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        """Prepare for a game that is about to start in ``state``; the competition allows 1 s for this."""
        self.player = player

    @abc.abstractmethod
    def act(self, state: StateObservation, timer: Timer) -> Action:
        """Answer with the action for this tick; the competition allows 40 ms (engine, 11.3).

        ``state`` is the controller's own: it may be advanced or kept.
        """

    def result(self, state: StateObservation) -> None:  # noqa: B027 (optional by design)
        """Take note of the final state, once, after the play; the competition allows 100 ms (engine, 11.3)."""


def takes_seed(controller: type[Controller]) -> bool:
    """Whether a controller's constructor takes ``seed``, by name or among any options."""
    parameters = inspect.signature(controller).parameters
    return "seed" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
