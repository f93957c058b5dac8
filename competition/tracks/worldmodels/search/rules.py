"""Guesses effects per ordered pair of types from who met whom before what changed."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from statistics import median

from vgdl.competition.tracks.worldmodels.search.contacts import (
    BACK,
    CARRY,
    DEAD,
    INTO,
    JUMP,
    OK,
    PUSH,
    REVERSE,
    UNMOVED,
    WRAP,
    Meeting,
    Table,
)
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, TURNING, WANDERING, End, Kind, Rule, name_of
from vgdl.competition.tracks.worldmodels.search.motion import Lives, runs
from vgdl.core.data.layout import Action, Category, Winner

MOSTLY = 0.75  #: share of the meetings that end in the same way, for a rule without conditions
Pair = tuple[int, int]
Case = tuple[int, int, int, object]  #: play, tick and id of a sprite, with its place if it is new


@dataclass(frozen=True)
class Found:
    """A rule with the meetings that it explains."""

    rule: Rule
    meetings: tuple[Meeting, ...]


def guess_rules(lives: Lives, table: Table, kinds: Mapping[int, Kind]) -> list[Found]:
    """Rules for every pair of types whose meetings changed something."""
    avatars = {n for n, kind in kinds.items() if kind.word.endswith("Avatar")}
    found: list[Found] = []
    for pair, outcome, rate, meetings in _blame(table):
        if outcome not in (BACK, REVERSE, JUMP) or kinds[pair[0]].word not in TURNING:
            found += _rules(lives, table, pair, outcome, rate, meetings, kinds)
    found += _stopped(table, kinds)
    found = _without_mirrors(_without_seconds(found))
    found += _born(table, avatars, found)
    found += _held(lives, table, avatars, found)
    return _in_order(_scored(table, found))


def _stopped(table: Table, kinds: Mapping[int, Kind]) -> list[Found]:
    """What stops sprites that move at random: they were expected to go there, and never did.

    What is met most counts first; others only count where they are met without it.
    """
    found: list[Found] = []
    stoppers: dict[int, set[int]] = defaultdict(set)
    for (first, second), meetings in sorted(table.pairs.items(), key=lambda item: -len(item[1])):
        if kinds[first].word not in TURNING or first == second:
            continue
        if second != EDGE and kinds[second].word.endswith("Avatar"):
            continue
        tries = [
            m
            for m in meetings
            if m.outcome not in (UNMOVED, DEAD) and not m.together and not m.others & stoppers[first]
        ]
        entered = table.entered[first, second]
        entered += sum(1 for m in meetings if m.outcome.startswith(INTO) or (m.outcome == DEAD and not m.above))
        if second == EDGE:
            entered = sum(1 for m in tries if m.outcome == OK)
        if len(tries) >= 3 and entered <= 0.02 * len(tries):
            stoppers[first].add(second)
            found.append(Found(Rule(first, second, "stepBack"), tuple(tries)))
    return found


def _blame(table: Table) -> list[tuple[Pair, str, float, list[Meeting]]]:
    """For each outcome of a sprite, the one partner that it is most likely due to, and how often it ends like this.

    Partners are chosen one after another: the one whose meetings end like this most often, those apart that others
    explain already. A partner that is only ever met beside a chosen one thus explains nothing.
    """
    chosen: list[tuple[Pair, str, float, list[Meeting]]] = []
    cases: dict[tuple[int, str], dict[Case, dict[Pair, Meeting]]] = defaultdict(lambda: defaultdict(dict))
    for pair, meetings in table.pairs.items():
        for m in meetings:
            if m.outcome not in (OK, UNMOVED):
                case = cases[m.type, m.outcome][m.play, m.index, m.id, m.place if m.id < 0 else None]
                if pair not in case or case[pair].partner_outcome == BACK:
                    case[pair] = m
    for (_, outcome), left in cases.items():
        tries = Counter({p: table.tries(*p, outcome) for p in {p for case in left.values() for p in case}})
        while left:
            hits = Counter(pair for case in left.values() for pair in case)
            best = max(hits, key=lambda pair: (hits[pair] / (tries[pair] + 1), hits[pair], pair))
            explained = [left.pop(key) for key in [key for key, case in left.items() if best in case]]
            chosen.append((best, outcome, len(explained) / max(1, tries[best]), [case[best] for case in explained]))
            tries.subtract(pair for case in explained for pair in case)
    return chosen


def _rules(
    lives: Lives,
    table: Table,
    pair: Pair,
    outcome: str,
    rate: float,
    meetings: list[Meeting],
    kinds: Mapping[int, Kind],
) -> list[Found]:
    first, second = pair
    avatars = {n for n, kind in kinds.items() if kind.word.endswith("Avatar")}
    drifts = kinds[first].word in ("Missile", "Bomber", *WANDERING)
    everything = [m for m in table.pairs[pair] if m.outcome != UNMOVED or outcome in (DEAD, PUSH, CARRY)]

    def rule(effect: str, **parameters: str | int | float) -> Found:
        return Found(Rule(first, second, effect, tuple(parameters.items())), tuple(meetings))

    if outcome == BACK:
        if (rate < 0.5 or first not in avatars) and len(meetings) < 3:
            return []
        turned = sum(1 for m in table.pairs[pair] if m.outcome == REVERSE)
        back = rule("stepBack")
        if rate < 0.35:
            return []
        return [rule("reverseDirection"), back] if turned >= 0.3 * len(meetings) and turned >= 2 else [back]
    if outcome == REVERSE:
        stopped = sum(1 for m in table.pairs[pair] if m.outcome == BACK)
        return [rule("reverseDirection")] if stopped == 0 and rate >= 0.5 else []
    if outcome == PUSH:
        return [rule("bounceForward")] if rate >= 0.2 and len(meetings) >= 2 and not drifts else []
    if outcome == CARRY:
        return [rule("pullWithIt")] if rate >= 0.4 and len(meetings) >= 2 and not drifts else []
    if outcome == WRAP and second == EDGE:
        return [_edge_jump(lives, rule, meetings)] if rate >= 0.5 else []
    if outcome == JUMP:
        return [rule("teleportToExit")] if second not in avatars and rate >= 0.5 else []
    if outcome.startswith(INTO):
        into = int(outcome[len(INTO) :])
        both = sum(1 for m in meetings if m.partner_outcome == DEAD)
        kill = {"killSecond": "True"} if both >= 0.6 * len(meetings) and second not in avatars else {}
        if rate < 0.3 and len(meetings) < 2:
            return []
        facing = {"forceOrientation": "True"} if first in avatars and _keeps_orientation(lives, meetings) else {}
        return [rule("transformTo", stype=name_of(into), **kill, **facing)]
    if outcome == DEAD:
        if avatars & set(pair):
            other = kinds[second].word if first in avatars and second != EDGE else kinds[first].word
            everything, all_met = [m for m in everything if not _is_doubtful(m, other, first in avatars)], everything
            rate *= len(all_met) / max(1, len(everything))
        return _deaths(lives, pair, rate, everything, meetings, avatars)
    return []


def _is_doubtful(m: Meeting, word: str, is_avatar: bool) -> bool:
    """Whether the avatar and a sprite that moves may have missed each other: it was put back, or the other strayed."""
    avatar, other = (m.outcome, m.partner_outcome) if is_avatar else (m.partner_outcome, m.outcome)
    moves = word not in ("Immovable", "Door", "Passive", "Resource")
    return (moves and avatar == BACK) or (word in WANDERING and other in (BACK, JUMP, REVERSE))


def _keeps_orientation(lives: Lives, meetings: list[Meeting]) -> bool:
    """Whether an avatar that turned into another one always faces where it faced before, in more than one direction."""
    ways: set[tuple[float, float]] = set()
    for m in meetings:
        before, after = (lives.frame(m.play, k).avatar for k in (m.index, m.index + 1))
        if before is None or after is None or not after.is_alive or after.orientation == (-1.0, -1.0):
            continue
        if before.orientation != after.orientation and lives.frame(m.play, m.index).action == Action.NIL:
            return False
        if before.orientation == after.orientation:
            ways.add(after.orientation)
    return len(ways) > 1


def _edge_jump(lives: Lives, rule: Callable[..., Found], meetings: list[Meeting]) -> Found:
    """Whether sprites that leave the screen come in on the other side, or turn round a row below."""
    rows = 0
    for m in meetings:
        at = lives.rows[m.play]
        was, now = at[m.index].get(m.id), at[m.index + 1].get(m.id)
        if was is not None and now is not None and was[1][1] != now[1][1] and was[1][0] == now[1][0]:
            rows += 1
    return rule("turnAround") if rows > 0.5 * len(meetings) else rule("wrapAround")


def _deaths(
    lives: Lives, pair: Pair, rate: float, everything: list[Meeting], deaths: list[Meeting], avatars: set[int]
) -> list[Found]:
    first, second = pair
    dead, moments = {id(m) for m in deaths}, {(m.play, m.index, m.id) for m in deaths}
    others = [m for m in everything if (m.play, m.index, m.id) not in moments]
    if sum(1 for m in deaths if m.partner_outcome == BACK) < 0.2 * len(deaths):
        others = [m for m in others if m.partner_outcome != BACK]  # a partner that is put back at once does nothing
    everything = [*others, *deaths]
    gains = Counter(kind for m in deaths for kind, n in m.gained if n > 0)
    collected = second in avatars and lives.category(first) == Category.RESOURCE and gains[first] >= 0.5 * len(deaths)
    if collected:
        return [Found(Rule(first, second, "collectResource"), tuple(deaths))]
    if second in avatars and gains and gains.most_common(1)[0][1] >= 0.5 * len(deaths):
        resource = gains.most_common(1)[0][0]
        amount = round(median([dict(m.gained).get(resource, 0) for m in deaths]))
        parameters = (("resource", name_of(resource)), ("value", amount), ("killResource", "True"))
        return [Found(Rule(second, first, "changeResource", parameters), tuple(deaths))]
    if second in avatars and (paid := _paid(deaths)):
        parameters = (("resource", name_of(paid[0])), ("limit", paid[1]), ("subtract", "True"))
        return [Found(Rule(first, second, "killIfOtherHasMore", parameters), tuple(deaths))]
    if rate >= MOSTLY:
        return [Found(Rule(first, second, "killSprite"), tuple(deaths))]
    conditioned = _condition(pair, everything, dead, avatars)
    if conditioned is not None:
        return [Found(conditioned, tuple(deaths))]
    shields = _shields(everything, dead)
    if shields or rate >= 0.3:
        kill = Rule(first, second, "killSprite")
        shielded = (("stype", name_of(second)), ("ftype", kill.effect))
        return [
            Found(kill, tuple(deaths)),
            *(Found(Rule(first, other, "shieldFrom", shielded), ()) for other in shields),
        ]
    return []


def _paid(deaths: list[Meeting]) -> tuple[int, int] | None:
    """A resource of the avatar that nearly every death has taken something of, and how much; None if there is none."""
    if len(deaths) < 3:
        return None
    for kind in sorted({kind for m in deaths for kind, _ in m.held}):
        told = [m for m in deaths if kind not in m.others]  # it may have been collected in the same tick
        amount, count = Counter(-dict(m.gained).get(kind, 0) for m in told).most_common(1)[0] if told else (0, 0)
        if amount > 0 and count >= 0.9 * len(told) and min(dict(m.held).get(kind, 0) for m in told) >= amount:
            return kind, amount
    return None


def _shields(everything: list[Meeting], dead: set[int]) -> list[int]:
    """Types that are met by all that stay alive, and by none of the dead; none if the dead are too few to tell."""
    deaths = [m for m in everything if id(m) in dead]
    alive = [m for m in everything if id(m) not in dead]
    types = {kind for m in alive for kind in m.others} - {kind for m in deaths for kind in m.others}
    covered = sum(1 for m in alive if m.others & types)
    if len(deaths) < 2 or not alive or covered < 0.95 * len(alive):
        return []
    return sorted(kind for kind in types if sum(1 for m in alive if kind in m.others) >= 0.05 * len(alive))


def _condition(pair: Pair, everything: list[Meeting], dead: set[int], avatars: set[int]) -> Rule | None:
    """The condition that tells deaths from other meetings best, if one does."""
    first, second = pair
    options: list[tuple[float, Rule]] = []
    all_dead = dead

    def judge(rule: Rule, test: Callable[[Meeting], bool], unsure: int = EDGE) -> None:
        clear = [m for m in everything if unsure not in m.others]  # not where it was collected in the same tick
        dead = {id(m) for m in clear if id(m) in all_dead}
        if not dead:
            return
        base = max(len(dead), len(clear) - len(dead)) / len(clear)
        told = {id(m) for m in clear if test(m)}
        right = 1 - len(told ^ dead) / len(clear)
        tells = len(told & dead) >= max(0.8 * len(dead), 0.5 * len(told)) and right > len(dead) / len(clear) + 0.05
        if tells or (right >= 0.9 and right > base):
            options.append((right - 0.05 * (rule.effect != "killIfFromAbove"), rule))  # resources differ by chance, too

    judge(Rule(first, second, "killIfFromAbove"), lambda m: m.above)
    resources = {kind for m in everything for kind, _ in m.held}
    for kind in sorted(resources):
        held = {id(m): dict(m.held).get(kind, 0) for m in everything}
        for limit in sorted(set(held.values()) | {v + 1 for v in held.values()}):
            parameters = (("resource", name_of(kind)), ("limit", limit))
            if second in avatars and limit > 0:
                spent = [m for m in everything if id(m) in dead and dict(m.gained).get(kind, 0) == -limit]
                more = (("subtract", "True"),) if len(spent) > 0.5 * len(dead) else ()
                judge(
                    Rule(first, second, "killIfOtherHasMore", parameters + more),
                    lambda m, held=held, limit=limit: held[id(m)] >= limit,  # type: ignore[misc]
                    kind,
                )
            elif first in avatars:
                judge(
                    Rule(first, second, "killIfHasLess", parameters),
                    lambda m, held=held, limit=limit: held[id(m)] <= limit,  # type: ignore[misc]
                    kind,
                )
                judge(
                    Rule(first, second, "killIfHasMore", parameters),
                    lambda m, held=held, limit=limit: held[id(m)] >= limit,  # type: ignore[misc]
                    kind,
                )
    return max(options, key=lambda option: option[0], default=(0.0, None))[1]


def _without_seconds(found: list[Found]) -> list[Found]:
    """Without the deaths of partners that another line brings about."""
    removed = {
        (m.play, m.index, m.partner_id)
        for f in found
        if {("killSecond", "True"), ("killResource", "True")} & set(f.rule.parameters)
        for m in f.meetings
    }

    def explained(f: Found) -> bool:
        hits = sum(1 for m in f.meetings if (m.play, m.index, m.id) in removed)
        return f.rule.effect.startswith("kill") and hits >= 0.7 * len(f.meetings)

    return [f for f in found if not explained(f)]


def _without_mirrors(found: list[Found]) -> list[Found]:
    """Two sprites that kill each other take one line instead of two."""
    kills = {(f.rule.first, f.rule.second): f for f in found if f.rule.effect == "killSprite"}
    dropped: set[int] = set()
    merged: list[Found] = []
    for pair, one in kills.items():
        other = kills.get((pair[1], pair[0]))
        if other is None or id(one) in dropped or pair[0] == pair[1] or EDGE in pair:
            continue
        moments = {(m.play, m.index) for m in one.meetings}
        shared = sum(1 for m in other.meetings if (m.play, m.index) in moments)
        if shared >= 0.7 * max(len(one.meetings), len(other.meetings)):
            dropped |= {id(one), id(other)}
            merged.append(Found(Rule(*pair, "killBoth"), one.meetings))
    return [f for f in found if id(f) not in dropped] + merged


def _born(table: Table, avatars: set[int], found: list[Found]) -> list[Found]:
    """Sprites that come into being where others meet, without one of them turning into them."""
    groups: dict[tuple[int, int, int], list[Meeting]] = defaultdict(list)
    for meetings in table.pairs.values():
        for m in meetings:
            if m.born and not m.outcome.startswith(INTO) and m.partner != EDGE:
                for kind in m.born:
                    groups[m.type, m.partner, kind].append(m)
    taken = {
        (m.play, m.index, int(m.outcome[len(INTO) :]))
        for meetings in table.pairs.values()
        for m in meetings
        if m.outcome.startswith(INTO)
    }
    result: list[Found] = []
    ranked = sorted(
        groups.items(), key=lambda item: -len(item[1]) / (len(table.pairs[item[0][:2]]) + table.together[item[0][:2]])
    )
    for (first, second, kind), meetings in ranked:
        fresh = [m for m in meetings if (m.play, m.index, kind) not in taken]
        if len(fresh) < max(1, 0.3 * (len(table.pairs[first, second]) + table.together[first, second])) or kind in (
            first,
            second,
        ):
            continue
        taken |= {(m.play, m.index, kind) for m in fresh}
        result.append(Found(Rule(first, second, "spawn", (("stype", name_of(kind)),)), tuple(fresh)))
    return result


def _held(lives: Lives, table: Table, avatars: set[int], found: list[Found]) -> list[Found]:
    """Meetings of the avatar that change its health or its resources, where nothing else explains it."""
    explained = {(m.play, m.index) for f in found for m in f.meetings if f.rule.effect in _HOLDING}
    result: list[Found] = []
    changes: dict[tuple[int, int, str, int, int], list[Meeting]] = defaultdict(list)
    for (first, second), meetings in table.pairs.items():
        if first not in avatars or second == EDGE:
            continue
        for m in meetings:
            if m.health:
                changes[first, second, "health", -1, m.health].append(m)
            for kind, amount in m.gained:
                if (m.play, m.index) not in explained:
                    changes[first, second, "resource", kind, amount].append(m)
    steady = _steady_changes(lives)
    for (first, second, what, kind, amount), meetings in changes.items():
        if what == "resource" and (first, kind, amount) in steady:
            continue
        if len(meetings) < max(1, 0.4 * len(table.pairs[first, second])):
            continue
        if what == "health":
            effect = "addHealthPoints" if amount > 0 else "subtractHealthPoints"
            rule = Rule(first, second, effect, (("value", abs(amount)),))
        else:
            rule = Rule(first, second, "changeResource", (("resource", name_of(kind)), ("value", amount)))
        result.append(Found(rule, tuple(meetings)))
    return result


def _steady_changes(lives: Lives) -> set[tuple[int, int, int]]:
    """Changes of a resource that an avatar of some type undergoes in most ticks, whomever it meets."""
    ticks: Counter[int] = Counter()
    changes: Counter[tuple[int, int, int]] = Counter()
    for play in lives.plays:
        for one, other in itertools.pairwise(play.frames):
            before, after = one.avatar, other.avatar
            if before is None or after is None or before.type != after.type:
                continue
            ticks[before.type] += 1
            for kind in before.resources.keys() & after.resources.keys():
                changes[before.type, kind, after.resources[kind] - before.resources[kind]] += 1
    return {change for change, count in changes.items() if count > 0.5 * ticks[change[0]]}


_HOLDING = ("collectResource", "changeResource", "killIfOtherHasMore")


def _scored(table: Table, found: Sequence[Found]) -> list[Found]:
    """Give each rule the score that goes with it: the one that ticks show in which it alone can have scored."""
    ticks: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for k, f in enumerate(found):
        for play, index, *_ in {(m.play, m.index, m.id, m.partner_id) for m in f.meetings}:
            ticks[play, index][k] += 1
    scores: dict[int, int] = {}
    silent: Counter[int] = Counter()
    for moment, rules in ticks.items():
        if table.scores.get(moment, 0.0) == 0.0:
            for k in rules:
                silent[k] += 1
    for _ in range(3):
        votes: dict[int, Counter[int]] = defaultdict(Counter)
        for moment, rules in ticks.items():
            left = table.scores.get(moment, 0.0) - sum(scores.get(k, 0) * n for k, n in rules.items())
            suspects = [k for k in rules if k not in scores and silent[k] < 0.5 * len(found[k].meetings)]
            if len(suspects) == 1:
                votes[suspects[0]][round(left / rules[suspects[0]])] += 1
            elif len(suspects) > 1 and left:
                for k in suspects:
                    votes[k][round(left / rules[k])] += 0  # undecided: only if nothing else speaks
        fresh = {k: vote.most_common(1)[0][0] for k, vote in votes.items() if sum(vote.values())}
        if not fresh:
            undecided = sorted(votes)
            if not undecided:
                break
            fresh = {undecided[0]: votes[undecided[0]].most_common(1)[0][0]}
        scores.update(fresh)
    return [Found(f.rule.scoring(scores.get(k, 0)), f.meetings) for k, f in enumerate(found)]


_ORDER = (
    "reverseDirection", "bounceForward", "pullWithIt", "wrapAround", "turnAround", "stepBack", "undoAll",
    "shieldFrom", "addHealthPoints", "changeResource", "collectResource", "teleportToExit", "killIfHasLess",
    "killIfOtherHasMore", "killIfHasMore", "transformTo", "killIfFromAbove", "killBoth", "spawn",
    "subtractHealthPoints", "killSprite",
)  # fmt: skip


def _in_order(found: Iterable[Found]) -> list[Found]:
    """Edges first; then what moves sprites, and last what kills them."""
    place = {effect: k for k, effect in enumerate(_ORDER)}
    return sorted(
        found, key=lambda f: (f.rule.second != EDGE, place.get(f.rule.effect, 0), f.rule.first, f.rule.second)
    )


def alike(table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> list[Rule]:
    """Rules for pairs that never met: what stopped all others stops these, too, and pushed sprites stop each other."""
    stops: dict[int, set[int]] = defaultdict(set)
    passed: dict[int, set[int]] = defaultdict(set)
    for (first, second), count in table.entered.items():
        if count:
            passed[second].add(first)
    for rule in rules:
        if rule.effect in ("stepBack", "undoAll"):
            stops[rule.second].add(rule.first)
    pushed = {rule.first for rule in rules if rule.effect == "bounceForward"}
    stopped = Counter(rule.first for rule in rules if rule.effect in ("stepBack", "undoAll") and rule.second != EDGE)
    movers = [
        n
        for n, kind in kinds.items()
        if n in pushed or kind.word.endswith("Avatar") or kind.word in WANDERING or stopped[n] > 1
    ]
    effects = {rule.first: rule.effect for rule in rules if rule.effect in ("stepBack", "undoAll")}
    known = {(rule.first, rule.second) for rule in rules}
    added: list[Rule] = []
    for first in movers:
        for second in kinds:
            solid = len(stops[second]) > 0 and not passed[second] and kinds[second].word in ("Immovable", "Door")
            solid = solid and (first not in stopped or kinds[first].word in WANDERING or len(stops[second]) > 1)
            both_pushed = first in pushed and second in pushed
            met = (first, second) in known if kinds[second].word == "Immovable" else table.pairs.get((first, second))
            if (solid or both_pushed) and not met:
                added.append(Rule(first, second, effects.get(first, "stepBack")))
    return added


def siblings(lives: Lives, kinds: Mapping[int, Kind]) -> dict[int, set[int]]:
    """Types that may stand below one parent: active ones of the same class and category, all avatars among them.

    Parents never show, and the types below them are numbered after them, with nothing between that shows.
    """
    found: dict[int, set[int]] = {}
    for run in runs(kinds):
        by_word: dict[tuple[str, int], set[int]] = defaultdict(set)
        for number in run:
            if kinds[number].word not in ("Immovable", "Door", "Passive", "Resource"):
                by_word[kinds[number].word, lives.category(number)].add(number)
        for same in by_word.values():
            found |= {number: same - {number} for number in same}
    avatars = {number for number, kind in kinds.items() if kind.word.endswith("Avatar")}
    return found | {number: avatars - {number} for number in avatars}


def _strays(kinds: Mapping[int, Kind]) -> set[int]:
    """Types that move at random."""
    return {number for number, kind in kinds.items() if kind.word in WANDERING}


def inherited(lives: Lives, table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> list[Rule]:
    """Rules for pairs that never met, taken over from siblings: lines are often about a parent.

    What a sprite turns into depends on the second type more often than on the first: siblings of the first go first.
    """
    family, strays = siblings(lives, kinds), _strays(kinds)
    added: dict[Rule, None] = {}
    for side in ("first", "second"):
        known = {(rule.first, rule.second) for rule in (*rules, *added)}
        for rule in (*rules, *added):
            for other in family.get(getattr(rule, side), ()):
                option = replace(rule, first=other) if side == "first" else replace(rule, second=other)
                pair = option.first, option.second
                if option.first in family.get(option.second, {option.second}) or option.first == option.second:
                    continue  # what siblings do to each other is seldom written for all of them
                if pair not in known and not table.met(*pair, strays) and not table.together[pair]:
                    added[option] = None
    return list(added)


def doors_open(table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> list[Rule]:
    """Doors that no avatar reached yet: what they are for is to be reached, so it is supposed that they go then."""
    avatars = [number for number, kind in kinds.items() if kind.word.endswith("Avatar")]
    doors = [number for number, kind in kinds.items() if kind.word == "Door"]
    known = {(rule.first, rule.second) for rule in rules} | {(rule.second, rule.first) for rule in rules}
    return [
        Rule(door, avatar, "killSprite")
        for door in doors
        for avatar in avatars
        if not any(table.pairs.get((door, other)) or (door, other) in known for other in avatars)
    ]


def feared(lives: Lives, table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> list[Rule]:
    """What no avatar ever met is supposed to kill, exits and resources apart: who played had reason to keep away."""
    avatars = [number for number, kind in kinds.items() if kind.word.endswith("Avatar")]
    known = {(rule.first, rule.second) for rule in rules} | {(rule.second, rule.first) for rule in rules}
    strays = _strays(kinds)

    def met(other: int) -> bool:
        pairs = [(avatar, other) for avatar in avatars]
        return any(table.met(*pair, strays) or table.together[pair] or pair in known for pair in pairs)

    unknown = [n for n in kinds if lives.category(n) in (Category.NPC, Category.STATIC, Category.MOVABLE)]
    return [Rule(avatar, other, "killSprite") for other in unknown if not met(other) for avatar in avatars]


def blocked_pushes(table: Table, rules: Sequence[Rule]) -> list[Rule]:
    """Whether what stops a pushed sprite stops everything: sprites were put back that met nothing."""
    pushed = {rule.first for rule in rules if rule.effect == "bounceForward"}
    replaced: list[Rule] = []
    for rule in rules:
        if rule.effect == "stepBack" and rule.first in pushed and rule.second != EDGE:
            backs = [m for m in table.pairs[rule.first, rule.second] if m.outcome == BACK]
            alone = sum(1 for m in backs if table.restored[m.play, m.index])
            if backs and alone >= 0.5 * len(backs):
                rule = Rule(rule.first, rule.second, "undoAll", rule.parameters)
        replaced.append(rule)
    return replaced


def guess_ends(
    lives: Lives, kinds: Mapping[int, Kind], rules: Sequence[Rule]
) -> tuple[tuple[End, ...], dict[int, tuple[int, ...]]]:
    """Terminations that fit how the recorded plays ended, and the groups of types that they name."""
    groups: dict[int, tuple[int, ...]] = {}
    avatars = [n for n, kind in kinds.items() if kind.word.endswith("Avatar")]
    ends: list[End] = []
    done: list[tuple[int, str]] = []
    for number, play in enumerate(lives.plays):
        last = play.frames[-1]
        if last.is_over and last.winner in (Winner.PLAYER_WINS, Winner.PLAYER_LOSES):
            done.append((number, "True" if last.winner == Winner.PLAYER_WINS else "False"))
    if any(_avatar_dead(lives, n) for n, _ in done) or any(_kills(rule, avatars) for rule in rules):
        ends.append(_without_avatars(avatars or [1], kinds, groups))
    explained = {n for n, win in done if win == "False" and _avatar_dead(lives, n)}
    left = [(n, win) for n, win in done if n not in explained]
    for win in ("True", "False"):
        plays = [n for n, w in left if w == win]
        while plays:
            option = _best_end(lives, plays, win, kinds)
            if option is None:
                break
            taken = {n for gap, types in groups.items() if gap not in option.groups for n in (gap, *types)}
            clash = any(groups.get(gap, types) != types for gap, types in option.groups.items())
            if clash or any(n in taken for gap, types in option.groups.items() for n in (gap, *types)):
                break
            groups |= option.groups
            ends.append(option.end)
            plays = [n for n in plays if n not in option.covered]
    if not any(win == "True" for _, win in done):
        ends += _hoped(lives, kinds, rules, groups)
    return tuple(ends), groups


def _without_avatars(avatars: list[int], kinds: Mapping[int, Kind], groups: dict[int, tuple[int, ...]]) -> End:
    """The game is lost without an avatar: of one type, or of several, which a group may hold."""
    named = [avatars[0]]
    if len(avatars) > 1:
        below = [n for n in range(2, avatars[0]) if n not in kinds]
        children = tuple(range(max(below, default=0) + 1, avatars[-1] + 1))
        if below and all(n in avatars or n not in kinds for n in children):
            groups[below[-1]] = children
            named = [below[-1]]
        else:
            named = avatars[:3]
    if len(named) == 1:
        return End("SpriteCounter", (("stype", name_of(named[0])), ("win", "False")))
    stypes = tuple((f"stype{k + 1}", name_of(n)) for k, n in enumerate(named))
    return End("MultiSpriteCounter", (*stypes, ("win", "False")))


def _kills(rule: Rule, types: Sequence[int]) -> bool:
    """Whether a rule may kill sprites of some types."""
    both = rule.effect == "killBoth" or ("killSecond", "True") in rule.parameters
    return ("kill" in rule.effect or "Health" in rule.effect) and (
        rule.first in types or (both and rule.second in types)
    )


def _avatar_dead(lives: Lives, number: int) -> bool:
    avatar = lives.plays[number].frames[-1].avatar
    return avatar is None or not avatar.is_alive


def _counts(lives: Lives, number: int) -> list[Counter[int]]:
    return [Counter(kind for kind, _ in row.values()) for row in lives.rows[number]]


def groups_of(kinds: Mapping[int, Kind]) -> dict[int, list[tuple[int, ...]]]:
    """Types that may be below a type that was never seen: some of those numbered after it."""
    most = max(kinds, default=1)
    found: dict[int, list[tuple[int, ...]]] = {}
    for gap in range(2, most):
        if gap in kinds or gap + 1 not in kinds:
            continue
        children: list[int] = []
        for number in range(gap + 1, most + 1):
            if number not in kinds:
                break
            children.append(number)
            if len(children) > 1:
                found.setdefault(gap, []).append(tuple(children))
    return found


def _best_end(lives: Lives, plays: list[int], win: str, kinds: Mapping[int, Kind]) -> _Option | None:
    """The termination that explains most of some plays' ends and contradicts nothing that was seen."""
    counted = [_counts(lives, n) for n in range(len(lives.plays))]
    options: list[_Option] = []

    def offer(
        end: End, test: Callable[[Counter[int]], bool], worth: float, groups: Mapping[int, tuple[int, ...]]
    ) -> None:
        covered = {n for n in plays if test(counted[n][-1])}
        if covered and not any(test(row) for rows in counted for row in rows[:-1]):
            options.append(_Option(len(covered), worth, end, covered, dict(groups)))

    units: list[tuple[int, tuple[int, ...]]] = [(n, (n,)) for n in kinds]
    units += [(gap, children) for gap, some in groups_of(kinds).items() for children in some]
    for one, types in units:
        groups = {one: types} if types != (one,) else {}
        worth = 2 + any(lives.category(n) == Category.PORTAL for n in types) - 0.1 * len(types)
        counter = End("SpriteCounter", (("stype", name_of(one)), ("win", win)))
        offer(counter, lambda c, t=types: not any(c[n] for n in t), worth, groups)  # type: ignore[misc]
        most = max(sum(c[n] for n in types) for rows in counted for c in rows)
        if most:
            more = End("SpriteCounterMore", (("stype", name_of(one)), ("limit", most), ("win", win)))
            worth = 1.5 if most <= 2 else 0.5
            offer(more, lambda c, t=types, m=most: sum(c[n] for n in t) >= m, worth - 0.1 * len(types), groups)  # type: ignore[misc]
    scarce = [
        (one, types) for one, types in units if any(not any(c[n] for n in types) for rows in counted for c in rows)
    ]
    for k, (one, types) in enumerate(scarce):
        for other, more_types in scarce[k + 1 :]:
            if one == other or set(types) & set(more_types):
                continue
            both = types + more_types
            groups = {n: t for n, t in ((one, types), (other, more_types)) if t != (n,)}
            multi = End("MultiSpriteCounter", (("stype1", name_of(one)), ("stype2", name_of(other)), ("win", win)))
            offer(multi, lambda c, t=both: not any(c[n] for n in t), 1.0 - 0.05 * len(both), groups)  # type: ignore[misc]
    ticks = Counter(lives.plays[n].frames[-1].tick for n in plays)
    tick, count = ticks.most_common(1)[0]
    if tick >= max(f.tick for play in lives.plays for f in play.frames) and tick >= 100:
        covered = {n for n in plays if lives.plays[n].frames[-1].tick == tick}
        options.append(_Option(count, 0.8, End("Timeout", (("limit", tick), ("win", win))), covered, {}))
    return max(options, key=lambda o: (o.count, o.worth)) if options else None


@dataclass(frozen=True)
class _Option:
    """A termination that may explain some ends."""

    count: int
    worth: float  #: which of those that explain equally many is likelier
    end: End
    covered: set[int]
    groups: dict[int, tuple[int, ...]]


def _always_there(lives: Lives, types: Set[int]) -> bool:
    """Whether some sprite of these types was there in every state that a play went on from."""
    return all(any(kind in types for kind, _ in row.values()) for rows in lives.rows for row in rows[:-1])


def _hoped(
    lives: Lives, kinds: Mapping[int, Kind], rules: Sequence[Rule], groups: dict[int, tuple[int, ...]]
) -> list[End]:
    """Where no play was won: what a win may be. An exit that is used, or no more of the sprites whose end scores."""
    doors = [n for n in kinds if lives.category(n) == Category.PORTAL and kinds[n].word == "Door"]
    if doors and _always_there(lives, {doors[0]}):
        return [End("SpriteCounter", (("stype", name_of(doors[0])), ("win", "True")))]
    wanted: set[int] = set()
    for rule in rules:
        if rule.score > 0 and ("kill" in rule.effect or "collect" in rule.effect or "transform" in rule.effect):
            ends = {rule.first, rule.second} if rule.effect == "killBoth" else {rule.first}
            wanted |= {
                n for n in ends & kinds.keys() if lives.category(n) not in (Category.FROM_AVATAR, Category.AVATAR)
            }
    npcs = {n for n in wanted if lives.category(n) == Category.NPC}
    wanted = npcs or wanted
    wanted |= {
        n
        for n, kind in kinds.items()
        if kind.parameters.get("stype") in {name_of(w) for w in wanted} and "Spawn" in kind.word
    }
    if not _always_there(lives, wanted):
        return []
    named: list[int] = []
    for gap, some in groups_of(kinds).items():
        children = max((c for c in some if set(c) <= wanted), key=len, default=())
        if children and gap not in groups:
            groups[gap] = children
            named.append(gap)
            wanted -= set(children)
    named += sorted(wanted)
    if not 1 <= len(named) <= 3:
        return []
    if len(named) == 1:
        return [End("SpriteCounter", (("stype", name_of(named[0])), ("win", "True")))]
    stypes = tuple((f"stype{k + 1}", name_of(n)) for k, n in enumerate(named))
    return [End("MultiSpriteCounter", (*stypes, ("win", "True")))]


def exits(lives: Lives, table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> dict[int, Kind]:
    """Portals with the types of their exits: what stands where sprites came out.

    A portal that was never used leads to a type as far from its number as those of its siblings are from theirs.
    """
    portals = {rule.second for rule in rules if rule.effect == "teleportToExit" and kinds[rule.second].word == "Door"}
    found: dict[int, int] = {}
    for portal in portals:
        standing: Counter[int] = Counter()
        for (first, second), meetings in table.pairs.items():
            if second == portal and first not in portals:
                for m in meetings:
                    if m.outcome == JUMP:
                        standing.update(_landed_on(lives, m) - {first})
        if standing:
            most = standing.most_common(1)[0][1]
            found[portal] = min((n for n in standing if standing[n] == most), key=lambda n: len(lives.tracks[n]))
    distances = {there - portal for portal, there in found.items()}
    if len(distances) == 1:
        (distance,) = distances
        found = {portal: portal + distance for portal in portals}
    return {portal: Kind("Portal", {"stype": name_of(there)}) for portal, there in found.items()}


def _landed_on(lives: Lives, m: Meeting) -> set[int]:
    """The types that stand where a sprite was after a meeting."""
    rows = lives.plays[m.play].frames[m.index + 1].arrays
    own = rows[rows["id"] == m.id]
    if not len(own):
        return set()
    there = rows[(rows["x"] == own["x"][0]) & (rows["y"] == own["y"][0])]
    return set(there["type"].tolist())


def unseen_siblings(lives: Lives, kinds: Mapping[int, Kind]) -> dict[int, int]:
    """Numbers that never showed and follow siblings: other levels may show one more. Each with the last sibling."""
    family = siblings(lives, kinds)
    last = [run[-1] for run in runs(kinds) if family.get(run[-1]) and run[-1] + 1 not in kinds]
    return {n + 1: n for n in last if not kinds[n].word.endswith("Avatar")}
