"""Cores for plays: each play, or each player, has one of its own, also beside another competition on the machine."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # a system without locks of this kind has no cores to pin to either
    fcntl = None  # type: ignore[assignment]


class TooFewCores(ValueError):
    """More plays at a time were asked for than there are cores."""


def available() -> tuple[int, ...]:
    """Numbers of the cores that this process may use; empty on systems that pin nothing."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()


def require(count: int) -> None:
    """See that there are so many cores.

    Raises:
        TooFewCores: there are not.
    """
    most = len(available()) or os.cpu_count() or 1
    if count > most:
        raise TooFewCores(f"{count} plays at a time need {count} cores, and there are {most}: ask for --jobs {most}")


@dataclass(slots=True)
class Claim:
    """Some cores, ours until ``release``; None stands for whichever core the system chooses."""

    cores: tuple[int | None, ...]
    shared: tuple[int, ...] = ()  #: those of them that another competition has as well
    plays: int = 0  #: how many plays share them; 0 for one play per core
    _locks: list[IO[bytes]] = field(default_factory=list)

    @property
    def groups(self) -> list[tuple[int | None, ...]]:
        """The cores of each play."""
        plays = self.plays or len(self.cores)
        return [self.cores[play::plays] for play in range(plays)]

    def release(self) -> None:
        """Give the cores back."""
        for lock in self._locks:
            lock.close()


def claim(plays: int, players: int = 1) -> Claim:
    """Claim cores, those first that no other competition on this machine has.

    Args:
        plays: at a time, each with a core of its own.
        players: of a play; each gets a core of its own if there are enough.

    Raises:
        TooFewCores: there are fewer cores than plays.
    """
    require(plays)
    cores = available()
    count = plays * players if plays * players <= len(cores) else plays
    if not cores:
        return Claim((None,) * count, plays=plays)
    locks = {core: lock for core in reversed(cores) if (lock := _lock(core)) is not None}
    free = list(locks)[:count]
    shared = [core for core in cores if core not in locks][: count - len(free)]
    for core in set(locks) - set(free):
        locks.pop(core).close()
    return Claim((*free, *shared), tuple(shared), plays, list(locks.values()))


def busy_share(cores: Sequence[int | None], seconds: float = 0.3) -> float:
    """How much of the time the busiest of some cores works for others, 0 ... 1, measured for so long by an idle us."""
    before = _idle_ticks()
    time.sleep(seconds)
    after = _idle_ticks()
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    shares = [1 - (after[core] - before[core]) / ticks for core in cores if core in after]
    return max(0.0, *shares) if shares else 0.0


def _lock(core: int) -> IO[bytes] | None:
    """The machine-wide lock of a core, None if someone has it; the system drops it when its owner ends, however."""
    path = Path(tempfile.gettempdir()) / f"vgdl-core-{os.getuid()}-{core}.lock"
    try:
        file = path.open("ab")
    except OSError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file
    file.close()
    return None


def _idle_ticks() -> dict[int | None, int]:
    """Clock ticks that each core has idled (waiting for disks included)."""
    try:
        lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    rows = [line.split() for line in lines if line.startswith("cpu") and line[3].isdigit()]
    return {int(row[0][3:]): int(row[4]) + int(row[5]) for row in rows}
