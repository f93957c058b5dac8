"""Learn in rounds: plays with the learnt rules show their remaining errors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from vgdl.competition.tracks.worldmodels.search.author import Learnt, learn
from vgdl.competition.tracks.worldmodels.search.play import play
from vgdl.competition.tracks.worldmodels.search.records import CALLS, Frame, Play, record_many
from vgdl.game import Game

PLAYER = "champion"  #: controller that plays with the learnt rules
FIRST = 0.55  #: share of the ticks that are recorded before anything is learnt
ROUNDS = 2  #: rounds that record the rest, each with the rules learnt before
LONGEST = 300  #: most ticks of a play with learnt rules
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
    plays = record_many(game, levels, round(ticks * FIRST) if rounds else ticks, seed=seed)
    learnt = learn(plays, seconds=seconds)
    for k in range(rounds):
        left = ticks - sum(max(1, p.ticks) for p in plays)
        plays += _played(game, learnt, levels, left // (rounds - k), seed + 104729 * (k + 1))
        again = learn(plays, seconds=seconds)
        learnt = replace(again, seconds=learnt.seconds + again.seconds, tried=learnt.tried + again.tried)
    return plays, learnt


def _played(game: Game, learnt: Learnt, levels: Sequence[int], ticks: int, seed: int) -> tuple[Play, ...]:
    """Record plays with learnt rules, on the levels in turn, until ``ticks`` ticks are observed.

    Every other play takes assumed dangers for rewards: a player that believes them never finds out.
    """
    plays: list[Play] = []
    left, began = ticks, time.thread_time()
    while left > 0:
        k = len(plays)
        level = levels[(k + seed) % len(levels)]
        seen: list[Frame] = []
        rules = learnt.daring if k % 2 else learnt.hypothesis
        most, patience = min(LONGEST, left), max(0.0, began + PATIENCE - time.thread_time())
        play(game, level, PLAYER, rules, seed=seed + 7919 * k, calls=CALLS, most=most, patience=patience, seen=seen)
        plays.append(Play(level, f"{PLAYER} on learnt rules", tuple(seen)))
        left -= max(1, plays[-1].ticks)
    return tuple(plays)
