"""Failures of agents: one exception, which every caller converts to a result."""

from __future__ import annotations

import enum

from vgdl.competition.agents.plain_data import printable

MAX_DETAILS = 20_000
"""Number of characters kept of a traceback, counted from its end."""


class Cause(enum.StrEnum):
    """Why an agent gave no answer."""

    EXCEPTION = "an exception"
    EXITED = "its process ended"
    HUNG = "no answer"
    NONSENSE = "its process sent something that is not an answer"
    PROCESSES = "too many processes"
    MEMORY = "too much memory"
    CLOCK = "its time could not be measured"


class MachineBusy(Exception):
    """An answer could not be judged, usually because the machine had no core for the agent.

    That is not the agent's fault, unless the time in which there was no core does not explain it.
    """

    def __init__(self, message: str, *, by_agent: bool = False) -> None:
        """Explain it.

        Args:
            message: what happened.
            by_agent: whether there was a core for the agent most of the time.
        """
        super().__init__(message)
        self.by_agent = by_agent
        self.is_counted = False  #: whether it was held against the agent; see ``voids``


class AgentFailed(Exception):
    """An agent gave no answer. Except after an exception in its code, it cannot be called any more."""

    def __init__(self, cause: str, details: str, used: float = 0.0) -> None:
        """Record the failure.

        Args:
            cause: a ``Cause``, or a track's own name for a broken rule.
            details: the agent's traceback, or another description; made printable here.
            used: budget used until then, in the unit of the clock.
        """
        details = printable(details[-MAX_DETAILS:])
        super().__init__(f"{cause}: {details}")
        self.cause = cause
        self.details = details
        self.used = used

    @property
    def is_final(self) -> bool:
        """Whether the process can no longer be called."""
        return self.cause != Cause.EXCEPTION
