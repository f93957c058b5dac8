"""Guesses spreaders whose children die in the tick in which they are made: only what these remove or turn is seen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from vgdl import Category
from vgdl.competition.tracks.worldmodels.search.hypothesis import (
    Hypothesis,
    Kind,
    Rule,
    name_of,
    number_of,
)
from vgdl.competition.tracks.worldmodels.search.lives import DIRECTIONS, Lives, Point, Track
from vgdl.competition.tracks.worldmodels.search.motion import likely_probability
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_FEWEST = 3  #: ticks in which sprites around a spreader must have changed
_LIKELY = 0.3  #: least share of the sprites around it that change
_SELDOM = 0.4  #: most of that share in the other ticks, in which further spreaders may be near
_SURE = 0.9  #: share that counts as all
_MOST = 100  #: sprites of a type that are looked at
_AGES = (0, 1)  #: frames from the first one of a spreader to the last one before its children are made
_SPREADING = ("Flicker", "OrientedFlicker", "Passive", "Immovable", "Missile")  #: classes that spreaders resemble
CHILD = Kind("Flicker", {"limit": -1})  #: gone after a tick


def unseen_children(kinds: Mapping[int, Kind]) -> frozenset[int]:
    """The types that spreaders make and that are never seen."""
    made = (kind.parameters["stype"] for kind in kinds.values() if kind.word == "Spreader")
    return frozenset(n for n in map(number_of, made) if n in kinds and "hidden" in kinds[n].parameters)


@dataclass
class _Around:
    """Sprites at rest around those of a type, at one age of these, by type."""

    ticks: set[tuple[int, int]] = field(default_factory=set)  #: play and tick of changes
    hits: Counter[int] = field(default_factory=Counter)  #: sprites that died or turned
    tries: Counter[int] = field(default_factory=Counter)  #: all of them

    def rate(self, kind: int) -> float:
        return self.hits[kind] / max(1, self.tries[kind])


@dataclass
class _Spread:
    """A type that may spread unseen sprites."""

    number: int
    age: int  #: frames from the first one of a sprite to the last one before its children are made
    probability: float
    ticks: set[tuple[int, int]]  #: play and tick of changes around its sprites


def unseen_spreaders(lives: Lives, kinds: Mapping[int, Kind]) -> dict[int, Kind]:
    """Guess types that spread unseen sprites, with these, and the types that they come from."""
    seen = {number_of(kind.parameters["stype"]) for kind in kinds.values() if kind.word == "Spreader"}
    options = (n for n, kind in kinds.items() if kind.word in _SPREADING and n in lives.tracks and n not in seen)
    spreads = [spread for n in options if _is_brief(lives, n) and (spread := _spread(lives, n))]
    found: dict[int, Kind] = {}
    explained: set[tuple[int, int]] = set()
    for spread in sorted(spreads, key=lambda spread: (spread.age, -spread.probability)):
        number, limit = spread.number, kinds[spread.number].parameters.get("limit")
        maker = _maker(lives, number) if spread.age == 0 else None
        if len(spread.ticks & explained) > len(spread.ticks) / 2 or (spread.age == 0 and maker is None):
            continue  # something else is around: what the spreaders come from, say
        explained |= spread.ticks
        child = next(n for n in range(number + 1, lives.highest + 2) if n not in kinds and n not in found)
        if maker is not None:  # its first update was in the tick of its birth: what made it has its turn earlier
            found[maker] = Kind("SpawnPoint", {"stype": name_of(number), "total": 1})
            limit = None if limit is None else int(limit) + 1
        chance = {} if spread.probability == 1.0 else {"spreadprob": spread.probability}
        kept = {} if limit is None else {"limit": limit}
        found[number] = Kind("Spreader", {"stype": name_of(child), **chance, **kept})
        found[child] = Kind(CHILD.word, {**CHILD.parameters, "hidden": "True"})
    return found


def _spread(lives: Lives, number: int) -> _Spread | None:
    """What happens around the sprites of a type at one age only; None if nothing does."""
    around = {age: _around(lives, number, age) for age in (*_AGES, max(_AGES) + 1)}
    age = max(_AGES, key=lambda age: len(around[age].ticks))
    most = around.pop(age)
    changed = [n for n in most.hits if most.rate(n) >= _LIKELY]
    changed = [n for n in changed if all(other.rate(n) <= _SELDOM * most.rate(n) for other in around.values())]
    hits, tries = (sum(counts[n] for n in changed) for counts in (most.hits, most.tries))
    if min(len(most.ticks), hits) < _FEWEST:
        return None
    return _Spread(number, age, 1.0 if hits >= _SURE * tries else likely_probability(hits, tries), most.ticks)


def makers(kinds: Mapping[int, Kind]) -> dict[int, int]:
    """The spawn points that live for a tick, each with the spreader of unseen children that it makes."""
    unseen = unseen_children(kinds)
    found: dict[int, int] = {}
    for maker, kind in kinds.items():
        made = number_of(kind.parameters["stype"]) if kind.word == "SpawnPoint" else maker
        if made in kinds and kinds[made].word == "Spreader" and number_of(kinds[made].parameters["stype"]) in unseen:
            found[maker] = made
    return {maker: made for maker, made in found.items() if maker != made}


def smothered(lives: Lives, kinds: Mapping[int, Kind], rules: Sequence[Rule]) -> list[Rule]:
    """Guess types that kill spreaders in the tick in which these are made: makers vanish there, and leave none."""
    known = {frozenset((rule.first, rule.second)) for rule in rules}
    added: list[Rule] = []
    for maker, made in makers(kinds).items():
        child = number_of(kinds[made].parameters["stype"])
        births = {(track.play, track.start, track.places[0]) for track in lives.tracks[made]}
        near: dict[bool, list[set[int]]] = {False: [], True: []}  # types in its place, by whether it left a spreader
        for track in lives.tracks[maker]:
            k = track.start + len(track.places)
            if track.ended and not lives.frame(track.play, k).is_over:
                place, block = track.places[-1], lives.block[track.play]
                rows = lives.rows[track.play][k - 1].values()
                types = {n for n, at in rows if n != maker and _overlap(at, place, block)}
                near[(track.play, k, place) in births].append(types)
        free = set().union(*near[True])
        ended = {n for pair in known if pair & {made, child} for n in pair}  # they may have ended it, too
        left = [types - free for types in near[False] if not types & ended]
        while counts := Counter(n for types in left for n in types):
            other = max(counts, key=lambda number: (counts[number], -number))
            if counts[other] < _FEWEST:
                break
            added.append(Rule(made, other, "killSprite"))
            left = [types for types in left if other not in types]
    return added


def with_spreaders_alike(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try the rules about unseen children for the spreaders, too: fires may have a common parent."""
    for number, kind in hypothesis.kinds.items():
        child = number_of(kind.parameters["stype"]) if kind.word == "Spreader" else number
        if child == number or child not in unseen_children(hypothesis.kinds):
            continue
        for rule in hypothesis.rules:
            if child in (rule.first, rule.second):
                first, second = (number if n == child else n for n in (rule.first, rule.second))
                alike = replace(rule, first=first, second=second)
                if alike not in hypothesis.rules:
                    place = hypothesis.rules.index(rule)
                    option = [*hypothesis.rules[:place], alike, *hypothesis.rules[place:]]
                    hypothesis = follower.better_of(hypothesis, hypothesis.with_rules(option))
    return hypothesis


def _is_brief(lives: Lives, number: int) -> bool:
    """Whether sprites of a type appear during plays and never move."""
    tracks = lives.tracks[number]
    return all(track.born and not any(track.moves()) for track in tracks)


def _around(lives: Lives, number: int, age: int) -> _Around:
    """What happened around the sprites of a type in the tick in which they had some age."""
    found = _Around()
    seen: set[tuple[int, int, int]] = set()
    for track in lives.tracks[number][:_MOST]:
        k, rows = track.start + age, lives.rows[track.play]
        if not 0 < k < len(rows) - 1 or lives.frame(track.play, k + 1).is_over:
            continue
        places = _places(lives, track)
        block = lives.block[track.play]
        for sprite, (kind, place) in rows[k].items():
            if (track.play, k, sprite) in seen or rows[k - 1].get(sprite) != (kind, place) or kind == number:
                continue
            if lives.category(kind) == Category.AVATAR or not any(_overlap(place, spot, block) for spot in places):
                continue
            if _is_visited(rows[k], rows[k + 1], sprite, place, block):
                continue
            seen.add((track.play, k, sprite))
            found.tries[kind] += 1
            if sprite not in rows[k + 1] or rows[k + 1][sprite][0] != kind:
                found.hits[kind] += 1
                found.ticks.add((track.play, k))
    return found


def _places(lives: Lives, track: Track) -> list[Point]:
    (x, y), block = track.places[0], lives.block[track.play]
    return [(x + dx * block, y + dy * block) for dx, dy in DIRECTIONS]


def _is_visited(
    before: Mapping[int, tuple[int, Point]], after: Mapping[int, tuple[int, Point]], own: int, place: Point, block: int
) -> bool:
    """Whether a sprite moved to a place, or what is new there is more than what one sprite turned into."""
    near = {sprite: fate for sprite, fate in after.items() if sprite != own and _overlap(place, fate[1], block)}
    moved = any(sprite in before and before[sprite][1] != at for sprite, (_, at) in near.items())
    return moved or len({kind for sprite, (kind, _) in near.items() if sprite not in before}) > 1


def _overlap(one: Point, other: Point, block: int) -> bool:
    return abs(one[0] - other[0]) < block and abs(one[1] - other[1]) < block


def _maker(lives: Lives, number: int) -> int | None:
    """The type with a higher number whose sprites, a tick old, nearly all left one of a type in their place."""
    ends: dict[tuple[int, int, Point], list[int]] = defaultdict(list)
    for kind, tracks in lives.tracks.items():
        for track in tracks if kind > number else ():
            if track.ended and len(track.places) == 1:
                ends[track.play, track.start + 1, track.places[0]].append(kind)
    births = [track for track in lives.tracks[number] if track.born]
    makers = Counter(kind for t in births for kind in set(ends.get((t.play, t.start, t.places[0]), ())))
    for maker, count in makers.most_common(1):
        if count >= _SURE * len(births):
            return maker
    return None
