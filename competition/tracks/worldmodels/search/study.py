"""Learning in rounds: what was learnt is played on, and these plays show what is still wrong."""

from __future__ import annotations

import time
from collections.abc import Sequence

from vgdl.competition.tracks.worldmodels.search.author import Learnt, learn
from vgdl.competition.tracks.worldmodels.search.play import play
from vgdl.competition.tracks.worldmodels.search.records import CALLS, Frame, Play, Rules, record_many
from vgdl.game import Game

PLAYER = "champion"  #: who plays on what was learnt
FIRST = 0.55  #: share of the ticks that are recorded before anything is learnt
ROUNDS = 2  #: in which the rest is recorded, each with what was learnt before
LONGEST = 300  #: ticks of a play on learnt rules
PATIENCE = 30.0  #: seconds of CPU time of the plays of a round; what is left of them is random


def study(
    game: Game, levels: Sequence[int], ticks: int, *, seed: int, seconds: float, rounds: int = ROUNDS
) -> tuple[tuple[Play, ...], Learnt]:
    """Learn from recorded plays; then let a controller play on what was learnt, and learn from its plays, too.

    Controllers that know the rules keep away from what kills and from what is of no use. One that plans with wrong
    rules runs into what is wrong with them.

    Args:
        game: the true game.
        levels: numbers of the levels to learn from.
        ticks: observed in all.
        seed: of all plays.
        seconds: CPU time of each search.
        rounds: of plays on what was learnt; 0: only plays by those who know the rules, and random ones.

    Returns:
        The recorded plays, and what was learnt from them.
    """
    plays = record_many(game, levels, round(ticks * FIRST) if rounds else ticks, seed=seed)
    learnt = learn(plays, seconds=seconds)
    for k in range(rounds):
        left = ticks - sum(max(1, p.ticks) for p in plays)
        plays += _played(game, learnt.hypothesis, levels, left // (rounds - k), seed + 104729 * (k + 1))
        again = learn(plays, seconds=seconds)
        learnt = Learnt(again.hypothesis, again.report, learnt.seconds + again.seconds, learnt.tried + again.tried)
    return plays, learnt


def _played(game: Game, rules: Rules, levels: Sequence[int], ticks: int, seed: int) -> tuple[Play, ...]:
    """Plays on learnt rules, on the levels in turn, until so many ticks are observed."""
    plays: list[Play] = []
    left, began = ticks, time.thread_time()
    while left > 0:
        k = len(plays)
        level = levels[(k + seed) % len(levels)]
        seen: list[Frame] = []
        most, patience = min(LONGEST, left), max(0.0, began + PATIENCE - time.thread_time())
        play(game, level, PLAYER, rules, seed=seed + 7919 * k, calls=CALLS, most=most, patience=patience, seen=seen)
        plays.append(Play(level, f"{PLAYER} on learnt rules", tuple(seen)))
        left -= max(1, plays[-1].ticks)
    return tuple(plays)
