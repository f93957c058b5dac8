"""Common parts of runs in which authors write programs or texts: models, threads, the store, and exit statuses."""

from __future__ import annotations

import argparse
import contextlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console

from vgdl.cli import program as command_name
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.chat.accounts import Accounts, Limits
from vgdl.competition.chat.cache import Cache, Mode
from vgdl.competition.chat.endpoint import OpenAIChat
from vgdl.competition.chat.model import ChatError, ChatModel, Message, Reply, Sampling
from vgdl.competition.chat.session import ChatSession, RateLimit
from vgdl.competition.interrupts import INTERRUPTED
from vgdl.competition.tracks.worldmodels.errors import MAX_TEXT
from vgdl.competition.tracks.worldmodels.plan import AuthorEntry, Task
from vgdl.competition.tracks.worldmodels.problem import Problem, prompt_version
from vgdl.competition.tracks.worldmodels.program import working_isolation
from vgdl.competition.tracks.worldmodels.progress import Display
from vgdl.competition.tracks.worldmodels.store import SynthesisStore
from vgdl.competition.tracks.worldmodels.synthesis import Author as Writer
from vgdl.competition.tracks.worldmodels.synthesis import Loop, Settings, Synthesis, call_facts
from vgdl.competition.tracks.worldmodels.workers import Kept, Workers

FAILED = 1
"""Exit status if the run could not go on; finished work is in the store."""

MOST_FAILURES = 20
"""Most failed tests of a final program that are stored with their texts."""


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
        )


def sandbox_of(chosen: argparse.Namespace) -> Sandbox:
    """Make the sandbox that the options of a command select; prints a warning if it is weak.

    Raises:
        IsolationError: it does not work here.
    """
    sandbox = working_isolation(chosen.isolation)
    if sandbox.level.is_weak:
        print("vgdl-compete: generated programs can read your files and use the network", file=sys.stderr)
    return sandbox


@contextlib.contextmanager
def chat_session(chosen: argparse.Namespace, path: Path | None, author: AuthorEntry) -> Iterator[ChatSession]:
    """Open a session with the cache, limits and accounts of a command's options, for the ``with`` block."""
    with Cache(path, Mode(chosen.cache)) as cache:
        limits = Limits(chosen.run_calls, chosen.run_tokens, chosen.run_cost)
        rate = RateLimit(chosen.rate) if chosen.rate else None
        yield ChatSession(cache, Accounts(limits, {author.detail: author.price}), rate)


def chat_model(author: AuthorEntry) -> ChatModel:
    """The model behind an author."""
    if author.kind == "endpoint":
        return OpenAIChat(author.url, author.detail, api_key_env=author.key_env)
    return author.scripted()


class SynthesisRun(ABC):
    """One session of a run.

    Worker threads do the work; only the main thread writes to the store.
    """

    def __init__(
        self, chosen: argparse.Namespace, plan: Asking, store: SynthesisStore, session: ChatSession, **facts: Any
    ) -> None:
        """Begin a session in the store.

        Args:
            chosen: the options of the command.
            plan: the author and its settings.
            store: the store of the results.
            session: the cache, limits and accounts of replies.
            facts: further JSON-compatible data about this session, for the store.
        """
        self._plan = plan
        self._store = store
        self._session = session
        self._model = chat_model(plan.author)
        self._number = store.begin_session({"jobs": chosen.jobs, "cache": chosen.cache, **facts})
        self._display = Display(Console(stderr=True), quiet=chosen.quiet)
        self._workers = Workers(chosen.jobs, {"evaluated": self._evaluated, "called": self._keep_usage})

    @abstractmethod
    def _work(self) -> None:
        """Do the remaining work."""

    def _close(self) -> None:  # noqa: B027 - most runs have nothing to close
        """Release resources."""

    def go(self) -> int:
        """Do the remaining work; returns the exit status."""
        try:
            with self._display:
                self._work()
        except (ChatError, MachineBusy) as error:
            print(f"vgdl-compete: {error}{self._again()}", file=sys.stderr)
            return FAILED
        except KeyboardInterrupt:
            return INTERRUPTED
        finally:
            self._keep_usage()
            self._close()
        if lost := self._workers.lost:
            told = f"{len(lost)} failed, the first because of: {lost[0]}"
            print(f"vgdl-compete: {told}{self._again()}", file=sys.stderr)
            return FAILED
        return 0

    def _synthesise(
        self, what: str, tasks: Sequence[Task], one: Callable[[Task, Kept], tuple[str, dict[str, Any]]]
    ) -> None:
        """Run the tasks that are not in the store, in parallel threads.

        Args:
            what: name of the results, for the display.
            tasks: all tasks of the plan.
            one: runs a task, given the cached evaluations; returns the source and facts about it.
        """
        done = {row.number for row in self._store.syntheses()}
        left = [task for task in tasks if task.number not in done]
        self._display.begin(what, len(done) + len(left), len(done))
        if not left:
            return
        kept = Kept(self._store.evaluations, self._workers)
        for task, (source, facts) in self._workers.map(left, lambda task: one(task, kept)):
            self._store.add_synthesis(task, source, facts, self._number)
            self._keep_usage()
            self._display.synthesised(task)

    def _written(self, task: Task, problem: Problem, author: Writer, seed: int) -> Synthesis:
        """Run the author's conversation or tree search on a problem."""
        plan = self._plan

        def called(found: Synthesis) -> None:  # in the thread that made the call
            self._display.called(task, found)
            self._workers.post("called")

        settings, price = plan.settings, plan.author.price
        loop = Loop(problem, author, settings, seed, price=price, reply_tokens=plan.sampling.max_tokens, watch=called)
        return loop.run()

    def _evaluated(self, evaluation: tuple[str, str]) -> None:
        self._store.evaluations[evaluation[0]] = evaluation[1]

    def _keep_usage(self, _: object = None) -> None:
        self._store.keep_usage(self._number, self._session.accounts)

    def _again(self) -> str:
        path = self._store.path
        return f"; {command_name('compete')} worldmodels --resume {path} continues the run" if path else ""


def synthesis_facts(
    found: Synthesis, problem: Problem, tested: Problem | None = None
) -> tuple[str, dict[str, Any]]:
    """Return the best program of a synthesis, and JSON-compatible facts about the synthesis.

    Args:
        found: the synthesis.
        problem: the problem that it solved.
        tested: the problem with held-out tests, for the test accuracy.
    """
    best = found.best
    facts: dict[str, Any] = {
        "stopped": found.stopped,
        "solved": found.is_solved,
        "calls": [call_facts(call) for call in found.calls],
        "tokens": found.tokens,
        "cost": found.cost,
        "nodes": [
            {"number": node.number, "parent": node.parent, "h": node.h, "refinements": node.refinements,
             "call": node.call, "program": node.source}
            for node in found.nodes
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
