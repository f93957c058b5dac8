"""How an agent fails: one exception, which every caller turns into a result."""

from __future__ import annotations

import enum

from vgdl.competition.agents.plain_data import printable

MAX_DETAILS = 20_000
"""Characters of a traceback, counted from its end, that are kept."""


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
    """An answer could not be judged, since the machine had no core for the agent; it is the fault of neither."""


class AgentFailed(Exception):
    """An agent gave no answer. After anything but an exception it can give no further ones."""

    def __init__(self, cause: str, details: str, used: float = 0.0) -> None:
        """Note what is known.

        Args:
            cause: a ``Cause``, or a track's own word for a rule that was broken.
            details: the agent's traceback, or what is known instead; made printable here.
            used: of the budget until then, in the unit of the clock.
        """
        details = printable(details[-MAX_DETAILS:])
        super().__init__(f"{cause}: {details}")
        self.cause = cause
        self.details = details
        self.used = used

    @property
    def is_final(self) -> bool:
        """Whether the process can be asked nothing more."""
        return self.cause != Cause.EXCEPTION
