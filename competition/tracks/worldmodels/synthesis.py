"""The loop in which an author writes and repairs a program: a conversation, or tree search after REx (7.2, 7.3).

It is deterministic given the seed and the author's answers, so an interrupted run is repeated from the cache of replies
up to the point where it stopped, and then goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import log2
from random import Random
from typing import Any, Protocol

from vgdl.competition.chat.accounts import CHARACTERS_PER_TOKEN, Price, tokens_at_most
from vgdl.competition.chat.model import Message, Reply
from vgdl.competition.options import OptionError
from vgdl.competition.tracks.worldmodels.problem import Evaluation, Problem, message

METHODS = ("tree", "rex", "conversation")
"""``rex`` is the published tree search. ``tree`` differs from it in three points.

- A candidate that is dropped because it cannot be run, or because there is none that is better, is refined at once with
  what is wrong with it, at most `DRAFTS` times.
- Tests count by what they tell apart: those that pass and fail together in all programs so far share a weight.
- A candidate that is as good as its parent, but fails in another way than all nodes, becomes a node: it may lack one of
  two faults that hide each other.
"""

DRAFTS = 3
"""Refinements in a row of candidates that are no nodes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the refinement of programs. Names and defaults are the paper's."""

    method: str = "tree"
    heuristic_weight: float = 5.0  #: C of the tree search
    num_retries: int = 500  #: most steps of the search
    min_heuristic_value_on_init: float = 0.01  #: first candidates below it are dropped
    min_heuristic_value_gain: float = 0.01  #: least gain over its parent for a child to become a node
    max_calls: int = 500  #: calls of the author; 1000 reproduce the paper's longest runs
    max_stale_calls: int = 50  #: calls in a row without a better program, after which a search ends; 0 for no limit
    max_tokens: int | None = None  #: tokens of prompts and replies together
    max_cost: float | None = None
    context_tokens: int = 100_000  #: longest conversation; beyond it, the oldest exchanges are dropped

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(f"a program is refined by {' or '.join(METHODS)}, not {self.method!r}")
        if self.max_calls < 1 or self.num_retries < 1 or self.heuristic_weight < 0 or self.max_stale_calls < 0:
            raise OptionError("a search has one call or more, one step or more, and nothing negative")


class Author(Protocol):
    """An author: answers prompts."""

    def answer(self, messages: Sequence[Message], call: int) -> Reply:
        """Answer a conversation.

        Args:
            messages: the conversation.
            call: number of the call in this synthesis, from 0.

        Raises:
            ChatError: there is no answer; the synthesis can be resumed later.
        """


@dataclass
class Node:
    """An accepted candidate."""

    number: int
    parent: int | None
    source: str
    evaluation: Evaluation
    call: int  #: number of the call that produced it, from 1
    refinements: int = 0  #: N: number of refinements

    @property
    def heuristic(self) -> float:
        return self.evaluation.heuristic


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program of an answer."""

    source: str
    heuristic: float
    node: int | None  #: number of its node if it was accepted
    error: str = ""  #: kind of the first failure other than an assertion


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the author, and the state of the tree after it."""

    number: int  #: from 1
    refined: int | None  #: the node that was refined; None for a first version
    candidates: tuple[Candidate, ...]
    tokens: int
    cost: float
    best: float  #: largest h so far
    transition: float | None  #: share of the best candidate's transition tests that pass
    inference: float | None
    refinements: tuple[int, ...]  #: N of all nodes
    truncated: bool = False


@dataclass
class Synthesis:
    """The result of a run of the loop."""

    nodes: list[Node] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    stopped: str = ""  #: reason for the end: ``solved``, or the limit that was reached
    tokens: int = 0
    cost: float = 0.0

    @property
    def best(self) -> Node | None:
        """The node with the largest h, the earliest of equals."""
        return max(self.nodes, key=lambda node: node.heuristic, default=None)

    @property
    def is_solved(self) -> bool:
        return self.best is not None and self.best.evaluation.is_solved


def beta_parameters(pass_rate: float, refinements: int, weight: float = 5.0) -> tuple[float, float]:
    """α and β of a node's Beta distribution.

    The paper on code world models prints β = 1 + (1 − C)·h, which is negative for C = 5 and h > 0.25; this is the
    formula of REx, whose β grows by 1 with each refinement that did not solve the problem (7.3).
    """
    return 1.0 + weight * pass_rate, 1.0 + weight * (1.0 - pass_rate) + refinements


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate that is no node, to be refined next."""

    source: str
    evaluation: Evaluation
    parent: Node | None
    number: int  #: among those in a row, from 1


class Weights:
    """The tests of a problem, grouped by which programs pass them."""

    def __init__(self) -> None:
        self._groups: list[int] = []

    def add(self, evaluation: Evaluation) -> None:
        """Distinguish tests by one more program."""
        self._groups = self._groups or [0] * len(evaluation.verdicts)
        pairs = list(zip(self._groups, (verdict.passed for verdict in evaluation.verdicts), strict=True))
        numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
        self._groups = [numbers[pair] for pair in pairs]

    def share(self, evaluation: Evaluation) -> float:
        """The share of the tests that a program passes; a group of n tests weighs log2(1 + n)."""
        sizes = Counter(self._groups)
        passed = Counter(
            group for group, verdict in zip(self._groups, evaluation.verdicts, strict=True) if verdict.passed
        )
        weights = {group: log2(1 + size) for group, size in sizes.items()}
        whole = sum(weights.values())
        return sum(weights[group] * passed[group] / sizes[group] for group in sizes) / whole if whole else 0.0


Watcher = Callable[[Synthesis], None]
"""Called after every call of the author."""


class Loop:
    """One synthesis."""

    def __init__(
        self,
        problem: Problem,
        author: Author,
        settings: Settings,
        seed: int,
        *,
        price: Price | None = None,
        reply_tokens: int = 4096,
        watch: Watcher | None = None,
    ) -> None:
        """Prepare the loop.

        Args:
            problem: the problem to solve.
            author: the author.
            settings: settings of the loop.
            seed: seed of the draws of nodes and tests.
            price: price of the author, for the limit on cost.
            reply_tokens: most tokens of a reply, for the limits.
            watch: called after every call of the author.
        """
        self._problem = problem
        self._author = author
        self._settings = settings
        self._draws = Random(seed)
        self._price = price or Price()
        self._reply_tokens = reply_tokens
        self._watch = watch
        self._known: dict[str, Evaluation] = {}
        self._synthesis = Synthesis()
        self._weights = Weights()
        self._draft: Draft | None = None
        self._had_program = True  # whether the last answer had one

    def run(self) -> Synthesis:
        """Ask the author until a program passes all tests, or a limit is reached.

        Raises:
            ChatError: the author cannot be reached; a later run goes on from there.
        """
        steps = self._conversation if self._settings.method == "conversation" else self._tree
        best, stale = -1.0, 0
        for _ in range(self._settings.num_retries):
            if not steps():
                break
            if self._synthesis.is_solved:
                self._synthesis.stopped = "solved"
                break
            now = max((candidate.heuristic for candidate in self._synthesis.calls[-1].candidates), default=-1.0)
            best, stale = (now, 0) if now > best else (best, stale + 1)
            if stale == self._settings.max_stale_calls != 0:
                self._synthesis.stopped = "max_stale_calls"
                break
        self._synthesis.stopped = self._synthesis.stopped or "num_retries"
        return self._synthesis

    # ------------------------------------------------------------------------------------------------ tree search

    @property
    def _is_published(self) -> bool:
        return self._settings.method == "rex"

    def _tree(self) -> bool:
        """Refine the draft, or else the node with the largest draw; returns False if a limit is reached."""
        nodes, draft = self._synthesis.nodes, self._draft
        if draft is not None:
            prompt = self._problem.refine_prompt(draft.source, draft.evaluation, self._draws)
            return self._ask_fresh(draft.parent, prompt)
        if not nodes:
            prompt = self._problem.first_prompt(self._draws)
            if not self._is_published and not self._had_program:
                prompt = f"{prompt}\n\n{self._problem.complaint(None)}"
            return self._ask_fresh(None, prompt)
        drawn = [self._draws.betavariate(*self._beta(node)) for node in nodes]
        chosen = nodes[drawn.index(max(drawn))]
        return self._ask_fresh(chosen, self._problem.refine_prompt(chosen.source, chosen.evaluation, self._draws))

    def _beta(self, node: Node) -> tuple[float, float]:
        return beta_parameters(self._value(node.evaluation), node.refinements, self._settings.heuristic_weight)

    def _value(self, evaluation: Evaluation) -> float:
        """How good a program is among those so far."""
        return evaluation.heuristic if self._is_published else self._weights.share(evaluation)

    def _ask_fresh(self, parent: Node | None, prompt: str) -> bool:
        reply = self._ask([message(prompt)])
        if reply is None:
            return False
        found = [self._consider(source, parent) for source in self._problem.candidates(reply.answer)]
        if parent is not None:
            parent.refinements += 1
        self._had_program = bool(found)
        self._draft = None if self._is_published else self._next_draft(found, parent)
        self._note(reply, parent, found)
        return True

    def _next_draft(self, candidates: Sequence[Candidate], parent: Node | None) -> Draft | None:
        """What to refine next in place of a node: the best candidate of an answer without a node."""
        number = 1 if self._draft is None else self._draft.number + 1
        if any(candidate.node is not None for candidate in candidates) or number > DRAFTS:
            return None
        broken = [
            each.source for each in candidates if not self._synthesis.nodes or self._evaluated(each.source).load_error
        ]
        if not broken:
            return None
        source = max(broken, key=lambda each: self._evaluated(each).heuristic)
        return Draft(source, self._evaluated(source), parent, number)

    def _consider(self, source: str, parent: Node | None) -> Candidate:
        """Evaluate a candidate, and add it as a node if it is good enough."""
        evaluation = self._evaluated(source)
        settings = self._settings
        if parent is None:
            accepted = evaluation.heuristic >= settings.min_heuristic_value_on_init
        else:
            gain = self._value(evaluation) - self._value(parent.evaluation)
            accepted = gain >= settings.min_heuristic_value_gain or (
                evaluation.is_solved and not parent.evaluation.is_solved
            )
            if not self._is_published and not accepted and evaluation.heuristic >= parent.heuristic:
                known = [_failed(node.evaluation) for node in self._synthesis.nodes]
                accepted = gain >= 0 and _failed(evaluation) not in known
        return self._candidate(source, evaluation, parent, accepted)

    def _candidate(self, source: str, evaluation: Evaluation, parent: Node | None, accepted: bool) -> Candidate:
        nodes = self._synthesis.nodes
        if accepted:
            call = len(self._synthesis.calls) + 1
            nodes.append(Node(len(nodes), None if parent is None else parent.number, source, evaluation, call))
        error = next((verdict.kind for verdict in evaluation.verdicts if verdict.kind), "")
        return Candidate(source, evaluation.heuristic, nodes[-1].number if accepted else None, error)

    # ----------------------------------------------------------------------------------------------- conversation

    def _conversation(self) -> bool:
        """Take one turn of a growing conversation; returns False if a limit is reached."""
        if not hasattr(self, "_chat"):
            self._chat: list[Message] = [message(self._problem.first_prompt(self._draws))]
        self._shorten()
        reply = self._ask(self._chat)
        if reply is None:
            return False
        sources = self._problem.candidates(reply.answer)
        parent = self._synthesis.nodes[-1] if self._synthesis.nodes else None
        found = []
        for source in sources:
            evaluation = self._evaluated(source)
            found.append(self._candidate(source, evaluation, parent, True))
        if parent is not None:
            parent.refinements += 1
        self._note(reply, parent, found)
        last = self._evaluated(sources[-1]) if sources else None
        if last is None or not last.is_solved:
            self._chat.append({"role": "assistant", "content": reply.text})
            self._chat.append(message(self._problem.complaint(last)))
        return True

    def _shorten(self) -> None:
        """Drop the oldest exchanges, but not the first message, while the conversation is too long."""
        limit = self._settings.context_tokens * CHARACTERS_PER_TOKEN
        while len(self._chat) > 3 and sum(len(each["content"]) for each in self._chat) > limit:
            del self._chat[1:3]

    # ----------------------------------------------------------------------------------------------------- common

    def _ask(self, messages: Sequence[Message]) -> Reply | None:
        """Ask the author, unless a limit of the synthesis could be exceeded."""
        found, settings = self._synthesis, self._settings
        prompt = tokens_at_most(each["content"] for each in messages)
        worst = prompt + self._reply_tokens
        if len(found.calls) >= settings.max_calls:
            found.stopped = "max_calls"
        elif settings.max_tokens is not None and found.tokens + worst > settings.max_tokens:
            found.stopped = "max_tokens"
        elif settings.max_cost is not None and (
            found.cost + self._price.of(prompt, self._reply_tokens) > settings.max_cost
        ):
            found.stopped = "max_cost"
        else:
            reply = self._author.answer(list(messages), len(found.calls))
            found.tokens += reply.prompt_tokens + reply.completion_tokens
            found.cost += self._price.of(reply.prompt_tokens, reply.completion_tokens)
            return reply
        return None

    def _evaluated(self, source: str) -> Evaluation:
        if source not in self._known:
            self._known[source] = self._problem.evaluate(source)
            self._weights.add(self._known[source])
        return self._known[source]

    def _note(self, reply: Reply, parent: Node | None, candidates: Sequence[Candidate]) -> None:
        found, best = self._synthesis, self._synthesis.best
        evaluation = None if best is None else best.evaluation
        found.calls.append(
            Call(
                len(found.calls) + 1,
                None if parent is None else parent.number,
                tuple(candidates),
                reply.prompt_tokens + reply.completion_tokens,
                self._price.of(reply.prompt_tokens, reply.completion_tokens),
                0.0 if best is None else best.heuristic,
                _share(evaluation, "transition"),
                _share(evaluation, "inference"),
                tuple(node.refinements for node in found.nodes),
                reply.truncated,
            )
        )
        if self._watch is not None:
            self._watch(found)


def _failed(evaluation: Evaluation) -> frozenset[tuple[str, str]]:
    """The ways in which a program fails."""
    return frozenset((evaluation.kinds[number], evaluation.verdicts[number].text) for number in evaluation.failures)


def _share(evaluation: Evaluation | None, kind: str) -> float | None:
    counts = None if evaluation is None else evaluation.accuracy(kind)
    return None if counts is None else counts[0] / counts[1]


def call_facts(call: Call) -> dict[str, Any]:
    """A call as JSON-compatible data, without the sources."""
    facts = asdict(call)
    facts["candidates"] = [{"h": one.heuristic, "node": one.node, "error": one.error} for one in call.candidates]
    return facts
