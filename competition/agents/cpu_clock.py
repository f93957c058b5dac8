"""CPU time of a whole process tree, read from outside: nothing that a controller does to its own process changes it.

The process itself has a clock in the kernel. Its children have theirs, but these are gone when they have ended. There
are three sources for them. ``cgroup``: the CPU time of a control group, which everything that a controller starts is
born into; exact. ``perf``: counters that every later thread and child of a process inherits, those included that end
unseen; exact, but a program that may be run and not read drops them. ``procfs``: the clocks of the processes that are
there, exact, and what their parents know of the children they have waited for, in steps of 10 ms; a child whose parent
ignores its end is lost with it. What is charged is the largest of what the sources say that can be had.
"""

from __future__ import annotations

import contextlib
import ctypes
import enum
import os
import platform
import struct
from collections.abc import Callable

from vgdl.competition.agents import control_group
from vgdl.competition.agents.freezer import Freezer, can_walk, clock_ns, threads, tree

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
"""Number of the system call, by machine."""

_SOFTWARE, _TASK_CLOCK = 1, 1
_INHERIT, _INHERIT_THREAD = 1 << 1, 1 << 35  # by threads and children; with both, by threads only
_EXCLUDE_KERNEL, _EXCLUDE_HV = 1 << 5, 1 << 6  # needs no privilege; software clocks run in the kernel anyway
_CLOSE_ON_EXEC = 8
_ATTRIBUTES_SIZE = 128

_NS_PER_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0


WAITED_SLACK_NS = 2 * _NS_PER_TICK
"""How much the time of children that were waited for may be behind: user and system time are each rounded down."""


class Source(enum.StrEnum):
    """Where CPU times come from, the best first; they are the largest of this source's and those after it."""

    CGROUP = "cgroup"  #: exact
    PERF = "perf"  #: exact, unless a controller brings a program along that may be run and not read
    PROCFS = "procfs"  #: children that have ended count in steps of 10 ms, or not at all if they were not waited for
    NONE = "none"  #: this system does not tell

    @property
    def is_exact(self) -> bool:
        """Whether it misses nothing that children use."""
        return self in (Source.CGROUP, Source.PERF)


class ClockError(Exception):
    """A clock can no longer be read."""


class PerfClock:
    """A process's own clock, and the kernel's counters for all that it starts from now on.

    Counters run on while a virtual machine is stolen its core or the core serves an interrupt, and the process's clock
    does not on some kernels. So counters tell the children's time only: what the whole tree has, less what the
    process's threads have.
    """

    def __init__(self, pid: int) -> None:
        """Start counting; raises ``OSError`` if that is not allowed."""
        self._pid = pid
        self._whole: list[int] = []
        self._threads: list[int] = []
        try:
            for thread in map(int, threads(pid)):
                self._threads.append(_open_counter(thread, _INHERIT | _INHERIT_THREAD))
                self._whole.append(_open_counter(thread, _INHERIT))
        except OSError:
            self.close()
            raise

    def read_ns(self) -> int:
        """Nanoseconds so far; raises ``OSError`` once the process is gone."""
        own = clock_ns(self._pid)
        of_threads = _sum(self._threads)
        return own + max(_sum(self._whole) - of_threads, 0)

    def close(self) -> None:
        """Close the counters."""
        for counter in self._whole + self._threads:
            os.close(counter)
        self._whole, self._threads = [], []


class ProcClock:
    """Clocks of the processes that are there, and of children that were waited for."""

    def __init__(self, root: int) -> None:
        """Watch the tree below (and with) the process ``root``."""
        self._root = root
        self._seen: dict[int, int] = {}
        self._gone_ns = 0

    def read_ns(self) -> int:
        """Nanoseconds of the processes that are there, and of others when they were last seen; raises ``OSError``."""
        now = {pid: own for pid in tree(self._root) if (own := _own_ns(pid)) is not None}
        if not now:
            raise ProcessLookupError(self._root)
        for pid, last in self._seen.items():
            if now.get(pid, -1) < last:  # it is gone, even if there is a new one of that number
                self._gone_ns += last
        self._seen = now
        return self._gone_ns + sum(now.values())

    def with_waited_ns(self) -> int:
        """Nanoseconds of the processes that are there and of those that they waited for, less than a tick behind."""
        return sum((_own_ns(pid) or 0) + _waited_for_ns(pid) for pid in tree(self._root))

    def close(self) -> None:
        """Nothing is held."""


class TreeClock:
    """The largest of several measures of the CPU time of a process tree."""

    def __init__(self, pid: int, processes: Freezer) -> None:
        """Start measuring.

        Args:
            pid: the process that the controller's code begins in.
            processes: the tree that it is in.

        Raises:
            OSError: this system tells no CPU times of other processes.
        """
        self._perf: PerfClock | None = None
        self._proc = ProcClock(processes.root)
        self._walks = processes.walks
        self._readers: list[Callable[[], int]] = []  # the best one first
        sources = []
        if processes.group is not None:
            self._readers.append(processes.group.usage_ns)
            sources.append(Source.PROCFS if self._walks else Source.CGROUP)
        with contextlib.suppress(OSError):
            self._perf = PerfClock(pid)
            self._readers.append(self._perf.read_ns)
            sources.append(Source.PERF)
        if self._walks:
            if not can_walk():
                raise OSError("this system does not tell the CPU time of other processes")
            self._readers.append(self._proc.read_ns)
            sources.append(Source.PROCFS)
        self.source = min(sources, key=list(Source).index)
        self._last = [read() for read in self._readers]
        self._total = 0
        self._least_behind = self._proc.with_waited_ns() if self._walks else 0

    def read_ns(self) -> int:
        """Nanoseconds of CPU time since the start.

        Raises:
            ClockError: it cannot be read; the process may have ended.
        """
        now = list(self._last)
        for number, read in enumerate(self._readers):
            try:
                now[number] = read()
            except OSError as error:
                if number == 0:
                    raise ClockError(f"its CPU time cannot be read: {error}") from None
        self._total += max(0, *(value - last for value, last in zip(now, self._last, strict=True)))
        self._last = now
        if self._walks:
            behind = self._proc.with_waited_ns() - self._total
            self._least_behind = min(self._least_behind, behind)
            self._total += max(0, behind - self._least_behind - WAITED_SLACK_NS)
        return self._total

    def close(self) -> None:
        """Free what is held."""
        if self._perf is not None:
            self._perf.close()


def can_measure() -> bool:
    """Whether CPU time can be measured from outside here."""
    return can_walk()


def best_source() -> Source:
    """The source that a ``TreeClock`` will have here, unless controllers are trusted not to leave their group."""
    if group := control_group.create():
        group.close()
        return Source.CGROUP
    with contextlib.suppress(OSError):
        PerfClock(os.getpid()).close()
        return Source.PERF
    return Source.PROCFS if can_measure() else Source.NONE


def _open_counter(thread: int, flags: int) -> int:
    number = PERF_EVENT_OPEN.get(platform.machine())
    if number is None or platform.system() != "Linux":
        raise OSError("no counters on this machine")
    libc = ctypes.CDLL(None, use_errno=True)
    options = flags | _EXCLUDE_KERNEL | _EXCLUDE_HV
    attributes = struct.pack("<IIQQQQQ", _SOFTWARE, _ATTRIBUTES_SIZE, _TASK_CLOCK, 0, 0, 0, options)
    descriptor = libc.syscall(number, attributes.ljust(_ATTRIBUTES_SIZE, b"\0"), thread, -1, -1, _CLOSE_ON_EXEC)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    return int(descriptor)


def _own_ns(pid: int) -> int | None:
    """The clock of a process, None if it is gone."""
    try:
        return clock_ns(pid)
    except OSError:
        return None


def _waited_for_ns(pid: int) -> int:
    """CPU time of the children that a process has waited for."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as status:
            fields = status.read().rpartition(b")")[2].split()
        return (int(fields[13]) + int(fields[14])) * _NS_PER_TICK
    except (OSError, IndexError):
        return 0


def _sum(counters: list[int]) -> int:
    return sum(int.from_bytes(os.read(counter, 8), "little") for counter in counters)
