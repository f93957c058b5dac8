"""Guesses transformations that depend on a count of sprites (`transformIfCount`)."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from vgdl.competition.tracks.worldmodels.search.ageing import results_of_shots
from vgdl.competition.tracks.worldmodels.search.contacts import INTO, OK, UNMOVED, Moment, Table, missed
from vgdl.competition.tracks.worldmodels.search.ends import groups_of
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, Hypothesis, Rule, name_of, number_of, strays_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_FEWEST = 2  #: meetings with a result, for it to count
_MOST = 6  #: counts that are tried for a pair of types
_STAYS = -1  #: the result of a meeting that turned nothing
Unit = tuple[int, tuple[int, ...]]  #: a type and what counts as it: itself, or its subtypes


def with_counts(lives: Lives, table: Table, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try counts of sprites as conditions of transformations that not all meetings showed.

    The results of the meetings must be in separate ranges of a count: with three codes on the board, a shot turns one
    into a red stone, and with fewer into a green one.
    """
    turning: dict[tuple[int, int], list[Rule]] = defaultdict(list)
    for rule in hypothesis.rules:
        if rule.effect == "transformTo" and rule.second not in (EDGE, hypothesis.floor):
            turning[rule.first, rule.second].append(rule)
    for pair, rules in turning.items():
        turns = {number_of(dict(rule.parameters)["stype"]): rule for rule in rules}
        results = _results(table, pair, turns, strays_of(hypothesis.kinds))
        sure = {into: moments for into, moments in results.items() if into != _STAYS}
        for known in (results, sure):  # where nothing turned, the sprites may have missed each other
            best = hypothesis
            for option in _options(lives, hypothesis, rules, known) if len(known) > 1 else ():
                for order in (option, _with_lasting(option, pair)):
                    best = follower.better_of(best, order)
            if best is not hypothesis:
                hypothesis = best
                break
    return hypothesis


def with_counted_shots(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try counts of sprites as conditions of what shots turn into that are never seen (`with_ageing`)."""
    aged = [rule for rule in hypothesis.rules if rule.second == hypothesis.floor and rule.effect == "transformTo"]
    turning = {rule.first: rule for rule in aged}
    for shot, results in results_of_shots(lives, hypothesis).items():
        if len(results) > 1 and shot in turning:
            turns = [turning[shot].but(stype=name_of(into)) for into in results]
            place = hypothesis.rules.index(turning[shot])
            several = hypothesis.with_rules([*hypothesis.rules[:place], *turns, *hypothesis.rules[place + 1 :]])
            for option in _options(lives, several, turns, results):
                hypothesis = follower.better_of(hypothesis, option)
    return hypothesis


def _with_lasting(hypothesis: Hypothesis, pair: tuple[int, int]) -> Hypothesis:
    """The rules with those first that undo transformations of a pair, so that these last until the next tick."""
    turned = [rule for rule in hypothesis.rules if (rule.first, rule.second) == pair]
    into = {number_of(dict(rule.parameters)["stype"]) for rule in turned if rule.effect == "transformIfCount"}
    back = ("stype", name_of(pair[0]))
    undone = [rule for rule in hypothesis.rules if rule.first in into and back in rule.parameters]
    return hypothesis.with_rules([*undone, *(rule for rule in hypothesis.rules if rule not in undone)])


def _results(
    table: Table, pair: tuple[int, int], known: Mapping[int, Rule], strays: Set[int]
) -> dict[int, set[Moment]]:
    """The ticks of the meetings of two types by what the first one turned into; ``strays`` may have missed it."""
    found: dict[int, set[Moment]] = defaultdict(set)
    for m in table.pairs[pair]:
        if m.outcome.startswith(INTO) and (into := int(m.outcome[len(INTO) :])) in known:
            found[into].add((m.play, m.index))
        elif m.outcome in (OK, UNMOVED) and not missed(m, strays):
            found[_STAYS].add((m.play, m.index))
    turned = set().union(*(moments for into, moments in found.items() if into != _STAYS))
    found[_STAYS] -= turned  # another sprite, in the same tick
    return {into: moments for into, moments in found.items() if len(moments) >= _FEWEST}


def _options(
    lives: Lives, hypothesis: Hypothesis, rules: Sequence[Rule], results: Mapping[int, set[Moment]]
) -> Iterator[Hypothesis]:
    """The hypothesis with each count that separates the results, those of more types first."""
    taken = {n for gap, types in hypothesis.groups.items() for n in (gap, *types)}
    free = {gap: some for gap, some in groups_of(hypothesis.kinds).items() if gap not in taken}
    units: list[Unit] = [(gap, types) for gap, types in hypothesis.groups.items()]
    units += [(gap, types) for gap, some in free.items() for types in some if taken.isdisjoint(types)]
    units = sorted(units, key=lambda unit: (rules[0].first not in unit[1], -len(unit[1])))
    units += [(number, (number,)) for number in hypothesis.kinds if number in lives.tracks]
    found = 0
    for unit in units:
        ranges = _ranges(lives, unit, results)
        if ranges is not None and found < _MOST:
            found += 1
            yield _with_ranges(hypothesis, rules, unit, ranges)


def _ranges(lives: Lives, unit: Unit, results: Mapping[int, set[Moment]]) -> dict[int, tuple[int, int | None]] | None:
    """The range of a count for each result, without gaps; None if they overlap."""
    counts: dict[int, list[int]] = {}
    for into, moments in results.items():
        rows = (Counter(kind for kind, _ in lives.rows[play][index].values()) for play, index in moments)
        counts[into] = [sum(row[n] for n in unit[1]) for row in rows]
    ordered = sorted(counts, key=lambda into: min(counts[into]))
    if any(max(counts[one]) >= min(counts[other]) for one, other in itertools.pairwise(ordered)):
        return None
    starts = [0, *(min(counts[into]) for into in ordered[1:])]
    stops = [*(start - 1 for start in starts[1:]), None]
    return {into: (start, stop) for into, start, stop in zip(ordered, starts, stops, strict=True)}


def _with_ranges(
    hypothesis: Hypothesis, rules: Sequence[Rule], unit: Unit, ranges: Mapping[int, tuple[int, int | None]]
) -> Hypothesis:
    parent, types = unit
    changed: dict[Rule, Rule] = {}
    for rule in rules:
        span = ranges.get(number_of(dict(rule.parameters)["stype"]))
        if span is not None:
            least, most = span
            limits = {"geq": least} if least else {}
            limits |= {} if most is None else {"leq": most}
            changed[rule] = replace(rule, effect="transformIfCount").but(stypeCount=name_of(parent), **limits)
    groups = hypothesis.groups if types == (parent,) else {**hypothesis.groups, parent: types}
    return replace(hypothesis, rules=tuple(changed.get(rule, rule) for rule in hypothesis.rules), groups=groups)
