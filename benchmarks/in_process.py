"""A competition in one process: bundled controllers need no sandbox, and starting a process per play costs a second.

Rules, seeds and observations are those of the competition, so with a budget of calls every play has the same result as
in ``vgdl-compete``. With a clock it would not: all plays share this process and its memory.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from rich.console import Console

from vgdl import Meter
from vgdl.competition.agents.cpu_clock import Source
from vgdl.competition.agents.isolation import Level, Sandbox
from vgdl.competition.agents.output import Printed
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.service import Clock, Reply
from vgdl.competition.agents.view import view
from vgdl.competition.entrants import hashes_of
from vgdl.competition.running import work_through
from vgdl.competition.seeds import derive
from vgdl.competition.store import Store
from vgdl.competition.track import Setting
from vgdl.competition.tracks.planning.controller_adapter import ControllerAdapter, service
from vgdl.competition.tracks.planning.plan import Fixture, Plan
from vgdl.competition.tracks.planning.records import TABLES, PlayRow, opened
from vgdl.competition.tracks.planning.rules import Rules
from vgdl.competition.tracks.planning.runner import Competition
from vgdl.competition.tracks.planning.track import PlanningWork
from vgdl.controllers import Timer
from vgdl.registry import Entry


class InProcessAgent:
    """Runs a controller in this process, through the adapter used in agent processes. Its exceptions propagate."""

    clock_source = Source.NONE
    waited_ms = 0.0
    printed = Printed()  # it prints to this process's own output

    def __init__(self, entry: Entry, rules: Rules, *, player: int, seed: int) -> None:
        self._service = service(rules)
        self._meter = Meter()
        self._adapter = ControllerAdapter(entry, self._meter, player=player, seed=seed)

    def prepare(self) -> None:
        """Nothing to do: the controller is already imported."""

    def call(self, method: str, /, **arguments: Any) -> Reply:
        declared = self._service.methods[method]
        timer = Timer(budget_calls=declared.budget, meter=self._meter)
        value = getattr(self._adapter, method)(timer=timer, **arguments)
        return Reply(timer.calls_used, declared.reply(value))


class InProcessCompetition(Competition):
    """Plays one fixture at a time, in this process."""

    def __init__(self, plan: Plan) -> None:
        if plan.rules.clock is not Clock.CALLS:
            raise ValueError("one process requires a budget of calls, like calls:100")
        super().__init__(plan, Sandbox(Level.RLIMITS, plan.restrictions, view()))

    def _agent(self, stack: contextlib.ExitStack, fixture: Fixture, player: int, core: int | None) -> AgentProcess:
        seed = derive(self.plan.secret, "controller", *fixture.place, *fixture.names, player)
        agent: Any = InProcessAgent(fixture.entries[player], self.plan.rules, player=player, seed=seed)
        found: AgentProcess = agent  # only methods that InProcessAgent has are called
        return found


class InProcessWork(PlanningWork):
    """Plays the fixtures of a competition one after another."""

    def __init__(self, competition: InProcessCompetition) -> None:
        self._competition = competition
        self._plan = competition.plan
        self._plays = []
        self._replays = None
        self.total = len(competition.fixtures)
        self.cores = 0
        self.circumstances = {"backend": "in process"}

    def begin(self, store: Store, session: int) -> int:
        return store.count(PlayRow)

    def backend(self) -> None:
        """Work here."""


def play(path: Path, planned: Plan) -> bool:
    """Play what is missing from a store; returns whether all is done. An existing store has a plan of its own."""
    if path.exists():
        store = opened(path, read_only=False)
        competition = InProcessCompetition(Plan.from_facts(store.plan))
        store.check_games(competition.boards.facts())
    else:
        competition = InProcessCompetition(planned)
        facts, total = competition.boards.facts(), len(competition.fixtures)
        store = Store.create(path, planned.facts(), TABLES, games=facts, hashes=hashes_of(planned.entries), total=total)
    setting = Setting({"jobs": 1, "quiet": True}, Console(stderr=True), path)
    with store:
        try:
            work_through(store, InProcessWork(competition), setting)
        except KeyboardInterrupt:
            return False
    return True
