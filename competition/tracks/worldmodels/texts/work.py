"""World models of VGDL games: a model or a script writes them as VGDL text, or as Python programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import vgdl
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.chat.model import Message, Reply
from vgdl.competition.store import Store
from vgdl.competition.track import Place, Result, Setting, Unit
from vgdl.competition.tracks.worldmodels.plan import Task
from vgdl.competition.tracks.worldmodels.runs import (
    Author,
    Evaluations,
    SynthesisWork,
    sandbox_of,
    synthesis_facts,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.hypothesis import name_of
from vgdl.competition.tracks.worldmodels.search.measures import (
    HELD_OUT,
    LEARNT_FROM,
    levels_of,
    measured,
    single_player_games,
)
from vgdl.competition.tracks.worldmodels.search.records import TESTERS, Play, is_repeatable, record_many
from vgdl.competition.tracks.worldmodels.store import TextRow
from vgdl.competition.tracks.worldmodels.synthesis import Author as Writer
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.competition.tracks.worldmodels.texts.observed import ObservedProblem
from vgdl.competition.tracks.worldmodels.texts.plan import TextPlan
from vgdl.competition.tracks.worldmodels.texts.problem import VgdlProblem
from vgdl.competition.tracks.worldmodels.texts.program_problem import ProgramProblem


@dataclass(frozen=True, slots=True)
class Begun:
    """An author whose first answer is a given text."""

    text: str
    author: Writer

    def answer(self, messages: Sequence[Message], call: int) -> Reply:
        """Answer the first call with the text, at no cost, and later ones by the author; see `synthesis.Author`."""
        if call:
            return self.author.answer(messages, call)
        return Reply(f"```vgdl\n{self.text.rstrip()}\n```\n", "stop", 0, 0, "search", seconds=0.0)


class TextWork(SynthesisWork):
    """Authors write VGDL games, as texts or as programs."""

    synthesis = TextRow

    def __init__(self, plan: TextPlan, setting: Setting) -> None:
        """Check the games.

        Raises:
            CompetitionError: a game cannot be learnt, programs cannot be isolated, or the author cannot be used.
        """
        super().__init__(plan, setting)
        single_player_games(plan.games)
        self._plan = plan
        self._sandbox = sandbox_of(setting) if plan.language == "python" else None
        self.games = [{"name": name} for name in plan.games]
        self.total = len(plan.tasks())
        if self._sandbox is not None:
            self.circumstances |= {"isolation": self._sandbox.level}

    def units(self, store: Store) -> list[Unit]:
        return self.syntheses_left(self._plan.tasks())

    def play(self, unit: Unit, place: Place) -> Iterator[Result]:
        yield self.synthesis_result(unit.task, place, lambda task, known: self._one(task, known, place))

    def _one(self, task: Task, evaluations: Evaluations, place: Place) -> tuple[str, dict[str, Any]]:
        """Run one synthesis, and measure its result."""
        plan = self._plan
        problem = problem_of(plan, task, evaluations, self._sandbox)
        author: Writer = Author(self._session, self._model, plan, ("program", task.game, plan.language, task.index))
        if plan.start == "search":
            author = Begun(proposal(problem, plan.search_seconds), author)
        found = self.write(task, problem, author, plan.seed("synthesis", task.game, task.index), place)
        source, facts = synthesis_facts(found, problem)
        facts["measures"] = self._measures(task, problem, source) if source else None
        return source, facts

    def _measures(self, task: Task, problem: VgdlProblem | ProgramProblem, source: str) -> dict[str, Any] | None:
        """Measure a text or a program on held-out levels; None if it is not a valid game."""
        plan, game = self._plan, vgdl.load(task.game)
        seed = plan.seed("measures", task.game)
        if isinstance(problem, ProgramProblem):
            return problem.measures(source, game, self._held_out(task, game), seed=seed)
        try:
            rules = Candidate(source, {**_names(game, named=plan.named), **problem.names})
            rules.game()
        except (vgdl.VGDLError, ValueError):
            return None
        try:
            return measured(rules, game, self._held_out(task, game), seed=seed, per_level=plan.plays)
        except (vgdl.VGDLRuntimeError, vgdl.VGDLError, ValueError) as error:
            return {"error": str(error)}

    def _held_out(self, task: Task, game: vgdl.Game) -> tuple[Play, ...]:
        plan = self._plan
        seed = plan.seed("test", task.game)
        return record_many(game, levels_of(game, HELD_OUT), plan.test_ticks, seed=seed, players=TESTERS)


@lru_cache(maxsize=8)
def _recorded(ticks: int, name: str, seed: int) -> tuple[tuple[Play, ...], bool]:
    game = vgdl.load(name)
    plays = record_many(game, levels_of(game, LEARNT_FROM), ticks, seed=seed)
    return plays, is_repeatable(game, plays, seed + 1)


def problem_of(
    plan: TextPlan, task: Task, evaluations: MutableMapping[str, str] | None = None, sandbox: Sandbox | None = None
) -> VgdlProblem | ProgramProblem:
    """Make the problem of a task.

    Args:
        plan: the plan of the run.
        task: a task of the plan.
        evaluations: cached evaluations.
        sandbox: the sandbox of Python programs.
    """
    plays, repeatable = _recorded(plan.ticks, task.game, plan.seed("learning", task.game, task.index))
    given: dict[str, Any] = {
        "name": task.game,
        "plays": plays,
        "repeatable": repeatable,
        "names": _names(vgdl.load(task.game), named=plan.named),
        "rules": plan.rules.get(task.game, ""),
        "options": plan.prompts,
        "evaluations": evaluations,
    }
    return ProgramProblem(**given, sandbox=sandbox) if plan.language == "python" else VgdlProblem(**given)


def proposal(problem: ObservedProblem, seconds: float) -> str:
    """Write a text by the search author from the plays of a problem, with the problem's names of types."""
    text = learn(problem.plays, seconds=seconds).hypothesis.text()
    for number, name in problem.names.items():
        text = re.sub(rf"\b{name_of(number)}\b", name, text)
    return text


def _names(game: vgdl.Game, *, named: bool) -> Mapping[int, str]:
    """The names of all types, including hidden ones, which may show on other levels or in plays."""
    return dict(enumerate(game.types)) if named else {number: name_of(number) for number in range(len(game.types))}
