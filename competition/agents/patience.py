"""How long to wait for an answer: what counts is the time available to the controller, not the time elapsed.

A controller that is ready to run but has no core, because other processes or the host of a virtual machine use it, is
not asleep. That time is subtracted: what remains is the CPU time that the controller used and the time that it slept.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from vgdl.competition.agents.core_ticks import TickWatch
from vgdl.competition.agents.cpu_clock import TreeClock
from vgdl.competition.agents.freezer import Freezer, state, threads

LONGEST_LOOK_NS = 100_000_000
"""Maximum nanoseconds of sleep counted between two checks: twice the interval between checks."""

_NS_PER_CLOCK_TICK = 10_000_000
_STEAL = 8
"""Index of a field in a line of ``/proc/stat``."""


class Had(NamedTuple):
    """The time available to a controller."""

    ns: int  #: time elapsed less the time without a core, but at least its CPU time
    overcharged_ns: int
    """Nanoseconds of its CPU time in which the host ran something else.

    Some kernels charge such time to the running process, others do not. It was charged if CPU time, time without a
    core and the host's share add up to more than the time elapsed. The share is reported in steps of 10 ms and
    rounded up. What is not reported is seen in the core's missing ticks.
    """


NOTHING_HAD = Had(0, 0)


class Stopwatch:
    """Measures the time available to a controller since ``start``."""

    def __init__(
        self, processes: Freezer, clock: TreeClock | None, core: int | None, interrupts_before: int | None = None
    ) -> None:
        """Start the stopwatch.

        Args:
            processes: the controller's processes.
            clock: their CPU clock; None where the system does not report CPU times, so that all elapsed time counts.
            core: the core that they are pinned to; None for any.
            interrupts_before: those of the core when the processes were started on it; see ``TickWatch``.
        """
        self._processes = processes
        self._clock = clock
        self._core = core
        self._delays: dict[str, int] = {}
        self._waited_ns = 0
        self._ticks = TickWatch(processes, core, interrupts_before)
        self.start()

    def start(self) -> None:
        """Restart."""
        self._began_ns = self._looked_ns = time.monotonic_ns()
        self._used_before = self._used_at_look = self._clock.read_ns() if self._clock else 0
        self._look_at_delays()
        self._waited_before = self._waited_at_look = self._waited_ns
        self._stolen_before = self._stolen_at_look = stolen_ns(self._core)
        self._asleep_ns = 0
        self._ticks.start()

    def look(self) -> int:
        """Nanoseconds of CPU time and sleep since the start; must be called often. Raises ``ClockError``.

        Between two calls, at most ``LONGEST_LOOK_NS`` count as sleep, and only if nothing is ready to run now. So if
        the runner itself has no core for seconds, these are not counted as the agent's.
        """
        now = time.monotonic_ns()
        passed, self._looked_ns = now - self._looked_ns, now
        if self._clock is None:
            self._asleep_ns += min(passed, LONGEST_LOOK_NS)
            return self._asleep_ns
        used = self._clock.read_ns()
        self._look_at_delays()
        stolen = stolen_ns(self._core)
        busy = used - self._used_at_look + self._waited_ns - self._waited_at_look + stolen - self._stolen_at_look
        self._used_at_look, self._waited_at_look, self._stolen_at_look = used, self._waited_ns, stolen
        if not self._is_ready():
            self._asleep_ns += min(max(passed - busy, 0), LONGEST_LOOK_NS)
        return used - self._used_before + self._asleep_ns

    def had(self) -> Had:
        """The time since the start; raises ``ClockError`` if it cannot be measured.

        While children wait for the core because another child has it, the tree is using the core; so only the time in
        which the whole tree had no core is subtracted.
        """
        passed = time.monotonic_ns() - self._began_ns
        if self._clock is None:
            return Had(passed, 0)
        self._look_at_delays()
        waited = self._waited_ns - self._waited_before
        stolen = stolen_ns(self._core) - self._stolen_before
        used = self._clock.read_ns() - self._used_before
        rounded = stolen + _NS_PER_CLOCK_TICK if stolen > 0 else 0
        reported = min(rounded, max(0, used + waited + rounded - passed))
        return Had(max(used, passed - waited - stolen), max(reported, self._ticks.taken_ns(used)))

    def _is_ready(self) -> bool:
        """Whether some thread is running, ready to run, or waiting for a disk."""
        return any(state(pid, thread) in (b"R", b"D") for pid in self._processes.pids() for thread in threads(pid))

    def waited_ns(self) -> int:
        """Nanoseconds since the first start in which threads were ready to run but had no core."""
        self._look_at_delays()
        return self._waited_ns

    def _look_at_delays(self) -> None:
        """Add the time that each thread has been ready without a core since the last call."""
        now = {thread: delay for pid in self._processes.pids() for thread, delay in _delays(pid)}
        self._waited_ns += sum(max(0, delay - self._delays.get(thread, 0)) for thread, delay in now.items())
        self._delays = now


def stolen_ns(core: int | None) -> int:
    """Nanoseconds that the host took from a core; if None, from the core from which it took most."""
    try:
        with open("/proc/stat", "rb") as file:
            rows = [line.split() for line in file if line.startswith(b"cpu") and line[3:4].isdigit()]
        stolen = {int(row[0][3:]): int(row[_STEAL]) * _NS_PER_CLOCK_TICK for row in rows}
    except (OSError, IndexError, ValueError):
        return 0
    return max(stolen.values(), default=0) if core is None else stolen.get(core, 0)


def _delays(pid: int) -> list[tuple[str, int]]:
    """For each thread of a process, the nanoseconds in which it was ready to run but had no core (``schedstat``)."""
    found = []
    for thread in threads(pid):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as statistics:
                found.append((thread, int(statistics.read().split()[1])))
        except (OSError, IndexError, ValueError):
            continue
    return found
