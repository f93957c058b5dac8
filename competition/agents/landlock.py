"""Landlock: file access rules that a process sets for itself, without privileges and without namespaces.

Without a rule that allows it, nothing can be opened, executed, created, removed or renamed. The rules also hold for
everything that the process starts and cannot be revoked. Names, sizes and times of files can still be queried. See
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
"""Required version of the kernel's interface: earlier ones (before Linux 6.2) let any file be truncated."""

SCOPES_VERSION = 6
"""First version that can also block signals to processes outside the sandbox (Linux 6.12)."""

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_ALL_OF_VERSION_3 = (1 << 15) - 1
_IOCTL_DEV, _IOCTL_VERSION = 1 << 15, 5
_TCP, _TCP_VERSION = 3, 4
_ABSTRACT_SOCKETS_AND_SIGNALS = 3
_READ = _EXECUTE | _READ_FILE
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_SAFE_DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")


def version() -> int:
    """The version of the kernel's interface; 0 if there is none."""
    return max(_system_call(_CREATE, None, 0, _ASK_VERSION, check=False), 0)


def wall(
    readable: Iterable[str], hidden: Collection[str], writable: Iterable[str], listable: Iterable[str] = ()
) -> None:
    """Restrict this process, which must have set ``no_new_privs`` before.

    Args:
        readable: files and folders that can be read and executed.
        hidden: paths inside these that cannot be read; their names can still be listed.
        writable: folders in which everything except executing programs is allowed.
        listable: folders whose contents can be listed, as imports need.

    Raises:
        OSError: the kernel does not support Landlock, or only an older version.
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
    """Confine signals from this process to processes that it starts; returns whether the kernel supports it."""
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
    """The root, or the paths in it that are not hidden: rules can only allow, so they must leave hidden paths out."""
    inside = [path for path in hidden if path.is_relative_to(root)]
    if not inside:
        yield root
    elif root not in inside:
        for child in root.iterdir():
            if not child.is_symlink():  # a rule would apply to its target
                yield from _without(child, inside)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:  # removed meanwhile, or a broken link
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
