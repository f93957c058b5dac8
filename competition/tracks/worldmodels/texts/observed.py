"""Problems of writing a VGDL game from recorded plays, in any language: tests in words, prompts, cached evaluations.

Sprite types are given by number except in the named variant, and prompts never name the game (13.1).
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from string import Template
from typing import ClassVar

import numpy as np

from vgdl.competition.tracks.worldmodels import answers
from vgdl.competition.tracks.worldmodels.problem import (
    Evaluation,
    PromptOptions,
    commented,
    evaluation_of,
    evaluation_text,
    prompt_file,
    prompt_version,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.search.hypothesis import name_of
from vgdl.competition.tracks.worldmodels.search.records import Play
from vgdl.competition.tracks.worldmodels.texts.description import Map, Statistics
from vgdl.competition.tracks.worldmodels.texts.stepping import Words, differences, in_words
from vgdl.competition.tracks.worldmodels.unit_tests import Verdict

STEP = "transition"
_TICK_SHARE = 2  # one of so many shown ticks is arbitrary; the others have a birth, a death, a new type or a score


@dataclass
class ObservedProblem(ABC):
    """A VGDL game, to be written from recorded plays. A test is a tick that has to be predicted."""

    WHAT: ClassVar[str]  #: the kind of result, in a word
    FENCES: ClassVar[tuple[str, ...]]  #: accepted languages of fenced blocks; prompts use the first
    PROMPT: ClassVar[str]  #: name of the prompt's file

    name: str
    plays: Sequence[Play]
    repeatable: bool = False  #: whether the same actions led to the same ticks with another seed
    names: Mapping[int, str] = field(default_factory=dict)  #: names of types; others are named by their numbers
    rules: str = ""  #: rules in words, if the user gives them
    options: PromptOptions = field(default_factory=PromptOptions)
    evaluations: MutableMapping[str, str] | None = None  #: cached evaluations by source and plays

    def __post_init__(self) -> None:
        found = {int(n) for play in self.plays for frame in play.frames for n in np.unique(frame.arrays["type"])}
        held = {n for play in self.plays for f in play.frames if f.avatar is not None for n in f.avatar.resources}
        self._required = frozenset(found)
        self.names = {number: self.names.get(number, name_of(number)) for number in sorted(found | held)}
        self._tests = [(at, tick) for at, play in enumerate(self.plays) for tick in range(play.ticks)]

    @property
    def version(self) -> str:
        return prompt_version()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the tests."""
        return (STEP,) * len(self._tests)

    # --------------------------------------------------------------------------------------------------- prompts

    def first_prompt(self, draws: Random) -> str:
        count = self.options.num_tests_on_init
        lively = [number for number in range(len(self._tests)) if self._is_lively(*self._tests[number])]
        chosen = set(draws.sample(lively, min(count - count // _TICK_SHARE, len(lively))))
        rest = [number for number in range(len(self._tests)) if number not in chosen]
        chosen |= set(draws.sample(rest, min(count - len(chosen), len(rest))))
        return self._prompt([self.test_text(number) for number in sorted(chosen)], "")

    def refine_prompt(self, source: str, evaluation: Evaluation, draws: Random) -> str:
        chosen: list[int] = []
        for kind in dict.fromkeys(self.kinds):
            numbers = evaluation.different_failures(kind)
            chosen += draws.sample(numbers, min(self.options.num_tests_on_error, len(numbers)))
        tests = [self._with_failure(number, evaluation.verdicts[number]) for number in sorted(chosen)]
        block = f"```{self.FENCES[0]}\n{source.strip()}\n```"
        return self._prompt(tests, f"\nThis is the present {self.WHAT}, which fails them:\n\n{block}\n")

    def complaint(self, evaluation: Evaluation | None) -> str:
        fence = f"```{self.FENCES[0]}"
        if evaluation is None:
            problem = f"There is no {self.WHAT} in your answer: it has no block that begins with {fence}."
        else:
            number = evaluation.failures[0]
            problem = f"This test fails:\n\n{self._with_failure(number, evaluation.verdicts[number])}"
        again = f"Then write the whole {self.WHAT} again in one {fence} block."
        return f"{problem}\n\nReason about what is wrong. {again}\n"

    def candidates(self, text: str) -> list[str]:
        return answers.candidates(text, self.FENCES)

    def test(self, number: int) -> tuple[str, str]:
        name, _, rest = self.test_text(number).removeprefix("# ").partition("\n")
        return name, rest

    def test_text(self, number: int) -> str:
        """A test in words."""
        at, tick = self._tests[number]
        play = self.plays[at]
        before, after = play.frames[tick], play.frames[tick + 1]
        changed = in_words(differences(before, before, after, self._words(play)))
        changed = re.sub(r", predicted .*$", "", changed, flags=re.MULTILINE).replace(": observed ", ": ")
        drawing = Map(self.names, dict(self._map.known)).drawn(before)
        return (
            f"# play {at} on level {play.level}, tick {before.tick}\n{drawing}\n"
            f"action: {before.action.name}\nchanges:\n{changed or 'none'}"
        )

    def _with_failure(self, number: int, verdict: Verdict) -> str:
        return f"{self.test_text(number)}\n# this fails:\n{commented(verdict.text)}"

    def _is_lively(self, at: int, tick: int) -> bool:
        before, after = self.plays[at].frames[tick : tick + 2]
        same = np.array_equal(before.arrays["id"], after.arrays["id"])
        return before.score != after.score or not same or bool(np.any(before.arrays["type"] != after.arrays["type"]))

    def _words(self, play: Play) -> Words:
        return Words(lambda number: self.names.get(number, f"type {number}"), play.frames[0].block_size)

    def _prompt(self, tests: Sequence[str], present: str) -> str:
        several = self.options.num_targets > 1
        return Template(prompt_file(self.PROMPT)).substitute(
            rules=f"\nThe rules in words:\n{self.rules.strip()}\n" if self.rules else "",
            levels=self._levels,
            statistics=self._statistics,
            tests="\n\n".join(tests),
            present=present,
            targets=f"{self.options.num_targets} whole {self.WHAT}s, which differ in what you are unsure of, each"
            if several
            else f"the whole {self.WHAT}",
            **self._explained(),
        )

    @abstractmethod
    def _explained(self) -> dict[str, str]:
        """The parts of the prompt that depend on the language."""

    @cached_property
    def _map(self) -> Map:
        drawing = Map(self.names)
        for play in self._first_plays():
            drawing.drawn(play.frames[0])
        return drawing

    @cached_property
    def _levels(self) -> str:
        drawing = Map(self.names)
        return "\n\n".join(f"# level {play.level}\n{drawing.drawn(play.frames[0])}" for play in self._first_plays())

    @cached_property
    def _statistics(self) -> str:
        return Statistics(self.plays, self.names).text()

    def _first_plays(self) -> list[Play]:
        """A play of each level."""
        return list({play.level: play for play in reversed(self.plays)}.values())[::-1]

    # ------------------------------------------------------------------------------------------------ evaluation

    def evaluate(self, source: str) -> Evaluation:
        digest = hashlib.blake2b(f"{source}\0{self._plays_key}".encode(), digest_size=16).hexdigest()
        if self.evaluations is not None and digest in self.evaluations:
            return evaluation_of(self.evaluations[digest])
        evaluation = Evaluation(tuple(self._verdicts(source)), self.kinds)
        if self.evaluations is not None:
            self.evaluations[digest] = evaluation_text(evaluation)
        return evaluation

    @cached_property
    def _plays_key(self) -> str:
        found = hashlib.blake2b(json.dumps(self._key_facts()).encode(), digest_size=16)
        for play in self.plays:
            for frame in play.frames:
                found.update(frame.arrays.tobytes())
                found.update(repr((frame.avatar, frame.score, frame.winner, frame.action)).encode())
        return found.hexdigest()

    def _key_facts(self) -> list[object]:
        """Further inputs of an evaluation besides the source and the plays."""
        return [self.repeatable, dict(self.names)]

    @abstractmethod
    def _verdicts(self, source: str) -> list[Verdict]:
        """Run all tests on a candidate."""
