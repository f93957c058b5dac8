"""Control groups of version 1 for memory and processes, on systems whose version 2 has no controllers for them.

They limit, as those of version 2 do, memory that no process maps and the number of processes and threads. Stopping and
measuring is left to version 2 and to signals. See ``Documentation/admin-guide/cgroup-v1`` of Linux.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from vgdl.competition.agents import control_group
from vgdl.competition.agents.control_group import END_S, THREADS_PER_PROCESS

CONTROLLERS = ("memory", "pids")


class LegacyGroups:
    """One group for each controller; ``close`` removes them."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        """Take over empty groups, by controller; raises ``OSError`` if they cannot be joined."""
        self._folders = dict(folders)
        self.entrances: list[int] = []
        try:
            for folder in self._folders.values():
                self.entrances.append(os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC))
        except OSError:
            self.close()
            raise

    @property
    def limits_memory(self) -> bool:
        """Whether memory is limited, including memory that no process maps."""
        return "memory" in self._folders

    def limit(self, memory_bytes: int, processes: int) -> None:
        """Limit memory, and the number of processes and threads.

        Raises:
            OSError: a limit cannot be set.
        """
        if folder := self._folders.get("memory"):
            (folder / "memory.limit_in_bytes").write_text(str(memory_bytes))
            with contextlib.suppress(OSError):  # where swap is not accounted
                (folder / "memory.memsw.limit_in_bytes").write_text(str(memory_bytes))
        if folder := self._folders.get("pids"):
            (folder / "pids.max").write_text(str(processes * THREADS_PER_PROCESS))

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed a process because the group reached its memory limit."""
        if folder := self._folders.get("memory"):
            lines = control_group.text(folder / "memory.oom_control").splitlines()
            return any(line.startswith("oom_kill ") and line != "oom_kill 0" for line in lines)
        return False

    def close(self) -> None:
        """Kill the remaining processes, and remove the groups."""
        for file in self.entrances:
            os.close(file)
        self.entrances = []
        deadline = time.monotonic() + END_S
        for folder in self._folders.values():
            while not control_group.remove(folder) and time.monotonic() < deadline:
                for pid in control_group.text(folder / "cgroup.procs").split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
                time.sleep(0.001)


def create(
    selected: Sequence[str] = CONTROLLERS,
    mounts: Path = Path("/proc/self/mountinfo"),
    own: Path = Path("/proc/self/cgroup"),
) -> LegacyGroups | None:
    """Create a group for each controller where that is allowed; None if it is for none.

    Args:
        selected: the controllers.
        mounts: the system's list of mounted file systems.
        own: the list of this process's groups.
    """
    folders = {}
    for controller, parent in _parents(selected, mounts, own):
        control_group.sweep(parent)
        folder = parent / control_group.fresh_name()
        with contextlib.suppress(OSError):
            folder.mkdir()
            folders[controller] = folder
    with contextlib.suppress(OSError):
        return LegacyGroups(folders) if folders else None
    return None


def _parents(selected: Sequence[str], mounts: Path, own: Path) -> Iterator[tuple[str, Path]]:
    """This process's own group for each controller that is mounted."""
    paths = {}
    for line in control_group.text(own).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        paths.update(dict.fromkeys(controllers.split(","), path))
    for line in control_group.text(mounts).splitlines():
        fields = line.split()
        kind, _, options = fields[fields.index("-") + 1 :][:3]
        for controller in set(options.split(",")) & set(selected):
            group, root = PurePosixPath(paths.get(controller, "/")), PurePosixPath(fields[3])
            if kind == "cgroup" and group.is_relative_to(root):
                yield controller, Path(fields[4]) / group.relative_to(root)
