"""An author without a language model: it searches for rules that agree with recorded plays (13.3)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from vgdl.competition.tracks.worldmodels.search.ageing import with_ageing, with_early_ageing, with_expiry
from vgdl.competition.tracks.worldmodels.search.amend import Evidence
from vgdl.competition.tracks.worldmodels.search.avatars import avatar_kinds
from vgdl.competition.tracks.worldmodels.search.bands import with_bands
from vgdl.competition.tracks.worldmodels.search.contacts import CARRY, Table
from vgdl.competition.tracks.worldmodels.search.counts import with_counted_shots, with_counts
from vgdl.competition.tracks.worldmodels.search.effects import with_effects
from vgdl.competition.tracks.worldmodels.search.erring import with_errors
from vgdl.competition.tracks.worldmodels.search.floors import (
    with_amounts,
    with_drains,
    with_grounds,
    with_scents,
    with_trails,
)
from vgdl.competition.tracks.worldmodels.search.gaze import with_gazes
from vgdl.competition.tracks.worldmodels.search.hiding import with_hiding
from vgdl.competition.tracks.worldmodels.search.hypothesis import (
    EDGE,
    MOVING,
    WANDERING,
    Hypothesis,
    Kind,
    Rule,
    name_of,
    number_of,
    strays_of,
)
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.motion import NO_LIMIT, guess_kinds, possible_kinds
from vgdl.competition.tracks.worldmodels.search.records import Play, lightened
from vgdl.competition.tracks.worldmodels.search.repair import FUTURES, Repair, with_obstacles
from vgdl.competition.tracks.worldmodels.search.spreading import spreaders
from vgdl.competition.tracks.worldmodels.search.unseen import dared
from vgdl.competition.tracks.worldmodels.search.unseen_spreading import unseen_spreaders, with_spreaders_alike
from vgdl.competition.tracks.worldmodels.search.verify import Follower, Report
from vgdl.competition.tracks.worldmodels.search.wounds import with_wounds

_LONGEST = 120.0  #: seconds of CPU time of a search whose first guess took long, unless more are given
_PATIENCE = 100.0  #: seconds of CPU time after which the first guess is not refined, unless more are given
_PILE = 4  #: repetitions of an effect, one for each further sprite of a pile
_ROW = 10  #: repetitions of a push, one for each further sprite of a row
_REMOVING = ("killSprite", "killIfOtherHasMore", "transformTo")
_STOPPING = ("stepBack", "undoAll")


@dataclass
class Learnt:
    """The result of a search."""

    hypothesis: Hypothesis
    daring: Hypothesis  #: the same with a reward for meeting types that are only assumed to be deadly
    report: Report  #: on the plays learnt from
    seconds: float  #: CPU time
    tried: int  #: hypotheses that were followed
    evidence: Evidence  #: what the plays have shown


def learn(plays: Sequence[Play], *, seconds: float = 240.0, progress: Callable[[str], None] | None = None) -> Learnt:
    """Search for the rules of a game.

    Args:
        plays: recorded from the start of levels.
        seconds: CPU time after which the best hypothesis so far is returned. Repair gets up to half as much if the
            first guess took long, as long as the search does not exceed two minutes for that.
        progress: called with a line of text for each better hypothesis.
    """
    start = time.process_time()
    plays = lightened(plays)
    lives = Lives(plays)
    follower = Follower(plays)
    hypothesis, table = first_guess(lives, follower)
    steps: list[Callable[[Hypothesis], Hypothesis]] = [
        partial(with_early_ageing, follower),
        partial(with_spreaders_alike, follower),
        partial(with_expiry, lives, follower),
        partial(with_wounds, follower, table),
        partial(with_silent_moves, follower),
        partial(with_landings, follower),
        partial(with_chains, follower),
        partial(with_lasting_harm, follower),
        partial(with_early_dangers, follower),
        partial(with_carriers, follower, table),
        partial(with_piles, follower),
        partial(with_bystanders, follower),
        partial(with_falls, follower),
        partial(with_removals, follower),
        partial(with_paths, follower),
        partial(with_scents, follower),
        *(partial(step, lives, follower) for step in (with_errors, with_trails, with_drains, with_bands)),
        partial(with_grounds, lives, table, follower),
        partial(with_hiding, lives, table, follower),
        partial(with_amounts, lives, table, follower),
        partial(with_gazes, lives, follower),
        partial(with_counts, lives, table, follower),
        partial(with_counted_shots, lives, follower),
    ]
    late = start + max(_PATIENCE, seconds)
    for step in steps:
        if time.process_time() < late:
            hypothesis = step(hypothesis)
    until = max(start + seconds, min(time.process_time() + seconds / 2, start + max(_LONGEST, seconds)))
    repair = Repair(follower, hypothesis, until=until, progress=progress)
    repair.run(table)
    daring = dared(lives, table, repair.hypothesis)
    evidence = Evidence(frozenset(lives.tracks), table.met_pairs(strays_of(repair.hypothesis.kinds)))
    return Learnt(repair.hypothesis, daring, repair.report, time.process_time() - start, repair.tried, evidence)


def with_piles(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try to repeat the effects that stop falling sprites: within a tick, sprites of a pile come to rest in turn.

    If the plays show no pile of three, those of what falls down are assumed to come to rest. Pushes of sprites by
    others of their type are repeated, too: all sprites of a row move.
    """
    for rule in hypothesis.rules:
        kind = hypothesis.kinds[rule.first]
        if rule.effect == "stepBack" and rule.first == rule.second and kind.word == "Missile":
            others = [other for other in hypothesis.rules if other != rule]
            option = [*others, rule.but(repeat=_PILE)]
            falls = kind.parameters.get("orientation") == "DOWN"
            hypothesis = follower.better_of(hypothesis, hypothesis.with_rules(option), or_equal=falls)
        elif rule.effect == "bounceForward" and rule.first == rule.second:
            option = [rule.but(repeat=_ROW) if other == rule else other for other in hypothesis.rules]
            hypothesis = follower.better_of(hypothesis, hypothesis.with_rules(option))
    return hypothesis


def with_bystanders(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try to spare types that move by themselves from `undoAll`: they move on although a push was in vain.

    Where they run into what can be pushed, they are put back first, so that this undoes no other move.
    """
    for rule in hypothesis.rules:
        back = Rule(rule.second, rule.first, "stepBack")
        if rule.effect == "undoAll" and back in hypothesis.rules:
            others = [other for other in hypothesis.rules if other != back]
            place = others.index(rule)
            option = hypothesis.with_rules([*others[:place], back, *others[place:]])
            hypothesis = follower.better_of(hypothesis, option)
    if not any(rule.effect == "undoAll" for rule in hypothesis.rules):
        return hypothesis
    spared: list[str] = []
    for number, kind in hypothesis.kinds.items():
        if kind.word in WANDERING:
            names = ",".join([*spared, name_of(number)])
            rules = (rule.but(notStype=names) if rule.effect == "undoAll" else rule for rule in hypothesis.rules)
            better = follower.better_of(hypothesis, hypothesis.with_rules(rules))
            if better is not hypothesis:
                hypothesis, spared = better, [*spared, name_of(number)]
    return hypothesis


def with_landings(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try to move transformations at obstacles to the front, so that the new sprite is stopped in the same tick.

    Those of pushed sprites come after pushes. What a flying sprite turns into at an obstacle may be stopped there
    although it was never seen to run into it.
    """
    stopped = {(rule.first, rule.second) for rule in hypothesis.rules if rule.effect in _STOPPING}
    landing: list[Rule] = []
    flying: list[tuple[Rule, int]] = []
    for rule in hypothesis.rules:
        if rule.effect == "transformTo" and (rule.first, rule.second) not in stopped:
            into = number_of(dict(rule.parameters)["stype"])
            if (into, rule.second) in stopped:
                landing.append(rule)
            elif hypothesis.kinds[rule.first].word == "Missile" and rule.second not in (EDGE, hypothesis.floor):
                flying.append((rule, into))
    options = [[landing]] if landing else []
    options += [[[rule, Rule(into, rule.second, how)] for how in _STOPPING] for rule, into in flying]
    for alternatives in options:
        rules = hypothesis.rules
        for first in alternatives:
            others = [rule for rule in rules if rule not in first]
            pushes = [rule for rule in others if rule.effect == "bounceForward"]
            for front in ([], pushes) if pushes else ([],):
                option = [*front, *first, *(rule for rule in others if rule not in front)]
                hypothesis = follower.better_of(hypothesis, hypothesis.with_rules(option))
    return hypothesis


def with_chains(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try to move transformations before rules about what they make: a sprite may turn twice within a tick."""
    for rule in hypothesis.rules:
        if (into := _turned_into(rule)) is not None:
            place = hypothesis.rules.index(rule)
            if any(other.first == into and other.effect in _REMOVING for other in hypothesis.rules[:place]):
                option = [rule, *(other for other in hypothesis.rules if other != rule)]
                hypothesis = follower.better_of(hypothesis, hypothesis.with_rules(option))
    return hypothesis


def with_lasting_harm(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Move rules that undo a costly transformation before it, so that the harm lasts until the next tick.

    In the other order, an avatar that waits in the right place prevents all harm, and controllers would rely on it. The
    move is kept if plays do not contradict.
    """
    for rule in hypothesis.rules:
        into = _turned_into(rule)
        if into is not None and rule.score < 0:
            later = hypothesis.rules[hypothesis.rules.index(rule) + 1 :]
            undone = [other for other in later if other.first == into and _turned_into(other) == rule.first]
            if undone:
                option = [*undone, *(other for other in hypothesis.rules if other not in undone)]
                hypothesis = follower.better_of(hypothesis, hypothesis.with_rules(option), or_equal=True)
    return hypothesis


def with_early_dangers(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Move rules that take a sprite elsewhere behind those that kill it, unless plays contradict.

    In the other order, a portal would save an avatar from what it meets in front of it, and controllers would rely on
    it.
    """
    for rule in hypothesis.rules:
        if rule.effect == "teleportToExit" and any(_kills(other, rule.first) for other in hypothesis.rules):
            others = [other for other in hypothesis.rules if other != rule]
            place = 1 + max(k for k, other in enumerate(others) if _kills(other, rule.first))
            option = hypothesis.with_rules([*others[:place], rule, *others[place:]])
            hypothesis = follower.better_of(hypothesis, option, or_equal=True)
    return hypothesis


def _kills(rule: Rule, number: int) -> bool:
    return rule.effect in ("killSprite", "killBoth") and rule.first == number


def _turned_into(rule: Rule) -> int | None:
    """The type that a `transformTo` makes; None for other effects."""
    return number_of(dict(rule.parameters)["stype"]) if rule.effect == "transformTo" else None


def with_carriers(follower: Follower, table: Table, hypothesis: Hypothesis) -> Hypothesis:
    """Try to let further types carry what one of their class carries, if plays show it only once."""
    for rule in hypothesis.rules:
        if rule.effect == "pullWithIt":
            for other, kind in hypothesis.kinds.items():
                option = replace(rule, second=other)
                once = any(m.outcome == CARRY for m in table.pairs.get((rule.first, other), ()))
                if once and kind.word == hypothesis.kinds[rule.second].word and option not in hypothesis.rules:
                    hypothesis = follower.better_of(hypothesis, hypothesis.with_rules([option, *hypothesis.rules]))
    return hypothesis


def with_silent_moves(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try to take their score from effects that move sprites: what is met in the new place may have scored."""
    for rule in hypothesis.rules:
        if rule.effect in MOVING and rule.score:
            option = hypothesis.with_rules(rule.scoring(0) if other == rule else other for other in hypothesis.rules)
            hypothesis = follower.better_of(hypothesis, option)
    return hypothesis


def with_removals(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Move rules that remove an obstacle, such as a lock opened with a key, before those that put the sprite back.

    In the other order, the rule could never apply to a sprite that walks in. The move is kept if plays do not
    contradict.
    """
    stopped = {(rule.second, rule.first) for rule in hypothesis.rules if rule.effect == "stepBack"}
    for rule in hypothesis.rules:
        if rule.effect in _REMOVING and (rule.first, rule.second) in stopped:
            option = hypothesis.with_rules([rule, *(other for other in hypothesis.rules if other != rule)])
            hypothesis = follower.better_of(hypothesis, option, or_equal=True)
    return hypothesis


def with_paths(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try path finding for chasers. If plays do not decide, a type gets it if others with the same target have it."""
    found: set[object] = set()
    unsure: list[int] = []
    for number, kind in hypothesis.kinds.items():
        if kind.word in ("Chaser", "RandomAltChaser"):
            reports = [follower.follow(h, samples=FUTURES) for h in (hypothesis, _with_path(hypothesis, number))]
            chase, path = (report.by_type[number] for report in reports)
            if path < chase:
                hypothesis = _with_path(hypothesis, number)
                found.add(hypothesis.kinds[number].parameters["stype"])
            elif path == chase and kind.word == "Chaser":
                unsure.append(number)
    for number in unsure:
        if hypothesis.kinds[number].parameters["stype"] in found:
            hypothesis = _with_path(hypothesis, number)
    return hypothesis


def _with_path(hypothesis: Hypothesis, number: int) -> Hypothesis:
    """Let a chaser find paths to its target."""
    parameters = dict(hypothesis.kinds[number].parameters)
    target = parameters.pop("stype", None) or parameters.pop("stype1")
    kept = {key: value for key, value in parameters.items() if key not in ("maxDistance", "epsilon")}
    return with_obstacles(hypothesis.with_kind(number, Kind("PathChaser", {"stype": target, **kept})), number)


def with_falls(follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try `killIfFromAbove` for types that both stop and kill another one.

    The rule is tried in three places: before all others, one of which may put its victim back; after those that put the
    killer back, since what is stopped in the same tick does not fall on anything; and after all others.
    """
    stopped = {(rule.first, rule.second) for rule in hypothesis.rules if rule.effect == "stepBack"}
    for rule in hypothesis.rules:
        if rule.effect in ("killSprite", "killIfFromAbove") and (rule.first, rule.second) in stopped:
            fall = replace(rule, effect="killIfFromAbove")
            others = [other for other in hypothesis.rules if other != rule]
            stops = [k for k, other in enumerate(others) if other.effect == "stepBack" and other.first == rule.second]
            for place in dict.fromkeys([0, max(stops, default=-1) + 1, len(others)]):
                option = hypothesis.with_rules([*others[:place], fall, *others[place:]])
                hypothesis = follower.better_of(hypothesis, option)
    return hypothesis


def first_guess(lives: Lives, follower: Follower) -> tuple[Hypothesis, Table]:
    """Guess classes by motion, then effects by meetings; return them with the meetings.

    The class of an avatar is chosen again with these effects. If it changes, effects are guessed again, too.
    """
    kinds = guess_kinds(lives)
    hypothesis = Hypothesis(kinds, square_size=square_size(lives.plays), groups=dict(lives.chased_groups))
    hypothesis = choose_kinds(lives, follower, hypothesis)
    held = dict.fromkeys(lives.unseen_resources, Kind("Resource", {"limit": NO_LIMIT}))
    hypothesis = replace(hypothesis, kinds={**hypothesis.kinds, **spreaders(lives, hypothesis.kinds), **held})
    hypothesis = replace(hypothesis, kinds={**hypothesis.kinds, **unseen_spreaders(lives, hypothesis.kinds)})
    hypothesis = with_ageing(lives, hypothesis)
    guess, table = with_effects(lives, follower, hypothesis)
    avatars = choose_avatars(lives, follower, guess)
    if any(hypothesis.kinds[number] != kind for number, kind in avatars.items()):  # then the avatar had other meetings
        kinds = {**hypothesis.kinds, **avatars}
        return with_effects(lives, follower, replace(hypothesis, kinds=kinds))
    return guess, table


def choose_avatars(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> dict[int, Kind]:
    """Choose the classes of avatars that predict best together with the effects, which stop them.

    A class that predicts the avatar itself worse is not chosen: the trail that an avatar leaves may be of another type.
    """
    chosen: dict[int, Kind] = {}
    for number, kind in hypothesis.kinds.items():
        if number in lives.tracks and kind.word.endswith("Avatar"):
            least = follower.follow(hypothesis)
            for option in avatar_kinds(lives, number):
                other = hypothesis.with_kind(number, option)
                report = follower.follow(other, enough=least.loss)
                own, own_least = (r.by_type[number] + r.avatar_wrong for r in (report, least))
                if option != kind and report.loss < least.loss and own <= own_least:
                    hypothesis, least = other, report
            chosen[number] = hypothesis.kinds[number]
    return chosen


def choose_kinds(lives: Lives, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Choose for each type, among the classes that fit its moves, the one that predicts them best."""
    for number, kind in list(hypothesis.kinds.items()):
        avatar = kind.word.endswith("Avatar")
        options = avatar_kinds(lives, number) if avatar else possible_kinds(lives, number, hypothesis.kinds)
        if len(options) > 1:
            samples = 1 if avatar else FUTURES
            reports = [follower.follow(hypothesis.with_kind(number, option), samples=samples) for option in options]
            losses = [report.by_type[number] + avatar * report.avatar_wrong for report in reports]
        else:
            losses = [0]
        hypothesis = hypothesis.with_kind(number, options[losses.index(min(losses))])
    return hypothesis


def square_size(plays: Sequence[Play]) -> int | None:
    """The number of pixels per cell that the game sets; None if it uses the default."""
    for play in plays:
        width, height = play.frames[0].world_dimension
        block = play.frames[0].block_size
        if block != max(2, 800 // max(width // block, height // block)):
            return block
    return None
