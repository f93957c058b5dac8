"""Scratch folders: created for one agent process, removed with their contents, and swept if the runner was killed."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

try:
    import fcntl
except ImportError:  # folders of killed runners are not removed
    fcntl = None  # type: ignore[assignment]

PREFIX = "vgdl-play-"
"""Prefix of the names of scratch folders."""

_UNLOCKED = "."
"""Before the prefix of a folder that is not locked yet."""

_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class ScratchFolder:
    """A private folder, locked until ``remove`` or the end of this process."""

    def __init__(self, prefix: str = PREFIX) -> None:
        """Create the folder in the system's folder for temporary files.

        It gets its name when it is locked, so that no folder in use looks abandoned, whatever the clock says.
        """
        created = Path(tempfile.mkdtemp(prefix=f"{_UNLOCKED}{prefix}"))
        self._lock = os.open(created, _DIRECTORY)
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.path = created.rename(created.with_name(created.name.removeprefix(_UNLOCKED)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder and everything in it that can be removed."""
        remove(self.path)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def sweep(prefix: str = PREFIX) -> list[Path]:
    """Remove this user's scratch folders whose runners have ended; returns their paths."""
    swept = []
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        if fcntl is None or not _is_abandoned(path):
            continue
        remove(path)
        swept.append(path)
    return swept


def remove(folder: Path) -> None:
    """Remove a folder written by an agent, at any depth and with any permissions.

    Nested folders are moved to the top level before they are emptied, so that neither the stack nor the length of paths
    grows with their depth. Links are removed, not followed.
    """
    with contextlib.suppress(OSError):
        top = os.open(folder, _DIRECTORY)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(folder)


def _is_abandoned(path: Path) -> bool:
    try:
        facts = path.lstat()
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
            return False
        descriptor = os.open(path, _DIRECTORY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _empty(top: int) -> None:
    """Remove everything in an open folder."""
    moved = 0
    while True:
        names = os.listdir(top)
        stuck = 0
        for name in names:
            try:
                moved = _remove_entry(top, name, moved)
            except OSError:
                stuck += 1
        if stuck == len(names):  # nothing left, or nothing that can be removed
            return


def _remove_entry(top: int, name: str, moved: int) -> int:
    """Remove a file, or a folder whose own folders are moved to the top first; returns how many were moved so far."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=top, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=top)
        return moved
    os.chmod(name, stat.S_IRWXU, dir_fd=top)
    folder = os.open(name, _DIRECTORY, dir_fd=top)
    try:
        for entry in os.listdir(folder):
            if stat.S_ISDIR(os.stat(entry, dir_fd=folder, follow_symlinks=False).st_mode):
                os.chmod(entry, stat.S_IRWXU, dir_fd=folder)  # only writable folders can be moved
                moved += 1
                os.rename(entry, f".moved-{moved}", src_dir_fd=folder, dst_dir_fd=top)
            else:
                os.unlink(entry, dir_fd=folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)
    return moved
