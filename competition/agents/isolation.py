"""Levels of isolation, and how a controller's process is started under each.

========== ============ ======================= ============================== =====================================
level      network      files                   processes                      where
========== ============ ======================= ============================== =====================================
bwrap      none         only what Python and    a tree of its own, which ends  Linux with bubblewrap
                        the controller need,    with the play
                        read-only; a scratch
                        folder in memory
namespaces              the same, with the system's own calls                  Linux that lets users make namespaces
landlock   none         the same, but names     found by their parents; those  Linux 6.2 with Landlock, also where
                        of others can be seen   of others get no signals       namespaces are forbidden
rlimits    open         those of the user       found by their parents         any POSIX system
========== ============ ======================= ============================== =====================================

All levels limit memory, processes and the size of files, drop all privileges, filter system calls (``seccomp.py``)
and pin to one core; ``docs/isolation.md`` describes what each level guarantees and what it does not. The runner limits
CPU time, answer by answer: under the system's own limit (RLIMIT_CPU), a process sees its own clock advance in steps of
a timer tick (4 ms or more), so controllers could not tell how much of their budget is left.
"""

from __future__ import annotations

import contextlib
import enum
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO

from vgdl.competition.agents.view import View

MIB = 1 << 20

SCRATCH = "/tmp"
"""Folder in which a controller may write, under levels with a file system of their own."""

READ_ONLY_PROC = ("sys", "sysrq-trigger", "irq", "bus")
"""Files in ``/proc`` with which root can change the machine."""


class Level(enum.StrEnum):
    """Levels of isolation from the rest of the machine, the strongest first."""

    BWRAP = "bwrap"
    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    RLIMITS = "rlimits"

    @property
    def is_weak(self) -> bool:
        """Whether controllers can read and write the user's files and use the network."""
        return self is Level.RLIMITS

    @property
    def has_own_files(self) -> bool:
        """Whether there is a separate file system, and a process namespace that ends with its first process."""
        return self in (Level.BWRAP, Level.NAMESPACES)


class IsolationError(ValueError):
    """A level of isolation does not work here; the message says why."""


@dataclass(frozen=True, slots=True)
class Restrictions:
    """Limits of a controller's process tree."""

    memory_mb: int = 2048  #: address space of each process, and total memory
    processes: int = 32  #: concurrent processes, not counting threads
    scratch_mb: int = 64  #: the scratch folder, and the size of any file


@dataclass(frozen=True, slots=True)
class Sandbox:
    """All settings for the isolation of controllers: picklable, and the same for all plays."""

    level: Level
    restrictions: Restrictions
    view: View

    def of(self, location: str) -> Sandbox:
        """The sandbox of one controller, which sees its own files but not those of others.

        Raises:
            IsolationError: the controller's files cannot be read in the sandbox.
            FilesRefused: the controller asks for files that are hidden.
        """
        view = self.view.of(location)
        if self.level.has_own_files and is_root():
            try:
                view.check_readable()
            except OSError as error:
                raise IsolationError(str(error)) from None
        return replace(self, view=view)

    def start(
        self,
        descriptor: int,
        core: int | None,
        scratch: str,
        groups: Sequence[int] = (),
        *,
        output: int = subprocess.DEVNULL,
        limits_memory: bool = False,
    ) -> subprocess.Popen[bytes]:
        """Start a worker that communicates over an inherited socket.

        Args:
            descriptor: file descriptor of the socket.
            core: core to pin it to, and all that it starts; None for any.
            scratch: an empty folder for this play.
            groups: file descriptors with which it can join its control groups.
            output: file descriptor that its standard output and standard error go to.
            limits_memory: whether these limit memory that no process maps.
        """
        settings = {
            "level": self.level,
            "restrictions": asdict(self.restrictions),
            "view": {
                "readable": self.view.readable,
                "hidden": self.view.masks,
                "listable": self.view.listable,
            },
            "scratch": scratch,
            "groups": list(groups),
            "limits_memory": limits_memory,
            "is_root": is_root(),
        }
        # -P keeps the current folder, which may be a checkout of this project, off the import path
        command = [sys.executable, "-P", "-m", "vgdl.competition.agents.worker", str(descriptor)]
        passed = [descriptor, *groups]
        # paths are passed in unlinked files: everything in the sandbox can read command lines
        with contextlib.ExitStack() as stack:
            standard_input = stack.enter_context(_nameless(json.dumps(settings).encode()))
            if self.level is Level.BWRAP:
                options = stack.enter_context(_nameless(b"\0".join(map(os.fsencode, self._bwrap()))))
                passed.append(options.fileno())
                command = [_bwrap_path(), "--args", str(options.fileno()), "--", *command]
            stack.enter_context(_on_core(core))
            return subprocess.Popen(
                command,
                pass_fds=passed,
                stdin=standard_input,
                stdout=output,
                stderr=output,
                start_new_session=True,  # only the runner gets Ctrl-C, and children can be killed with their parent
                cwd=scratch,
                env=_environment(SCRATCH if self.level.has_own_files else scratch),
            )

    def _bwrap(self) -> list[str]:
        scratch_bytes = str(self.restrictions.scratch_mb * MIB)
        options = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        options += ["--die-with-parent", "--as-pid-1", "--cap-drop", "ALL"]
        if is_root():  # needed by the worker to mount the scratch folder, and to change to another user
            for capability in ("SYS_ADMIN", "SETUID", "SETGID", "SETPCAP"):
                options += ["--cap-add", f"CAP_{capability}"]
        else:
            options.append("--unshare-user")
        options += ["--proc", "/proc", "--dev", "/dev", "--ro-bind", "/dev/null", "/dev/zero"]
        options += ["--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]  # terminals are memory of the kernel
        for name in READ_ONLY_PROC:
            options += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
        options += ["--perms", "1777", "--size", scratch_bytes, "--tmpfs", SCRATCH]
        for folder in _ancestors(self.view.readable):  # created implicitly, they would be closed to the other user
            options += ["--perms", "0755", "--dir", folder]
        for path in self.view.readable:
            options += ["--ro-bind", path, path]
        for path in self.view.masks:
            empty_folder, empty_file = ["--tmpfs", path, "--remount-ro", path], ["--ro-bind", "/dev/null", path]
            options += empty_folder if os.path.isdir(path) else empty_file
        return [*options, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH]


def _ancestors(paths: Iterable[str]) -> list[str]:
    """All parent folders of some paths except the root, outer ones first."""
    return sorted({str(folder) for path in paths for folder in Path(path).parents} - {"/"})


@contextlib.contextmanager
def _on_core(core: int | None) -> Iterator[None]:
    """Move this thread to a core while the block runs; processes that it starts stay there."""
    if core is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [core])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def _nameless(content: bytes) -> Iterator[IO[bytes]]:
    """An unnamed file with some content, positioned at its beginning."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file


def is_root() -> bool:
    """Whether the runner has the rights of root, which controllers must not have."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _bwrap_path() -> str:
    path = shutil.which("bwrap")
    if path is None:
        raise IsolationError("there is no bwrap on this machine: install bubblewrap, or ask for another level")
    return path


ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables with which libraries for linear algebra use one core."""


def _environment(scratch: str) -> dict[str, str]:
    """Only the variables that Python needs to find its libraries, and one thread for linear algebra."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG") if name in os.environ}
    fixed = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "HOME": scratch, "TMPDIR": scratch}
    return kept | ONE_THREAD | fixed
