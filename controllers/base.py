"""The controller interface, and the timer that measures its budget."""

from __future__ import annotations

import abc
import inspect
import math
import time
from collections.abc import Callable
from typing import Protocol

from vgdl import Action, StateObservation
from vgdl.core.java_names import hints

NS_PER_MS = 1_000_000


class Meter(Protocol):
    """Counts the ticks by which a state and all its copies are advanced; advancing an ended state counts nothing."""

    @property
    def used(self) -> int:
        """Ticks advanced so far."""


class Timer:
    """The budget of one answer; it starts running when the timer is created.

    A budget is either a time (milliseconds of ``clock``) or a number of forward model calls: one call for each tick
    by which a state or any of its copies is advanced, whether by ``advance``, ``rollout`` or ``random_rollout``. An
    unlimited quantity reads as infinite, so a search that checks both works with either kind of budget.

    >>> from vgdl.controllers import Timer
    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> state.meter = vgdl.Meter()
    >>> timer = Timer(budget_calls=100, meter=state.meter)
    >>> state.copy(seed=1).random_rollout(30, seed=2), timer.calls_left
    (30, 70)
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
            budget_calls: forward model calls allowed; requires ``meter``.
            meter: the call meter shared by the states that the controller is given.
            clock: returns nanoseconds since any fixed point; by default, the CPU time of the process.

        Raises:
            ValueError: ``budget_calls`` without ``meter``.
        """
        if meter is None and budget_calls != math.inf:
            raise ValueError("a budget of calls needs a meter that counts them")
        self.budget_ms = budget_ms
        self.budget_calls = budget_calls
        self._meter = meter
        self._clock = clock
        self._calls_before = meter.used if meter is not None else 0
        self._started_ns = clock()

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds on the clock since the timer was created."""
        return (self._clock() - self._started_ns) / NS_PER_MS

    @property
    def remaining_ms(self) -> float:
        """Milliseconds left; negative once exceeded, infinite with a budget of calls."""
        return self.budget_ms - self.elapsed_ms

    @property
    def calls_used(self) -> int:
        """Forward model calls since the timer was created; 0 without a meter."""
        return self._meter.used - self._calls_before if self._meter is not None else 0

    @property
    def calls_left(self) -> float:
        """Forward model calls left; negative once exceeded, infinite with a budget of time."""
        return self.budget_calls - self.calls_used

    @property
    def exceeded(self) -> bool:
        """Whether the budget is exceeded."""
        return self.remaining_ms < 0 or self.calls_left < 0


class Controller(abc.ABC):
    """A program that plays a game: it sees only state observations and answers with one action per tick.

    If the constructor has a keyword ``seed``, the runner passes one. The controller must draw all its random numbers
    from generators seeded with it, so that its plays are reproducible.

    >>> from vgdl.controllers import Controller, Timer
    >>> class Last(Controller):
    ...     def act(self, state, timer):
    ...         return state.actions_of(self.player)[-1]
    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> Last(state, Timer(1000)).act(state, Timer(40))
    <Action.UP: 1>
    """

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0) -> None:
        """Prepare for a game that starts in ``state``; the competition allows 1 s."""
        self.player = player

    @abc.abstractmethod
    def act(self, state: StateObservation, timer: Timer) -> Action:
        """Return the action for this tick; the competition allows 40 ms (engine, 11.3).

        ``state`` belongs to the controller, which may advance or keep it.
        """

    def result(self, state: StateObservation) -> None:  # noqa: B027 (optional by design)
        """Receive the final state, once, after the play; the competition allows 100 ms (engine, 11.3)."""


def takes_seed(controller: type[Controller]) -> bool:
    """Whether a controller's constructor accepts ``seed``, by name or through ``**options``."""
    parameters = inspect.signature(controller).parameters
    return "seed" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


for _name, _hint in hints("ElapsedCpuTimer", dir(Timer)).items():
    setattr(Timer, _name, _hint)
