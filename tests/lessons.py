"""Random plays as a learner sees them."""

from __future__ import annotations

import random

import vgdl
from vgdl.induction import Budget, Hypothesis, Learner, Observer
from vgdl.induction.evidence import Evidence
from vgdl.induction.search import Search


def evidence_of(
    ticks: int, seed: int = 1, *, text: str, level: str, longest: int | None = None
) -> tuple[Evidence, dict[str, int]]:
    """Random play of a game, and the learner's numbers of the types by name.

    Args:
        longest: ticks after which another play begins; None: when one is over.
    """
    game = vgdl.loads(text)
    observer, learner, draws = Observer(seed), Learner(seed), random.Random(seed)
    evidence = learner.evidence
    while evidence.ticks < ticks:
        state = game.start(level, seed=1)
        evidence.add(learner.numbered(observer.observe(state)), starts=True)
        while not state.is_over and evidence.ticks < ticks and (longest is None or state.tick < longest):
            action = draws.choice(state.actions_of(0, nil=True))
            evidence.act(action)
            state.advance(action)
            evidence.add(learner.numbered(observer.observe(state)), starts=False)
    first = game.start(level, seed=1)
    seen = learner.numbered(observer.observe(first)).arrays
    true = {row[0]: row[1] for row in first.arrays.tolist()}
    return evidence, {game.types[true[number]]: kind for number, kind, *_ in seen.tolist()}


def searched(evidence: Evidence, start: Hypothesis, hypotheses: int, *without: str) -> tuple[float, set[str]]:
    """Bits and rules of what a search finds that begins with a text and chooses no classes."""
    search = Search(evidence, Budget(hypotheses, 400_000), without=set(without))
    judged = search._judged(start, float("inf"))  # with no ticks to judge yet, just to begin with
    assert judged is not None
    search.beam = [judged]
    search._races._chosen = dict.fromkeys(range(len(start.kinds)), 1_000_000)
    search.improve()
    return search.beam[0].total, {rule.line for rule in search.beam[0].hypothesis.rules}
