"""Chasers that err: some of their moves are random, so counting wrong predictions prefers chasers that never err."""

from __future__ import annotations

import math
from collections import Counter

from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, name_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.motion import stray_chase
from vgdl.competition.tracks.worldmodels.search.verify import SAMPLES, Follower, place_frame

_CERTAIN = 5.0  #: difference of two log likelihoods above which a class is taken
_SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)  #: of random moves
_LIKE = ("Chaser", "PathChaser", "RandomAltChaser")
_KEPT = ("speed", "cooldown", "is_npc", "healthPoints")


def with_errors(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Let a chaser make random moves, too, if its recorded moves are then more likely; estimate their share.

    Random moves into obstacles are not seen, so the share is not that of the moves that lead away.
    """
    for number, kind in hypothesis.kinds.items():
        if kind.word not in _LIKE or number not in lives.tracks:
            continue
        found = stray_chase(lives, number, [(track, *move) for track in lives.tracks[number] for move in track.moves()])
        if found is None:
            continue
        kept = {key: value for key, value in kind.parameters.items() if key in _KEPT}
        exact = kind.word != "RandomAltChaser"
        best = log_likelihood(follower, hypothesis, number) + exact * _CERTAIN
        for share in _SHARES:
            erring = Kind("RandomAltChaser", {"stype1": name_of(found[0]), "epsilon": share, **kept})
            option = hypothesis.with_kind(number, erring)
            likelihood = log_likelihood(follower, option, number)
            if exact and likelihood < best - 2 * _CERTAIN:
                break  # even the fewest random moves are too many
            if likelihood > best:
                best, hypothesis = likelihood, option
    return hypothesis


def log_likelihood(follower: Follower, hypothesis: Hypothesis, number: int, samples: int = SAMPLES) -> float:
    """The logarithm of the likelihood of the observed fates of a type's sprites (13.4 C).

    The probability of a fate is the share of the sampled futures that have it, plus half of a future that has it and
    half of one that has not: adding one, as the measure of 13.5 does, would make rare random moves seem likely.

    Args:
        follower: follower of the recorded plays.
        hypothesis: the rules to predict with.
        number: the type.
        samples: futures per tick.
    """
    total = 0.0
    for play, board in zip(follower.plays, follower.boards(hypothesis), strict=True):
        shadow = place_frame(board, play.frames[0], None, 0)
        for before, after in zip(play.frames, play.frames[1:], strict=False):
            rows = before.arrays[before.arrays["type"] == number]
            if len(rows):
                fates = {sprite: (kind, x, y) for sprite, kind, _, x, y in after.arrays.tolist()}
                wanted = [fates.get(sprite) for sprite in rows["id"].tolist()]
                hits = [0] * len(wanted)
                for seed in range(samples):
                    future = place_frame(board, before, shadow, seed)
                    future.advance(before.action)
                    seen = Counter((kind, x, y) for _, kind, _, x, y in future.arrays.tolist())
                    for k, fate in enumerate(wanted):
                        hits[k] += fate is None or seen[fate] > 0
                total += sum(math.log((count + 0.5) / (samples + 1)) for count in hits)
            shadow = place_frame(board, before, shadow, 0)
            shadow.advance(before.action)
            shadow = place_frame(board, after, shadow, 0)
    return total
