"""Guesses of how a game ends, as long as the rules do not say it: a planner needs aims, and dangers to avoid.

A game is taken to be lost when no avatar is left, and won where a play was won, or where an avatar has never been, or
without the type whose removal scores most. Guesses are for plans only, and the evidence is not judged by them.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence

import numpy as np

from vgdl import Winner, ontology
from vgdl.induction import prior
from vgdl.induction.amounts import names_type
from vgdl.induction.evidence import Evidence, ahead, covering
from vgdl.induction.hypothesis import End, Hypothesis, Rule, joint_name, name_of
from vgdl.induction.locks import FEW, locks
from vgdl.induction.observations import Frame
from vgdl.induction.signatures import FIRST, GONE, changed_by, effect_signature, is_inert, own_parameters


def with_goal(hypothesis: Hypothesis, evidence: Evidence) -> Hypothesis:
    """The hypothesis with guesses of what opens, and of how the game is won, if no line says it."""
    opening = locks(hypothesis, evidence)
    hypothesis = hypothesis.with_rules((*opening, *hypothesis.rules))
    if any(end.get("win") == "True" for end in hypothesis.ends):
        return hypothesis
    frames = [frame for play in evidence.plays for frame in play.frames]
    places = _won_without(evidence, frames) or _unmet(hypothesis, evidence, frames)
    settled = _scores_of_removal(hypothesis).keys() | _stood(evidence, frames)
    reached = [
        Rule(_removal(), (), goal, avatar)
        for goal in places
        if goal not in settled
        for avatar in sorted(evidence.actions)
    ]
    goals = places or _gates(opening, evidence) or _goals(hypothesis, evidence, frames)
    return with_end(hypothesis.with_rules((*hypothesis.rules, *reached)), goals, "True")


def with_loss(hypothesis: Hypothesis, evidence: Evidence) -> Hypothesis:
    """The hypothesis with a termination that loses the game without an avatar, unless a play went on without one."""
    avatars = evidence.actions.keys()
    if any(not (frame.avatar or frame.is_over) for play in evidence.plays for frame in play.frames):
        return hypothesis
    known = [end for end in hypothesis.ends if end.get("win") == "False" and end.types and end.types <= avatars]
    rest = hypothesis.with_ends(end for end in hypothesis.ends if end not in known)
    return with_end(rest, sorted(avatars), "False")


def _won_without(evidence: Evidence, frames: Sequence[Frame]) -> list[int]:
    """The types whose last sprite vanished wherever a play was won, and of which there was always one before."""
    won = [play.frames[-2:] for play in evidence.plays if play.ticks and play.frames[-1].winner == Winner.PLAYER_WINS]
    ends = [(_shown(before), _shown(after)) for before, after in won]
    states = {_shown(frame) for frame in frames if not frame.is_over} | {before - after for before, after in ends}
    left = set(evidence.actions).union(*(after for _, after in ends))
    possible = [kind for kind in range(evidence.types) if ends and kind not in left]
    return covering(np.array([[kind in state for kind in range(evidence.types)] for state in states]), possible)


def _shown(frame: Frame) -> frozenset[int]:
    return frozenset(frame.arrays["type"].tolist())


def _gates(opening: Sequence[Rule], evidence: Evidence) -> list[int]:
    """The types of a few sprites in every level that may open."""
    return sorted({rule.first for rule in opening if all(0 < start[rule.first] <= FEW for start in evidence.starts)})


def _goals(hypothesis: Hypothesis, evidence: Evidence, frames: Sequence[Frame]) -> list[int]:
    """The type whose removal scores most, of those that may have to go; none if there is none."""
    scores = _scores_of_removal(hypothesis)
    going = {_shown(frame) for frame in frames if not frame.is_over}
    won = {_shown(frame) for frame in frames if frame.is_over and frame.winner == Winner.PLAYER_WINS}
    possible = set(range(len(hypothesis.kinds))).intersection(*going).difference(evidence.actions, *won)
    wanted = [kind for kind in sorted(scores) if kind in possible and scores[kind] >= 0]
    return [max(wanted, key=lambda kind: scores[kind])] if wanted else []


def _unmet(hypothesis: Hypothesis, evidence: Evidence, frames: Sequence[Frame]) -> list[int]:
    """The type of a few inert sprites in every level that never changed and no avatar has met, such as an exit."""
    avatars = evidence.actions.keys()
    known = {kind for rule in hypothesis.rules if rule.types & avatars for kind in rule.types}
    stood = _stood(evidence, frames)
    for play in evidence.plays:
        if play.ticks and play.frames[-1].is_over and play.frames[-1].winner != Winner.PLAYER_WINS:
            stood |= ahead(play.frames[-2])  # what has killed an avatar has been reached
    shown = set.intersection(*map(set, evidence.starts)) if evidence.starts else set()
    possible = shown - known - stood - evidence.changing - avatars
    few = {k: max(each[k] for each in evidence.starts) for k in sorted(possible) if is_inert(hypothesis.kinds[k].row)}
    return [kind for kind in few if few[kind] <= FEW and few[kind] == min(few.values())][:1]


def _stood(evidence: Evidence, frames: Sequence[Frame]) -> set[int]:
    """The types that an avatar stood on while play went on: to meet one is not enough to remove it."""
    stood: set[int] = set()
    for frame in frames:
        if frame.avatar is not None and not frame.is_over:
            x, y = map(int, frame.avatar.position)
            stood |= {frame.fates[number][0] for number, *_ in frame.overlapping(x, y)}
    return stood


@functools.cache
def _removal() -> str:
    """The most frequent effect that removes the first sprite and does nothing else."""
    rows = [row for row in ontology.ALL_EFFECTS if effect_signature(row) == {(FIRST, GONE)} and not own_parameters(row)]
    return min(rows, key=lambda row: prior.word_bits("effect", row.name)).name


def with_end(hypothesis: Hypothesis, kinds: Sequence[int], win: str) -> Hypothesis:
    """The hypothesis with the shortest line that ends a game when no sprite of these types is left, if there is one."""
    ends = []
    if any(group & set(kinds) not in (set(), group, set(kinds)) for group in hypothesis.groups):
        return hypothesis  # a type has one parent
    for row in ontology.ALL_TERMINATIONS:
        naming = [parameter.name for parameter in own_parameters(row) if names_type(parameter)]
        if kinds and naming:
            several = zip(naming, map(name_of, kinds), strict=False)
            names = several if len(kinds) <= len(naming) else [(naming[0], joint_name(kinds))]
            ends.append(End(row.name, (*names, ("win", win))))
    if not ends:
        return hypothesis
    shortest = min(ends, key=lambda end: prior.line_bits("termination", end, len(hypothesis.kinds)))
    return hypothesis.with_ends((*hypothesis.ends, shortest))


def _scores_of_removal(hypothesis: Hypothesis) -> Counter[int]:
    """The score of each type that a rule removes: the sum over its rules."""
    found: Counter[int] = Counter()
    for rule in hypothesis.rules:
        for kind in changed_by(rule, GONE):
            found[kind] += int(rule.get("scoreChange") or 0)
    return found
