"""Methods of agent processes: a track declares them as data, the worker's adapter implements them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vgdl.competition.agents.plain_data import MAX_INTEGER, Plain


class Clock(enum.StrEnum):
    """The unit of an agent's budget."""

    CPU = "cpu"  #: CPU time of the agent's whole process tree, milliseconds; measured from outside
    WALL = "wall"  #: wall time, less that without a core, milliseconds; measured from outside
    CALLS = "calls"  #: ticks that the forward model is advanced; counted inside, so for repeatable work among friends


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an answer is waited for.

    What counts is the time that an agent has had: CPU time and sleep. Time without a core is not its own.
    """

    factor: float = 10.0  #: this many times its budget ...
    extra_s: float = 0.0  #: ... and so many seconds more ...
    floor_s: float = 1.0  #: ... but at least so long
    calls_s: float = 60.0  #: under a budget of calls
    busy_factor: float = 10.0  #: on a busy machine, this many times as long on the wall ...
    busy_floor_s: float = 60.0  #: ... but at least so long

    def seconds(self, budget: float, clock: Clock) -> float:
        """Seconds for an answer with this budget, in the unit of the clock."""
        if clock is Clock.CALLS:
            return self.calls_s
        return max(self.floor_s, self.factor * budget / 1000.0 + self.extra_s)

    def busy_s(self, seconds: float) -> float:
        """Seconds on the wall after which an answer cannot be judged: the machine had no core for the agent."""
        return max(self.busy_floor_s, self.busy_factor * seconds)


@dataclass(frozen=True, slots=True)
class Method:
    """A method that an agent answers."""

    budget: float  #: per call, in the unit of the clock; known to the agent, enforced by the caller
    reply: Callable[[Any], Any]  #: types the plain data of an answer; what it raises means that it is none
    parameters: tuple[str, ...] = ()  #: names of the arguments, which are plain data or bytes
    patience: Patience | None = None  #: how long its answer is waited for; that of the service by default


@dataclass(frozen=True, slots=True)
class Service:
    """The methods of one kind of agent.

    ``adapter`` names a class of this package, as ``module:Class``, that wraps the stranger's object in the worker's
    process. It is made from the ``Entry`` and the keyword arguments of the set-up, imports the stranger's code, and has
    a method for each one here: it takes the arguments by keyword, and ``timer``.
    """

    adapter: str
    methods: Mapping[str, Method]
    clock: Clock = Clock.CPU
    patience: Patience = Patience()
    import_s: float = 60.0  #: seconds to wait for the set-up, which imports code and is not charged


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a call."""

    used: float  #: of the budget, in the unit of the clock
    value: Any = None  #: as the method's ``reply`` has typed it


@dataclass(frozen=True, slots=True)
class BatchReply:
    """The results of a batch of calls in one message."""

    used: float  #: by all of them
    values: list[Any] = field(default_factory=list)  #: in the order of the calls; ``AgentFailed`` where one has raised


def nothing(value: Plain) -> None:
    """The reply of a method that returns nothing."""
    if value is not None:
        raise ValueError(f"{value!r:.100} in answer to a call that returns nothing")


def anything(value: Plain) -> Plain:
    """A reply that may be any plain data."""
    return value


def text(value: Plain) -> str:
    """A reply that is text."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.100} is not text")
    return value


def integer(low: int = -MAX_INTEGER, high: int = MAX_INTEGER) -> Callable[[Plain], int]:
    """A reply that is an integer of a range, both ends included."""

    def read(value: Plain) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise ValueError(f"{value!r:.100} is not an integer of {low} ... {high}")

    return read
