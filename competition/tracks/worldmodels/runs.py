"""Common parts of runs in which authors write programs or texts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rich.console import Group, RenderableType

from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.chat.endpoint import OpenAIChat
from vgdl.competition.chat.model import (
    ChatModel,
    EndpointUnreachable,
    Message,
    Reply,
    RequestRefused,
    Sampling,
    TransportError,
)  # fmt: skip
from vgdl.competition.chat.options import chat_session, check_costs
from vgdl.competition.chat.session import ChatSession
from vgdl.competition.chat.usage import usage_rows
from vgdl.competition.store import Store
from vgdl.competition.track import Place, Result, Setting, Unit, UnitLost, Work
from vgdl.competition.tracks.worldmodels.errors import MAX_TEXT
from vgdl.competition.tracks.worldmodels.plan import AuthorEntry, Task
from vgdl.competition.tracks.worldmodels.problem import Problem, prompt_version
from vgdl.competition.tracks.worldmodels.program import working_isolation
from vgdl.competition.tracks.worldmodels.progress import last_call, named, tree
from vgdl.competition.tracks.worldmodels.store import EvaluationRow, SynthesisRow
from vgdl.competition.tracks.worldmodels.synthesis import Author as Writer
from vgdl.competition.tracks.worldmodels.synthesis import Loop, Settings, Synthesis, call_facts

MOST_FAILURES = 20
"""Most failed tests of a final program that are stored with their texts."""


NOT_ASKED = (TransportError, EndpointUnreachable, RequestRefused)
"""Errors that cost one unit of work: the author could not be asked."""


class Asking(Protocol):
    """The parts of a plan that concern requests to an author."""

    @property
    def author(self) -> AuthorEntry:
        """The author."""

    @property
    def sampling(self) -> Sampling:
        """Settings for sampling replies."""

    @property
    def settings(self) -> Settings:
        """Settings of the conversation or the tree search."""


@dataclass(frozen=True, slots=True)
class Author:
    """The author of one synthesis, value function or match."""

    session: ChatSession
    model: ChatModel
    plan: Asking
    key: tuple[str | int, ...]  #: purpose and game, then labels that make the key unique

    def answer(self, messages: Sequence[Message], call: int) -> Reply:
        """Ask through the cache and the accounts; see `synthesis.Author`."""
        return self.session.ask(
            self.model,
            messages,
            self.plan.sampling,
            version=prompt_version(),
            key=(*self.key, call),
            label=str(self.key[1]),
            player=self.plan.author.name,
        )


def sandbox_of(setting: Setting) -> Sandbox:
    """Make the sandbox that the options of a command select; prints a warning if it is weak.

    Raises:
        IsolationError: it does not work here.
    """
    sandbox = working_isolation(setting.options["isolation"])
    if sandbox.level.is_weak:
        setting.console.print("generated programs can read your files and use the network", style="bold red")
    return sandbox


def chat_model(author: AuthorEntry) -> ChatModel:
    """The model behind an author."""
    if author.kind == "endpoint":
        return OpenAIChat.of(author)
    return author.scripted()


class Evaluations(dict[str, str]):
    """Evaluations of programs by key, as JSON; new ones are posted to the main thread, which stores them."""

    def __init__(self, known: Mapping[str, str], place: Place) -> None:
        super().__init__(known)
        self._known = known
        self._place = place

    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key, value)
        self._place.post(Result((EvaluationRow(key, json.loads(value)),), "", counts=False, replaces=True))


class SynthesisWork(Work):
    """Work in which an author writes programs or texts.

    Worker threads do the work; only the main thread writes to the store.
    """

    cores = 0
    synthesis: type[SynthesisRow] = SynthesisRow  #: type of the rows of finished syntheses

    def __init__(self, plan: Asking, setting: Setting) -> None:
        """Prepare, before there is a store.

        Args:
            plan: the author and its settings.
            setting: the circumstances of the session.

        Raises:
            ChatError: the author cannot be used.
            OptionError: costs are limited, and the price is missing.
        """
        check_costs(setting.options, plan.author.endpoints(), "run_cost", "max_cost")
        self._asking, self._setting = plan, setting
        self._model = chat_model(plan.author)
        self._stack = contextlib.ExitStack()
        self._trees: dict[Task, Synthesis] = {}
        self._evaluations: dict[str, str] = {}
        self.circumstances: dict[str, Any] = {"cache": setting.options["cache"]}

    def begin(self, store: Store, session: int) -> int:
        endpoints = self._asking.author.endpoints()
        opened = chat_session(self._setting.options, store.path, endpoints, prefix="run")
        self._session = self._stack.enter_context(opened)
        self._store, self._number = store, session
        self._evaluations = {row.key: json.dumps(row.facts) for row in store.full_rows(EvaluationRow)}
        return store.count(self.synthesis)

    def syntheses_left(self, tasks: Sequence[Task]) -> list[Unit]:
        """The tasks that are not in the store."""
        done = {row.number for row in self._store.rows(self.synthesis)}
        return [Unit(("synthesis", task.number), task) for task in tasks if task.number not in done]

    def synthesis_result(
        self, task: Task, place: Place, one: Callable[[Task, Evaluations], tuple[str, dict[str, Any]]]
    ) -> Result:
        """Run a task.

        Args:
            task: the task.
            place: where it runs.
            one: runs it, given the known evaluations; returns the source and facts about it.

        Raises:
            UnitLost: the author could not be reached.
        """
        try:
            source, facts = one(task, Evaluations(self._evaluations, place))
        except NOT_ASKED as error:
            raise UnitLost(str(error)) from None
        finally:
            self._trees.pop(task, None)
        row = self.synthesis(task.number, task.game, task.deck, task.index, source, facts)
        return Result((row,), named(task))

    def write(self, task: Task, problem: Problem, author: Writer, seed: int, place: Place) -> Synthesis:
        """Run the author's conversation or tree search on a problem."""
        plan = self._asking

        def watch(synthesis: Synthesis) -> None:
            self._trees[task] = synthesis
            place.post(Result((), f"{named(task)}: {last_call(synthesis)}", counts=False))

        settings, price = plan.settings, plan.author.price
        loop = Loop(problem, author, settings, seed, price=price, reply_tokens=plan.sampling.max_tokens, watch=watch)
        return loop.run()

    def saved(self, result: Result) -> None:
        for row in result.rows:
            if isinstance(row, EvaluationRow):
                self._evaluations[row.key] = json.dumps(row.facts)
        self.ended()

    def ended(self) -> None:
        self._store.put(*usage_rows(self._number, self._session.accounts))

    def line(self) -> RenderableType:
        return Group(*(tree(named(task), found) for task, found in list(self._trees.items())))

    def close(self) -> None:
        self._stack.close()


def synthesis_facts(
    synthesis: Synthesis, problem: Problem, tested: Problem | None = None
) -> tuple[str, dict[str, Any]]:
    """Return the best program of a synthesis, and JSON-compatible facts about the synthesis.

    Args:
        synthesis: the synthesis.
        problem: the problem that it solved.
        tested: the problem with held-out tests, for the test accuracy.
    """
    best = synthesis.best
    facts: dict[str, Any] = {
        "stopped": synthesis.stopped,
        "solved": synthesis.is_solved,
        "calls": [call_facts(call) for call in synthesis.calls],
        "tokens": synthesis.tokens,
        "cost": synthesis.cost,
        "nodes": [
            {"number": node.number, "parent": node.parent, "h": node.heuristic, "refinements": node.refinements,
             "call": node.call, "program": node.source}
            for node in synthesis.nodes
        ],
        "learning": {},
        "test": {},
        "failures": [],
        "diversity": None,
        "distance": None,
    }  # fmt: skip
    if best is None:
        return "", facts
    evaluation = best.evaluation
    facts["best"] = best.number
    facts["learning"] = counts(evaluation)
    facts["failures"] = [
        {"test": name, "code": code[:MAX_TEXT], "text": evaluation.verdicts[at].text}
        for at in evaluation.failures[:MOST_FAILURES]
        for name, code in [problem.test(at)]
    ]
    if evaluation.diversity is not None:
        facts["diversity"] = {
            "distinct": evaluation.diversity.distinct,
            "chance": evaluation.diversity.has_chance,
        }
    if tested is not None:
        facts["test"] = counts(tested.evaluate(best.source))
    return best.source, facts


def counts(evaluation: Any) -> dict[str, tuple[int, int]]:
    """Numbers of passed and of all tests, by kind."""
    return {kind: evaluation.accuracy(kind) for kind in dict.fromkeys(evaluation.kinds)}
