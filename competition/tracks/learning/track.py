"""The learning track: agents without a forward model learn games while they play them."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from vgdl.competition import notices
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.view import view
from vgdl.competition.agents.voids import Voids
from vgdl.competition.agents.warming import warm
from vgdl.competition.chat.accounts import PlayerLimitReached
from vgdl.competition.chat.endpoint import OpenAIChat
from vgdl.competition.chat.model import EndpointUnreachable, RequestRefused, TransportError
from vgdl.competition.chat.options import chat_session, check_costs
from vgdl.competition.chat.usage import usage_rows, usage_table
from vgdl.competition.entrants import files_of, hashes_of
from vgdl.competition.options import Groups
from vgdl.competition.progress import SHOWN
from vgdl.competition.results import Results
from vgdl.competition.seeds import derive
from vgdl.competition.store import Store
from vgdl.competition.table import Table
from vgdl.competition.track import NO_OPTIONS, Command, Place, Played, Result, Setting, Unit, UnitLost, Work
from vgdl.competition.tracks.learning import options as learning_options
from vgdl.competition.tracks.learning import tables
from vgdl.competition.tracks.learning.adapter import service
from vgdl.competition.tracks.learning.agents.chat import ChatPlayer
from vgdl.competition.tracks.learning.lesson import Lesson
from vgdl.competition.tracks.learning.plan import CHAT, Plan
from vgdl.competition.tracks.learning.players import Player, ProcessPlayer
from vgdl.competition.tracks.learning.rows import Ending, Phase, PlayRow, RunKey, RunRow
from vgdl.competition.tracks.planning.game_set import GameSet
from vgdl.competition.tracks.planning.plan import Plan as PlanningPlan
from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.tracks.planning.rules import Rules
from vgdl.competition.tracks.planning.runner import Competition
from vgdl.competition.tracks.planning.session import sandbox_for
from vgdl.controllers.registry import CONTROLLERS

if TYPE_CHECKING:
    from vgdl.competition.report.site import PageOptions, Site

TABLES: tuple[Table[Any], ...] = (
    Table("learning_runs", RunRow, "agent", "game", "repeat"),
    Table("learning_plays", PlayRow, "agent", "game", "repeat", "phase", "number"),
    usage_table("learning_usage"),
)
"""The tables of the track."""

_ENDINGS = {
    Outcome.WON: Ending.WON,
    Outcome.LOST: Ending.LOST,
    Outcome.NO_WINNER: Ending.NO_WINNER,
    Outcome.DISQUALIFIED: Ending.DISQUALIFIED,
}


class LearningTrack(Played[Plan]):
    """Agents learn training levels within a budget, and are ranked by validation levels that they have never seen."""

    name = "learning"
    summary = "agents without a forward model learn games while they play them"
    description = learning_options.DESCRIPTION
    epilog = learning_options.EXAMPLES
    tables = TABLES
    templates = "vgdl.competition.tracks.learning.pages"
    noun = "runs"
    commands: ClassVar[Mapping[str, Command]] = {
        "serve": Command("vgdl.competition.tracks.learning.server.command:main", "serve clients of the reference"),
    }

    def add_options(self, groups: Groups) -> None:
        learning_options.add(groups)

    def plan(self, options: Mapping[str, Any]) -> Plan:
        return learning_options.plan(options)

    def plan_of(self, facts: Mapping[str, Any]) -> Plan:
        return Plan.from_facts(facts)

    def work(self, plan: Plan, setting: Setting) -> LearningWork:
        return LearningWork(plan, setting)

    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> Results:
        return tables.results_of(self.plan_in(store), store)

    def pages(self, store: Store, site: Site, options: PageOptions) -> None:
        from vgdl.competition.tracks.learning.pages import write_pages

        write_pages(self.plan_in(store), store, self.results(store), site, options)


@dataclass(frozen=True, slots=True)
class PlannerTask:
    """All plays of the planner on a game."""

    game: str


class LearningWork(Work):
    """The runs of a plan."""

    def __init__(self, plan: Plan, setting: Setting) -> None:
        """Load the games, and test the sandbox with a real process.

        Raises:
            vgdl.VGDLError, LearningError, IsolationError: the plan cannot be played here.
            OptionError: costs are limited, and a price is missing.
            ChatError: an endpoint cannot be used.
        """
        check_costs(setting.options, plan.chat.endpoints)
        self._plan, self._setting = plan, setting
        self._models = {name: OpenAIChat.of(endpoint) for name, endpoint in plan.chat.endpoints.items()}
        self._courses = plan.courses()
        self._stack = contextlib.ExitStack()
        self._rows: list[RunRow] = []
        self._won: Counter[str] = Counter()
        processes = [entry for entry in plan.entries if entry.location != CHAT]
        self._sandbox = self._working_sandbox(processes) if processes else None
        self._planner = _Planner(plan, setting) if plan.planner else None
        self.total = len(plan.runs()) + (len(plan.games) if plan.planner else 0)
        self.games = [
            {
                "name": name,
                "sha256": course.game.digest,
                "levels": {str(level): board.digest for level, board in course.boards.items()},
            }
            for name, course in self._courses.items()
        ]
        self.hashes = hashes_of(plan.entries)
        self.cores = 1 if processes or plan.planner else 0  # language models need none
        if self._sandbox is not None:
            level = self._sandbox.level
            self.circumstances = {"isolation": {"level": level, "weak": level.is_weak}}

    def begin(self, store: Store, session: int) -> int:
        opened = chat_session(self._setting.options, store.path, self._plan.chat.endpoints)
        self._chat = self._stack.enter_context(opened)
        self._store, self._session = store, session
        self._rows = store.rows(RunRow)
        self._won = Counter(
            row.agent for row in store.rows(PlayRow, phase=Phase.VALIDATION) if row.ending is Ending.WON
        )
        return len(self._rows) + len({row.game for row in store.rows(PlayRow, phase=Phase.PLANNER)})

    def prepare(self, cores: Sequence[Sequence[int | None]]) -> None:
        if self._sandbox is not None:
            warm(sum(map(len, cores)), self._plan.restrictions.memory_mb)

    def units(self, store: Store) -> list[Unit]:
        done: set[Any] = {(row.agent, row.game, row.repeat) for row in store.rows(RunRow)}
        planned = {row.game for row in store.rows(PlayRow, phase=Phase.PLANNER)}
        units = [Unit(astuple(key), key) for key in self._plan.runs() if astuple(key) not in done]
        if self._plan.planner:
            units += [Unit(("", name, 0), PlannerTask(name)) for name in self._courses if name not in planned]
        return units

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        voids, task = Voids("run"), unit.task
        try:
            if isinstance(task, PlannerTask):
                assert self._planner is not None
                yield self._planner.play(task.game, place)
            else:
                yield voids.repeated(lambda: self._run(task, place, voids), title=f"{task.agent} on {task.game}")
        except (MachineBusy, TransportError, EndpointUnreachable, RequestRefused, PlayerLimitReached) as error:
            raise UnitLost(str(error)) from None

    def saved(self, result: Result) -> None:
        self._won.update(row.agent for row in result.rows if isinstance(row, PlayRow) and _counts(row))

    def ended(self) -> None:
        self._store.put(*usage_rows(self._session, self._chat.accounts))

    def line(self) -> str:
        best = self._won.most_common(SHOWN)
        return "  ".join(f"{agent} won {wins}" for agent, wins in best)

    def close(self) -> None:
        self._stack.close()

    def _working_sandbox(self, processes: Sequence[Any]) -> Sandbox:
        plan, setting = self._plan, self._setting
        folders = sorted({path.parent for path in plan.games})
        sight = view(files_of(plan.entries), (*folders, *setting.hidden_files))
        asked = service(plan.rules)
        sandbox = working_sandbox(processes, asked, plan.restrictions, sight, setting.options["isolation"])
        notices.warn_if_weak(plan.rules.clock, sandbox, setting.console)
        notices.warn_if_home_is_shown(processes, sandbox, setting.console)
        return sandbox

    def _run(self, key: RunKey, place: Place, voids: Voids) -> Result:
        """One run, whose rows are saved together."""
        began = time.monotonic()
        seed = derive(self._plan.secret, "learner", *astuple(key))
        with contextlib.ExitStack() as stack:
            player, agent = self._player(key, seed, place, stack, voids)
            course = self._courses[key.game]
            lesson = Lesson(key, course, self._plan.rules, player, self._plan.secret, on_step=lambda _: place.check())
            plays = tuple(lesson.plays())
            waited_ms = agent.waited_ms if agent else 0.0
        place.check()  # a killed agent is no failed one
        seconds = time.monotonic() - began
        isolation = str(self._sandbox.level) if agent and self._sandbox else ""
        run = lesson.run_row(seed=seed, isolation=isolation, seconds=seconds)
        return Result((run, *plays), f"{key.agent}: {key.game}", seconds, waited_ms)

    def _player(
        self, key: RunKey, seed: int, place: Place, stack: contextlib.ExitStack, voids: Voids
    ) -> tuple[Player, AgentProcess | None]:
        """The player of a run, and its process if it has one."""
        plan, entry = self._plan, self._plan.entry(key.agent)
        lot = derive(plan.secret, "types", key.game)
        if entry.location == CHAT:
            model = self._models[key.agent]
            return ChatPlayer(model, plan.chat, self._chat, plan.rules, key, lot), None
        assert self._sandbox is not None
        agent = AgentProcess(entry, service(plan.rules), self._sandbox, setup={"seed": seed}, core=place.cores[0])
        player = stack.enter_context(ProcessPlayer(agent, plan.rules, lot, voids))
        stack.enter_context(place.running(agent))
        return player, agent


class _Planner:
    """The planner's plays on the validation levels, as in the planning track."""

    def __init__(self, plan: Plan, setting: Setting) -> None:
        """Load the games again, as the planning track does.

        Raises:
            vgdl.VGDLError, IsolationError: it cannot play here.
        """
        rules = Rules()
        self._name = CONTROLLERS.find(plan.planner).ranking_name
        self._planned = PlanningPlan(
            entries=(CONTROLLERS.find(plan.planner),),
            game_set=GameSet("learning", tuple(Path(path) for path in plan.games)),
            levels=plan.rules.validation,
            repeats=plan.planner_plays,
            rules=rules,
            restrictions=plan.restrictions,
            secret=plan.secret,
        )
        sandbox = sandbox_for(self._planned, setting.options["isolation"], setting.hidden_files)
        self._competition = Competition(self._planned, sandbox)

    def play(self, game: str, place: Place) -> Result:
        """All plays on a game."""
        began = time.monotonic()
        rows: list[PlayRow] = []
        for fixture in self._competition.fixtures:
            if fixture.game == game:
                place.check()
                result = self._competition.play(fixture.number, *place.cores).result
                (player,) = result.players
                rows.append(
                    PlayRow(
                        self._name,
                        game,
                        0,
                        Phase.PLANNER,
                        len(rows),
                        result.level,
                        0,
                        result.ticks,
                        _ENDINGS[player.outcome],
                        player.score,
                        player.late_answers,
                        0.0,
                    )
                )
        return Result(tuple(rows), f"{self._name}: {game}", time.monotonic() - began)


def _counts(row: PlayRow) -> bool:
    return row.phase is Phase.VALIDATION and row.is_won
