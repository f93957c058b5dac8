"""Compare learnt rules to the true ones where chance plays a part: are the next states equally likely?

Two texts with the same rules may draw their random numbers in different orders: a spawn point out of sight that draws
one in every tick shifts all others. States are therefore not compared future by future, but by how often each fact
holds in many futures.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, Rules, observe
from vgdl.competition.tracks.worldmodels.search.verify import SAMPLES, Follower, keys, place_frame, shown_avatar
from vgdl.game import Game

_ERROR = 0.01  #: probability that a tick seems to differ although the rules are the same


def same_in_law(rules: Rules, game: Game, plays: Sequence[Play], *, samples: int = SAMPLES) -> float:
    """Share of recorded ticks whose futures under the learnt and the true rules cannot be told apart.

    For each tick, the next state is sampled with both rules from the same observation, with independent seeds. A fact
    is that a sprite of a type is at a place, the score, the end, or what is shown of the avatar. The tick differs if a
    fact holds more often with one of the rules, by Fisher's exact test at 1 % for all facts of the tick together.
    Without chance, this is `vgdl.competition.tracks.worldmodels.search.beside.same_successors`. With 32 futures,
    probabilities that differ by less than some 0.3 look the same.

    Args:
        rules: the learnt rules.
        game: the true game.
        plays: recorded plays of it.
        samples: futures of each of the rules per tick.
    """
    same = ticks = 0
    seen = [rules.renumbered_play(play) for play in plays]
    boards = zip(Follower(seen).boards(rules), Follower(plays).boards(game), strict=True)
    for play, shown, pair in zip(plays, seen, boards, strict=True):
        both = list(zip(pair, (shown, play), strict=True))
        states = [place_frame(board, p.frames[0], None, 0) for board, p in both]
        for k in range(play.ticks):
            action = play.frames[k].action
            counts: list[Counter[Hashable]] = [Counter(), Counter()]
            for which, (board, p) in enumerate(both):
                for seed in range(which * samples, (which + 1) * samples):
                    future = place_frame(board, p.frames[k], states[which], seed)
                    future.advance(action)
                    frame = observe(future)
                    counts[which].update(_facts(rules.renumbered(frame) if which else frame))
            same += not _differ(counts[0], counts[1], samples)
            ticks += 1
            for state in states:
                state.advance(action)
            states = [
                place_frame(b, p.frames[k + 1], s, k + 1, last=p.frames[k])
                for (b, p), s in zip(both, states, strict=True)
            ]
    return same / ticks if ticks else 1.0


def _facts(frame: Frame) -> Iterator[Hashable]:
    """What holds in a state; several sprites of a type in one place are facts of their own."""
    yield from Counter(keys(frame.arrays).tolist()).items()
    yield "score", frame.score
    yield "end", frame.is_over, frame.winner
    if not frame.is_over and frame.avatar is not None:
        kind, orientation, held, health, is_alive = shown_avatar(frame.avatar) or (0, (0.0, 0.0), {}, 0, False)
        yield "avatar", kind, orientation, tuple(sorted(held.items())), health, is_alive


def _differ(one: Counter[Hashable], other: Counter[Hashable], samples: int) -> bool:
    """Whether a fact holds in more futures of one kind than chance explains."""
    facts = one.keys() | other.keys()
    unsure = [(one[fact], other[fact]) for fact in facts if one[fact] + other[fact] < 2 * samples]
    return any(_p_value(*pair, samples) < _ERROR / len(unsure) for pair in set(unsure))


@functools.cache
def _p_value(one: int, other: int, samples: int) -> float:
    """Fisher's exact test, two-sided, for a fact that holds in two numbers of as many samples each."""
    holds = one + other
    ways = [math.comb(samples, k) * math.comb(samples, holds - k) for k in range(holds + 1)]
    return sum(way for way in ways if way <= ways[one]) / math.comb(2 * samples, holds)
