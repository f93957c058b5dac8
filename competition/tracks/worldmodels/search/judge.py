"""How good learnt rules are on levels that nothing was learnt from (13.5), the true rules beside them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from vgdl.competition.tracks.worldmodels.search.records import Play, Rules
from vgdl.competition.tracks.worldmodels.search.verify import SAMPLES, Follower, Step, keys, misses

DISTRACTORS = 8


@dataclass(frozen=True)
class Judgement:
    """The measures of rules on held-out plays."""

    tested: int  #: ticks
    changed_f1: float  #: of single predictions
    changed_f1_chance: float  #: a fate counts as right if one of `SAMPLES` futures has it
    accuracy: float  #: all-sprite accuracy
    identical: float  #: share of the ticks in which nothing differs, score, end and avatar included
    score_wrong: int
    end_wrong: int
    reciprocal_rank: float  #: mean, of the true next state among `DISTRACTORS` others

    def facts(self) -> dict[str, float]:
        return asdict(self)


def judge(rules: Rules, plays: Sequence[Play], *, samples: int = SAMPLES, seed: int = 0) -> Judgement:
    """Measure rules on plays that they were not learnt from."""
    follower = Follower([rules.seen_play(play) for play in plays])
    draws = random.Random(seed)
    ranks: list[float] = []

    def look(step: Step) -> None:
        rank = _reciprocal_rank(step, draws)
        if rank is not None:
            ranks.append(rank)

    single = follower.follow(rules, measured=True, look=look)
    sampled = follower.follow(rules, measured=True, samples=samples)
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


def _reciprocal_rank(step: Step, draws: random.Random) -> float | None:
    """Rank of the true next state by distance from the predicted one, among other states of the same play.

    States at the same distance share a rank: the mean of theirs. None if no other state of the play looks different.
    """
    frames = step.play.frames
    nearby = range(max(0, step.index - 10), min(len(frames), step.index + 12))
    own_keys = keys(step.after.arrays)
    others = [frames[k] for k in nearby if not np.array_equal(keys(frames[k].arrays), own_keys)]
    if not others:
        return None
    chosen = draws.sample(others, min(DISTRACTORS, len(others)))
    predicted = step.shadow.arrays
    own = len(step.misses)
    distances = [len(misses(step.before, predicted, other)) for other in chosen]
    nearer = sum(1 for d in distances if d < own)
    same = sum(1 for d in distances if d == own)
    return 1.0 / (1 + nearer + same / 2)
