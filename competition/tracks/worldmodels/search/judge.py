"""Measures of learnt rules on held-out plays (13.5)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from vgdl.competition.tracks.worldmodels.search.records import Play, Rules, Shown
from vgdl.competition.tracks.worldmodels.search.verify import (
    SAMPLES,
    Follower,
    Miss,
    Report,
    Step,
    count_fates,
    judge_outcome,
    keys,
    misses,
    unexplained,
)  # fmt: skip

DISTRACTORS = 8

Prediction = tuple[Play, int, Sequence[Shown]]
"""A recorded play, the number of a tick in it, and the predicted outcomes of that tick, the likeliest first."""


@dataclass(frozen=True)
class Judgement:
    """The measures of rules on held-out plays."""

    tested: int  #: ticks
    changed_f1: float  #: changed-sprite F1 of single predictions
    changed_f1_chance: float  #: the same, where a sprite counts as right if one of `SAMPLES` futures predicts it
    accuracy: float  #: all-sprite accuracy
    identical: float  #: share of the ticks predicted without any difference, including score, end and avatar
    score_wrong: int
    end_wrong: int
    reciprocal_rank: float  #: mean reciprocal rank of the true next state among `DISTRACTORS` others

    def facts(self) -> dict[str, float]:
        return asdict(self)


def judge(rules: Rules, plays: Sequence[Play], *, samples: int = SAMPLES, seed: int = 0) -> Judgement:
    """Measure rules on plays that they were not learnt from."""
    follower = Follower([rules.renumbered_play(play) for play in plays])
    draws = random.Random(seed)
    ranks: list[float] = []

    def look(step: Step) -> None:
        rank = _reciprocal_rank(step.play, step.index, step.shadow, step.misses, draws)
        if rank is not None:
            ranks.append(rank)

    single = follower.follow(rules, measured=True, look=look)
    sampled = follower.follow(rules, measured=True, samples=samples)
    return _judgement(single, sampled, ranks)


def judge_predictions(predictions: Iterable[Prediction], *, seed: int = 0) -> Judgement:
    """Measure predictions of recorded ticks from any source; those of `judge` are made by the engine.

    A tick without a prediction counts as one in which nothing changes, and never as identical.
    """
    single, sampled = Report(), Report()
    draws = random.Random(seed)
    ranks: list[float] = []
    for play, index, futures in predictions:
        before, after = play.frames[index : index + 2]
        shown = futures[0] if futures else before
        missed = misses(before, shown.arrays, after)
        wrong = judge_outcome(single, shown, after) or not futures
        single.ticks += 1
        single.exact += not missed and not wrong
        count_fates(single, before, after, missed)
        rank = _reciprocal_rank(play, index, shown, missed, draws)
        if rank is not None:
            ranks.append(rank)
        if missed and len(futures) > 1:
            missed = unexplained(before, after, missed, (future.arrays for future in futures[1:]))
        count_fates(sampled, before, after, missed)
    return _judgement(single, sampled, ranks)


def _judgement(single: Report, sampled: Report, ranks: Sequence[float]) -> Judgement:
    """Combine the reports on single predictions and on several futures of each tick."""
    return Judgement(
        tested=single.ticks,
        changed_f1=single.changed_f1,
        changed_f1_chance=sampled.changed_f1,
        accuracy=single.accuracy,
        identical=single.identical,
        score_wrong=single.score_wrong,
        end_wrong=single.end_wrong,
        reciprocal_rank=sum(ranks) / len(ranks) if ranks else 1.0,
    )


def _reciprocal_rank(
    play: Play, index: int, shown: Shown, missed: Sequence[Miss], draws: random.Random
) -> float | None:
    """Reciprocal rank of the true next state by distance from the predicted one, among other states of the play.

    States at the same distance share their mean rank. None if no nearby state of the play looks different.
    """
    frames = play.frames
    before, after = frames[index : index + 2]
    nearby = range(max(0, index - 10), min(len(frames), index + 12))
    own_keys = keys(after.arrays)
    others = [frames[k] for k in nearby if not np.array_equal(keys(frames[k].arrays), own_keys)]
    if not others:
        return None
    chosen = draws.sample(others, min(DISTRACTORS, len(others)))
    predicted = shown.arrays
    own = len(missed)
    distances = [len(misses(before, predicted, other)) for other in chosen]
    nearer = sum(1 for d in distances if d < own)
    same = sum(1 for d in distances if d == own)
    return 1.0 / (1 + nearer + same / 2)
