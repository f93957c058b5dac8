"""Guesses terminations that fit the ends of recorded plays."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from vgdl import Category, Winner
from vgdl.competition.tracks.worldmodels.search.analogy import are_in_series, with_further_ends
from vgdl.competition.tracks.worldmodels.search.contacts import BACK, Table
from vgdl.competition.tracks.worldmodels.search.deaths import Pair
from vgdl.competition.tracks.worldmodels.search.hypothesis import (
    AVATAR,
    EDGE,
    HIDDEN,
    End,
    Hypothesis,
    Kind,
    Rule,
    name_of,
)
from vgdl.competition.tracks.worldmodels.search.lives import Lives

_OFTEN = 2  #: plays that a meeting must have ended


def guess_ends(
    lives: Lives, kinds: Mapping[int, Kind], rules: Sequence[Rule], known: Mapping[int, tuple[int, ...]]
) -> tuple[tuple[End, ...], dict[int, tuple[int, ...]], dict[str, list[int]]]:
    """Guess terminations that fit the ends of recorded plays.

    Returns:
        The terminations; the known groups and those that they use; the plays that no termination explains, by the value
        of ``win``.
    """
    groups = dict(known)
    avatars = sorted(n for n, kind in kinds.items() if kind.word.endswith("Avatar"))
    ends: list[End] = []
    done: list[tuple[int, str]] = []
    for number, play in enumerate(lives.plays):
        last = play.frames[-1]
        if last.is_over and last.winner in (Winner.PLAYER_WINS, Winner.PLAYER_LOSES):
            done.append((number, "True" if last.winner == Winner.PLAYER_WINS else "False"))
    if any(_avatar_dead(lives, n) for n, _ in done) or any(_kills(rule, avatars) for rule in rules):
        ends.append(_without_avatars(avatars or [1], kinds, groups))
    explained = {n for n, win in done if win == "False" and _avatar_dead(lives, n)}
    left = [(n, win) for n, win in done if n not in explained]
    unexplained: dict[str, list[int]] = {}
    for win in ("True", "False"):
        plays = [n for n, w in left if w == win]
        while plays:
            contrary = [n for n, w in left if w != win] if win == "True" else []  # which are decided later
            option = _best_end(lives, plays, win, kinds, contrary, ends)
            if option is None:
                break
            taken = {n for gap, types in groups.items() if gap not in option.groups for n in (gap, *types)}
            clash = any(groups.get(gap, types) != types for gap, types in option.groups.items())
            if clash or any(n in taken for gap, types in option.groups.items() for n in (gap, *types)):
                break
            groups |= option.groups
            ends.append(option.end)
            plays = [n for n in plays if n not in option.covered]
        unexplained[win] = plays
    ends = list(with_further_ends(lives, kinds, ends))
    if not any(win == "True" for _, win in done):
        ends += _hoped(lives, kinds, rules, groups)
    if not any(win == "False" for _, win in done) and not any(_kills(rule, avatars) for rule in rules):
        ends += _feared(lives, kinds, rules, groups)
    if any(win == "True" and _avatar_died(lives, n) for n, win in done):  # the first one that holds decides
        ends.sort(key=lambda end: ("win", "True") not in end.parameters)
    return tuple(ends), groups, unexplained


def with_events(lives: Lives, table: Table, hypothesis: Hypothesis, unexplained: Mapping[str, list[int]]) -> Hypothesis:
    """Add meetings that end the game: those that only took place when plays ended, most of them without another cause.

    Such a meeting makes a hidden sprite, which a termination counts. Where a play had the other outcome, another
    termination may have come first.

    Args:
        lives: the recorded plays.
        table: the meetings.
        hypothesis: the rules guessed so far.
        unexplained: numbers of the plays whose ends no termination explains, by the value of ``win``.
    """
    ended = {(n, play.ticks - 1) for n, play in enumerate(lives.plays) if play.frames[-1].is_over}
    for win, plays in unexplained.items():
        last = {(n, lives.plays[n].ticks - 1) for n in plays}
        best: tuple[int, Pair] | None = None
        for pair, meetings in sorted(table.pairs.items()):
            moments = {(m.play, m.index) for m in meetings if BACK not in (m.outcome, m.partner_outcome)}
            count = len(moments & last)
            only = EDGE not in pair and not table.together[pair] and moments <= ended and 2 * count > len(moments)
            if only and count > (best[0] if best else _OFTEN - 1):
                best = count, pair
        if best is not None:
            marker = max(hypothesis.kinds) + 2  # one more may be the number of a shot that was never seen
            mark = Rule(*best[1], "spawn", (("stype", name_of(marker)),))
            end = End("SpriteCounterMore", (("stype", name_of(marker)), ("limit", 1), ("win", win)))
            kinds = {**hypothesis.kinds, marker: HIDDEN}
            rules, ends = (mark, *hypothesis.rules), (*hypothesis.ends, end)
            hypothesis = replace(hypothesis, kinds=kinds, rules=rules, ends=ends)
    return hypothesis


def _without_avatars(avatars: list[int], kinds: Mapping[int, Kind], groups: dict[int, tuple[int, ...]]) -> End:
    """A termination that loses the game without an avatar: of one type, or of several, which a group may contain."""
    named = [avatars[0]]
    if len(avatars) > 1:
        below = [n for n in range(2, avatars[0]) if n not in kinds]
        children = tuple(range(max(below, default=0) + 1, avatars[-1] + 1))
        free = set(children).isdisjoint(n for types in groups.values() for n in types)
        if free and below and all(n in avatars or n not in kinds for n in children):
            groups[below[-1]] = children
            named = [below[-1]]
        elif free and AVATAR not in kinds and avatars == list(range(avatars[0], avatars[-1] + 1)):
            groups[AVATAR] = tuple(avatars)
            named = [AVATAR]
        else:
            named = avatars[:3]
    return _without(named, "False")


def _kills(rule: Rule, types: Sequence[int]) -> bool:
    """Whether a rule may kill sprites of some types."""
    both = rule.effect == "killBoth" or ("killSecond", "True") in rule.parameters
    return ("kill" in rule.effect or "Health" in rule.effect) and (
        rule.first in types or (both and rule.second in types)
    )


def _avatar_dead(lives: Lives, number: int) -> bool:
    avatar = lives.plays[number].frames[-1].avatar
    return avatar is None or not avatar.is_alive


def _avatar_died(lives: Lives, number: int) -> bool:
    """Whether the avatar died in the last tick of a play."""
    before = lives.plays[number].frames[-2].avatar
    return before is not None and before.is_alive and _avatar_dead(lives, number)


def _counts(lives: Lives, number: int) -> list[Counter[int]]:
    return [Counter(kind for kind, _ in row.values()) for row in lives.rows[number]]


def groups_of(kinds: Mapping[int, Kind]) -> dict[int, list[tuple[int, ...]]]:
    """Possible subtypes of types that were never seen: types numbered directly after them."""
    most = max(kinds, default=1)
    found: dict[int, list[tuple[int, ...]]] = {}
    for gap in range(2, most):
        if gap in kinds or gap + 1 not in kinds:
            continue
        children: list[int] = []
        for number in range(gap + 1, most + 1):
            if number not in kinds:
                break
            children.append(number)
            if len(children) > 1:
                found.setdefault(gap, []).append(tuple(children))
    return found


def _families_of(kinds: Mapping[int, Kind]) -> dict[int, tuple[int, ...]]:
    """Types of one class that may all be below one that was never seen; single numbers among them may be parents."""
    found: dict[int, tuple[int, ...]] = {}
    left = sorted(kinds)
    while left:
        first = last = left[0]
        while True:
            following = next((n for n in (last + 1, last + 2) if n in kinds), None)
            if following is None or kinds[following].word != kinds[first].word:
                break
            last = following
        if first - 1 > AVATAR and first - 1 not in kinds and last > first:
            found[first - 1] = tuple(range(first, last + 1))
        left = [n for n in left if n > last]
    return found


def _best_end(
    lives: Lives,
    plays: list[int],
    win: str,
    kinds: Mapping[int, Kind],
    contrary: Sequence[int],
    known: Sequence[End],
) -> _Option | None:
    """The termination that explains most ends of some plays and contradicts no observed state.

    Nor does it hold at the end of a ``contrary`` play, which had the other outcome. Of those that explain equally many,
    one that continues a series of ``known`` ones is best.
    """
    counted = [_counts(lives, n) for n in range(len(lives.plays))]
    options: list[_Option] = []

    def offer(
        end: End, test: Callable[[Counter[int]], bool], worth: float, groups: Mapping[int, tuple[int, ...]]
    ) -> None:
        covered = {n for n in plays if test(counted[n][-1])}
        wrong = any(test(counted[n][-1]) for n in contrary)
        if covered and not wrong and not any(test(row) for rows in counted for row in rows[:-1]):
            options.append(_Option(len(covered), worth, end, covered, dict(groups)))

    units: list[tuple[int, tuple[int, ...]]] = [(n, (n,)) for n in kinds]
    units += [(gap, children) for gap, some in groups_of(kinds).items() for children in some]
    for one, types in units:
        groups = {one: types} if types != (one,) else {}
        shown = sum(n in lives.tracks for n in types)
        size = 0.1 * shown - 0.01 * (len(types) - shown)  # a group may as well have types that are only assumed
        worth = 2 + any(lives.category(n) == Category.PORTAL for n in types) - size
        counter = End("SpriteCounter", (("stype", name_of(one)), ("win", win)))
        offer(counter, lambda counts, members=types: not any(counts[n] for n in members), worth, groups)  # type: ignore[misc]
        most = max(sum(c[n] for n in types) for rows in counted for c in rows)
        if most:
            more = End("SpriteCounterMore", (("stype", name_of(one)), ("limit", most), ("win", win)))
            worth = 1.5 if most <= 2 else 0.5
            offer(
                more,
                lambda counts, members=types, least=most: sum(counts[n] for n in members) >= least,  # type: ignore[misc]
                worth - size,
                groups,
            )
    scarce = [
        (one, types) for one, types in units if any(not any(c[n] for n in types) for rows in counted for c in rows)
    ]
    for (one, types), (other, more_types) in itertools.combinations(scarce, 2):
        if one == other or set(types) & set(more_types):
            continue
        both = types + more_types
        groups = {n: t for n, t in ((one, types), (other, more_types)) if t != (n,)}
        stypes = ("stype1", name_of(one)), ("stype2", name_of(other))
        alike = all(len({kinds[n].word for n in t}) == 1 for t in (types, more_types))  # as if they had one parent
        worth = 1.0 + (0.05 if alike else -0.05) * len(both)
        none = End("MultiSpriteCounter", (*stypes, ("win", win)))
        offer(none, lambda counts, types=both: not any(counts[n] for n in types), worth, groups)  # type: ignore[misc]
        if not groups:  # one sprite of each
            pair = End("MultiSpriteCounter", (*stypes, ("limit", 2), ("win", win)))
            worth = 4.0 if any(are_in_series(end, pair, kinds) for end in known) else 0.6
            offer(pair, lambda counts, types=both: sum(counts[n] for n in types) == 2, worth, groups)  # type: ignore[misc]
    for parent, types in _families_of(kinds).items():

        def measure(counts: Counter[int], types: tuple[int, ...] = types) -> tuple[int, int]:
            return sum(counts[n] for n in types), sum(counts[n] > 0 for n in types)

        by_level = {(measure(counted[n][-1]), lives.plays[n].level) for n in plays}
        (amount, different), levels = Counter(sizes for sizes, _ in by_level).most_common(1)[0]
        alike = any(measure(row)[0] == amount and measure(row)[1] != different for rows in counted for row in rows)
        if levels > 1 and different > 1 and alike:  # the number alone does not decide
            limits = ("limit", amount), ("subTypesNum", different)
            several = End("MultiSpriteCounterSubTypes", (("stype1", name_of(parent)), *limits, ("win", win)))
            offer(
                several,
                lambda counts, measure=measure, sizes=(amount, different): measure(counts) == sizes,  # type: ignore[misc]
                1.4,
                {parent: types},
            )
    ticks = Counter(lives.plays[n].frames[-1].tick for n in plays)
    tick, count = ticks.most_common(1)[0]
    latest = max(f.tick for play in lives.plays for f in play.frames)
    other_end = any(lives.plays[n].frames[-1].tick == tick for n in contrary)
    if tick >= latest and (tick >= 100 or count > 2) and not other_end:
        covered = {n for n in plays if lives.plays[n].frames[-1].tick == tick}
        options.append(_Option(count, 0.8, End("Timeout", (("limit", tick), ("win", win))), covered, {}))
    return max(options, key=lambda option: (option.count, option.worth)) if options else None


@dataclass(frozen=True)
class _Option:
    """A termination that may explain some ends."""

    count: int
    worth: float  #: tie-breaker between options that explain equally many
    end: End
    covered: set[int]
    groups: dict[int, tuple[int, ...]]


def _always_there(lives: Lives, types: Set[int]) -> bool:
    """Whether all states but the last one of each play had a sprite of these types."""
    return all(any(kind in types for kind, _ in row.values()) for rows in lives.rows for row in rows[:-1])


def _hoped(
    lives: Lives, kinds: Mapping[int, Kind], rules: Sequence[Rule], groups: dict[int, tuple[int, ...]]
) -> list[End]:
    """Guess the win condition if no play was won: an exit that is used up, or no more sprites whose removal scores."""
    deadly = {rule.second for rule in rules if rule.effect == "killSprite" and rule.first in lives.avatars}
    doors = [n for n in kinds if lives.category(n) == Category.PORTAL and kinds[n].word == "Door" and n not in deadly]
    if doors and _always_there(lives, {doors[0]}):
        return [End("SpriteCounter", (("stype", name_of(doors[0])), ("win", "True")))]
    wanted: set[int] = set()
    for rule in rules:
        if rule.score > 0 and (gone := _removed(rule) & kinds.keys()):
            wanted |= {n for n in gone if lives.category(n) not in (Category.FROM_AVATAR, Category.AVATAR)}
    npcs = {n for n in wanted if lives.category(n) == Category.NPC}
    wanted = npcs or wanted
    wanted |= {
        n
        for n, kind in kinds.items()
        if kind.parameters.get("stype") in {name_of(w) for w in wanted} and "Spawn" in kind.word
    }
    if not _always_there(lives, wanted):
        return []
    return _none_left(wanted, "True", kinds, groups)


def _removed(rule: Rule) -> set[int]:
    """The types of which a rule removes sprites."""
    both = rule.effect == "killBoth" or ("killSecond", "True") in rule.parameters
    if ("killResource", "True") in rule.parameters:
        return {rule.second}
    if "kill" in rule.effect or "collect" in rule.effect or "transform" in rule.effect:
        return {rule.first, rule.second} if both else {rule.first}
    return set()


def _feared(
    lives: Lives, kinds: Mapping[int, Kind], rules: Sequence[Rule], groups: dict[int, tuple[int, ...]]
) -> list[End]:
    """Guess what loses a game in which nothing kills avatars, if no play was lost: no more sprites to be protected.

    These are sprites whose removal costs points. Good players seldom show such an end.
    """
    protected = {
        rule.first
        for rule in rules
        if rule.score < 0 and ("kill" in rule.effect or "transform" in rule.effect) and rule.first in kinds
    }
    protected = {n for n in protected if lives.category(n) not in (Category.FROM_AVATAR, Category.AVATAR)}
    if not protected or not all(any(n in protected for n, _ in row.values()) for rows in lives.rows for row in rows):
        return []
    return _none_left(protected, "False", kinds, groups)


def _none_left(types: Set[int], win: str, kinds: Mapping[int, Kind], groups: dict[int, tuple[int, ...]]) -> list[End]:
    """The termination for no more sprites of at most three types or groups, which are added; none for more."""
    left = set(types)
    named: list[int] = []
    for gap, some in groups_of(kinds).items():
        children = max((c for c in some if set(c) <= left), key=len, default=())
        if children and gap not in groups:
            groups[gap] = children
            named.append(gap)
            left -= set(children)
    named += sorted(left)
    return [_without(named, win)] if 1 <= len(named) <= 3 else []


def _without(named: Sequence[int], win: str) -> End:
    """The termination for no more sprites of one to three types or groups."""
    if len(named) == 1:
        return End("SpriteCounter", (("stype", name_of(named[0])), ("win", win)))
    stypes = tuple((f"stype{k + 1}", name_of(n)) for k, n in enumerate(named))
    return End("MultiSpriteCounter", (*stypes, ("win", win)))
