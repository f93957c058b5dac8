"""The tournament: on each stage all analyses, then a round robin; results are yielded as soon as they are available.

Stages are played in parallel, one per core. Each stage is sequential, so systems never compete for the core on which
they are measured.
"""

from __future__ import annotations

import contextlib
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import IsolationError, Sandbox
from vgdl.competition.tracks.othello.contestant import Contestant
from vgdl.competition.tracks.othello.game import Game
from vgdl.competition.tracks.othello.games import GameRecord
from vgdl.competition.tracks.othello.plan import Fixture, Plan
from vgdl.competition.tracks.othello.results import Results
from vgdl.competition.tracks.othello.store import Analysis
from vgdl.tabletop.othello import Rules

STOP_S = 60.0
"""Seconds to wait for a stage that was stopped."""

TRIES = 3
"""Tries of a stage if the machine is too busy to measure an answer."""


class Stopped(Exception):
    """The tournament was stopped from outside."""


@dataclass(frozen=True, slots=True)
class AnalysisDone:
    """An analysis has ended."""

    analysis: Analysis
    isolation: dict[str, Any]


@dataclass(frozen=True, slots=True)
class GameDone:
    """A game has ended."""

    fixture: Fixture
    record: GameRecord
    seconds: float  #: wall time
    waited_ms: float  #: time in which systems were ready to run but had no core


Done = AnalysisDone | GameDone


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of work for a thread: a stage with one analysis budget."""

    stage: int
    budget: int
    games: tuple[Fixture, ...]  #: the games still to be played
    systems: tuple[str, ...]  #: the systems that are needed for them, or whose analysis is not done
    known: frozenset[str]  #: the systems that had a strategy before an interruption


class Tournament:
    """Plays the remaining games of a plan."""

    def __init__(self, plan: Plan, sandbox: Sandbox) -> None:
        """Prepare without starting any process."""
        self._plan = plan
        self._sandbox = sandbox
        self._running: set[Contestant] = set()
        self._stopped = threading.Event()
        self._threads: list[threading.Thread] = []

    def units(self, results: Results) -> list[Unit]:
        """The remaining work, stage by stage."""
        found = []
        for stage in range(len(self._plan.stages)):
            for budget in range(len(self._plan.budgets_ms)):
                games = tuple(one for one in results.pending if (one.stage, one.budget) == (stage, budget))
                playing = {name for one in games for name in one.names}
                systems = tuple(
                    name for name in self._plan.names if name in playing or not results.analysis(stage, name, budget)
                )
                known = frozenset(name for name in systems if results.analysis(stage, name, budget))
                if systems:
                    found.append(Unit(stage, budget, games, systems, known))
        return found

    def play(self, units: Sequence[Unit], cores: Sequence[int | None]) -> Iterator[Done]:
        """Play units, as many at a time as there are cores; yields results as they come.

        Raises:
            IsolationError: systems cannot be isolated as required.
            MachineBusy: the machine was repeatedly too busy to measure answers on a stage.
            RuntimeError: the referee itself failed.
        """
        todo: queue.SimpleQueue[Unit] = queue.SimpleQueue()
        for unit in units:
            todo.put(unit)
        done: queue.SimpleQueue[Done | BaseException | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, args=(core, todo, done), daemon=True) for core in cores[: len(units)]
        ]
        for thread in self._threads:
            thread.start()
        working = len(self._threads)
        while working:
            outcome = done.get()
            if outcome is None:
                working -= 1
            elif isinstance(outcome, BaseException):
                self.stop()
                if isinstance(outcome, IsolationError | MachineBusy):
                    raise outcome
                raise RuntimeError("the referee failed; this is a bug of the arena") from outcome
            else:
                yield outcome

    def stop(self) -> None:
        """Abort all games in progress, and wait until the processes have ended."""
        self._stopped.set()
        for contestant in tuple(self._running):
            contestant.kill()
        for thread in self._threads:
            thread.join(STOP_S)

    def _work(
        self,
        core: int | None,
        todo: queue.SimpleQueue[Unit],
        done: queue.SimpleQueue[Done | BaseException | None],
    ) -> None:
        try:
            with contextlib.suppress(queue.Empty, Stopped):
                while True:
                    self._play_stage(todo.get_nowait(), core, done.put)
        except BaseException as error:
            done.put(error)
        finally:
            done.put(None)

    def _play_stage(self, unit: Unit, core: int | None, hand_on: Callable[[Done], None]) -> None:
        """Play a unit; after an answer that cannot be measured, the rest is played with fresh processes."""
        done: list[Done] = []

        def note(one: Done) -> None:
            done.append(one)
            hand_on(one)

        for void in range(TRIES):
            try:
                return self._play_unit(_rest(unit, done), core, note)
            except MachineBusy as reason:
                if void == TRIES - 1:
                    raise MachineBusy(f"stage {unit.stage} was void {TRIES} times: {reason}") from None

    def _play_unit(self, unit: Unit, core: int | None, hand_on: Callable[[Done], None]) -> None:
        with contextlib.ExitStack() as stack:
            contestants: dict[str, Contestant] = {}
            for name in unit.systems:
                contestant = Contestant(self._plan, unit.stage, unit.budget, name, self._sandbox, core)
                contestants[name] = stack.enter_context(contestant)
                self._running.add(contestant)
                stack.callback(self._running.discard, contestant)
                self._check_running()
                analysis = contestant.analyse()
                self._check_running()
                hand_on(AnalysisDone(analysis, contestant.isolation))
            for fixture in unit.games:
                black, white = (contestants[name] for name in fixture.names)
                if any(one.failure and one.name not in unit.known for one in (black, white)):
                    continue  # not entered on this stage; one that was before has lost instead
                result = self._play_game(fixture, black, white)
                self._check_running()
                hand_on(result)

    def _play_game(self, fixture: Fixture, black: Contestant, white: Contestant) -> GameDone:
        began, waited = time.monotonic(), black.waited_ms + white.waited_ms
        stage = self._plan.stages[fixture.stage]
        chance = random.Random(self._plan.seed("fallback", fixture.number))
        game = Game(stage, Rules(stage), self._plan.game_ms, chance)
        with black.playing(fixture) as first, white.playing(fixture) as second:
            told = {"blackSystem": black.told, "whiteSystem": white.told}
            record = game.play(first, second, {side: facts for side, facts in told.items() if facts})
        waited_ms = black.waited_ms + white.waited_ms - waited
        return GameDone(fixture, record, time.monotonic() - began, max(waited_ms, 0.0))

    def _check_running(self) -> None:
        if self._stopped.is_set():
            raise Stopped


def _rest(unit: Unit, done: Sequence[Done]) -> Unit:
    """The rest of a unit: finished analyses count, and are only repeated for the remaining games."""
    played = {one.fixture for one in done if isinstance(one, GameDone)}
    analyses = {one.analysis.system: one.analysis for one in done if isinstance(one, AnalysisDone)}
    without = {name for name, analysis in analyses.items() if not analysis.has_strategy and name not in unit.known}
    games = tuple(one for one in unit.games if one not in played and without.isdisjoint(one.names))
    playing = {name for one in games for name in one.names}
    systems = tuple(name for name in unit.systems if name in playing or name not in analyses)
    return replace(unit, games=games, systems=systems, known=unit.known | analyses.keys() - without)
