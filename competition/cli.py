"""The command ``vgdl-compete``."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from vgdl.competition import options
from vgdl.competition.agents import cores, scratch
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.contest import notices
from vgdl.competition.contest.plan import Boards, fixtures
from vgdl.competition.contest.progress import SHOWN, Display
from vgdl.competition.contest.ray_backend import ClusterFailed, RayBackend
from vgdl.competition.contest.runner import Competition, PlayRecord
from vgdl.competition.contest.session import Backend, LocalBackend, hiding, run, sandbox_for
from vgdl.competition.errors import using
from vgdl.competition.interrupts import INTERRUPTED, handling
from vgdl.competition.report import command as report
from vgdl.competition.results import standings
from vgdl.competition.results.scoring import standings as ranked
from vgdl.competition.results.store import Store, StoreError
from vgdl.competition.submissions import commands as submissions
from vgdl.competition.web.database import is_site

FAILED = 1
"""Exit status if the competition had to be abandoned; finished plays are in the store."""


def _track(name: str) -> Callable[[Sequence[str]], int]:
    """The command of a track; its modules are imported only when it is called."""

    def run_track(arguments: Sequence[str]) -> int:
        command: Callable[[Sequence[str]], int] = importlib.import_module(
            f"vgdl.competition.tracks.{name}.command"
        ).main
        return command(arguments)

    return run_track


def _site(module: str, function: str = "main") -> Callable[[Sequence[str]], int]:
    """A command of the competition site; its modules are imported only when it is called."""

    def run_site(arguments: Sequence[str]) -> int:
        command: Callable[[Sequence[str]], int] = getattr(
            importlib.import_module(f"vgdl.competition.web.{module}"), function
        )
        return command(arguments)

    return run_site


def _submit(arguments: Sequence[str]) -> int:
    """Submit an entry to a site, or to the queue of a store on this machine."""
    to_site = any(word.partition("=")[0] == "--site" for word in arguments)
    return _site("command", "submit_to_site")(arguments) if to_site else submissions.submit(arguments)


def _work(arguments: Sequence[str]) -> int:
    """Work through the queue of a site or of a results store, depending on what the store is."""
    finder = options.Parser(add_help=False, allow_abbrev=False)
    finder.add_argument("--store", nargs="?", default="")
    store = finder.parse_known_args(arguments)[0].store
    return _site("worker")(arguments) if store and is_site(store) else submissions.work(arguments)


COMMANDS: dict[str, tuple[Callable[[Sequence[str]], int], str]] = {
    "standings": (standings.main, "what a store contains so far, in tables"),
    "report": (report.main, "a web site of a store, with replays"),
    "serve": (_site("serve"), "a competition site: enter, watch and play in the browser"),
    "site": (_site("command"), "organise the competitions of a site"),
    "submit": (_submit, "check a zip with a controller, and queue it, here or on a site"),
    "worker": (_work, "evaluate what is in the queue of a store or of a site"),
    "submissions": (submissions.show, "what became of the submissions of a store"),
    "arc": (_track("arc"), "ARC-AGI-3: a server of our games for its agents, and agents for its games"),
    "gamebot": (_track("gamebot"), "GAMEBoT: language models play eight games and answer questions on every position"),
    "othello": (_track("othello"), "the Othello arena: systems adapt to boards and rules that they have never seen"),
    "worldmodels": (_track("worldmodels"), "code world models: an author writes games as programs"),
}
"""Subcommands by name: the function that is called with the remaining arguments, and a description."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, 1 if it failed, 2 for wrong arguments, 130 after Ctrl-C."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in COMMANDS:
        command, _ = COMMANDS[words[0]]
        return command(words[1:])
    parser = options.parser({word: text for word, (_, text) in COMMANDS.items()})
    parser.refuse_word(words, COMMANDS)
    chosen = parser.parse_args(words)
    try:
        options.check(parser, chosen)
        with handling(signal.SIGTERM, signal.default_int_handler):  # stopping a service is as clean as Ctrl-C
            return _compete(chosen)
    except (StoreError, ClusterFailed) as error:
        print(f"vgdl-compete: {error}", file=sys.stderr)
        return FAILED
    except options.OWN_ERRORS as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED


def _compete(chosen: argparse.Namespace) -> int:
    """Open or create the store, play, and show the results."""
    errors = Console(stderr=True)
    scratch.sweep()
    if chosen.backend == "local":
        cores.require(chosen.jobs)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(Store.open(Path(chosen.resume))) if chosen.resume else None
        plan = store.plan if store else options.plan(chosen, options.entries(chosen.controllers))
        boards = Boards(plan)
        sandbox = sandbox_for(plan, chosen.isolation)
        notices.warn_if_weak(plan.rules.clock, sandbox, errors)
        notices.warn_if_home_is_shown(plan, sandbox, errors)
        if store is None:  # only now, so that a competition that cannot be played leaves no file behind
            path = Path(chosen.store) if chosen.store else None
            store = stack.enter_context(Store.create(path, plan, boards, len(fixtures(plan, boards))))
        store.check_unchanged(boards)
        folder = _folder(chosen.replays)
        competition = Competition(plan, hiding(sandbox, plan, _hidden(chosen)), boards)
        try:
            complete = _play(chosen, competition, store, folder, errors)
        except (StoreError, ClusterFailed, MachineBusy) as error:
            standings.show(store, chosen.json, chosen.csv)
            print(f"vgdl-compete: {error}", file=sys.stderr)
            return FAILED
        with _deaf_to_interrupts() if not complete else contextlib.nullcontext():
            standings.show(store, chosen.json, chosen.csv)
    return 0 if complete else INTERRUPTED


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ignore a second Ctrl-C, so that the shutdown after the first one is completed."""
    with handling(signal.SIGINT, signal.SIG_IGN), handling(signal.SIGTERM, signal.SIG_IGN):
        yield


def _hidden(chosen: argparse.Namespace) -> list[Path]:
    """Files of the competition that controllers must not see."""
    store = chosen.store or chosen.resume
    stores = [Path(store + ending) for ending in ("", "-wal", "-shm")] if store else []
    return stores + [Path(file) for file in (chosen.replays, chosen.set_dir) if file]


def _play(
    chosen: argparse.Namespace, competition: Competition, store: Store, folder: Path | None, errors: Console
) -> bool:
    """Play the remaining fixtures, with a progress display on standard error; returns whether all are done."""
    facts = {"isolation": _facts(competition.sandbox), "jobs": chosen.jobs, "backend": chosen.backend}
    plays = store.results()

    def standings_so_far() -> str:
        rows = ranked(store.plan, plays).ranking[:SHOWN]
        return "  ".join(f"{row.place}. {row.controller} {row.points}" for row in rows)

    display = Display(errors, store.total, len(plays), standings_so_far, quiet=chosen.quiet)

    def show(record: PlayRecord) -> None:
        plays.append(record.result)
        display.add(f"{record.result.game}, level {record.result.level}", record.seconds, record.waited_ms)

    with _backend(chosen, competition, errors) as backend, display:
        return run(competition, store, backend, facts, replays=folder, on_play=show)


@contextlib.contextmanager
def _backend(chosen: argparse.Namespace, competition: Competition, errors: Console) -> Iterator[Backend]:
    """The backend to play on; its cores are reserved until the ``with`` block ends."""
    if chosen.backend == "ray":
        yield RayBackend(competition, chosen.jobs, chosen.ray_address, hidden=_hidden(chosen))
        return
    players = max((game.n_players for game in competition.boards.games.values()), default=1)
    claim = cores.claim(chosen.jobs, players)
    try:
        if not chosen.quiet:
            notices.warn_if_busy(claim, errors)
        yield LocalBackend(competition, claim)
    finally:
        claim.release()


def _facts(sandbox: Sandbox) -> dict[str, Any]:
    return {"level": sandbox.level, "weak": sandbox.level.is_weak}


def _folder(name: str | None) -> Path | None:
    if name is None:
        return None
    folder = Path(name)
    with using():
        folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    sys.exit(main())
