"""The processes of one agent: started in a sandbox, then monitored, measured and ended together from outside."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Set

from vgdl.competition.agents import control_group, core_ticks, cpu_clock, legacy_groups
from vgdl.competition.agents.control_group import THREADS_PER_PROCESS
from vgdl.competition.agents.failure import AgentFailed, Cause, MachineBusy
from vgdl.competition.agents.freezer import Freezer, NotStopped, can_walk, has_ended, threads
from vgdl.competition.agents.isolation import MIB, IsolationError, Sandbox
from vgdl.competition.agents.output import Output
from vgdl.competition.agents.patience import NOTHING_HAD, Stopwatch
from vgdl.competition.agents.scratch import ScratchFolder
from vgdl.competition.agents.service import Clock
from vgdl.competition.agents.wire import Wire, WireError

EXIT_S = 1.0
"""Seconds to wait for the exit status of a process that has closed its connection."""

START_S = 60.0
"""Seconds to wait for a process to be ready, before it runs any code of the agent; then the machine is too busy."""

STARTS = 3
"""Attempts to start a process before the level of isolation counts as not working: something else may kill it."""

KILL_S = 60.0
"""Seconds to wait for the killed processes of a copy to end; then the machine is too busy."""

_GUARDIANS = 2
"""Maximum number of processes from the runner's child to the agent; all others are below the agent."""

_NS_PER_MS, _NS_PER_S = 1_000_000, 1_000_000_000
_SIGNALLED = 128
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class ProcessTree:
    """An agent's process with everything that it starts; nothing of it runs except within ``awake``."""

    def __init__(self, sandbox: Sandbox, wire: Wire, theirs: socket.socket, clock: Clock, core: int | None) -> None:
        """Start the process, and wait until it is ready.

        Args:
            sandbox: its isolation.
            wire: the runner's end of its wire.
            theirs: the other end, which is closed here.
            clock: the unit of budgets.
            core: core to pin it to; None for any.

        Raises:
            IsolationError: the level of isolation does not work here.
            MachineBusy: the machine had no core for it.
        """
        self._sandbox = sandbox
        self._budget_clock = clock
        self._clock: cpu_clock.TreeClock | None = None
        self._read_ns = self._waited_before = 0
        self._had = NOTHING_HAD
        self.output = Output()  #: what the processes print
        self._scratch = ScratchFolder()
        self._group = control_group.create()
        self._legacy = None if self._group and self._group.limits_memory else legacy_groups.create()
        interrupts_before = core_ticks.interrupts(core)
        try:
            with theirs:
                self._process = self._start(theirs, core)
        except BaseException:
            self._remove_surroundings()
            raise
        self._freezer = Freezer(self._process.pid, self._group, group_holds=not sandbox.level.is_weak)
        try:
            self._pid = self._await_hello(wire)
            self._clock = self._open_clock()
            self._watch = Stopwatch(self._freezer, self._clock, core, interrupts_before)
            self._freezer.freeze()
        except NotStopped as error:
            self.close()
            raise IsolationError(f"isolation by {sandbox.level} does not work here: {error}") from None
        except BaseException:
            self.close()
            raise

    @property
    def clock_source(self) -> cpu_clock.Source:
        """Where CPU times come from."""
        return self._clock.source if self._clock else cpu_clock.Source.NONE

    @property
    def waited_ms(self) -> float:
        """Milliseconds since ``mark_ready`` in which the agent was ready to run but had no core."""
        return (self._watch.waited_ns() - self._waited_before) / _NS_PER_MS

    def mark_ready(self) -> None:
        """Start counting: nothing used before is charged."""
        self.restart()
        self._waited_before = self._watch.waited_ns()

    @contextlib.contextmanager
    def awake(self) -> Iterator[None]:
        """Let the processes run until the ``with`` block ends."""
        self._had = NOTHING_HAD
        try:
            self._watch.start()
            self._freezer.thaw()
            try:
                yield
                self._had = self._watch.had()
            finally:
                self._freezer.freeze()
        except NotStopped as error:
            raise AgentFailed(Cause.PROCESSES, str(error)) from None
        except cpu_clock.ClockError as error:
            raise self._unmeasured(error) from None

    def look(self, patience_s: float) -> None:
        """Check the processes while waiting for an answer: ``check``, and raise ``AgentFailed`` if time has run out."""
        self.check()
        if self._watch.look() > patience_s * _NS_PER_S:
            raise AgentFailed(Cause.HUNG, f"nothing came within {patience_s:g} s of CPU time and sleep")

    def busy(self, what: str) -> MachineBusy:
        """The error to raise if an answer cannot be judged; its message begins with what happened."""
        if self._watch.lacked_core():
            return MachineBusy(f"{what}, and no core for it for most of the time")
        return MachineBusy(f"{what}, although there was a core for it", by_agent=True)

    def restart(self) -> None:
        """Reset the count to zero."""
        self._read_ns = self._used_ns()

    def lap_ms(self) -> float:
        """Milliseconds used by all processes since the last lap or restart; raises ``AgentFailed`` if not measurable.

        Time taken by the host of a virtual machine is not charged. With the wall clock, the time in which the tree was
        awake, or its CPU time if that is more.
        """
        now = self._used_ns()
        used, self._read_ns = max(0, now - self._read_ns - self._had.overcharged_ns), now
        if self._budget_clock is Clock.WALL:
            used = max(used, self._had.ns)
        return used / _NS_PER_MS

    def pids(self) -> set[int]:
        """The processes below the runner's child, including guardians; none where the system does not report them."""
        return set(self._freezer.pids())

    def running(self) -> set[int]:
        """Those of ``pids`` that are still running; the others have not yet been reaped by their parents."""
        return set(self._freezer.running())

    def check(self) -> None:
        """Check the limits of processes and memory; raises ``AgentFailed`` if one is exceeded."""
        below = self.pids()
        restrictions = self._sandbox.restrictions
        if len(below) > restrictions.processes:
            raise AgentFailed(Cause.PROCESSES, f"{len(below)} at once, {restrictions.processes} allowed")
        tasks = sum(len(threads(pid)) for pid in below)
        if tasks > restrictions.processes * THREADS_PER_PROCESS:
            allowed = restrictions.processes * THREADS_PER_PROCESS
            raise AgentFailed(Cause.PROCESSES, f"{tasks} processes and threads at once, {allowed} allowed")
        if self._ran_out_of_memory():
            raise self._memory_failure()
        if len(below) > _GUARDIANS and sum(map(_resident_bytes, below)) > restrictions.memory_mb * MIB:
            raise AgentFailed(Cause.MEMORY, f"more than {restrictions.memory_mb} MiB in all its processes")

    def failure(self) -> AgentFailed:
        """The failure to report after the process closed its connection."""
        status = self.exit_status()
        return self._memory_failure() if self._ran_out_of_memory() else AgentFailed(Cause.EXITED, status)

    def exit_status(self) -> str:
        """Describe how the process ended, after it closed its connection."""
        self._freezer.thaw()  # stopped processes cannot end
        try:
            code = self._process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            return "it closed its connection"
        number = -code if code < 0 else code - _SIGNALLED
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(number).name}"
        return f"exit status {code}"

    def kill(self) -> None:
        """Kill the processes without waiting; safe to call from another thread."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def kill_all_but(self, spared: Set[int]) -> None:
        """Kill all processes below except some, and wait until they have ended.

        Raises:
            MachineBusy: some have not ended in time. The whole tree is then killed.
        """
        if left := self._freezer.kill_all_but(spared, KILL_S):
            self.kill()
            raise MachineBusy(f"{left} killed processes had no core to end on for {KILL_S:g} s")

    def close(self) -> None:
        """End all processes, and remove the scratch folder."""
        self._freezer.kill()
        self.kill()
        self._process.wait()
        if self._clock is not None:
            self._clock.close()
            self._clock = None
        self._remove_surroundings()

    def _await_hello(self, wire: Wire) -> int:
        """The agent's process; raises ``IsolationError`` if it does not start, ``MachineBusy`` if there is no core."""
        level = self._sandbox.level
        try:
            pid = wire.await_hello(START_S) or self._process.pid
            if can_walk() and pid not in self.pids():
                raise WireError(f"process {pid} said hello, which is not the one that was started")
            return pid
        except WireError as refusal:
            raise IsolationError(f"isolation by {level} does not work here: {refusal}") from None
        except TimeoutError:
            raise MachineBusy(f"a process was not ready within {START_S:g} s") from None
        except (EOFError, OSError):
            raise IsolationError(f"isolation by {level} does not work here: {self.exit_status()}") from None

    def _start(self, theirs: socket.socket, core: int | None) -> subprocess.Popen[bytes]:
        restrictions = self._sandbox.restrictions
        groups = []
        if self._group is not None:
            self._group.limit(restrictions.memory_mb * MIB, restrictions.processes)
            groups.append(self._group.entrance)
        if self._legacy is not None:
            self._legacy.limit(restrictions.memory_mb * MIB, restrictions.processes)
            groups += self._legacy.entrances
        limits_memory = any(group.limits_memory for group in (self._group, self._legacy) if group is not None)
        scratch = str(self._scratch.path)
        process = self._sandbox.start(
            theirs.fileno(), core, scratch, groups, output=self.output.writer, limits_memory=limits_memory
        )
        self.output.start()
        return process

    def _ran_out_of_memory(self) -> bool:
        """Whether the kernel killed a process for the limit of a control group."""
        return any(group.ran_out_of_memory() for group in (self._group, self._legacy) if group is not None)

    def _memory_failure(self) -> AgentFailed:
        limit = self._sandbox.restrictions.memory_mb
        return AgentFailed(Cause.MEMORY, f"more than {limit} MiB, counting what no process maps")

    def _remove_surroundings(self) -> None:
        if self._group is not None:
            self._group.close()
            self._group = None
        if self._legacy is not None:
            self._legacy.close()
            self._legacy = None
        self.output.close()
        self._scratch.remove()

    def _open_clock(self) -> cpu_clock.TreeClock | None:
        """Open the CPU clock, which is needed with every budget to distinguish time without a core from sleep."""
        try:
            return cpu_clock.TreeClock(self._pid, self._freezer)
        except OSError as error:
            if self._budget_clock is not Clock.CPU:
                return None
            raise IsolationError(f"{error}; use --clock wall, or a budget like calls:900") from None

    def _used_ns(self) -> int:
        """CPU time of all processes so far."""
        try:
            return self._clock.read_ns() if self._clock else 0
        except cpu_clock.ClockError as error:
            raise self._unmeasured(error) from None

    def _unmeasured(self, error: cpu_clock.ClockError) -> AgentFailed:
        """The failure of an agent whose CPU time cannot be read, in most cases because its process has ended."""
        return self.failure() if has_ended(self._pid) else AgentFailed(Cause.CLOCK, str(error))


def _resident_bytes(pid: int) -> int:
    """Resident memory of a process, as one of its threads shows it that has not ended."""
    for thread in threads(pid):
        with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/task/{thread}/statm", "rb") as sizes:
            if pages := int(sizes.read().split()[1]):
                return pages * _PAGE
    return 0
