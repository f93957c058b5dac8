"""Execution of a worker's jobs in isolation: check an entry, or play once. Failures of entries are results."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console

from vgdl import registry
from vgdl.competition import track as tracks
from vgdl.competition.agents import scratch
from vgdl.competition.agents.isolation import IsolationError, Level, Sandbox
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.agents.view import view
from vgdl.competition.entering import Programs
from vgdl.competition.entrants import files_of
from vgdl.competition.errors import CompetitionError
from vgdl.competition.store import Store
from vgdl.competition.submissions import archive
from vgdl.competition.submissions.evaluation import NoController, find_controller, judge
from vgdl.competition.submissions.queue import Outcome, State
from vgdl.competition.track import Place, Result, Setting, UnitLost
from vgdl.competition.tracks.planning.plan import Boards, Plan
from vgdl.competition.tracks.planning.runner import Competition as Plays
from vgdl.competition.tracks.planning.runner import PlayRecord
from vgdl.competition.tracks.planning.session import sandbox_for
from vgdl.competition.web import arenas, competitions, entries, jobs, plays, runs
from vgdl.competition.web.competitions import Competition
from vgdl.competition.web.database import Database
from vgdl.competition.web.entries import Entry, NotYours
from vgdl.competition.web.jobs import Job
from vgdl.controllers.registry import CONTROLLERS

FOLDER = "vgdl-entries-"
"""Prefix of the folders in which workers unpack entries."""

MOST_UNPACKED = 200
"""Number of entries that a worker keeps unpacked."""


class Gone(Exception):
    """An entry was deleted while one of its jobs was waiting."""


class Evaluator:
    """Executes jobs; thread-safe. Leaving the ``with`` block removes unpacked files."""

    def __init__(self, database: Database, isolation: str) -> None:
        """Prepare the evaluator.

        Args:
            database: the database of the site.
            isolation: level, or ``auto``.
        """
        self._database = database
        self._isolation = isolation
        self._folder = scratch.ScratchFolder(FOLDER)
        self._unpacked: dict[int, Path] = {}
        self._boards: dict[tuple[int, str, str, int], Boards] = {}
        self._level: Level | None = None
        self._lock = threading.RLock()
        self._playing: set[Plays | Place] = set()
        self._works = _works()

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *exception: object) -> None:
        self._folder.remove()

    def stop(self) -> None:
        """End all plays in progress, which raise ``Stopped``."""
        for one in list(self._playing):
            one.stop()

    def check(self, job: Job, worker: str) -> None:
        """Find the controller of an entry and queue its evaluation, or record why none was found."""
        competition = competitions.get(self._database, job.competition_id)
        entry = self._entry(job.entry_id)
        found = self._find(entry, arenas.programs(competition.settings.track))
        if isinstance(found, Outcome):
            queued = []
        elif competition.settings.is_planning:
            queued = evaluation_plays(self._database, competition, entry.id)
        else:
            queued = [jobs.run_of(entry.id)]
        jobs.finish_check(self._database, job, worker, found, queued, entry.user_id or 0)

    def play(self, job: Job, worker: str, *cores: int | None) -> PlayRecord:
        """Play once and save the result; the last play of an evaluation concludes it.

        Raises:
            Stopped: ``stop`` was called.
            Gone: an entry was deleted.
            IsolationError, MachineBusy, vgdl.VGDLError: it cannot be played on this machine at present.
        """
        competition = competitions.get(self._database, job.competition_id)
        plan, boards = self._plan(competition, job)
        one = Plays(plan, self._sandbox(plan), boards)
        wanted = (job.game, job.level, job.repeat), plan.entries
        number = next(f.number for f in one.fixtures if (f.place, f.entries) == wanted)
        self._playing.add(one)
        try:
            record = one.play(number, *cores)
        finally:
            self._playing.discard(one)
        if jobs.finish_play(self._database, job, worker, record) and job.phase == jobs.EVALUATION:
            settle(self._database, competition, job.entry_id)
        return record

    def other_work(self, worker: str, *cores: int | None) -> bool:
        """Do the next piece of other work of each track; returns whether there was any.

        Raises:
            Stopped: ``stop`` was called.
        """
        place = Place(cores)
        self._playing.add(place)
        try:
            done = [work(self._database, worker, self._isolation, place) for work in self._works]
            return any(done)
        finally:
            self._playing.discard(place)

    def _entry(self, number: int) -> Entry:
        entry = entries.get(self._database, number)
        if entry.deleted:
            raise Gone(f"entry {number} was deleted")
        return entry

    def run(self, job: Job, worker: str, *cores: int | None) -> None:
        """Do the next unit of a run, and save its results one by one; after the last unit, the run is concluded.

        Raises:
            Stopped: ``stop`` was called.
            Gone: an entry was deleted.
            JobLost: another worker has the job.
            CompetitionError, IsolationError, MachineBusy: it cannot be played on this machine at present.
        """
        competition = competitions.get(self._database, job.competition_id)
        run = runs.begun(self._database, job)
        entrants = [self._entry(number) for number in run.entrants]
        programs = tuple(self._controller(one, one.name) for one in entrants)
        roots = tuple(self._root(one) for one in entrants if not one.is_baseline)
        settings = competition.settings.options
        if job.phase == jobs.FINAL:
            settings += competition.settings.final_options
        track = arenas.played(competition.settings.track)
        arranged = arenas.arrange(track.name, settings, programs, run.secret, isolation=self._isolation)
        hidden = tuple(self._hidden(*roots))
        setting = Setting(arranged.options, Console(stderr=True, quiet=True), hidden=hidden, packages=roots)
        facts = {"track": track.name, **arranged.plan.facts()}
        place = Place(cores)
        self._playing.add(place)
        try:
            with (
                track.work(arranged.plan, setting) as work,
                Store.create(None, facts, track.tables, games=work.games, total=work.total) as store,
            ):
                run = runs.planned(self._database, run, _shown(facts, roots), list(map(dict, work.games)), work.total)
                runs.fill(self._database, run, store)
                work.begin(store, 1)
                work.prepare([cores])

                def keep(result: Result) -> None:
                    if result.rows:
                        runs.save(self._database, job, worker, run, result, work.total)
                        (store.put if result.replaces else store.add)(*result.rows)
                        work.saved(result)

                place.post = keep
                for unit in work.units(store)[:1]:
                    for result in work.play(unit, place):
                        keep(result)
                place.check()
                if work.units(store):
                    jobs.go_on(self._database, job, worker)
                else:
                    runs.finish(self._database, job, worker, run, store)
        except UnitLost as lost:
            raise CompetitionError(str(lost)) from lost
        finally:
            self._playing.discard(place)

    def _find(self, entry: Entry, programs: Programs) -> tuple[str, str] | Outcome:
        wanted = f"{entry.location}:{entry.class_name}" if entry.class_name else None
        try:
            root = self._root(entry)
            return find_controller(root, wanted, programs, isolation=self._isolation, hidden=self._hidden(root))
        except archive.ArchiveError as error:
            return Outcome(State.REFUSED, str(error))
        except NoController as error:
            return Outcome(State.NOT_IMPORTED, str(error), error.details)

    def _root(self, entry: Entry) -> Path:
        """The folder of an entry's files, which are unpacked once."""
        with self._lock:
            if entry.id not in self._unpacked:
                try:
                    data = entries.zip_of(self._database, entry)
                except NotYours as error:
                    raise Gone(str(error)) from None
                if len(self._unpacked) >= MOST_UNPACKED:
                    oldest = next(iter(self._unpacked))
                    scratch.remove(self._folder.path / str(oldest))
                    del self._unpacked[oldest]
                code = self._folder.path / str(entry.id)
                scratch.remove(code)
                code.mkdir(mode=0o755)
                self._unpacked[entry.id] = archive.unpack(data, code)
            return self._unpacked[entry.id]

    def _hidden(self, *own: Path) -> list[Path]:
        """Paths that controllers must not see: the database, and the files of all other entries."""
        with self._lock:
            others = [root for root in self._unpacked.values() if root not in own]
        return [*self._database.files, *others]

    def _controller(self, entry: Entry, name: str = "") -> registry.Entry:
        """The program of an entry, by default called like its number."""
        name = name or str(entry.id)
        if entry.is_baseline:
            return registry.Entry(name, name, entry.location, entry.class_name)
        return registry.Entry(name, name, str(self._root(entry) / entry.location), entry.class_name)

    def _plan(self, competition: Competition, job: Job) -> tuple[Plan, Boards]:
        """The plan to which the job's play belongs, and its only board."""
        players = tuple(self._controller(self._entry(number)) for number in job.players)
        secret = competition.secret if job.phase == jobs.FINAL else self._secret(job.entry_id)
        plan = competition.settings.plan(job.set_name, players, job.repeat + 1, secret)
        plan = replace(plan, game_set=plan.game_set.only([job.game]), levels=(job.level,))
        key = competition.id, job.set_name, job.game, job.level
        with self._lock:
            if key not in self._boards:
                self._boards[key] = Boards(plan)
            return plan, self._boards[key]

    def _secret(self, entry_id: int) -> int:
        row = self._database.row("SELECT secret FROM entries WHERE id = ?", entry_id)
        assert row is not None
        return int(row["secret"])

    def _sandbox(self, plan: Plan) -> Sandbox:
        """The sandbox for the controllers of a plan; which level works here is tested once."""
        files = files_of(plan.entries)
        roots = [root for root in self._unpacked.values() if any(file.is_relative_to(root) for file in files)]
        hidden = self._hidden(*roots)
        with self._lock:
            if self._level is None:
                self._level = sandbox_for(plan, self._isolation, hidden, roots).level
        return Sandbox(self._level, plan.restrictions, view(files, (*plan.hidden, *hidden), roots))


def _works() -> list[Callable[..., bool]]:
    """What tracks want workers to do between plays; of one that cannot be loaded, an error is printed."""
    found = []
    for name in tracks.names():
        try:
            place = tracks.find(name).on_site.work
            module, _, function = place.partition(":")
            if place:
                found.append(getattr(import_module(module), function))
        except Exception as error:  # a package is an arbitrary program
            print(f"the work of the track {name} is not done: {printable(f'{error!r:.300}')}", file=sys.stderr)
    return found


def _shown(facts: dict[str, Any], roots: Sequence[Path]) -> dict[str, Any]:
    """A plan with the files of programs as they are in their archives, not as they lie on this machine."""
    text = json.dumps(facts)
    for root in roots:
        text = text.replace(json.dumps(f"{root}/")[1:-1], "")
    shown: dict[str, Any] = json.loads(text)
    return shown


def evaluation_plays(database: Database, competition: Competition, entry_id: int) -> list[jobs.Play]:
    """The plays of a new entry: on every set except those for testing; in two-player games, against all baselines."""
    rivals = [one.id for one in entries.of_competition(database, competition) if one.is_baseline]
    queued = []
    for chosen in competition.evaluation_sets:
        boards = set_boards(competition, chosen.name)
        queued += jobs.plays_of_set(chosen, boards, entry_id, rivals, range(competition.settings.repeats))
    return queued


def set_boards(competition: Competition, set_name: str) -> Boards:
    """The games of a set, loaded."""
    return Boards(competition.settings.plan(set_name, (), 1, 0))


def settle(database: Database, competition: Competition, entry_id: int) -> None:
    """Conclude the evaluation of an entry if none of its plays are left."""
    left = database.row(
        "SELECT 1 AS one FROM jobs WHERE entry_id = ? AND phase = 'evaluation' "
        "AND state IN ('waiting', 'taken') LIMIT 1",
        entry_id,
    )
    if left is not None:
        return
    played = [
        play.result
        for play in plays.of_entry(database, entry_id)
        if play.phase == jobs.EVALUATION and entry_id in play.entries
    ]
    if not played:
        return
    name = str(entry_id)
    entry = registry.Entry(name, name, "", "")
    plan = competition.settings.plan(competition.evaluation_sets[0].name, (entry,), 1, 0)
    outcome = judge(played, plan)
    with database.transaction() as transaction:
        jobs.conclude(transaction, entry_id, outcome, database.now())


def can_isolate(isolation: str) -> Level:
    """The level of isolation that works here.

    Raises:
        IsolationError: none does.
    """
    try:
        entry = CONTROLLERS.find("random")
        settings = competitions.Settings((competitions.SetOfGames("t", competitions.Role.TRAINING, "training"),))
        return sandbox_for(settings.plan("t", (entry,), 1, 0), isolation).level
    except OSError as error:
        raise IsolationError(str(error)) from error
