"""Levels of isolation, and how a controller's process is started under each.

======== ============ ======================= ============================== =====================================
level    network      files                   processes                      where
======== ============ ======================= ============================== =====================================
bwrap    none         only what Python and    a tree of its own, which ends  Linux with bubblewrap
                      the controller need,    with the play
                      read-only; a scratch
                      folder in memory
namespaces            the same, with the system's own calls                  Linux that lets users make namespaces
rlimits  open         those of the user       found by their parents         any POSIX system
======== ============ ======================= ============================== =====================================

All levels limit memory, processes and the size of files, give up all privileges, and pin to one core. CPU time is for
the runner to limit, answer by answer: under the system's own limit (RLIMIT_CPU) a process sees its own clock advance in
steps of a timer tick, 4 ms and more, and controllers could not tell how much of their budget is left.
"""

from __future__ import annotations

import enum
import json
import os
import shutil
import site
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import vgdl.competition
import vgdl.controllers
from vgdl import games

MIB = 1 << 20

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")
SCRATCH = "/tmp"
"""Where a controller may write under the levels that have file systems of their own."""


class Level(enum.StrEnum):
    """How well a controller is kept from the rest of the machine, the best first."""

    BWRAP = "bwrap"
    NAMESPACES = "namespaces"
    RLIMITS = "rlimits"

    @property
    def is_weak(self) -> bool:
        """Whether controllers can read files of the user, write them, and use the network."""
        return self is Level.RLIMITS


class IsolationError(ValueError):
    """A level of isolation does not work here; the message says why."""


@dataclass(frozen=True, slots=True)
class Restrictions:
    """Limits of a controller's process tree."""

    memory_mb: int = 2048  #: address space of each process, and memory of all together
    processes: int = 32  #: processes at a time, threads not counted
    scratch_mb: int = 64  #: the scratch folder, and the size of any file


@dataclass(frozen=True, slots=True)
class View:
    """The files that a controller gets to see under the levels that have file systems of their own."""

    readable: tuple[str, ...]  #: absolute paths; none is inside another
    hidden: tuple[str, ...]  #: what stays invisible inside of these


def view(controllers: Iterable[Path] = (), hidden: Iterable[Path] = ()) -> View:
    """The files that Python, this package and the given controllers' files need, without the games.

    Args:
        controllers: files of controllers; what lies beside them can be imported.
        hidden: files and folders that no controller may see, wherever they are.
    """
    own_files = [path.resolve() for path in controllers]
    rooms = (vgdl, vgdl.controllers, vgdl.competition, games)
    packages = [Path(folder) for package in rooms for folder in package.__path__]
    python = [Path(prefix) for prefix in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)]
    search = [Path(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    user = [Path(site.getusersitepackages())] if site.ENABLE_USER_SITE else []
    folders = [path.parent for path in own_files]
    roots = _outermost(path.resolve() for path in (*python, *packages, *search, *user, *folders) if path.exists())
    roots = [Path(path) for path in SYSTEM if os.path.exists(path)] + [
        root for root in roots if not any(root.is_relative_to(path) for path in SYSTEM)
    ]
    sets = [Path(folder) / name for folder in games.__path__ for name in games.SETS]
    masks = [mask for path in (*sets, *hidden) for mask in _masks(path.resolve(), own_files)]
    inside = [mask for mask in _outermost(masks) if any(mask.is_relative_to(root) for root in roots)]
    return View(tuple(map(str, roots)), tuple(map(str, inside)))


def _masks(path: Path, controllers: Sequence[Path]) -> list[Path]:
    """What to hide for a path to be hidden: itself, or its games one by one if a controller lives among them."""
    if not path.exists():
        return []
    if any(controller.is_relative_to(path) for controller in controllers):
        return [file for file in path.rglob("*.txt") if file.is_file()]
    return [path]


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """The paths that are inside no other one, each once, in order."""
    unique = sorted(set(paths))
    return [path for path in unique if not any(path != other and path.is_relative_to(other) for other in unique)]


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Everything that decides how a controller's process is kept: picklable, the same for all plays."""

    level: Level
    restrictions: Restrictions
    view: View

    def start(self, descriptor: int, core: int | None, scratch: str) -> subprocess.Popen[bytes]:
        """Start a worker that talks over a socket, which it inherits.

        Args:
            descriptor: of the socket.
            core: to pin to; None for any.
            scratch: an empty folder of this play.
        """
        settings = {**asdict(self), "core": core, "scratch": scratch}
        # -P keeps the current folder, which may be a checkout of this project, off the import path
        worker = [sys.executable, "-P", "-m", "vgdl.competition.agents.worker", str(descriptor)]
        prefix = self._bwrap() if self.level is Level.BWRAP else []
        return subprocess.Popen(
            [*prefix, *worker, json.dumps(settings)],
            pass_fds=[descriptor],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is the runner's, and children can be killed with their parent
            cwd=scratch,
            env=_environment(scratch if self.level is Level.RLIMITS else SCRATCH),
        )

    def _bwrap(self) -> list[str]:
        scratch_bytes = str(self.restrictions.scratch_mb * MIB)
        command = [_bwrap_path(), "--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL"]
        command += ["--proc", "/proc", "--dev", "/dev", "--size", scratch_bytes, "--tmpfs", SCRATCH]
        for path in self.view.readable:
            command += ["--ro-bind", path, path]
        for path in self.view.hidden:
            empty_folder, empty_file = ["--tmpfs", path, "--remount-ro", path], ["--ro-bind", "/dev/null", path]
            command += empty_folder if os.path.isdir(path) else empty_file
        return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH, "--"]


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
