"""Warnings about this machine, before the first play."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from vgdl.competition.agents import cores, cpu_clock
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.service import Clock
from vgdl.competition.progress import BUSY
from vgdl.registry import Entry

_WEAK = (
    "WEAK ISOLATION (rlimits): controllers can read and write the user's files and use the network. "
    "Play only controllers you trust, or install bubblewrap"
)
_INEXACT = (
    "INEXACT CLOCK (procfs): a controller can hide CPU time in children that it does not wait for. "
    "Play only controllers you trust, or set sysctl kernel.perf_event_paranoid=2"
)


def warn_if_weak(clock: Clock, sandbox: Sandbox, errors: Console) -> None:
    """Warn if controllers are only weakly isolated, or their CPU time is not measured exactly."""
    if sandbox.level.is_weak:
        errors.print(_WEAK, style="bold red", highlight=False)
    if clock is Clock.CPU and not cpu_clock.best_source().is_exact:
        errors.print(_INEXACT, style="bold red", highlight=False)


def warn_if_home_is_shown(entries: Iterable[Entry], sandbox: Sandbox, errors: Console) -> None:
    """Warn if a controller can read the home folder, because it is the controller's package or Python needs it."""
    for entry in entries:
        if sandbox.view.of(entry.location).shows_home and not sandbox.level.is_weak:
            text = f"{entry.name} sees your home folder: give its file, or PYTHONPATH, a folder of its own"
            errors.print(text, style="bold red", highlight=False)


def warn_if_busy(claim: cores.Claim, errors: Console) -> None:
    """Warn if other processes use the cores on which plays will run."""
    if claim.shared:
        text = f"another competition on this machine uses core {', '.join(map(str, claim.shared))} as well"
        errors.print(text, style="bold yellow", highlight=False)
    busy = cores.busy_share(claim.cores)
    if busy > BUSY:
        text = f"this machine is busy: before the first play, {busy:.0%} of a core that plays need was in use by others"
        errors.print(text, style="bold yellow", highlight=False)
