"""The filter of system calls decides the same on all machines, and its numbers are those of the kernel."""

from __future__ import annotations

import errno
import re
import socket
import struct
from pathlib import Path

import pytest

from vgdl.competition.agents import system_calls
from vgdl.competition.agents.seccomp import Filter, Unsupported

MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1), "riscv64": (0xC00000F3, 1)}
HEADERS = (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm-generic/unistd.h"))
PID = 4242
ALLOWED = 0
KILLED = -1
TABLE = {
    name: numbers
    for table in (
        *system_calls.ALLOWED.values(),
        system_calls.CHECKED,
        system_calls.SIGNALS,
        system_calls.FILE_ATTRIBUTES,
        system_calls.AS_ON_OLDER_KERNELS,
    )
    for name, numbers in table.items()
}


def decide(program: bytes, architecture: int, number: int, arguments: tuple[int, ...]) -> int:
    """Run a filter as the kernel does: 0 if it allows a call, otherwise the error that it gives, or `KILLED`."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", number, architecture, 0, *padded)
    steps = list(struct.iter_unpack("<HBBI", program))
    place = accumulator = 0
    while True:
        code, if_true, if_false, operand = steps[place]
        place += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, operand)
        elif code == 0x54:
            accumulator &= operand
        elif code == 0x06:
            results: dict[int, int] = {0x7FFF0000: ALLOWED, 0x80000000: KILLED, 0x00050000: operand & 0xFFFF}
            return results[operand & 0xFFFF0000]
        else:
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[code]
            place += if_true if holds else if_false


def verdict(filter_: Filter, machine: str, name: str | int, *arguments: int) -> int:
    """The decision about a call by name, or by number."""
    architecture, column = MACHINES[machine]
    number = name if isinstance(name, int) else TABLE[name][column]
    assert number is not None
    return decide(filter_.program(machine, PID), architecture, number, arguments)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "decision"),
    [
        ("read", (3,), ALLOWED),
        ("clone", (0x01200011,), ALLOWED),
        ("clone", (0x10000011,), errno.EPERM),  # CLONE_NEWUSER
        ("clone3", (), errno.ENOSYS),  # its flags are in memory
        ("openat2", (), errno.ENOSYS),
        ("prlimit64", (0, 7, 0x7F0000001000, 0), ALLOWED),
        ("prlimit64", (PID + 1, 7, 0, 0x7F0000001000), ALLOWED),
        ("prlimit64", (PID + 1, 7, 0x7F0000001000, 0), errno.EPERM),
        ("prlimit64", (PID + 1, 7, 0x7F00000000, 0), errno.EPERM),  # the lower half of the pointer is null
        ("socket", (socket.AF_UNIX,), ALLOWED),
        ("socket", (2,), errno.EAFNOSUPPORT),
        ("socketpair", (1,), ALLOWED),
        ("fcntl", (3, 1), ALLOWED),
        ("fcntl", (3, 6), errno.ENOLCK),
        ("fcntl", (3, 37), errno.ENOLCK),
        ("fcntl", (3, 10), errno.EPERM),  # F_SETSIG
        ("fcntl", (3, 1031), errno.EPERM),  # F_SETPIPE_SZ
        ("flock", (3, 2), errno.ENOLCK),
        ("ioctl", (3, 0x5401), ALLOWED),
        ("ioctl", (3, 0x8901), errno.EPERM),
        ("ioctl", (0, 0x5412), errno.EPERM),  # TIOCSTI
        ("prctl", (15,), ALLOWED),
        ("prctl", (62,), errno.EINVAL),  # PR_SCHED_CORE
        ("mmap", (0, 4096, 3, 0x22), ALLOWED),
        ("mmap", (0, 4096, 3, 0x01), ALLOWED),
        ("mmap", (0, 4096, 3, 0x21), ALLOWED),
        ("fchmodat", (-100 & 0xFFFFFFFF, 0x1000, 0o755), ALLOWED),
        ("fchmodat", (-100 & 0xFFFFFFFF, 0x1000, 0o111), errno.EPERM),
        ("openat", (-100 & 0xFFFFFFFF, 0x1000, 0, 0), ALLOWED),
        ("openat", (-100 & 0xFFFFFFFF, 0x1000, 0o102, 0o644), ALLOWED),
        ("openat", (-100 & 0xFFFFFFFF, 0x1000, 0o102, 0o311), errno.EPERM),
        ("umask", (0o22,), ALLOWED),
        ("umask", (0o400,), errno.EPERM),
        ("mknodat", (-100 & 0xFFFFFFFF, 0x1000, 0o010600), ALLOWED),
        ("mknodat", (-100 & 0xFFFFFFFF, 0x1000, 0o100111), errno.EPERM),
        ("timer_create", (), errno.ENOSYS),
        (500, (), errno.ENOSYS),  # a call that does not exist yet
        (447, (), errno.EPERM),  # memfd_secret
    ],
)
def test_a_call_is_decided_by_its_arguments(
    machine: str, name: str | int, arguments: tuple[int, ...], decision: int
) -> None:
    assert verdict(Filter(), machine, name, *arguments) == decision


@pytest.mark.parametrize("machine", MACHINES)
def test_levels_refuse_more(machine: str) -> None:
    strict = Filter((), signals_others=False, file_attributes=False, shared_memory=False)
    assert verdict(strict, machine, "socket", socket.AF_UNIX) == errno.EAFNOSUPPORT
    assert verdict(strict, machine, "kill", PID) == ALLOWED
    assert verdict(strict, machine, "kill", PID + 1) == errno.EPERM
    assert verdict(strict, machine, "pidfd_send_signal", 3) == errno.EPERM
    assert verdict(strict, machine, "fchmodat", 3, 0x1000, 0o644) == errno.EPERM
    assert verdict(strict, machine, "utimensat") == errno.EPERM
    assert verdict(strict, machine, "mmap", 0, 4096, 3, 0x21) == errno.EPERM
    assert verdict(strict, machine, "mmap", 0, 4096, 3, 0x22) == ALLOWED


def test_all_machines_decide_alike_about_every_call_that_they_have() -> None:
    for name, (first, second) in TABLE.items():
        if first is not None and second is not None:
            assert len({verdict(Filter(), machine, name) for machine in MACHINES}) == 1, name


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_other_kinds_of_programs_end_the_process(machine: str) -> None:
    """Their numbers mean other calls."""
    assert decide(Filter().program(machine, PID), 0x40000003, 1, ()) == KILLED


def test_no_filter_is_made_up_for_an_unknown_machine() -> None:
    with pytest.raises(Unsupported, match="sparc64"):
        Filter().program("sparc64", PID)


@pytest.mark.parametrize("column", [0, 1])
def test_numbers_are_those_of_the_kernel(column: int) -> None:
    if not HEADERS[column].exists():
        pytest.skip(f"{HEADERS[column]} is not installed")
    lines = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", HEADERS[column].read_text())
    numbers = {name: int(number) for name, number in lines} | ({"newfstatat": 79} if column else {})
    newer = {name for name, pair in TABLE.items() if (pair[column] or 0) > max(numbers.values())}
    assert {name: pair[column] for name, pair in TABLE.items() if name not in newer} == {
        name: numbers.get(name) for name in TABLE if name not in newer
    }
