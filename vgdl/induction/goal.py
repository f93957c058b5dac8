"""A guess of how a game is won, as long as the rules do not say it: a planner needs something to strive for.

Most games are won when the last sprite of some type is gone. Of the types that some rule removes, those whose removal
scores come first. A type is out of question once a play went on without any sprite of it. Guesses are for plans, those of
a learner's own play included; they are no belief, and the evidence is not judged by them.
"""

from __future__ import annotations

from collections import Counter

from vgdl import Winner, ontology
from vgdl.induction import prior
from vgdl.induction.amounts import names_type
from vgdl.induction.edits import own_parameters
from vgdl.induction.evidence import Evidence
from vgdl.induction.hypothesis import End, Hypothesis, name_of
from vgdl.induction.signatures import FIRST, GONE, SECOND, effect_signature


def with_goal(hypothesis: Hypothesis, evidence: Evidence) -> Hypothesis:
    """The hypothesis with a termination that wins; as it is, if it has one or no type can be guessed."""
    if any(str(end.get("win")) == "True" for end in hypothesis.ends):
        return hypothesis
    scores = _scores_of_removal(hypothesis)
    frames = [frame for play in evidence.plays for frame in play.frames]
    possible = set(range(len(hypothesis.kinds))) - evidence.actions.keys()
    for frame in frames:
        if not frame.is_over:
            possible &= set(frame.arrays["type"].tolist())
        elif frame.winner == Winner.PLAYER_WINS:
            possible -= set(frame.arrays["type"].tolist())
    wanted = [kind for kind in sorted(scores) if kind in possible and scores[kind] >= 0]
    if not wanted:
        return hypothesis
    goal = max(wanted, key=lambda kind: scores[kind])
    ends = [
        End(row.name, ((naming[0].name, name_of(goal)), ("win", "True")))
        for row in ontology.ALL_TERMINATIONS
        if len(naming := [parameter for parameter in own_parameters(row) if names_type(parameter)]) == 1
    ]
    shortest = min(ends, key=lambda end: prior.line_bits("termination", end, len(hypothesis.kinds)))
    return hypothesis.with_ends((*hypothesis.ends, shortest))


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
