"""Running one play of a plan: start the agents, play, and record the result."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.voids import Voids
from vgdl.competition.seeds import derive, derive_key
from vgdl.competition.track import Stopped
from vgdl.competition.tracks.planning.controller_adapter import service
from vgdl.competition.tracks.planning.plan import Boards, Fixture, Plan, fixtures
from vgdl.competition.tracks.planning.play import Referee
from vgdl.competition.tracks.planning.records import PlayerResult, PlayerRow, PlayResult, PlayRow, rows_of


@dataclass(frozen=True, slots=True)
class PlayRecord:
    """A finished play with everything that a store keeps of it."""

    fixture: int
    result: PlayResult
    actions: tuple[tuple[str | None, ...], ...]  #: names by tick and player; None for a player who was not asked
    used: tuple[tuple[float, ...], ...]  #: by player: the budget used by each answer, in the unit of the rules
    isolation: dict[str, Any]  #: level, source of CPU times, core, and how often the play was void before
    seconds: float  #: wall time
    waited_ms: float  #: how long controllers were ready to run but had no core

    @property
    def rows(self) -> tuple[PlayRow | PlayerRow, ...]:
        """The rows of a store that keep it."""
        return rows_of(
            self.fixture,
            self.result,
            actions=self.actions,
            used=self.used,
            isolation=self.isolation,
            seconds=self.seconds,
            waited_ms=self.waited_ms,
        )


class Competition:
    """The plays of a plan, each of which can be played separately."""

    def __init__(self, plan: Plan, sandbox: Sandbox, boards: Boards | None = None) -> None:
        """Get ready to play.

        Args:
            plan: the plan of the competition.
            sandbox: the isolation of the controllers.
            boards: those of the plan; loaded if not given.

        Raises:
            vgdl.VGDLError: a game or level cannot be loaded.
            PlanError: the plan cannot be played.
        """
        self.plan = plan
        self.sandbox = sandbox
        self.boards = boards or Boards(plan)
        self.fixtures = fixtures(plan, self.boards)
        self._agents: set[AgentProcess] = set()
        self._stopped = threading.Event()

    def play(self, number: int, *cores: int | None) -> PlayRecord:
        """Play one fixture in fresh processes; thread-safe.

        A play in which the machine was too busy to judge an answer is void and is repeated. If there was a core for
        the agent, that is held against it; see ``voids``.

        Args:
            number: the number of the fixture.
            cores: cores to pin the controllers to, in the order of players; one core for all, or none for any core.

        Raises:
            Stopped: ``stop`` was called.
            IsolationError: controllers cannot be isolated as planned.
            MachineBusy: the play was void too often.
        """
        voids = Voids()
        return voids.repeated(
            lambda: self._play_once(number, cores or (None,), voids), title=str(self.fixtures[number])
        )

    def _play_once(self, number: int, cores: Sequence[int | None], voids: Voids) -> PlayRecord:
        fixture = self.fixtures[number]
        began = time.monotonic()
        seed = derive(self.plan.secret, "game", *fixture.place)
        stirring = derive_key(self.plan.secret, "stirring", *fixture.place) if self.plan.rules.stirred else ""
        state = self.boards.games[fixture.game].start(level=fixture.level, seed=seed)
        with contextlib.ExitStack() as stack:
            pinned = [cores[player % len(cores)] for player in range(len(fixture.entries))]
            agents = [self._agent(stack, fixture, player, core) for player, core in enumerate(pinned)]
            players = list(zip(fixture.names, agents, strict=True))
            labels: tuple[str | int, ...] = (*fixture.place, *fixture.names)
            referee = Referee(state, players, self.plan.rules, self.plan.secret, labels, stirring, voids)
            referee.run()
            results = tuple(map(_with_output, referee.results, agents))
            waited_ms = sum(agent.waited_ms for agent in agents)
            core = cores[0] if len(cores) == 1 else list(cores)
            source = agents[0].clock_source
            isolation = {"level": self.sandbox.level, "cpu times": source, "core": core, "void": voids.total}
        if self._stopped.is_set():
            raise Stopped
        names = tuple(tuple(None if action is None else action.name for action in tick) for tick in referee.actions)
        return PlayRecord(
            fixture=number,
            result=PlayResult(*fixture.place, seed, stirring, state.tick, results, state.error or ""),
            actions=names,
            used=referee.used,
            isolation=isolation,
            seconds=time.monotonic() - began,
            waited_ms=waited_ms,
        )

    @property
    def agents(self) -> frozenset[AgentProcess]:
        """The agents of the plays in progress."""
        return frozenset(self._agents)

    def stop(self) -> None:
        """End all plays in progress, which then have no result."""
        self._stopped.set()
        for agent in self.agents:
            agent.kill()

    def _agent(self, stack: contextlib.ExitStack, fixture: Fixture, player: int, core: int | None) -> AgentProcess:
        if self._stopped.is_set():
            raise Stopped
        entry = fixture.entries[player]
        seed = derive(self.plan.secret, "controller", *fixture.place, *fixture.names, player)
        setup = {"player": player, "seed": seed}
        agent = AgentProcess(entry, service(self.plan.rules), self.sandbox, setup=setup, core=core)
        stack.enter_context(agent)
        self._agents.add(agent)
        stack.callback(self._agents.discard, agent)
        if self._stopped.is_set():  # `stop` was called during the start, when it did not know this process yet
            raise Stopped
        return agent


def _with_output(result: PlayerResult, agent: AgentProcess) -> PlayerResult:
    """The result of a player together with what its controller printed."""
    printed = agent.printed
    return replace(result, output=printed.text, output_dropped=printed.dropped)
