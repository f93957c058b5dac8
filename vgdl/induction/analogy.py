"""Guessed rules for types that hardly met: types of one class are alike, as long as nothing says otherwise.

A learner may have seen that one kind of fish kills, but have met no other kind, or have met walls with one of two
avatars only. What it has not seen costs a text nothing, so that the evidence cannot decide; a planner needs a guess.
Only classes that move by themselves and avatars have relatives: two types at rest may be a wall and a door. A type is
not expected to meet those that it makes as their relatives do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from vgdl.induction.evidence import Span
from vgdl.induction.hypothesis import CLOCK, EDGE, Hypothesis, Rule
from vgdl.induction.likelihood import BRIEF, Judge
from vgdl.induction.signatures import MOVED, class_signature
from vgdl.language import VGDLError

_CHECKED = 60  #: ticks in which two types were near each other, by which a guess about them is checked, at most

Pair = tuple[int, int]


def with_analogies(hypothesis: Hypothesis, judge: Judge) -> Hypothesis:
    """The hypothesis with the rules of relatives for pairs of types that have none, if these explain no less.

    The rules of a pair follow those that they are copied from. Of several pairs of relatives, those that were near each
    other most often are tried first.
    """
    evidence = judge.evidence
    pairs = dict.fromkeys((rule.first, rule.second) for rule in hypothesis.rules if rule.second != CLOCK)
    near = {pair: len(evidence.near(*pair)) for pair in pairs}
    known = {frozenset(pair) for pair in pairs}
    relatives = _relatives(hypothesis)
    for source in sorted(pairs, key=lambda pair: -near[pair]):
        for pair in _alike(source, relatives) if near[source] else ():
            made = any(one in hypothesis.kinds[other].types for one, other in (pair, pair[::-1]) if other != EDGE)
            if frozenset(pair) not in known and not made:
                guessed = _copied(hypothesis, source, pair)
                if _explains_no_less(guessed, hypothesis, pair, judge):
                    hypothesis = guessed
                    known.add(frozenset(pair))
    return hypothesis


def _copied(hypothesis: Hypothesis, source: Pair, pair: Pair) -> Hypothesis:
    """The hypothesis with the rules of a pair, in either order, for another one, too."""
    named = dict(zip(source, pair, strict=True))
    rules: list[Rule] = []
    for rule in hypothesis.rules:
        rules.append(rule)
        if rule.pair == frozenset(source):
            rules.append(replace(rule, first=named[rule.first], second=named[rule.second]))
    return hypothesis.with_rules(rules)


def _explains_no_less(guessed: Hypothesis, hypothesis: Hypothesis, pair: Pair, judge: Judge) -> bool:
    """Whether a text explains the ticks in which two types were near each other as well as another one."""
    spots = judge.evidence.near(*pair)
    spans: list[Span] = [(number, k, k + 1) for number, k in spots[:: 1 + len(spots) // _CHECKED]]
    if not spans:
        return True
    try:
        bits = judge.report(judge.world(hypothesis), spans, warm=BRIEF).total
        return judge.report(judge.world(guessed), spans, warm=BRIEF).total <= bits
    except VGDLError:
        return False


def _relatives(hypothesis: Hypothesis) -> dict[int, list[int]]:
    """The other types of the same class, by type, of avatars and of classes that move by themselves."""
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for number, kind in enumerate(hypothesis.kinds):
        if kind.row.avatar or MOVED in class_signature(kind.row):
            by_word[kind.word].append(number)
    return {number: [k for k in kinds if k != number] for kinds in by_word.values() for number in kinds}


def _alike(pair: Pair, relatives: dict[int, list[int]]) -> Iterator[Pair]:
    """The pairs in which a relative stands for one of two types, or for a type that meets its own."""
    first, second = pair
    if first == second:
        yield from ((other, other) for other in relatives.get(first, ()))
        return
    yield from ((other, second) for other in relatives.get(first, ()) if other != second)
    yield from ((first, other) for other in relatives.get(second, ()) if other != first)
