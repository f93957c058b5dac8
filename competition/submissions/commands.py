"""The commands for submissions: ``vgdl-compete submit``, ``worker`` and ``submissions``."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from vgdl.cli import program
from vgdl.competition import notices, options
from vgdl.competition.agents import cores, scratch
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import Level
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.interrupts import INTERRUPTED, handling
from vgdl.competition.store import StoreError
from vgdl.competition.submissions import archive
from vgdl.competition.submissions.evaluation import NoController, evaluate, find_controller
from vgdl.competition.submissions.queue import TRIES, Outcome, Queue, State, Submission, Taken
from vgdl.competition.tracks.planning import options as planning_options
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.session import sandbox_for
from vgdl.controllers.registry import CONTROLLERS
from vgdl.registry import Entry

REFUSED = 1
"""Exit status if a submission is refused."""

SCRATCH = "vgdl-submission-"
"""Prefix of the folders in which archives are unpacked for inspection."""

WAIT_S = 2.0
"""Seconds between checks of an empty queue."""


def submit(arguments: Sequence[str]) -> int:
    """Check and queue a zip file; returns the exit status: 0, 1 if it is refused, 2 for wrong arguments."""
    parser = options.Parser(
        prog=f"{program('compete')} submit",
        description="Check a zip with a controller and put it into the queue of a store. The controller is a class "
        "that derives from vgdl.controllers.Controller, in a Python file at the top of the zip; what it needs lies "
        "beside it.",
    )
    parser.add_argument("zip", metavar="AGENT.zip", help="the submission")
    parser.add_argument("--store", required=True, metavar="FILE", help="the store; created if it does not exist")
    parser.add_argument("--name", help="what it is called in rankings (default: the name of the zip)")
    parser.add_argument("--controller", metavar="FILE.py:CLASS", help="which class, if there are several")
    _add_level(parser)
    chosen = parser.parse_args(arguments)
    path = Path(chosen.zip)
    name = chosen.name or path.stem
    scratch.sweep(SCRATCH)
    try:
        _check_name(name)
        data = archive.read(path)
        with scratch.ScratchFolder(SCRATCH) as folder:
            code = folder.path / "agent"
            code.mkdir(mode=0o755)  # within a private folder, so that it can be made visible to an unprivileged process
            root = archive.unpack(data, code)
            file, class_name = find_controller(
                root, chosen.controller, isolation=chosen.isolation, hidden=_files(Path(chosen.store))
            )
        with Queue.open_shared(Path(chosen.store), create=True) as queue:
            number = queue.enter(name, file, class_name, data)
    except NoController as error:
        print(printable(f"{error.details}\n{path.name} is refused: {error}".strip()), file=sys.stderr)
        return REFUSED
    except archive.ArchiveError as error:
        print(f"{path.name} is refused: {error}", file=sys.stderr)
        return REFUSED
    except MachineBusy as error:
        print(f"{path.name} cannot be looked at now: {error}", file=sys.stderr)
        return REFUSED
    except options.OWN_ERRORS as error:
        parser.error(str(error))
    print(f"submission {number}: {name} ({file}:{class_name}) waits to be evaluated")
    return 0


def work(arguments: Sequence[str]) -> int:
    """Evaluate the queue; returns the exit status: 0, 1 if it failed, 2 for wrong arguments, 130 after Ctrl-C."""
    parser = options.Parser(
        prog=f"{program('compete')} worker",
        description="Evaluate the submissions of a store on a set of games, one by one, until none is left. Several "
        "workers may serve a store; what a killed one leaves behind is taken again.",
    )
    parser.add_argument("--store", required=True, metavar="FILE", help="the store with the queue")
    parser.add_argument("--wait", action="store_true", help="run forever: wait for new submissions")
    parser.add_argument("--jobs", type=options.positive, default=1, metavar="N", help="plays in parallel (default: 1)")
    what = parser.add_argument_group("what is played")
    planning_options.add_games(what)
    what.add_argument(
        "--against", type=options.name_list, default=[], metavar="A,B,...",
        help="controllers to be ranked with; two-player games need some (default: none)",
    )  # fmt: skip
    rules = parser.add_argument_group("the rules")
    planning_options.add_rules(rules)
    rules.add_argument("--seed", type=options.seed, metavar="S", help="seed of all random choices (default: a new one)")
    isolation = parser.add_argument_group("isolation of controllers")
    options.add_isolation_level(isolation)
    options.add_restrictions(isolation, "controller")
    chosen = parser.parse_args(arguments)
    scratch.sweep()
    try:
        cores.require(chosen.jobs)
        with Queue.open_shared(Path(chosen.store)) as queue, handling(signal.SIGTERM, signal.default_int_handler):
            plan = _plan(chosen, None)
            _warn(plan, chosen.isolation)
            return _serve(chosen, queue, plan.hidden)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (StoreError, MachineBusy) as error:
        print(f"vgdl-compete worker: {error}", file=sys.stderr)
        return REFUSED
    except options.OWN_ERRORS as error:
        parser.error(str(error))


def show(arguments: Sequence[str]) -> int:
    """List the submissions; returns the exit status: 0, or 2 if there is no such store or submission."""
    parser = options.Parser(
        prog=f"{program('compete')} submissions", description="List the submissions of a store and their outcomes."
    )
    parser.add_argument(
        "number", type=options.positive, nargs="?", help="of one submission, to see all that is known of it"
    )
    parser.add_argument("--store", required=True, metavar="FILE", help="the store with the queue")
    parser.add_argument("--json", action="store_true", help="as JSON, with everything that is known")
    chosen = parser.parse_args(arguments)
    try:
        with Queue.open_shared(Path(chosen.store)) as queue:
            known = queue.all()
    except StoreError as error:
        parser.error(str(error))
    if chosen.number:
        known = [submission for submission in known if submission.number == chosen.number]
        if not known:
            parser.error(f"{chosen.store} has no submission {chosen.number}")
    if chosen.json:
        print(json.dumps([asdict(submission) for submission in known], indent=1))
    elif chosen.number:
        print(_letter(known[0]))
    else:
        Console().print(_table(known))
    return 0


def _serve(chosen: argparse.Namespace, queue: Queue, hidden: Sequence[Path]) -> int:
    """Evaluate submissions until there are none left, or forever."""
    claim = cores.claim(chosen.jobs)
    try:
        while True:
            with queue.take() as taken:
                if taken is not None:
                    if not _evaluate(chosen, queue, taken, claim, hidden):
                        return INTERRUPTED
                    continue
            if not chosen.wait:
                return 0
            time.sleep(WAIT_S)
    finally:
        claim.release()


def _evaluate(
    chosen: argparse.Namespace, queue: Queue, taken: Taken, claim: cores.Claim, hidden: Sequence[Path]
) -> bool:
    """Evaluate a taken submission and save the outcome; returns whether there is one."""
    submission = taken.submission
    print(f"submission {submission.number}: {submission.name} is being evaluated", flush=True)
    others = [path for path in queue.folder.iterdir() if path != taken.folder]
    try:
        outcome = evaluate(
            taken,
            lambda entry: _plan(chosen, entry, taken.secret),
            claim,
            isolation=chosen.isolation,
            hidden=[*hidden, *_files(Path(chosen.store)), *others],
            facts={"jobs": chosen.jobs, "backend": "local", "submission": submission.number},
        )
    except (*options.OWN_ERRORS, MachineBusy, KeyboardInterrupt):  # not the submission's fault
        queue.forgive(submission.number)
        raise
    except Exception:
        outcome = _unexpected(taken)
        if outcome is None:
            return True
    if outcome is None:
        queue.forgive(submission.number)
        return False
    queue.finish(submission.number, outcome)
    print(
        printable(f"submission {submission.number}: {submission.name}: {outcome.state}: {outcome.message}"), flush=True
    )
    return True


def _unexpected(taken: Taken) -> Outcome | None:
    """The outcome of an evaluation that failed because of an internal error; None if it should be retried."""
    trace = traceback.format_exc()
    print(printable(f"submission {taken.submission.number} could not be evaluated:\n{trace}"), file=sys.stderr)
    if taken.attempts < TRIES:
        return None
    message = f"its evaluation has failed {taken.attempts} times by an error that is not its own"
    return Outcome(State.FAILED, message, trace)


def _plan(chosen: argparse.Namespace, entry: Entry | None, secret: int = 0) -> Plan:
    """The plan for evaluating a submission; without an entry, the plan of the controllers it is ranked with."""
    against = CONTROLLERS.find_all(chosen.against)
    if entry and entry.ranking_name in (other.ranking_name for other in against):
        entry = replace(entry, ranking_name=f"{entry.ranking_name} (submitted)")
    return planning_options.plan(vars(chosen), [entry, *against] if entry else against, secret)


def _warn(plan: Plan, isolation: str) -> None:
    """Warn about weak isolation once, before the first play, on the example of a bundled controller."""
    tried = replace(plan, entries=(CONTROLLERS.find("random"),))
    notices.warn_if_weak(plan.rules.clock, sandbox_for(tried, isolation), Console(stderr=True))


def _table(submissions: Sequence[Submission]) -> Table:
    table = Table(title="Submissions", title_justify="left")
    for column in ("", "submitted (UTC)", "name", "state", "outcome"):
        table.add_column(column, overflow="fold")
    for one in submissions:
        table.add_row(
            str(one.number), one.submitted[:16].replace("T", " "), escape(one.name), one.state, escape(one.message)
        )
    return table


def _letter(submission: Submission) -> str:
    """The message to the sender about the outcome."""
    head = f"submission {submission.number}: {submission.name} ({submission.file}:{submission.class_name})"
    lines = [
        head,
        f"sent {submission.submitted}, SHA-256 {submission.sha256}",
        f"{submission.state} since {submission.changed}",
    ]
    return "\n".join([*lines, *filter(None, (submission.message, submission.details))])


def _check_name(name: str) -> None:
    if not 0 < len(name) <= 60 or not name.isprintable() or name != name.strip():
        raise options.OptionError(f"{name!r:.80} is not a name for a ranking: give 1 to 60 printable letters by --name")


def _files(store: Path) -> list[Path]:
    return [store.with_name(store.name + ending) for ending in ("", "-wal", "-shm")]


def _add_level(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--isolation", default="auto", choices=["auto", *map(str, Level)],
        help="isolation from the machine while it is imported (default: auto, the best that works here)",
    )  # fmt: skip
