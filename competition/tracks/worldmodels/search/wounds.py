"""Sprites that die of several hits: their health is not observed, but hits are counted in the meetings."""

from __future__ import annotations

from collections import Counter, defaultdict

from vgdl.competition.tracks.worldmodels.search.contacts import DEAD, Meeting, Table
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, Hypothesis, Rule
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_LEAST = 2  #: sprites that died of the same number of hits
_TRIED = 3  #: numbers of hits that are tried per pair of types


def with_wounds(follower: Follower, table: Table, hypothesis: Hypothesis) -> Hypothesis:
    """Give health to types whose sprites died of the second or a later hit, where that predicts better.

    Args:
        follower: of the recorded plays.
        table: the meetings.
        hypothesis: classes and effects as guessed from single meetings.
    """
    for (first, second), meetings in table.pairs.items():
        if EDGE in (first, second) or first == second or hypothesis.kinds[first].word.endswith("Avatar"):
            continue
        scores = Counter(table.scores.get((m.play, m.index), 0.0) for m in meetings if m.outcome == DEAD)
        score = round(scores.most_common(1)[0][0]) if scores else 0
        options = [_with_health(hypothesis, first, second, hits, meetings, score) for hits in _hits(meetings)]
        for option in options:
            hypothesis = follower.better_of(hypothesis, option)
    return hypothesis


def _hits(meetings: list[Meeting]) -> list[int]:
    """After how many hits sprites died, the most frequent number first; only those greater than one."""
    met: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    for m in meetings:
        if DEAD in (m.outcome, m.partner_outcome):
            met[m.play, m.id].add((m.index, m.partner_id))
    counts = Counter(len(met[sprite]) for sprite in {(m.play, m.id) for m in meetings if m.outcome == DEAD})
    return [hits for hits, count in counts.most_common() if hits > 1 and count >= _LEAST][:_TRIED]


def _with_health(
    hypothesis: Hypothesis, first: int, second: int, hits: int, meetings: list[Meeting], score: int
) -> Hypothesis:
    """The hypothesis with a line for hits instead of those that kill the first type."""
    killing = [rule for rule in hypothesis.rules if _kills(rule, first, second)]
    parameters = (("value", 1), ("scoreChangeIfKilled", score)) if score else (("value", 1),)
    rules = [Rule(first, second, "subtractHealthPoints", parameters)]
    if 2 * sum(m.partner_outcome == DEAD for m in meetings) > len(meetings):
        rules.append(Rule(second, first, "killSprite"))
    rules += [rule for rule in hypothesis.rules if rule not in killing]
    kind = hypothesis.kinds[first].but(healthPoints=hits)
    return hypothesis.with_kind(first, kind).with_rules(dict.fromkeys(rules))


def _kills(rule: Rule, first: int, second: int) -> bool:
    pair = rule.first, rule.second
    return (rule.effect in ("killSprite", "subtractHealthPoints") and pair == (first, second)) or (
        rule.effect == "killBoth" and pair in ((first, second), (second, first))
    )
