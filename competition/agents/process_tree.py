"""The processes of one agent: started in a sandbox, then watched, measured and ended together, from outside."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Set
from pathlib import Path

from vgdl.competition.agents import cpu_clock
from vgdl.competition.agents.failure import AgentFailed, Cause
from vgdl.competition.agents.isolation import MIB, IsolationError, Sandbox
from vgdl.competition.agents.scratch import ScratchFolder
from vgdl.competition.agents.service import Clock
from vgdl.competition.agents.wire import Wire, WireError

EXIT_S = 1.0
"""Seconds to wait for the exit status of a process that has closed its connection."""

START_S = 60.0
"""Seconds to wait for a process to be ready, before anything of the agent's."""

STARTS = 3
"""How often a process is started before the level of isolation is given up: something else may have killed it."""

KILL_S = 1.0
"""Seconds to wait for the processes of a copy to be gone before the whole tree is ended."""

_GUARDIANS = 2
"""Most processes between the runner's child and the agent, which has all the rest below it."""

_NS_PER_MS = 1_000_000
_SIGNALLED = 128
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class ProcessTree:
    """An agent's process with all that it starts."""

    def __init__(self, sandbox: Sandbox, wire: Wire, theirs: socket.socket, clock: Clock, core: int | None) -> None:
        """Start the process, and wait until it is ready.

        Args:
            sandbox: how it is kept.
            wire: the runner's end of its wire.
            theirs: the other end, which is closed here.
            clock: what budgets are counted in.
            core: that it is pinned to; None for any.

        Raises:
            IsolationError: the level of isolation does not work here.
        """
        self._sandbox = sandbox
        self._clock: cpu_clock.TreeClock | None = None
        self._read_ns = self._waited_before = 0
        self._scratch = ScratchFolder()
        try:
            with theirs:
                self._process = sandbox.start(theirs.fileno(), core, str(self._scratch.path))
        except BaseException:
            self._scratch.remove()
            raise
        try:
            self._pid = self._await_hello(wire)
            self._clock = self._open_clock() if clock is Clock.CPU else None
        except BaseException:
            self.close()
            raise

    @property
    def clock_source(self) -> cpu_clock.Source:
        """Where CPU times come from."""
        return self._clock.source if self._clock else cpu_clock.Source.NONE

    @property
    def waited_ms(self) -> float:
        """Milliseconds that the agent was ready to run and had no core since ``mark_ready``."""
        return (cpu_clock.waited_ns(self._pid) - self._waited_before) / _NS_PER_MS

    def mark_ready(self) -> None:
        """Begin to count: what was used up to here is not charged."""
        self.restart()
        self._waited_before = cpu_clock.waited_ns(self._pid)

    def restart(self) -> None:
        """Set the stopwatch to zero."""
        self._read_ns = self._now_ns()

    def lap_ms(self) -> float:
        """Milliseconds of all processes since the last lap or restart."""
        now = self._now_ns()
        used, self._read_ns = now - self._read_ns, now
        return used / _NS_PER_MS

    def pids(self) -> set[int]:
        """The processes below the runner's child, guardians included; none where the system does not tell."""
        if not cpu_clock.can_measure():
            return set()
        return set(cpu_clock.tree(self._process.pid)) - {self._process.pid}

    def running(self) -> set[int]:
        """Those of ``pids`` that have not ended; the others still wait to be reaped by their parents."""
        return {pid for pid in self.pids() if _is_running(pid)}

    def check(self) -> None:
        """Look at the processes; raises ``AgentFailed`` if they are too many, or too large together."""
        below = self.pids()
        restrictions = self._sandbox.restrictions
        if len(below) > restrictions.processes:
            raise AgentFailed(Cause.PROCESSES, f"{len(below)} at a time, {restrictions.processes} allowed")
        if len(below) > _GUARDIANS and sum(map(_resident_bytes, below)) > restrictions.memory_mb * MIB:
            raise AgentFailed(Cause.MEMORY, f"more than {restrictions.memory_mb} MiB in all its processes")

    def exit_status(self) -> str:
        """How the process ended, in words, after its connection was closed."""
        try:
            code = self._process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            return "it closed its connection"
        number = -code if code < 0 else code - _SIGNALLED
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(number).name}"
        return f"exit status {code}"

    def kill(self) -> None:
        """End the processes without waiting; safe to call from another thread."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def kill_all_but(self, spared: Set[int]) -> None:
        """End all processes below but some, and wait until they are gone; the whole tree if that takes too long."""
        deadline = time.monotonic() + KILL_S
        while running := self.running() - spared:
            if time.monotonic() > deadline:
                self.kill()
                return
            for pid in running:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)

    def close(self) -> None:
        """End all processes, and remove the scratch folder."""
        if not self._sandbox.level.has_own_files:
            self._end_descendants()
        self.kill()
        self._process.wait()
        if self._clock is not None:
            self._clock.close()
            self._clock = None
        self._scratch.remove()

    def _await_hello(self, wire: Wire) -> int:
        """The agent's process; raises ``IsolationError`` if there will be none."""
        level = self._sandbox.level
        try:
            return wire.await_hello(START_S) or self._process.pid
        except WireError as refusal:
            raise IsolationError(f"isolation by {level} does not work here: {refusal}") from None
        except (EOFError, OSError):
            raise IsolationError(f"isolation by {level} does not work here: {self.exit_status()}") from None

    def _open_clock(self) -> cpu_clock.TreeClock:
        try:
            return cpu_clock.open_clock(self._pid, self._process.pid)
        except OSError as error:
            raise IsolationError(f"{error}; use --clock wall, or a budget like calls:900") from None

    def _now_ns(self) -> int:
        """Nanoseconds of the clock that budgets are in."""
        return self._clock.read_ns() if self._clock else time.monotonic_ns()

    def _end_descendants(self) -> None:
        """Kill what the agent has started, wherever it went, while the guardian still keeps it together."""
        while below := self.pids():
            for pid in below:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if self._process.poll() is not None:
                return


def _is_running(pid: int) -> bool:
    """Whether a process is there and has not ended; one that has ended may still wait to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except (OSError, IndexError):
        return False


def _resident_bytes(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as sizes:
            return int(sizes.read().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0
