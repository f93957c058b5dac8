"""A control group (cgroup v2) for everything that a controller runs, where the system allows creating one.

A process joins the group before any code of the controller runs; processes started later belong to it from the start.
The group can be stopped and continued as a whole, its CPU time includes that of processes that have ended, and its
memory includes memory that no process maps. See ``Documentation/admin-guide/cgroup-v2.rst`` of Linux.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

END_S = 2.0
"""Seconds to wait until all killed processes of a group have ended."""

_PREFIX = "vgdl-play"
THREADS_PER_PROCESS = 16
"""Threads and processes allowed for each process that is allowed."""

_numbers = itertools.count()


class ControlGroup:
    """A control group; ``close`` kills its processes and removes it."""

    def __init__(self, folder: Path) -> None:
        """Take over an empty group; raises ``OSError`` if it cannot be controlled."""
        self.folder = folder
        self._files: list[int] = []
        try:
            self._freeze = self._open("cgroup.freeze", os.O_WRONLY)
            self._statistics = self._open("cpu.stat", os.O_RDONLY)
            self.entrance = self._open("cgroup.procs", os.O_WRONLY)
        except OSError:
            self.close()
            raise

    @property
    def limits_memory(self) -> bool:
        """Whether memory is limited, including memory that no process maps."""
        return (self.folder / "memory.max").exists()

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed the group because it reached its own memory limit."""
        counts = dict(line.split() for line in text(self.folder / "memory.events").splitlines())
        return "0" not in (counts.get("oom", "0"), counts.get("oom_kill", "0"))

    def limit(self, memory_bytes: int, processes: int) -> None:
        """Limit memory, and the number of processes and threads, as far as the cgroup controllers are available."""
        values = {
            "memory.max": memory_bytes,
            "memory.swap.max": 0,
            "memory.oom.group": 1,
            "pids.max": processes * THREADS_PER_PROCESS,
        }
        for name, value in values.items():
            with contextlib.suppress(OSError):
                (self.folder / name).write_text(str(value))

    def freeze(self) -> None:
        """Stop everything in the group: nothing in it runs once this has returned."""
        os.write(self._freeze, b"1")

    def thaw(self) -> None:
        """Let everything in the group run."""
        os.write(self._freeze, b"0")

    def usage_ns(self) -> int:
        """CPU time of all processes that are or were in the group; raises ``OSError`` if it cannot be read."""
        statistics = os.pread(self._statistics, 4096, 0)
        _, found, rest = statistics.partition(b"usage_usec ")
        if not found:
            raise OSError("cpu.stat tells no CPU time")
        return int(rest.split(maxsplit=1)[0]) * 1000

    def kill(self) -> None:
        """Kill everything in the group, even if it is stopped (Linux 5.14)."""
        with contextlib.suppress(OSError):
            (self.folder / "cgroup.kill").write_text("1")

    def close(self) -> None:
        """Kill the remaining processes, and remove the group."""
        self.kill()
        for file in self._files:
            os.close(file)
        self._files = []
        deadline = time.monotonic() + END_S
        while not remove(self.folder) and time.monotonic() < deadline:
            time.sleep(0.001)

    def _open(self, name: str, mode: int) -> int:
        file = os.open(self.folder / name, mode | os.O_CLOEXEC)
        self._files.append(file)
        return file


def create() -> ControlGroup | None:
    """Create a group; returns None where that is not allowed."""
    for parent in _parents():
        sweep(parent)
        folder = parent / fresh_name()
        with contextlib.suppress(OSError):
            folder.mkdir()
            return ControlGroup(folder)
    return None


def _parents() -> Iterator[Path]:
    """Groups in which a new one may be created, those that can limit memory first."""
    with contextlib.suppress(OSError, StopIteration):
        mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        mount = next(Path(fields[4]) for fields in mounts if fields[fields.index("-") + 1] == "cgroup2")
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = mount / next(line[4:] for line in lines if line.startswith("0::/"))
        if own == mount:
            _enable(own)
            yield own
            return
        beside = own.parent
        if "memory" in text(beside / "cgroup.subtree_control").split():
            yield beside
        yield own


def _enable(group: Path) -> None:
    """Enable memory and process limits in child groups; of groups that contain processes, only the root allows it."""
    for controller in ("memory", "pids"):
        with contextlib.suppress(OSError):
            (group / "cgroup.subtree_control").write_text(f"+{controller}")


def fresh_name() -> str:
    """A name for a group of this runner."""
    return f"{_own_prefix()}{os.getpid()}-{next(_numbers)}"


def _own_prefix() -> str:
    """Prefix of group names in this PID namespace: in another one, a runner's PID means another process."""
    return f"{_PREFIX}-{os.stat('/proc/self/ns/pid').st_ino}-"


def sweep(parent: Path) -> None:
    """Remove groups left behind by killed runners of this PID namespace."""
    for left in parent.glob(f"{_own_prefix()}*"):
        owner = left.name.removeprefix(_own_prefix()).partition("-")[0]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            with contextlib.suppress(OSError):
                (left / "cgroup.kill").write_text("1")
            remove(left)


def remove(folder: Path) -> bool:
    """Remove a group and any groups that a controller created inside it; returns whether it is gone."""
    with contextlib.suppress(OSError):
        for inner, _, _ in os.walk(folder, topdown=False):
            os.rmdir(inner)
    return not folder.exists()


def text(file: Path) -> str:
    """The content of a file; empty if it cannot be read."""
    try:
        return file.read_text()
    except OSError:
        return ""
