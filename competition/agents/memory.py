"""Memory that is allocated before the game begins.

The first access to a page costs a hundred times as much as any later one, because the kernel has to find and clear the
page, and so does the host of a virtual machine that has never used it: on such a machine, 4 MiB took 4 to 22 ms of CPU
time at first and 0.12 ms from then on. A search that gets fresh memory in the last milliseconds of its budget is late.
So memory is touched in advance and kept by the allocator, from which controllers then get it.
"""

from __future__ import annotations

import contextlib
import ctypes
import resource

from vgdl.competition.agents.isolation import MIB

RESERVED = 31 * MIB
"""Bytes touched in advance; blocks of 32 MiB and more are never allocated from them."""

# constants of the GNU C library and of Linux: malloc.h, sys/mman.h
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
_MOST_KEPT = 32 * MIB
_NEVER = (1 << 31) - 1
_LOCK_CURRENT, _LOCK_ON_FAULT = 1, 4


def reserve() -> None:
    """Touch memory and make the allocator keep it; does nothing with other C libraries."""
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
    """Keep all touched memory, including code, from being swapped out or dropped, where the limits allow it.

    The stack is excluded: a locked stack cannot grow beyond the limit, so a deep recursion would end the process.
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
    """Start and end of the stack; raises ``OSError`` or ``ValueError`` if the system does not report them."""
    with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
        line = next((line for line in maps if line.endswith("[stack]\n")), "")
    start, _, end = line.partition(" ")[0].partition("-")
    return int(start, 16), int(end, 16)
