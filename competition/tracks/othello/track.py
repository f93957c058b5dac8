"""The Othello arena: systems adapt to boards and rules that they have never seen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from vgdl.competition import notices
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.view import view
from vgdl.competition.entrants import files_of, hashes_of
from vgdl.competition.errors import using
from vgdl.competition.options import Groups
from vgdl.competition.progress import SHOWN
from vgdl.competition.results import Results as ResultTables
from vgdl.competition.store import Reader, Store
from vgdl.competition.track import NO_OPTIONS, Command, OnSite, Place, Played, Result, Setting, Unit, Work
from vgdl.competition.tracks.othello import options as othello_options
from vgdl.competition.tracks.othello import tables
from vgdl.competition.tracks.othello.adapter import service
from vgdl.competition.tracks.othello.entering import OthelloEntering
from vgdl.competition.tracks.othello.logs import to_json, to_text
from vgdl.competition.tracks.othello.plan import Plan
from vgdl.competition.tracks.othello.results import Results
from vgdl.competition.tracks.othello.store import TABLES, GameRow, record
from vgdl.competition.tracks.othello.tournament import AnalysisDone, Tournament

if TYPE_CHECKING:
    from vgdl.competition.report.site import PageOptions, Site


class OthelloTrack(Played[Plan]):
    """On each stage every system analyses the board and returns a strategy, and all strategies meet each other."""

    name = "othello"
    summary = "the Othello arena: systems adapt to boards and rules that they have never seen"
    description = othello_options.DESCRIPTION
    epilog = f"{othello_options.STAGE_NAMES}\n\n{othello_options.EXAMPLES}"
    tables = TABLES
    sealed = ("stages",)
    templates = "vgdl.competition.tracks.othello.pages"
    noun = "games"
    on_site = OnSite(
        play="/tracks/othello/play", watch="/tracks/othello/watch", pages="vgdl.competition.tracks.othello.site:routes"
    )
    entering = OthelloEntering()
    commands: ClassVar[Mapping[str, Command]] = {
        "check": Command("vgdl.competition.tracks.othello.check_command:main", "which rules does a log obey?")
    }

    def add_options(self, groups: Groups) -> None:
        othello_options.add(groups)

    def plan(self, options: Mapping[str, Any]) -> Plan:
        return othello_options.plan(options)

    def plan_of(self, facts: Mapping[str, Any]) -> Plan:
        return Plan.from_facts(facts)

    def work(self, plan: Plan, setting: Setting) -> OthelloWork:
        return OthelloWork(plan, setting)

    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> ResultTables:
        return tables.results_of(self.plan_in(store), store)

    def pages(self, store: Store, site: Site, options: PageOptions) -> None:
        from vgdl.competition.tracks.othello.pages import write_pages

        write_pages(self.plan_in(store), store, self.results(store), site, options)

    def finish(self, store: Store, setting: Setting) -> None:
        if setting.options["logs"]:
            with using(setting.options["logs"]):
                write_logs(Path(setting.options["logs"]), self.plan_in(store), store)


class OthelloWork(Work):
    """The stages of a tournament."""

    def __init__(self, plan: Plan, setting: Setting) -> None:
        """Test the sandbox with a real process.

        Raises:
            IsolationError: systems cannot be isolated as required.
        """
        asked = service(plan.clock, plan.analysis_ms, plan.game_ms)
        sight = view(files_of(plan.entries), setting.hidden_files + _hidden(setting.options), setting.packages)
        sandbox = working_sandbox(plan.entries, asked, plan.restrictions, sight, setting.options["isolation"])
        notices.warn_if_weak(plan.clock, sandbox, setting.console)
        if setting.options["logs"]:  # before the games, which would be lost without a store
            with using(setting.options["logs"]):
                Path(setting.options["logs"]).mkdir(parents=True, exist_ok=True)
        self._tournament = Tournament(plan, sandbox)
        self._results = Results(plan)
        self.games = plan.facts()["stages"]
        self.hashes = hashes_of(plan.entries)

    @property
    def total(self) -> int:  # type: ignore[override]
        """Number of games; those of systems without a strategy are not played."""
        return self._results.done + len(self._results.pending)

    def begin(self, store: Store, session: int) -> int:
        self._results = Results.of(self._results.plan, store)
        return self._results.done

    def units(self, store: Store) -> list[Unit]:
        return [Unit((one.stage, one.budget), one) for one in self._tournament.units(self._results)]

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        analysed = set(unit.task.known)
        shown = self._results.plan.shown
        for done in self._tournament.play(unit.task, place):
            if isinstance(done, AnalysisDone):
                if done.analysis.system not in analysed:  # one that is repeated for the sake of its games is known
                    analysed.add(done.analysis.system)
                    yield Result((done.analysis,), "", counts=False)
                continue
            fixture = done.fixture
            row = GameRow.of(fixture, done.record, done.seconds, done.waited_ms)
            label = f"{shown(fixture.stage).name}: {fixture.black} - {fixture.white}"
            yield Result((row,), label, done.seconds, done.waited_ms)

    def saved(self, result: Result) -> None:
        (row,) = result.rows
        if isinstance(row, GameRow):
            self._results.add_game(row)
        else:
            self._results.add_analysis(row)

    def line(self) -> str:
        rows = self._results.overall()[:SHOWN]
        return "  ".join(f"{row.rank}. {row.name} {row.win_rate} %" for row in rows)


def write_logs(folder: Path, plan: Plan, store: Reader) -> None:
    """Write a text and a JSON log of every stage into an existing folder."""
    games = store.rows(GameRow)
    for number, stage in enumerate(plan.stages):
        records = [record(store, game.number) for game in games if game.stage == number]
        if records:
            safe = re.sub(r"[^\w.-]+", "-", stage.id)  # an id from a stage file may have any characters
            name = f"{number:02}-{safe[:50]}"
            (folder / f"{name}.json").write_text(json.dumps(to_json(records)), encoding="utf-8")
            text = to_text(records, stage, game_limit_s=plan.game_ms / 1000)
            (folder / f"{name}.log").write_text(text, encoding="utf-8")


def _hidden(options: Mapping[str, Any]) -> list[Path]:
    """Files of the tournament that systems must not see."""
    stages = [Path(name) for name in options["stages"] if name.endswith(".json")]
    return [*stages, *([Path(options["logs"])] if options["logs"] else [])]
