"""The sandbox that works here: the best level of isolation, tested with a real process."""

from __future__ import annotations

from collections.abc import Sequence

from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import IsolationError, Level, Restrictions, Sandbox
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.service import Service
from vgdl.competition.agents.view import View
from vgdl.registry import Entry


def working_sandbox(
    entries: Sequence[Entry], service: Service, restrictions: Restrictions, sight: View, isolation: str
) -> Sandbox:
    """The best sandbox that works here for some agents, or the requested one.

    Args:
        entries: the agents.
        service: the methods that can be called.
        restrictions: limits of their processes.
        sight: the files that they can see.
        isolation: a level, or ``auto``.

    Raises:
        IsolationError: no process can be started so.
        FilesRefused: an agent asks for files that are hidden.
    """
    levels = tuple(Level) if isolation == "auto" else (Level(isolation),)
    reasons = []
    for level in levels:
        sandbox = Sandbox(level, restrictions, sight)
        try:
            for entry in entries:
                sandbox.of(entry.location)
            AgentProcess(entries[0], service, sandbox).close()
        except MachineBusy as error:  # no reason to lower the level of isolation
            raise IsolationError(f"no agent can be started now: {error}") from None
        except (IsolationError, OSError) as error:
            reasons.append(str(error))
        else:
            return sandbox
    raise IsolationError("; ".join(reasons))
