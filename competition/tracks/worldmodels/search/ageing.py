"""Guesses sprites that age: a hidden floor turns them into others in their second tick, or they vanish later."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from vgdl import Category
from vgdl.competition.tracks.worldmodels.search.contacts import Moment
from vgdl.competition.tracks.worldmodels.search.floors import unseen_numbers
from vgdl.competition.tracks.worldmodels.search.hypothesis import HIDDEN, Hypothesis, Kind, Rule, name_of, number_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives, Point, Track
from vgdl.competition.tracks.worldmodels.search.motion import aimed_at, flicker_limit
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_FEWEST = 3  #: sprites that must turn, and vain shots that show an obstacle
_SURELY = 0.9  #: share of a type's sprites that must turn in their second tick
_USUALLY = 0.6  #: share of them that each of the new types must come from
_SHORT_LIVED = (Category.MOVABLE, Category.FROM_AVATAR)
_Births = Mapping[tuple[int, int], Mapping[Point, frozenset[int]]]  #: types of new sprites by play, tick and place


def with_ageing(lives: Lives, hypothesis: Hypothesis) -> Hypothesis:
    """Add a hidden floor that turns sprites into others, if sprites of some type never live longer than a tick."""
    births = _births(lives)
    turns = {n: into for n in lives.types if n not in lives.avatars and (into := _successors(lives, births, n))}
    turns = {n: into for n, into in turns.items() if hypothesis.kinds[n].word != "SpawnPoint"}  # it ends with its total
    turns = {number: into for number, into in turns.items() if number not in _descendants(turns, number)}
    shots = {shot: (results, stops) for shot, results, stops in _unseen_shots(lives, births, hypothesis)}
    if not turns and not shots:
        return hypothesis
    floor = lives.highest + 2
    # what turns last comes first, lest sprites turn twice in a tick
    ordered = sorted(turns, key=lambda number: len(_descendants(turns, number)))
    rules = [rule for number in ordered for rule in _turn(number, floor, turns[number])]
    for shot, (results, stops) in shots.items():
        rules += [Rule(shot, stop, "killSprite") for stop in stops]
        rules += _turn(shot, floor, (max(results, key=lambda new: len(results[new])),))
    kinds = {**hypothesis.kinds, **dict.fromkeys((*shots, floor), HIDDEN)}
    return replace(hypothesis, kinds=kinds, rules=(*hypothesis.rules, *rules), floor=floor)


def with_early_ageing(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try to let the floor act before sprites meet, so that new sprites have effects in the same tick."""
    turning = {rule.first for rule in hypothesis.rules if rule.second == hypothesis.floor}
    shots = {number for number in turning if hypothesis.kinds[number] == HIDDEN}
    aged = [rule for rule in hypothesis.rules if rule.second == hypothesis.floor or rule.first in shots]
    if not aged:
        return hypothesis
    option = hypothesis.with_rules([*aged, *(rule for rule in hypothesis.rules if rule not in aged)])
    return follower.better_of(hypothesis, option)


def with_expiry(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try to let missiles, such as flames, vanish at the age at which most of the oldest ones vanished in the open."""
    for number, kind in hypothesis.kinds.items():
        if kind.word == "Missile" and number in lives.tracks and lives.category(number) in _SHORT_LIVED:
            limit = flicker_limit(lives, number)
            if limit is None:
                continue
            oldest = max(len(track.places) for track in lives.tracks[number])
            ends = [t for t in lives.tracks[number] if t.ended and len(t.places) == oldest > 1]
            spent = sum(1 for track in ends if _is_in_the_open(lives, track))
            if spent >= max(_FEWEST, len(ends) / 2):
                option = Kind("OrientedFlicker", {"speed": 1, **kind.parameters, "limit": limit})
                hypothesis = follower.better_of(hypothesis, hypothesis.with_kind(number, option))
    return hypothesis


def _is_in_the_open(lives: Lives, track: Track) -> bool:
    """Whether nothing visible was where a sprite was or would have been next when it vanished, nor appeared there."""
    end, block = track.start + len(track.places) - 1, lives.block[track.play]
    (was_x, was_y), (x, y) = track.places[-2:]
    places = (x, y), (2 * x - was_x, 2 * y - was_y)
    for k in (end, end + 1):
        rows = lives.frame(track.play, k).arrays
        for place in places:
            near = (abs(rows["x"] - place[0]) < block) & (abs(rows["y"] - place[1]) < block)
            if np.any(near & (rows["id"] != track.id)):
                return False
    return True


def settled(hypothesis: Hypothesis) -> Hypothesis:
    """Give the floor of `with_ageing` the first number that neither a type nor a group has."""
    if hypothesis.floor is None:
        return hypothesis
    kinds = {number: kind for number, kind in hypothesis.kinds.items() if number != hypothesis.floor}
    floor = unseen_numbers(replace(hypothesis, kinds=kinds))[0]
    rules = [rule if rule.second != hypothesis.floor else replace(rule, second=floor) for rule in hypothesis.rules]
    return replace(hypothesis, kinds={**kinds, floor: HIDDEN}, rules=tuple(rules), floor=floor)


def _turn(number: int, floor: int, into: tuple[int, ...]) -> list[Rule]:
    """Lines that turn a sprite into one or several others."""
    if len(into) == 1:
        return [Rule(number, floor, "transformTo", (("stype", name_of(into[0])),))]
    spawns = [Rule(number, floor, "spawn", (("stype", name_of(new)),)) for new in into]
    return [*spawns, Rule(number, floor, "killSprite")]


def _births(lives: Lives) -> _Births:
    found: dict[tuple[int, int], dict[Point, frozenset[int]]] = defaultdict(dict)
    for kind, tracks in lives.tracks.items():
        for track in tracks:
            if track.born:
                at = found[track.play, track.start]
                at[track.places[0]] = at.get(track.places[0], frozenset()) | {kind}
    return found


def _successors(lives: Lives, births: _Births, number: int) -> tuple[int, ...]:
    """The types that sprites of a type turn into when they are a tick old; none if some live longer."""
    ended = [t for t in lives.tracks[number] if t.ended or len(t.places) > 1]
    brief = [t for t in ended if len(t.places) == 1]
    if len(brief) < max(_FEWEST, _SURELY * len(ended)):
        return ()
    into = Counter(n for t in brief for n in births.get((t.play, t.start + 1), {}).get(t.places[0], ()))
    return tuple(sorted(n for n, count in into.items() if n != number and count >= _USUALLY * len(brief)))


def _descendants(turns: Mapping[int, tuple[int, ...]], number: int) -> set[int]:
    """The types that a type turns into, sooner or later."""
    found: set[int] = set()
    left = [number]
    while left:
        fresh = set(turns.get(left.pop(), ())) - found
        found |= fresh
        left += fresh
    return found


def results_of_shots(lives: Lives, hypothesis: Hypothesis) -> dict[int, dict[int, set[Moment]]]:
    """What the shots of `with_ageing` that are never seen turned into: the ticks before, by shot and new type."""
    return {shot: results for shot, results, _ in _unseen_shots(lives, _births(lives), hypothesis)}


def _unseen_shots(
    lives: Lives, births: _Births, hypothesis: Hypothesis
) -> Iterator[tuple[int, dict[int, set[Moment]], list[int]]]:
    """Shots that turn before they are seen: the ticks in which each turned, by new type, and the types that stop it."""
    for avatar in lives.avatars:
        number = number_of(hypothesis.kinds[avatar].parameters.get("stype", name_of(avatar)))
        if number in lives.tracks:
            continue
        made: dict[int, set[Moment]] = defaultdict(set)
        aims: list[tuple[set[int], frozenset[int]]] = []  # types in front, and types born there
        for play, recorded in enumerate(lives.plays):
            for k, frame in enumerate(recorded.frames[:-1]):
                front = aimed_at(lives, play, k)
                if front is not None and frame.avatar is not None and frame.avatar.type == avatar:
                    born = births.get((play, k + 1), {}).get(front, frozenset())
                    aims.append(({kind for kind, place in lives.rows[play][k].values() if place == front}, born))
                    for kind in born:
                        made[kind].add((play, k))
        total = {kind: sum(1 for track in lives.tracks[kind] if track.born) for kind in made}
        sure = {kind: when for kind, when in made.items() if len(when) >= max(_FEWEST, _USUALLY * total[kind])}
        if sure:
            vain = Counter(kind for standing, born in aims if sure.keys().isdisjoint(born) for kind in standing)
            free = {kind for standing, born in aims if not sure.keys().isdisjoint(born) for kind in standing}
            yield number, sure, sorted(n for n, c in vain.items() if c >= _FEWEST and n not in free)
