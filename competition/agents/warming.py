"""Touching memory before plays begin, so that a virtual machine already has it.

The host of a virtual machine backs its memory on first access. On one such machine, that took 2 ms of CPU time per MiB,
and up to 14 ms for a single page, all of it charged to the process that accessed it; memory that has been used since
the machine was started takes 0.4 ms per MiB, and no page more than 0.6 ms. Linux allocates last-freed memory first. So
as much memory as agents will need is touched and freed, once after each start of the machine.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # another system, not known to need this
    fcntl = None  # type: ignore[assignment]

MOST_MB = 1024
"""Maximum number of MiB touched per agent."""

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MEMORY = Path("/proc/meminfo")

_TOUCH = """
import contextlib, mmap, sys
with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
    file.write("1000")  # if memory is short after all, this process is the one that ends
with mmap.mmap(-1, int(sys.argv[1]) << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
    with memoryview(memory) as pages:
        pages[:: mmap.PAGESIZE] = bytes(len(memory) // mmap.PAGESIZE)
"""


def warm(agents: int, memory_mb: int) -> bool:
    """Touch the memory that agents will use, unless that has been done since the machine was started.

    At most half of the available memory is touched, by one process per agent. Does nothing on systems other than Linux.

    Args:
        agents: number of agents that will run concurrently.
        memory_mb: memory limit of each, in MiB.

    Returns:
        Whether memory was touched.
    """
    if fcntl is None:
        return False
    each_mb = min(memory_mb, MOST_MB, _available_mb() // (2 * agents))
    marker = Path(tempfile.gettempdir()) / f"vgdl-memory-{os.getuid()}"
    try:
        boot = _BOOT.read_text(encoding="ascii").strip()
        with marker.open("a+", encoding="ascii", errors="replace") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # competitions that start at the same time touch it once
            file.seek(0)
            if _touched_mb(file.read(), boot) >= agents * each_mb:
                return False
            _touch(agents, each_mb)
            file.truncate(0)
            file.write(f"{boot} {agents * each_mb}")
    except OSError:
        return False
    return True


def _touch(processes: int, each_mb: int) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(processes):
            stack.enter_context(subprocess.Popen([sys.executable, "-I", "-S", "-c", _TOUCH, str(each_mb)]))


def _touched_mb(text: str, boot: str) -> int:
    """MiB touched since the machine was started, according to the marker file."""
    match text.split():
        case [written, number] if written == boot and number.isdecimal():
            return int(number)
    return 0


def _available_mb() -> int:
    """MiB available to processes now; 0 if the system does not report it."""
    try:
        lines = _MEMORY.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:")), 0)
