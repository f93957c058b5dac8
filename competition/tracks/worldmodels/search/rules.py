"""Guesses effects per ordered pair of types from meetings and the changes after them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from vgdl import Action
from vgdl.competition.tracks.worldmodels.search.contacts import (
    BACK,
    BLOCKED,
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
    Moment,
    Table,
)
from vgdl.competition.tracks.worldmodels.search.deaths import Found, Pair, agreeing, guess_deaths
from vgdl.competition.tracks.worldmodels.search.hypothesis import (
    EDGE,
    RESTING,
    TURNING,
    WALL,
    WANDERING,
    Kind,
    Rule,
    name_of,
    number_of,
    weapons_of,
)
from vgdl.competition.tracks.worldmodels.search.lives import DIRECTIONS, Lives
from vgdl.competition.tracks.worldmodels.search.remote import with_remote
from vgdl.competition.tracks.worldmodels.search.unseen_spreading import unseen_children

_OFTEN = 10  #: times as many meetings in which a sprite moved on and turned nothing, for one that turns nothing
_RARELY = 0.1  #: share of a pair's meetings below which it does not change the avatar's health
_VAIN = 2  #: ticks in which an avatar gained nothing, for the limit of a resource
_ONCE = 0.75  #: by which the number of cases is lowered, lest a single one weigh more than several among more meetings
_MORTAL = ("Flicker", "OrientedFlicker", "Spreader")  #: classes whose sprites die of age
Case = tuple[int, int, int, object]  #: play, tick and id of a sprite, with its place if it is new


def guess_rules(lives: Lives, table: Table, kinds: Mapping[int, Kind]) -> list[Found]:
    """Guess rules for every pair of types whose meetings changed something."""
    avatars = {n for n, kind in kinds.items() if kind.word.endswith("Avatar")}
    found: list[Found] = []
    guesses = _Guesses(lives, table, kinds, avatars)
    unseen = unseen_children(kinds)
    for cause in _attributed(table, weapons_of(kinds), avatars):
        if cause.pair[0] in unseen and not cause.outcome.startswith(INTO):
            continue  # it is gone after the tick in any case
        if cause.outcome not in (BACK, REVERSE, JUMP) or kinds[cause.pair[0]].word not in TURNING:
            found += guesses.of(cause)
    carried = {(f.rule.first, f.rule.second) for f in found if f.rule.effect == "pullWithIt"}
    found = [f for f in found if f.rule.effect != "bounceForward" or (f.rule.first, f.rule.second) not in carried]
    found += _stopped(table, kinds)
    found = with_remote(lives, table, found, avatars)
    found = _with_one_birth(found, kinds)
    found = _without_mirrors(_without_seconds(agreeing(found, avatars)))
    found += _born(table, avatars, found)
    found += _held(lives, table, avatars, found)
    return _in_order(_scored(table, found))


def _stopped(table: Table, kinds: Mapping[int, Kind]) -> list[Found]:
    """Find obstacles of sprites that move at random: types that they were expected to enter and never did.

    Types with most meetings come first; others only count in meetings without those.
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


@dataclass(frozen=True)
class _Attribution:
    """An outcome of sprites of one type, attributed to their meetings with sprites of another type."""

    pair: Pair  #: the type with the outcome, and the type taken for its cause
    outcome: str
    rate: float  #: share of the meetings with the outcome among those that could have had it
    meetings: list[Meeting]  #: those with the outcome

    def rule(self, effect: str, **parameters: str | int | float) -> Found:
        """Return a rule with an effect that explains the outcome."""
        return Found(Rule(*self.pair, effect, tuple(parameters.items())), tuple(self.meetings))


def _attributed(table: Table, weapons: Set[int], avatars: Set[int]) -> list[_Attribution]:
    """For each outcome of a sprite, the partner most likely to cause it, and the rate of that outcome.

    Partners are chosen greedily: the one with the highest rate of the outcome, not counting cases that earlier ones
    explain. A partner that is only met next to a chosen one thus explains nothing. A single case is weak evidence
    against a partner with several. What was in one place with a sprite before does not keep it there. A partner away
    from where the sprite turned into another is half as likely the cause; if it is not, it has put the sprite back
    first. Of two partners that are equally likely, a weapon is the cause.
    """
    chosen: list[_Attribution] = []
    cases: dict[tuple[int, str], dict[Case, dict[Pair, Meeting]]] = defaultdict(lambda: defaultdict(dict))
    for pair, meetings in table.pairs.items():
        for m in meetings:
            if m.id < 0 and m.partner in avatars:
                continue  # who shoots does not remove a shot before it is seen
            if m.outcome not in (OK, UNMOVED) and not (m.outcome == BACK and m.together):
                case = cases[m.type, m.outcome][m.play, m.index, m.id, m.place if m.id < 0 else None]
                if pair not in case or case[pair].partner_outcome == BACK:
                    case[pair] = m
    turns = [key for key in cases if key[1].startswith(INTO)]
    for kind, outcome in dict.fromkeys([*turns, *((kind, BACK) for kind, _ in turns), *cases]):
        left = cases[kind, outcome]
        tries = Counter({p: table.tries(*p, outcome) for p in {p for case in left.values() for p in case}})
        while left:
            hits = Counter(pair for case in left.values() for pair in case)
            away = Counter(pair for case in left.values() for pair, m in case.items() if _is_away(m))
            weights = {pair: _weight(count - away[pair] / 2) / (tries[pair] + 1) for pair, count in hits.items()}
            best = max(hits, key=lambda pair: (weights[pair], hits[pair], pair[1] in weapons, pair))
            keys = [key for key, case in left.items() if best in case]
            explained = [left.pop(key) for key in keys]
            for key, case in zip(keys, explained, strict=True):
                for pair, m in case.items():
                    if _is_away(m) and not _is_away(case[best]):
                        cases[kind, BACK].setdefault(key, {}).setdefault(pair, replace(m, outcome=BACK))
            rate = len(explained) / max(1, tries[best])
            chosen.append(_Attribution(best, outcome, rate, [case[best] for case in explained]))
            tries.subtract(pair for case in explained for pair in case)
    return chosen


def _weight(cases: float) -> float:
    """The weight of a number of cases: that of a single one is low, and that of a doubtful one lower."""
    return cases - _ONCE if cases >= 1 else cases * (1 - _ONCE)


def _is_away(meeting: Meeting) -> bool:
    """Whether the sprite turned into another, and that one appeared elsewhere."""
    return meeting.outcome.startswith(INTO) and int(meeting.outcome[len(INTO) :]) not in meeting.born


@dataclass(frozen=True)
class _Guesses:
    """Guesses rules that explain attributed outcomes, one method for each outcome."""

    lives: Lives
    table: Table
    kinds: Mapping[int, Kind]
    avatars: set[int]

    def of(self, cause: _Attribution) -> list[Found]:
        """Guess the rules for an outcome; none if there is too little evidence."""
        if cause.outcome.startswith(INTO):
            return self._turned(cause)
        by_outcome = {
            BACK: self._put_back,
            REVERSE: self._reversed,
            PUSH: self._pushed,
            CARRY: self._carried,
            WRAP: self._wrapped,
            JUMP: self._moved_far,
            DEAD: self._died,
        }
        return by_outcome[cause.outcome](cause)

    def _put_back(self, cause: _Attribution) -> list[Found]:
        """`stepBack`, with `reverseDirection` if other sprites of the type were reversed there."""
        meetings, all_met = cause.meetings, self.table.pairs[cause.pair]
        if all(m.partner_outcome == BLOCKED for m in meetings):
            return []  # what stopped the pushed sprite has put back both
        if (cause.rate < 0.5 or cause.pair[0] not in self.avatars) and len(meetings) < 3:
            return []
        others = [m for m in all_met if m.outcome not in (UNMOVED, BACK) and m.partner_outcome != BACK]
        alone = sum(1 for m in meetings if m.partner_outcome not in (BACK, BLOCKED))
        if cause.rate < 0.35 or (len(others) > 1 and alone < 0.35 * (alone + len(others))):
            return []  # a partner that is put back at once does not stop others, as meetings without that show
        turned = sum(1 for m in all_met if m.outcome == REVERSE)
        back = cause.rule("stepBack")
        return [cause.rule("reverseDirection"), back] if turned >= 0.3 * len(meetings) and turned >= 2 else [back]

    def _reversed(self, cause: _Attribution) -> list[Found]:
        """`reverseDirection`, if no sprite was put back there; if some were, see `_put_back`.

        What makes sprites that fly in random directions does not reverse them: their first move was only guessed.
        """
        first, second = cause.pair
        if second != EDGE and self.kinds[second].parameters.get("stype") == name_of(first):
            return []
        stopped = any(m.outcome == BACK for m in self.table.pairs[cause.pair])
        return [cause.rule("reverseDirection")] if not stopped and cause.rate >= 0.5 else []

    def _pushed(self, cause: _Attribution) -> list[Found]:
        """`bounceForward`, unless pushes were rare; those that something behind the sprite blocked do not count."""
        free = [m for m in self.table.pairs[cause.pair] if m.partner_outcome != BACK]  # nothing behind blocked it
        rate = max(cause.rate, len(cause.meetings) / max(1, len(free)))
        return [cause.rule("bounceForward")] if rate >= 0.2 and self._is_moved(cause) else []

    def _carried(self, cause: _Attribution) -> list[Found]:
        """`pullWithIt`."""
        return [cause.rule("pullWithIt")] if cause.rate >= 0.4 and self._is_moved(cause) else []

    def _is_moved(self, cause: _Attribution) -> bool:
        """Whether a type was moved more than once, and does not move by itself."""
        return len(cause.meetings) >= 2 and self.kinds[cause.pair[0]].word not in ("Missile", "Bomber", *WANDERING)

    def _wrapped(self, cause: _Attribution) -> list[Found]:
        """`wrapAround` or `turnAround`, at the edge."""
        is_sure = cause.pair[1] == EDGE and cause.rate >= 0.5
        return [_edge_jump(self.lives, cause.rule, cause.meetings)] if is_sure else []

    def _moved_far(self, cause: _Attribution) -> list[Found]:
        """`teleportToExit`, if the second type may be a portal."""
        second = cause.pair[1]
        may_be_portal = second != EDGE and self.kinds[second].word in ("Door", "Immovable")
        is_portal = may_be_portal and _went_far(self.lives, cause.meetings)
        return [cause.rule("teleportToExit")] if is_portal and cause.rate >= 0.5 else []

    def _turned(self, cause: _Attribution) -> list[Found]:
        """`transformTo`, possibly with the death of the partner or with the orientation of the avatar before."""
        (first, second), meetings = cause.pair, cause.meetings
        strays = {self.kinds[n].word for n in cause.pair if n != EDGE} & set(WANDERING)  # they often miss each other
        apart = [
            m.outcome == cause.outcome
            for m in self.table.pairs[cause.pair]
            if m.outcome != UNMOVED and m.others <= {second}  # without third sprites
        ]
        in_vain = self.table.together[cause.pair]  # a floor that is under everything turns nothing
        sure = sum(apart) > 1 or (apart and all(apart))
        rate = max(cause.rate, sum(apart) / (len(apart) + in_vain)) if sure else cause.rate
        if rate < 0.3 and (len(meetings) < 2 or not strays or in_vain > len(meetings)):
            return []
        passed = sum(1 for m in self.table.pairs[cause.pair] if m.outcome == UNMOVED and m.partner_outcome == OK)
        if _by_another(self.table, cause.pair, meetings, self.kinds) or passed > _OFTEN * len(meetings):
            return []
        both = sum(1 for m in meetings if m.partner_outcome == DEAD)
        kill = {"killSecond": "True"} if both >= 0.6 * len(meetings) and second not in self.avatars else {}
        keeps = first in self.avatars and _keeps_orientation(self.lives, meetings)
        facing = {"forceOrientation": "True"} if keeps else {}
        into = int(cause.outcome[len(INTO) :])
        turn = cause.rule("transformTo", stype=name_of(into), **kill, **facing)
        near = (other for m in meetings for other in self.table.by_tick[m.play, m.index] if other.partner_id == m.id)
        pushers = {other.type for other in near if other.outcome == BACK}
        if not pushers or sum(map(_is_away, meetings)) <= len(meetings) / 2:
            return [turn]
        # what it became was put back from there at once, and so was what had pushed it
        stopped = [(into, second), *((pusher, into) for pusher in sorted(pushers))]
        return [turn, *(Found(Rule(*pair, "stepBack"), turn.meetings) for pair in stopped)]

    def _died(self, cause: _Attribution) -> list[Found]:
        """Rules that kill; see `guess_deaths`."""
        (first, second), rate, deaths = cause.pair, cause.rate, cause.meetings
        all_met = list(self.table.pairs[cause.pair])
        if self.kinds[first].word in _MORTAL:  # old sprites die in any case
            deaths, all_met = (
                [m for m in meetings if not self.lives.has_aged(m.play, m.id, first, m.index)]
                for meetings in (deaths, all_met)
            )
            rate = len(deaths) / max(1, len(all_met))
        if not deaths or _by_another(self.table, cause.pair, deaths, self.kinds) or self._is_by_the_unborn(cause.pair):
            return []
        if second in self.avatars and self.kinds[first].word == "Passive" and _pushed_into(self.lives, deaths):
            pushed = any(m.outcome == PUSH for m in self.table.pairs[cause.pair])  # then pushes have a rule already
            return [] if pushed else [cause.rule("bounceForward")]
        if self.avatars & set(cause.pair):
            is_first = first in self.avatars
            other = self.kinds[second if is_first and second != EDGE else first].word
            certain = [m for m in all_met if not _is_doubtful(m, other, is_first)]
            rate *= len(all_met) / max(1, len(certain))
            all_met = certain
        together = self.table.together[cause.pair]
        return guess_deaths(self.lives, cause.pair, rate, all_met, deaths, self.avatars, together)

    def _is_by_the_unborn(self, pair: Pair) -> bool:
        """Whether what dies at a spawn point now and then probably met a sprite just made there, which died unseen."""
        first, second = pair
        made = self.kinds[second].parameters.get("stype") if second != EDGE else None
        if made is None or self.kinds[second].word != "SpawnPoint":
            return False
        both = [m for m in self.table.pairs[first, number_of(made)] if m.outcome == m.partner_outcome == DEAD]
        harmless = [m for m in self.table.pairs[pair] if m.outcome == OK]
        return min(len(both), len(harmless)) >= 2


def _pushed_into(lives: Lives, deaths: Sequence[Meeting]) -> bool:
    """Whether sprites at rest only died where an avatar would have pushed them into sprites of one type, such as holes.

    Then they were probably pushed. That the avatar kills them would explain as much, but then they could have died in
    other places, too. Types that were in their own place (floors) do not count, nor do walls. What changes the avatar,
    such as a key, was not pushed.
    """
    beyond: set[int] | None = None
    for m in deaths:
        if m.partner_outcome.startswith(INTO):
            return False
        frame, block = lives.frame(m.play, m.index), lives.block[m.play]
        dx, dy = next((step for step, way in DIRECTIONS.items() if way == frame.action.name), (0, 0))
        if not (dx or dy):
            return False
        (x, y), rows = m.place, frame.arrays
        here, there = (
            set(rows["type"][(rows["x"] == place[0]) & (rows["y"] == place[1])].tolist())
            for place in ((x, y), (x + dx * block, y + dy * block))
        )
        beyond = (there if beyond is None else beyond & there) - here
    return bool(beyond) and beyond != {WALL}


def _by_another(table: Table, pair: Pair, meetings: list[Meeting], kinds: Mapping[int, Kind]) -> bool:
    """Whether another type is a likelier cause of an outcome between random movers and a resting type.

    That is the case if most meetings with the resting type were harmless, and another type has the outcome as often.
    """
    first, second = pair
    outcome = meetings[0].outcome
    movers = {p[1] for p in table.pairs if p[0] == first} - {second, EDGE}
    movers = {n for n in movers if kinds[n].word not in RESTING}
    elsewhere = max((sum(1 for m in table.pairs[first, n] if m.outcome == outcome) for n in movers), default=0)
    unharmed = sum(1 for m in table.pairs[pair] if m.outcome in (BACK, OK, REVERSE))
    at_rest = second != EDGE and kinds[second].word in RESTING
    return kinds[first].word in WANDERING and at_rest and unharmed > len(meetings) <= elsewhere


def _went_far(lives: Lives, meetings: list[Meeting]) -> bool:
    """Whether most sprites ended more than a cell away from their predicted place, as with a portal."""
    far = 0
    for m in meetings:
        there = lives.rows[m.play][m.index + 1].get(m.id)
        block = lives.block[m.play]
        far += there is not None and max(abs(there[1][0] - m.place[0]), abs(there[1][1] - m.place[1])) > block
    return far > 0.5 * len(meetings)


def _is_doubtful(meeting: Meeting, word: str, is_avatar: bool) -> bool:
    """Whether the avatar and a moving sprite may have missed each other: it was put back, or the other strayed."""
    avatar, other = (
        (meeting.outcome, meeting.partner_outcome) if is_avatar else (meeting.partner_outcome, meeting.outcome)
    )
    moves = word not in RESTING
    return (moves and avatar == BACK) or (word in WANDERING and other in (BACK, JUMP, REVERSE))


def _keeps_orientation(lives: Lives, meetings: list[Meeting]) -> bool:
    """Whether avatars that turned into others always kept their orientation, in more than one direction."""
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
    """Guess whether sprites that leave the screen re-enter on the other side, or turn round a row below."""
    rows = 0
    for m in meetings:
        at = lives.rows[m.play]
        was, now = at[m.index].get(m.id), at[m.index + 1].get(m.id)
        if was is not None and now is not None and was[1][1] != now[1][1] and was[1][0] == now[1][0]:
            rows += 1
    return rule("turnAround") if rows > 0.5 * len(meetings) else rule("wrapAround")


def _without_seconds(rules: list[Found]) -> list[Found]:
    """Drop deaths of partners that another rule explains."""
    removed = {
        (m.play, m.index, m.partner_id)
        for f in rules
        if {("killSecond", "True"), ("killResource", "True")} & set(f.rule.parameters)
        for m in f.meetings
    }

    def explained(candidate: Found) -> bool:
        hits = sum(1 for m in candidate.meetings if (m.play, m.index, m.id) in removed)
        return candidate.rule.effect.startswith("kill") and hits >= 0.7 * len(candidate.meetings)

    return [f for f in rules if not explained(f)]


def _with_one_birth(rules: list[Found], kinds: Mapping[int, Kind]) -> list[Found]:
    """If two sprites vanish and one appears, keep only one transformation, preferably of the sprite at rest."""
    transformed = [f for f in rules if f.rule.effect == "transformTo"]
    turns = {(f.rule.first, f.rule.second, str(dict(f.rule.parameters)["stype"])): f for f in transformed}
    replaced: dict[int, Found | None] = {}
    for (first, second, into), f in turns.items():
        other = turns.get((second, first, into))
        if other is None or first == second or id(f) in replaced:
            continue
        moments = {(m.play, m.index) for m in other.meetings}
        shared = [m for m in f.meetings if (m.play, m.index) in moments and len(m.born) == 1]
        if len(shared) >= 0.7 * max(len(f.meetings), len(other.meetings)):
            kept, dropped = (f, other) if kinds[second].word not in RESTING else (other, f)
            rule = Rule(kept.rule.first, kept.rule.second, "transformTo", (("stype", into), ("killSecond", "True")))
            replaced[id(kept)], replaced[id(dropped)] = Found(rule, kept.meetings), None
    return [one for f in rules if (one := replaced.get(id(f), f)) is not None]


def _without_mirrors(rules: list[Found]) -> list[Found]:
    """Merge rules of sprites that kill each other into one."""
    kills = {(f.rule.first, f.rule.second): f for f in rules if f.rule.effect == "killSprite"}
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
    return [f for f in rules if id(f) not in dropped] + merged


def _born(table: Table, avatars: set[int], rules: list[Found]) -> list[Found]:
    """Guess spawns: sprites that appear where others meet, without a transformation of those."""
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
    turned = {dict(f.rule.parameters).get("stype") for f in rules if f.rule.effect == "transformTo"}
    ruled = {(f.rule.first, f.rule.second) for f in rules}
    result: list[Found] = []
    tries = {pair: _entries(table, pair) for pair in {group[:2] for group in groups}}
    ranked = sorted(groups.items(), key=lambda item: -len(item[1]) / max(1, tries[item[0][:2]]))
    often = {group for group, meetings in groups.items() if len(meetings) >= 0.5 * tries[group[:2]]}
    for (first, second, kind), meetings in ranked:
        fresh = [m for m in meetings if (m.play, m.index, kind) not in taken]
        if kind in (first, second) or (len(fresh) == 1 and name_of(kind) in turned):
            continue  # one birth is more likely one more transformation
        turns = {int(m.partner_outcome[len(INTO) :]) for m in meetings if m.partner_outcome.startswith(INTO)}
        if turns and {(first, into, kind) for into in turns} <= often:
            continue  # what the partner turned into made it, in the same tick
        rule = _spawn_if(first, second, kind, fresh, table.pairs[first, second]) if first in avatars else None
        if rule is None:
            if len(fresh) < max(1, 0.3 * tries[first, second]):
                continue
            # rules of one ordered pair apply at the place of the first of them: before what is turned there
            pair = (second, first) if (first, second) in ruled else (first, second)
            rule = Rule(*pair, "spawn", (("stype", name_of(kind)),))
        taken |= {(m.play, m.index, kind) for m in fresh}
        result.append(Found(rule, tuple(fresh)))
    return result


def _entries(table: Table, pair: Pair) -> int:
    """The number of meetings in which a sprite was not put back at once."""
    return sum(1 for m in table.pairs[pair] if m.outcome != BACK) + table.together[pair]


def _spawn_if(
    first: int, second: int, kind: int, births: Sequence[Meeting], meetings: Sequence[Meeting]
) -> Rule | None:
    """Guess a spawn that needs an amount of a resource, or a lack of it; None if the meetings show no condition.

    Args:
        first: type of an avatar.
        second: type that it meets.
        kind: type that is born there.
        births: the meetings with a birth.
        meetings: all meetings of the two types.
    """
    known = {(m.play, m.index) for m in births}
    vain = [m for m in meetings if (m.play, m.index) not in known and m.outcome in (OK, UNMOVED)]
    vain = [m for m in vain if kind not in m.others]  # a further sprite in the same place would not show
    if len(births) < 2 or not vain:
        return None
    resources = {number for m in (*births, *vain) for number, _ in m.held}
    for resource in sorted(resources, key=lambda number: (number != kind, number)):
        given, refused = ([dict(m.held).get(resource, 0) for m in some] for some in (births, vain))
        named = ("stype", name_of(kind)), ("resource", name_of(resource))
        if max(given) < min(refused):
            return Rule(first, second, "spawnIfHasLess", (*named, ("limit", max(given))))
        if min(given) > max(refused):
            spent = {-dict(m.gained).get(resource, 0) for m in births}
            cost = (("spend", min(spent)),) if len(spent) == 1 and min(spent) > 0 else ()
            return Rule(first, second, "spawnIfHasMore", (*named, ("limit", min(given)), *cost))
    return None


def _held(lives: Lives, table: Table, avatars: set[int], rules: list[Found]) -> list[Found]:
    """Guess effects of meetings that change the avatar's health, or its resources without another explanation."""
    explained = {(m.play, m.index) for f in rules for m in f.meetings if f.rule.effect in _HOLDING}
    result: list[Found] = []
    changes: dict[tuple[int, int, int, int], list[Meeting]] = defaultdict(list)
    for (first, second), meetings in table.pairs.items():
        if first not in avatars or second == EDGE:
            continue
        several = Counter((m.play, m.index) for m in meetings)
        for m in meetings:
            for kind, amount in m.gained:
                if (m.play, m.index) not in explained:
                    count = several[m.play, m.index]  # each of them has changed it
                    changes[first, second, kind, amount if amount % count else amount // count].append(m)
    steady = lives.steady_changes
    for (first, second, kind, amount), meetings in changes.items():
        if (first, kind, amount) in steady or len(meetings) < max(1, 0.4 * len(table.pairs[first, second])):
            continue
        rule = Rule(first, second, "changeResource", (("resource", name_of(kind)), ("value", amount)))
        result.append(Found(rule, tuple(meetings)))
    return result + hurt(table, avatars, lives.wear)


def limits(lives: Lives, table: Table, rules: Iterable[Rule]) -> dict[int, Kind]:
    """Resources that no sprite has, with their limits: the most ever held, if more was offered in vain."""
    found: dict[int, Kind] = {}
    avatars = [f.avatar for play in lives.plays for f in play.frames if f.avatar is not None]
    for rule in rules:
        given = dict(rule.parameters)
        number = number_of(given["resource"]) if rule.effect == "changeResource" else EDGE
        if number in lives.unseen_resources and int(given["value"]) > 0:
            most = max(avatar.resources.get(number, 0) for avatar in avatars)
            full = [m for m in table.pairs[rule.first, rule.second] if m.partner_outcome != DEAD and not m.gained]
            full = [m for m in full if dict(m.held).get(number, 0) + int(given["value"]) > most]
            if len({(m.play, m.index) for m in full}) >= _VAIN:
                found[number] = Kind("Resource", {"limit": most})
    return found


def hurt(table: Table, avatars: Set[int], wear: Mapping[int, int]) -> list[Found]:
    """Guess effects of meetings that change the avatar's health.

    Each change is ascribed to one partner, those with the highest rate of it first. Many meetings with random movers
    were only predicted, so half of all changes are enough evidence, too, unless nearly all meetings were harmless. A
    pair gets one rule, for the most frequent change: larger changes are due to several sprites in the same tick, of its
    types or of others.

    Args:
        table: the meetings.
        avatars: the types of avatars.
        wear: by type, a change that occurs in most ticks, regardless of meetings.
    """
    cases: dict[int, dict[Pair, list[Meeting]]] = defaultdict(lambda: defaultdict(list))
    for pair, meetings in table.pairs.items():
        if pair[0] in avatars and pair[1] != EDGE:
            several = Counter((m.play, m.index) for m in meetings)
            for m in meetings:
                if m.health not in (0, wear.get(pair[0])):
                    count = several[m.play, m.index]
                    cases[m.health if m.health % count else m.health // count][pair].append(m)
    found: list[Found] = []
    known: set[Pair] = set()
    settled: set[Moment] = set()
    for amount, by_pair in sorted(cases.items(), key=lambda case: -sum(map(len, case[1].values()))):
        left = {(m.play, m.index) for meetings in by_pair.values() for m in meetings} - settled
        enough = max(3, 0.5 * len(left))
        for pair in sorted(by_pair, key=lambda pair: -len(by_pair[pair]) / len(table.pairs[pair])):
            fresh = [m for m in by_pair[pair] if (m.play, m.index) in left]
            rate = len(fresh) / len(table.pairs[pair])
            if fresh and pair not in known and (rate >= 0.4 or (len(fresh) >= enough and rate >= _RARELY)):
                left -= {(m.play, m.index) for m in fresh}
                known.add(pair)
                settled |= {(m.play, m.index) for m in table.pairs[pair]}
                effect = "addHealthPoints" if amount > 0 else "subtractHealthPoints"
                found.append(Found(Rule(*pair, effect, (("value", abs(amount)),)), tuple(fresh)))
    return found


_HOLDING = ("collectResource", "collectResourceIfHeld", "changeResource", "killIfOtherHasMore", "spawnIfHasMore")


def _scored(table: Table, candidates: Sequence[Found]) -> list[Found]:
    """Set the score of each rule, as seen in ticks in which no other rule can have scored."""
    ticks: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for k, f in enumerate(candidates):
        for play, index, *_ in {(m.play, m.index, m.id, m.partner_id) for m in f.meetings}:
            ticks[play, index][k] += 1
    scores: dict[int, int] = {}
    silent: Counter[int] = Counter()
    for moment, rules in ticks.items():
        if table.scores.get(moment, 0.0) == 0.0:
            for k in rules:
                silent[k] += 1
    for _ in candidates:
        votes: dict[int, Counter[int]] = defaultdict(Counter)
        for moment, rules in ticks.items():
            left = table.scores.get(moment, 0.0) - sum(scores.get(k, 0) * n for k, n in rules.items())
            suspects = [k for k in rules if k not in scores and silent[k] < 0.5 * len(candidates[k].meetings)]
            if len(suspects) == 1:
                votes[suspects[0]][round(left / rules[suspects[0]])] += 1
            elif len(suspects) > 1 and left:
                for k in suspects:
                    votes[k][round(left / rules[k])] += 0  # undecided: only used without other evidence
        fresh = {k: vote.most_common(1)[0][0] for k, vote in votes.items() if sum(vote.values())}
        if not fresh:
            undecided = sorted(votes, key=lambda number: (candidates[number].rule.effect in _SILENT, number))
            if not undecided:
                break
            fresh = {undecided[0]: votes[undecided[0]].most_common(1)[0][0]}
        scores.update(fresh)
    return [Found(f.rule.scoring(scores.get(k, 0)), f.meetings) for k, f in enumerate(candidates)]


#: effects that score less often than others in the same tick
_SILENT = ("stepBack", "undoAll", "reverseDirection", "bounceForward", "pullWithIt", "wrapAround", "turnAround")
_ORDER = (
    "reverseDirection", "bounceForward", "pullWithIt", "wrapAround", "turnAround", "stepBack", "undoAll",
    "shieldFrom", "addHealthPoints", "changeResource", "collectResource", "collectResourceIfHeld", "teleportToExit",
    "killIfHasLess", "killIfOtherHasMore", "killIfHasMore", "transformToAll", "transformTo", "killIfFromAbove",
    "killBoth", "spawn", "subtractHealthPoints", "killSprite",
)  # fmt: skip


def _in_order(rules: Iterable[Found]) -> list[Found]:
    """Sort rules: edges first, then effects that move sprites, last those that kill them."""
    place = {effect: k for k, effect in enumerate(_ORDER)}
    return sorted(
        rules,
        key=lambda candidate: (
            candidate.rule.second != EDGE,
            place.get(candidate.rule.effect, 0),
            candidate.rule.first,
            candidate.rule.second,
        ),
    )


def blocked_pushes(table: Table, rules: Sequence[Rule]) -> list[Rule]:
    """Replace `stepBack` of pushed sprites by `undoAll` if sprites without a meeting were put back, too."""
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


def exits(lives: Lives, table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> dict[int, Kind]:
    """Portals with the types of their exits, which are the types at the places where sprites reappeared.

    For portals that were never used, the distance in type numbers between portal and exit is that of the others.
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
            found[portal] = min(
                (n for n in standing if standing[n] == most), key=lambda number: len(lives.tracks[number])
            )
    distances = {there - portal for portal, there in found.items()}
    if len(distances) == 1:
        (distance,) = distances
        found = {portal: portal + distance for portal in portals}
    return {portal: Kind("Portal", {"stype": name_of(there)}) for portal, there in found.items()}


def _landed_on(lives: Lives, meeting: Meeting) -> set[int]:
    """The types at a sprite's place after a meeting."""
    rows = lives.plays[meeting.play].frames[meeting.index + 1].arrays
    own = rows[rows["id"] == meeting.id]
    if not len(own):
        return set()
    there = rows[(rows["x"] == own["x"][0]) & (rows["y"] == own["y"][0])]
    return set(there["type"].tolist())
