"""Guesses what avatars give away where they meet other sprites, and the points that enough of it earns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vgdl.competition.tracks.worldmodels.search.contacts import DEAD, Moment, Table
from vgdl.competition.tracks.worldmodels.search.floors import SCENT
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, Hypothesis, Rule, name_of, number_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives

_FEWEST = 2  #: meetings in which a resource was given away, or that earned nothing although some was held
_MOSTLY = 0.8  #: share of the meetings of avatars with some of a resource in which they gave it away
_HOLDING = ("changeResource", "collectResource", "collectResourceIfHeld", "killIfOtherHasMore", "spawnIfHasMore")


@dataclass(frozen=True)
class _Visit:
    """A meeting of an avatar and a sprite that stays: what was held, given away, and earned."""

    moment: Moment
    held: Mapping[int, int]
    gained: Mapping[int, int]
    score: float

    def holds(self, resource: int) -> int:
        return self.held.get(resource, 0)

    def gives(self, resource: int) -> int:
        return -self.gained.get(resource, 0)


def with_prizes(lives: Lives, table: Table, hypothesis: Hypothesis) -> Hypothesis:
    """Add rules for places where avatars leave what they hold, and for points that need an amount of it.

    For example, a bank takes up to eight coins from everyone who enters, and pays only for eight. The points are those
    of a hidden sprite that the avatar makes there if it holds enough.
    """
    avatars = [number for number, kind in hypothesis.kinds.items() if kind.word.endswith("Avatar")]
    moments = {pair: {(m.play, m.index) for m in meetings} for pair, meetings in table.pairs.items()}
    new: list[Rule] = []
    replaced: list[Rule] = []
    marker = max(hypothesis.kinds) + 2  # one more may be the number of a shot that was never seen
    for avatar, second in sorted(table.pairs):
        if avatar not in avatars or second == EDGE or second in avatars:
            continue
        known = [rule for rule in hypothesis.rules if {rule.first, rule.second} == {avatar, second}]
        paying = [rule for rule in known if rule.effect == "changeResource" and _value(rule) < 0]
        changed = {resource for kind, resource, change in lives.steady_changes if kind == avatar and change}
        changed |= {_resource(rule) for rule in known if rule.effect in _HOLDING and rule not in paying}
        others = [rule for rule in hypothesis.rules if rule.score and rule not in paying]
        earning = {moment for rule in others for moment in _moments(rule, moments)}
        visits = list(_visits(table, avatar, second))
        for resource in sorted({kind for visit in visits for kind, amount in visit.held.items() if amount} - changed):
            cost = _cost(visits, resource)
            prize = _prize(visits, resource, earning, cost)
            old = [rule for rule in paying if _resource(rule) == resource]
            if prize is None and old:
                continue
            if prize is not None and (cost or prize[0] > 1):
                amount, score = prize
                enough = (("resource", name_of(resource)), ("stype", name_of(marker)), ("limit", amount))
                new.append(Rule(avatar, second, "spawnIfHasMore", enough).scoring(score))
            if cost:
                price = (("resource", name_of(resource)), ("value", -cost))
                new.append(Rule(avatar, second, "changeResource", price))
                replaced += old
    if any(rule.effect == "spawnIfHasMore" for rule in new):
        hypothesis = hypothesis.with_kind(marker, SCENT)
    return hypothesis.with_rules([*new, *(rule for rule in hypothesis.rules if rule not in replaced)])


def _resource(rule: Rule) -> int:
    return number_of(dict(rule.parameters).get("resource", name_of(EDGE)))


def _value(rule: Rule) -> int:
    return int(dict(rule.parameters).get("value", 1))


def _moments(rule: Rule, moments: Mapping[tuple[int, int], set[Moment]]) -> set[Moment]:
    return moments.get((rule.first, rule.second), set()) | moments.get((rule.second, rule.first), set())


def _visits(table: Table, avatar: int, second: int) -> Iterator[_Visit]:
    """The meetings of an avatar with sprites that survive, one per tick."""
    seen: set[Moment] = set()
    for m in table.pairs[avatar, second]:
        moment = m.play, m.index
        if moment not in seen and DEAD not in (m.outcome, m.partner_outcome):
            seen.add(moment)
            yield _Visit(moment, dict(m.held), dict(m.gained), table.scores.get(moment, 0.0))


def _cost(visits: Sequence[_Visit], resource: int) -> int:
    """How much of a resource avatars give away, or all of it if they hold less; 0 if they keep it."""
    paid = [visit for visit in visits if visit.gives(resource) > 0]
    most = max((visit.gives(resource) for visit in paid), default=0)
    fitting = [visit for visit in paid if visit.gives(resource) == min(visit.holds(resource), most)]
    rich = [visit for visit in visits if visit.holds(resource) > 0]
    return most if len(fitting) >= max(_FEWEST, _MOSTLY * len(rich)) else 0


def _prize(visits: Sequence[_Visit], resource: int, earning: set[Moment], cost: int) -> tuple[int, int] | None:
    """The amount of a resource that earned points which nothing else explains, and the points; None for no amount.

    It is what is given away, if less was in vain and no less has earned points.
    """
    paid = [visit for visit in visits if visit.score > 0 and visit.moment not in earning]
    vain = [visit for visit in visits if visit.score <= 0]
    poor = sum(visit.holds(resource) > 0 for visit in vain)
    if not paid or not poor or len(paid) + poor <= _FEWEST:
        return None
    least = min(visit.holds(resource) for visit in paid)
    most = max(visit.holds(resource) for visit in vain)
    if least <= most:
        return None
    return cost if most < cost <= least else least, round(Counter(visit.score for visit in paid).most_common(1)[0][0])
