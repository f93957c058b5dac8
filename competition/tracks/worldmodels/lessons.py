"""Lessons: own play of a learner, and random plays on which its text can be tested."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from vgdl import Action, Winner
from vgdl.competition.tracks.worldmodels.search.measures import LEARNT_FROM
from vgdl.game import Game
from vgdl.induction.evidence import Evidence
from vgdl.induction.learner import Learner
from vgdl.induction.observations import Observer

LONGEST_LESSON = 300  #: ticks of a play


def names_of(game: Game, learner: Learner, observer: Observer) -> dict[int, str]:
    """The names in a learnt text by the numbers of types in the true game; of types never seen, unused ones."""
    numbers = {number: observer.number_of(number) for number in range(len(game.types))}
    return {number: learner.names.get(seen, f"unseen{number}") for number, seen in numbers.items()}


def teach(
    game: Game,
    learner: Learner,
    observer: Observer,
    ticks: int,
    seed: int,
    levels: Sequence[int | str] = LEARNT_FROM,
    longest: int = LONGEST_LESSON,
) -> Iterator[tuple[int, int]]:
    """Let a learner play levels in turn, each for ``longest`` ticks at most; yields ticks and wins after each play."""
    draws = random.Random(seed)
    turns = itertools.cycle(levels)
    played = wins = 0
    while played < ticks:
        level = next(turns)
        state = game.start(level if isinstance(level, str) else level % len(game.levels), seed=draws.getrandbits(31))
        learner.observe(observer.observe(state), starts=True)
        for _ in range(min(longest, ticks - played)):
            if state.is_over:
                break
            state.advance(learner.act())
            learner.observe(observer.observe(state))
            played += 1
        wins += state.winner == Winner.PLAYER_WINS
        yield played, wins
    learner.learn(is_last=True)


def watch(
    evidence: Evidence,
    game: Game,
    level: int | str,
    learner: Learner,
    observer: Observer,
    seed: int,
    ticks: int,
    longest: int,
) -> None:
    """Add random plays of a level to the evidence, in the learner's numbers: so many ticks, ``longest`` in a play."""
    draws = random.Random(seed)
    last = evidence.ticks + ticks
    while evidence.ticks < last:
        state = game.start(level, seed=draws.getrandbits(31))
        evidence.add(learner.numbered(observer.observe(state)), starts=True)
        for _ in range(min(longest, last - evidence.ticks)):
            if state.is_over:
                break
            action = draws.choice(state.actions_of(0, nil=True) or (Action.NIL,))
            evidence.act(action)
            state.advance(action)
            evidence.add(learner.numbered(observer.observe(state)), starts=False)
