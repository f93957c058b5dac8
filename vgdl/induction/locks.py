"""Guesses of what opens: what stops the avatar may vanish if the avatar brings something that it can collect.

A guess is about a type that never changed, of which a level has hardly more than of what would open it. It holds as
long as no avatar ran into such a sprite with as much in hand: one is enough at first, then all that a level has. As
other guesses, it is for plans only: own play tries it, and the evidence is not judged by it.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter
from collections.abc import Mapping

from vgdl import ontology
from vgdl.induction import prior
from vgdl.induction.amounts import names_type
from vgdl.induction.evidence import Evidence, ahead
from vgdl.induction.hypothesis import Hypothesis, Rule, name_of
from vgdl.induction.signatures import FIRST, GONE, RESOURCES, SECOND, effect_signature, is_inert, own_parameters
from vgdl.ontology.rows import Kind

FEW = 2  #: sprites of a type per level, at most, for one of them to be a lock or where to go in any case


def locks(hypothesis: Hypothesis, evidence: Evidence) -> list[Rule]:
    """The rules by which something that stops an avatar may open."""
    word, named, number = _opening()
    tried, steady = _tried(evidence), set(hypothesis.obstacles) - evidence.changing
    starts = [Counter[int](play.frames[0].arrays["type"].tolist()) for play in evidence.plays]
    most = functools.reduce(operator.or_, starts, Counter[int]())
    keys = sorted(evidence.held.keys() - _used(hypothesis, evidence))
    stops = [rule for rule in hypothesis.rules if rule.first in evidence.actions and rule.second in steady]
    guesses: dict[Rule, None] = {}
    for rule, key in itertools.product(stops, keys):
        lock, vain = rule.second, tried[rule.second, key]
        needed = min((start[key] for start in starts if start[key]), default=0) if vain else 1
        if needed > vain and most[lock] <= max(FEW, most[key]) and is_inert(hypothesis.kinds[lock].row):
            guesses[Rule(word, (), lock, rule.first).but(named, name_of(key)).but(number, needed)] = None
    return list(guesses)


def _tried(evidence: Evidence) -> Mapping[tuple[int, int], int]:
    """The most that an avatar held of a type when it ran into another one, while play went on."""
    most: Counter[tuple[int, int]] = Counter()
    for frame in (frame for play in evidence.plays for frame in play.frames if not frame.is_over):
        for kind, amount in frame.avatar.resources.items() if frame.avatar is not None else ():
            for other in ahead(frame) if amount else ():
                most[other, kind] = max(most[other, kind], amount)
    return most


def _used(hypothesis: Hypothesis, evidence: Evidence) -> set[int]:
    """The types of which it is known what they are good for: classes name them, or rules that remove something."""
    removing = (rule for rule in hypothesis.rules if (FIRST, GONE) in effect_signature(rule.row))
    used = {kind for rule in removing if rule.first not in evidence.actions for kind in rule.types - rule.pair}
    return used.union(*(kind.types for kind in hypothesis.kinds))


@functools.cache
def _opening() -> tuple[str, str, str]:
    """The most frequent effect that removes the first sprite if the second one holds enough, with its parameters."""
    found = []
    for row in ontology.ALL_EFFECTS:
        named = [p.name for p in own_parameters(row) if names_type(p)]
        numbers = [p.name for p in own_parameters(row) if p.kind is Kind.INT]
        if effect_signature(row) == {(FIRST, GONE), (SECOND, RESOURCES)} and len(named) == len(numbers) == 1:
            found.append((row.name, named[0], numbers[0]))
    return min(found, key=lambda entry: prior.word_bits("effect", entry[0]))
