"""Guessed rules for types that never met: types of one class are alike, as long as nothing else was seen.

A learner may have seen that one kind of fish kills, but have met no other kind, or have met walls with one of two
avatars only. What it has not seen costs a text nothing, so that the evidence cannot decide; a planner needs a guess.
Only classes that move by themselves and avatars have relatives: two types at rest may be a wall and a door. A type is
not expected to meet those that it makes as their relatives do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from vgdl import ontology
from vgdl.induction.evidence import Evidence
from vgdl.induction.hypothesis import CLOCK, EDGE, Hypothesis, Rule
from vgdl.induction.signatures import MOVED, class_signature

Pair = tuple[int, int]


def with_analogies(hypothesis: Hypothesis, evidence: Evidence) -> Hypothesis:
    """The hypothesis with the rules of relatives for pairs of types that have no rules and were never seen to overlap.

    The rules of a pair follow those that they are copied from, which are those of the relatives that were near each
    other most often.
    """
    relatives = _relatives(hypothesis)
    known = {rule.pair for rule in hypothesis.rules}
    sources: dict[frozenset[int], tuple[int, Pair]] = {}  # by pair, how often its relatives were near, and these
    for rule in hypothesis.rules:
        near = 0 if rule.second == CLOCK else len(evidence.near(rule.first, rule.second))
        for pair in _alike((rule.first, rule.second), relatives) if near else ():
            target = frozenset(pair)
            made = any(one in hypothesis.kinds[other].types for one, other in (pair, pair[::-1]) if other != EDGE)
            if target in known or made or _overlapped(*pair, evidence):
                continue
            if target not in sources or near > sources[target][0]:
                sources[target] = near, (rule.first, rule.second)
    rules: list[Rule] = []
    for rule in hypothesis.rules:
        rules.append(rule)
        for pair in _alike((rule.first, rule.second), relatives):
            if frozenset(pair) in sources and frozenset(sources[frozenset(pair)][1]) == rule.pair:
                rules.append(replace(rule, first=pair[0], second=pair[1]))
    return hypothesis.with_rules(rules)


def _overlapped(first: int, second: int, evidence: Evidence) -> bool:
    """Whether a sprite of a type was seen to overlap one of another, or the edge, without the end of the play."""
    for number, k in evidence.near(first, second):
        for frame in (frame for frame in evidence.plays[number].frames[k : k + 2] if not frame.is_over):
            places = [fate[1:] for fate in frame.fates.values() if fate[0] == first]
            if second == EDGE and any(frame.is_outside(x, y) for x, y in places):
                return True
            others = (other for place in places for other, *_ in frame.overlapping(*place))
            if any(frame.fates[other][0] == second for other in others):
                return True
    return False


def _relatives(hypothesis: Hypothesis) -> dict[int, list[int]]:
    """The other types of the same class, by type, of avatars and of classes that move by themselves."""
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for number, kind in enumerate(hypothesis.kinds):
        row = ontology.sprite_class(kind.word)
        if row is not None and (row.avatar or MOVED in class_signature(row)):
            by_word[kind.word].append(number)
    return {number: [k for k in kinds if k != number] for kinds in by_word.values() for number in kinds}


def _alike(pair: Pair, relatives: dict[int, list[int]]) -> Iterator[Pair]:
    """The pairs in which a relative stands for one of two types."""
    first, second = pair
    yield from ((other, second) for other in relatives.get(first, ()) if other != second)
    yield from ((first, other) for other in relatives.get(second, ()) if other != first)
