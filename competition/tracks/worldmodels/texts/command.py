"""``vgdl-compete worldmodels`` for VGDL games: a model or a script writes them as VGDL text."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rich.console import Console

import vgdl
from vgdl.cli import program as command_name
from vgdl.competition.chat.model import ChatError, Message, Reply
from vgdl.competition.chat.session import ChatSession
from vgdl.competition.interrupts import INTERRUPTED
from vgdl.competition.tracks.worldmodels import options
from vgdl.competition.tracks.worldmodels.arena import (
    FAILED,
    Author,
    chat_model,
    chat_session,
    synthesis_facts,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.plan import Task
from vgdl.competition.tracks.worldmodels.progress import Display
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.hypothesis import name_of
from vgdl.competition.tracks.worldmodels.search.measures import (
    HELD_OUT,
    LEARNT_FROM,
    levels_of,
    measured,
    single_player_games,
)
from vgdl.competition.tracks.worldmodels.search.records import Play, is_repeatable, record_many
from vgdl.competition.tracks.worldmodels.synthesis import Author as Writer
from vgdl.competition.tracks.worldmodels.synthesis import Loop, Synthesis
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.competition.tracks.worldmodels.texts.plan import TextPlan
from vgdl.competition.tracks.worldmodels.texts.problem import VgdlProblem
from vgdl.competition.tracks.worldmodels.texts.results import show
from vgdl.competition.tracks.worldmodels.texts.store import TextStore
from vgdl.competition.tracks.worldmodels.workers import Kept, Workers


def compete(chosen: argparse.Namespace) -> int:
    """Run the command for VGDL games; see `authors.Compete`."""
    with contextlib.ExitStack() as stack:
        if chosen.resume:
            store = stack.enter_context(TextStore.open(Path(chosen.resume)))
            plan = store.run
        else:
            plan = options.text_plan_of(chosen)
            single_player_games(plan.games)
            store = stack.enter_context(TextStore.begin(Path(chosen.store) if chosen.store else None, plan))
        session = stack.enter_context(chat_session(chosen, store.path, plan.author))
        status = _Run(chosen, plan, store, session).go()
        show(store, chosen.json, chosen.csv)
    return status


@dataclass(frozen=True, slots=True)
class Begun:
    """An author whose first answer is a text that is there already."""

    text: str
    author: Writer

    def answer(self, messages: Sequence[Message], call: int) -> Reply:
        """The text, at no cost, and from then on what the author says; see `synthesis.Author`."""
        if call:
            return self.author.answer(messages, call)
        return Reply(f"```vgdl\n{self.text.rstrip()}\n```\n", "stop", 0, 0, "search", seconds=0.0)


class _Run:
    """One session of a run."""

    def __init__(self, chosen: argparse.Namespace, plan: TextPlan, store: TextStore, session: ChatSession) -> None:
        self._plan = plan
        self._store = store
        self._session = session
        self._model = chat_model(plan.author)
        self._number = store.begin_session({"jobs": chosen.jobs, "cache": chosen.cache})
        self._display = Display(Console(stderr=True), quiet=chosen.quiet)
        self._workers = Workers(chosen.jobs, {"evaluated": self._evaluated, "called": self._keep_usage})

    def go(self) -> int:
        """Write and measure what is left; returns the exit status."""
        done = {row.number for row in self._store.syntheses()}
        left = [task for task in self._plan.tasks() if task.number not in done]
        kept = Kept(self._store.evaluations, self._workers)
        path = self._store.path
        again = f"; {command_name('compete')} worldmodels --resume {path} goes on" if path else ""
        try:
            with self._display:
                self._display.begin("texts", len(done) + len(left), len(done))
                for task, (source, facts) in self._workers.map(left, lambda task: self._one(task, kept)):
                    self._store.add_synthesis(task, source, facts, self._number)
                    self._display.synthesised(task)
        except ChatError as error:
            print(f"vgdl-compete: {error}{again}", file=sys.stderr)
            return FAILED
        except KeyboardInterrupt:
            return INTERRUPTED
        finally:
            self._keep_usage()
        if lost := self._workers.lost:
            print(f"vgdl-compete: {len(lost)} were broken off, the first since {lost[0]}{again}", file=sys.stderr)
            return FAILED
        return 0

    def _evaluated(self, evaluation: tuple[str, str]) -> None:
        self._store.evaluations[evaluation[0]] = evaluation[1]

    def _keep_usage(self, _: object = None) -> None:
        self._store.keep_usage(self._number, self._session.accounts)

    def _one(self, task: Task, kept: MutableMapping[str, str]) -> tuple[str, dict[str, Any]]:
        """Have a text written, and measure it."""
        plan = self._plan
        problem = problem_of(plan, task, kept)
        author: Writer = Author(self._session, self._model, plan, ("program", task.game, "vgdl", task.index))
        if plan.start == "search":
            author = Begun(proposal(problem, plan.search_seconds), author)
        loop = Loop(
            problem,
            author,
            plan.settings,
            plan.seed("synthesis", task.game, task.index),
            price=plan.author.price,
            reply_tokens=plan.sampling.max_tokens,
            watch=lambda found: self._called(task, found),
        )
        source, facts = synthesis_facts(loop.run(), problem)
        facts["measures"] = self._measures(task, problem, source) if source else None
        return source, facts

    def _called(self, task: Task, found: Synthesis) -> None:
        """Take note of a call, in the thread that made it."""
        self._display.called(task, found)
        self._workers.post("called")

    def _measures(self, task: Task, problem: VgdlProblem, source: str) -> dict[str, Any] | None:
        """What a text is worth on levels that it was not learnt from; None if it is no game."""
        plan, game = self._plan, vgdl.load(task.game)
        try:
            rules = Candidate(source, {**_names(game, named=plan.named), **problem.names})
            rules.game()
        except (vgdl.VGDLError, ValueError):
            return None
        held_out = record_many(game, levels_of(game, HELD_OUT), plan.test_ticks, seed=plan.seed("test", task.game))
        try:
            return measured(rules, game, held_out, seed=plan.seed("measures", task.game), per_level=plan.plays)
        except (vgdl.VGDLRuntimeError, vgdl.VGDLError, ValueError) as error:
            return {"error": str(error)}


@lru_cache(maxsize=8)
def _recorded(ticks: int, name: str, seed: int) -> tuple[tuple[Play, ...], bool]:
    game = vgdl.load(name)
    plays = record_many(game, levels_of(game, LEARNT_FROM), ticks, seed=seed)
    return plays, is_repeatable(game, plays, seed + 1)


def problem_of(plan: TextPlan, task: Task, kept: MutableMapping[str, str] | None = None) -> VgdlProblem:
    """What is to be written for a task."""
    plays, repeatable = _recorded(plan.ticks, task.game, plan.seed("learning", task.game, task.index))
    return VgdlProblem(
        task.game,
        plays,
        repeatable,
        _names(vgdl.load(task.game), named=plan.named),
        plan.rules.get(task.game, ""),
        plan.prompts,
        kept,
    )


def proposal(problem: VgdlProblem, seconds: float) -> str:
    """What the author that searches makes of the plays of a problem, with the names of the problem."""
    text = learn(problem.plays, seconds=seconds).hypothesis.text()
    for number, name in problem.names.items():
        text = re.sub(rf"\b{name_of(number)}\b", name, text)
    return text


def _names(game: vgdl.Game, *, named: bool) -> Mapping[int, str]:
    """The names of all types, hidden ones included, which may show on other levels or in plays."""
    return dict(enumerate(game.types)) if named else {number: name_of(number) for number in range(len(game.types))}
