"""Landlock: a wall around files that a process puts up by itself, without any privilege and without namespaces.

What is not allowed by a rule can be neither opened, run, made, removed nor renamed; the wall holds for everything that
the process starts, and cannot be taken down. Names, sizes and times of files can still be asked for. See
``Documentation/userspace-api/landlock.rst`` of Linux.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

LEAST_VERSION = 3
"""Version of the kernel's interface that is needed: before it (Linux 6.2), any file could be truncated."""

SCOPES_VERSION = 6
"""Version from which on signals to processes outside of the wall are stopped too (Linux 6.12)."""

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_ALL_OF_VERSION_3 = (1 << 15) - 1
_IOCTL_DEV, _IOCTL_VERSION = 1 << 15, 5
_TCP, _TCP_VERSION = 3, 4
_ABSTRACT_SOCKETS_AND_SIGNALS = 3
_READ = _EXECUTE | _READ_FILE
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_SAFE_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def version() -> int:
    """The version of the kernel's interface; 0 where there is none."""
    return max(_system_call(_CREATE, None, 0, _ASK_VERSION, check=False), 0)


def wall(
    readable: Iterable[str], hidden: Collection[str], writable: Iterable[str], listable: Iterable[str] = ()
) -> None:
    """Put the wall up around this process, which must have given up the gain of privileges before.

    Args:
        readable: files and folders that can be read and run.
        hidden: paths inside of these that cannot be read; their names can still be listed.
        writable: folders in which everything is allowed but running programs.
        listable: folders whose files' names can be listed, as imports need.

    Raises:
        OSError: the kernel has no Landlock, or too old a version.
    """
    found = version()
    if found < LEAST_VERSION:
        raise OSError(errno.ENOSYS, f"landlock: version {LEAST_VERSION} is needed (Linux 6.2), and this is {found}")
    handled = _ALL_OF_VERSION_3 | (_IOCTL_DEV if found >= _IOCTL_VERSION else 0)
    attributes = struct.pack("=Q", handled)
    if found >= _TCP_VERSION:
        attributes += struct.pack("=Q", _TCP)
    if found >= SCOPES_VERSION:
        attributes += struct.pack("=Q", _ABSTRACT_SOCKETS_AND_SIGNALS)
    ruleset = _system_call(_CREATE, attributes, len(attributes), 0)
    try:
        for root in readable:
            _allow(ruleset, root, _READ_DIR)
            for path in _without(Path(root), [Path(path) for path in hidden]):
                _allow(ruleset, str(path), _READ)
        for folder in listable:
            _allow(ruleset, folder, _READ_DIR)
        for folder in writable:
            _allow(ruleset, folder, handled & ~_EXECUTE)
        for device in _SAFE_DEVICES:
            _allow(ruleset, device, _READ_FILE | _WRITE_FILE)
        _system_call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def confine_signals() -> bool:
    """Have signals from here reach only processes that this one starts; whether the kernel can do that."""
    if version() < SCOPES_VERSION:
        return False
    attributes = struct.pack("=QQQ", 0, 0, _ABSTRACT_SOCKETS_AND_SIGNALS)
    ruleset = _system_call(_CREATE, attributes, len(attributes), 0)
    try:
        _system_call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    return True


def _without(root: Path, hidden: Collection[Path]) -> Iterator[Path]:
    """The root, or what is in it if some of that is hidden: rules can only allow, so they go around what is hidden."""
    inside = [path for path in hidden if path.is_relative_to(root)]
    if not inside:
        yield root
    elif root not in inside:
        for child in root.iterdir():
            if not child.is_symlink():  # a rule would be about what it leads to
                yield from _without(child, inside)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:  # gone meanwhile, or a link that leads nowhere
        return
    try:
        allowed = access if os.path.isdir(path) else access & _OF_FILES
        if allowed:
            _system_call(_ADD, ruleset, _PATH_BENEATH, struct.pack("=Qi", allowed, descriptor), 0)
    finally:
        os.close(descriptor)


def _system_call(number: int, *arguments: object, check: bool = True) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(libc.syscall(ctypes.c_long(number), *arguments))
    if check and result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"landlock: {os.strerror(code)}")
    return result
