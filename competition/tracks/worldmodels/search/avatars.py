"""Guesses the classes of avatars from their actions and moves."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Set

from vgdl import Action, Category
from vgdl.competition.tracks.worldmodels.search.hypothesis import Kind, Value, name_of
from vgdl.competition.tracks.worldmodels.search.lives import DIRECTIONS, Lives
from vgdl.ontology.avatars import AVATARS

_GRID_AVATARS = (
    "MovingAvatar", "HorizontalAvatar", "VerticalAvatar", "NullAvatar", "FlakAvatar", "OrientedAvatar", "MissileAvatar",
    "OngoingAvatar", "OngoingTurningAvatar", "ShootAvatar", "OngoingShootAvatar", "ShootOnlyAvatar",
)  # fmt: skip
_FEWEST, _MANY = 5, 20  #: pauses between moves that show a cooldown, and that show the cooldown of a single type
_USUALLY = 0.3  #: share of the pauses between moves that take as long as the cooldown, where there is one


def avatar_kinds(lives: Lives, number: int) -> list[Kind]:
    """The avatar classes of the ontology whose actions fit, the likeliest first."""
    frames = [
        (play, k)
        for play in range(len(lives.plays))
        for k, f in enumerate(lives.plays[play].frames)
        if f.avatar is not None and f.avatar.type == number and not f.is_over
    ]
    if not frames:
        return [Kind("MovingAvatar")]
    first = lives.frame(*frames[0])
    actions = Counter(lives.frame(*f).actions for f in frames).most_common(1)[0][0]
    names = tuple(Action(a).name for a in actions)
    oriented = any(lives.frame(*f).avatar.orientation != (0.0, 0.0) for f in frames)  # type: ignore[union-attr]
    fitting = [row.name for row in AVATARS if row.name in _GRID_AVATARS and tuple(row.actions) == names]
    plain = ("MovingAvatar", "HorizontalAvatar", "VerticalAvatar", "NullAvatar", "FlakAvatar")
    found = [word for word in fitting if (word not in plain) == oriented] or fitting or ["MovingAvatar"]
    parameters: dict[str, Value] = {}
    avatar = first.avatar
    assert avatar is not None
    if oriented:
        parameters["orientation"] = DIRECTIONS.get((int(avatar.orientation[0]), int(avatar.orientation[1])), "RIGHT")
    if avatar.speed != 1.0:
        parameters["speed"] = avatar.speed
    if avatar.max_health or avatar.limit_health != 1000:
        parameters["healthPoints"] = avatar.health
        parameters["limitHealthPoints"] = avatar.limit_health
    cooldown = _avatar_cooldown(lives, number)
    if cooldown > 1:
        parameters["cooldown"] = cooldown
    kinds: list[Kind] = []
    shots = shots_of(lives, number)
    for word in found:
        given = dict(parameters)
        if "Shoot" in word or word == "FlakAvatar":
            given["stype"] = name_of(shots[0]) if shots else name_of(number)
            given |= _ammunition(lives, number, shots[0], word == "FlakAvatar") if shots else {}
        turns = [{}] if word in plain else [{"rotateInPlace": "False"}, {}]
        kinds += [Kind(word, {**given, **turn}) for turn in turns]
    if any("Shoot" in word or word == "FlakAvatar" for word in found) and not shots:
        # a shot that vanishes before it is observed still needs a type
        kinds = [kind.but(stype=name_of(lives.highest + 1)) if "stype" in kind.parameters else kind for kind in kinds]
    if oriented and "USE" not in names and any(_drifts(lives, f, number) for f in frames):
        kinds.sort(key=lambda kind: kind.word not in ("MissileAvatar", "OngoingAvatar"))
    return kinds


def _drifts(lives: Lives, at: tuple[int, int], number: int) -> bool:
    """Whether an avatar of a type moved in a tick without an action."""
    play, k = at
    if k + 1 >= len(lives.plays[play].frames):
        return False
    before, after = lives.frame(play, k), lives.frame(play, k + 1)
    if before.action != Action.NIL or after.is_over or before.avatar is None or after.avatar is None:
        return False
    return after.avatar.type == number and before.avatar.position != after.avatar.position


def _avatar_cooldown(lives: Lives, number: int) -> int:
    """Least number of ticks between two moves of an avatar.

    It is 1 if observed too rarely, if no move was tried in between, or if most pauses were longer: then other things,
    such as walls, stopped the avatar. A type with few moves is as fast as avatars are in general.
    """
    gaps, in_vain = _pauses(lives, {number})
    if gaps.total() < _MANY:
        gaps, in_vain = _pauses(lives, set(lives.avatars))
    total = gaps.total()
    common = [gap for gap, count in gaps.items() if count >= max(1, 0.01 * total)]
    least = min(common, default=1) if total >= _FEWEST else 1
    often = gaps[least] >= _USUALLY * total
    return least if often and sum(in_vain[gap] for gap in range(1, least)) > 2 else 1


def _pauses(lives: Lives, types: Set[int]) -> tuple[Counter[int], Counter[int]]:
    """Count the ticks between moves of avatars of some types, and the ticks from a move to attempts in vain."""
    gaps: Counter[int] = Counter()
    in_vain: Counter[int] = Counter()
    for play in lives.plays:
        last: int | None = None
        for k, (before, after) in enumerate(itertools.pairwise(play.frames)):
            was, now = before.avatar, after.avatar
            if was is None or was.type not in types or after.is_over:
                continue
            if now is not None and was.position != now.position:
                if last is not None:
                    gaps[k - last] += 1
                last = k
            elif last is not None:
                in_vain[k - last] += before.action not in (Action.NIL, Action.USE)
    return gaps, in_vain


def shots_of(lives: Lives, number: int) -> list[int]:
    """Types of sprites that appeared when this avatar took the action USE, the most frequent first."""
    found: Counter[int] = Counter()
    for kind, tracks in lives.tracks.items():
        for track in tracks:
            if track.born and track.category == Category.FROM_AVATAR:
                before = lives.frame(track.play, track.start - 1)
                if before.avatar is not None and before.avatar.type == number and before.action == Action.USE:
                    found[kind] += 1
    return [kind for kind, _ in found.most_common()]


def _ammunition(lives: Lives, number: int, shot: int, counted: bool) -> dict[str, Value]:
    """The cost of shots: a resource that decreases with most of them.

    Args:
        lives: the recorded plays.
        number: the avatar's type.
        shot: the type that it shoots.
        counted: whether its class has parameters for the cost and for the least amount.
    """
    costs: Counter[tuple[int, int]] = Counter()
    held: dict[int, list[int]] = defaultdict(list)
    shots = 0
    for track in lives.tracks[shot]:
        if not track.born:
            continue
        before, after = (lives.frame(track.play, k).avatar for k in (track.start - 1, track.start))
        if before is None or after is None or before.type != number:
            continue
        shots += 1
        for kind, amount in before.resources.items():
            fallen = amount - after.resources.get(kind, 0)
            if fallen > 0:
                costs[kind, fallen] += 1
                held[kind].append(amount)
    if not costs:
        return {}
    (kind, cost), count = costs.most_common(1)[0]
    if count < 0.8 * shots:
        return {}
    found: dict[str, Value] = {"ammo": name_of(kind)}
    if counted:
        found |= {"ammoCost": cost} if cost != 1 else {}
        found |= {"minAmmo": min(held[kind]) - 1} if min(held[kind]) > 1 else {}
    return found


def is_singleton(lives: Lives, number: int) -> bool:
    """Whether there was never more than one sprite of a type, although the avatar tried to make another."""
    tried = 0
    for play, rows in enumerate(lives.rows):
        for k, row in enumerate(rows):
            count = sum(1 for kind, _ in row.values() if kind == number)
            if count > 1:
                return False
            tried += count == 1 and lives.frame(play, k).action == Action.USE
    return tried > 0
