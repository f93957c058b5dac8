"""Learn in rounds: plays with the learnt rules show their remaining errors."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from vgdl import Winner
from vgdl.competition.tracks.worldmodels.search.author import Learnt, learn
from vgdl.competition.tracks.worldmodels.search.exploring import Explorer
from vgdl.competition.tracks.worldmodels.search.play import play
from vgdl.competition.tracks.worldmodels.search.records import LONGEST as RECORDED
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, record, record_many
from vgdl.game import Game

PLAYER = "champion"  #: controller that plays with the learnt rules
FIRST = 0.55  #: share of the ticks that are recorded before anything is learnt
ROUNDS = 2  #: rounds that record the rest, each with the rules learnt before
STANDSTILL = 40  #: ticks of such a play without anything new after which it is explored
_ENOUGH = 2  #: victories of a round on a level, after which its plays are random
LONGEST = 300  #: most ticks of a play with learnt rules
CALLS = 4000  #: its forward model calls per tick
THOUGHTS = 100  #: answers without a tick in a play with learnt rules, after which it does not wait any more
PATIENCE = 30.0  #: seconds of CPU time of a round's plays, after which actions are random


def study(
    game: Game, levels: Sequence[int], ticks: int, *, seed: int, seconds: float, rounds: int = ROUNDS
) -> tuple[tuple[Play, ...], Learnt]:
    """Learn from recorded plays; then let a controller play with the learnt rules, and learn from its plays, too.

    Controllers that know the rules avoid deadly and useless sprites. One that plans with wrong rules exposes their
    errors.

    Args:
        game: the true game.
        levels: numbers of the levels to learn from.
        ticks: observed ticks in all.
        seed: seed of all plays.
        seconds: CPU time of each search.
        rounds: rounds of plays with the learnt rules; 0: only plays with the true rules, and random ones.

    Returns:
        The recorded plays, and the result of learning from them.
    """
    first = round(ticks * FIRST) if rounds else ticks
    plays = record_many(game, levels, first, seed=seed, thoughts=first)
    learnt = learn(plays, seconds=seconds)
    for k in range(rounds):
        left = ticks - sum(max(1, p.ticks) for p in plays)
        plays += _played(game, learnt, levels, left // (rounds - k), seed + 104729 * (k + 1))
        again = learn(plays, seconds=seconds)
        learnt = replace(again, seconds=learnt.seconds + again.seconds, tried=learnt.tried + again.tried)
    return plays, learnt


def _played(game: Game, learnt: Learnt, levels: Sequence[int], ticks: int, seed: int) -> tuple[Play, ...]:
    """Record plays with learnt rules, on the levels in turn, until ``ticks`` ticks are observed.

    Every other play takes assumed dangers for rewards: a player that believes them never finds out. A level that was
    won several times would be won in the same way again, so further plays of it are random. Where a play shows nothing
    new, it is explored: standing still would show nothing to learn from.
    """
    plays: list[Play] = []
    left, began = ticks, time.thread_time()
    won: Counter[int] = Counter()  # victories by level
    while left > 0:
        k = len(plays)
        level = levels[(k + seed) % len(levels)]
        number, most = seed + 7919 * k, min(LONGEST, left)
        if won[level] >= _ENOUGH:
            plays.append(record(game, level, "random", seed=number, most=min(most, RECORDED["random"])))
        else:
            rules = learnt.daring if k % 2 else learnt.hypothesis
            seen: list[Frame] = []
            patience = max(0.0, began + PATIENCE - time.thread_time())
            explorer = Explorer(rules, number, STANDSTILL, always=True)
            play(
                game, level, PLAYER, rules, seed=number, calls=CALLS, most=most, patience=patience, frames=seen,
                explorer=explorer, thoughts=THOUGHTS,
            )  # fmt: skip
            plays.append(Play(level, f"{PLAYER} on learnt rules", tuple(seen)))
            won[level] += seen[-1].winner == Winner.PLAYER_WINS
        left -= max(1, plays[-1].ticks)
    return tuple(plays)
