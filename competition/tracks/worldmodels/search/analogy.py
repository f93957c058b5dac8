"""Guesses rules by analogy: if red keys open red doors and blue keys blue doors, green keys open green doors.

Types of such a series are numbered one after the other, and so are their partners: the rules of two members differ by
the same number in several places. Rules of members that plays did not show follow.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from vgdl.competition.tracks.worldmodels.search.contacts import Table
from vgdl.competition.tracks.worldmodels.search.hypothesis import AVATAR, EDGE, End, Kind, Rule, name_of, number_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives

_TYPES = ("stype", "stypeTo", "resource")  #: parameters that name types
_LONG = 3  #: members of a series that is certain enough to be continued with a type that was never seen
Slots = tuple[int, ...]  #: the types that a rule names: first, second, and those of its parameters


def with_analogies(
    lives: Lives, table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind], strays: Set[int]
) -> tuple[list[Rule], dict[int, Kind], set[tuple[Rule, int]]]:
    """Guess rules for pairs that never met, from series of rules that differ by the same number in several places.

    Args:
        lives: the recorded plays.
        table: the meetings.
        rules: those seen.
        kinds: the types seen.
        strays: types that move at random.

    Returns:
        The further rules; the types that were never seen, but that they name: single numbers between types of the same
        class (between two types of avatar, such a number is assumed to be an avatar in any case), and those directly
        after a long series; and the rules in series with the places in which no other type may stand.
    """
    unseen = {
        n: kinds[n - 1]
        for n in range(min(kinds) + 1, max(kinds))
        if n not in kinds and {n - 1, n + 1} <= kinds.keys() and kinds[n - 1].word == kinds[n + 1].word
    }
    known = {(rule.first, rule.second) for rule in rules}
    following: dict[int, Kind] = {}
    added: dict[Rule, None] = {}
    exclusive: set[tuple[Rule, int]] = set()
    for members, places in series(rules, kinds):
        (one, *others), place = members, min(places)
        further: list[Rule] = []
        steps = {_slots(other)[place] - _slots(one)[place] for other in others}
        following |= _next_ones(members, places, kinds)
        for step in _further(one, places, {**unseen, **following, **kinds}, steps):
            option = _shifted(one, places, step)
            pair = option.first, option.second
            if pair not in known and not table.met(*pair, strays) and not table.together[pair]:
                further.append(option)
        added |= dict.fromkeys(further)
        if _is_exclusive(table, members, places, strays):
            exclusive |= set(itertools.product((*members, *further), places))
    named = {number for rule in added for number in _slots(rule)}
    assumed = {n: kind for n, kind in {**following, **unseen}.items() if n in named}
    assumed |= {n: kind for n, kind in unseen.items() if kind.word.endswith("Avatar")}
    for number in assumed:
        lives.categories[number] = lives.categories.get(number - 1) or lives.categories[number + 1]
    return list(added), assumed, exclusive


def with_further_ends(lives: Lives, kinds: Mapping[int, Kind], ends: Sequence[End]) -> tuple[End, ...]:
    """Continue series of terminations that count sprites of two types, unless an observed state contradicts.

    For example, a race is won when the first camel arrives and the avatar that bet on it is there, or the second camel
    and the avatar that bet on that one.
    """
    found = list(ends)
    pairs = {pair: end for end in ends if (pair := _pair(end)) is not None}
    if len(pairs) < 2:
        return tuple(ends)
    states = [Counter(kind for kind, _ in row.values()) for rows in lives.rows for row in rows]
    for members, places in series(list(pairs), kinds):
        one, *others = members
        steps = {other.first - one.first for other in others}
        for step in _further(one, places, kinds, steps):
            option = _shifted(one, places, step)
            stypes = ("stype1", name_of(option.first)), ("stype2", name_of(option.second))
            end = replace(pairs[one], parameters=(*stypes, *option.parameters))
            limit = dict(option.parameters).get("limit", 0)
            holds = any(state[option.first] + state[option.second] == limit for state in states)
            if not holds and end not in found:
                found.insert(1 + max(found.index(pairs[member]) for member in members), end)
    return tuple(found)


def are_in_series(one: End, other: End, kinds: Mapping[int, Kind]) -> bool:
    """Whether two terminations that count sprites of two types are members of a series."""
    pairs = [pair for end in (one, other) if (pair := _pair(end)) is not None]
    return len(pairs) == 2 and any(series(pairs, kinds))


def _pair(end: End) -> Rule | None:
    """A termination that counts two types, in the form of a rule about them; None for others."""
    types = [number_of(str(value)) for key, value in end.parameters if key.startswith("stype")]
    if len(types) != 2:
        return None
    one, other = types
    return Rule(one, other, end.word, end.parameters[2:])


def _next_ones(members: Sequence[Rule], places: frozenset[int], kinds: Mapping[int, Kind]) -> dict[int, Kind]:
    """Types that were never seen, and would continue a series in either direction with other types that were seen.

    If all members meet the same type, and each turns into a type of its own, two members are certain enough.
    """
    if len(members) < _LONG and not (members[0].effect == "transformTo" and places == {0, 2}):
        return {}
    found: dict[int, Kind] = {}
    for side, step in ((max, 1), (min, -1)):
        ends = [side(_slots(rule)[place] for rule in members) for place in places]
        if any(kinds.get(n + step, Kind("")).word == kinds[n].word for n in ends):
            found |= {n + step: kinds[n] for n in ends if n + step not in kinds and n + step > AVATAR}
    return found


def _is_exclusive(table: Table, members: Sequence[Rule], places: frozenset[int], strays: Set[int]) -> bool:
    """Whether a series is certain enough to exclude the effect between members that do not correspond.

    Two rules may differ by the same number in several places by chance. If both types that meet differ, two pairs that
    do not correspond must have met without the effect; otherwise, there must be three members.
    """
    if not {0, 1} <= places:
        return len(members) > 2
    crossed = itertools.permutations(members, 2)
    return sum(table.met(one.first, other.second, strays) for one, other in crossed) > 1


def series(rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> Iterator[tuple[list[Rule], frozenset[int]]]:
    """Series of rules that differ by the same number in several places, with types of the same class; with the places.

    An effect that is known for all combinations of several types, such as a stop, is no series.
    """
    shapes: dict[tuple[object, ...], list[Rule]] = defaultdict(list)
    for rule in rules:
        if rule.second != EDGE:
            shapes[_shape(rule)].append(rule)
    for alike in shapes.values():
        slots = {_slots(rule) for rule in alike}
        found: dict[tuple[Rule, frozenset[int]], list[Rule]] = defaultdict(list)
        for one, other in itertools.combinations(alike, 2):
            differ = [b - a for a, b in zip(_slots(one), _slots(other), strict=True)]
            places = frozenset(k for k, step in enumerate(differ) if step)
            types = [(kinds.get(_slots(one)[k]), kinds.get(_slots(other)[k])) for k in places]
            if any(a is None or b is None or a.word != b.word for a, b in types):
                continue
            several = len({_slots(one)[k] for k in places}) > 1  # a type that meets itself is a single one
            if several and len({differ[k] for k in places}) == 1 and not _is_mixed(one, other, places, slots):
                found[one, places].append(other)
        for (one, places), others in found.items():
            yield [one, *others], places


def _shape(rule: Rule) -> tuple[object, ...]:
    """A rule without the types that it names."""
    rest = tuple(item for item in rule.parameters if item[0] not in (*_TYPES, "scoreChange"))
    return rule.effect, rest, tuple(key for key, _ in rule.parameters if key in _TYPES)


def _slots(rule: Rule) -> Slots:
    named = (number_of(value) for key, value in rule.parameters if key in _TYPES)
    return rule.first, rule.second, *named


def _is_mixed(one: Rule, other: Rule, places: frozenset[int], slots: Set[Slots]) -> bool:
    """Whether the same effect is known between members that do not correspond."""
    pairs = list(zip(_slots(one), _slots(other), strict=True))
    for chosen in itertools.product((0, 1), repeat=len(places)):
        if len(set(chosen)) > 1:
            which = dict(zip(sorted(places), chosen, strict=True))
            if tuple(pair[which.get(k, 0)] for k, pair in enumerate(pairs)) in slots:
                return True
    return False


def _further(one: Rule, places: frozenset[int], kinds: Mapping[int, Kind], known: Set[int]) -> Iterator[int]:
    """Steps from a rule to further members: in all places, types of the same class follow without a gap."""
    slots = _slots(one)
    for direction in (1, -1):
        for step in itertools.count(direction, direction):
            if any(kinds.get(slots[k] + step, Kind("")).word != kinds[slots[k]].word for k in places):
                break
            if step not in known:
                yield step


def _shifted(rule: Rule, places: frozenset[int], step: int) -> Rule:
    """A rule with other types in some places."""
    slots = [number + step * (k in places) for k, number in enumerate(_slots(rule))]
    named = iter(slots[2:])
    parameters = tuple((key, name_of(next(named)) if key in _TYPES else value) for key, value in rule.parameters)
    return replace(rule, first=slots[0], second=slots[1], parameters=parameters)
