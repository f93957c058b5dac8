"""A VGDL game to be written as VGDL text: the engine runs the candidate, recorded ticks are its tests (13.3, 13.4).

It uses the same loop as Python programs; the checker's errors, with line and suggestion, take the place of tracebacks.
Sprite types are told by number unless the variant is the named one, and prompts never name the game (13.1).
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from string import Template

import numpy as np

import vgdl
from vgdl import VGDLError, VGDLRuntimeError
from vgdl.competition.tracks.worldmodels import answers
from vgdl.competition.tracks.worldmodels.errors import MAX_TEXT, Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.problem import (
    Evaluation,
    PromptOptions,
    evaluation_of,
    evaluation_text,
    prompt_file,
    prompt_version,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.search.author import square_size
from vgdl.competition.tracks.worldmodels.search.hypothesis import name_of
from vgdl.competition.tracks.worldmodels.search.records import Play
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.competition.tracks.worldmodels.texts.description import Map, Statistics
from vgdl.competition.tracks.worldmodels.texts.stepping import Words, differences, replayed, steps, told
from vgdl.competition.tracks.worldmodels.unit_tests import PASSED, Verdict
from vgdl.ontology import ALL_EFFECTS, ALL_SPRITE_CLASSES, ALL_TERMINATIONS
from vgdl.ontology.rows import Word

FUTURES = 32  #: of a prediction of chance (13.4 C)
SAMPLING_S = 20.0
"""CPU seconds of an evaluation after which a prediction of chance has one future only."""
EVALUATION_S = 60.0
"""CPU seconds of an evaluation; later tests fail."""
STEP, REPLAY = "transition", "replay"
_TICK_SHARE = 2  # one of so many shown ticks is any tick; in the others something is born, dies, turns or scores


@dataclass
class VgdlProblem:
    """A VGDL game, to be written from recorded plays.

    A test is a tick that has to be predicted; where plays are repeatable, a whole play to be replayed is one more.
    """

    name: str
    plays: Sequence[Play]
    repeatable: bool = False  #: the same actions have led to the same ticks with another seed
    names: Mapping[int, str] = field(default_factory=dict)  #: of types; those without one have the number in theirs
    rules: str = ""  #: in words, if the user gives them
    options: PromptOptions = field(default_factory=PromptOptions)
    kept: MutableMapping[str, str] | None = None  #: evaluations by source and plays, so that none is made twice

    def __post_init__(self) -> None:
        found = {int(n) for play in self.plays for frame in play.frames for n in np.unique(frame.arrays["type"])}
        held = {n for play in self.plays for f in play.frames if f.avatar is not None for n in f.avatar.resources}
        self._required = frozenset(found)
        self.names = {number: self.names.get(number, name_of(number)) for number in sorted(found | held)}
        self._tests = [(at, tick) for at, play in enumerate(self.plays) for tick in range(play.ticks)]
        self._replays = range(len(self.plays)) if self.repeatable else range(0)

    @property
    def version(self) -> str:
        return prompt_version()

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of the tests."""
        return (STEP,) * len(self._tests) + (REPLAY,) * len(self._replays)

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
            numbers = [number for number in evaluation.failures if self.kinds[number] == kind]
            chosen += draws.sample(numbers, min(self.options.num_tests_on_error, len(numbers)))
        tests = [self._with_failure(number, evaluation.verdicts[number]) for number in sorted(chosen)]
        return self._prompt(tests, f"\nThis is the present text, which fails them:\n\n```vgdl\n{source.strip()}\n```\n")

    def complaint(self, evaluation: Evaluation | None) -> str:
        if evaluation is None:
            problem = "There is no text in your answer: it has no block that begins with ```vgdl."
        else:
            number = evaluation.failures[0]
            problem = f"This test fails:\n\n{self._with_failure(number, evaluation.verdicts[number])}"
        return f"{problem}\n\nReason about what is wrong. Then write the whole text again in one ```vgdl block.\n"

    def candidates(self, text: str) -> list[str]:
        return answers.candidates(text, ("vgdl",))

    def test(self, number: int) -> tuple[str, str]:
        name, _, rest = self.test_text(number).removeprefix("# ").partition("\n")
        return name, rest

    def test_text(self, number: int) -> str:
        """A test in words."""
        if number >= len(self._tests):
            play = self.plays[number - len(self._tests)]
            actions = " ".join(frame.action.name for frame in play.frames[:-1])
            return f"# replay of play {number - len(self._tests)} on level {play.level}\nactions: {actions[:MAX_TEXT]}"
        at, tick = self._tests[number]
        play = self.plays[at]
        before, after = play.frames[tick], play.frames[tick + 1]
        words = self._words(play)
        changed = told(differences(before, before, after, words))
        changed = re.sub(r", predicted .*$", "", changed, flags=re.MULTILINE).replace(": observed ", ": ")
        drawing = Map(self.names, dict(self._map.known)).drawn(before)
        return (
            f"# play {at} on level {play.level}, tick {before.tick}\n{drawing}\n"
            f"action: {before.action.name}\nchanges:\n{changed or 'none'}"
        )

    def _with_failure(self, number: int, verdict: Verdict) -> str:
        commented = "\n".join(f"# {line}" for line in verdict.text.splitlines())
        return f"{self.test_text(number)}\n# this fails:\n{commented}"

    def _is_lively(self, at: int, tick: int) -> bool:
        before, after = self.plays[at].frames[tick : tick + 2]
        same = np.array_equal(before.arrays["id"], after.arrays["id"])
        return before.score != after.score or not same or bool(np.any(before.arrays["type"] != after.arrays["type"]))

    def _words(self, play: Play) -> Words:
        return Words(lambda number: self.names.get(number, f"type {number}"), play.frames[0].block_size)

    def _prompt(self, tests: Sequence[str], present: str) -> str:
        several = self.options.num_targets > 1
        size = square_size(self.plays)
        return Template(prompt_file("vgdl")).substitute(
            classes=_table(ALL_SPRITE_CLASSES),
            effects=_table(ALL_EFFECTS),
            terminations=_table(ALL_TERMINATIONS),
            first_line="BasicGame" if size is None else f"BasicGame square_size={size}",
            types=", ".join(self.names.values()),
            rules=f"\nThe rules in words:\n{self.rules.strip()}\n" if self.rules else "",
            levels=self._levels,
            statistics=self._statistics,
            tests="\n\n".join(tests),
            present=present,
            targets=f"{self.options.num_targets} whole texts, which differ in what you are unsure of, each"
            if several
            else "the whole text",
        )

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

    def candidate(self, source: str) -> Candidate:
        """A text as rules.

        Raises:
            VGDLError, WorldModelError: it cannot be used.
        """
        return Candidate(source, self.names, required=self._required)

    def evaluate(self, source: str) -> Evaluation:
        digest = hashlib.blake2b(f"{source}\0{self._plays_key}".encode(), digest_size=16).hexdigest()
        if self.kept is not None and digest in self.kept:
            return evaluation_of(self.kept[digest])
        evaluation = Evaluation(tuple(self._verdicts(source)), self.kinds)
        if self.kept is not None:
            self.kept[digest] = evaluation_text(evaluation)
        return evaluation

    @cached_property
    def _plays_key(self) -> str:
        found = hashlib.blake2b(json.dumps([self.repeatable, dict(self.names)]).encode(), digest_size=16)
        for play in self.plays:
            for frame in play.frames:
                found.update(frame.arrays.tobytes())
                found.update(repr((frame.avatar, frame.score, frame.winner, frame.action)).encode())
        return found.hexdigest()

    def _verdicts(self, source: str) -> list[Verdict]:
        try:
            candidate = self.candidate(source)
            follower = Follower([candidate.seen_play(play) for play in self.plays])
            boards = list(follower.boards(candidate))
        except (VGDLError, WorldModelError, ValueError) as error:
            kind = error.kind if isinstance(error, WorldModelError) else Kind.SYNTAX
            return [Verdict(False, str(error)[:MAX_TEXT], str(kind))] * len(self.kinds)
        start = time.thread_time()
        found: list[Verdict] = []
        names = dict(enumerate(candidate.types))
        for number, (play, board) in enumerate(zip(follower.plays, boards, strict=True)):
            words = Words(names.__getitem__, play.frames[0].block_size)
            samples = FUTURES if candidate.has_chance else 1
            verdicts = []
            try:
                for wrong in steps(board, play, 4001 * number, samples, words, start + SAMPLING_S):
                    verdicts.append(_verdict(wrong and told(wrong)))
                    if time.thread_time() > start + EVALUATION_S:
                        break
            except (VGDLRuntimeError, ValueError) as error:
                verdicts.append(Verdict(False, str(error)[:MAX_TEXT], str(Kind.EXCEPTION)))
            late = Verdict(False, f"not run: the tests took more than {EVALUATION_S:g} s", str(Kind.TIMEOUT))
            rest = verdicts[-1] if verdicts and verdicts[-1].kind else late
            found += verdicts + [rest] * (play.ticks - len(verdicts))
        for number in self._replays:
            found.append(self._replay(boards[number], follower.plays[number], names, start))
        return found

    @staticmethod
    def _replay(board: vgdl.Board, play: Play, names: Mapping[int, str], start: float) -> Verdict:
        if time.thread_time() > start + EVALUATION_S:
            return Verdict(False, f"not run: the tests took more than {EVALUATION_S:g} s", str(Kind.TIMEOUT))
        try:
            tick, wrong = replayed(board, play, Words(names.__getitem__, play.frames[0].block_size))
        except (VGDLRuntimeError, ValueError) as error:
            return Verdict(False, str(error)[:MAX_TEXT], str(Kind.EXCEPTION))
        return _verdict(wrong and f"the first difference is in tick {tick} of {play.ticks}:\n{told(wrong)}")


def _verdict(text: object) -> Verdict:
    return Verdict(False, str(text)[:MAX_TEXT]) if text else PASSED


def _table(rows: Iterable[Word]) -> str:
    """Words of VGDL, each with the parameters of its own and what it does."""
    lines = []
    for row in rows:
        own = ", ".join(parameter.name for parameter in row.parameters if not parameter.internal)
        lines.append(f"- {row.name}{f' ({own})' if own else ''}: {row.doc}")
    return "\n".join(lines)
