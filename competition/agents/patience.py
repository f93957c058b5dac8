"""How long to wait for an answer: what counts is the time available to the controller, not the time elapsed.

A controller that is ready to run but has no core, because other processes or the host of a virtual machine use it, is
not asleep. That time is subtracted: what remains is the CPU time that the controller used and the time that it slept.
"""

from __future__ import annotations

import enum
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


class _Schedule(NamedTuple):
    """What the kernel tells of a thread (``schedstat``)."""

    pid: int  #: of its process
    ran_ns: int  #: its CPU time
    waited_ns: int  #: how long it was ready to run but had no core
    turns: int  #: how often it got a core


_NEVER_SEEN = _Schedule(0, 0, 0, -1)


class _Activity(enum.Enum):
    """What a process tree is doing, apart from running and sleeping."""

    NONE = enum.auto()
    WAITING = enum.auto()  #: some thread has been ready to run since the last look
    AT_DISK = enum.auto()  #: some thread waits for a disk


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
        self._threads: dict[str, _Schedule] = {}
        self._waited_ns = 0
        self._ticks = TickWatch(processes, core, interrupts_before)
        self.start()

    def start(self) -> None:
        """Restart."""
        self._began_ns = self._looked_ns = time.monotonic_ns()
        self._used_before = self._used_at_look = self._clock.read_ns() if self._clock else 0
        self._look_at_threads()
        self._waited_before = self._waited_at_look = self._waited_ns
        self._stolen_before = self._stolen_at_look = stolen_ns(self._core)
        self._asleep_ns = self._pending_ns = self._excused_ns = 0
        self._ticks.start()

    def look(self) -> int:
        """Nanoseconds of CPU time and sleep since the start; must be called often. Raises ``ClockError``.

        Between two calls, at most ``LONGEST_LOOK_NS`` count as sleep: if the runner itself has no core for seconds,
        these are not counted as the agent's. The system reports how long a thread waited for a core once it has got
        it. So while one has been waiting since the last call, the time is pending: it counts as sleep later, as far as
        it turns out that no thread waited.
        """
        now = time.monotonic_ns()
        passed, self._looked_ns = now - self._looked_ns, now
        if self._clock is None:
            self._asleep_ns += min(passed, LONGEST_LOOK_NS)
            return self._asleep_ns
        used = self._clock.read_ns()
        activity = self._look_at_threads()
        stolen = stolen_ns(self._core)
        without_core = self._waited_ns - self._waited_at_look + stolen - self._stolen_at_look
        idle = passed - (used - self._used_at_look) - without_core
        self._used_at_look, self._waited_at_look, self._stolen_at_look = used, self._waited_ns, stolen
        self._excused_ns += max(0, passed - LONGEST_LOOK_NS)
        if activity is _Activity.WAITING:
            self._pending_ns += min(idle, LONGEST_LOOK_NS)
        elif activity is not _Activity.AT_DISK:
            self._asleep_ns = max(0, self._asleep_ns + self._pending_ns + min(idle, LONGEST_LOOK_NS))
            self._pending_ns = 0
        return used - self._used_before + self._asleep_ns

    def lacked_core(self) -> bool:
        """Whether most of the time since the start is time in which the machine had no core for the processes."""
        without_core = self._waited_ns - self._waited_before + stolen_ns(self._core) - self._stolen_before
        lacked = without_core + max(self._pending_ns, 0) + self._excused_ns
        return lacked > (time.monotonic_ns() - self._began_ns) // 2

    def had(self) -> Had:
        """The time since the start; raises ``ClockError`` if it cannot be measured.

        While some threads wait for the core because another one has it, the tree is using the core; so only the time
        in which the whole tree had no core is subtracted.
        """
        passed = time.monotonic_ns() - self._began_ns
        if self._clock is None:
            return Had(passed, 0)
        self._look_at_threads()
        waited = self._waited_ns - self._waited_before
        stolen = stolen_ns(self._core) - self._stolen_before
        used = self._clock.read_ns() - self._used_before
        rounded = stolen + _NS_PER_CLOCK_TICK if stolen > 0 else 0
        reported = min(rounded, max(0, used + waited + rounded - passed))
        return Had(max(used, passed - waited - stolen), max(reported, self._ticks.taken_ns(used)))

    def waited_ns(self) -> int:
        """Nanoseconds since the first start in which some thread was ready to run and none had a core."""
        self._look_at_threads()
        return self._waited_ns

    def _look_at_threads(self) -> _Activity:
        """Add the time since the last call in which the tree had no core; returns what it is doing.

        Of the waits of several threads only the longest counts, and of that only what exceeds the CPU time of all
        others: they may have waited for each other.
        """
        now = {thread: seen for pid in self._processes.pids() for thread, seen in _schedules(pid)}
        before, self._threads = self._threads, now
        activity = _Activity.NONE
        changes = []
        for thread, seen in now.items():
            last = before.get(thread, _NEVER_SEEN)
            changes.append((seen.ran_ns - last.ran_ns, seen.waited_ns - last.waited_ns))
            letter = state(seen.pid, thread)
            if letter == b"R" and seen.turns == last.turns:
                activity = _Activity.WAITING
            elif letter == b"D" and activity is _Activity.NONE and _someone_waits_for_a_disk():
                activity = _Activity.AT_DISK
        ran = sum(own for own, _ in changes)
        self._waited_ns += max(0, *(waited - (ran - own) for own, waited in changes), 0)
        return activity


def stolen_ns(core: int | None) -> int:
    """Nanoseconds that the host took from a core; if None, from the core from which it took most."""
    try:
        with open("/proc/stat", "rb") as file:
            rows = [line.split() for line in file if line.startswith(b"cpu") and line[3:4].isdigit()]
        stolen = {int(row[0][3:]): int(row[_STEAL]) * _NS_PER_CLOCK_TICK for row in rows}
    except (OSError, IndexError, ValueError):
        return 0
    return max(stolen.values(), default=0) if core is None else stolen.get(core, 0)


def _someone_waits_for_a_disk() -> bool:
    """Whether some thread of the machine waits for a disk, according to the kernel.

    The state alone does not show it: a thread is also in state D while it waits for a child that shares its memory
    (``vfork``), for as long as the child likes.
    """
    try:
        with open("/proc/stat", "rb") as file:
            return any(line.startswith(b"procs_blocked ") and int(line.split()[1]) for line in file)
    except (OSError, IndexError, ValueError):
        return False


def _schedules(pid: int) -> list[tuple[str, _Schedule]]:
    """What the kernel tells of each thread of a process; nothing where it does not."""
    found = []
    for thread in threads(pid):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as statistics:
                ran, waited, turns = map(int, statistics.read().split())
            found.append((thread, _Schedule(pid, ran, waited, turns)))
        except (OSError, ValueError):
            continue
    return found
