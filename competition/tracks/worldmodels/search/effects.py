"""Adds effects and terminations to a hypothesis that has a class for each type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from vgdl.competition.tracks.worldmodels.search.ageing import settled
from vgdl.competition.tracks.worldmodels.search.analogy import with_analogies
from vgdl.competition.tracks.worldmodels.search.contacts import Table, meet
from vgdl.competition.tracks.worldmodels.search.ends import guess_ends, with_events
from vgdl.competition.tracks.worldmodels.search.hypothesis import (
    CHASING,
    MOVING,
    Hypothesis,
    Kind,
    Rule,
    name_of,
    strays_of,
)
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.prizes import with_prizes
from vgdl.competition.tracks.worldmodels.search.rules import blocked_pushes, exits, guess_rules, limits
from vgdl.competition.tracks.worldmodels.search.spreading import put_out
from vgdl.competition.tracks.worldmodels.search.unseen import (
    alike,
    collected,
    doors_open,
    feared,
    inherited,
    struck,
    unseen_siblings,
)
from vgdl.competition.tracks.worldmodels.search.unseen_spreading import makers, smothered, unseen_children
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_STOPPING = ("stepBack", "undoAll", "reverseDirection")
_Groups = Mapping[int, tuple[int, ...]]  #: subtypes by their parent type


def with_effects(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> tuple[Hypothesis, Table]:
    """Add effects and terminations to a hypothesis.

    Args:
        lives: the recorded plays.
        follower: follower of the recorded plays.
        hypothesis: a class for each type, and no rules except those of `with_ageing`.

    Returns:
        The hypothesis with effects and terminations; the meetings that they were guessed from.
    """
    unseen = unseen_children(hypothesis.kinds)
    kinds = {number: kind for number, kind in hypothesis.kinds.items() if number in lives.tracks or number in unseen}
    hidden = {number: kind for number, kind in hypothesis.kinds.items() if number not in kinds}
    ageing = hypothesis.rules
    table, rules = _meetings_and_rules(lives, follower, hypothesis, kinds)
    rules = _second_thoughts(lives, follower, replace(hypothesis, kinds=kinds, rules=tuple(rules)))
    rules += put_out(lives, kinds, rules)
    rules += smothered(lives, kinds, rules)
    kinds, rules = _with_unseen(lives, table, kinds, rules, ageing)
    ends, groups, unexplained = guess_ends(lives, kinds, rules, _chased_groups(lives, kinds))
    kinds, rules, groups = _with_siblings(lives, kinds, rules, groups, hidden)
    kinds = _chasing_all_avatars(lives, kinds, groups)
    rules = list(dict.fromkeys([*rules, *ageing]))
    hidden |= limits(lives, table, rules)
    found = replace(hypothesis, kinds={**kinds, **hidden}, rules=tuple(rules), ends=ends, groups=groups)
    return with_prizes(lives, table, with_events(lives, table, settled(found), unexplained)), table


def _meetings_and_rules(
    lives: Lives, follower: Follower, hypothesis: Hypothesis, kinds: Mapping[int, Kind]
) -> tuple[Table, list[Rule]]:
    """Guess the rules that the recorded meetings show, and return them with the meetings.

    A rule that moves sprites changes which sprites meet. So meetings are predicted again with the rules of this kind
    that were found, until there are no further ones.
    """
    ageing = hypothesis.rules
    for _ in range(3):
        table = meet(follower, hypothesis)
        rules = [found.rule for found in guess_rules(lives, table, kinds)]
        moving = [rule for rule in rules if rule.effect in MOVING]
        if set(moving) <= set(hypothesis.rules):
            break
        hypothesis = hypothesis.with_rules(dict.fromkeys([*hypothesis.rules, *moving]))
    known = {(rule.first, rule.second, rule.effect) for rule in hypothesis.rules}
    further = [rule for rule in rules if (rule.first, rule.second, rule.effect) not in known]
    moving = [rule for rule in hypothesis.rules if rule not in ageing]
    return table, blocked_pushes(table, [*moving, *further])


def _second_thoughts(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> list[Rule]:
    """Add further rules that stop sprites, given that stopped ones stay: for example queues of sprites.

    More meetings are then predicted where they took place. So rules that seemed to score nothing get the score that
    several meetings now show.
    """
    stopping = hypothesis.with_rules(rule for rule in hypothesis.rules if rule.effect in (*MOVING, *_STOPPING))
    known = {(rule.first, rule.second) for rule in stopping.rules}
    found = guess_rules(lives, meet(follower, stopping), hypothesis.kinds)
    scores = {f.rule.scoring(0): f.rule.score for f in found if len({(m.play, m.index) for m in f.meetings}) > 1}
    rules = [rule if rule.score else rule.scoring(scores.get(rule, 0)) for rule in hypothesis.rules]
    more = (f.rule for f in found if f.rule.effect == "stepBack" and (f.rule.first, f.rule.second) not in known)
    return [*rules, *more]


def _with_unseen(
    lives: Lives, table: Table, kinds: Mapping[int, Kind], rules: Sequence[Rule], ageing: Iterable[Rule]
) -> tuple[dict[int, Kind], list[Rule]]:
    """Add rules for types that never met, the types that these rules name, and the exits of portals."""
    analogous, assumed, exclusive = with_analogies(lives, table, rules, kinds, strays_of(kinds))
    known, found = {**kinds, **assumed}, [*rules, *analogous]
    found += inherited(lives, table, found, known, exclusive)
    found += doors_open(table, found, known)
    found = _with_stops(found, alike(table, found, known))
    found += collected(table, found, known)
    known |= exits(lives, table, found, known)
    brief = {rule.first for rule in ageing} | makers(known).keys()  # gone before others meet them
    found += [rule for rule in feared(lives, table, found, known) if rule.second not in brief]
    found += struck(table, found, known)
    return known, found


def _with_stops(rules: Sequence[Rule], more: Sequence[Rule]) -> list[Rule]:
    """Add rules; those that stop sprites come after others that do, and so before what removes these sprites.

    What a rule has turned into another type is not stopped in the same tick by that one.
    """
    stops = [rule for rule in more if rule.effect in _STOPPING]
    place = 1 + max((k for k, rule in enumerate(rules) if rule.effect in _STOPPING), default=-1)
    return [*rules[:place], *stops, *rules[place:], *(rule for rule in more if rule not in stops)]


def _chased_groups(lives: Lives, kinds: Mapping[int, Kind]) -> dict[int, tuple[int, ...]]:
    """The groups of types that some type approaches or avoids."""
    targets = {kind.parameters.get(key) for kind in kinds.values() for key in ("stype", "stype1")}
    return {gap: types for gap, types in lives.chased_groups.items() if name_of(gap) in targets}


def _with_siblings(
    lives: Lives, kinds: Mapping[int, Kind], rules: Sequence[Rule], groups: _Groups, hidden: Mapping[int, Kind]
) -> tuple[dict[int, Kind], list[Rule], dict[int, tuple[int, ...]]]:
    """Give classes, rules and parents of types to siblings that only other levels may show."""
    known, found, parents = dict(kinds), list(rules), dict(groups)
    for number, sibling in unseen_siblings(lives, kinds).items():
        if number not in parents and number not in hidden:
            known[number] = known[sibling]
            found += [replace(rule, first=number) for rule in found if rule.first == sibling != rule.second]
            found += [replace(rule, second=number) for rule in found if rule.second == sibling != rule.first]
            parents = {gap: (*types, number) if types[-1] == sibling else types for gap, types in parents.items()}
    return known, found, parents


def _chasing_all_avatars(lives: Lives, kinds: Mapping[int, Kind], groups: _Groups) -> dict[int, Kind]:
    """Let chasers of an avatar chase all types that it turns into, if these have a parent."""
    parents = {name_of(n): name_of(gap) for gap, types in groups.items() for n in types if n in lives.avatars}
    found = dict(kinds)
    for number, kind in kinds.items():
        for key in ("stype", "stype1"):
            parent = parents.get(str(kind.parameters.get(key)))
            if parent is not None and kind.word in CHASING:
                found[number] = kind.but(**{key: parent})
    return found
