"""Work that is void because an answer could not be judged: how often it is repeated, and whom it is held against.

Every track that runs strangers' programs repeats such work in the same way::

    voids = Voids("match")
    while True:
        try:
            with voids.judging(name):           # around what one agent is asked
                answer = agent.call(...)
            ...
        except MachineBusy as busy:
            voids.note(busy, "match 3")         # raises it when the machine was too busy too often
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from typing import TypeVar

from vgdl.competition.agents.failure import AgentFailed, Cause, MachineBusy

T = TypeVar("T")

TRIES = 3
"""Attempts at work when the machine is too busy to judge it."""

MOST_VOIDS = 2
"""How often an agent may make work void although there was a core for it; the last time, it has failed."""


class Voids:
    """How often one piece of work, such as a play, was void.

    Attributes:
        total: the number of voids so far, after which it was done again.
    """

    def __init__(self, work: str = "play") -> None:
        """Begin at zero; ``work`` is what the work is called in messages."""
        self.total = 0
        self._work = work
        self._by_machine = 0
        self._by_agent: Counter[Hashable] = Counter()

    @contextlib.contextmanager
    def judging(self, agent: Hashable) -> Iterator[None]:
        """Attribute an answer that cannot be judged to the agent that was asked for it.

        Raises:
            AgentFailed: it has made the work void `MOST_VOIDS` times although there was a core for it.
            MachineBusy: the work is void.
        """
        try:
            yield
        except MachineBusy as busy:
            if busy.by_agent and not busy.is_counted:
                self._by_agent[agent] += 1
                if self._by_agent[agent] >= MOST_VOIDS:
                    times = self._by_agent[agent]
                    raise AgentFailed(Cause.HUNG, f"it made the {self._work} void {times} times: {busy}") from None
                busy.is_counted = True
            raise

    def note(self, busy: MachineBusy, title: str) -> None:
        """Take note of a void; if this returns, the work is to be done again.

        Args:
            busy: why it was void.
            title: the work, for the message.

        Raises:
            MachineBusy: it was void `TRIES` times through no fault of an agent.
        """
        self.total += 1
        self._by_machine += not busy.is_counted
        if self._by_machine == TRIES:
            raise MachineBusy(f"{title} was void {self.total} times: {busy}") from None

    def repeated(self, work: Callable[[], T], title: str) -> T:
        """Do work until it is not void; returns its value.

        Raises:
            MachineBusy: it was void `TRIES` times through no fault of an agent.
        """
        while True:
            try:
                return work()
            except MachineBusy as busy:
                self.note(busy, title)
