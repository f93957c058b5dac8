"""A filter of system calls (seccomp) for a controller's process and everything it starts.

It refuses calls that no controller needs and that other restrictions do not cover: memory that no process maps (memfd,
System V), calls that increase the kernel's attack surface (io_uring, bpf, userfaultfd, new namespaces, mounts),
inspecting other processes (ptrace), and changing the core or the priority chosen by the runner. Sockets can be created
for allowed families only, which excludes AF_VSOCK and other families that network namespaces do not isolate.

A refused call fails with EPERM, like one without the necessary privilege; programs see an ``OSError``. The filter
cannot be removed. The program is classic BPF, see ``Documentation/userspace-api/seccomp_filter.rst`` of Linux.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
from collections.abc import Collection
from dataclasses import dataclass

REFUSED = {
    # memory that no process maps, and queues
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mq_open": (240, 180),
    "msgctl": (71, 187),
    "msgget": (68, 186),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "semctl": (66, 191),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "shmget": (29, 194),
    # other processes
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    # another core, priority or memory node than the runner's choice
    "ioprio_set": (251, 30),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "setpriority": (141, 140),
    # namespaces and mounts
    "chroot": (161, 51),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "pivot_root": (155, 41),
    "setns": (308, 268),
    "umount2": (166, 39),
    "unshare": (272, 97),
    # large parts of the kernel
    "bpf": (321, 280),
    "fanotify_init": (300, 262),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "modify_ldt": (154, None),
    "personality": (135, 92),
    "userfaultfd": (323, 282),
    "vmsplice": (278, 75),
    # the machine
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "init_module": (175, 105),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "vhangup": (153, 58),
}
"""Refused calls, with their numbers on x86-64 and on all newer machines; None if there is no such call."""

SIGNALS = {
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "tkill": (200, 130),
}
"""Calls besides ``kill`` and ``tgkill`` that can signal any process of the same user."""

FILE_ATTRIBUTES = {
    "chmod": (90, None),
    "chown": (92, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "file_setattr": (469, 469),
    "fremovexattr": (199, 16),
    "fsetxattr": (190, 7),
    "futimesat": (261, None),
    "lchown": (94, None),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "utime": (132, None),
    "utimensat": (280, 88),
    "utimes": (235, None),
}
"""Calls that change modes, owners, times and extended attributes of files, which Landlock does not cover."""

_CLONE, _CLONE3, _KILL, _TGKILL = (56, 220), (435, 435), (62, 129), (234, 131)
_SOCKET, _SOCKETPAIR, _INSTALL = (41, 198), (53, 199), (317, 277)
_NEW_NAMESPACES = 0x7E020080  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and NEWTIME

_COLUMN = {"x86_64": 0, "aarch64": 1, "riscv64": 1}
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "riscv64": 0xC00000F3}
_X32 = 0x40000000  # higher numbers are calls of another ABI

# BPF: a step is (code, jump if true, jump if false, operand); jumps are numbers of steps to skip
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _KILL_ALL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_SET_MODE_FILTER, _ALL_THREADS = 1, 1

_Step = tuple[int, int, int, int]


class Unsupported(OSError):
    """There is no filter for this machine, or the kernel does not support filters."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a filter allows in addition to what all filters allow."""

    families: tuple[int, ...] = (socket.AF_UNIX,) if hasattr(socket, "AF_UNIX") else ()
    """Families of which sockets can be created; connected pairs are always allowed."""
    signals_others: bool = True  #: whether signals to other processes are allowed
    file_attributes: bool = True  #: whether modes, owners and times of files can be changed

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
        signals = {} if self.signals_others else SIGNALS
        attributes = {} if self.file_attributes else FILE_ATTRIBUTES
        for numbers in (REFUSED | signals | attributes).values():
            if (number := numbers[column]) is not None:
                steps += [(_EQUAL, 0, 1, number), _fail(errno.EPERM)]
        # the C library falls back to clone, whose flags can be checked: those of clone3 are in memory
        steps += [(_EQUAL, 0, 1, _CLONE3[column]), _fail(errno.ENOSYS)]
        steps += [(_EQUAL, 0, 4, _CLONE[column]), _argument(0), (_ANY_BIT, 0, 1, _NEW_NAMESPACES), _fail(errno.EPERM)]
        steps += [(_RETURN, 0, 0, _ALLOW)]
        steps += _only(_SOCKET[column], self.families, errno.EAFNOSUPPORT)
        steps += _only(_SOCKETPAIR[column], (1,), errno.EAFNOSUPPORT)
        if not self.signals_others:
            steps += _only(_KILL[column], (pid,), errno.EPERM) + _only(_TGKILL[column], (pid,), errno.EPERM)
        steps.append((_RETURN, 0, 0, _ALLOW))
        return b"".join(struct.pack("<HBBI", *step) for step in steps)

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


def _only(number: int, allowed: Collection[int], error: int) -> list[_Step]:
    """Allow a call with one of these first arguments (lower 32 bits), and let it fail with any other."""
    tests = [(_EQUAL, len(allowed) - place, 0, value) for place, value in enumerate(allowed)]
    return [(_EQUAL, 0, len(allowed) + 3, number), _argument(0), *tests, _fail(error), (_RETURN, 0, 0, _ALLOW)]


def _argument(place: int) -> _Step:
    return (_LOAD, 0, 0, _ARGUMENT + 8 * place)


def _fail(error: int) -> _Step:
    return (_RETURN, 0, 0, _FAIL | error)
