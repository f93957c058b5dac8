"""Guesses effects of a hidden floor, which is in every cell.

Avatars leave scents, which chasers follow; they leave trails, which are visible sprites; a resource drains, that is, it
changes in every tick; or an avatar whose resource has drained turns into another one. Related are amounts of resources
that are collected at once.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

from vgdl.competition.tracks.worldmodels.search.contacts import DEAD, Table
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, HIDDEN, WALL, Hypothesis, Kind, Rule, name_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.repair import FUTURES
from vgdl.competition.tracks.worldmodels.search.verify import Follower

SCENT = Kind("Flicker", {"limit": -1, "hidden": "True"})  #: gone after a tick
_OFTEN = 2  #: transformations without a meeting, for a floor that turns sprites
_TRAIL = 5  #: births behind an avatar, for a trail
_MOSTLY = 0.8  #: share of a type's births, and of their score changes, that must agree


def with_scents(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try to let chasers of an avatar follow a hidden scent, which leads to its place one tick ago.

    An avatar that pushes against a wall is inside it when others move, unreachable by paths; its scent is not.
    """
    avatars = [number for number, kind in hypothesis.kinds.items() if kind.word.endswith("Avatar")]
    for number, kind in hypothesis.kinds.items():
        if kind.word in ("Chaser", "PathChaser"):
            option = _with_scent(hypothesis, number, avatars)
            if option is not None:
                reports = [follower.follow(h, samples=FUTURES) for h in (hypothesis, option)]
                if reports[1].by_type[number] < reports[0].by_type[number]:
                    hypothesis = option
    return hypothesis


def _with_scent(hypothesis: Hypothesis, number: int, avatars: list[int]) -> Hypothesis | None:
    """Let a type chase the scent of avatars instead of them; None if it does not chase them or no number is free."""
    kinds, groups = dict(hypothesis.kinds), dict(hypothesis.groups)
    targets = {name_of(n): (n,) for n in kinds} | {name_of(gap): types for gap, types in groups.items()}
    target = str(kinds[number].parameters["stype"])
    if set(targets[target]).isdisjoint(avatars):
        return None
    unseen = unseen_numbers(hypothesis)
    floor = hypothesis.floor or unseen[0]
    known = {rule.parameters for rule in hypothesis.rules if rule.second == floor and rule.effect == "spawn"}
    below = [n for n in targets[target] if n in kinds and n not in avatars]
    scents = [n for n in unseen if n != floor and (not below or n in targets[target] or n == below[-1] + 1)]
    if known:
        scents = [n for n in kinds if kinds[n] == SCENT and (not below or n == below[-1] + 1)]
    if not scents:
        return None
    scent = max((n for n in scents if n < number), default=scents[0])
    kinds |= {floor: HIDDEN, scent: SCENT}
    if below:
        gap = next(gap for gap in groups if name_of(gap) == target)
        groups[gap] = tuple(sorted((*below, scent)))
        if groups[gap] != tuple(range(gap + 1, gap + 1 + len(groups[gap]))):
            return None
    else:
        kinds[number] = kinds[number].but(stype=name_of(scent))
    spawns = [Rule(avatar, floor, "spawn", (("stype", name_of(scent)),)) for avatar in avatars]
    rules = dict.fromkeys([*hypothesis.rules, *spawns])
    return replace(hypothesis, kinds=kinds, groups=groups, floor=floor, rules=tuple(rules))


def unseen_numbers(hypothesis: Hypothesis) -> list[int]:
    """Numbers that belong neither to a visible type nor to a group."""
    known = hypothesis.kinds.keys() | hypothesis.groups.keys()
    return [number for number in range(2, max(hypothesis.kinds) + 3) if number not in known]


def with_trails(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Add trails: sprites that appear where an avatar was a tick ago are left behind by it.

    It may leave them in every tick, in new cells, or where sprites of some type die: a wall behind a switch.
    """
    for number in lives.types:
        births = [track for track in lives.tracks[number] if track.born]
        behind: list[tuple[int, float]] = []  # the avatar's type and the score change
        gone: Counter[int] = Counter()  # types that died where it went
        for track in births:
            before, after = (lives.frame(track.play, k) for k in (track.start - 1, track.start))
            if before.avatar is not None and after.avatar is not None:
                moved = before.avatar.position != after.avatar.position
                if moved and before.avatar.position == track.places[0] and before.avatar.type == after.avatar.type:
                    behind.append((before.avatar.type, after.score - before.score))
                    gone.update(_gone(lives, track.play, track.start, after.avatar.position))
        if len(behind) < max(_OFTEN, _MOSTLY * len(births)):
            continue
        avatar = Counter(kind for kind, _ in behind).most_common(1)[0][0]
        score, count = Counter(change for _, change in behind).most_common(1)[0]
        unseen = unseen_numbers(hypothesis)
        floor = hypothesis.floor or unseen[0]
        trodden = next(n for n in unseen if n != floor)
        leave = Rule(floor, avatar, "spawnBehind", (("stype", name_of(number)),))
        step_on = Rule(floor, avatar, "transformTo", (("stype", name_of(trodden)),)).scoring(round(score))
        options: list[tuple[tuple[Rule, ...], dict[int, Kind]]] = [((leave,), {floor: HIDDEN})]
        if score and count >= _MOSTLY * len(behind):  # only new cells score
            options.append(((step_on, replace(leave, first=trodden)), {floor: HIDDEN, trodden: HIDDEN}))
        best = hypothesis
        for other in (kind for kind, count in gone.items() if count >= _MOSTLY * len(behind)):
            left = Rule(other, avatar, "spawnBehind", leave.parameters)
            best = follower.better_of(best, hypothesis.with_rules([left, *hypothesis.rules]))
        for rules, kinds in options if len(behind) >= _TRAIL else ():
            option = replace(
                hypothesis, kinds={**hypothesis.kinds, **kinds}, floor=floor, rules=(*hypothesis.rules, *rules)
            )
            best = follower.better_of(best, option)
        if hypothesis.kinds[avatar].word == "OngoingTurningAvatar" and number != WALL:
            best = follower.better_of(best, _with_turned_walls(hypothesis, number))
        hypothesis = best
    return hypothesis


def _with_turned_walls(hypothesis: Hypothesis, number: int) -> Hypothesis:
    """Let a hidden ground, which is where a level has no wall, turn the walls that an avatar leaves into its trail.

    Every copy of an `OngoingTurningAvatar` leaves walls, whatever the first one leaves.
    """
    ground = unseen_numbers(hypothesis)[0]
    return replace(
        hypothesis,
        kinds={**hypothesis.kinds, ground: HIDDEN},
        rules=(*hypothesis.rules, Rule(WALL, ground, "transformTo", (("stype", name_of(number)),))),
        grounds={**hypothesis.grounds, ground: WALL},
    )


def _gone(lives: Lives, play: int, tick: int, place: tuple[int, int]) -> set[int]:
    """The types of sprites in a place that a tick removes, which leads to frame ``tick``."""
    was, now = lives.rows[play][tick - 1 : tick + 1]
    return {kind for number, (kind, at) in was.items() if at == place and number not in now}


def with_drains(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Add drains: changes of an avatar's resource in most ticks, at any place."""
    for avatar, resource, change in sorted(lives.steady_changes):
        if change:
            floor = hypothesis.floor or unseen_numbers(hypothesis)[0]
            parameters = (("resource", name_of(resource)), ("value", change))
            rules = (*hypothesis.rules, Rule(avatar, floor, "changeResource", parameters))
            option = replace(hypothesis, kinds={**hypothesis.kinds, floor: HIDDEN}, floor=floor, rules=rules)
            hypothesis = follower.better_of(hypothesis, option)
            if hypothesis is option and change < 0:
                hypothesis = _with_end_of(lives, follower, hypothesis, avatar, resource)
    return hypothesis


def with_grounds(lives: Lives, table: Table, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try a hidden floor that turns sprites into others wherever they meet nothing else.

    It is in every cell; or in all but those of a type that turns sprites into what it would turn back: a box that is
    pushed out of a hole is a loose box again; or in those beside such a type: a tunnel has ends.
    """
    for (kind, into), moments in sorted(table.alone.items()):
        if len(moments) < _OFTEN or kind not in hypothesis.kinds or into not in hypothesis.kinds:
            continue
        made = ("stype", name_of(kind))
        kept = {r.second for r in hypothesis.rules if r.effect == "transformTo" and made in r.parameters} - {EDGE}
        score = Counter(table.scores.get(moment, 0.0) for moment in moments).most_common(1)[0][0]
        new, best = unseen_numbers(hypothesis)[0], hypothesis
        known = new if hypothesis.floor is None else hypothesis.floor
        floors = [(known, replace(hypothesis, floor=known))]
        floors += [(new, replace(hypothesis, grounds={**hypothesis.grounds, new: n})) for n in sorted(kept)]
        floors += [(new, replace(hypothesis, margins={**hypothesis.margins, new: n})) for n in sorted(kept)]
        for floor, laid in floors:
            rule = Rule(kind, floor, "transformTo", (("stype", name_of(into)),)).scoring(round(score))
            pushes = [r for r in hypothesis.rules if r.effect == "bounceForward" and r.first == kind and rule.score]
            rules = [r.scoring(0) if r in pushes else r for r in hypothesis.rules]
            option = laid.with_kind(floor, HIDDEN)
            # half a cell further, what it turned into may turn back at once: then this rule comes first
            for ordered in ([*rules, rule], [rule, *rules]):
                best = follower.better_of(best, option.with_rules(ordered))
        hypothesis = best
    return hypothesis


def with_amounts(lives: Lives, table: Table, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try amounts of collected resources, with and without a drain in the same tick, and limits that cut them."""
    drained = {change for _, _, change in lives.steady_changes} | {0}
    for rule in hypothesis.rules:
        if rule.effect != "collectResource":
            continue
        number, known = rule.first, hypothesis.kinds[rule.first]
        met = table.pairs.get((number, rule.second), ())
        gains = {dict(m.gained).get(number, 0) for m in met if m.outcome == DEAD}
        held = [f.avatar.resources.get(number, 0) for play in lives.plays for f in play.frames if f.avatar is not None]
        for gain in sorted({gain - change for gain in gains for change in drained}):
            if gain > 1:
                most = sorted({max(held, default=0) - change for change in drained})
                options = [known.but(value=gain)]
                options += [known.but(value=gain, limit=limit) for limit in most if limit >= gain]
                for option in options:
                    hypothesis = follower.better_of(hypothesis, hypothesis.with_kind(number, option))
    return hypothesis


def _with_end_of(lives: Lives, follower: Follower, hypothesis: Hypothesis, avatar: int, resource: int) -> Hypothesis:
    """Try to turn an avatar into another one once little enough of a draining resource is left."""
    left: list[int] = []
    into: Counter[int] = Counter()
    kept: list[int] = []
    for play in lives.plays:
        for before, after in itertools.pairwise(frame.avatar for frame in play.frames):
            if before is None or after is None or before.type != avatar or not after.is_alive:
                continue
            amount = after.resources.get(resource, 0)
            if after.type == avatar:
                kept.append(amount)
            else:
                left.append(amount)
                into[after.type] += 1
    if not left or max(left) >= min(kept, default=0):
        return hypothesis
    assert hypothesis.floor is not None
    worn = unseen_numbers(hypothesis)[0]
    enough = (("stype", name_of(worn)), ("resource", name_of(resource)), ("limit", max(left)))
    turn = (("stype", name_of(into.most_common(1)[0][0])), ("killSecond", "True"))
    ends = Rule(avatar, hypothesis.floor, "spawnIfHasLess", enough), Rule(avatar, worn, "transformTo", turn)
    kinds = {**hypothesis.kinds, worn: HIDDEN}
    option = replace(hypothesis, kinds=kinds, rules=(*hypothesis.rules, *ends))
    hypothesis = follower.better_of(hypothesis, option)
    if hypothesis is option:  # what it stood on by chance did not turn it
        for rule in option.rules:
            if (rule.first, rule.effect) == (avatar, "transformTo") and rule not in ends and turn[0] in rule.parameters:
                rest = hypothesis.with_rules(other for other in hypothesis.rules if other != rule)
                hypothesis = follower.better_of(hypothesis, rest, or_equal=True)
    return hypothesis
