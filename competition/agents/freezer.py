"""Stopping all processes of an agent between calls, and ending them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection, Iterator, Set
from pathlib import Path

from vgdl.competition.agents.control_group import ControlGroup
from vgdl.competition.agents.failure import MachineBusy

STOP_S = 5.0
"""Seconds of CPU time that processes may use after the stop signal. One that waits for a core uses none."""

MOST_STOPS = 1000
"""Maximum number of stop signals until the tree is frozen. Only a tree that keeps forking needs more."""

BUSY_S = 60.0
"""Seconds of wall time after which a tree that has not stopped means that the machine has no core for it."""

END_S = 5.0
"""Seconds to wait until the killed processes of a tree have ended."""

_CLEAN_WALKS = 2
"""Consecutive walks that must find nothing. One walk can miss a process that is just being reparented."""

_PAUSE_S = 0.0005
_NS_PER_S = 1_000_000_000
_ENDED = b"ZX"
"""States of a process that has ended."""

_HAS_HANDLES = hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")

_AT_REST = b"TtDI" + _ENDED
"""States in which a process runs no code of its own after the stop signal: a wait for a disk (D) ends in the stop."""


class NotStopped(Exception):
    """The processes evade being stopped: they keep forking, or wake each other up."""


class Freezer:
    """Stops, continues and kills all processes below one that was started here.

    If there is a control group, the group is stopped and continued. Otherwise every process is sent SIGSTOP, which
    cannot be ignored, and the tree is walked until all are found stopped. A process whose parent ends stays in the
    tree: its new parent is the guardian, or the first process of the namespace.
    """

    def __init__(self, root: int, group: ControlGroup | None = None, *, group_holds: bool = True) -> None:
        """Watch the tree below the process ``root``, which is not part of it.

        Args:
            root: the process that was started.
            group: the control group of everything below it.
            group_holds: whether processes cannot leave the group; if they can, signals are used as well.
        """
        self.root = root
        self.group = group
        self.walks = group is None or not group_holds  #: whether processes must be found one by one

    def pids(self) -> list[int]:
        """Process ids below the root; processes that end meanwhile may be missing."""
        return [pid for pid in tree(self.root) if pid != self.root]

    def running(self) -> list[int]:
        """Those of ``pids`` that are still running; the others have not yet been reaped by their parents."""
        return [pid for pid in self.pids() if not has_ended(pid)]

    def freeze(self) -> None:
        """Stop everything; nothing runs once this has returned.

        Raises:
            NotStopped: the processes evade it.
            MachineBusy: they have no core on which to receive the signal.
            OSError: the control group no longer exists.
        """
        if self.walks:
            self._stop()
        if self.group:
            self.group.freeze()  # last: frozen processes do not receive signals

    def thaw(self) -> None:
        """Let everything run."""
        if self.group:
            self.group.thaw()
        if self.walks:
            self._signal(signal.SIGCONT, self.pids())

    def kill(self) -> None:
        """Kill everything below the root, which then ends by itself."""
        if self.group:
            self.group.kill()
        self.kill_all_but(frozenset(), END_S)

    def kill_all_but(self, spared: Set[int], within_s: float) -> int:
        """Kill everything below the root except some; returns how many others are left after ``within_s`` seconds.

        The processes are frozen and cannot prevent it: if it takes long, they have no core to end on.
        """
        deadline = time.monotonic() + within_s
        clean = 0
        while clean < _CLEAN_WALKS:
            left = [pid for pid in self.running() if pid not in spared]
            clean = 0 if left else clean + 1
            if not left:
                continue
            if time.monotonic() > deadline:
                return len(left)
            self._signal(signal.SIGKILL, left)
            time.sleep(_PAUSE_S)
        return 0

    def _stop(self) -> None:
        if not can_walk():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.root, signal.SIGSTOP)
            return
        deadline = time.monotonic() + BUSY_S
        used_before: dict[int, int] = {}  # by every process that was sent a stop
        clean = 0
        while clean < _CLEAN_WALKS:
            running = [pid for pid in self.pids() if process_state(pid) not in _AT_REST]
            for pid in running:
                used_before.setdefault(pid, used_ns(pid))
            self._signal(signal.SIGSTOP, running)
            clean = 0 if running else clean + 1
            if not running:
                continue
            used = sum(max(0, used_ns(pid) - used_before[pid]) for pid in running)
            if len(used_before) > MOST_STOPS:
                raise NotStopped(f"it made {len(used_before)} processes while it was being stopped")
            if used > STOP_S * _NS_PER_S:
                raise NotStopped(f"{len(running)} processes used {STOP_S:g} s of CPU time after they were stopped")
            if time.monotonic() > deadline:
                raise MachineBusy(f"{len(running)} processes had no core to stop on for {BUSY_S:g} s")
            time.sleep(_PAUSE_S)

    def _signal(self, number: signal.Signals, pids: Collection[int]) -> None:
        """Signal processes of the tree; one that has ended is not mistaken for another that has got its number."""
        if not can_walk():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.root, number)
        elif _HAS_HANDLES:
            with contextlib.ExitStack() as stack:
                handles = {pid: handle for pid in pids if (handle := _handle(pid, stack)) is not None}
                for pid in handles.keys() & set(self.pids()):  # only those that were in the tree after they were opened
                    with contextlib.suppress(ProcessLookupError):
                        signal.pidfd_send_signal(handles[pid], number)
        else:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)


def _handle(pid: int, stack: contextlib.ExitStack) -> int | None:
    """A handle of a process (pidfd), which is closed with the stack; None if the process is gone."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return None
    stack.callback(os.close, handle)
    return handle


def can_walk() -> bool:
    """Whether this system reports the children of a process."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def tree(root: int) -> Iterator[int]:
    """A process and all processes below it, itself first; those that end meanwhile may be missing."""
    todo = [root]
    while todo:
        pid = todo.pop()
        yield pid
        for thread in threads(pid):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as children:
                todo += map(int, children.read().split())


def threads(pid: int) -> list[str]:
    """Numbers of the threads of a process; none if it is gone."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def used_ns(pid: int) -> int:
    """CPU time of a process with all its threads; 0 if it no longer exists."""
    try:
        return clock_ns(pid)
    except OSError:
        return 0


def clock_ns(pid: int) -> int:
    """The CPU clock of a process, including ended threads; raises ``OSError`` if the process no longer exists."""
    return time.clock_gettime_ns(~pid << 3 | 2)  # the number that clock_getcpuclockid makes


def process_state(pid: int) -> bytes:
    """The state of a process: that of its main thread or, if that has ended before others, of the most active one."""
    letter = state(pid)
    if letter not in _ENDED:
        return letter
    states = [state(pid, thread) for thread in threads(pid)]
    running = [one for one in states if one not in _AT_REST]
    return next((one for one in (*running, *states) if one not in _ENDED), letter)


def has_ended(pid: int) -> bool:
    """Whether no thread of a process runs any more, even if its parent has not reaped it."""
    return process_state(pid) in _ENDED


def state(pid: int, thread: str | None = None) -> bytes:
    """The state of a process or of one of its threads, as a letter (proc_pid_stat(5)); X if it is gone."""
    try:
        with open(f"/proc/{pid}/task/{thread or pid}/stat", "rb") as status:
            return status.read().rpartition(b") ")[2][:1]
    except OSError:
        return b"X"
