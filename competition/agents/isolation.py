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

All levels limit memory, processes and the size of files, give up all privileges, filter system calls (``seccomp.py``)
and pin to one core; ``docs/isolation.md`` says what each of them promises and what it does not. CPU time is for the
runner to limit, answer by answer: under the system's own limit (RLIMIT_CPU) a process sees its own clock advance in
steps of a timer tick, 4 ms and more, and controllers could not tell how much of their budget is left.
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
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO

from vgdl.competition.agents.view import View

MIB = 1 << 20

SCRATCH = "/tmp"
"""Where a controller may write under the levels that have file systems of their own."""

READ_ONLY_PROC = ("sys", "sysrq-trigger", "irq", "bus")
"""What is in ``/proc`` that changes the machine when root writes to it."""


class Level(enum.StrEnum):
    """How well a controller is kept from the rest of the machine, the best first."""

    BWRAP = "bwrap"
    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    RLIMITS = "rlimits"

    @property
    def is_weak(self) -> bool:
        """Whether controllers can read files of the user, write them, and use the network."""
        return self is Level.RLIMITS

    @property
    def has_own_files(self) -> bool:
        """Whether there is a file system of its own, and a process namespace that ends with its first process."""
        return self in (Level.BWRAP, Level.NAMESPACES)


class IsolationError(ValueError):
    """A level of isolation does not work here; the message says why."""


@dataclass(frozen=True, slots=True)
class Restrictions:
    """Limits of a controller's process tree."""

    memory_mb: int = 2048  #: address space of each process, and memory of all together
    processes: int = 32  #: processes at a time, threads not counted
    scratch_mb: int = 64  #: the scratch folder, and the size of any file


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Everything that decides how a controller's process is kept: picklable, the same for all plays."""

    level: Level
    restrictions: Restrictions
    view: View

    def of(self, location: str) -> Sandbox:
        """The sandbox of one controller, which sees its own files and not those of others.

        Raises:
            IsolationError: the controller's files cannot be read in it.
        """
        view = self.view.of(location)
        if self.level.has_own_files and is_root():
            try:
                view.check_readable()
            except OSError as error:
                raise IsolationError(str(error)) from None
        return replace(self, view=view)

    def start(
        self, descriptor: int, core: int | None, scratch: str, group: int | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a worker that talks over a socket, which it inherits.

        Args:
            descriptor: of the socket.
            core: to pin to; None for any.
            scratch: an empty folder of this play.
            group: a descriptor by which it can join its control group.
        """
        settings = {
            "level": self.level,
            "restrictions": asdict(self.restrictions),
            "view": {
                "readable": self.view.readable,
                "hidden": self.view.masks,
                "listable": self.view.listable,
            },
            "core": core,
            "scratch": scratch,
            "group": group,
            "is_root": is_root(),
        }
        # -P keeps the current folder, which may be a checkout of this project, off the import path
        command = [sys.executable, "-P", "-m", "vgdl.competition.agents.worker", str(descriptor)]
        passed = [descriptor] if group is None else [descriptor, group]
        # paths go through files that are nowhere: command lines can be read by everything in the sandbox
        with _nameless(json.dumps(settings).encode()) as standard_input, contextlib.ExitStack() as stack:
            if self.level is Level.BWRAP:
                options = stack.enter_context(_nameless(b"\0".join(map(os.fsencode, self._bwrap()))))
                passed.append(options.fileno())
                command = [_bwrap_path(), "--args", str(options.fileno()), "--", *command]
            return subprocess.Popen(
                command,
                pass_fds=passed,
                stdin=standard_input,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C is the runner's, and children can be killed with their parent
                cwd=scratch,
                env=_environment(SCRATCH if self.level.has_own_files else scratch),
            )

    def _bwrap(self) -> list[str]:
        scratch_bytes = str(self.restrictions.scratch_mb * MIB)
        options = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        options += ["--die-with-parent", "--as-pid-1", "--cap-drop", "ALL"]
        if is_root():  # the worker changes to another user, which takes these
            for capability in ("SETUID", "SETGID", "SETPCAP"):
                options += ["--cap-add", f"CAP_{capability}"]
        else:
            options.append("--unshare-user")
        options += ["--proc", "/proc", "--dev", "/dev"]
        for name in READ_ONLY_PROC:
            options += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
        options += ["--perms", "1777", "--size", scratch_bytes, "--tmpfs", SCRATCH]
        for folder in _ancestors(self.view.readable):  # made by the way, they would be closed to the other user
            options += ["--perms", "0755", "--dir", folder]
        for path in self.view.readable:
            options += ["--ro-bind", path, path]
        for path in self.view.masks:
            empty_folder, empty_file = ["--tmpfs", path, "--remount-ro", path], ["--ro-bind", "/dev/null", path]
            options += empty_folder if os.path.isdir(path) else empty_file
        return [*options, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH]


def _ancestors(paths: Iterable[str]) -> list[str]:
    """All folders above some paths but the root, the outer ones first."""
    return sorted({str(folder) for path in paths for folder in Path(path).parents} - {"/"})


@contextlib.contextmanager
def _nameless(content: bytes) -> Iterator[IO[bytes]]:
    """A file without a name that holds something, to be read from its beginning."""
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


def _environment(scratch: str) -> dict[str, str]:
    """Nothing of the user's but what Python and its libraries need to be found, and one thread for linear algebra."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG") if name in os.environ}
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    fixed = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "HOME": scratch, "TMPDIR": scratch}
    return kept | single | fixed
