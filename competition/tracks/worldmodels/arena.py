"""Runs: synthesise programs, select among them and play them; every result is stored as soon as it is available.

Worker threads do the work; only the main thread writes to the store. Resuming repeats unfinished work with replies from
the cache and evaluations from the store, so no model is asked twice.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import asdict, replace
from random import Random
from typing import Any

from vgdl.competition.store import Store
from vgdl.competition.track import Place, Result, Setting, Unit, UnitLost
from vgdl.competition.tracks.worldmodels import selecting, unit_tests
from vgdl.competition.tracks.worldmodels.distance import distance
from vgdl.competition.tracks.worldmodels.errors import WorldModelError
from vgdl.competition.tracks.worldmodels.matches import (
    AbsentPlayer,
    AtRandom,
    MatchPlayer,
    ModelPlayer,
    Outcome,
    PolicyPlayer,
    TruePlanner,
    play_match,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.plan import Fixture, Plan, Task
from vgdl.competition.tracks.worldmodels.problem import (
    TabletopProblem,
    message,
    suite,
    value_prompt,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.program import IsolatedProgram
from vgdl.competition.tracks.worldmodels.runs import (
    NOT_ASKED,
    Author,
    Evaluations,
    SynthesisWork,
    sandbox_of,
    synthesis_facts,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.scripted import ScriptMissing
from vgdl.competition.tracks.worldmodels.searching import Search
from vgdl.competition.tracks.worldmodels.store import ChoiceRow, MatchRow, SynthesisRow, TestPlaysRow, ValueRow
from vgdl.competition.tracks.worldmodels.trajectories import Play, mixed_policies, record
from vgdl.competition.tracks.worldmodels.worlds import World


class ProgramsWork(SynthesisWork):
    """Authors write turn-based games as programs; these are selected among, and play.

    The stages follow each other: test plays, syntheses, value functions, choices of programs, matches.
    """

    def __init__(self, plan: Plan, setting: Setting) -> None:
        """Load the games.

        Raises:
            CompetitionError: a game is not installed, programs cannot be isolated, or the author cannot be used.
        """
        super().__init__(plan, setting)
        for world in plan.worlds():
            world.interface()  # an uninstalled game leaves no file behind
        self._plan = plan
        self._sandbox = sandbox_of(setting)
        self._programs: dict[tuple[int, int], IsolatedProgram] = {}
        self._tests: dict[str, tuple[Any, ...]] = {}  # test plays, by game
        self._lost: set[Hashable] = set()  # units of this session that the author could not be asked for
        self.games = [{"name": world.name} for world in plan.worlds()]
        self.total = len(plan.tasks()) + len(plan.fixtures())
        self.circumstances |= {"isolation": self._sandbox.level}

    def begin(self, store: Store, session: int) -> int:
        return super().begin(store, session) + store.count(MatchRow)

    def units(self, store: Store) -> list[Unit]:
        stages = (self._untested, self._unwritten, self._unvalued, self._unchosen, self._unplayed)
        found = ([unit for unit in stage(store) if unit.key not in self._lost] for stage in stages)
        return next((left for left in found if left), [])

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        work: Callable[[Any, Place], Result]
        work, task = unit.task
        try:
            yield work(task, place)
        except NOT_ASKED as error:
            self._lost.add(unit.key)
            raise UnitLost(str(error)) from None
        except UnitLost:
            self._lost.add(unit.key)
            raise

    def close(self) -> None:
        for isolated in self._programs.values():
            isolated.close()
        super().close()

    # ------------------------------------------------------------------------------------------------ test plays

    def _untested(self, store: Store) -> list[Unit]:
        unwritten = {unit.task[1].game for unit in self._unwritten(store)}
        tested = {row.game for row in store.rows(TestPlaysRow)}
        worlds = [world for world in self._plan.worlds() if world.name in unwritten - tested]
        return [Unit(("test plays", world.name), (self._test, world)) for world in worlds]

    def _test(self, world: World, place: Place) -> Result:
        """Record the test plays of a game."""
        row = TestPlaysRow(world.name, tuple(recorded_test_plays(self._plan, world)))
        return Result((row,), f"{world.title}: {self._plan.sizes.test_plays} test plays", counts=False)

    # ------------------------------------------------------------------------------------------------- synthesis

    def _unwritten(self, store: Store) -> list[Unit]:
        left = self.syntheses_left(self._plan.tasks())
        if left and not self._tests:
            self._tests = {row.game: row.plays for row in store.full_rows(TestPlaysRow)}
        return [Unit(unit.key, (self._synthesise, unit.task)) for unit in left]

    def _synthesise(self, task: Task, place: Place) -> Result:
        return self.synthesis_result(task, place, lambda task, known: self._one_synthesis(task, known, place))

    def _one_synthesis(self, task: Task, cache: Evaluations, place: Place) -> tuple[str, dict[str, Any]]:
        plan, world = self._plan, self._plan.world(task.game)
        problem = self._problem(task, cache)
        author = Author(self._session, self._model, plan, ("program", task.game, task.deck, task.index))
        seed = plan.seed("synthesis", task.game, task.deck, task.index)
        found = self.write(task, problem, author, seed, place)
        tests = self._tests[world.name]
        tested = replace_plays(problem, tests, self._plan.sizes.test_transitions, plan.secret)
        source, facts = synthesis_facts(found, problem, tested)
        if source and not world.is_perfect and task.deck == "open" and plan.sampler == "history":
            with IsolatedProgram(source, problem.interface, self._sandbox) as isolated:
                measured = distance(isolated, world, tests, plan.seed("distance", task.game, task.index))
            facts["distance"] = None if measured is None else asdict(measured)
        return source, facts

    def _problem(self, task: Task, cache: Evaluations) -> TabletopProblem:
        plan, world = self._plan, self._plan.world(task.game)
        plays = learning_plays(plan, world, task.index)
        return TabletopProblem(
            world,
            plays,
            self._sandbox,
            closed=task.deck == "closed",
            sampler=plan.sampler,
            samples=plan.samples,
            options=plan.prompts,
            cache=cache,
        )

    # ------------------------------------------------------------------------------------------------- selection

    def _unvalued(self, store: Store) -> list[Unit]:
        """Programs without a value function."""
        if not self._plan.sizes.values:
            return []
        done = {row.number for row in store.rows(ValueRow)}
        rows = [row for row in store.rows(SynthesisRow) if row.number not in done and row.program]
        return [Unit(("value", row.number), (self._choose_value, row)) for row in rows]

    def _choose_value(self, row: SynthesisRow, place: Place) -> Result:
        """Ask for value functions, and select at most one for a program by a tournament."""
        source, facts = self._value(row)
        label = f"{row.game}, value function of program {row.position + 1}"
        return Result((ValueRow(row.number, source, facts),), label, counts=False)

    def _value(self, row: SynthesisRow) -> tuple[str, dict[str, Any]]:
        plan, world = self._plan, self._plan.world(row.game)
        author = Author(self._session, self._model, plan, ("value", row.game, row.deck, row.position))
        prompt = value_prompt(world, row.program, misleading=plan.prompts.misleading)
        try:
            texts = [author.answer([message(prompt)], number).text for number in range(plan.sizes.values)]
        except ScriptMissing:
            return "", {"candidates": [], "means": [], "note": "the script has no value functions for this game"}
        seed = plan.seed("values", row.game, row.deck, row.position)
        initial = record(world, 0)["initial_state"]
        with self._isolated(row) as program:
            try:
                states = selecting.sampled_states(selecting.hosted_game(program, initial), 5, seed)
            except (WorldModelError, ValueError) as error:
                return "", {"candidates": [], "means": [], "note": str(error)}
            candidates = selecting.value_candidates(program, texts, states)
            able = [candidate.source for candidate in candidates if not candidate.fault]
            search = Search(plan.sizes.value_simulations, plan.sizes.rollouts, seconds=10 * plan.sizes.seconds)
            games = plan.sizes.value_games
            won, means = selecting.value_tournament(
                program, initial, able, games=games, search=search, seed=seed
            ) if able else ("", [])  # fmt: skip
        programs = [{"program": each.source, "fault": each.fault} for each in candidates]
        return won, {"candidates": programs, "means": means, "note": ""}

    def _unchosen(self, store: Store) -> list[Unit]:
        """Games whose programs are all written, and have not been chosen yet."""
        done = {(row.game, row.deck) for row in store.rows(ChoiceRow)}
        done |= {(unit.task[1].game, unit.task[1].deck) for unit in self._unwritten(store)}
        rows = store.rows(SynthesisRow)
        groups = [group for group in dict.fromkeys((row.game, row.deck) for row in rows) if group not in done]
        return [
            Unit(("choice", *group), (self._choose, [row for row in rows if (row.game, row.deck) == group]))
            for group in groups
        ]

    def _choose(self, rows: Sequence[SynthesisRow], place: Place) -> Result:
        """Reject bad programs of games with imperfect information."""
        game, deck = rows[0].game, rows[0].deck
        facts = self._survivors(game, deck, [row for row in rows if row.program])
        return Result((ChoiceRow(game, deck, facts),), f"{game}, {deck} deck: choice of programs", counts=False)

    def _survivors(self, game: str, deck: str, rows: Sequence[SynthesisRow]) -> dict[str, Any]:
        plan, world = self._plan, self._plan.world(game)
        interface = world.interface(closed=deck == "closed", sampler=plan.sampler)
        games = 0 if world.is_perfect else plan.sizes.rejection_games
        found = selecting.reject(
            [row.program for row in rows],
            interface,
            record(world, 0)["initial_state"],
            self._sandbox,
            games=games,
            search=Search(plan.sizes.simulations, plan.sizes.rollouts, seconds=plan.sizes.seconds),
            seed=plan.seed("rejection", game, deck),
        )
        return {
            "programs": [row.number for row in rows],
            "survivors": [rows[at].number for at in found.survivors],
            "payoffs": list(found.payoffs),
        }

    # --------------------------------------------------------------------------------------------------- matches

    def _unplayed(self, store: Store) -> list[Unit]:
        done = {row.number for row in store.rows(MatchRow)}
        left = [fixture for fixture in self._plan.fixtures() if fixture.number not in done]
        if not left:
            return []
        rows = {row.number: row for row in store.rows(SynthesisRow)}
        values = {row.number: row.program for row in store.rows(ValueRow)}
        unvalued = {(unit.task[1].game, unit.task[1].deck) for unit in self._unvalued(store)}
        survivors = {(row.game, row.deck): row.facts.get("survivors", []) for row in store.rows(ChoiceRow)}
        units = []
        for fixture in left:
            if (fixture.game, fixture.deck) in unvalued or (fixture.game, fixture.deck) not in survivors:
                continue
            numbers = survivors[fixture.game, fixture.deck]
            draws = Random(self._plan.seed("program", fixture.number))
            row = rows[draws.choice(numbers)] if numbers else None
            match = (fixture, row, values.get(row.number, "") if row else "")
            units.append(Unit(("match", fixture.number), (self._match, match)))
        return units

    def _match(self, match: tuple[Fixture, SynthesisRow | None, str], place: Place) -> Result:
        fixture = match[0]
        row = self._one_match(*match)
        label = f"{fixture.game}, {fixture.deck} deck, against {fixture.opponent}"
        return Result((row,), label, row.seconds)

    def _one_match(self, fixture: Fixture, row: SynthesisRow | None, value: str) -> MatchRow:
        plan, world, began = self._plan, self._plan.world(fixture.game), time.monotonic()
        draws = Random(plan.seed("match", fixture.game, fixture.deck, fixture.opponent, fixture.seat, fixture.index))
        program = self._program(row) if row else None
        players = [
            self._learnt(program, value, draws) if seat == fixture.seat else self._opponent(fixture, world, draws)
            for seat in range(world.players)
        ]
        outcome = play_match(world, players, draws)
        online = online_accuracy(program, outcome, world) if program else {}
        other = next(at for at in range(world.players) if at != fixture.seat)
        return MatchRow(
            fixture.number,
            fixture.game,
            fixture.deck,
            fixture.opponent,
            fixture.seat,
            row.number if row else -1,
            outcome.returns[fixture.seat],
            outcome.returns[other],
            outcome.forfeited,
            time.monotonic() - began,
            {"play": outcome.play, "notes": outcome.notes, "reason": outcome.reason, "online": online},
        )

    def _program(self, row: SynthesisRow) -> IsolatedProgram:
        """Return the program of a synthesis, in a process that this thread reuses between matches."""
        key = (threading.get_ident(), row.number)
        if key not in self._programs:
            self._programs[key] = self._isolated(row)
        return self._programs[key]

    def _isolated(self, row: SynthesisRow) -> IsolatedProgram:
        world = self._plan.world(row.game)
        interface = world.interface(closed=row.deck == "closed", sampler=self._plan.sampler)
        return IsolatedProgram(row.program, interface, self._sandbox)

    def _learnt(self, program: IsolatedProgram | None, value: str, draws: Random) -> MatchPlayer:
        if program is None:
            return AbsentPlayer()
        return ModelPlayer(program, replace(self._search(), value=value), Random(draws.getrandbits(31)))

    def _search(self) -> Search:
        sizes = self._plan.sizes
        return Search(sizes.simulations, sizes.rollouts, seconds=sizes.seconds)

    def _opponent(self, fixture: Fixture, world: World, draws: Random) -> MatchPlayer:
        own = Random(draws.getrandbits(31))
        if fixture.opponent == "gt":
            return TruePlanner(world, self._search(), own)
        if fixture.opponent == "random":
            return AtRandom(world, own)
        plan = self._plan
        author = Author(self._session, self._model, plan, ("policy", fixture.game, fixture.number))
        plays = learning_plays(plan, world, 0)
        return PolicyPlayer(world, author, plays, closed=fixture.deck == "closed", misleading=plan.prompts.misleading)


def learning_plays(plan: Plan, world: World, index: int) -> list[Play]:
    """Record the uniformly random plays that a synthesis learns from. Their seeds are even, those of test plays odd."""
    count = plan.sizes.learning_plays
    return [record(world, 2 * plan.seed("learning", world.name, index, number)) for number in range(count)]


def recorded_test_plays(plan: Plan, world: World) -> list[Play]:
    """Record the plays that programs are measured on; each player is random or searches the true game."""
    found = []
    for number in range(plan.sizes.test_plays):
        seed = 2 * plan.seed("test", world.name, number) + 1
        found.append(record(world, seed, mixed_policies(world, Random(seed), plan.sizes.test_simulations)))
    return found


def replace_plays(problem: TabletopProblem, plays: Sequence[Play], most: int, secret: int) -> TabletopProblem:
    """Return the problem with tests of other plays: at most ``most`` drawn for each kind, none of random play."""
    other = replace(problem, plays=plays)
    tests = suite(problem.world, plays, closed=problem.closed, sampler=problem.sampler, samples=problem.samples)
    draws = Random(secret)
    chosen = []
    for kind in dict.fromkeys(test.kind for test in tests):
        same = [test for test in tests if test.kind == kind and kind != "random play"]
        chosen += draws.sample(same, min(most, len(same)))
    other.tests = chosen
    return other


def online_accuracy(program: IsolatedProgram, outcome: Outcome, world: World) -> dict[str, tuple[int, int]]:
    """Count the passed and all tests of a program, by kind, on the transitions and turns of a match that it played."""
    found = {}
    plays = [outcome.play]
    closed, sampler = program.interface.closed, program.interface.sampler
    groups: dict[str, list[Any]] = {} if closed else {"transition": list(unit_tests.transition_tests(plays))}
    if not world.is_perfect:
        tests = unit_tests.inference_tests(plays, of_state=sampler == "state")
        groups["inference"] = [replace(test, closed=closed) for test in tests]
    for kind, tests_of_kind in groups.items():
        verdicts = unit_tests.run(program, tests_of_kind)
        found[kind] = (sum(verdict.passed for verdict in verdicts), len(verdicts))
    return found
