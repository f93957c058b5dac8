"""Scenes: what is to be explained about conflicts, and which types may have met in them."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from vgdl.induction.amounts import WAYS
from vgdl.induction.evidence import Evidence
from vgdl.induction.hypothesis import CLOCK, EDGE
from vgdl.induction.likelihood import Conflict, Miss, is_beside
from vgdl.induction.observations import Fate, Frame
from vgdl.induction.signatures import BACK, GONE, HEALTH, MOVED, NEW, RESOURCES

_MOST_NEAR = 4  #: types near a sprite that are considered as partners
_BESIDE = 0.25  #: weight of a pair that is near but nowhere overlaps: most of these have not met
_STEADY = (HEALTH, RESOURCES)  #: changes that may go on without a meeting that is seen

Change = tuple[int, str]  #: a type and what was observed of it


@dataclass(frozen=True)
class Scene:
    """What is to be explained about a conflict.

    Attributes:
        changes: the types whose sprites met another fate than predicted, with the fate.
        pairs: the ordered pairs of types that may have met, likeliest first, each with how likely it is that they did,
            summed over the conflicts with these changes.
        score: the score that was not predicted.
        end: the outcome if it was not predicted: 1 for a game that goes on, 3 for a lost one, 4 for a won one; else 0.
        held: by type, the least and the most that the avatar held before these conflicts, and what it gained in one of
            them; what changed comes first, then what it had some of.
        health: by how much its health changed in one of them.
        still: whether no sprite changed in most of these ticks.
        told: types with an amount of which the avatar held as many after each of them, and hardly ever otherwise.
    """

    changes: frozenset[Change]
    pairs: Mapping[tuple[int, int], float]
    score: int
    end: int
    held: Mapping[int, tuple[int, int, int]] = field(default_factory=dict)
    health: int = 0
    still: bool = True
    told: Set[tuple[int, int]] = frozenset()

    @functools.cached_property
    def types(self) -> frozenset[int]:
        """The types that changed."""
        return frozenset(kind for kind, _ in self.changes)

    @property
    def key(self) -> tuple[object, ...]:
        """Conflicts with the same key are examples of one problem."""
        gained = frozenset(kind for kind, (*_, gain) in self.held.items() if gain)
        return self.changes, self.score, self.end, gained


def scenes_of(conflict: Conflict, evidence: Evidence) -> Iterator[Scene]:
    """Describe a conflict: one scene for sprites that are near each other, with what is wrong about the outcome."""
    frames = evidence.plays[conflict.play].frames
    before, after = frames[conflict.index], frames[conflict.index + 1]
    facts = _facts(conflict, before, after)
    for misses in _clusters(conflict.misses, 2 * before.block_size) or [[]]:
        changes = {change for miss in misses for change in _changes(miss) if change[0] != EDGE} | _moved_on(misses)
        pairs: dict[tuple[int, int], float] = {}
        steady = {kind: None for kind, change in sorted(changes | facts) if change in _STEADY}
        for kind, places, own in _focus(misses, before, after):
            for other, chance in _near(kind, places, own, before, after, evidence.ground(kind)):
                for pair in ((kind, other), (other, kind)) if other != EDGE else ((kind, other),):
                    pairs[pair] = max(chance, pairs.get(pair, 0.0))
        pairs |= {(kind, CLOCK): 1.0 for kind in steady}
        held = _holding(before, after)
        health = after.avatar.health - before.avatar.health if before.avatar and after.avatar else 0
        end = (3 + after.winner if after.is_over else 1) if conflict.end else 0
        still = not evidence.changed[conflict.play][conflict.index]
        yield Scene(frozenset(changes | facts), pairs, int(conflict.score), end, held, health, still)


def _facts(conflict: Conflict, before: Frame, after: Frame) -> set[Change]:
    """What is wrong about the avatar, other than its place."""
    if before.avatar is None:
        return set()
    names = {"resources": RESOURCES, "health": HEALTH, "orientation": MOVED, "life": GONE}
    own = before.avatar.type
    now = after.avatar.type if after.avatar is not None and after.avatar.is_alive else None
    turned = {(now, NEW)} if "life" in conflict.avatar and now is not None and now != own else set()
    facts = (fact for fact in conflict.avatar if fact != "life" or now is None)  # else only its death was predicted
    return turned | {(own if now is None or fact != "orientation" else now, names[fact]) for fact in facts}


def merged(scenes: Sequence[Scene], most: int, evidence: Evidence) -> Scene:
    """One scene for conflicts with the same changes, with so many of the pairs that met most often.

    Of pairs that met equally often in them, first those that are near each other least often: a flame on a grate kills,
    since most of what happens beside the grate does not.
    """
    pairs: Counter[tuple[int, int]] = Counter()
    for scene in scenes:
        pairs.update(scene.pairs)
    held: dict[int, tuple[int, int, int]] = {}
    told: set[tuple[int, int]] = set()
    for kind, (_, _, gain) in scenes[0].held.items():
        amounts = [scene.held.get(kind, (0, 0, 0)) for scene in scenes]
        held[kind] = min(amounts)[0], max(amounts)[0], gain
        least = min(amount + more for amount, _, more in amounts)
        frames = sum(count for amount, count in evidence.held.get(kind, {}).items() if amount >= least)
        told |= {(kind, least)} if least > 0 and frames <= len(scenes) else set()
    ranked = sorted(pairs, key=lambda pair: (-pairs[pair], len(evidence.near(*pair))))
    still = 2 * sum(scene.still for scene in scenes) > len(scenes)
    likely = {pair: pairs[pair] for pair in ranked[:most]}
    return replace(scenes[0], pairs=likely, held=held, still=still, told=told)


def _holding(before: Frame, after: Frame) -> dict[int, tuple[int, int, int]]:
    """What the avatar holds before a tick, twice, and gains in it: first what changes, then what it has some of."""
    had = {} if before.avatar is None else before.avatar.resources
    has = had if after.avatar is None else after.avatar.resources
    found = {kind: (amount, amount, has.get(kind, 0) - amount) for kind, amount in had.items()}
    return dict(sorted(found.items(), key=lambda item: (not item[1][2], not item[1][0], item[0])))


def _clusters(misses: Sequence[Miss], apart: int) -> list[list[Miss]]:
    """The misses in groups of sprites that are near each other."""
    groups: list[list[Miss]] = []
    for miss in misses:
        near = [group for group in groups if any(_distance(miss, other) <= apart for other in group)]
        groups = [group for group in groups if group not in near] + [[miss, *itertools.chain(*near)]]
    return groups


def _distance(one: Miss, other: Miss) -> int:
    """The distance between two sprites in pixels, along the axis where it is larger; at their nearest places."""
    pairs = itertools.product(_fates(one), _fates(other))
    return min(max(abs(a[1] - b[1]), abs(a[2] - b[2])) for a, b in pairs)


def _fates(miss: Miss) -> list[Fate]:
    return [fate for fate in (miss.predicted, miss.actual, miss.before) if fate is not None]


def _changes(miss: Miss) -> Iterator[Change]:
    """The observed fate of a sprite that was predicted otherwise."""
    if miss.before is None:
        yield miss.type, NEW
    elif miss.actual is None:
        yield miss.type, GONE
    elif miss.actual == miss.before:
        yield miss.type, BACK
        if miss.predicted is None:  # or it is another one, made where the former one went
            yield miss.type, NEW
    else:
        yield miss.type, MOVED


def _moved_on(misses: Sequence[Miss]) -> set[Change]:
    """What else may have become of new sprites that are not where they were predicted to be: a rule put them there."""
    predicted = {miss.type for miss in misses if miss.before is None and miss.predicted is not None}
    return {(miss.type, BACK) for miss in misses if miss.before is None and miss.actual and miss.type in predicted}


def _focus(misses: Sequence[Miss], before: Frame, after: Frame) -> Iterator[tuple[int, list[Fate], list[Fate]]]:
    """The sprites to be explained, each with the places where it may have met others, and those where it was and is.

    The avatar, which comes last, may also have met something where its action leads, and a sprite that is gone where a
    new one is beside it, each in fact or by prediction.
    """
    fresh = [(miss.predicted, miss.actual) for miss in misses if miss.before is None]
    for miss in misses:
        if miss.type != EDGE:
            places = _fates(miss)
            for k, fate in enumerate((miss.predicted, miss.actual)):
                if miss.before is not None and fate is None:
                    beside = (new[k] for new in fresh)
                    places += [new for new in beside if new and is_beside(miss.before, new, before.block_size)]
            yield miss.type, places, [fate for fate in (miss.before, miss.actual) if fate is not None]
    was, now = before.fates, after.fates
    for number, fate in was.items():
        if number not in now:
            yield fate[0], [fate], [fate]
    if before.avatar is not None and before.avatar.id in was:
        places = [fates[before.avatar.id] for fates in (was, now) if before.avatar.id in fates]
        yield before.avatar.type, places + _ahead(places[0], before), places


def _ahead(fate: Fate, frame: Frame) -> list[Fate]:
    """Where the action that was taken in a frame leads a sprite."""
    (kind, x, y), block = fate, frame.block_size
    steps = (step for step, way in WAYS.items() if way == frame.action.name)
    return [(kind, x + dx * block, y + dy * block) for dx, dy in steps]


def _near(
    kind: int, places: Sequence[Fate], own: Sequence[Fate], before: Frame, after: Frame, ground: Set[int]
) -> list[tuple[int, float]]:
    """The types of sprites in or beside some places, nearest first, with how likely they met; the edge is one.

    What is under sprites of the type wherever they are hardly explains what happens at times, so it comes last.
    """
    block = before.block_size
    width, height = before.world_dimension
    apart: dict[int, int] = {}
    for frame, (x, y) in itertools.product((before, after), {fate[1:] for fate in places}):
        for number, distance in frame.around(x, y, 2 * block):
            fate = frame.fates[number]
            if fate not in own:
                apart[fate[0]] = min(apart.get(fate[0], distance), distance)
    met = {other: other not in ground and distance < block for other, distance in apart.items()}
    found = sorted(apart, key=lambda other: (not met[other], other == kind, apart[other], other))[:_MOST_NEAR]
    near = [(other, 1.0 if met[other] else _BESIDE) for other in found]
    if any(x < block or y < block or x + 2 * block > width or y + 2 * block > height for _, x, y in places):
        is_out = any(x < 0 or y < 0 or x + block > width or y + block > height for _, x, y in places)
        near.append((EDGE, 1.0 if is_out else _BESIDE))
    return near
