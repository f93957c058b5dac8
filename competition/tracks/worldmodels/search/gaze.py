"""Guesses where sprites get their directions from: the avatar that launches them, or sprites that turn them."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from vgdl.competition.tracks.worldmodels.search.hypothesis import WANDERING, Hypothesis, Kind, Rule, name_of
from vgdl.competition.tracks.worldmodels.search.lives import DIRECTIONS, Lives, Track
from vgdl.competition.tracks.worldmodels.search.repair import FUTURES
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_KEPT = ("speed", "cooldown", "is_npc", "portal")  #: parameters that are kept if a type becomes a missile
_SURELY = 0.85  #: share of the moves from a sprite's place that go in its direction
_MOST = 1000  #: most moves to examine
_TURNED = 0.3  #: share of the turns of what seems to move at random that others must explain
_DRAWS = (0, 1)  #: sequences of random numbers with which predictions must be better


def with_gazes(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try `attractGaze`, and missiles in place of types that seemed to turn at random; keep better predictions."""
    options = [*_sent_by_avatars(lives, hypothesis), *_turned_by_others(lives, hypothesis)]
    options += _turned_avatars(lives, hypothesis)
    least = [follower.follow(hypothesis, samples=FUTURES, draw=draw).loss for draw in _DRAWS if options]
    for kinds, rules in options:
        option = replace(hypothesis, kinds={**hypothesis.kinds, **kinds}).with_rules([*hypothesis.rules, *rules])
        losses: list[float] = []
        for draw, known in zip(_DRAWS, least, strict=True):
            losses.append(follower.follow(option, enough=known, samples=FUTURES, draw=draw).loss)
            if losses[-1] >= known:
                break
        else:
            least, hypothesis = losses, option
    return hypothesis


def _missile(kind: Kind) -> Kind:
    return Kind("Missile", {key: value for key, value in kind.parameters.items() if key in _KEPT})


def _sent_by_avatars(lives: Lives, hypothesis: Hypothesis) -> Iterator[tuple[dict[int, Kind], list[Rule]]]:
    """Sprites that are made at an avatar and fly may take the direction that it faces."""
    facing = [n for n in lives.avatars if "orientation" in hypothesis.kinds[n].parameters]
    made = {
        dict(rule.parameters).get("stype")
        for rule in hypothesis.rules
        if rule.effect in ("transformTo", "spawn") and {rule.first, rule.second} & set(facing)
    }
    for number, kind in hypothesis.kinds.items():
        if name_of(number) in made and kind.word in ("Missile", *WANDERING):
            yield {number: _missile(kind)}, [Rule(number, avatar, "attractGaze") for avatar in facing]


def _turned_by_others(lives: Lives, hypothesis: Hypothesis) -> Iterator[tuple[dict[int, Kind], list[Rule]]]:
    """Types that leave the places of another type always in one direction, sometimes after a turn."""
    for number, kind in hypothesis.kinds.items():
        if kind.word not in ("Missile", *WANDERING) or number not in lives.tracks:
            continue
        ways, turns, total = _departures(lives, number)
        first = Counter(way for track in lives.tracks[number] if (way := _first_way(track)) is not None)
        guides: dict[int, Kind] = {}
        for other, counted in ways.items():
            way, count = counted.most_common(1)[0]
            resting = hypothesis.kinds[other].word in ("Immovable", "Door", "Passive")
            if resting and turns[other] >= 2 and count >= _SURELY * sum(counted.values()):
                guides[other] = hypothesis.kinds[other].but(orientation=way)
        if guides and (kind.word == "Missile" or sum(turns[n] for n in guides) >= _TURNED * total):
            aligned = (("align", "True"),)
            missile = kind if kind.word == "Missile" else _missile(kind)
            for way in (way for way, count in first.items() if count >= _SURELY * sum(first.values())):
                missile = missile.but(orientation=way)
            yield {number: missile, **guides}, [Rule(number, other, "attractGaze", aligned) for other in guides]


def _turned_avatars(lives: Lives, hypothesis: Hypothesis) -> Iterator[tuple[dict[int, Kind], list[Rule]]]:
    """Avatars that always face one direction where sprites of a type stand, sometimes after a turn."""
    ways: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    turns: Counter[tuple[int, int]] = Counter()
    for play in lives.plays:
        for before, after in itertools.pairwise(play.frames):
            was, now = before.avatar, after.avatar
            if was is None or now is None or not now.is_alive:
                continue
            way = _way(int(now.orientation[0]), int(now.orientation[1]))
            if way is None:
                continue
            rows, (x, y) = after.arrays, now.position
            near = rows[(abs(rows["x"] - x) < after.block_size) & (abs(rows["y"] - y) < after.block_size)]
            for other in set(near["type"].tolist()) - {now.type}:
                ways[now.type, other][way] += 1
                turns[now.type, other] += was.orientation != now.orientation
    guides: dict[int, dict[int, Kind]] = defaultdict(dict)
    for (avatar, other), counted in ways.items():
        way, count = counted.most_common(1)[0]
        resting = hypothesis.kinds[other].word in ("Immovable", "Door", "Passive")
        if resting and turns[avatar, other] >= 2 and count >= _SURELY * sum(counted.values()):
            guides[avatar][other] = hypothesis.kinds[other].but(orientation=way)
    for avatar, kinds in guides.items():
        yield kinds, [Rule(avatar, other, "attractGaze") for other in kinds]


def _way(dx: int, dy: int) -> str | None:
    return DIRECTIONS.get(((dx > 0) - (dx < 0), (dy > 0) - (dy < 0)))


def _first_way(track: Track) -> str | None:
    """The direction of a sprite's first move; None if it did not move, or not in one of four directions."""
    move = next(iter(track.moves()), None)
    return None if move is None else _way(*move[1:])


def _departures(lives: Lives, number: int) -> tuple[dict[int, Counter[str]], Counter[int], int]:
    """Count the directions of moves from places of other sprites and the turns there, by the type of the others.

    The last value is the number of all turns.

    If any moves start exactly where others stand, only those count: a sprite that overlaps with one that aligns it is
    first moved onto it, in any direction.
    """
    ways: dict[bool, dict[int, Counter[str]]] = {True: defaultdict(Counter), False: defaultdict(Counter)}
    turns: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    looked = total = 0
    for track in lives.tracks[number]:
        before: str | None = None
        block = lives.block[track.play]
        for k, dx, dy in track.moves():
            way = _way(dx, dy)
            looked += 1
            if way is None or looked > _MOST:
                continue
            turned = before is not None and way != before
            total += turned
            x, y = track.places[k - track.start]
            rows = lives.frame(track.play, k).arrays
            rows = rows[(abs(rows["x"] - x) < block) & (abs(rows["y"] - y) < block) & (rows["id"] != track.id)]
            exact = (rows["x"] == x) & (rows["y"] == y)
            for is_exact in (True, False):
                for other in set(rows["type"][exact == is_exact].tolist()) - {number}:
                    ways[is_exact][other][way] += 1
                    turns[is_exact][other] += turned
            before = way
    aligned = ways[True].keys()
    turned_by = Counter({n: turns[n in aligned][n] for n in aligned | ways[False].keys()})
    return {**ways[False], **ways[True]}, turned_by, total
