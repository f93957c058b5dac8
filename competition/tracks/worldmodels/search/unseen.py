"""Guesses rules for pairs of types that never met in recorded plays."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial

from vgdl import Category
from vgdl.competition.tracks.worldmodels.search.contacts import Table
from vgdl.competition.tracks.worldmodels.search.deaths import applies
from vgdl.competition.tracks.worldmodels.search.hypothesis import (
    EDGE,
    RESTING,
    WANDERING,
    Hypothesis,
    Kind,
    Rule,
    name_of,
    strays_of,
    weapons_of,
)
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.motion import runs


def alike(table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> list[Rule]:
    """Guess obstacles for pairs that never met: types that stop all others; pushed sprites stop each other.

    Exits are assumed to stop pushed sprites. What is at rest, kills avatars and stops nothing, such as a hole, is
    assumed to kill pushed sprites, too: if it does, a plan may need it, and if not, a try does little harm. If sprites
    that pushed others were put back with them, what stops pushed sprites undoes all moves. If two types that turn
    avatars, such as switches, stop pushed sprites, so do those numbered before and after them.
    """
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
    avatars = {number for number, kind in kinds.items() if kind.word.endswith("Avatar")}
    deadly = {rule.second for rule in rules if rule.effect == "killSprite" and rule.first in avatars}
    holes = {n for n in deadly - {EDGE} if kinds[n].word in ("Immovable", "Door") and not stops[n]}
    known = {(rule.first, rule.second) for rule in rules}
    known |= {(rule.second, rule.first) for rule in rules if rule.effect == "killBoth"}
    switches = _kept_clear(rules, kinds, avatars, {n for n in kinds if stops[n] & pushed})
    added: list[Rule] = []
    for first in movers:
        for second in kinds:
            solid = len(stops[second]) > 0 and not passed[second] and kinds[second].word in ("Immovable", "Door")
            solid = solid and (first not in stopped or kinds[first].word in WANDERING or len(stops[second]) > 1)
            both_pushed = first in pushed and second in pushed
            met = (first, second) in known if kinds[second].word == "Immovable" else table.pairs.get((first, second))
            exit_ = first in pushed and kinds[second].word == "Door" and (second, first) not in known
            clear = first in pushed and second in switches and first not in passed[second]
            if met:
                continue
            if first in pushed and second in holes and first not in passed[second]:
                added.append(Rule(first, second, "killSprite"))
            elif solid or both_pushed or exit_ or clear:
                usual = "undoAll" if first in pushed and table.restored else "stepBack"
                added.append(Rule(first, second, effects.get(first, usual)))
    return added


def _kept_clear(rules: Sequence[Rule], kinds: Mapping[int, Kind], avatars: Set[int], stopping: Set[int]) -> set[int]:
    """Types at rest that turn avatars, in runs of which at least two types are known to stop pushed sprites."""
    turning = {rule.second for rule in rules if rule.first in avatars and rule.effect == "transformTo"}
    found: set[int] = set()
    for run in runs(kinds):
        same = {number for number in run if number in turning and kinds[number].word == "Immovable"}
        if len(same & stopping) > 1:
            found |= same
    return found


def siblings(lives: Lives, kinds: Mapping[int, Kind]) -> dict[int, set[int]]:
    """Types that may have the same parent: active ones of the same class and category, and all avatars.

    Parents never show, and their subtypes are numbered directly after them.
    """
    found: dict[int, set[int]] = {}
    for run in runs(kinds):
        by_word: dict[tuple[str, int], set[int]] = defaultdict(set)
        for number in run:
            if kinds[number].word not in RESTING:
                by_word[kinds[number].word, lives.category(number)].add(number)
        for same in by_word.values():
            found |= {number: same - {number} for number in same}
    avatars = {number for number, kind in kinds.items() if kind.word.endswith("Avatar")}
    return found | {number: avatars - {number} for number in avatars}


def inherited(
    lives: Lives,
    table: Table,
    rules: Sequence[Rule],
    kinds: Mapping[int, Kind],
    exclusive: Set[tuple[Rule, int]] = frozenset(),
) -> list[Rule]:
    """Guess rules for pairs that never met by inheriting those of siblings: rules are often about a parent.

    The result of a transformation depends more often on the second type than on the first, so siblings of the first
    come first. Avatars come last, after types that are alike to another avatar (`_fates`): one may kill a type that
    kills another. Of two types, only one is assumed to kill the other. Rules in series, in which each sibling has a
    partner of its own, are not inherited: ``exclusive`` has them, each with the number of the side that only one type
    may take.
    """
    family, strays = siblings(lives, kinds), strays_of(kinds)
    avatars = {number for number, kind in kinds.items() if kind.word.endswith("Avatar")}
    added: dict[Rule, None] = {}
    for side, of_avatars in (("first", False), ("second", False), ("first", True), ("second", True)):
        if of_avatars and side == "first":
            added |= dict.fromkeys(_fates(lives, table, [*rules, *added], avatars, strays))
        known = {(rule.first, rule.second) for rule in (*rules, *added)}
        killed = {(rule.first, rule.second) for rule in (*rules, *added) if "kill" in rule.effect}
        for rule in (*rules, *added):
            if (rule, ("first", "second").index(side)) in exclusive:
                continue
            for other in family.get(getattr(rule, side), ()):
                if (other in avatars) != of_avatars:
                    continue
                option = replace(rule, first=other) if side == "first" else replace(rule, second=other)
                pair = option.first, option.second
                if option.first in family.get(option.second, {option.second}) or option.first == option.second:
                    continue  # effects between siblings are seldom written for all of them
                if "kill" in rule.effect and pair[::-1] in killed:
                    continue
                if dict(option.parameters).get("stype") == name_of(option.first):
                    continue  # nothing turns into itself
                tried = table.met(*pair, strays, partial(applies, rule)) or table.together[pair]
                if pair not in known and not tried and all(option.scoring(a.score) != a for a in added):
                    added[option] = None
    return list(added)


def _fates(lives: Lives, table: Table, rules: Sequence[Rule], avatars: Set[int], strays: Set[int]) -> list[Rule]:
    """Guess that types that are equally dangerous to one avatar are equally dangerous to another.

    A weak avatar may have met only one of the enemies that a strong one kills: the others will kill it, too.
    """
    fatal: dict[tuple[int, int], Rule] = {}
    for rule in rules:
        pair = rule.first, rule.second
        if rule.effect in ("killSprite", "killBoth") and len(avatars & set(pair)) == 1 and EDGE not in pair:
            fatal.setdefault(pair if rule.first in avatars else pair[::-1], rule)

    def dies(avatar: int, other: int) -> bool:
        rule = fatal[avatar, other]
        return rule.first == avatar or rule.effect == "killBoth"

    known = {frozenset((rule.first, rule.second)) for rule in rules}
    added: dict[tuple[int, int], Rule] = {}
    for (avatar, like), rule in fatal.items():
        for model, other in fatal:
            if model == avatar or (model, like) not in fatal or lives.category(other) != lives.category(like):
                continue
            same = dies(model, other) == dies(model, like)
            met = any(table.met(*pair, strays) or table.together[pair] for pair in ((avatar, other), (other, avatar)))
            if same and not met and frozenset((avatar, other)) not in known:
                option = replace(rule, first=other) if rule.second == avatar else replace(rule, second=other)
                added.setdefault((avatar, other), option)
    return list(added.values())


def doors_open(table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> list[Rule]:
    """Guess that doors that no avatar reached are removed by reaching them."""
    avatars = [number for number, kind in kinds.items() if kind.word.endswith("Avatar")]
    doors = [number for number, kind in kinds.items() if kind.word == "Door"]
    known = {(rule.first, rule.second) for rule in rules} | {(rule.second, rule.first) for rule in rules}
    return [
        Rule(door, avatar, "killSprite")
        for door in doors
        for avatar in avatars
        if not any(table.pairs.get((door, other)) or (door, other) in known for other in avatars)
    ]


def collected(table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> list[Rule]:
    """Guess that avatars collect resources that none ever met, and that the only one without a use opens exits.

    Such exits have stopped avatars. One more of the resource is needed than any of them held. Otherwise no player that
    plans with these rules would ever try.
    """
    avatars = [number for number, kind in kinds.items() if kind.word.endswith("Avatar")]
    known = {frozenset((rule.first, rule.second)) for rule in rules}

    def met(one: int, other: int) -> bool:
        pairs = ((one, other), (other, one))
        return frozenset((one, other)) in known or any(table.pairs.get(pair) or table.together[pair] for pair in pairs)

    resources = [number for number, kind in kinds.items() if kind.word == "Resource"]
    left = [number for number in resources if not any(met(number, other) for other in avatars)]
    taken = [Rule(number, avatar, "collectResource") for number in left for avatar in avatars]
    used = {value for rule in rules for key, value in rule.parameters if key in ("resource", "heldResource")}
    used |= {kind.parameters["ammo"] for kind in kinds.values() if "ammo" in kind.parameters}
    gathered = {rule.first for rule in rules if rule.effect == "collectResource"}
    idle = [n for n in resources if name_of(n) not in used and (n in left or n in gathered)]
    if len(idle) != 1:
        return taken
    ruled = {(rule.first, rule.second) for rule in rules}
    stops = [(rule.second, rule.first) for rule in rules if rule.effect in ("stepBack", "undoAll")]
    for lock, by in stops:
        if by in avatars and lock in kinds and kinds[lock].word == "Door" and (lock, by) not in ruled:
            held = max((dict(m.held).get(idle[0], 0) for m in table.pairs.get((by, lock), ())), default=0)
            opens = (("resource", name_of(idle[0])), ("limit", held + 1))
            taken.append(Rule(lock, by, "killIfOtherHasMore", opens))
    return taken


def feared(lives: Lives, table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind]) -> list[Rule]:
    """Guess that types that no avatar ever met are deadly, except exits and resources: players probably avoided them.

    Sprites that appear at the avatar's place do not kill it, nor do the exits of portals.
    """
    avatars = [number for number, kind in kinds.items() if kind.word.endswith("Avatar")]
    known = {(rule.first, rule.second) for rule in rules} | {(rule.second, rule.first) for rule in rules}
    strays = strays_of(kinds)

    def met(other: int) -> bool:
        pairs = [(avatar, other) for avatar in avatars]
        return any(table.met(*pair, strays) or table.together[pair] or pair in known for pair in pairs)

    made = {value for rule in rules if rule.second in avatars for key, value in rule.parameters if key == "stype"}
    made |= {kind.parameters["stype"] for kind in kinds.values() if kind.word == "Portal"}
    unknown = [n for n in kinds if lives.category(n) in (Category.NPC, Category.STATIC, Category.MOVABLE)]
    unknown = [n for n in unknown if name_of(n) not in made and not met(n)]
    return [Rule(avatar, other, "killSprite") for other in unknown for avatar in avatars]


def struck(table: Table, rules: Sequence[Rule], kinds: Mapping[int, Kind], *, tools: bool = False) -> list[Rule]:
    """Guess that what avatars strike or shoot with kills the dangers that move by themselves, where both never met.

    Args:
        table: the meetings.
        rules: those known or guessed before.
        kinds: the types.
        tools: whether to guess this also of what is only known to remove sprites at rest, such as a shovel.
    """
    avatars = {number for number, kind in kinds.items() if kind.word.endswith("Avatar")}
    made = weapons_of(kinds)
    weapons = [n for n in kinds if n in made and kinds[n].word in ("OrientedFlicker", "Flicker", "Missile")]
    removed: dict[int, set[bool]] = defaultdict(set)  # whether what a weapon removes is at rest
    for rule in rules:
        if rule.second in weapons and "kill" in rule.effect and rule.first in kinds:
            removed[rule.second].add(kinds[rule.first].word in RESTING)
    dangers = dict.fromkeys(rule.second for rule in rules if rule.first in avatars and rule.effect == "killSprite")
    known = {frozenset((rule.first, rule.second)) for rule in rules}
    return [
        Rule(danger, weapon, "killSprite")
        for danger in dangers
        for weapon in weapons
        if danger in kinds and kinds[danger].word in WANDERING and (tools or removed[weapon] != {True})
        if frozenset((danger, weapon)) not in known and not table.met(danger, weapon, strays_of(kinds))
    ]


def dared(lives: Lives, table: Table, hypothesis: Hypothesis) -> Hypothesis:
    """Replace dangers that are only assumed (`feared`) by rewards, so that a player who plans with this meets them.

    So is hitting a danger that was never hit: whether a weapon kills it (`struck`) has to be tried.
    """
    kinds = hypothesis.kinds
    avatars = {number for number, kind in kinds.items() if kind.word.endswith("Avatar")}
    deadly = [Rule(rule.first, rule.second, "killSprite") for rule in hypothesis.rules if rule.first in avatars]
    shown = [rule for rule in hypothesis.rules if rule not in deadly]
    seen = {number: kind for number, kind in kinds.items() if lives.categories.get(number)}
    assumed = [rule for rule in feared(lives, table, shown, seen) if rule in hypothesis.rules]
    rewards = [Rule(rule.second, rule.first, "killSprite").scoring(1) for rule in assumed]
    untried = struck(table, [rule for rule in hypothesis.rules if rule.first in avatars], seen, tools=True)
    rules = [rule for rule in hypothesis.rules if rule not in (*assumed, *untried)]
    return hypothesis.with_rules([*rules, *rewards, *(rule.scoring(1) for rule in untried)])


def unseen_siblings(lives: Lives, kinds: Mapping[int, Kind]) -> dict[int, int]:
    """Unseen numbers that directly follow siblings, each with the last sibling: other levels may show one more."""
    family = siblings(lives, kinds)
    last = [run[-1] for run in runs(kinds) if family.get(run[-1]) and run[-1] + 1 not in kinds]
    return {n + 1: n for n in last if not kinds[n].word.endswith("Avatar")}
