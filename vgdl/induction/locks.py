"""Guesses of what opens: what stops the avatar may vanish if the avatar brings something that it can collect.

A guess is about a type that never changed, of which a level has hardly more than of what would open it. It holds until
an avatar runs into one with as much in hand: one is enough at first, then all that a level has. What has opened, too
seldom for a rule, needs what was held then. Guesses are for plans only, and the evidence is not judged by them.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter

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
    vain, opened = _tried(evidence)
    steady = set(hypothesis.obstacles) - (evidence.changing - {lock for lock, _ in opened})
    keys = sorted(evidence.held.keys() - _used(hypothesis, evidence))
    stops = [rule for rule in hypothesis.rules if rule.first in evidence.actions and rule.second in steady]
    guesses: dict[Rule, None] = {}
    for rule, key, (word, named, number) in itertools.product(stops, keys, _openings()):
        lock = rule.second
        least = min((start[key] for start in evidence.starts if start[key]), default=0) if vain[lock, key] else 1
        needed = opened.get((lock, key), least)
        is_rare = max(start[lock] for start in evidence.starts) <= max(FEW, *(start[key] for start in evidence.starts))
        if needed > vain[lock, key] and is_rare and is_inert(hypothesis.kinds[lock].row):
            guesses[Rule(word, (), lock, rule.first).but(named, name_of(key)).but(number, needed)] = None
    return list(guesses)


def _tried(evidence: Evidence) -> tuple[Counter[tuple[int, int]], dict[tuple[int, int], int]]:
    """The most that an avatar held of a type when it ran into another one in vain, and the least when that vanished."""
    vain: Counter[tuple[int, int]] = Counter()
    opened: dict[tuple[int, int], int] = {}
    for _, before, after in (step for play in evidence.plays for step in play.steps()):
        held = {} if before.avatar is None else before.avatar.resources
        gone = {before.fates[number][0] for number in before.fates.keys() - after.fates.keys()} if held else set()
        for lock, (key, amount) in itertools.product(ahead(before), held.items()):
            if lock in gone:
                opened[lock, key] = min(amount, opened.get((lock, key), amount))
            else:
                vain[lock, key] = max(amount, vain[lock, key])
    return vain, opened


def _used(hypothesis: Hypothesis, evidence: Evidence) -> set[int]:
    """The types of which it is known what they are good for: classes name them, or rules that remove something."""
    removing = (rule for rule in hypothesis.rules if (FIRST, GONE) in effect_signature(rule.row))
    used = {kind for rule in removing if rule.first not in evidence.actions for kind in rule.types - rule.pair}
    return used.union(*(kind.types for kind in hypothesis.kinds))


@functools.cache
def _openings() -> list[tuple[str, str, str]]:
    """The most frequent effect that removes the first sprite if the second one holds enough, with its parameters."""
    found = []
    for row in ontology.ALL_EFFECTS:
        named = [p.name for p in own_parameters(row) if names_type(p)]
        numbers = [p.name for p in own_parameters(row) if p.kind is Kind.INT]
        if effect_signature(row) == {(FIRST, GONE), (SECOND, RESOURCES)} and len(named) == len(numbers) == 1:
            found.append((row.name, named[0], numbers[0]))
    return sorted(found, key=lambda entry: prior.word_bits("effect", entry[0]))[:1]  # none without such a row
