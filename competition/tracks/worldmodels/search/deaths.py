"""Guesses rules that kill, and the conditions that distinguish deaths from other meetings."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from statistics import median

from vgdl import Category
from vgdl.competition.tracks.worldmodels.search.contacts import (
    BACK,
    DEAD,
    Meeting,
)
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, Rule, name_of, number_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives

_LEFT = 2  #: ticks in which a resource must have been left, for a condition on collecting it
MOSTLY = 0.75  #: share of the meetings that end in the same way, for a rule without conditions
Pair = tuple[int, int]


@dataclass(frozen=True)
class Found:
    """A rule with the meetings that it explains."""

    rule: Rule
    meetings: tuple[Meeting, ...]


def guess_deaths(
    lives: Lives,
    pair: Pair,
    rate: float,
    everything: list[Meeting],
    deaths: list[Meeting],
    avatars: set[int],
    together: int = 0,
) -> list[Found]:
    """Guess rules that explain deaths by meetings of a pair of types.

    Args:
        lives: the recorded plays.
        pair: the type that dies, and the type that it meets.
        rate: the share of the meetings that end in death.
        everything: the meetings.
        deaths: those of them that end in death.
        avatars: the types of avatars.
        together: how often sprites of both types rested in one place without an effect.
    """
    first, second = pair
    dead, moments = {id(m) for m in deaths}, {(m.play, m.index, m.id) for m in deaths}
    others = [m for m in everything if (m.play, m.index, m.id) not in moments]
    is_lock = second in avatars and lives.category(first) in (Category.PORTAL, Category.STATIC)
    if is_lock and any(m.partner_outcome == BACK for m in others):  # the remaining ones stopped the avatar
        locked = _condition(pair, [*others, *deaths], dead, avatars, is_lock)
        if locked is not None and locked.effect == "killIfOtherHasMore":
            return [Found(locked, tuple(deaths))]
    if sum(1 for m in deaths if m.partner_outcome == BACK) < 0.2 * len(deaths):
        others = [m for m in others if m.partner_outcome != BACK]  # a partner that is put back at once has no effect
        if len(deaths) >= 2:
            rate = max(rate, len(moments) / (len(moments) + len({(m.play, m.index, m.id) for m in others}) + together))
    everything = [*others, *deaths]
    gains = Counter(
        kind
        for m in deaths
        for kind, n in m.gained
        if n > 0 and m.partner_outcome != DEAD and (kind == first or kind not in m.others)  # it may have been collected
    )
    collected = second in avatars and lives.category(first) == Category.RESOURCE and gains[first] >= 0.5 * len(deaths)
    if collected:
        held = _held_for(first, deaths, others)
        if held is None:
            return [Found(Rule(first, second, "collectResource"), tuple(deaths))]
        parameters = (("heldResource", name_of(held[0])), *((("value", held[1]),) if held[1] > 1 else ()))
        return [Found(Rule(first, second, "collectResourceIfHeld", parameters), tuple(deaths))]
    if second in avatars and gains and gains.most_common(1)[0][1] >= 0.5 * len(deaths):
        resource = gains.most_common(1)[0][0]
        several = Counter((m.play, m.index) for m in deaths)  # of several in a tick, each has its part in the gain
        amount = round(median([dict(m.gained).get(resource, 0) / several[m.play, m.index] for m in deaths]))
        parameters = (("resource", name_of(resource)), ("value", amount), ("killResource", "True"))
        return [Found(Rule(second, first, "changeResource", parameters), tuple(deaths))]
    paid = _paid(deaths) if second in avatars else None
    if paid and (second, paid[0], -paid[1]) not in lives.steady_changes:
        parameters = (("resource", name_of(paid[0])), ("limit", paid[1]), ("subtract", "True"))
        return [Found(Rule(first, second, "killIfOtherHasMore", parameters), tuple(deaths))]
    if rate >= MOSTLY:
        if second in avatars and lives.category(first) == Category.PORTAL and (needed := _needed(lives, deaths)):
            enough = (("resource", name_of(needed[0])), ("limit", needed[1]))
            return [Found(Rule(first, second, "killIfOtherHasMore", enough), tuple(deaths))]
        return [Found(Rule(first, second, "killSprite"), tuple(deaths))]
    conditioned = _condition(pair, everything, dead, avatars, is_lock)
    if conditioned is not None:
        return [Found(conditioned, tuple(deaths))]
    shields = _shields(everything, dead)
    if _stood_together(lives, pair, {*shields, *avatars}) > len(deaths):
        return []  # the table only has the meetings that something else took part in
    if shields or rate >= 0.3:
        kill = Rule(first, second, "killSprite")
        shielded = (("stype", name_of(second)), ("ftype", kill.effect))
        return [
            Found(kill, tuple(deaths)),
            *(Found(Rule(first, other, "shieldFrom", shielded), ()) for other in shields),
        ]
    return []


def _held_for(first: int, taken: list[Meeting], left: list[Meeting]) -> tuple[int, int] | None:
    """The resource that must be held to collect one of type ``first``, and its least amount; None if there is none.

    It distinguishes all meetings in which sprites were taken from those in which they were left. What was left when
    there already was more of it than ever before a meeting says nothing: the avatar may have reached the limit.
    """
    held = {id(m): dict(m.held) for m in (*taken, *left)}
    most = max(held[id(m)].get(first, 0) for m in taken)
    left = [m for m in left if held[id(m)].get(first, 0) <= most]
    if len({(m.play, m.index) for m in left}) < _LEFT:
        return None
    options: list[tuple[int, int, int]] = []
    for kind in {kind for m in taken for kind in held[id(m)]} - {first}:
        most = max(held[id(m)].get(kind, 0) for m in left)
        if most < min(held[id(m)].get(kind, 0) for m in taken):
            options.append((abs(first - kind), kind, most + 1))
    return min(options)[1:] if options else None


def _paid(deaths: list[Meeting]) -> tuple[int, int] | None:
    """The resource and amount that nearly every death took from the avatar; None if there is none."""
    if len(deaths) < 3:
        return None
    for kind in sorted({kind for m in deaths for kind, _ in m.held}):
        relevant = [m for m in deaths if kind not in m.others]  # it may have been collected in the same tick
        amount, count = (
            Counter(-dict(m.gained).get(kind, 0) for m in relevant).most_common(1)[0] if relevant else (0, 0)
        )
        if amount > 0 and count >= 0.9 * len(relevant) and min(dict(m.held).get(kind, 0) for m in relevant) >= amount:
            return kind, amount
    return None


def _needed(lives: Lives, deaths: list[Meeting]) -> tuple[int, int] | None:
    """The resource that the avatar always held when an exit opened, and its least amount; None if there is none.

    Players that know the rules do not try locked exits, so a closed exit may never be observed. A condition is likely
    if the amounts are nearly equal although there was more to collect: players stop when they have enough.
    """
    holdings = [dict(m.held) for m in deaths]
    least = {kind: min(held.get(kind, 0) for held in holdings) for kind in sorted(set().union(*holdings))}

    def has_more(kind: int, meeting: Meeting) -> bool:
        return kind not in lives.tracks or kind in lives.frame(meeting.play, meeting.index).arrays["type"]

    options = [
        (sum(1 for m, held in zip(deaths, holdings, strict=True) if held[kind] <= 1.25 * n and has_more(kind, m)), kind)
        for kind, n in least.items()
        if n > 0
    ]
    near, kind = max(options, default=(0, -1), key=lambda option: option[0])
    return (kind, least[kind]) if near >= max(2, 0.75 * len(deaths)) else None


def agreeing(rules: list[Found], avatars: set[int]) -> list[Found]:
    """Use the same condition for all avatars that remove a type: one that pays, or the one with most deaths."""
    best: dict[int, Found] = {}
    for f in rules:
        if f.rule.effect == "killIfOtherHasMore" and f.rule.second in avatars:
            best[f.rule.first] = max(best.get(f.rule.first, f), f, key=_certainty)

    def agrees(own: Found, other: Rule) -> bool:
        had_enough = all(applies(other, m) for m in own.meetings)
        return own.rule.effect == "killIfOtherHasMore" or (own.rule.effect == "killSprite" and had_enough)

    return [
        replace(f, rule=replace(f.rule, effect=known.rule.effect, parameters=known.rule.parameters))
        if f.rule.second in avatars and (known := best.get(f.rule.first)) and agrees(f, known.rule)
        else f
        for f in rules
    ]


def applies(rule: Rule, meeting: Meeting) -> bool:
    """Whether the avatar held what the effect of a rule requires; always, if it requires nothing."""
    given = dict(rule.parameters)
    if "resource" not in given or "limit" not in given:
        return True
    amount, limit = dict(meeting.held).get(number_of(given["resource"]), 0), int(given["limit"])
    return amount <= limit if rule.effect.endswith("HasLess") else amount >= limit


def _certainty(rule: Found) -> tuple[bool, int]:
    return ("subtract", "True") in rule.rule.parameters, len(rule.meetings)


def _shields(everything: list[Meeting], dead: set[int]) -> list[int]:
    """Types met in nearly all meetings without a death and in none with one; none if there are too few deaths."""
    deaths = [m for m in everything if id(m) in dead]
    alive = [m for m in everything if id(m) not in dead]
    types = {kind for m in alive for kind in m.others} - {kind for m in deaths for kind in m.others}
    covered = sum(1 for m in alive if m.others & types)
    if len(deaths) < 2 or not alive or covered < 0.95 * len(alive):
        return []
    return sorted(kind for kind in types if sum(1 for m in alive if kind in m.others) >= 0.05 * len(alive))


def _stood_together(lives: Lives, pair: Pair, others: Set[int]) -> int:
    """How often a sprite outlived a tick in one place with a sprite of the second type, and none of other types."""
    first, second = pair
    found = 0
    for rows in lives.rows:
        for row, after in itertools.pairwise(rows):
            standing = {place for kind, place in row.values() if kind == second}
            apart = {place for kind, place in row.values() if kind in others}
            found += sum(
                1
                for sprite, (kind, place) in row.items()
                if kind == first and place in standing and place not in apart and after.get(sprite) == (kind, place)
            )
    return found


def _condition(pair: Pair, everything: list[Meeting], dead: set[int], avatars: set[int], is_lock: bool) -> Rule | None:
    """The condition that best distinguishes deaths from other meetings, if any.

    What an avatar holds may differ by chance. But of a lock it is a likelier condition than the way that it came from.
    Of limits that fit equally, the one with most deaths of the avatar and fewest of others is taken.
    """
    first, second = pair
    options: list[tuple[float, Rule]] = []
    all_dead = dead

    def judge(rule: Rule, test: Callable[[Meeting], bool], unsure: int = EDGE) -> None:
        clear = [m for m in everything if unsure not in m.others]  # without those that collected it in the same tick
        gone = {id(m): dict(m.gained).get(unsure, 0) < 0 for m in clear if m.partner_outcome == DEAD}
        if any(gone.values()):  # a partner that died without this price may have died elsewhere
            clear = [m for m in clear if id(m) in all_dead or gone.get(id(m), True)]
        dead = {id(m) for m in clear if id(m) in all_dead}
        if not dead:
            return
        base = max(len(dead), len(clear) - len(dead)) / len(clear)
        matching = {id(m) for m in clear if test(m)}
        right = 1 - len(matching ^ dead) / len(clear)
        tells = (
            len(matching & dead) >= max(0.8 * len(dead), 0.5 * len(matching)) and right > len(dead) / len(clear) + 0.05
        )
        if matching & dead and (tells or (right >= 0.9 and right > base)):
            options.append((right - 0.05 * ((rule.effect == "killIfFromAbove") == is_lock), rule))

    judge(Rule(first, second, "killIfFromAbove"), lambda meeting: meeting.above)
    resources = {kind for m in everything for kind, _ in m.held}
    for kind in sorted(resources):
        held = {id(m): dict(m.held).get(kind, 0) for m in everything}
        for limit in sorted(set(held.values()) | {v + 1 for v in held.values()}, reverse=second in avatars):
            parameters = (("resource", name_of(kind)), ("limit", limit))
            if second in avatars and limit > 0:
                spent = [m for m in everything if id(m) in dead and dict(m.gained).get(kind, 0) == -limit]
                more = (("subtract", "True"),) if len(spent) > 0.5 * len(dead) else ()
                judge(
                    Rule(first, second, "killIfOtherHasMore", parameters + more),
                    lambda meeting, held=held, limit=limit: held[id(meeting)] >= limit,  # type: ignore[misc]
                    kind,
                )
            elif first in avatars:
                judge(
                    Rule(first, second, "killIfHasMore", parameters),
                    lambda meeting, held=held, limit=limit: held[id(meeting)] >= limit,  # type: ignore[misc]
                    kind,
                )
        saved = [dict(m.gained).get(kind, 0) for m in everything if id(m) not in dead]
        price = min((-change for change in saved if change < 0), default=None)
        for limit in sorted(set(held.values()) | {v + 1 for v in held.values()}, reverse=True):
            if first in avatars and (price is None or limit < price):  # who can pay survives
                judge(
                    Rule(first, second, "killIfHasLess", (("resource", name_of(kind)), ("limit", limit))),
                    lambda meeting, held=held, limit=limit: held[id(meeting)] <= limit,  # type: ignore[misc]
                    kind,
                )
    return max(options, key=lambda option: option[0], default=(0.0, None))[1]
