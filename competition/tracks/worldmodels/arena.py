"""Runs: synthesise programs, select among them and play them; every result is stored as soon as it is available.

Worker threads do the work; only the main thread writes to the store. Resuming repeats unfinished work with replies from
the cache and evaluations from the store, so no model is asked twice.
"""

from __future__ import annotations

import argparse
import contextlib
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.chat.session import ChatSession
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
from vgdl.competition.tracks.worldmodels.results import show
from vgdl.competition.tracks.worldmodels.runs import Author, SynthesisRun, chat_session, sandbox_of, synthesis_facts
from vgdl.competition.tracks.worldmodels.scripted import ScriptMissing
from vgdl.competition.tracks.worldmodels.searching import Search
from vgdl.competition.tracks.worldmodels.store import SynthesisRow, WorldModelsStore
from vgdl.competition.tracks.worldmodels.trajectories import Play, mixed_policies, record
from vgdl.competition.tracks.worldmodels.workers import Kept
from vgdl.competition.tracks.worldmodels.worlds import World


def compete(chosen: argparse.Namespace) -> int:
    """Run the command for authors that write turn-based games as Python; see `authors.Compete`."""
    from vgdl.competition.tracks.worldmodels.options import plan_of

    with contextlib.ExitStack() as stack:
        if chosen.resume:
            store = stack.enter_context(WorldModelsStore.open(Path(chosen.resume)))
            plan = store.run
            sandbox = sandbox_of(chosen)
        else:
            plan = plan_of(chosen)
            for world in plan.worlds():
                world.interface()  # an uninstalled game leaves no file behind
            sandbox = sandbox_of(chosen)
            store = stack.enter_context(WorldModelsStore.begin(Path(chosen.store) if chosen.store else None, plan))
        session = stack.enter_context(chat_session(chosen, store.path, plan.author))
        status = _Run(chosen, plan, store, session, sandbox).go()
        show(store, chosen.json, chosen.csv, beside_published=not chosen.no_published)
    return status


class _Run(SynthesisRun):
    """One session of a run."""

    _plan: Plan
    _store: WorldModelsStore

    def __init__(
        self,
        chosen: argparse.Namespace,
        plan: Plan,
        store: WorldModelsStore,
        session: ChatSession,
        sandbox: Sandbox,
    ) -> None:
        super().__init__(chosen, plan, store, session, isolation=sandbox.level)
        self._sandbox = sandbox
        self._programs: dict[tuple[int, int], IsolatedProgram] = {}
        self._tests: dict[str, list[Play]] = {}

    def _work(self) -> None:
        done = {row.number for row in self._store.syntheses()}
        for task in self._plan.tasks():
            if task.number not in done:
                self._test_plays(self._plan.world(task.game))
        self._synthesise("programs", self._plan.tasks(), self._one_synthesis)
        if not self._workers.lost:
            self._choose_values()
            self._reject()
            self._play()

    def _close(self) -> None:
        for isolated in self._programs.values():
            isolated.close()

    # ------------------------------------------------------------------------------------------------- synthesis

    def _one_synthesis(self, task: Task, kept: Kept) -> tuple[str, dict[str, Any]]:
        plan, world = self._plan, self._plan.world(task.game)
        problem = self._problem(task, kept)
        author = Author(self._session, self._model, plan, ("program", task.game, task.deck, task.index))
        seed = plan.seed("synthesis", task.game, task.deck, task.index)
        found = self._written(task, problem, author, seed)
        tests = self._tests[world.name]
        tested = replace_plays(problem, tests, self._plan.sizes.test_transitions, plan.secret)
        source, facts = synthesis_facts(found, problem, tested)
        if source and not world.is_perfect and task.deck == "open" and plan.sampler == "history":
            with IsolatedProgram(source, problem.interface, self._sandbox) as isolated:
                measured = distance(isolated, world, tests, plan.seed("distance", task.game, task.index))
            facts["distance"] = None if measured is None else asdict(measured)
        return source, facts

    def _problem(self, task: Task, kept: Kept) -> TabletopProblem:
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
            kept=kept,
        )

    def _test_plays(self, world: World) -> None:
        """Record the test plays of a game, unless they are in the store."""
        if self._store.test_plays(world.name) is None:
            self._display.say(f"{world.title}: recording {self._plan.sizes.test_plays} test plays")
            self._store.add_test_plays(world.name, recorded_test_plays(self._plan, world))
        self._tests[world.name] = self._store.test_plays(world.name) or []

    # ------------------------------------------------------------------------------------------------- selection

    def _choose_values(self) -> None:
        """Ask for value functions and select at most one per program by a tournament."""
        sizes = self._plan.sizes
        done = self._store.values()
        left = [row for row in self._store.syntheses() if row.number not in done and row.program]
        if not sizes.values:
            return
        self._display.begin("value functions", len(done) + len(left), len(done))
        for row in left:
            source, facts = self._value(row)
            self._store.add_value(row.number, source, facts)
            self._keep_usage()
            self._display.add(f"{row.game}, program {row.position + 1}")

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
        told = [{"program": each.source, "fault": each.fault} for each in candidates]
        return won, {"candidates": told, "means": means, "note": ""}

    def _reject(self) -> None:
        """Reject bad programs of games with imperfect information."""
        done = self._store.survivors()
        rows = self._store.syntheses()
        groups = list(dict.fromkeys((row.game, row.deck) for row in rows))
        left = [group for group in groups if group not in done]
        self._display.begin("choice of programs", len(groups), len(groups) - len(left))
        for game, deck in left:
            chosen = [row for row in rows if (row.game, row.deck) == (game, deck) and row.program]
            self._store.add_survivors(game, deck, self._survivors(game, deck, chosen))
            self._display.add(f"{game}, {deck} deck")

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

    def _play(self) -> None:
        done = {row.number for row in self._store.matches()}
        fixtures = self._plan.fixtures()
        left = [fixture for fixture in fixtures if fixture.number not in done]
        self._display.begin("matches", len(fixtures), len(done))
        rows = {row.number: row for row in self._store.syntheses()}
        values = self._store.values()
        survivors = self._store.survivors()

        def work(fixture: Fixture) -> tuple[dict[str, Any], dict[str, Any]]:
            numbers = survivors.get((fixture.game, fixture.deck), {}).get("survivors", [])
            draws = Random(self._plan.seed("program", fixture.number))
            row = rows[draws.choice(numbers)] if numbers else None
            value = values.get(row.number, ("", {}))[0] if row else ""
            return self._one_match(fixture, row, value)

        for fixture, (facts, told) in self._workers.map(left, work):
            self._store.add_match(fixture, facts, told, self._number)
            self._keep_usage()
            self._display.add(f"{fixture.game}, {fixture.deck} deck, against {fixture.opponent}")

    def _one_match(
        self, fixture: Fixture, row: SynthesisRow | None, value: str
    ) -> tuple[dict[str, Any], dict[str, Any]]:
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
        facts = {
            "synthesis": row.number if row else -1,
            "value": outcome.returns[fixture.seat],
            "other": outcome.returns[other],
            "forfeited": outcome.forfeited,
            "seconds": time.monotonic() - began,
        }
        told = {"play": outcome.play, "notes": outcome.notes, "reason": outcome.reason, "online": online}
        return facts, told

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
        return PolicyPlayer(
            world, author, plays, closed=fixture.deck == "closed", misleading=plan.prompts.misleading
        )


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
