"""The tournament: on each stage all analyses, then a round robin; results are yielded as soon as they are available.

Stages are played in parallel, one per core. Each stage is sequential, so systems never compete for the core on which
they are measured.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.agents.voids import Voids
from vgdl.competition.track import Place
from vgdl.competition.tracks.othello.contestant import Contestant
from vgdl.competition.tracks.othello.game import Game
from vgdl.competition.tracks.othello.games import GameRecord
from vgdl.competition.tracks.othello.plan import Fixture, Plan
from vgdl.competition.tracks.othello.results import Results
from vgdl.competition.tracks.othello.store import Analysis
from vgdl.tabletop.othello import Rules


@dataclass(frozen=True, slots=True)
class AnalysisDone:
    """An analysis has ended."""

    analysis: Analysis


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
    """Plays the games of a plan."""

    def __init__(self, plan: Plan, sandbox: Sandbox) -> None:
        """Prepare without starting any process."""
        self._plan = plan
        self._sandbox = sandbox

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

    def play(self, unit: Unit, place: Place) -> Iterator[Done]:
        """Play a unit; yields results as they come. Thread-safe.

        After an answer that cannot be measured, the rest is played with fresh processes; see ``voids``.

        Raises:
            Stopped: the work is to end.
            IsolationError: systems cannot be isolated as required.
            MachineBusy: the machine was repeatedly too busy to measure answers on the stage.
        """
        done: list[Done] = []
        voids = Voids("stage")
        while True:
            try:
                for each in self._play_unit(_rest(unit, done), place, voids):
                    done.append(each)
                    yield each
                return
            except MachineBusy as busy:
                voids.note(busy, f"stage {unit.stage}")

    def _play_unit(self, unit: Unit, place: Place, voids: Voids) -> Iterator[Done]:
        with contextlib.ExitStack() as stack:
            contestants: dict[str, Contestant] = {}
            for name in unit.systems:
                place.check()
                core = place.cores[0]
                contestant = Contestant(self._plan, unit.stage, unit.budget, name, self._sandbox, core, voids)
                contestants[name] = stack.enter_context(contestant)
                stack.enter_context(place.running(contestant))
                analysis = contestant.analyse()
                place.check()
                yield AnalysisDone(replace(analysis, isolation=contestant.isolation))
            for fixture in unit.games:
                black, white = (contestants[name] for name in fixture.names)
                if any(one.failure and one.name not in unit.known for one in (black, white)):
                    continue  # not entered on this stage; one that was before has lost instead
                game = self._play_game(fixture, black, white)
                place.check()
                yield game

    def _play_game(self, fixture: Fixture, black: Contestant, white: Contestant) -> GameDone:
        began, waited = time.monotonic(), black.waited_ms + white.waited_ms
        stage = self._plan.stages[fixture.stage]
        chance = random.Random(self._plan.seed("fallback", fixture.number))
        game = Game(stage, Rules(stage), self._plan.game_ms, chance)
        with black.playing(fixture) as first, white.playing(fixture) as second:
            notes = {"blackSystem": black.log_facts, "whiteSystem": white.log_facts}
            record = game.play(first, second, {side: facts for side, facts in notes.items() if facts})
        waited_ms = black.waited_ms + white.waited_ms - waited
        return GameDone(fixture, record, time.monotonic() - began, max(waited_ms, 0.0))


def _rest(unit: Unit, done: Sequence[Done]) -> Unit:
    """The rest of a unit: finished analyses count, and are only repeated for the remaining games."""
    played = {one.fixture for one in done if isinstance(one, GameDone)}
    analyses = {one.analysis.system: one.analysis for one in done if isinstance(one, AnalysisDone)}
    without = {name for name, analysis in analyses.items() if not analysis.has_strategy and name not in unit.known}
    games = tuple(one for one in unit.games if one not in played and without.isdisjoint(one.names))
    playing = {name for one in games for name in one.names}
    systems = tuple(name for name in unit.systems if name in playing or name not in analyses)
    return replace(unit, games=games, systems=systems, known=unit.known | analyses.keys() - without)
