"""Timer interrupts of a core, which reveal time that the host of a virtual machine took and did not report.

While a core is busy, Linux interrupts it once per tick (every 4 ms with ``CONFIG_HZ=250``). Interrupts that fall into a
time in which the host ran something else are not made up for. So if the kernel charges a process 55 ms of CPU time on a
core that was interrupted nine times, at least 15 of these were not its own.

Some kernels interrupt busy cores less often (``nohz_full``), or by another timer. So a core's ticks count only once
they have accounted for CPU time of the same processes, which is usually so before the agent is imported. The processes
cannot leave their core: they start on it, and seccomp refuses the system calls.
"""

from __future__ import annotations

import time
from pathlib import Path

from vgdl.competition.agents.freezer import Freezer, threads, tree, used_ns

_INTERRUPTS = Path("/proc/interrupts")
_TIMERS = (b"LOC:", b"arch_timer")  # on x86, on ARM
_COARSE_CLOCK = 6
"""``CLOCK_MONOTONIC_COARSE``, which moves once per tick."""

OWN_SLEEPS = 3
"""Sleeps outside of an answer: once thawed, guardian and agent wait for a message, and the agent after replying."""


_ENOUGH_TICKS = 10
"""Least CPU time, in ticks, that shows whether a core is interrupted once per tick."""


class TickWatch:
    """Compares the CPU time of a process tree with the timer interrupts of its core."""

    def __init__(self, processes: Freezer, core: int | None, interrupts_before: int | None = None) -> None:
        """Start the watch.

        Args:
            processes: the tree.
            core: the core that it is pinned to; None for any, so that nothing is ever found.
            interrupts_before: those of the core when the tree was started on it. If given, the CPU time since then
                shows whether the core is interrupted once per tick; otherwise only what is measured from now on.
        """
        self._processes = processes
        self._core = core
        self._tick_ns = tick_ns()
        self._used_ns = self._ticks = 0  # of all measurements so far
        self.start()
        if interrupts_before is not None and self._before is not None:
            self._ticks = self._before - interrupts_before
            self._used_ns = sum(map(used_ns, tree(processes.root)))

    def start(self) -> None:
        """Restart."""
        self._before = interrupts(self._core)
        self._sleeps_before = self._sleeps()

    def taken_ns(self, used_ns: int) -> int:
        """Nanoseconds of CPU time charged since the start that are provably not the tree's; 0 if nothing is proven.

        Args:
            used_ns: all CPU time charged to the tree since then.
        """
        now = interrupts(self._core)
        if now is None or self._before is None:
            return 0
        ticks, is_ticking = now - self._before, self._is_ticking()
        self._used_ns += used_ns
        self._ticks += ticks
        return taken_ns(used_ns, ticks, self._sleeps() - self._sleeps_before, self._tick_ns) if is_ticking else 0

    def _is_ticking(self) -> bool:
        """Whether the core has been interrupted once per tick while it was busy, stalls apart."""
        expected = self._used_ns // self._tick_ns if self._tick_ns else 0
        return expected >= _ENOUGH_TICKS and self._ticks >= expected // 2

    def _sleeps(self) -> int:
        """How often threads of the tree went to sleep."""
        if self._before is None:
            return 0
        return sum(_sleeps(pid, thread) for pid in self._processes.pids() for thread in threads(pid))


def taken_ns(used_ns: int, ticks: int, sleeps: int, tick_ns: int) -> int:
    """Nanoseconds of CPU time that the host took according to the ticks; 0 unless they prove it.

    In a stretch of time without sleep, the core has at most one interrupt less than there are ticks. Interrupts for
    other timers count as ticks too, so short stalls are missed. The length of a stall is rounded up, in favour of the
    process.

    Args:
        used_ns: CPU time charged.
        ticks: interrupts of the core meanwhile.
        sleeps: how often a thread went to sleep. The core can have missed a tick for each one beyond ``OWN_SLEEPS``.
        tick_ns: nanoseconds between two ticks; 0 if unknown.
    """
    stretches = 1 + max(0, sleeps - OWN_SLEEPS)
    if not tick_ns or used_ns <= (ticks + stretches) * tick_ns:
        return 0
    return used_ns - max(ticks - 1, 0) * tick_ns


def tick_ns() -> int:
    """Nanoseconds between two ticks; 0 if the system does not tell."""
    try:
        return round(time.clock_getres(_COARSE_CLOCK) * 1e9)
    except (AttributeError, OSError):
        return 0


def interrupts(core: int | None) -> int | None:
    """Timer interrupts of a core since the machine was started; None if the system does not tell, or for no core."""
    if core is None:
        return None
    try:
        header, *rows = _INTERRUPTS.read_bytes().splitlines()
        column = 1 + header.split().index(b"CPU%d" % core)
        return next((int(row.split()[column]) for row in rows if any(name in row for name in _TIMERS)), None)
    except (OSError, ValueError, IndexError):
        return None


def _sleeps(pid: int, thread: str) -> int:
    try:
        with open(f"/proc/{pid}/task/{thread}/status", "rb") as status:
            return next((int(line.split()[1]) for line in status if line.startswith(b"voluntary_ctxt_switches:")), 0)
    except OSError:
        return 0
