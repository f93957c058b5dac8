"""The command ``vgdl-compete``."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from vgdl import VGDLError, VGDLRuntimeError
from vgdl.competition import cores, cpu_clock, options, seeds, standings
from vgdl.competition.game_set import find_set, folder_set
from vgdl.competition.isolation import Restrictions, Sandbox
from vgdl.competition.plan import Boards, Plan, fixtures
from vgdl.competition.progress import BUSY, Display
from vgdl.competition.protocol import Clock, Protocol, with_budget, with_construction
from vgdl.competition.ray_backend import ClusterFailed, RayBackend
from vgdl.competition.report import command as report
from vgdl.competition.runner import Competition, PlayRecord
from vgdl.competition.session import Backend, LocalBackend, hiding, run, sandbox_for
from vgdl.competition.store import Store, StoreError
from vgdl.controllers import registry

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""

FAILED = 1
"""Exit status if the competition could not go on; what was finished is in the store."""

_WEAK = (
    "WEAK ISOLATION (rlimits): controllers can read and write the user's files and use the network. "
    "Play only controllers you trust, or install bubblewrap"
)
_INEXACT = (
    "INEXACT CLOCK (procfs): a controller can hide CPU time in children that nobody waits for. "
    "Play only controllers you trust, or set sysctl kernel.perf_event_paranoid=2"
)

COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {"standings": standings.main, "report": report.main}
"""Commands besides playing, by the word that calls them; each takes the arguments after it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0, 1 if it broke off, 2 for wrong arguments, 130 after Ctrl-C."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in COMMANDS:
        return COMMANDS[words[0]](words[1:])
    parser = options.parser(tuple(COMMANDS))
    chosen = parser.parse_args(words)
    try:
        options.check(parser, chosen)
        with _handling(signal.SIGTERM, signal.default_int_handler):  # what stops a service stops as cleanly as Ctrl-C
            return _compete(chosen)
    except (ValueError, OSError, ImportError, VGDLError, VGDLRuntimeError) as error:
        parser.error(str(error))
    except (StoreError, ClusterFailed) as error:
        print(f"vgdl-compete: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _compete(chosen: argparse.Namespace) -> int:
    """Open or make the store, play, and show what came out."""
    errors = Console(stderr=True)
    if chosen.backend == "local":
        cores.require(chosen.jobs)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(Store.open(Path(chosen.resume))) if chosen.resume else None
        plan = store.plan if store else _plan(chosen)
        boards = Boards(plan)
        sandbox = sandbox_for(plan, chosen.isolation)
        _warn_if_weak(plan, sandbox, errors)
        if store is None:  # only now: what cannot be played leaves no file behind
            path = Path(chosen.store) if chosen.store else None
            store = stack.enter_context(Store.create(path, plan, boards, len(fixtures(plan, boards))))
        store.check_unchanged(boards)
        folder = _folder(chosen.replays)
        competition = Competition(plan, hiding(sandbox, plan, _hidden(chosen)), boards)
        try:
            complete = _play(chosen, competition, store, folder, errors)
        except (StoreError, ClusterFailed) as error:
            standings.show(store, chosen.json, chosen.csv)
            print(f"vgdl-compete: {error}", file=sys.stderr)
            return FAILED
        with _deaf_to_interrupts() if not complete else contextlib.nullcontext():
            standings.show(store, chosen.json, chosen.csv)
    return 0 if complete else INTERRUPTED


def _warn_if_weak(plan: Plan, sandbox: Sandbox, errors: Console) -> None:
    if sandbox.level.is_weak:
        errors.print(_WEAK, style="bold red", highlight=False)
    if plan.protocol.clock is Clock.CPU and cpu_clock.best_source() is not cpu_clock.Source.PERF:
        errors.print(_INEXACT, style="bold red", highlight=False)


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let a Ctrl-C that was pressed twice not spoil what the first one brings about."""
    with _handling(signal.SIGINT, signal.SIG_IGN), _handling(signal.SIGTERM, signal.SIG_IGN):
        yield


@contextlib.contextmanager
def _handling(number: signal.Signals, handler: Any) -> Iterator[None]:
    """Handle a signal in another way for a while; threads besides the main one cannot, and leave it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def _plan(chosen: argparse.Namespace) -> Plan:
    """The plan that the options describe; raises ``ValueError`` or ``OSError`` with a message for the user."""
    game_set = folder_set(Path(chosen.set_dir)) if chosen.set_dir else find_set(chosen.set)
    return Plan(
        entries=tuple(_entries(chosen.controllers)),
        game_set=game_set.only(chosen.games) if chosen.games else game_set,
        levels=tuple(chosen.levels) if chosen.levels else None,
        repeats=chosen.repeats,
        protocol=_protocol(chosen),
        restrictions=Restrictions(chosen.memory, chosen.processes, chosen.scratch),
        secret=seeds.fresh_secret() if chosen.seed is None else chosen.seed,
    )


def _protocol(chosen: argparse.Namespace) -> Protocol:
    if chosen.clock == Clock.CALLS and not chosen.budget.startswith("calls"):
        raise ValueError("--clock calls needs the number of calls: --budget calls:900")
    clock = Clock(chosen.clock) if chosen.clock and chosen.clock != Clock.CALLS else Clock.CPU
    protocol = with_budget(replace(Protocol(), clock=clock), chosen.budget)
    if chosen.construction:
        protocol = with_construction(protocol, chosen.construction)
    if protocol.clock is Clock.CPU and not cpu_clock.can_measure():
        raise ValueError("CPU times can be measured from outside on Linux only; use --clock wall or --budget calls:900")
    return protocol


def _entries(names: list[str]) -> list[registry.Entry]:
    entries = [registry.find(name) for name in names]
    called = [entry.ranking_name for entry in entries]
    for name in called:
        if called.count(name) > 1:
            raise ValueError(f"two of the controllers are called {name}; the ranking could not tell them apart")
    return entries


def _hidden(chosen: argparse.Namespace) -> list[Path]:
    """Files of the competition that controllers must not see."""
    store = chosen.store or chosen.resume
    stores = [Path(store + ending) for ending in ("", "-wal", "-shm")] if store else []
    return stores + [Path(file) for file in (chosen.replays, chosen.set_dir) if file]


def _play(
    chosen: argparse.Namespace, competition: Competition, store: Store, folder: Path | None, errors: Console
) -> bool:
    """Play what is left, with a display on the standard error stream; returns whether all is done."""
    facts = {"isolation": _facts(competition.sandbox), "jobs": chosen.jobs, "backend": chosen.backend}
    display = Display(errors, store.total, store.results(), quiet=chosen.quiet)

    def show(record: PlayRecord) -> None:
        display.add(record.result, record.seconds, record.waited_ms)

    with _backend(chosen, competition, errors) as backend, display:
        return run(competition, store, backend, facts, replays=folder, on_play=show)


@contextlib.contextmanager
def _backend(chosen: argparse.Namespace, competition: Competition, errors: Console) -> Iterator[Backend]:
    """Where to play, with cores that are ours for so long."""
    if chosen.backend == "ray":
        yield RayBackend(competition, chosen.jobs, chosen.ray_address, hidden=_hidden(chosen))
        return
    claim = cores.claim(chosen.jobs)
    try:
        if not chosen.quiet:
            _warn_if_busy(claim, errors)
        yield LocalBackend(competition, claim)
    finally:
        claim.release()


def _warn_if_busy(claim: cores.Claim, errors: Console) -> None:
    if claim.shared:
        text = f"another competition on this machine uses core {', '.join(map(str, claim.shared))} as well"
        errors.print(text, style="bold yellow", highlight=False)
    busy = cores.busy_share(claim.cores)
    if busy > BUSY:
        text = f"this machine is busy: before the first play, {busy:.0%} of a core that plays need was in use by others"
        errors.print(text, style="bold yellow", highlight=False)


def _facts(sandbox: Sandbox) -> dict[str, Any]:
    return {"level": sandbox.level, "weak": sandbox.level.is_weak}


def _folder(name: str | None) -> Path | None:
    if name is None:
        return None
    folder = Path(name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    sys.exit(main())
