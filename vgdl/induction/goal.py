"""Guesses of how a game ends, as long as the rules do not say it: a planner needs aims, and dangers to avoid.

A game is taken to be lost when no avatar is left, unless a play went on without one. Most games are won when the last
sprite of some type is gone. Of the types that some rule removes, those whose removal scores come first. A type is out
of question once a play went on without any sprite of it. Guesses are for plans, those of a learner's own play included;
they are no belief, and the evidence is not judged by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vgdl import Winner, ontology
from vgdl.induction import prior
from vgdl.induction.amounts import names_type
from vgdl.induction.edits import own_parameters
from vgdl.induction.evidence import Evidence
from vgdl.induction.hypothesis import End, Hypothesis, name_of
from vgdl.induction.observations import Frame
from vgdl.induction.signatures import FIRST, GONE, SECOND, effect_signature


def with_goal(hypothesis: Hypothesis, evidence: Evidence) -> Hypothesis:
    """The hypothesis with a termination that wins and one that loses without an avatar, where it lacks them."""
    frames = [frame for play in evidence.plays for frame in play.frames]
    avatars = evidence.actions.keys()
    wins = any(end.get("win") == "True" for end in hypothesis.ends)
    loses = any(end.get("win") == "False" and end.types & avatars for end in hypothesis.ends)
    wanted = () if wins else _goals(hypothesis, evidence, frames)
    needed = () if loses or any(not (frame.avatar or frame.is_over) for frame in frames) else sorted(avatars)
    guesses = (_without(wanted, "True", hypothesis), _without(needed, "False", hypothesis))
    return hypothesis.with_ends((*hypothesis.ends, *(end for end in guesses if end is not None)))


def _goals(hypothesis: Hypothesis, evidence: Evidence, frames: Sequence[Frame]) -> list[int]:
    """The type whose removal scores most, of those that may have to go; none if there is none."""
    scores = _scores_of_removal(hypothesis)
    possible = set(range(len(hypothesis.kinds))) - evidence.actions.keys()
    for frame in frames:
        if not frame.is_over:
            possible &= set(frame.arrays["type"].tolist())
        elif frame.winner == Winner.PLAYER_WINS:
            possible -= set(frame.arrays["type"].tolist())
    wanted = [kind for kind in sorted(scores) if kind in possible and scores[kind] >= 0]
    return [max(wanted, key=lambda kind: scores[kind])] if wanted else []


def _without(kinds: Sequence[int], win: str, hypothesis: Hypothesis) -> End | None:
    """The shortest line that ends a game when no sprite of these types is left; None if no word says so."""
    ends = []
    for row in ontology.ALL_TERMINATIONS:
        naming = [parameter.name for parameter in own_parameters(row) if names_type(parameter)]
        if 0 < len(kinds) <= len(naming):
            names = zip(naming, map(name_of, kinds), strict=False)
            ends.append(End(row.name, (*names, ("win", win))))
    return min(ends, key=lambda end: prior.line_bits("termination", end, len(hypothesis.kinds)), default=None)


def _scores_of_removal(hypothesis: Hypothesis) -> Counter[int]:
    """The score of each type that a rule removes: the sum over its rules."""
    found: Counter[int] = Counter()
    for rule in hypothesis.rules:
        row = ontology.effect(rule.word)
        assert row is not None
        for role, kind in ((FIRST, rule.first), (SECOND, rule.second)):
            if (role, GONE) in effect_signature(row) and kind >= 0:
                found[kind] += int(rule.get("scoreChange") or 0)
    return found
