"""Inside a controller's process, before the controller: file system, privileges and limits.

Under ``bwrap`` the surroundings are made already. Under ``namespaces`` they are made here, with the system's own calls;
under ``rlimits`` there are none, but a guardian process stays as the parent of whatever loses its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import struct
from pathlib import Path
from typing import Any

from vgdl.competition.agents.isolation import MIB, SCRATCH, Level

# Numbers of Linux: sched.h, sys/mount.h, sys/prctl.h
_NEW_MOUNTS, _NEW_UTS, _NEW_IPC = 0x20000, 0x4000000, 0x8000000
_NEW_USER, _NEW_PIDS, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC = 1, 2, 4, 8
_REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 32, 4096, 16384, 1 << 18
_DETACH = 2
_MOUNT_SETATTR, _HERE, _AT_RECURSIVE = 442, -100, 0x8000
_SET_PDEATHSIG, _CAPBSET_DROP, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 24, 36, 38
_CAPABILITY_VERSION, _CAPABILITIES = 0x20080522, 64

_DEVICES = ("null", "zero", "full", "random", "urandom")
_SIGNALLED = 128
"""A guardian whose child was killed by a signal exits with this much plus the signal, as shells do."""


def enter(settings: dict[str, Any]) -> None:
    """Go into the surroundings of the level, and give up privileges; returns in the process of the controller.

    Args:
        settings: those of ``isolation.Sandbox.start``.

    Raises:
        OSError: the system does not allow it; nothing must run here then.
    """
    level = Level(settings["level"])
    if hasattr(os, "sched_setaffinity") and settings["core"] is not None:
        os.sched_setaffinity(0, [settings["core"]])
    if level is Level.NAMESPACES:
        _enter_namespaces(settings)
    elif level is Level.RLIMITS:
        _leave_guardian_behind()
    _limit(settings["restrictions"])
    if _is_linux():
        _drop_privileges()


def _limit(restrictions: dict[str, int]) -> None:
    file_bytes = restrictions["scratch_mb"] * MIB
    limits = {
        resource.RLIMIT_AS: restrictions["memory_mb"] * MIB,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 256,
    }
    for kind, most in limits.items():
        with contextlib.suppress(ValueError, OSError):  # a system may not know a limit, or have a lower one
            resource.setrlimit(kind, (most, most))


def _leave_guardian_behind() -> None:
    """Go on in a child; the parent adopts what the child leaves behind, and ends as the child does."""
    if _is_linux():
        _prctl(_SET_CHILD_SUBREAPER, 1)
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)  # a runner that is killed takes its controllers with it
    _continue_in_child()
    if _is_linux():
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def _enter_namespaces(settings: dict[str, Any]) -> None:
    user, group = os.getuid(), os.getgid()
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    _call("unshare", _NEW_USER | _NEW_MOUNTS | _NEW_PIDS | _NEW_NETWORK | _NEW_IPC | _NEW_UTS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _continue_in_child()  # the child is the first process of the new tree, and the tree ends with it
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    _build_file_system(settings)
    _continue_in_child()


def _build_file_system(settings: dict[str, Any]) -> None:
    """Make a root that holds what the view allows, read-only, and change to it."""
    base = settings["scratch"]
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    _mount("tmpfs", base, "tmpfs", _NOSUID | _NODEV, "size=4m,mode=755")
    for name in ("dev", "proc", SCRATCH.lstrip("/")):
        os.mkdir(f"{base}/{name}")
    _mount("tmpfs", base + SCRATCH, "tmpfs", _NOSUID | _NODEV, f"size={settings['restrictions']['scratch_mb']}m")
    _mount("proc", f"{base}/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    for name in _DEVICES:
        _bind(f"/dev/{name}", f"{base}/dev/{name}")
    for path in settings["view"]["readable"]:
        _bind(path, base + path)
        _call_system(_MOUNT_SETATTR, _HERE, (base + path).encode(), _AT_RECURSIVE, _read_only(), 32)
    for path in settings["view"]["hidden"]:
        if os.path.isdir(base + path):
            _mount("tmpfs", base + path, "tmpfs", _RDONLY | _NOSUID | _NODEV, "size=4k,mode=555")
        else:
            _mount("/dev/null", base + path, None, _BIND)
    _mount(None, base, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)
    os.chdir(base)
    _call("pivot_root", b".", b".")
    _call("umount2", b".", _DETACH)
    os.chdir(SCRATCH)


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()
    _mount(source, target, None, _BIND | _RECURSIVE)


def _drop_privileges() -> None:
    """Give up all capabilities for good, also for programs that are started later."""
    _prctl(_SET_NO_NEW_PRIVS, 1)
    for capability in range(_CAPABILITIES):
        with contextlib.suppress(OSError):  # beyond the last one, or not ours to drop
            _prctl(_CAPBSET_DROP, capability)
    _call("capset", struct.pack("<Ii", _CAPABILITY_VERSION, 0), bytes(24))


def _continue_in_child() -> None:
    """Fork and go on in the child only; the parent buries all that dies below it, and then ends like the child."""
    child = os.fork()
    if child == 0:
        return
    os.closerange(3, 256)  # the socket is the child's
    while True:
        with contextlib.suppress(ChildProcessError, InterruptedError):
            ended, status = os.wait()
            if ended == child:
                os._exit(_as_shell(status))


def _as_shell(status: int) -> int:
    return _SIGNALLED + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _read_only() -> bytes:
    return struct.pack("<QQQQ", _RDONLY | _NOSUID | _NODEV, 0, 0, 0)


def _is_linux() -> bool:
    return os.uname().sysname == "Linux"


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    encoded = [None if text is None else text.encode() for text in (source, target, kind, options)]
    _call("mount", *encoded[:3], ctypes.c_ulong(flags), encoded[3])


def _prctl(option: int, value: int) -> None:
    _call("prctl", option, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3)


def _call_system(number: int, *arguments: Any) -> None:
    _call("syscall", ctypes.c_long(number), *arguments)


def _call(name: str, *arguments: Any) -> None:
    """Call a function of the C library; raises ``OSError`` with its name if it fails."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
