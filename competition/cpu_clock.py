"""CPU time of a whole process tree, read from outside: nothing that a controller does to its own process changes it.

Two sources. ``perf`` is a counter of the kernel that every later thread and child of a process inherits, those included
that end unseen; it is exact. ``procfs`` adds up the clocks of the processes that are there, and what their parents know
of the children they have waited for, in steps of 10 ms; a child whose parent ignores its end is lost with it. So the
second is used only where the kernel does not let us have the first (``perf_event_paranoid`` above 2, some containers).
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
_INHERIT, _EXCLUDE_KERNEL, _EXCLUDE_HV = 1 << 1, 1 << 5, 1 << 6  # software clocks run in the kernel all the same
_CLOSE_ON_EXEC = 8
_ATTRIBUTES = struct.pack("<IIQQQQQ", _SOFTWARE, 128, _TASK_CLOCK, 0, 0, 0, _INHERIT | _EXCLUDE_KERNEL | _EXCLUDE_HV)

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
    """The kernel's counter of a process and all that it starts from now on."""

    source = Source.PERF

    def __init__(self, pid: int) -> None:
        """Start counting the threads of a process; raises ``OSError`` if that is not allowed."""
        self._counters: list[int] = []
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                self._counters.append(_open_counter(int(thread)))
        except OSError:
            self.close()
            raise

    def read_ns(self) -> int:
        """Nanoseconds since the clock was made."""
        return sum(int.from_bytes(os.read(counter, 8), "little") for counter in self._counters)

    def close(self) -> None:
        """Close the counters."""
        for counter in self._counters:
            os.close(counter)
        self._counters = []


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


def tree(root: int) -> Iterator[int]:
    """The processes below a process, itself first; those that end meanwhile may be missing."""
    yield root
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{root}/task"):
            with open(f"/proc/{root}/task/{thread}/children", "rb") as children:
                for child in children.read().split():
                    yield from tree(int(child))


def waited_ns(pid: int) -> int:
    """Nanoseconds that a process was ready to run and had no core; 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/schedstat", "rb") as statistics:
            return int(statistics.read().split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def _open_counter(thread: int) -> int:
    number = PERF_EVENT_OPEN.get(platform.machine())
    if number is None or platform.system() != "Linux":
        raise OSError("no counters on this machine")
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(number, _ATTRIBUTES.ljust(128, b"\0"), thread, -1, -1, _CLOSE_ON_EXEC)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    return int(descriptor)


def _own_and_waited_ns(pid: int) -> int:
    try:
        own = time.clock_gettime_ns(~pid << 3 | 2)  # the clock id of another process, as clock_getcpuclockid makes it
        with open(f"/proc/{pid}/stat", "rb") as status:
            fields = status.read().rpartition(b")")[2].split()
    except (OSError, ProcessLookupError):
        return 0
    return own + (int(fields[13]) + int(fields[14])) * _NS_PER_TICK
