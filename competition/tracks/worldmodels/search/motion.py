"""Guesses a class for each type from the moves, births and deaths of its sprites."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vgdl import Action, Category
from vgdl.competition.tracks.worldmodels.search.avatars import avatar_kinds, is_singleton, shots_of
from vgdl.competition.tracks.worldmodels.search.hypothesis import AVATAR, Kind, Value, name_of
from vgdl.competition.tracks.worldmodels.search.lives import DIRECTIONS, Lives, Point, Track

_ALWAYS = 0.85  #: observed spawn share above which a spawn point always spawns: some of its sprites die at once
NO_LIMIT = 99  #: limit of a resource whose limit was never reached
_SEVERAL = 0.05  #: margin by which a group of types must explain moves better than a single type
_EXACT = 0.95  #: share of its moves that a chaser seems to make towards its target: some cannot be told
_SELDOM = 0.1  #: share of the moves during which what is chased must have been there
_MANY = 400  #: moves that decide what a type chases
_FEW = 50  #: moves below which a class is uncertain
#: `cons` of random walkers whose cooldown hides it, as in most bundled games; it decides which random numbers they draw
_USUAL_CONS = 2
_PACE = ("speed", "cooldown")


def guess_kinds(lives: Lives) -> dict[int, Kind]:
    """Guess a class with parameters for every observed type."""
    avatars = {f.avatar.type for play in lives.plays for f in play.frames if f.avatar is not None}
    makers = _makers(lives, avatars)
    kinds: dict[int, Kind] = {}
    for number in lives.types:
        if number in avatars:
            kinds[number] = avatar_kinds(lives, number)[0]
        else:
            kinds[number] = _guess(lives, number, makers.get(number, {}))
    turning = any("Shoot" in kinds[number].word for number in avatars)
    _aim(lives, kinds, makers, turning)
    for shot in {shot for number in avatars for shot in shots_of(lives, number)} & kinds.keys():
        if is_singleton(lives, shot):
            kinds[shot] = kinds[shot].but(singleton="True")
    return kinds


def _makers(lives: Lives, avatars: set[int]) -> dict[int, dict[int, list[tuple[Track, int]]]]:
    """For each type that may spawn others, its births as (the maker's track, tick), by the spawned type."""
    made: dict[int, dict[int, list[tuple[Track, int]]]] = defaultdict(lambda: defaultdict(list))
    more: dict[int, dict[int, list[tuple[Track, int]]]] = defaultdict(dict)  # births that may have another cause
    at: dict[tuple[int, int], dict[Point, list[Track]]] = {}
    ends: dict[tuple[int, int, Point], set[int]] = defaultdict(set)  # types that ended, by place
    for track in (t for tracks in lives.tracks.values() for t in tracks if t.ended):
        x, y = track.places[-1]
        step = lives.block[track.play]
        for dx, dy in ((0, 0), (step, 0), (-step, 0), (0, step), (0, -step)):
            ends[track.play, track.start + len(track.places) - 1, (x + dx, y + dy)].add(track.type)
    for kind in lives.types:
        if kind in avatars:
            continue
        births = [t for t in lives.tracks[kind] if t.born and t.category != Category.FROM_AVATAR]
        if not births:
            continue
        candidates: list[dict[int, tuple[Track, int]]] = []  # of each birth
        doubtful: list[dict[int, tuple[Track, int]]] = []
        for track in births:
            moment = (track.play, track.start - 1)
            if moment not in at:
                at[moment] = _standing(lives, *moment)
            spot = track.places[0]
            here = at[moment].get(spot, [])
            others = [o for o in reversed(here) if o.type != kind and o.type not in avatars]
            # something may have turned into it, or it is an effect on the avatar, or what became of a shot
            turned = any(end != kind for end in ends.get((track.play, track.start - 1, spot), ()))
            frames = (lives.frame(*moment).avatar, lives.frame(track.play, track.start).avatar)
            near = any(a is not None and _near(a.position, spot, lives.block[track.play]) for a in frames)
            doubt = turned or near or aimed_at(lives, *moment) == spot
            (doubtful if doubt else candidates).append({other.type: (other, track.start - 1) for other in others})
        left = _without_floors(lives, candidates)
        while beside := Counter(other for makers in left for other in makers):
            other = max(beside, key=lambda number: (beside[number], -len(lives.tracks[number])))
            if beside[other] < 0.05 * len(candidates):
                break
            made[other][kind] = [makers[other] for makers in candidates if other in makers]
            more[other][kind] = [makers[other] for makers in doubtful if other in makers]
            left = [makers for makers in left if other not in makers]  # bystanders of a maker made nothing
    for other, kinds in made.items():
        best = max(kinds, key=lambda kind: len(kinds[kind]))
        period = math.gcd(*(k + maker.start for maker, k in kinds[best])) or 1
        fits = [(maker, k) for maker, k in more[other][best] if (k + maker.start) % period == 0]
        made[other] = {best: kinds[best] + fits}
    return made


def _without_floors(lives: Lives, candidates: list[dict[int, tuple[Track, int]]]) -> list[dict[int, tuple[Track, int]]]:
    """Leave out makers that are everywhere, such as a visible floor: few of their sprites are where others are born."""
    active: dict[int, set[int]] = defaultdict(set)
    for makers in candidates:
        for other, (track, _) in makers.items():
            active[other].add(id(track))
    crowds = {other: sum(1 for t in lives.tracks[other] if not t.born) for other in active}
    floors = {other for other, crowd in crowds.items() if crowd > 8 and len(active[other]) < 0.3 * crowd}
    return [{other: birth for other, birth in makers.items() if other not in floors} for makers in candidates]


def aimed_at(lives: Lives, play: int, tick: int) -> Point | None:
    """The place in front of an avatar that shoots in a tick; None if it does not."""
    frame = lives.frame(play, tick)
    if frame.avatar is None or frame.action != Action.USE:
        return None
    (x, y), (dx, dy), block = frame.avatar.position, frame.avatar.orientation, lives.block[play]
    return (x + int(dx) * block, y + int(dy) * block) if (int(dx), int(dy)) in DIRECTIONS else None


def _near(one: Point, other: Point, block: int) -> bool:
    return abs(one[0] - other[0]) < block and abs(one[1] - other[1]) < block


def _standing(lives: Lives, play: int, tick: int) -> dict[Point, list[Track]]:
    """The sprites by the places where they are before and after a tick."""
    found: dict[Point, list[Track]] = defaultdict(list)
    if play not in lives.by_play:
        lives.by_play[play] = [t for tracks in lives.tracks.values() for t in tracks if t.play == play]
    for track in lives.by_play[play]:
        if 0 <= tick - track.start < len(track.places):
            found[track.places[tick - track.start]].append(track)
            after = tick + 1 - track.start
            if after < len(track.places) and track.places[after] != track.places[tick - track.start]:
                found[track.places[after]].append(track)
    return found


def _guess(lives: Lives, number: int, maker: Mapping[int, list[tuple[Track, int]]]) -> Kind:
    """The likeliest class of a type other than an avatar.

    Args:
        lives: the recorded plays.
        number: the type.
        maker: the births that it may have caused, by the type of the new sprites.
    """
    tracks, category = lives.tracks[number], lives.category(number)
    moves = [(track, *move) for track in tracks for move in track.moves()]
    if not moves:
        return _resting(lives, number, maker)
    pushed = sum(1 for move in moves if _is_push(lives, move))
    if pushed >= 0.8 * len(moves) and category != Category.NPC:
        return _pushed(lives, number)
    speed, cooldown = pace(lives, moves)
    paced: dict[str, Value] = {}
    if speed != 1:
        paced["speed"] = speed
    if cooldown > 1:
        paced["cooldown"] = cooldown
    is_straight = _is_straight(lives, tracks)
    if maker and category == Category.NPC:
        paced |= spawner(lives, number, maker, cooldown)
        return Kind("Bomber", {"speed": speed, **paced}) if is_straight else Kind("RandomBomber", paced)
    if is_straight:
        return _flying(lives, number, speed, paced)
    return _hunting(lives, number, moves, paced) or _roaming(tracks, cooldown, paced)


def _resting(lives: Lives, number: int, maker: Mapping[int, list[tuple[Track, int]]]) -> Kind:
    """The likeliest class of a type whose sprites never moved."""
    category = lives.category(number)
    if category == Category.RESOURCE:
        return Kind("Resource", {"limit": resource_limit(lives, number)})
    if maker and category in (Category.STATIC, Category.PORTAL, Category.NPC):
        kind = Kind("SpawnPoint", spawner(lives, number, maker))
        if category == Category.PORTAL:
            return kind.but(portal="True")
        return Kind("Bomber", {**kind.parameters, "orientation": "RIGHT"}) if category == Category.NPC else kind
    if category == Category.PORTAL:
        return Kind("Door")
    if category == Category.STATIC:
        return Kind("Immovable")
    limit = flicker_limit(lives, number)
    if limit is not None:
        return Kind("OrientedFlicker" if category == Category.FROM_AVATAR else "Flicker", {"limit": limit})
    if category == Category.FROM_AVATAR:
        return Kind("OrientedFlicker", {"limit": 10000})
    return Kind("Missile", {"speed": 0, "is_npc": "True"}) if category == Category.NPC else Kind("Passive")


def _pushed(lives: Lives, number: int) -> Kind:
    """The likeliest class of a type whose sprites only move when an avatar pushes them."""
    category = lives.category(number)
    if category == Category.RESOURCE:
        return Kind("Resource", {"limit": resource_limit(lives, number)})
    if category == Category.PORTAL:
        return Kind("Door")
    return Kind("Immovable" if category == Category.STATIC else "Passive")


def _flying(lives: Lives, number: int, speed: Value, paced: Mapping[str, Value]) -> Kind:
    """The likeliest class of a type whose sprites move straight; `_aim` finds their direction."""
    category = lives.category(number)
    if category == Category.RESOURCE:
        return Kind("Resource", {**paced, "limit": resource_limit(lives, number), "speed": speed})
    if category == Category.NPC:
        return Kind("Missile", {**paced, "is_npc": "True"})
    return Kind("Missile", {**paced, "portal": "True"} if category == Category.PORTAL else paced)


def _hunting(
    lives: Lives, number: int, moves: Sequence[tuple[Track, int, int, int]], paced: Mapping[str, Value]
) -> Kind | None:
    """The class and the target of a type that approaches or avoids another one; None if it does neither."""
    chased = chase(lives, number, moves)
    if chased is not None:
        word, target, distance = chased
        parameters = {"stype": name_of(target), **paced}
        return Kind(word, {**parameters, "maxDistance": distance} if distance else parameters)
    stray = stray_chase(lives, number, moves)
    if stray is None:
        return None
    share = max(0.05, round(stray[1], 1))
    return Kind("RandomAltChaser", {"stype1": name_of(stray[0]), "epsilon": share, **paced})


def _roaming(tracks: Sequence[Track], cooldown: int, paced: Mapping[str, Value]) -> Kind:
    """The class of a type that moves at random, with the number of times that it repeats a move."""
    cons = repeats(tracks) or (_USUAL_CONS if cooldown > _USUAL_CONS else 0)
    return Kind("RandomNPC", {**paced, "cons": cons} if cons else paced)


def possible_kinds(lives: Lives, number: int, kinds: Mapping[int, Kind]) -> list[Kind]:
    """The classes that the moves of an NPC type allow, for predictions to choose from, the likeliest first.

    Sprites that move straight may chase something far away: few NPCs are missiles. For a type with few moves, its
    siblings are better evidence: other NPCs that may have the same parent.
    """
    kind = kinds[number]
    if lives.category(number) != Category.NPC:
        return [kind]
    moves = [(track, *move) for track in lives.tracks[number] for move in track.moves()]
    kept = {key: value for key, value in kind.parameters.items() if key in ("speed", "cooldown")}
    options = [kind]
    if kind.word == "RandomBomber":  # the sprites born at its place may have another origin
        chased = chase(lives, number, moves)
        if chased is not None:
            options.append(Kind(chased[0], {"stype": name_of(chased[1]), **kept}))
    if kind.word in ("Missile", "RandomMissile") and moves:
        chased = chase(lives, number, moves)
        if chased is not None:
            options.insert(0, Kind(chased[0], {"stype": name_of(chased[1]), **kept}))
    if len(moves) < _FEW:
        run = next((run for run in runs(kinds) if number in run), [])
        others = [kinds[n] for n in run if n != number and lives.category(n) == Category.NPC]
        if not moves:
            return [*others, kind]
        options += [Kind(o.word, {k: v for k, v in o.parameters.items() if k not in _PACE} | kept) for o in others]
    return options


def runs(kinds: Mapping[int, Kind]) -> list[list[int]]:
    """Runs of consecutive type numbers, for which the number before the first one was never seen."""
    runs: list[list[int]] = []
    for number in sorted(kinds):
        if number > AVATAR:
            if runs and runs[-1][-1] == number - 1:
                runs[-1].append(number)
            elif number - 1 not in kinds:
                runs.append([number])
    return runs


def resource_limit(lives: Lives, number: int) -> int:
    """The largest amount ever held, if a further unit was then met in vain; otherwise a very large limit."""
    amounts = Counter(
        f.avatar.resources.get(number, 0) for play in lives.plays for f in play.frames if f.avatar is not None
    )
    most = max(amounts, default=0)
    for play, recorded in enumerate(lives.plays):
        for k, (before, after) in enumerate(itertools.pairwise(recorded.frames)):
            avatars = before.avatar, after.avatar
            if not most or any(a is None or a.resources.get(number, 0) != most for a in avatars) or after.is_over:
                continue
            if (number, after.avatar.position) in lives.rows[play][k].values():  # type: ignore[union-attr]
                return most
    return NO_LIMIT


def pace(lives: Lives, moves: Sequence[tuple[Track, int, int, int]]) -> tuple[Value, int]:
    """Speed in cells and cooldown in ticks that fit most displacements."""
    steps: Counter[tuple[int, int]] = Counter()
    gaps: Counter[int] = Counter()
    last: tuple[int, int] | None = None
    for track, k, dx, dy in moves:
        if dx == 0 or dy == 0:
            steps[max(abs(dx), abs(dy)), lives.block[track.play]] += 1
        if last is not None and last[0] == id(track):
            gaps[k - last[1]] += 1
        last = (id(track), k)
    total = sum(gaps.values())
    cooldown = min((gap for gap, count in gaps.items() if count >= 0.04 * total), default=1)
    if not steps:
        return 1, cooldown
    blocks = {block for _, block in steps}
    usual = {block: max((n, s) for (s, b), n in steps.items() if b == block)[1] for block in blocks}
    return _speed(usual), cooldown


def _speed(steps: Mapping[int, int]) -> Value:
    """The simplest speed in cells per tick that gives these steps, in pixels by block size."""
    for denominator in (1, 2, 4, 5, 10, 20, 100):
        for numerator in range(1, 3 * denominator + 1):
            value = numerator / denominator
            if all(int(value * block) == step for block, step in steps.items()):
                return value if denominator > 1 else numerator
    block, step = next(iter(steps.items()))
    return math.ceil(Fraction(step, block) * 10**6) / 10**6


def _is_push(lives: Lives, move: tuple[Track, int, int, int]) -> bool:
    """Whether a move is a push: of at least half a cell, with the avatar at the sprite's old place or next to it.

    An avatar that moves may also push a row of sprites in front of it: the one behind then moves to the old place.
    """
    track, k, dx, dy = move
    frame = lives.frame(track.play, k)
    x, y = track.places[k - track.start]
    if frame.avatar is None or frame.is_over:
        return False
    at = frame.avatar.position
    block = lives.block[track.play]
    if max(abs(dx), abs(dy)) < block / 2:
        return False
    if abs(at[0] - x) <= block and abs(at[1] - y) <= block:
        return True
    after = lives.frame(track.play, k + 1).avatar
    ahead = _sign(x - at[0], y - at[1]) == _sign(dx, dy)
    if not ahead or after is None or (after.position[0] - at[0], after.position[1] - at[1]) != (dx, dy):
        return False
    now, later = lives.rows[track.play][k : k + 2]
    return any(place == (x - dx, y - dy) and later.get(n, (0, None))[1] == (x, y) for n, (_, place) in now.items())


def _sign(dx: int, dy: int) -> Point:
    return (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)


def _is_straight(lives: Lives, tracks: Sequence[Track]) -> bool:
    """Whether sprites keep their direction or reverse it; turns near the edge are ignored."""
    turned = straight = aside = 0.0
    for track in tracks:
        wide, high = lives.frame(track.play, 0).world_dimension
        margin = 2 * lives.block[track.play]
        moves = [(track.places[k - track.start], _sign(dx, dy)) for k, dx, dy in track.moves()]
        for (_, one), ((x, y), other) in itertools.pairwise(moves):
            if one == other:
                straight += 1
            elif one == (-other[0], -other[1]):
                turned += 0.3
            elif margin <= x < wide - margin and margin <= y < high - margin:
                turned += 1
                aside += 1
    return straight >= 4 * turned and aside <= 0.04 * (straight + turned)


def flicker_limit(lives: Lives, number: int) -> int | None:
    """The limit of a flicker class, if sprites of a type live equally long unless ended earlier; None otherwise."""
    lengths = Counter(len(t.places) for t in lives.tracks[number] if t.born and t.ended)
    if not lengths or any(not t.born for t in lives.tracks[number]):
        return None
    usual = max(lengths)
    often = lengths[usual] >= 0.6 * sum(lengths.values()) and usual <= 40
    aged = lengths[usual] >= max(3, 0.15 * sum(lengths.values()))
    before = range(usual // 2, usual)  # many may die early, but few just before that age
    aged |= usual > 5 and lengths[usual] >= max(5, 4 * sum(lengths[n] for n in before) / len(before))
    if not (often or aged) or any(len(t.places) > usual for t in lives.tracks[number]):
        return None
    by_avatar = lives.category(number) == Category.FROM_AVATAR
    return usual - 1 if by_avatar else usual - 2


def spawner(
    lives: Lives, number: int, maker: Mapping[int, list[tuple[Track, int]]], cooldown: int = 0
) -> dict[str, Value]:
    """Parameters of a spawn point: type, period, probability and total of its sprites."""
    kind, births = next(iter(maker.items()))
    ticks = [k + track.start for track, k in births]  # a first update in tick `start` counts from there
    period = cooldown or math.gcd(*ticks) or 1
    per: Counter[int] = Counter(id(track) for track, _ in births)
    chances = 0
    for track in lives.tracks[number]:
        life = range(track.start, track.start + max(0, len(track.places) - 1))
        chances += sum(1 for k in life if (k + track.start) % period == 0)
    found: dict[str, Value] = {"stype": name_of(kind), "cooldown": max(1, period)}
    share = len(births) / max(1, chances)
    if share < _ALWAYS:
        found["prob"] = likely_probability(len(births), chances)
    ended = [t for t in lives.tracks[number] if t.ended and per[id(t)] and not _taken(lives, t)]
    if share >= _ALWAYS:
        finished = {(len(t.places) - 1) // period + 1 for t in ended if not t.start}
        if len(finished) == 1:
            found["total"] = finished.pop()
    elif len(finished := {per[id(t)] for t in ended}) == 1 and len(ended) > 1:
        last = {id(track): k for track, k in sorted(births, key=lambda birth: birth[1])}
        if all(last[id(t)] >= t.start + len(t.places) - 2 for t in ended):  # it ends when it has made all of them
            total = finished.pop()
            found["total"] = total
            if total > 1:  # the last try of each has succeeded in any case
                found["prob"] = likely_probability(len(births) - len(ended), chances - len(ended))
    return found


def _taken(lives: Lives, track: Track) -> bool:
    """Whether the avatar, or something that it shot, may have caused a sprite's end, because it was next to it."""
    last = track.start + len(track.places) - 1
    frame, reach = lives.frame(track.play, last), 2 * lives.block[track.play]
    shots = frame.arrays[frame.arrays["category"] == Category.FROM_AVATAR]
    places = [(int(row["x"]), int(row["y"])) for row in shots]
    if frame.avatar is not None:
        places.append(frame.avatar.position)
    return any(_near(place, track.places[-1], reach) for place in places)


def likely_probability(hits: int, chances: int) -> float:
    """The probability that explains a number of hits best, with a preference for few digits.

    Minimises the negative log likelihood, in the normal approximation, plus a penalty for the digits.
    """

    def cost(option: tuple[float, float]) -> float:
        value, penalty = option
        return penalty + (hits - value * chances) ** 2 / (2 * value * (1 - value) * chances)

    grids = ((10, 0.5), (20, 1.0), (100, 2.5), (1000, 5.0))
    options = [(k / parts, penalty) for parts, penalty in grids for k in range(1, parts)]
    return min(options, key=cost)[0]


@dataclass(frozen=True)
class _Seen:
    """A move in view of a possible target."""

    distance: int
    fits: tuple[bool, bool]  #: whether it approached the target, whether it moved away
    chance: tuple[float, float]  #: share of the four directions that do so
    beside: bool  #: whether it started next to the target


def chase(lives: Lives, number: int, moves: Sequence[tuple[Track, int, int, int]]) -> tuple[str, int, int] | None:
    """Class, target and largest distance (0: any) of a type that approaches or avoids another; None if it does not."""
    best: tuple[float, str, int, int] | None = None
    below: dict[int, tuple[int, ...]] = {}
    usual = 0.5 * min(len(moves), _MANY)
    for target, types, seen in _views(lives, number, moves):
        for column, word in enumerate(("Chaser", "Fleeing")):
            within, distance = _reach(seen, column)
            if within < max(3, 0.15 * len(seen)):
                continue
            at_rest = any(lives.category(n) == Category.STATIC for n in types if n in lives.tracks)
            if word == "Fleeing" and (at_rest or seen[within - 1].beside):
                continue  # sprites seem to flee from obstacles
            hits = sum(1 for row in seen[:within] if row.fits[column])
            expected = sum(row.chance[column] for row in seen[:within])
            gain = (hits - expected) / max(len(seen), usual)  # without a target, chasers move at random
            spread = math.sqrt(sum(row.chance[column] * (1 - row.chance[column]) for row in seen[:within]))
            sure = hits >= 0.95 * within and hits - expected >= 5 * max(spread, 1.0)
            if (sure or (gain >= 0.12 and len(seen) >= usual)) and (
                best is None or gain > best[0] + (_SEVERAL if len(types) > 1 else 0)
            ):
                best = (gain, word, target, distance if within < 0.95 * len(seen) else 0)
                below[target] = types
    if best is None:
        return None
    if len(below[best[2]]) > 1:
        lives.chased_groups[best[2]] = below[best[2]]
    gain, word, target, distance = best
    stray = _best_stray(lives, number, moves) if distance else None
    if stray is not None and stray[0] > gain + _SEVERAL:
        return None  # random moves explain more than a limited distance
    if distance and len(moves) > _MANY:  # more moves show it better
        for _, _, seen in _views(lives, number, moves, target, 10 * _MANY):
            distance = _reach(seen, ("Chaser", "Fleeing").index(word))[1] or distance
    return word, target, distance


def stray_chase(lives: Lives, number: int, moves: Sequence[tuple[Track, int, int, int]]) -> tuple[int, float] | None:
    """Target of a type that approaches another with some random moves, and their share; None if there is none."""
    best = _best_stray(lives, number, moves)
    return None if best is None else best[1:]


def _best_stray(
    lives: Lives, number: int, moves: Sequence[tuple[Track, int, int, int]]
) -> tuple[float, int, float] | None:
    """How much better than chance the moves of such a type fit its target; the target; the share of random moves."""
    best: tuple[float, int, float] | None = None
    for target, types, seen in _views(lives, number, moves):
        if len(types) > 1 or len(seen) < 0.5 * min(len(moves), _MANY):
            continue
        hits = sum(1 for row in seen if row.fits[0])
        expected = sum(row.chance[0] for row in seen)
        gain = (hits - expected) / len(seen)
        spread = math.sqrt(sum(row.chance[0] * (1 - row.chance[0]) for row in seen))
        if gain >= 0.2 and hits - expected >= 8 * max(spread, 1.0) and (best is None or gain > best[0]):
            best = gain, target, (len(seen) - hits) / (len(seen) - expected)
    return best


def _views(
    lives: Lives,
    number: int,
    moves: Sequence[tuple[Track, int, int, int]],
    only: int | None = None,
    most: int = _MANY,
) -> Iterator[tuple[int, tuple[int, ...], list[_Seen]]]:
    """For each type or group of types that was present during enough moves, these moves, the nearest first.

    Of more moves than ``most``, a part is used. If ``only`` is given, this type or group alone is looked at.
    """
    chosen = moves if len(moves) <= most else moves[:: len(moves) // most]
    single = [(target, (target,)) for target in lives.types if target not in lives.avatars[1:]]
    families = [(gap, types) for gap, types in lives.families if lives.chased_groups.get(gap, types) == types]
    for target, types in [*single, *families]:
        if number in types or only not in (None, target):
            continue
        seen: list[_Seen] = []
        for track, k, dx, dy in chosen:
            places = _targets(lives, track.play, k, types, number)
            if places:
                x, y = track.places[k - track.start]
                near, away = _toward(x, y, places), _away(x, y, places)
                step = _sign(dx, dy)
                distance = min(_distance(place, x, y) for place in places)
                if distance == 0:
                    continue  # nothing leads nearer
                beside = distance <= lives.block[track.play]
                seen.append(_Seen(distance, (step in near, step in away), (len(near) / 4, len(away) / 4), beside))
        if len(seen) >= max(3, _SELDOM * len(chosen)):
            seen.sort(key=lambda row: row.distance)
            yield target, types, seen


def _distance(place: Point, x: int, y: int) -> int:
    return abs(place[0] - x) + abs(place[1] - y)


def _away(x: int, y: int, places: Sequence[Point]) -> set[Point]:
    """The directions that lead away from the nearest of some places."""
    least = min(_distance(place, x, y) for place in places)
    nearest = [place for place in places if _distance(place, x, y) == least]
    return {d for d in DIRECTIONS if any(_distance(p, x + d[0], y + d[1]) > least for p in nearest)}


def _reach(moves: Sequence[_Seen], column: int) -> tuple[int, int]:
    """The number of nearest moves that a chase explains, and the largest distance among them."""
    hits = 0
    likelihood = best = 0.0  # logarithm of the ratio between a chase up to here and no chase at all
    found = (0, 0)
    for k, row in enumerate(moves):
        hits += row.fits[column]
        chance = min(max(row.chance[column], 1 - _EXACT), _EXACT)
        likelihood += math.log(_EXACT / chance if row.fits[column] else (1 - _EXACT) / (1 - chance))
        last = k + 1 == len(moves) or moves[k + 1].distance != row.distance
        if last and hits >= 0.9 * (k + 1) and likelihood >= best:
            best, found = likelihood, (k + 1, row.distance)
    return found


def _targets(lives: Lives, play: int, tick: int, types: tuple[int, ...], number: int) -> list[Point]:
    """Positions of sprites of some types when the type ``number`` is updated.

    Avatars are updated first, then the types with higher numbers. What meets its end in the same tick was there when it
    was chased. One type of avatar stands for all: a chaser of one chases the player.
    """
    wanted = {*types, *lives.avatars} if set(types) & set(lives.avatars) else set(types)
    rows = lives.rows[play]
    moved = {kind for kind in wanted if kind > number or kind in lives.avatars}
    after = rows[tick + 1] if tick + 1 < len(rows) else {}
    places: list[Point] = []
    for sprite, (kind, place) in rows[tick].items():
        if kind in wanted:
            later = after.get(sprite) if kind in moved else None
            places.append(later[1] if later is not None and later[0] == kind else place)
    return places


def _toward(x: int, y: int, places: Iterable[Point]) -> set[Point]:
    """The directions that lead nearer to the nearest of some places."""
    least, nearest = None, []
    for place in places:
        distance = abs(place[0] - x) + abs(place[1] - y)
        if least is None or distance < least:
            least, nearest = distance, [place]
        elif distance == least:
            nearest.append(place)
    good: set[Point] = set()
    for to_x, to_y in nearest:
        if to_x != x:
            good.add(_sign(to_x - x, 0))
        if to_y != y:
            good.add(_sign(0, to_y - y))
    return good


def repeats(tracks: Sequence[Track]) -> int:
    """The number of times that a random walker repeats each move: the largest one consistent with its moves."""
    runs = [[(k - t.start, _sign(dx, dy)) for k, dx, dy in t.moves()] for t in tracks]
    total = sum(len(run) for run in runs)
    found = 0
    for cons in range(1, 16):
        broken = kept = 0
        for run in runs:
            for (one, way), (other, way2) in itertools.pairwise(run):
                if (one + 1) // (cons + 1) == (other + 1) // (cons + 1):
                    broken += way != way2
                    kept += way == way2
            broken += sum(1 for n, _ in run if n + 1 <= cons)
        if broken <= 0.02 * total and kept >= max(2, 0.05 * total):
            found = cons
    return found


def _birthplaces(births: Iterable[tuple[Track, int]]) -> set[tuple[int, int, Point]]:
    """The play, the tick and the place of a maker that made a sprite, before and after its move."""
    return {
        (maker.play, k, place)
        for maker, k in births
        for place in maker.places[max(0, k - maker.start) : k + 2 - maker.start]
    }


def _aim(
    lives: Lives,
    kinds: dict[int, Kind],
    makers: Mapping[int, Mapping[int, list[tuple[Track, int]]]],
    turning: bool,
) -> None:
    """Set the direction of missiles, or the spawn direction of their makers."""
    for number, kind in list(kinds.items()):
        if kind.word not in ("Missile", "Bomber") and "speed" not in kind.parameters:
            continue
        if kind.word not in ("Missile", "Bomber", "Resource"):
            continue
        first: Counter[str] = Counter()
        for track in lives.tracks[number]:
            if track.category == Category.FROM_AVATAR and turning:
                continue  # it flies the way the avatar faces
            move = next(iter(track.moves()), None)
            if move is not None:
                first[DIRECTIONS.get(_sign(*move[1:]), "RIGHT")] += 1
        if not first:
            continue
        usual, count = first.most_common(1)[0]
        if count >= 0.8 * sum(first.values()):
            kinds[number] = kind.but(orientation=usual)
            continue
        level_born = any(not t.born for t in lives.tracks[number])
        if kind.word == "Missile":
            mixed = False
            for maker, made in makers.items():
                if number not in made or maker not in kinds:
                    continue
                spots = _birthplaces(made[number])
                ways = Counter(
                    DIRECTIONS.get(_sign(*move[1:]), "RIGHT")
                    for track in lives.tracks[number]
                    if track.born and (track.play, track.start - 1, track.places[0]) in spots
                    if (move := next(iter(track.moves()), None)) is not None
                )
                if ways and ways.most_common(1)[0][1] >= 0.8 * sum(ways.values()):
                    kinds[maker] = kinds[maker].but(spawnorientation=ways.most_common(1)[0][0])
                elif ways and kinds[maker].word == "RandomBomber":  # they fly the way that it faces, so it turns
                    kinds[maker] = kinds[maker].but(rotateInPlace="True")
                elif ways and kinds[maker].word != "Bomber":
                    mixed = True
            if mixed or level_born:
                kinds[number] = Kind("RandomMissile", kind.parameters)
