"""A model for tests that knows the truth and answers correctly or in other given ways (GAMEBoT specification, 9.2)."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.competition.chat.endpoint import RETRIES
from vgdl.competition.chat.model import ChatError, ChatModel, Message, Reply, Sampling, TransportError
from vgdl.competition.tracks.gamebot.task import Subproblem, Task

MODES = ("correct", "wrong", "malformed", "illegal", "decorated", "silent", "cut")
"""Modes of answering; further ones: ``error:n``, ``mix`` and ``mix:p``, p the share of others than ``correct``."""

MIX = 0.5


@dataclass(frozen=True)
class ScriptedModel:
    """A model that answers in one mode; deterministic given its seed, the match and the turn."""

    mode: str
    seed: int = 0

    def __post_init__(self) -> None:
        kind, _, number = self.mode.partition(":")
        known = kind in MODES and not number
        if not (known or (kind == "error" and number.isdecimal()) or (kind == "mix" and _is_share(number or "0.5"))):
            raise ChatError(f"there is no scripted model {self.mode!r}: choose {', '.join(MODES)}, error:N or mix:P")

    @property
    def name(self) -> str:
        return f"scripted:{self.mode}"

    def at(self, task: Task, state: Any, player: int) -> ChatModel:
        """The model with access to the position."""
        return _AtPosition(self, task, state, player)

    def complete(self, messages: Sequence[Message], sampling: Sampling, key: Sequence[str | int]) -> Reply:
        """Raise an error: a scripted model needs access to the position."""
        raise ChatError("a scripted model needs the position")


def _is_share(text: str) -> bool:
    try:
        return 0.0 <= float(text) <= 1.0
    except ValueError:
        return False


@dataclass(frozen=True)
class _AtPosition:
    """A scripted model in one turn."""

    script: ScriptedModel
    task: Task
    state: Any
    player: int

    @property
    def name(self) -> str:
        return self.script.name

    def complete(self, messages: Sequence[Message], sampling: Sampling, key: Sequence[str | int]) -> Reply:
        facts = repr((self.script.seed, *key)).encode()
        draws = random.Random(hashlib.blake2b(facts, digest_size=8).digest())
        mode, _, number = self.script.mode.partition(":")
        if mode == "mix":
            mode = draws.choice(MODES[1:]) if draws.random() < float(number or MIX) else "correct"
        retries = int(number) if mode == "error" else 0
        if retries > RETRIES:
            raise TransportError(f"{self.name}: no reply after {RETRIES} retries")
        text = self._text(mode, draws, int(key[2]) if len(key) > 2 else 0)
        reason = "length" if mode == "cut" else "stop"
        prompt_tokens = sum(len(message["content"]) for message in messages) // 4
        return Reply(text, reason, prompt_tokens, len(text) // 4, self.name, seconds=0.0, retries=retries)

    def _text(self, mode: str, draws: random.Random, turn: int) -> str:
        if mode == "silent":
            return ""
        move = draws.choice(self.task.moves(self.state, self.player))
        truths = self.task.truths(self.state, self.player, move)
        questions = {each.number: each for each in self.task.subproblems}
        written = {number: questions[number].written(truth) for number, truth in truths.items()}
        if mode == "wrong":
            written = {number: falsified(questions[number], truth, self._legal()) for number, truth in truths.items()}
        if mode == "malformed":
            return malformed(written, self._move(move), turn)
        chosen = self.task.illegal_move if mode == "illegal" else self.task.written(move)
        results = "\n".join(_result(number, payload) for number, payload in written.items())
        if mode == "decorated":
            return self._decorated(written, chosen)
        return results[: len(results) // 2] if mode == "cut" else f"{results}\n{self._marked(chosen)}"

    def _legal(self) -> list[str]:
        return [self.task.written(move) for move in self.task.moves(self.state, self.player)]

    def _move(self, move: Any) -> str:
        return self._marked(self.task.written(move))

    def _marked(self, move: str) -> str:
        return f"{self.task.shown_marker}{move}"

    def _decorated(self, written: dict[int, str], chosen: str) -> str:
        """Correct answers in Markdown and LaTeX, after a thinking block with other answers and restated examples."""
        examples = "\n".join(_result(number, payload) for number, payload in written.items())
        latex = {number: payload.replace("->", r" \to ") for number, payload in written.items()}
        marker = "- **[Intermediate Thinking Results"
        results = "\n".join(f"{marker} {number}:** $\\text{{{payload}}}$]" for number, payload in latex.items())
        return (
            f"<think>\nPerhaps {self.task.shown_marker}nothing, or None?\n</think>\n## Examples\n{examples}\n"
            f"## Answer\n{results}\n\n**{self.task.shown_marker.rstrip()}** `{chosen}`"
        )


def _result(number: int, payload: str) -> str:
    return f"[Intermediate Thinking Results {number}: {payload}]"


def falsified(question: Subproblem, truth: Any, legal: Sequence[str]) -> str:
    """A wrong answer by a fixed rule: the negation, the number plus one, a set with one item fewer or more."""
    if question.falsified is not None:
        return question.falsified(truth)
    if isinstance(truth, bool):
        return str(not truth)
    if isinstance(truth, int | float):
        return question.written(truth + 1)
    if isinstance(truth, str):
        first, second = truth.split()
        return f"{first} {'Down' if second == 'Up' else 'Up'}"
    items = question.written(truth).split(", ")
    return (", ".join(items[1:]) or "None") if truth else legal[0]


def malformed(written: dict[int, str], move: str, turn: int) -> str:
    """Answers without a marker, in prose, of the wrong type, or cut off, in turn."""
    ways: list[Callable[[int, str], str]] = [
        lambda number, payload: f"The answer to question {number} is {payload}",
        lambda number, payload: f"[Intermediate Thinking Results {number}: I am not sure about this one]",
        lambda number, payload: f"[Intermediate Thinking Results {number}: {{'value': 'many'}}]",
        lambda number, payload: f"[Intermediate Thinking Results {number}: (1,",
    ]
    way = ways[turn % len(ways)]
    return "\n".join([*(way(number, payload) for number, payload in written.items()), move])
