"""The one run loop of all tracks: plan, create or resume, work in parallel, save, show progress, print the tables.

`command` is the command line of a track, `run` the same for scripts and notebooks.
"""

from __future__ import annotations

import argparse
import contextlib
import queue
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from vgdl.cli import program
from vgdl.competition import notices, options
from vgdl.competition.agents import cores, scratch
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.errors import CompetitionError
from vgdl.competition.interrupts import INTERRUPTED, handling
from vgdl.competition.options import Groups, OptionError, Parser
from vgdl.competition.progress import Display
from vgdl.competition.results import Results, console_for
from vgdl.competition.store import Store, StoreDamaged, StoreError
from vgdl.competition.track import Place, Played, Result, Setting, Stopped, Track, Unit, UnitLost, Work, find

FAILED = 1
"""Exit status if a competition had to be abandoned, or its store is faulty; what was finished is in the store."""

STOP_S = 60.0
"""Seconds to wait until the killed processes of stopped workers have ended."""

_Outcome = tuple[Unit | None, Result | BaseException | None]


class Threads:
    """Works in threads of this process, each with a group of cores."""

    def __init__(self, work: Work, groups: Sequence[Sequence[int | None]]) -> None:
        """Use groups of cores, one per worker."""
        self._work = work
        self._places = [Place(tuple(group)) for group in groups]
        for place in self._places[1:]:
            place.stopped, place.agents = self._places[0].stopped, self._places[0].agents
        self._threads: list[threading.Thread] = []

    def play(self, units: Sequence[Unit]) -> Iterator[tuple[Unit, Result | UnitLost]]:
        """Do units of work; yields results as they come, and raises any error of the work."""
        todo: queue.SimpleQueue[Unit] = queue.SimpleQueue()
        for unit in units:
            todo.put(unit)
        done: queue.SimpleQueue[_Outcome] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._run, args=(place, todo, done), daemon=True)
            for place in self._places[: len(units)]
        ]
        for thread in self._threads:
            thread.start()
        working = len(self._threads)
        while working:
            finished, outcome = done.get()
            if outcome is None:
                working -= 1
            elif isinstance(outcome, BaseException) and not isinstance(outcome, UnitLost):
                raise outcome
            elif finished is not None:
                yield finished, outcome

    def stop(self) -> None:
        """End all work in progress; waits for processes to end, but not for replies of models."""
        self._places[0].stop()
        self._work.stop()
        for thread in self._threads if self._work.cores else ():
            thread.join(STOP_S)

    def _run(self, place: Place, todo: queue.SimpleQueue[Unit], done: queue.SimpleQueue[_Outcome]) -> None:
        try:
            with contextlib.suppress(queue.Empty, Stopped):
                while not place.stopped.is_set():
                    unit = todo.get_nowait()
                    place.post = partial(_post, done, unit)
                    try:
                        for result in self._work.play(unit, place):
                            done.put((unit, result))
                    except UnitLost as reason:
                        done.put((unit, reason))
        except BaseException as error:  # raised again where results are consumed
            done.put((None, error))
        finally:
            done.put((None, None))


def _post(done: queue.SimpleQueue[_Outcome], unit: Unit, result: Result) -> None:
    done.put((unit, result))


def declare(track: Played[Any]) -> Groups:
    """The options of a track."""
    word = "" if track.name == DEFAULT else f" {track.name}"
    name = f"{program('compete')}{word}"
    commands = "".join(f"\n  {name} {each:<10} {one.summary}" for each, one in track.commands.items())
    further = f"\n\nfurther commands, each with a --help of its own:{commands}" if commands else ""
    parser = Parser(
        prog=name,
        description=track.description,
        epilog=f"{track.epilog}{further}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    groups = Groups(parser)
    track.add_options(groups)
    return groups


DEFAULT = "planning"
"""The track of ``vgdl-compete`` without the name of a track."""


def command(track: Played[Any], arguments: Sequence[str], epilog: str = "") -> int:
    """Run the command line of a track.

    Args:
        track: the track.
        arguments: the words after its name.
        epilog: lines that its help ends with.

    Returns:
        The exit status: 0, 1 if the competition was abandoned or its store is faulty, 130 after Ctrl-C.

    Raises:
        SystemExit: 2 for a wrong command line.
    """
    if arguments and arguments[0] in track.commands:
        return track.commands[arguments[0]].run(arguments[1:])
    groups = declare(track)
    parser = groups.parser
    parser.epilog = f"{parser.epilog}{epilog}"
    parser.refuse_word(arguments, track.commands)
    chosen = vars(parser.parse_args(arguments))
    console = Console(stderr=True)
    try:
        with handling(signal.SIGTERM, signal.default_int_handler), contextlib.ExitStack() as stack:
            try:  # what goes wrong here is the command line's fault
                store, work, setting = _open(track, groups, chosen, console, stack)
            except StoreError as error:
                return _failed(error)
            except options.OWN_ERRORS as error:
                parser.error(str(error))
            return _compete(track, store, work, setting)
    except KeyboardInterrupt:
        return INTERRUPTED


def run(track: str | Played[Any], **options: Any) -> Results:
    """Run a competition from a script or a notebook.

    >>> import vgdl.competition
    >>> from vgdl.competition import Budget
    >>> results = vgdl.competition.run(
    ...     "planning", games=["aliens"], controllers=["random"], levels=[0], budget=Budget.calls(10), seed=1
    ... )
    >>> [row["controller"] for row in results.table("ranking").records()]
    ['Random']

    Args:
        track: the track, or its name.
        **given: the options of its command line, with ``_`` for ``-``; lists, numbers, `Budget` objects and classes
            (in files) may be given as such. Without ``store`` or ``resume``, results are kept in memory only.

    Returns:
        The results; incomplete if some units of work failed for reasons outside of the run.

    Raises:
        CompetitionError, vgdl.VGDLError, EntryNotFound, EntryInvalid, IsolationError: it cannot be played; the message
            says why. What was finished is in the store.
        KeyboardInterrupt: it was interrupted; the same holds.
    """
    found = find(track) if isinstance(track, str) else track
    if not isinstance(found, Played):
        raise OptionError(f"the track {found.name} is not a run of plays; see vgdl-compete {found.name} --help")
    groups = declare(found)
    chosen = groups.from_python({"quiet": True, **options})
    with contextlib.ExitStack() as stack:
        store, work, setting = _open(found, groups, chosen, Console(stderr=True), stack)
        lost = work_through(store, work, setting)
        found.finish(store, setting)
        results = found.results_in(store, chosen)
        results.write(chosen["json"], chosen["csv"])
        for reason in lost[:1]:
            setting.console.print(_lost_line(found, store, lost, reason), markup=False, highlight=False)
        return results


def _open(
    track: Played[Any], groups: Groups, chosen: Mapping[str, Any], console: Console, stack: contextlib.ExitStack
) -> tuple[Store, Work, Setting]:
    """Open or create the store, and load what its plan needs."""
    resumed = chosen["resume"]
    if resumed:
        options.check_resumed(groups, chosen)
    elif chosen["store"] and Path(chosen["store"]).is_file() and Path(chosen["store"]).stat().st_size:
        raise OptionError(f"{chosen['store']} exists already: continue it by --resume, or name another file")
    options.check_files(chosen["json"], chosen["csv"], chosen["store"] or resumed)
    track.check(chosen)
    scratch.sweep()
    name = chosen["store"] or resumed
    setting = Setting(chosen, console, Path(name) if name else None)
    store = None
    if resumed:
        store = stack.enter_context(Store.open(Path(resumed)))
        if store.track != track.name:
            command = f"{program('compete')} {store.track} --resume {resumed}"
            raise OptionError(f"{resumed} is a store of another track: {command} continues it")
        store.use(track.tables)
    plan = track.plan_in(store) if store else track.plan(chosen)
    work = stack.enter_context(track.work(plan, setting))
    if work.cores:
        cores.require(setting.jobs)
    if store is None:  # only now, so that a competition that cannot be played leaves no file behind
        facts = {"track": track.name, **plan.facts()}
        created = Store.create(
            setting.store, facts, track.tables,
            games=work.games, hashes=work.hashes, total=work.total, secret=plan.secret, sealed=track.sealed,
        )  # fmt: skip
        store = stack.enter_context(created)
    store.check_games(work.games)
    store.check_hashes(work.hashes)
    return store, work, setting


def _compete(track: Played[Any], store: Store, work: Work, setting: Setting) -> int:
    """Work through a plan, and print the results, whatever happens; returns the exit status."""
    status, message = 0, ""
    try:
        lost = work_through(store, work, setting)
        if lost:
            status, message = FAILED, _lost_line(track, store, lost, lost[0])
    except KeyboardInterrupt:
        status = INTERRUPTED
    except (*options.OWN_ERRORS, MachineBusy) as error:
        may_continue = store.path and not isinstance(error, StoreDamaged)
        again = f"; {program('compete')} --resume {store.path} continues" if may_continue else ""
        status, message = FAILED, f"{error}{again}"
    with _deaf_to_interrupts() if status == INTERRUPTED else contextlib.nullcontext():
        try:
            track.finish(store, setting)
            show(track, store, setting.options)
        except CompetitionError as error:
            return _failed(message or error)
    return _failed(message) if message else status


def work_through(store: Store, work: Work, setting: Setting, claim: cores.Claim | None = None) -> list[UnitLost]:
    """Do all that is left, with a progress display.

    Args:
        store: takes each result as it comes.
        work: the work.
        setting: the circumstances of the session.
        claim: the cores to use; by default they are claimed for as long as it takes.

    Returns:
        Why some units have no result.

    Raises:
        StoreError: a result could not be stored; earlier ones are safe.
        KeyboardInterrupt: it was interrupted; earlier results are safe.
        Exception: any error of the work.
    """
    session = store.begin_session({"jobs": setting.jobs, **work.circumstances})
    lost: dict[Any, UnitLost] = {}
    done = work.begin(store, session)
    display = Display(setting.console, work.total, done, work.line, quiet=setting.quiet or work.is_interactive)
    with _backend(work, setting, claim) as backend:
        try:
            with display:
                while units := [unit for unit in work.units(store) if unit.key not in lost]:
                    for unit, outcome in backend.play(units):
                        if isinstance(outcome, UnitLost):
                            lost[unit.key] = outcome
                            continue
                        if outcome.rows:
                            (store.put if outcome.replaces else store.add)(*outcome.rows)
                        work.saved(outcome)
                        display.show_total(work.total)
                        if outcome.counts:
                            display.add(outcome.label, outcome.seconds, outcome.waited_ms)
                        elif outcome.label:
                            display.say(outcome.label)
        finally:
            backend.stop()
            work.ended()
    if not lost:
        store.unseal()
    return list(lost.values())


@contextlib.contextmanager
def _backend(work: Work, setting: Setting, claimed: cores.Claim | None) -> Iterator[Any]:
    """Where to work; cores are reserved until the ``with`` block ends."""
    if (elsewhere := work.backend()) is not None:
        yield elsewhere
        return
    if not work.cores:
        yield Threads(work, [(None,)] * setting.jobs)
        return
    claim = claimed or cores.claim(setting.jobs, work.cores)
    try:
        if not setting.quiet:
            notices.warn_if_busy(claim, setting.console)
        work.prepare(claim.groups)
        yield Threads(work, claim.groups)
    finally:
        if claimed is None:
            claim.release()


def show(track: Track[Any], store: Store, options: Mapping[str, Any]) -> None:
    """Print the tables of a store, and write the requested machine-readable files.

    Args:
        track: its track.
        store: the store.
        options: those of the command line, among them ``json`` (a path, or ``-`` for standard output, in which case
            tables go to standard error) and ``csv`` (a path).

    Raises:
        StoreError, FileError: the store cannot be read, or a file cannot be written.
    """
    results = track.results_in(store, options)
    console = console_for(options["json"])
    if not results.complete:
        again = f"; {program('compete')} --resume {store.path} continues" if store.path and results.total else ""
        done = f"{results.done} of {results.total}" if results.total else str(results.done)
        console.print(f"{done} {track.noun} are done{again}; the standings so far:", highlight=False, markup=False)
    results.print(console)
    results.write(options["json"], options["csv"])


def _lost_line(track: Track[Any], store: Store, lost: Sequence[UnitLost], reason: UnitLost) -> str:
    again = f"; {program('compete')} --resume {store.path} plays them" if store.path else ""
    return f"{len(lost)} {track.noun} failed, the first because of: {reason}{again}"


def _failed(error: object) -> int:
    print(f"vgdl-compete: {error}", file=sys.stderr)
    return FAILED


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ignore a second Ctrl-C, so that the shutdown after the first one is completed."""
    with handling(signal.SIGINT, signal.SIG_IGN), handling(signal.SIGTERM, signal.SIG_IGN):
        yield
