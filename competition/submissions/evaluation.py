"""Evaluation of a submission: find its class in isolation, play, and describe the outcome."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from vgdl.competition.agents import scratch
from vgdl.competition.agents.cores import Claim
from vgdl.competition.agents.failure import AgentFailed, Cause
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.agents.service import Clock
from vgdl.competition.entering import Programs
from vgdl.competition.errors import CompetitionError
from vgdl.competition.failures import in_a_line
from vgdl.competition.running import work_through
from vgdl.competition.store import Store, StoreError
from vgdl.competition.submissions import archive, finder
from vgdl.competition.submissions.queue import Outcome, State, Taken
from vgdl.competition.track import Setting
from vgdl.competition.tracks.planning import scoring
from vgdl.competition.tracks.planning.game_set import GameSet
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.records import TABLES, PlayerResult, PlayResult
from vgdl.competition.tracks.planning.records import plays as plays_in
from vgdl.competition.tracks.planning.rules import Overtime, Rules
from vgdl.competition.tracks.planning.session import sandbox_for
from vgdl.competition.tracks.planning.track import PlanningWork
from vgdl.registry import Entry

CONTROLLERS = Programs(
    "controller",
    (".py",),
    "vgdl.controllers.registry:controllers_in",
    "a class that derives from vgdl.controllers.Controller and has act(self, state, timer)",
)
"""What is submitted in the planning track."""


class NoController(CompetitionError):
    """No program was found, or not exactly one; the message says what to do."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details  #: a traceback


def find_controller(
    root: Path,
    reference: str | None,
    programs: Programs = CONTROLLERS,
    *,
    isolation: str = "auto",
    hidden: Sequence[Path] = (),
) -> tuple[str, str]:
    """Find the program in an unpacked archive, by importing its files in an isolated process.

    Args:
        root: folder of the unpacked archive.
        reference: ``file.py:Class``, or None for the only program in the files at the top level.
        programs: what is looked for.
        isolation: a level, or ``auto``.
        hidden: paths that the files must not see.

    Returns:
        The file, relative to the root, and the class.

    Raises:
        NoController: there is none, or several.
        IsolationError: the level of isolation does not work here.
    """
    files = _candidates(root, reference, programs)
    entry = Entry("submission", "submission", str(files[0]), "")
    plan = Plan((entry,), GameSet("", ()), None, 1, Rules(clock=Clock.WALL), Restrictions(), 0)
    sandbox = sandbox_for(plan, isolation, hidden, [root])
    try:
        found = finder.find(files, programs, sandbox)
    except AgentFailed as failure:
        raise NoController(f"it cannot be imported: {failure.cause}", failure.details) from None
    name = reference.partition(":")[2] if reference else ""
    classes = [(str(file.relative_to(root)), one) for file, one in found.classes if not name or one == name]
    if len(classes) == 1:
        return classes[0]
    if classes:
        listed = ", ".join(f"{file}:{one}" for file, one in classes)
        raise NoController(f"it has several {programs.noun}s ({listed}): say which by --controller FILE.py:CLASS")
    if found.errors:
        file, details = next(iter(found.errors.items()))
        raise NoController(f"{file.relative_to(root)} cannot be imported: {in_a_line(details)}", details)
    where = reference or ", ".join(str(file.relative_to(root)) for file in files)
    raise NoController(f"there is no {programs.noun} in {where}: {programs.needs}")


def evaluate(
    taken: Taken,
    plan_of: Callable[[Entry], Plan],
    claim: Claim,
    *,
    isolation: str,
    hidden: Sequence[Path],
    facts: dict[str, Any],
) -> Outcome | None:
    """Evaluate a submission; plays finished by an earlier worker are not repeated.

    Args:
        taken: the submission.
        plan_of: returns the plan for evaluating a controller.
        claim: the cores to play on.
        isolation: a level, or ``auto``.
        hidden: paths that it must not see.
        facts: the circumstances, recorded in the store of its plays.

    Returns:
        The outcome; None after Ctrl-C.

    Raises:
        StoreError, IsolationError, vgdl.VGDLError: it cannot be evaluated here and now, through no fault of its own.
    """
    submission = taken.submission
    code, plays = taken.folder / "agent", taken.folder / "plays.db"
    scratch.remove(code)
    code.mkdir()
    try:
        root = archive.unpack(taken.archive, code)
        wanted = f"{submission.file}:{submission.class_name}"
        file, class_name = find_controller(root, wanted, isolation=isolation, hidden=[*hidden, plays])
    except archive.ArchiveError as error:
        return Outcome(State.REFUSED, str(error))
    except NoController as error:
        return Outcome(State.NOT_IMPORTED, str(error), error.details)
    plan = plan_of(Entry(submission.name, submission.name, str(root / file), class_name))
    options = {"isolation": isolation, "jobs": len(claim.groups), "backend": "local", "replays": None, "set_dir": None}
    setting = Setting({**options, "quiet": True}, Console(stderr=True), plays)
    work = PlanningWork(plan, setting, hidden, [root])
    work.circumstances = {**work.circumstances, **facts}
    with _store(plays, plan, work) as store:
        try:
            work_through(store, work, setting, claim)
        except KeyboardInterrupt:
            return None
        return judge(plays_in(store), plan)


def judge(plays: Sequence[PlayResult], plan: Plan) -> Outcome:
    """Summarise the plays of a submission, which is the first controller of the plan, as an outcome."""
    name = plan.entries[0].ranking_name
    own = [(play, player) for play in plays for player in play.players if player.controller == name]
    standings = scoring.rank(plays)
    standing = next(row for row in standings.ranking if row.controller == name)
    message = f"won {standing.victories} of {standing.plays} plays"
    if len(plan.entries) > 1:
        message += f", place {standing.place} of {len(standings.ranking)} with {standing.points} points"
    rows = {game: row for game, rows in standings.games.items() for row in rows if row.controller == name}
    details = "\n".join(
        f"{game}: won {row.victories} of {row.plays}, mean score {row.mean_score:.2f}, in {row.mean_ticks:.1f} ticks"
        for game, row in rows.items()
    )
    failed = [(play, player) for play, player in own if player.cause]
    if not failed:
        return Outcome(State.EVALUATED, message, details)
    slow = [pair for pair in failed if _was_slow_to_construct(*pair)]
    play, player = (slow or failed)[0]
    why = f"{player.cause}: {in_a_line(player.details)}"
    reason = f"in {len(failed)} of {len(own)} plays, first on {play.game}, level {play.level}: {why}"
    state = State.SLOW_CONSTRUCTION if slow else State.DISQUALIFIED
    return Outcome(state, f"{reason}; {message}", f"{details}\n\n{player.details}".strip())


def _was_slow_to_construct(play: PlayResult, player: PlayerResult) -> bool:
    """Whether the constructor exceeded its limit or did not return, so that there was no tick."""
    return player.cause == Overtime.CONSTRUCTION or (player.cause == Cause.HUNG and play.ticks == 0)


def _candidates(root: Path, reference: str | None, programs: Programs) -> list[Path]:
    """The files that may contain the program."""
    if reference is None:
        files = sorted(path for path in root.iterdir() if path.suffix in programs.suffixes and path.is_file())
        if not files:
            raise NoController(f"there is no {programs.files} file at the top of the archive")
        return files
    file, _, name = reference.partition(":")
    path = root / file
    if not name or path.suffix not in programs.suffixes or ".." in Path(file).parts or not path.is_file():
        raise NoController(
            f"there is no {reference} in the archive; write FILE.py:CLASS, with the file as it is in the zip"
        )
    return [path]


def _store(path: Path, plan: Plan, work: PlanningWork) -> Store:
    """The store of an evaluation: that of an interrupted worker if it played the same plan, otherwise a new one."""
    with contextlib.suppress(StoreError, ValueError, LookupError, TypeError):
        store = Store.open(path)
        if Plan.from_facts(store.plan) == plan:
            store.use(TABLES)
            store.check_games(work.games)
            store.check_hashes(work.hashes)
            return store
        store.close()
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    return Store.create(
        path, plan.facts(), TABLES, games=work.games, hashes=work.hashes, total=work.total, secret=plan.secret
    )
