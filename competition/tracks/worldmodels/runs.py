"""What runs have in common in which authors write programs or texts: models, threads, the store, and how a run ends."""

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
"""Exit status if the run could not go on; what was finished is in the store."""

MOST_FAILURES = 20
"""Failed tests of a final program that are kept with their texts."""


class Asking(Protocol):
    """What a plan says of how an author is asked."""

    @property
    def author(self) -> AuthorEntry:
        """Who is asked."""

    @property
    def sampling(self) -> Sampling:
        """How replies are sampled."""

    @property
    def settings(self) -> Settings:
        """Of the conversation or the tree search."""


@dataclass(frozen=True, slots=True)
class Author:
    """The author of one synthesis, value function or match."""

    session: ChatSession
    model: ChatModel
    plan: Asking
    key: tuple[str | int, ...]  #: what for, and the game; then what tells it from others

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
    """How the options of a command have programs kept; says so if that is weak.

    Raises:
        IsolationError: it does not work here.
    """
    sandbox = working_isolation(chosen.isolation)
    if sandbox.level.is_weak:
        print("vgdl-compete: generated programs can read your files and use the network", file=sys.stderr)
    return sandbox


@contextlib.contextmanager
def chat_session(chosen: argparse.Namespace, path: Path | None, author: AuthorEntry) -> Iterator[ChatSession]:
    """The cache, limits and accounts that the options of a command ask for, while the ``with`` block lasts."""
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

    Threads do the work and hand results over; the store is written by the main thread alone.
    """

    def __init__(
        self, chosen: argparse.Namespace, plan: Asking, store: SynthesisStore, session: ChatSession, **facts: Any
    ) -> None:
        """Begin a session in the store.

        Args:
            chosen: the options of the command.
            plan: how the author is asked.
            store: where results go.
            session: the cache, limits and accounts of replies.
            facts: what else the store notes of this session, as JSON can hold it.
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
        """Do what is left."""

    def _close(self) -> None:  # noqa: B027 - most runs have nothing to close
        """End what was started."""

    def go(self) -> int:
        """Do what is left; returns the exit status."""
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
            told = f"{len(lost)} {'was' if len(lost) == 1 else 'were'} broken off, the first since {lost[0]}"
            print(f"vgdl-compete: {told}{self._again()}", file=sys.stderr)
            return FAILED
        return 0

    def _synthesise(
        self, what: str, tasks: Sequence[Task], one: Callable[[Task, Kept], tuple[str, dict[str, Any]]]
    ) -> None:
        """Have what is not in the store written, several at a time, in threads.

        Args:
            what: is written, for the display.
            tasks: all of the plan.
            one: writes one, given the evaluations that the store has: the source and what there is to tell about it.
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
        """A conversation or a tree search of an author on a problem."""
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
        return f"; {command_name('compete')} worldmodels --resume {path} goes on" if path else ""


def synthesis_facts(
    found: Synthesis, problem: Problem, tested: Problem | None = None
) -> tuple[str, dict[str, Any]]:
    """The best program of a synthesis, and all there is to tell about it as JSON can hold it.

    Args:
        found: the synthesis.
        problem: what was to be written.
        tested: the same with other tests, for an accuracy of programs on what they were not learnt from.
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
    """Passed tests and their number, by kind."""
    return {kind: evaluation.accuracy(kind) for kind in dict.fromkeys(evaluation.kinds)}
