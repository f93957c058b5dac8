"""Set-up inside a controller's process: file system, user, privileges, limits and system calls.

With ``bwrap``, the namespaces and the file system already exist. With ``namespaces``, they are created here by system
calls; ``landlock`` and ``rlimits`` have none. At every level, a guardian process remains as the new parent of orphaned
processes; at the first two, it is the first process of a PID namespace.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import Any

from vgdl.competition.agents import landlock, memory
from vgdl.competition.agents.isolation import MIB, READ_ONLY_PROC, SCRATCH, Level
from vgdl.competition.agents.seccomp import Filter

# constants of Linux: sched.h, sys/mount.h, sys/prctl.h
_NEW_MOUNTS, _NEW_UTS, _NEW_IPC = 0x20000, 0x4000000, 0x8000000
_NEW_USER, _NEW_PIDS, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC = 1, 2, 4, 8
_REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 32, 4096, 16384, 1 << 18
_DETACH = 2
_MOUNT_SETATTR, _HERE, _AT_RECURSIVE = 442, -100, 0x8000
_SET_PDEATHSIG, _SET_DUMPABLE, _CAPBSET_DROP, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 4, 24, 36, 38
_CAPABILITY_VERSION, _CAPABILITIES = 0x20080522, 64

_SCRATCH_FLAGS = _NOSUID | _NODEV | _NOEXEC  # a program that cannot be read would be invisible to some clocks
_DEVICES = ("null", "full", "random", "urandom")
"""Not ``zero``: a shared mapping of it is memory that remains although no process has it in its page tables."""
_OWN_PROC = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")
"""Readable parts of a ``/proc`` that shows the whole machine: the process itself, and files that libraries need."""
_FILES_PER_MIB = 64
"""Files for each MiB of the scratch folder."""
_UNPRIVILEGED = 65534
"""The user and group ``nobody``, as which controllers run if the runner is root."""
_SIGNALLED = 128
"""Offset of a guardian's exit status if its child was killed by a signal, as in shells."""


def read_settings() -> dict[str, Any]:
    """Read the settings of ``isolation.Sandbox.start`` from standard input, which is empty from then on."""
    settings: dict[str, Any] = json.load(sys.stdin)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return settings


def enter(settings: dict[str, Any]) -> None:
    """Enter the isolation of the level, and drop privileges; returns in the process of the controller.

    Args:
        settings: those of ``isolation.Sandbox.start``.

    Raises:
        OSError: the system does not allow it; no controller must run then.
    """
    level = Level(settings["level"])
    for group in settings["groups"]:
        os.write(group, b"0")  # this process; its children belong to the group from the start
        os.close(group)
    if level is Level.NAMESPACES:
        _enter_namespaces(settings)
    elif level is Level.BWRAP:
        _mount_scratch(settings)
        _continue_in_child()
    else:
        _leave_guardian_behind()
    _limit(settings["restrictions"])
    memory.reserve()
    memory.lock()
    if _is_linux():
        if level.has_own_files and settings["is_root"]:
            _become_unprivileged()
        _drop_privileges()
        _close_in(level, settings)


def _close_in(level: Level, settings: dict[str, Any]) -> None:
    """Apply the restrictions that child processes inherit."""
    if level is Level.LANDLOCK:
        sight = settings["view"]
        landlock.wall([*sight["readable"], *_OWN_PROC], sight["hidden"], [settings["scratch"]], sight["listable"])
    has_wall = level is Level.LANDLOCK and landlock.version() >= landlock.SCOPES_VERSION
    signals_stay_inside = level.has_own_files or has_wall or landlock.confine_signals()
    families = {
        Level.LANDLOCK: (),  # Landlock does not cover sockets in the file system
        Level.RLIMITS: (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK),
    }
    Filter(
        families.get(level, (socket.AF_UNIX,)),
        signals_others=signals_stay_inside,
        file_attributes=level is not Level.LANDLOCK,
        shared_memory=settings["limits_memory"] or level is Level.RLIMITS,  # which leaves other ways to have it
    ).install()


def _limit(restrictions: dict[str, int]) -> None:
    file_bytes = restrictions["scratch_mb"] * MIB
    limits = {
        resource.RLIMIT_AS: restrictions["memory_mb"] * MIB,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_CORE: 1,  # with 0, the kernel would still run a program that receives core dumps
        resource.RLIMIT_NOFILE: 256,
    }
    for kind, most in limits.items():
        with contextlib.suppress(ValueError, OSError):  # the system may lack a limit, or have a lower one
            resource.setrlimit(kind, (most, most))


def _scratch_options(settings: dict[str, Any]) -> str:
    """Options of the scratch folder's file system: its size, and its number of files, which are kernel memory."""
    mebibytes = settings["restrictions"]["scratch_mb"]
    return f"size={mebibytes}m,nr_inodes={mebibytes * _FILES_PER_MIB},mode=1777"


def _mount_scratch(settings: dict[str, Any]) -> None:
    """Put a scratch folder in place of bubblewrap's, which can limit neither files nor execution."""
    if not settings["is_root"]:  # mounts need a user namespace that belongs to this process
        _new_user_namespace(_NEW_MOUNTS)
    shown = [path for path in settings["view"]["readable"] if Path(path).is_relative_to(SCRATCH)]
    handles = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in shown}
    _mount("tmpfs", SCRATCH, "tmpfs", _SCRATCH_FLAGS, _scratch_options(settings))
    for path, handle in handles.items():  # with their masks
        _bind(f"/proc/self/fd/{handle}", path)
        os.close(handle)
    os.chdir(SCRATCH)


def _leave_guardian_behind() -> None:
    """Continue in a child; the parent adopts orphans, and when the child ends, kills them and exits."""
    if _is_linux():
        _prctl(_SET_CHILD_SUBREAPER, 1)
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)  # if the runner is killed, so are its controllers
    _continue_in_child(ends_the_rest=_is_linux())


def _enter_namespaces(settings: dict[str, Any]) -> None:
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    spaces = _NEW_MOUNTS | _NEW_PIDS | _NEW_NETWORK | _NEW_IPC | _NEW_UTS
    if settings["is_root"]:  # needs no user namespace, and becomes another user in this one
        _call("unshare", spaces)
    else:
        _new_user_namespace(spaces)
    _continue_in_child()  # the child is the first process of the new PID namespace, which ends with it
    _build_file_system(settings)
    _continue_in_child()


def _new_user_namespace(others: int) -> None:
    """Enter a user namespace in which this user has all privileges, and other new namespaces."""
    user, group = os.getuid(), os.getgid()
    _call("unshare", others | _NEW_USER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _build_file_system(settings: dict[str, Any]) -> None:
    """Create a read-only root file system with what the view allows, and change to it."""
    base = settings["scratch"]
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    _mount("tmpfs", base, "tmpfs", _NOSUID | _NODEV, "size=4m,mode=755")
    for name in ("dev", "proc", SCRATCH.lstrip("/")):
        os.mkdir(f"{base}/{name}")
    _mount("tmpfs", base + SCRATCH, "tmpfs", _SCRATCH_FLAGS, _scratch_options(settings))
    _mount("proc", f"{base}/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    for name in READ_ONLY_PROC:
        _cover_read_only(f"{base}/proc/{name}")
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


def _cover_read_only(path: str) -> None:
    if os.path.exists(path):
        _mount(path, path, None, _BIND)
        _mount(None, path, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV | _NOEXEC)


def _become_unprivileged() -> None:
    os.setgroups([])
    os.setresgid(_UNPRIVILEGED, _UNPRIVILEGED, _UNPRIVILEGED)
    _drop_bounds()  # takes a capability that goes with the user
    os.setresuid(_UNPRIVILEGED, _UNPRIVILEGED, _UNPRIVILEGED)
    # a change of the user resets these two
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(_SET_DUMPABLE, 1)


def _drop_privileges() -> None:
    """Drop all capabilities permanently, also for programs that are started later."""
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _drop_bounds()
    _call("capset", struct.pack("<Ii", _CAPABILITY_VERSION, 0), bytes(24))


def _drop_bounds() -> None:
    for capability in range(_CAPABILITIES):
        with contextlib.suppress(OSError):  # beyond the last one, or not permitted
            _prctl(_CAPBSET_DROP, capability)


def _continue_in_child(*, ends_the_rest: bool = False) -> None:
    """Fork and continue in the child only; the parent reaps all processes below it, and exits when the child does.

    No process below can inspect the parent, whose system calls are not filtered.

    Args:
        ends_the_rest: whether the parent must kill processes left by the child; a PID namespace does that itself.
    """
    if _is_linux():
        _prctl(_SET_DUMPABLE, 0)
    child = os.fork()
    if child == 0:
        if _is_linux():
            _prctl(_SET_DUMPABLE, 1)
            _prctl(_SET_PDEATHSIG, signal.SIGKILL)
        return
    os.closerange(3, 256)  # the socket is the child's
    while True:
        with contextlib.suppress(InterruptedError):
            ended, status = os.wait()
            if ended == child:
                if ends_the_rest:
                    _end_the_rest()
                os._exit(_as_shell(status))


def _end_the_rest() -> None:
    """Kill all processes left below this one, which becomes the parent of orphans."""
    while True:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
            children = list(map(int, file.read().split()))
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


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
