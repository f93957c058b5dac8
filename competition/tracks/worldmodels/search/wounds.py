"""Sprites that die of several hits: health that is not observed, but counted in meetings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

from vgdl.competition.tracks.worldmodels.search.contacts import DEAD, Table
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, Hypothesis, Rule

_KILLING = ("killSprite", "killBoth")
_LEAST = 2  #: sprites that died of the same number of hits
_TRIED = 3  #: numbers of hits that are tried per pair of types
Loss = Callable[[Hypothesis, float], float]


def with_wounds(loss: Loss, table: Table, hypothesis: Hypothesis) -> Hypothesis:
    """Give health to types whose sprites died of the second or a later hit, where that predicts better.

    Args:
        loss: how wrong a hypothesis predicts; it may stop counting at the given loss.
        table: the meetings.
        hypothesis: classes and effects as guessed from single meetings.
    """
    least: float | None = None
    pairs = dict.fromkeys(pair for rule in hypothesis.rules for pair in _killed(rule))
    for first, second in pairs:
        if hypothesis.kinds[first].word.endswith("Avatar"):
            continue
        for hits in _hits(table, first, second):
            killing = [rule for rule in hypothesis.rules if (first, second) in _killed(rule)]
            if not killing:  # it has been replaced
                break
            least = loss(hypothesis, float("inf")) if least is None else least
            option = _with_health(hypothesis, killing, table, first, second, hits)
            if (found := loss(option, least)) < least:
                least, hypothesis = found, option
    return hypothesis


def _killed(rule: Rule) -> list[tuple[int, int]]:
    """Which types a rule kills, each with the other one."""
    if rule.effect not in _KILLING or EDGE in (rule.first, rule.second) or rule.first == rule.second:
        return []
    pair = rule.first, rule.second
    return [pair, pair[::-1]] if rule.effect == "killBoth" else [pair]


def _hits(table: Table, first: int, second: int) -> list[int]:
    """After how many hits sprites of the first type died, the most frequent number first."""
    met: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    dead: set[tuple[int, int]] = set()
    for m in table.pairs.get((first, second), ()):
        if DEAD in (m.outcome, m.partner_outcome):
            met[m.play, m.id].add((m.index, m.partner_id))
        if m.outcome == DEAD:
            dead.add((m.play, m.id))
    counts = Counter(len(met[sprite]) for sprite in dead)
    return [n for n, count in counts.most_common() if n > 1 and count >= _LEAST][:_TRIED]


def _with_health(
    hypothesis: Hypothesis, killing: list[Rule], table: Table, first: int, second: int, hits: int
) -> Hypothesis:
    """The hypothesis with hits instead of the rules that kill."""
    others = [rule for rule in hypothesis.rules if rule not in killing]
    score = max((rule.score for rule in killing), key=abs)
    wound = Rule(first, second, "subtractHealthPoints", (("value", 1),))
    rules = [wound.but(scoreChangeIfKilled=score) if score else wound]
    meetings = table.pairs.get((first, second), ())
    if 2 * sum(m.partner_outcome == DEAD for m in meetings) > len(meetings):
        rules.append(Rule(second, first, "killSprite"))
    kind = hypothesis.kinds[first].but(healthPoints=hits)
    return hypothesis.with_kind(first, kind).with_rules(dict.fromkeys([*rules, *others]))
