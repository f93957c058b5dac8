"""A VGDL game to be written as VGDL text: the engine runs the candidate, recorded ticks are its tests (13.3, 13.4 A).

This is the named variant: names of types are known, so that sprites can be compared by type. It uses the same loop as
Python programs; the checker's errors, with line and suggestion, take the place of tracebacks. Replays are exact for
deterministic games.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from string import Template
from typing import Any

import vgdl
from vgdl import Action, StateObservation, VGDLError, VGDLRuntimeError
from vgdl.competition.tracks.worldmodels import json_values
from vgdl.competition.tracks.worldmodels.answers import candidates
from vgdl.competition.tracks.worldmodels.errors import MAX_TEXT, Kind
from vgdl.competition.tracks.worldmodels.problem import Evaluation, PromptOptions, prompt_file, prompt_version
from vgdl.competition.tracks.worldmodels.unit_tests import PASSED, Verdict, failed
from vgdl.ontology import ALL_EFFECTS, ALL_SPRITE_CLASSES, ALL_TERMINATIONS
from vgdl.ontology.rows import Word
from vgdl.text import describe

SEED = 0  # of replays: games of chance are not compared this way


@dataclass(frozen=True, slots=True)
class Replay:
    """A level and the actions of a recorded play, with what was seen after each."""

    level: str  #: its text
    actions: tuple[str, ...]
    seen: tuple[Any, ...]  #: one more than actions: the start comes first


def seen(state: StateObservation) -> dict[str, Any]:
    """What is compared: sprites by type and cell, score and end."""
    told: dict[str, Any] = describe(state)
    placed = [[each["name"], each["column"], each["row"]] for each in [*told["avatars"], *told["sprites"]]]
    return {
        "sprites": sorted(placed),
        "score": told["scores"][0],
        "over": told["is_over"],
        "winner": told["winners"][0],
    }


def record_replay(game: vgdl.Game, level: int, ticks: int, seed: int) -> Replay:
    """Play a level with uniformly random actions, for so many ticks at most."""
    draws = Random(seed)
    state = game.start(level, SEED)
    found, actions = [seen(state)], list[str]()
    while len(actions) < ticks and not state.is_over:
        action = draws.choice(state.available_actions)
        state.advance(action)
        actions.append(action.name)
        found.append(seen(state))
    return Replay(game.levels[level].read_text(encoding="utf-8"), tuple(actions), tuple(found))


@dataclass
class VgdlProblem:
    """A VGDL game, to be written from replays."""

    name: str
    replays: Sequence[Replay]
    options: PromptOptions = field(default_factory=PromptOptions)

    @property
    def version(self) -> str:
        return prompt_version()

    def first_prompt(self, draws: Random) -> str:
        tests = [(at, tick) for at, replay in enumerate(self.replays) for tick in range(1, len(replay.seen))]
        chosen = sorted(draws.sample(tests, min(self.options.num_tests_on_init, len(tests))))
        return self._prompt("\n\n".join(self._test(*test) for test in chosen), "")

    def refine_prompt(self, source: str, evaluation: Evaluation, draws: Random) -> str:
        numbers = evaluation.failures
        chosen = draws.sample(numbers, min(self.options.num_tests_on_error, len(numbers)))
        return self._prompt(
            "\n\n".join(self._with_failure(number, evaluation.verdicts[number]) for number in sorted(chosen)),
            f"\nThis is the present text, which fails them:\n\n```vgdl\n{source.strip()}\n```\n",
        )

    def complaint(self, evaluation: Evaluation | None) -> str:
        if evaluation is None:
            problem = "There is no text in your answer: it has no block that begins with ```vgdl."
        else:
            number = evaluation.failures[0]
            problem = f"This test fails:\n\n{self._with_failure(number, evaluation.verdicts[number])}"
        return f"{problem}\n\nReason about what is wrong. Then write the whole text again in one ```vgdl block.\n"

    def candidates(self, text: str) -> list[str]:
        flags = re.MULTILINE | re.IGNORECASE
        return candidates(re.sub(r"^([`~]{3,})[ \t]*vgdl[ \t]*$", r"\1python", text, flags=flags))

    def evaluate(self, source: str) -> Evaluation:
        total = sum(len(replay.seen) for replay in self.replays)
        kinds = ("transition",) * total
        try:
            game = vgdl.loads(source)
        except VGDLError as error:
            wrong = Verdict(False, str(error)[:MAX_TEXT], str(Kind.SYNTAX))
            return Evaluation((wrong,) * total, kinds)
        verdicts = [verdict for replay in self.replays for verdict in _replayed(game, replay)]
        return Evaluation(tuple(verdicts), kinds)

    def _prompt(self, tests: str, present: str) -> str:
        return Template(prompt_file("vgdl")).substitute(
            classes=_words(ALL_SPRITE_CLASSES),
            effects=_words(ALL_EFFECTS),
            terminations=_words(ALL_TERMINATIONS),
            level=self.replays[0].level.rstrip(),
            tests=tests,
            present=present,
        )

    def _place(self, number: int) -> tuple[int, int]:
        """The replay and the tick of a test."""
        for at, replay in enumerate(self.replays):
            if number < len(replay.seen):
                return at, number
            number -= len(replay.seen)
        raise IndexError(number)

    def _test(self, at: int, tick: int) -> str:
        """Without what never changes in the replay, which is in the level already."""
        replay = self.replays[at]
        moved = [each for each in replay.seen[tick]["sprites"] if each not in replay.seen[0]["sprites"]]
        actions = " ".join(replay.actions[:tick])
        told = {**replay.seen[tick], "sprites": moved}
        return f"# replay {at}, tick {tick}\nactions: {actions}\nnew places: {json.dumps(told)}"

    def _with_failure(self, number: int, verdict: Verdict) -> str:
        commented = "\n".join(f"# {line}" for line in verdict.text.splitlines())
        return f"{commented}\n{self._test(*self._place(number))}"


def _words(rows: Iterable[Word]) -> str:
    """Words of VGDL, each with the parameters of its own."""
    told = []
    for row in rows:
        own = " ".join(parameter.name for parameter in row.parameters)
        told.append(f"{row.name} ({own})" if own else row.name)
    return ", ".join(told)


def _replayed(game: vgdl.Game, replay: Replay) -> list[Verdict]:
    """A verdict for the start and for every tick; once something is different, what follows mostly is too."""
    verdicts: list[Verdict] = []
    try:
        state = game.board(replay.level).start(SEED)
        for tick, wanted in enumerate(replay.seen):
            if tick and not state.is_over:
                state.advance(Action[replay.actions[tick - 1]])
            told = json_values.difference(wanted, seen(state))
            verdicts.append(PASSED if told is None else failed(f"after tick {tick}: {told}"))
    except (VGDLError, VGDLRuntimeError) as error:
        kind = Kind.SYNTAX if isinstance(error, VGDLError) else Kind.EXCEPTION
        wrong = Verdict(False, str(error)[:MAX_TEXT], str(kind))
        verdicts += [wrong] * (len(replay.seen) - len(verdicts))
    return verdicts
