"""Guesses hidden floors of part of a level, by rows in which an avatar's health falls in every tick.

The air of a diver is an example: it lasts for a time under water, and is full again at the surface. Rows are counted
from the top or the bottom, since levels may have other heights.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vgdl.competition.tracks.worldmodels.search.floors import unseen_numbers
from vgdl.competition.tracks.worldmodels.search.hypothesis import HIDDEN, Band, Hypothesis, Rule, name_of
from vgdl.competition.tracks.worldmodels.search.lives import MOSTLY, Lives
from vgdl.competition.tracks.worldmodels.search.records import Frame
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.core.observation import Avatar

_LEAST = 3  #: ticks below which a row is left out
_CONDITIONS = ("killIfOtherHasMore", "spawnIfHasMore")


@dataclass(frozen=True)
class _Tick:
    """A tick of a play, with the avatar before and after it."""

    row: int  #: where the avatar is after the tick
    height: int  #: of the level, in rows
    before: Avatar
    after: Avatar

    @property
    def change(self) -> int:
        return self.after.health - self.before.health


def with_bands(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try hidden floors that take health from an avatar in every tick, everywhere or in some rows only.

    In the other rows, health may rise, and what an avatar has collected may be exchanged for a new sprite.
    """
    for avatar, change in sorted(lives.wear.items()):
        ticks = list(_ticks(lives, avatar))
        options = [_everywhere(hypothesis, avatar, change)]
        options += [_in_rows(hypothesis, avatar, change, ticks, split) for split in _splits(ticks, change)]
        for option in options:
            hypothesis = follower.better_of(hypothesis, option)
        if hypothesis.bands:
            hypothesis = follower.better_of(hypothesis, _with_roof(hypothesis, avatar, min(tick.row for tick in ticks)))
            hypothesis = _with_exchanges(lives, follower, hypothesis, avatar)
    return hypothesis


def _ticks(lives: Lives, avatar: int) -> Iterator[_Tick]:
    """The ticks that an avatar of a type survives without turning into another."""
    for play, recorded in enumerate(lives.plays):
        block, height = lives.block[play], recorded.layout.height
        for one, other in itertools.pairwise(recorded.frames):
            before, after = one.avatar, other.avatar
            if before is None or after is None or (before.type, after.type) != (avatar, avatar) or other.is_over:
                continue
            yield _Tick(after.position[1] // block, height, before, after)


def _splits(ticks: Sequence[_Tick], change: int) -> list[tuple[Band, Band]]:
    """Possible pairs of bands: the rows in which health changes in every tick, and the others.

    Args:
        ticks: of an avatar.
        change: of its health in most of them.
    """
    found: list[tuple[Band, Band]] = []
    for from_top in (True, False):
        by_row: dict[int, Counter[int]] = defaultdict(Counter)
        for tick in ticks:
            by_row[tick.row if from_top else tick.row - tick.height][tick.change] += 1
        rows = {row: counts for row, counts in by_row.items() if counts.total() >= _LEAST}
        worn = [row for row, counts in rows.items() if counts[change] >= MOSTLY * counts.total()]
        others = rows.keys() - set(worn)
        if worn and others and max(others) < min(worn):
            found.append((Band(min(worn), None), Band(None, min(worn))))
        elif worn and others and min(others) > max(worn):
            found.append((Band(None, min(others)), Band(min(others), None)))
    return list(dict.fromkeys(found))


def _everywhere(hypothesis: Hypothesis, avatar: int, change: int) -> Hypothesis:
    """The hypothesis with a floor that takes health in every cell."""
    floor = hypothesis.floor or unseen_numbers(hypothesis)[0]
    rule = Rule(avatar, floor, "subtractHealthPoints", (("value", -change),))
    kinds = {**hypothesis.kinds, floor: HIDDEN}
    return replace(hypothesis, kinds=kinds, floor=floor, rules=(*hypothesis.rules, rule))


def _in_rows(
    hypothesis: Hypothesis, avatar: int, change: int, ticks: Sequence[_Tick], split: tuple[Band, Band]
) -> Hypothesis:
    """The hypothesis with a floor that takes health in some rows, and another in the rest, where it may rise."""
    worn, others = split
    below, above = unseen_numbers(hypothesis)[:2]
    rules = [Rule(avatar, below, "subtractHealthPoints", (("value", -change),))]
    elsewhere = [tick for tick in ticks if tick.row in others.rows(tick.height)]
    gained = Counter(t.change for t in elsewhere if t.change > 0 and t.after.health < t.after.limit_health)
    full = [tick for tick in elsewhere if tick.after.health == tick.after.limit_health]
    if len(full) >= MOSTLY * len(elsewhere):
        rules.append(Rule(avatar, above, "addHealthPointsToMax", (("value", full[0].after.limit_health),)))
    elif gained:
        rules.append(Rule(avatar, above, "addHealthPointsToMax", (("value", gained.most_common(1)[0][0]),)))
    kinds = {**hypothesis.kinds, below: HIDDEN, above: HIDDEN}
    bands = {**hypothesis.bands, below: worn, above: others}
    return replace(hypothesis, kinds=kinds, bands=bands, rules=(*hypothesis.rules, *rules))


def _with_roof(hypothesis: Hypothesis, avatar: int, top: int) -> Hypothesis:
    """The hypothesis with a hidden obstacle above the highest row where an avatar was."""
    roof = unseen_numbers(hypothesis)[0]
    rule = Rule(avatar, roof, "stepBack")
    bands = {number: replace(band, start=top) if not band.start else band for number, band in hypothesis.bands.items()}
    kinds = {**hypothesis.kinds, roof: HIDDEN}
    return replace(hypothesis, kinds=kinds, bands={**bands, roof: Band(None, top)}, rules=(rule, *hypothesis.rules))


def _with_exchanges(lives: Lives, follower: Follower, hypothesis: Hypothesis, avatar: int) -> Hypothesis:
    """Try to let an avatar exchange an amount of a resource for a new sprite, wherever it is in a band."""
    for kind, tracks in sorted(lives.tracks.items()):
        paid: dict[int, list[tuple[int, int, float]]] = defaultdict(list)  # held, spent and scored by resource
        for track in tracks:
            if not track.born:
                continue
            frames = lives.frame(track.play, track.start - 1), lives.frame(track.play, track.start)
            for resource, held, spent in _paid(*frames, avatar):
                paid[resource].append((held, spent, frames[1].score - frames[0].score))
        for resource, payments in paid.items():
            spent = Counter(spent for _, spent, _ in payments).most_common(1)[0][0]
            score = Counter(score for _, _, score in payments).most_common(1)[0][0]
            named = ("resource", name_of(resource))
            given = named, ("stype", name_of(kind)), ("limit", min(held for held, *_ in payments)), ("spend", spent)
            rest = [rule for rule in hypothesis.rules if rule.effect not in _CONDITIONS or named not in rule.parameters]
            for band in hypothesis.bands:
                rule = Rule(avatar, band, "spawnIfHasMore", given).scoring(round(score))
                for others in (rest, hypothesis.rules):
                    hypothesis = follower.better_of(hypothesis, hypothesis.with_rules([*others, rule]))
    return hypothesis


def _paid(one: Frame, other: Frame, avatar: int) -> Iterator[tuple[int, int, int]]:
    """The resources of which an avatar has less after a tick: the resource, the amount before, and how much less."""
    before, after = one.avatar, other.avatar
    if before is not None and after is not None and before.type == after.type == avatar:
        for resource, held in before.resources.items():
            spent = held - after.resources.get(resource, 0)
            if spent > 0:
                yield resource, held, spent
