"""Guesses chasers that err, which make some moves at random.

Counting wrong predictions would prefer chasers that never err, so likelihoods are compared instead.
"""

from __future__ import annotations

import math
import random

import numpy as np

from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, name_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.motion import stray_chase
from vgdl.competition.tracks.worldmodels.search.verify import SAMPLES, Follower, place_frame

_CERTAIN = 10.0  #: difference of two log likelihoods above which random moves are assumed
_FEWEST = 0.02  #: share of random moves that those which lead away suggest, below which there are none
_SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)  #: of random moves
_LIKE = ("Chaser", "PathChaser", "RandomAltChaser")
_KEPT = ("speed", "cooldown", "is_npc", "healthPoints")
_MOST = 600  #: ticks that are predicted


def with_errors(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Let a chaser make random moves, too, if its recorded moves are then more likely; estimate their share.

    Random moves into obstacles are not seen, so the share is not that of the moves that lead away.
    """
    for number, kind in hypothesis.kinds.items():
        if kind.word not in _LIKE or number not in lives.tracks:
            continue
        found = stray_chase(lives, number, [(track, *move) for track in lives.tracks[number] for move in track.moves()])
        if found is None or (kind.word != "RandomAltChaser" and found[1] < _FEWEST):
            continue
        target = name_of(found[0])
        kept = {key: value for key, value in kind.parameters.items() if key in _KEPT}
        if kind.word == "RandomAltChaser":
            hypothesis = hypothesis.with_kind(number, Kind("Chaser", {"stype": target, **kept}))
        best = log_likelihood(follower, hypothesis, number) + _CERTAIN
        for share in _SHARES:
            erring = Kind("RandomAltChaser", {"stype1": target, "epsilon": share, **kept})
            option = hypothesis.with_kind(number, erring)
            likelihood = log_likelihood(follower, option, number)
            if likelihood < best - 2 * _CERTAIN:
                break  # more random moves are even less likely
            if likelihood > best:
                best, hypothesis = likelihood, option
    return hypothesis


def log_likelihood(
    follower: Follower, hypothesis: Hypothesis, number: int, *, samples: int = SAMPLES, most: int = _MOST
) -> float:
    """The logarithm of the likelihood of the observed fates of a type's sprites (13.4 C).

    The probability of a fate is the share of the sampled futures that have it, plus half of a future that has it and
    half of one that has not: adding one, as the measure of 13.5 does, would make rare random moves seem likely.

    Args:
        follower: follower of the recorded plays.
        hypothesis: the rules to predict with.
        number: the type.
        samples: futures per tick.
        most: roughly how many ticks to predict, drawn from those that begin with a sprite of the type.
    """
    total = 0.0
    present = sum(np.any(frame.arrays["type"] == number) for play in follower.plays for frame in play.frames[:-1])
    draws = random.Random(0)  # not every k-th tick, in which sprites with a cooldown may always rest
    for play, board in zip(follower.plays, follower.boards(hypothesis), strict=True):
        shadow = place_frame(board, play.frames[0], None, 0)
        for before, after in zip(play.frames, play.frames[1:], strict=False):
            rows = before.arrays[before.arrays["type"] == number]
            if len(rows) and draws.random() * present < most:
                fates = {sprite: (kind, x, y) for sprite, kind, _, x, y in after.arrays.tolist()}
                wanted = [fates.get(sprite) for sprite in rows["id"].tolist()]
                hits = [0] * len(wanted)
                for seed in range(samples):
                    future = place_frame(board, before, shadow, seed)
                    future.advance(before.action)
                    shown = {(kind, x, y) for _, kind, _, x, y in future.arrays.tolist()}
                    for k, fate in enumerate(wanted):
                        hits[k] += fate is None or fate in shown
                total += sum(math.log((count + 0.5) / (samples + 1)) for count in hits)
            shadow = place_frame(board, before, shadow, 0)
            shadow.advance(before.action)
            shadow = place_frame(board, after, shadow, 0, last=before)
    return total
