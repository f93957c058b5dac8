"""One play of a plan: agents are started, the play is run, and its record is put together."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.contest.controller_adapter import service
from vgdl.competition.contest.plan import Boards, Fixture, Plan, fixtures
from vgdl.competition.contest.play import Referee
from vgdl.competition.contest.seeds import derive, derive_key
from vgdl.competition.results.records import PlayResult

TRIES = 3
"""How often a play is begun whose machine was too busy to judge it."""


@dataclass(frozen=True, slots=True)
class PlayRecord:
    """A finished play with all that a store keeps of it."""

    fixture: int
    result: PlayResult
    actions: tuple[tuple[str | None, ...], ...]  #: names per tick and player; None for a player who was not asked
    used: tuple[tuple[float, ...], ...]  #: per player: what each of its answers used, in the unit of the rules
    isolation: dict[str, Any]  #: level, source of CPU times, core, and how often the play was void before
    seconds: float  #: on the wall
    waited_ms: float  #: that controllers were ready to answer and had no core


class Stopped(Exception):
    """The play was stopped from outside before it had a result."""


class Competition:
    """The plays of a plan, to be played one by one."""

    def __init__(self, plan: Plan, sandbox: Sandbox, boards: Boards | None = None) -> None:
        """Get ready to play.

        Args:
            plan: what is played.
            sandbox: how controllers are kept.
            boards: those of the plan; they are loaded if not given.

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
        """Play one fixture in fresh processes; several threads may do so at a time.

        A play in which the machine was too busy to judge an answer is void, and is played again.

        Args:
            number: of the fixture.
            cores: that the controllers are pinned to, in the order of players; one for all, or none for any.

        Raises:
            Stopped: ``stop`` was called.
            IsolationError: controllers cannot be kept as they should be.
            MachineBusy: the play was void too often.
        """
        for void in range(TRIES):
            try:
                return self._play_once(number, cores or (None,), void)
            except MachineBusy as reason:
                why = reason
        raise MachineBusy(f"{self.fixtures[number]} was void {TRIES} times: {why}")

    def _play_once(self, number: int, cores: Sequence[int | None], void: int) -> PlayRecord:
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
            referee = Referee(state, players, self.plan.rules, self.plan.secret, labels, stirring)
            referee.run()
            waited_ms = sum(agent.waited_ms for agent in agents)
            core = cores[0] if len(cores) == 1 else list(cores)
            isolation = {"level": self.sandbox.level, "cpu times": agents[0].clock_source, "core": core, "void": void}
        if self._stopped.is_set():
            raise Stopped
        names = tuple(tuple(None if action is None else action.name for action in tick) for tick in referee.actions)
        return PlayRecord(
            fixture=number,
            result=PlayResult(*fixture.place, seed, stirring, state.tick, referee.results, state.error or ""),
            actions=names,
            used=referee.used,
            isolation=isolation,
            seconds=time.monotonic() - began,
            waited_ms=waited_ms,
        )

    @property
    def agents(self) -> frozenset[AgentProcess]:
        """The agents of the plays that are being played."""
        return frozenset(self._agents)

    def stop(self) -> None:
        """End all plays that are being played; they have no result."""
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
        if self._stopped.is_set():  # while the process was started, when `stop` could not know of it
            raise Stopped
        return agent
