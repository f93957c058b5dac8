"""The planning track: controllers play video games that they have never seen, with a forward model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vgdl.competition import notices
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.service import Clock
from vgdl.competition.agents.warming import warm
from vgdl.competition.entrants import hashes_of
from vgdl.competition.errors import using
from vgdl.competition.options import Groups
from vgdl.competition.progress import SHOWN
from vgdl.competition.results import Results
from vgdl.competition.store import Store
from vgdl.competition.track import NO_OPTIONS, Backend, OnSite, Place, Played, Result, Setting, Unit, UnitLost, Work
from vgdl.competition.tracks.planning import options as planning_options
from vgdl.competition.tracks.planning import tables
from vgdl.competition.tracks.planning.plan import Boards, Plan
from vgdl.competition.tracks.planning.ray_backend import RayBackend
from vgdl.competition.tracks.planning.records import TABLES, PlayResult, PlayRow, plays
from vgdl.competition.tracks.planning.runner import Competition, PlayRecord
from vgdl.competition.tracks.planning.scoring import standings
from vgdl.competition.tracks.planning.session import hiding, sandbox_for, write_replay

if TYPE_CHECKING:
    from vgdl.competition.report.site import PageOptions, Site


class PlanningTrack(Played[Plan]):
    """Every controller plays every level of every game, and places earn Formula-1 points (section IV of the paper)."""

    name = "planning"
    summary = "controllers play unknown video games with a forward model, at 40 ms per action"
    description = planning_options.DESCRIPTION
    epilog = planning_options.EXAMPLES
    tables = TABLES
    templates = "vgdl.competition.tracks.planning.pages"
    on_site = OnSite(play="/play", enter="/")

    def add_options(self, groups: Groups) -> None:
        planning_options.add(groups)

    def plan(self, options: Mapping[str, Any]) -> Plan:
        return planning_options.plan(options)

    def plan_of(self, facts: Mapping[str, Any]) -> Plan:
        return Plan.from_facts(facts)

    def work(self, plan: Plan, setting: Setting) -> PlanningWork:
        return PlanningWork(plan, setting)

    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> Results:
        return tables.results(self.plan_in(store), store, show_output=options.get("show_output", False))

    def pages(self, store: Store, site: Site, options: PageOptions) -> None:
        from vgdl.competition.tracks.planning.pages import write_pages

        write_pages(self.plan_in(store), store, self.results(store), site, options)


class PlanningWork(Work):
    """The plays of a plan."""

    def __init__(
        self, plan: Plan, setting: Setting, hidden: Sequence[Path] = (), packages: Sequence[Path] = ()
    ) -> None:
        """Load the games, and test the sandbox with a real process.

        Args:
            plan: the plan.
            setting: the circumstances of the session.
            hidden: files and folders that controllers must not see, besides the games and the store.
            packages: folders that controllers in them see as a whole.

        Raises:
            vgdl.VGDLError, PlanError, IsolationError, FilesRefused: the plan cannot be played here.
        """
        boards = Boards(plan)
        self._plan, self._setting = plan, setting
        sandbox = sandbox_for(plan, setting.options["isolation"], (*hidden, *self._hidden()), packages)
        notices.warn_if_weak(plan.rules.clock, sandbox, setting.console)
        notices.warn_if_home_is_shown(plan.entries, sandbox, setting.console)
        self._view = hidden, packages
        self._competition = Competition(plan, sandbox, boards)
        self._plays: list[PlayResult] = []
        self._replays = _folder(setting.options["replays"])
        self.total = len(self._competition.fixtures)
        self.games = boards.facts()
        self.hashes = hashes_of(plan.entries)
        self.cores = max((game.n_players for game in boards.games.values()), default=1)
        level = sandbox.level
        self.circumstances = {
            "isolation": {"level": level, "weak": level.is_weak},
            "backend": setting.options["backend"],
        }

    def begin(self, store: Store, session: int) -> int:
        hidden, packages = self._view
        files = [*hidden, *self._hidden()]
        self._competition.sandbox = hiding(self._competition.sandbox, self._plan, files, packages)
        self._plays = plays(store)
        return len(self._plays)

    def prepare(self, cores: Sequence[Sequence[int | None]]) -> None:
        if self._plan.rules.clock is not Clock.CALLS:
            warm(sum(map(len, cores)), self._plan.restrictions.memory_mb)

    def units(self, store: Store) -> list[Unit]:
        done = {row.fixture for row in store.rows(PlayRow)}
        return [Unit(each.number, each.number) for each in self._competition.fixtures if each.number not in done]

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        try:
            record = self._competition.play(unit.task, *place.cores)
        except MachineBusy as busy:  # no reason to give up the other plays
            raise UnitLost(str(busy)) from None
        yield self.result(record)

    def result(self, record: PlayRecord) -> Result:
        """A finished play as a result of the run."""
        label = f"{record.result.game}, level {record.result.level}"
        return Result(record.rows, label, record.seconds, record.waited_ms, record=record)

    def stop(self) -> None:
        self._competition.stop()

    def backend(self) -> Backend | None:
        if self._setting.options["backend"] == "local":
            return None
        address = self._setting.options["ray_address"]
        return RayBackend(self._competition, self._setting.jobs, address, self.result, hidden=self._hidden())

    def saved(self, result: Result) -> None:
        record: PlayRecord = result.record
        self._plays.append(record.result)
        if self._replays is not None:
            with using():
                write_replay(self._replays, self._competition, record)

    def line(self) -> str:
        rows = standings(self._plan, self._plays).ranking[:SHOWN]
        return "  ".join(f"{row.place}. {row.controller} {row.points}" for row in rows)

    def _hidden(self) -> list[Path]:
        """Files of the competition that controllers must not see."""
        options = self._setting.options
        return self._setting.hidden_files + [Path(file) for file in (options["replays"], options["set_dir"]) if file]


def _folder(name: str | None) -> Path | None:
    if name is None:
        return None
    folder = Path(name)
    with using():
        folder.mkdir(parents=True, exist_ok=True)
    return folder
