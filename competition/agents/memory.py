"""Memory that is there before the game begins.

The first touch of a page costs a hundred times as much as any later one, since the kernel has to find and clear it, and
the host of a virtual machine, too, if the machine never used it before: 4 MiB took 4 to 22 ms of CPU time on such a
machine, and 0.12 ms from then on. A search that takes fresh memory in the last milliseconds of its budget is late. So
memory is touched once, is kept by the allocator, and is what controllers get when they ask for some.
"""

from __future__ import annotations

import contextlib
import ctypes
import resource

from vgdl.competition.agents.isolation import MIB

RESERVED = 31 * MIB
"""Bytes that are touched in advance; blocks of 32 MiB and more are never taken from what is kept."""

# Numbers of the GNU C library and of Linux: malloc.h, sys/mman.h
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
_MOST_KEPT = 32 * MIB
_NEVER = (1 << 31) - 1
_LOCK_CURRENT, _LOCK_ON_FAULT = 1, 4


def reserve() -> None:
    """Touch memory and have the allocator keep it; nothing happens where the C library is another one."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallopt"):
        return
    libc.mallopt(_MMAP_THRESHOLD, _MOST_KEPT)
    libc.mallopt(_TRIM_THRESHOLD, _NEVER)
    libc.mallopt(_TOP_PAD, 0)
    libc.malloc.restype = ctypes.c_void_p
    block = libc.malloc(ctypes.c_size_t(RESERVED))
    if block:
        ctypes.memset(block, 0, RESERVED)
        libc.free(ctypes.c_void_p(block))


def lock() -> None:
    """Keep what has been touched, code included, from being swapped out or dropped, where the limits allow that.

    All but the stack: a locked one cannot grow beyond the limit, which would end the process in a deep recursion.
    """
    with contextlib.suppress(OSError, AttributeError, ValueError):
        start, end = _stack()
        soft, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
        if soft != hard:
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (hard, hard))
        libc = ctypes.CDLL(None)
        libc.mlockall(_LOCK_CURRENT | _LOCK_ON_FAULT)
        libc.munlock(ctypes.c_void_p(start), ctypes.c_size_t(end - start))


def _stack() -> tuple[int, int]:
    """Where the stack begins and ends; raises ``OSError`` or ``ValueError`` if the system does not tell."""
    with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
        line = next((line for line in maps if line.endswith("[stack]\n")), "")
    start, _, end = line.partition(" ")[0].partition("-")
    return int(start, 16), int(end, 16)
