"""A system on one stage: its process from the analysis to the last game, with failures as results."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from vgdl.competition.agents.failure import AgentFailed
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.plain_data import Plain
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.voids import Voids
from vgdl.competition.closing import Closing
from vgdl.competition.tracks.othello import dialogue
from vgdl.competition.tracks.othello.adapter import service
from vgdl.competition.tracks.othello.board import BLACK, Board, Cell
from vgdl.competition.tracks.othello.entries import BUILT_IN
from vgdl.competition.tracks.othello.game import Choice, Side
from vgdl.competition.tracks.othello.games import TIME_FORFEIT
from vgdl.competition.tracks.othello.plan import ApiHost, ApiLevel, Failed, Fixture, Memory, Plan
from vgdl.competition.tracks.othello.stages import to_json
from vgdl.competition.tracks.othello.store import Analysis
from vgdl.tabletop.othello import ObservableApi, PaperApi, Rules

NO_STRATEGY = "it returned nothing that can be called"


class Contestant(Closing):
    """A system that analyses one stage and then plays games on it; leaving the ``with`` block ends its process."""

    def __init__(
        self,
        plan: Plan,
        stage: int,
        budget: int,
        name: str,
        sandbox: Sandbox,
        core: int | None = None,
        voids: Voids | None = None,
    ) -> None:
        """Set up the contestant without starting it.

        Args:
            plan: the tournament.
            stage: number of the stage.
            budget: number of the analysis budget.
            name: the system.
            sandbox: the isolation of its process.
            core: core to pin it to; None for any.
            voids: how often the stage was void before.
        """
        self.name = name
        self._player_name = name  # of the built-in system instead, if that plays in its place
        self.failure: AgentFailed | None = None  #: why it cannot play
        self.log_facts: dict[str, Any] = {}  #: data from its analysis, for the logs of its games
        self._plan = plan
        self._number = stage
        self._stage = plan.stages[stage]
        self._budget = budget
        self._sandbox = sandbox
        self._core = core
        self._voids = voids or Voids("stage")
        self._rules = Rules(self._stage)
        self._api = (ObservableApi if plan.api is ApiLevel.OBSERVABLE else PaperApi)(self._rules)
        self._agent: AgentProcess | None = None
        self._is_killed = False

    def close(self) -> None:
        """End the process."""
        if self._agent is not None:
            self._agent.close()
            self._agent = None

    def kill(self) -> None:
        """End the process from another thread, even while it is being started."""
        self._is_killed = True
        if self._agent is not None:
            self._agent.kill()

    @property
    def isolation(self) -> dict[str, Any]:
        """The isolation and time measurement of the system."""
        source = self._agent.clock_source if self._agent else "none"
        return {"level": self._sandbox.level, "cpu times": source, "core": self._core}

    @property
    def waited_ms(self) -> float:
        """Milliseconds so far in which the system was ready to run but had no core."""
        return self._agent.waited_ms if self._agent else 0.0

    def analyse(self) -> Analysis:
        """Start the system and let it analyse the stage; if it fails, it may be replaced by a random strategy."""
        analysis = self._analysis(self.name)
        if self.failure is not None and self._plan.failed is Failed.RANDOM:
            failure, self.failure = self.failure, None
            self.close()
            self._analysis(BUILT_IN["random"].name)
            return replace(analysis, cause=failure.cause, details=failure.details)
        return analysis

    @contextlib.contextmanager
    def playing(self, fixture: Fixture) -> Iterator[Side]:
        """The strategy's side of a game, which starts from the snapshot after the analysis."""
        if self.failure is not None or (self._agent is None and self._plan.memory is not Memory.FRESH):
            yield _Absent(self.name, self.failure or AgentFailed(NO_STRATEGY, ""))
            return
        player = 0 if fixture.black == self.name else 1
        seed = self._plan.seed("game", fixture.number, player)
        with contextlib.ExitStack() as stack:
            try:
                with self._voids.judging(self.name):
                    agent = self._player(stack)
                    agent.call("begin_game", seed=seed)
                side: Side = _Playing(self.name, agent, self._api, self._voids)
            except AgentFailed as failure:
                side = _Absent(self.name, failure)
            yield side

    def _player(self, stack: contextlib.ExitStack) -> AgentProcess:
        """The process that plays the next game, until the stack is closed."""
        if self._plan.memory is Memory.FRESH:
            self.close()
            self._strategy(self._player_name)
        assert self._agent is not None
        return stack.enter_context(self._agent.fork()) if self._plan.memory is Memory.FORK else self._agent

    def _analysis(self, name: str) -> Analysis:
        self._player_name = name
        began = time.monotonic()
        try:
            with self._voids.judging(name):
                reply, used = self._strategy(name)
        except AgentFailed as failure:
            self.failure = failure
            used = failure.used
            return Analysis(self._number, self._budget, self.name, used, failure.cause, failure.details)
        data = reply.get("told")
        extra = data if isinstance(data, dict) else {}
        facts = {**extra, "analysisTime": round(used), "wallTime": round(1000 * (time.monotonic() - began))}
        self.log_facts = facts
        return Analysis(self._number, self._budget, self.name, used, log_facts=facts)

    def _strategy(self, name: str) -> tuple[dict[str, Any], float]:
        """Start a process that has a strategy; returns its answer, and the budget used.

        Raises:
            AgentFailed: there is none within the limit.
        """
        limit = self._plan.budgets_ms[self._budget]
        reply, used = self._ask_for_strategy(name, limit)
        if used > limit:
            raise AgentFailed(TIME_FORFEIT, f"{used:.1f} ms of {limit:g} ms", used)
        if not reply.get("playable"):
            raise AgentFailed(NO_STRATEGY, "", used)
        return reply, used

    def _ask_for_strategy(self, name: str, limit: float) -> tuple[dict[str, Any], float]:
        """Start a process, give it the rules unless the referee holds them, and let it analyse the stage."""
        plan, entry = self._plan, BUILT_IN[name] if name != self.name else self._plan.entry(name)
        is_remote = plan.api_host is ApiHost.REFEREE
        setup: dict[str, Plain] = {
            "seed": plan.seed("system", self._number, self._budget, self.name),
            "api": plan.api.value,
            "clock": plan.clock.value,
            "is_remote": is_remote,
        }
        asked = service(plan.clock, limit, plan.game_ms)
        self._agent = AgentProcess(entry, asked, self._sandbox.of(entry.location), setup=setup, core=self._core)
        if self._is_killed:
            self._agent.kill()
        self._agent.prepare()
        if not is_remote:
            self._agent.call("open_stage", stage={**to_json(self._stage), "id": "", "name": ""})
        self._agent.call("load")
        board = self._stage.board()
        return _converse(
            self._agent,
            self._api,
            "analyze",
            limit,
            stage=_plain(asdict(plan.shown(self._number))),
            board=_plain(board),
            moves=_plain(self._rules.legal_moves(board, BLACK)),
            game_ms=plan.game_ms,
        )


class _Playing:
    """A strategy in a process."""

    def __init__(self, name: str, agent: AgentProcess, api: PaperApi, voids: Voids) -> None:
        self.name = name
        self._agent = agent
        self._api = api
        self._voids = voids

    def choose(self, board: Board, player: int, moves: list[Cell], left_ms: float) -> Choice:
        """Ask for a move."""
        arguments = {"board": _plain(board), "player": player, "moves": _plain(moves)}
        with self._voids.judging(self.name):
            answer, used = _converse(self._agent, self._api, "choose", left_ms, **arguments)
        return Choice(_cell(answer), used)


class _Absent:
    """A strategy whose process has ended; every move fails."""

    def __init__(self, name: str, failure: AgentFailed) -> None:
        self.name = name
        self._cause, self._details = failure.cause, failure.details

    def choose(self, board: Board, player: int, moves: list[Cell], left_ms: float) -> Choice:
        """Fail."""
        raise AgentGone(self._cause, self._details)


class AgentGone(AgentFailed):
    """A strategy has no process."""

    @property
    def is_final(self) -> bool:
        """True: it cannot be called any more."""
        return True


def _converse(
    agent: AgentProcess, api: PaperApi, method: str, budget_ms: float, **arguments: Plain
) -> tuple[Any, float]:
    """Call a method, and answer its questions to the referee until it returns; returns its value and the budget used.

    Raises:
        AgentFailed: there is no answer, or the budget was used up between two questions.
    """
    used = 0.0
    try:
        step = agent.call(method, budget_ms, **arguments)
        used += step.used
        while dialogue.DONE not in step.value:
            if dialogue.ASK not in step.value:
                raise AgentFailed("its process sent something that is not an answer", f"{step.value!r:.200}")
            if used > budget_ms:
                raise AgentFailed(TIME_FORFEIT, f"{used:.1f} ms of {budget_ms:g} ms")
            answer = dialogue.reply(api, step.value[dialogue.ASK])
            step = agent.call("go_on", budget_ms - used, reply=_plain(answer))
            used += step.used
    except AgentFailed as failure:
        failure.used += used
        raise
    return step.value[dialogue.DONE], used


def _cell(answer: object) -> Cell | None:
    if isinstance(answer, list) and len(answer) == 2 and all(type(number) is int for number in answer):
        return answer[0], answer[1]
    return None


def _plain(value: Any) -> Any:
    """Convert tuples to lists recursively."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
