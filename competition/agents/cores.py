"""Cores for plays: one for each play or player, even if another competition runs on the machine."""

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
except ImportError:  # systems without such locks do not pin processes to cores either
    fcntl = None  # type: ignore[assignment]


class TooFewCores(ValueError):
    """More concurrent plays were requested than there are cores."""


def available() -> tuple[int, ...]:
    """Numbers of the cores that this process may use; empty on systems without pinning."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()


def require(count: int, option: str = "--jobs") -> None:
    """Check that there are at least ``count`` cores.

    Args:
        count: of plays in parallel.
        option: of the command line that gives their number.

    Raises:
        TooFewCores: there are fewer.
    """
    most = len(available()) or os.cpu_count() or 1
    if count > most:
        needed = f"{count} plays in parallel need {count} cores"
        raise TooFewCores(f"{needed}, and there are {most}: ask for {option} {most}")


@dataclass(slots=True)
class Claim:
    """Cores reserved until ``release``; None stands for any core that the system chooses."""

    cores: tuple[int | None, ...]
    shared: tuple[int, ...] = ()  #: those that another competition uses as well
    plays: int = 0  #: number of plays that share them; 0 for one play per core
    _locks: list[IO[bytes]] = field(default_factory=list)

    @property
    def groups(self) -> list[tuple[int | None, ...]]:
        """The cores of each play."""
        plays = self.plays or len(self.cores)
        return [self.cores[play::plays] for play in range(plays)]

    def release(self) -> None:
        """Release the cores."""
        for lock in self._locks:
            lock.close()


def claim(plays: int, players: int = 1) -> Claim:
    """Reserve cores, those that no other competition on this machine uses first.

    Args:
        plays: number of concurrent plays, each with a core of its own.
        players: number of players of a play; each gets a core of its own if there are enough.

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
    """Load of the busiest of some cores by other processes, from 0 to 1; this process sleeps while measuring it."""
    before = _idle_ticks()
    time.sleep(seconds)
    after = _idle_ticks()
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    shares = [1 - (after[core] - before[core]) / ticks for core in cores if core in after]
    return max(0.0, *shares) if shares else 0.0


def _lock(core: int) -> IO[bytes] | None:
    """The machine-wide lock of a core; None if it is taken. The system releases it when its owner ends in any way."""
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
    """Clock ticks for which each core was idle, including time waiting for disks."""
    try:
        lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    rows = [line.split() for line in lines if line.startswith("cpu") and line[3].isdigit()]
    return {int(row[0][3:]): int(row[4]) + int(row[5]) for row in rows}
