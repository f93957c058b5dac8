"""A filter of system calls (seccomp) for a controller's process and everything it starts.

It allows the calls of ``system_calls.py``, some of them depending on their arguments, and refuses all others. What the
other restrictions do not cover is refused as well: memory that no process maps, access to other processes, changes of
the core or the priority chosen by the runner. Sockets can be created for allowed families only, which excludes AF_VSOCK
and other families that network namespaces do not isolate.

A refused call fails with EPERM, like one without the necessary privilege; programs see an ``OSError``. A call that is
newer than the list fails with ENOSYS, like on an older kernel, for which libraries are prepared. The filter cannot be
removed. The program is classic BPF, see ``Documentation/userspace-api/seccomp_filter.rst`` of Linux.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from vgdl.competition.agents.system_calls import (
    ALLOWED,
    AS_ON_OLDER_KERNELS,
    CHECKED,
    FILE_ATTRIBUTES,
    NEWEST,
    SIGNALS,
)

_COLUMN = {"x86_64": 0, "aarch64": 1, "riscv64": 1}
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "riscv64": 0xC00000F3}
_X32 = 0x40000000  # higher numbers are calls of another ABI

_INSTALL = (317, 277)
_NEW_NAMESPACES = 0x7E020080  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and NEWTIME
_SHARED_ANONYMOUS = 0x21  # MAP_SHARED and MAP_ANONYMOUS
_CREATES = 0o100  # O_CREAT
_OWNER_EXECUTES, _OWNER_READS = 0o100, 0o400
_FIFO, _FILE_TYPE = 0o010000, 0o170000

_FILE_COMMANDS = (0, 1, 2, 3, 4, 1024 + 3, 1024 + 6, 1024 + 8, 1024 + 10)
"""Of ``fcntl``: duplicate, get and set flags, get the size of a pipe, get seals. Not: locks, leases, signals, sizes."""
_LOCK_COMMANDS = (5, 6, 7, 36, 37, 38)
"""Of ``fcntl``: locks, with which processes that share a file could communicate, and which are kernel memory."""
_REFUSED_IOCTLS = (0x8901, 0x8902, 0x5412, 0x541C)
"""FIOSETOWN and SIOCSPGRP: signals to any process of the user when data arrive. TIOCSTI and TIOCLINUX: input of a
terminal, as if a person had typed it."""
_PROCESS_OPTIONS = (1, 2, 3, 4, 8, 15, 16, 21, 23, 27, 29, 30, 36, 37, 38, 39, 40, 41, 42, 47, 0x53564D41)
"""Of ``prctl``: parent-death signal, dumpable, name, timer slack, subreaper, huge pages, names of mappings, queries.
Not: core scheduling, which would change what runs beside the process."""

# BPF: a step is (code, jump if true, jump if false, operand); jumps are numbers of steps to skip
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_NUMBER, _ARCH, _ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _KILL_ALL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_SET_MODE_FILTER, _ALL_THREADS = 1, 1

_Step = tuple[int, int, int, int]
_ALLOWED: _Step = (_RETURN, 0, 0, _ALLOW)


class Unsupported(OSError):
    """There is no filter for this machine, or the kernel does not support filters."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a filter allows in addition to what all filters allow."""

    families: tuple[int, ...] = (socket.AF_UNIX,) if hasattr(socket, "AF_UNIX") else ()
    """Families of which sockets can be created; connected pairs are always allowed."""
    signals_others: bool = True  #: whether signals to other processes are allowed
    file_attributes: bool = True  #: whether modes, owners and times of files can be changed
    shared_memory: bool = True
    """Whether anonymous memory can be shared. It remains when no process maps it, or has it in its page tables, so
    only a control group can limit it."""

    def program(self, machine: str, pid: int) -> bytes:
        """The filter as a BPF program.

        Args:
            machine: as returned by ``platform.machine()``.
            pid: the process to filter, which may signal its own threads.

        Raises:
            Unsupported: the numbers of system calls on such a machine are not known here.
        """
        if machine not in _COLUMN:
            raise Unsupported(errno.ENOSYS, f"no filter of system calls is known for {machine}")
        column = _COLUMN[machine]
        steps = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, _ARCHITECTURE[machine]), (_RETURN, 0, 0, _KILL_ALL)]
        steps.append((_LOAD, 0, 0, _NUMBER))
        steps += [(_AT_LEAST, 0, 1, _X32), _fail(errno.ENOSYS)]
        for name, rule in self._rules(pid):
            if (number := CHECKED[name][column]) is not None:
                steps += [(_EQUAL, 0, len(rule), number), *rule]
        extra = (SIGNALS if self.signals_others else {}) | (FILE_ATTRIBUTES if self.file_attributes else {})
        for numbers in (*(numbers for group in ALLOWED.values() for numbers in group.values()), *extra.values()):
            if (number := numbers[column]) is not None:
                steps += [(_EQUAL, 0, 1, number), _ALLOWED]
        for numbers in AS_ON_OLDER_KERNELS.values():
            steps += [(_EQUAL, 0, 1, numbers[column] or 0), _fail(errno.ENOSYS)]
        steps += [(_AT_LEAST, 0, 1, NEWEST + 1), _fail(errno.ENOSYS), _fail(errno.EPERM)]
        return b"".join(struct.pack("<HBBI", *step) for step in steps)

    def _rules(self, pid: int) -> Iterator[tuple[str, list[_Step]]]:
        """For each call that is checked, the steps that decide about it."""
        yield "clone", [_argument(0), (_ANY_BIT, 0, 1, _NEW_NAMESPACES), _fail(errno.EPERM), _ALLOWED]
        yield "socket", _only(0, self.families, errno.EAFNOSUPPORT)
        yield "socketpair", _only(0, (1,), errno.EAFNOSUPPORT)
        own = [_ALLOWED] if self.signals_others else _only(0, (pid,), errno.EPERM)
        yield "kill", own
        yield "tgkill", own
        # limits of another process can be read only: the pointer to new ones must be null
        null = [step for half in (0, 4) for step in (_argument(2, half), (_EQUAL, 1, 0, 0), _fail(errno.EPERM))]
        yield "prlimit64", [_argument(0), (_EQUAL, 0, 1, 0), _ALLOWED, *null, _ALLOWED]
        shared = [_argument(3), (_AND, 0, 0, _SHARED_ANONYMOUS), (_EQUAL, 0, 1, _SHARED_ANONYMOUS), _fail(errno.EPERM)]
        yield "mmap", [_ALLOWED] if self.shared_memory else [*shared, _ALLOWED]
        yield "fcntl", _except(1, _LOCK_COMMANDS, errno.ENOLCK)[:-1] + _only(1, _FILE_COMMANDS, errno.EPERM)
        yield "flock", [_fail(errno.ENOLCK)]
        yield "ioctl", _except(1, _REFUSED_IOCTLS, errno.EPERM)
        yield "prctl", _only(0, _PROCESS_OPTIONS, errno.EINVAL)
        # a program that may be executed but not read would not be seen by all clocks
        if self.file_attributes:
            yield "chmod", _readable_mode(1)
            yield "fchmod", _readable_mode(1)
            yield "fchmodat", _readable_mode(2)
        else:
            for name in ("chmod", "fchmod", "fchmodat"):
                yield name, [_fail(errno.EPERM)]
        yield "creat", _readable_mode(1)
        yield "umask", [_argument(0), (_ANY_BIT, 0, 1, _OWNER_READS), _fail(errno.EPERM), _ALLOWED]
        for name, flags in (("open", 1), ("openat", 2)):
            yield name, [_argument(flags), (_ANY_BIT, 1, 0, _CREATES), _ALLOWED, *_readable_mode(flags + 1)]
        for name, mode in (("mknod", 1), ("mknodat", 2)):
            fifo = [(_AND, 0, 0, _FILE_TYPE), (_EQUAL, 1, 0, _FIFO), _fail(errno.EPERM), _ALLOWED]
            yield name, [_argument(mode), *fifo]

    def install(self) -> None:
        """Install the filter in this process, which must have set ``no_new_privs`` before.

        Raises:
            Unsupported: there is no filter for this machine, or the kernel does not support filters.
        """
        machine = platform.machine()
        program = self.program(machine, os.getpid())
        steps = ctypes.create_string_buffer(program, len(program))
        header = struct.pack("@HP", len(program) // 8, ctypes.addressof(steps))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syscall(ctypes.c_long(_INSTALL[_COLUMN[machine]]), _SET_MODE_FILTER, _ALL_THREADS, header):
            number = ctypes.get_errno()
            raise Unsupported(number, f"seccomp: {os.strerror(number)}")


def _only(place: int, allowed: Collection[int], error: int) -> list[_Step]:
    """Allow a call with one of these arguments (lower 32 bits), and let it fail with any other."""
    tests = [(_EQUAL, len(allowed) - index, 0, value) for index, value in enumerate(allowed)]
    return [_argument(place), *tests, _fail(error), _ALLOWED]


def _except(place: int, refused: Collection[int], error: int) -> list[_Step]:
    """Let a call fail with one of these arguments (lower 32 bits), and allow it with any other."""
    tests = [step for value in refused for step in ((_EQUAL, 0, 1, value), _fail(error))]
    return [_argument(place), *tests, _ALLOWED]


def _readable_mode(place: int) -> list[_Step]:
    """Allow a call unless the mode of a file in its arguments lets its owner execute it but not read it."""
    return [
        _argument(place),
        (_AND, 0, 0, _OWNER_EXECUTES | _OWNER_READS),
        (_EQUAL, 0, 1, _OWNER_EXECUTES),
        _fail(errno.EPERM),
        _ALLOWED,
    ]


def _argument(place: int, half: int = 0) -> _Step:
    return (_LOAD, 0, 0, _ARGUMENT + 8 * place + half)


def _fail(error: int) -> _Step:
    return (_RETURN, 0, 0, _FAIL | error)
