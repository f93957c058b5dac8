"""Methods of agent processes, which a track declares as data and the worker's adapter implements."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vgdl.competition.agents.plain_data import MAX_INTEGER, Plain


class Clock(enum.StrEnum):
    """The unit of an agent's budget."""

    CPU = "cpu"  #: milliseconds of CPU time of the agent's whole process tree, measured from outside
    WALL = "wall"  #: milliseconds of wall time, less time without a core, measured from outside
    CALLS = "calls"  #: ticks of the forward model; counted inside, so repeatable, but for trusted agents only


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for an answer.

    Only CPU time and sleep count; time in which the agent had no core does not.
    """

    factor: float = 10.0  #: multiple of the budget ...
    extra_s: float = 0.0  #: ... plus this many seconds ...
    floor_s: float = 1.0  #: ... but at least this many
    calls_s: float = 60.0  #: seconds with a budget of calls
    busy_factor: float = 10.0  #: on a busy machine, this multiple as wall time ...
    busy_floor_s: float = 60.0  #: ... but at least this many seconds

    def seconds(self, budget: float, clock: Clock) -> float:
        """Seconds to wait for an answer with this budget, which is in the unit of the clock."""
        if clock is Clock.CALLS:
            return self.calls_s
        return max(self.floor_s, self.factor * budget / 1000.0 + self.extra_s)

    def busy_s(self, seconds: float) -> float:
        """Seconds of wall time after which an answer cannot be judged: the machine had no core for the agent."""
        return max(self.busy_floor_s, self.busy_factor * seconds)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of an agent."""

    budget: float  #: per call, in the unit of the clock; known to the agent, enforced by the caller
    reply: Callable[[Any], Any]  #: converts the plain data of an answer; an exception means that the answer is invalid
    parameters: tuple[str, ...] = ()  #: names of the arguments, whose values are plain data or bytes
    patience: Patience | None = None  #: how long to wait for its answer; by default that of the service


@dataclass(frozen=True, slots=True)
class Service:
    """The methods of one kind of agent.

    ``adapter`` names a class of this package, as ``module:Class``, that wraps the untrusted object in the worker's
    process. Its constructor takes the ``Entry`` and the keyword arguments of the set-up and imports the untrusted code.
    It has all methods declared here, which take their arguments and ``timer`` as keywords.
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
    value: Any = None  #: as converted by the method's ``reply``


@dataclass(frozen=True, slots=True)
class BatchReply:
    """The results of a batch of calls in one message."""

    used: float  #: by all of them
    values: list[Any] = field(default_factory=list)  #: in the order of the calls; ``AgentFailed`` if one raised


def nothing(value: Plain) -> None:
    """A reply without a value."""
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
    """A reply that is an integer in a range, including both ends."""

    def read(value: Plain) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise ValueError(f"{value!r:.100} is not an integer of {low} ... {high}")

    return read
