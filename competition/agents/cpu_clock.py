"""CPU time of a whole process tree, read from outside, where a controller cannot change it.

The kernel keeps a CPU clock for every process, which disappears when the process ends. The time of children therefore
comes from three sources:

- ``cgroup``: the CPU time of a control group that contains everything the controller starts; exact.
- ``perf``: counters that every later thread and child of a process inherits, including those that end between two
  readings; exact, but the kernel drops them when a program is executed that may not be read.
- ``procfs``: the clocks of the existing processes, which are exact, and the times of the children that these have
  waited for, in steps of 10 ms. A child whose parent ignores ``SIGCHLD`` is never waited for: once it has ended, it
  counts only as far as its clock was last read.

The time charged is the largest that any available source reports.
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
"""Most that the time of waited-for children lags behind: user and system time are each rounded down."""


class Source(enum.StrEnum):
    """Where CPU times come from, the best first; what is charged is the largest of this source's and those after it."""

    CGROUP = "cgroup"  #: exact
    PERF = "perf"  #: exact, unless a controller executes a program that may not be read
    PROCFS = "procfs"  #: ended children count in steps of 10 ms; if never waited for, up to their last reading
    NONE = "none"  #: this system does not report CPU times

    @property
    def is_exact(self) -> bool:
        """Whether all CPU time of children is counted."""
        return self in (Source.CGROUP, Source.PERF)


class ClockError(Exception):
    """A clock can no longer be read."""


class PerfClock:
    """A process's own clock, and kernel counters for everything that it starts from now on.

    The counters keep running while the host takes the core of a virtual machine or the core serves an interrupt; the
    process's clock does not on some kernels. So the counters are used for the children's time only: the time of the
    whole tree less that of the process's own threads.
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
    """Clocks of the existing processes, and of the children that they have waited for."""

    def __init__(self, root: int) -> None:
        """Watch the process ``root`` and everything below it."""
        self._root = root
        self._last_ns: dict[int, int] = {}
        self._gone_ns = 0

    def read_ns(self) -> int:
        """Nanoseconds of the existing processes, and of ended ones when they were last read; raises ``OSError``."""
        now = {pid: own for pid in tree(self._root) if (own := _own_ns(pid)) is not None}
        if not now:
            raise ProcessLookupError(self._root)
        for pid, last in self._last_ns.items():
            if now.get(pid, -1) < last:  # it has ended, even if a new process has its number
                self._gone_ns += last
        self._last_ns = now
        return self._gone_ns + sum(now.values())

    def with_waited_ns(self) -> int:
        """Nanoseconds of the existing processes and the children that they have waited for, less than a tick behind."""
        return sum((_own_ns(pid) or 0) + _waited_for_ns(pid) for pid in tree(self._root))

    def close(self) -> None:
        """Nothing is held."""


class TreeClock:
    """The largest of several measures of the CPU time of a process tree."""

    def __init__(self, pid: int, processes: Freezer) -> None:
        """Start measuring.

        Args:
            pid: the process in which the controller's code starts.
            processes: the tree that it is in.

        Raises:
            OSError: this system does not report the CPU times of other processes.
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
        """Close the counters, if any."""
        if self._perf is not None:
            self._perf.close()


def can_measure() -> bool:
    """Whether CPU time can be measured from outside here."""
    return can_walk()


def best_source() -> Source:
    """The source that a ``TreeClock`` will have here, if controllers cannot leave their control group."""
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
