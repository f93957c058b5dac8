"""CPU time of a whole process tree, read from outside: nothing that a controller does to its own process changes it.

The process itself has a clock in the kernel. Its children have theirs, but these are gone when they have ended. So
there are two sources for them. ``perf``: counters that every later thread and child of a process inherits, those
included that end unseen; exact. ``procfs``: the clocks of the processes that are there, and what their parents know of
the children they have waited for, in steps of 10 ms; a child whose parent ignores its end is lost with it. The second
is used only where the kernel does not let us have the first (``perf_event_paranoid`` above 2, some containers).
"""

from __future__ import annotations

import contextlib
import ctypes
import enum
import os
import platform
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
"""Number of the system call, by machine."""

_SOFTWARE, _TASK_CLOCK = 1, 1
_INHERIT, _INHERIT_THREAD = 1 << 1, 1 << 35  # by threads and children; with both, by threads only
_EXCLUDE_KERNEL, _EXCLUDE_HV = 1 << 5, 1 << 6  # asks for no privilege; software clocks run in the kernel all the same
_CLOSE_ON_EXEC = 8
_ATTRIBUTES_SIZE = 128

_NS_PER_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0


class Source(enum.StrEnum):
    """Where CPU times come from."""

    PERF = "perf"  #: exact
    PROCFS = "procfs"  #: children that have ended count in steps of 10 ms, or not at all if nobody waited for them
    NONE = "none"  #: this system does not tell


class TreeClock(Protocol):
    """A running clock."""

    source: Source

    def read_ns(self) -> int:
        """Nanoseconds of CPU time so far, from any starting point; never less than before."""

    def close(self) -> None:
        """Free what the clock holds."""


class PerfClock:
    """A process's own clock, and the kernel's counters for all that it starts from now on.

    Counters run on while a virtual machine is stolen its core or the core serves an interrupt, and the process's clock
    does not. So counters tell the children's time only: what the whole tree has, less what the process's threads have.
    """

    source = Source.PERF

    def __init__(self, pid: int) -> None:
        """Start counting; raises ``OSError`` if that is not allowed."""
        self._pid = pid
        self._whole: list[int] = []
        self._threads: list[int] = []
        self._last = 0
        try:
            for thread in map(int, os.listdir(f"/proc/{pid}/task")):
                self._threads.append(_open_counter(thread, _INHERIT | _INHERIT_THREAD))
                self._whole.append(_open_counter(thread, _INHERIT))
        except OSError:
            self.close()
            raise

    def read_ns(self) -> int:
        """Nanoseconds so far; does not go on once the process is gone."""
        with contextlib.suppress(OSError):
            own = _clock_ns(self._pid)
            threads = _sum(self._threads)
            self._last = max(self._last, own + max(_sum(self._whole) - threads, 0))
        return self._last

    def close(self) -> None:
        """Close the counters."""
        for counter in self._whole + self._threads:
            os.close(counter)
        self._whole, self._threads = [], []


class ProcClock:
    """Clocks of the processes that are there, and of children that were waited for."""

    source = Source.PROCFS

    def __init__(self, root: int) -> None:
        """Watch the tree below (and with) the process ``root``."""
        self._root = root
        self._last = 0

    def read_ns(self) -> int:
        """Nanoseconds of the tree so far."""
        self._last = max(self._last, sum(_own_and_waited_ns(pid) for pid in tree(self._root)))
        return self._last

    def close(self) -> None:
        """Nothing is held."""


def open_clock(pid: int, root: int) -> TreeClock:
    """The best clock there is for the process ``pid``, which is in the tree below ``root``.

    Raises:
        OSError: this system tells no CPU times of other processes.
    """
    with contextlib.suppress(OSError):
        return PerfClock(pid)
    if not can_measure():
        raise OSError("this system does not tell the CPU time of other processes")
    return ProcClock(root)


def can_measure() -> bool:
    """Whether CPU time can be measured from outside here."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def best_source() -> Source:
    """The source that ``open_clock`` will have here."""
    with contextlib.suppress(OSError):
        PerfClock(os.getpid()).close()
        return Source.PERF
    return Source.PROCFS if can_measure() else Source.NONE


def tree(root: int) -> Iterator[int]:
    """The processes below a process, itself first; those that end meanwhile may be missing."""
    todo = [root]
    while todo:  # no recursion: each process may be the child of the one before
        pid = todo.pop()
        yield pid
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/children", "rb") as children:
                    todo += map(int, children.read().split())


def waited_ns(pid: int) -> int:
    """Nanoseconds that a process was ready to run and had no core; 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/schedstat", "rb") as statistics:
            return int(statistics.read().split()[1])
    except (OSError, IndexError, ValueError):
        return 0


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


def _own_and_waited_ns(pid: int) -> int:
    try:
        own = _clock_ns(pid)
        with open(f"/proc/{pid}/stat", "rb") as status:
            fields = status.read().rpartition(b")")[2].split()
    except (OSError, ProcessLookupError):
        return 0
    return own + (int(fields[13]) + int(fields[14])) * _NS_PER_TICK


def _clock_ns(pid: int) -> int:
    """The clock of a process with all its threads, those that have ended included; ``OSError`` if it is gone."""
    return time.clock_gettime_ns(~pid << 3 | 2)  # the number that clock_getcpuclockid makes


def _sum(counters: list[int]) -> int:
    return sum(int.from_bytes(os.read(counter, 8), "little") for counter in counters)
