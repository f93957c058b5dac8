"""Problems of writing a VGDL game as a Python program, which runs in isolation; recorded ticks are the tests (13.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, ClassVar

import vgdl
from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.tracks.worldmodels import answers
from vgdl.competition.tracks.worldmodels.errors import WorldModelError
from vgdl.competition.tracks.worldmodels.problem import allowed_imports
from vgdl.competition.tracks.worldmodels.program import IsolatedProgram, TickInterface
from vgdl.competition.tracks.worldmodels.search.judge import judge_predictions
from vgdl.competition.tracks.worldmodels.search.records import Play
from vgdl.competition.tracks.worldmodels.search.verify import SAMPLES, Follower
from vgdl.competition.tracks.worldmodels.texts import ticks
from vgdl.competition.tracks.worldmodels.texts.observed import ObservedProblem
from vgdl.competition.tracks.worldmodels.texts.states import described, legal
from vgdl.competition.tracks.worldmodels.unit_tests import Verdict, wrong_actions

MOST_TESTS = 1000
"""Most ticks that programs are tested on: 32 samples take about 50 ms on a level with a hundred sprites."""


@dataclass
class ProgramProblem(ObservedProblem):
    """A VGDL game, to be written as a Python program."""

    WHAT: ClassVar[str] = "program"
    FENCES: ClassVar[tuple[str, ...]] = answers.PYTHON
    PROMPT: ClassVar[str] = "vgdl_python"

    sandbox: Sandbox | None = None  #: sandbox of the programs; only needed to evaluate them
    most_tests: int = MOST_TESTS

    def __post_init__(self) -> None:
        super().__post_init__()
        self._tests = self._chosen()

    def _chosen(self) -> list[tuple[int, int]]:
        """The ticks that are tests: all, or evenly spread ones, up to half of which have events."""
        if len(self._tests) <= self.most_tests:
            return self._tests
        lively = _spread([test for test in self._tests if self._is_lively(*test)], self.most_tests // 2)
        rest = sorted({*self._tests}.difference(lively))
        return sorted([*lively, *_spread(rest, self.most_tests - len(lively))])

    def _key_facts(self) -> list[object]:
        return [*super()._key_facts(), self.most_tests]

    def _explained(self) -> dict[str, str]:
        frame = self.plays[0].frames[0]
        same = "The same actions have always led to the same states: the game seems to leave nothing to chance."
        return {
            "types": ", ".join(f"{name} is type {number}" for number, name in self.names.items()),
            "state": json.dumps(described(frame)),
            "chance": same if self.repeatable else "The same actions have led to different states: chance has a part.",
            "imports": allowed_imports(),
            "samples": str(SAMPLES),
        }

    def _verdicts(self, source: str) -> list[Verdict]:
        chosen = [(self.plays[at], tick) for at, tick in self._tests]
        found = self._predicted(source, chosen)
        return [
            ticks.judge(tick, play, index, self._words(play)) for tick, (play, index) in zip(found, chosen, strict=True)
        ]

    def _predicted(self, source: str, chosen: Sequence[tuple[Play, int]]) -> list[ticks.Tick | WorldModelError]:
        assert self.sandbox is not None
        with IsolatedProgram(source, TickInterface(), self.sandbox) as program:
            return ticks.predict(program, chosen)

    def measures(self, source: str, game: vgdl.Game, held_out: Sequence[Play], *, seed: int) -> dict[str, Any]:
        """Measure a program on plays of held-out levels (13.5).

        Args:
            source: the program.
            game: the true game.
            held_out: recorded plays.
            seed: seed of the measures.

        Returns:
            The measures of `Judgement`; ``true_f1_chance``, the same measure for the true rules; the numbers of
            ``failed`` predictions and of states with wrong legal actions (``actions_wrong``); ``log_score``, the mean
            of `log_scores`, None if no tick was treated as random. Measures that only exist for VGDL text are None, and
            there are no plays.
        """
        chosen = [(play, index) for play in held_out for index in range(play.ticks)]
        found = self._predicted(source, chosen)
        said = [tick for tick in found if not isinstance(tick, WorldModelError)]
        pairs = list(zip(found, chosen, strict=True))
        futures = [(*at, () if isinstance(tick, WorldModelError) else tick.frames) for tick, at in pairs]
        scores, wrong = [], 0
        for tick, (play, index) in pairs:
            if not isinstance(tick, WorldModelError):
                before, after = play.frames[index : index + 2]
                scores += ticks.log_scores(tick, before, after) if tick.has_chance else []
                wrong += wrong_actions(legal(before), tick.actions) is not None
        return {
            **judge_predictions(futures, seed=seed).facts(),
            "true_f1_chance": Follower(held_out).follow(game, measured=True, samples=SAMPLES).changed_f1,
            "failed": len(found) - len(said),
            "actions_wrong": wrong,
            "log_score": mean(scores) if scores else None,
            "same_successors": None,
            "same_in_law": None,
            "same_rules": None,
            "played_learnt": [],
            "played_true": [],
        }


def _spread(items: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Select ``count`` items, evenly spread; all if there are no more."""
    if len(items) <= count:
        return list(items)
    return [items[number * len(items) // count] for number in range(count)]
