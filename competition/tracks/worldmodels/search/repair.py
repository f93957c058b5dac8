"""Repairs a hypothesis by local edits: one line of the text at a time, kept if predictions of the plays improve."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import mean, stdev

from vgdl.competition.tracks.worldmodels.search.contacts import BACK, DEAD, INTO, JUMP, OK, REVERSE, UNMOVED, Table
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, WANDERING, Hypothesis, Kind, Rule, name_of
from vgdl.competition.tracks.worldmodels.search.verify import Follower, Report
from vgdl.language import VGDLError

LEAST = 1.0  #: minimum decrease of the loss
SHARE = 0.006  #: minimum decrease as a share of the loss, against random fluctuations
FUTURES = 4  #: futures per prediction of random events, lest a game without motion seem a good guess
_DRAWS = range(2, 7)  #: sequences of random numbers over which lines are compared
_SURE = 1.5  #: standard errors by which a line must improve predictions
_SIMPLIFYING = 0.25  #: share of the time reserved for removing lines
_FEWEST = 3  #: meetings that show an effect
_OFTEN = 0.1  #: share of the meetings of a pair that must show an effect, to exclude coincidences
#: classes that may be exchanged; `RandomAltChaser` is not, since it is chosen by likelihood and wrong more often
_NPCS = ("RandomNPC", "Chaser", "Fleeing", "PathChaser", "Missile", "RandomMissile")
_KEPT = ("speed", "cooldown", "is_npc", "healthPoints")
_WAYS = ("LEFT", "RIGHT", "UP", "DOWN")
_TARGETED = ("Chaser", "Fleeing", "PathChaser")
_INSTEAD = {
    "stepBack": ("undoAll",),
    "undoAll": ("stepBack",),
    "bounceForward": ("pullWithIt",),
    "pullWithIt": ("bounceForward",),
    "killSprite": ("killIfFromAbove", "killBoth"),
    "killIfFromAbove": ("killSprite",),
    "wrapAround": ("turnAround",),
    "turnAround": ("wrapAround",),
}


class Repair:
    """Hill climbing in the space of hypotheses.

    Args:
        follower: follower of the recorded plays.
        hypothesis: the initial hypothesis.
        until: CPU time of the process at which to stop.
        progress: called with a line of text for each accepted edit.
    """

    def __init__(
        self,
        follower: Follower,
        hypothesis: Hypothesis,
        *,
        until: float,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self._follower = follower
        self._until = until
        self._progress = progress
        self.hypothesis = hypothesis
        self._samples = FUTURES if any(kind.word in WANDERING for kind in hypothesis.kinds.values()) else 1
        self.report: Report = follower.follow(hypothesis, samples=self._samples)
        self._loss_again: float | None = None  # with other random numbers; None until it is needed
        self.tried = 1
        self._known: set[str] = {hypothesis.text()}

    def run(self, table: Table) -> None:
        """Try edits, those of the worst predicted types first, until none helps or the time is up; then simplify."""
        has_chance = self._samples > 1
        left = self._until - time.process_time()
        self._rewrite(table, self._until - _SIMPLIFYING * left if has_chance else self._until)
        if has_chance:
            self._simplify(table)

    def _rewrite(self, table: Table, until: float) -> None:
        improved = True
        while improved and self.report.loss > 0:
            improved = False
            for what, option in self._options(table):
                if time.process_time() >= until:
                    return
                improved |= self._try(what, option)

    def _try(self, what: str, option: Hypothesis) -> bool:
        """Evaluate an edit; keep it if it is better."""
        text = option.text()
        if text in self._known:
            return False
        self._known.add(text)
        best = self.report.loss
        enough = best - max(LEAST, SHARE * best)
        try:
            report = self._follower.follow(option, enough=enough, samples=self._samples)
        except (VGDLError, ValueError):  # an invalid game, or one whose sprites cannot be placed
            return False
        self.tried += 1
        if report.loss > enough or (self._samples > 1 and not self._holds_again(option)):
            return False
        self.hypothesis, self.report = option, report
        if self._progress is not None:
            self._progress(f"loss {best:g} -> {report.loss:g}: {what}")
        return True

    def _holds_again(self, option: Hypothesis) -> bool:
        """Whether an edit also helps with other random numbers: of hundreds of edits, some help by luck."""
        if self._loss_again is None:
            self._loss_again = self._follower.follow(self.hypothesis, samples=self._samples, draw=1).loss
        loss = self._follower.follow(option, enough=self._loss_again, samples=self._samples, draw=1).loss
        if loss >= self._loss_again:
            return False
        self._loss_again = loss
        return True

    def _simplify(self, table: Table) -> None:
        """Remove lines that change predictions of random events without improving them.

        The losses with and without a line are compared over several sequences of random numbers. Lines that change no
        prediction stay: they concern meetings that were hardly observed. So do dangers to the avatar: controllers avoid
        them, so they are rarely observed, and more often predicted where a random move went elsewhere.
        """
        losses: list[float] = []
        before = self.hypothesis
        for rule in self._rules_by_misses():
            if time.process_time() >= self._until:
                break
            is_danger = rule.effect.startswith("kill") and before.kinds[rule.first].word.endswith("Avatar")
            if is_danger or self._is_shown(table, rule):
                continue
            losses = losses or [self._loss(self.hypothesis, draw) for draw in _DRAWS]
            option = self._without(rule)
            self.tried += 1
            first = self._loss(option, _DRAWS[0])
            if first in (losses[0], math.inf):
                continue
            without = [first, *(self._loss(option, draw) for draw in _DRAWS[1:])]
            worse = [other - loss for other, loss in zip(without, losses, strict=True)]
            if mean(worse) < _SURE * stdev(worse) / math.sqrt(len(worse)):
                self.hypothesis, losses = option, without
                if self._progress is not None:
                    self._progress(f"without {rule.line()}, which makes no difference")
        if self.hypothesis is not before:
            self.report = self._follower.follow(self.hypothesis, samples=self._samples)

    def _loss(self, hypothesis: Hypothesis, draw: int) -> float:
        """The loss with a sequence of random numbers; infinite if the game is invalid or sprites cannot be placed."""
        try:
            return self._follower.follow(hypothesis, samples=self._samples, draw=draw).loss
        except (VGDLError, ValueError):
            return math.inf

    # -------------------------------------------------------------------------------------------- rewritings

    def _options(self, table: Table) -> Iterator[tuple[str, Hypothesis]]:
        """Edits of the best hypothesis; each starts from the best one at the time it is generated."""
        worst = [number for number, _ in self.report.by_type.most_common()]
        for rule in self._rules_by_misses():
            is_danger = self._is_danger(table, rule)
            if not is_danger and not self._is_shown(table, rule):
                yield f"without {rule.line()}", self._without(rule)
            if rule.score and not self._is_scored(table, rule):
                yield f"no score for {rule.line()}", self._instead(rule, rule.scoring(0))
            for effect in _INSTEAD.get(rule.effect, ()):
                if is_danger and effect == "killIfFromAbove":
                    continue  # nearly the same as without it
                if effect == "undoAll" and not any(r.effect == "bounceForward" for r in self.hypothesis.rules):
                    continue  # it would stop random movers, and rest is a safer prediction than a random move
                yield f"{effect} for {rule.line()}", self._instead(rule, replace(rule, effect=effect))
            if rule.second != EDGE:
                yield f"earlier {rule.line()}", self._first(rule)
        for rule in self._unused(table):
            yield f"with {rule.line()}", self.hypothesis.with_rules([*self.hypothesis.rules, rule])
            yield f"first {rule.line()}", self.hypothesis.with_rules([rule, *self.hypothesis.rules])
        for number in worst:
            yield from self._kinds(number)

    def _is_danger(self, table: Table, rule: Rule) -> bool:
        """Whether a rule kills the avatar where it meets what moves at random, and no meeting contradicts it.

        Most such deaths are predicted where a random move went elsewhere, so that plays are predicted better without
        the rule, although it is right.
        """
        kinds = self.hypothesis.kinds
        if not rule.effect.startswith("kill") or not kinds[rule.first].word.endswith("Avatar") or rule.second == EDGE:
            return False
        if kinds[rule.second].word not in WANDERING:
            return False
        met = table.pairs.get((rule.first, rule.second), ())
        known = [m.outcome for m in met if m.outcome != BACK and m.partner_outcome not in (BACK, JUMP, REVERSE)]
        return 2 * known.count(DEAD) >= len(known)

    def _is_shown(self, table: Table, rule: Rule) -> bool:
        """Whether a rule is about what chance makes, such as sparks, and nearly all meetings with it had an effect.

        That it is predicted where nothing was made says nothing against the rule.
        """
        kinds = self.hypothesis.kinds.values()
        made = {kind.parameters.get("stype") for kind in kinds if {"prob", "spreadprob"} & kind.parameters.keys()}
        met = table.pairs.get((rule.first, rule.second), ())
        changed = sum(1 for m in met if m.outcome not in (OK, UNMOVED))
        return name_of(rule.second) in made and changed >= max(_FEWEST, 0.9 * len(met))

    def _is_scored(self, table: Table, rule: Rule) -> bool:
        """Whether ticks with a rule's effect scored at least half of what it says more than other ticks.

        A score that is predicted where a random move went elsewhere says nothing against the rule.
        """
        met = table.pairs.get((rule.first, rule.second), ())
        moments = {(m.play, m.index) for m in met if m.outcome not in (OK, UNMOVED) or m.born}
        others = sum(play.ticks for play in self._follower.plays) - len(moments)
        if not moments or not others:
            return False
        scored = sum(table.scores.get(at, 0.0) for at in moments)
        usual = (sum(table.scores.values()) - scored) / others
        return (scored / len(moments) - usual) / rule.score >= 0.5

    def _rules_by_misses(self) -> list[Rule]:
        misses = self.report.by_type
        return sorted(self.hypothesis.rules, key=lambda rule: -(misses[rule.first] + misses[rule.second]))

    def _without(self, rule: Rule) -> Hypothesis:
        return self.hypothesis.with_rules(r for r in self.hypothesis.rules if r != rule)

    def _instead(self, rule: Rule, other: Rule) -> Hypothesis:
        return self.hypothesis.with_rules(other if r == rule else r for r in self.hypothesis.rules)

    def _first(self, rule: Rule) -> Hypothesis:
        return self.hypothesis.with_rules([rule, *(r for r in self.hypothesis.rules if r != rule)])

    def _unused(self, table: Table) -> list[Rule]:
        """Effects that some meetings show and no rule of the pair explains, the most frequent first."""
        present = {(rule.first, rule.second, rule.effect) for rule in self.hypothesis.rules}
        found: Counter[Rule] = Counter()
        for (first, second), meetings in table.pairs.items():
            for outcome, count in Counter(m.outcome for m in meetings).items():
                rule = rule_of(first, second, outcome)
                often = count >= _OFTEN * table.tries(first, second, outcome)
                if rule is not None and often and (first, second, rule.effect) not in present:
                    found[rule] += count
        return [rule for rule, count in found.most_common(24) if count >= 2]

    def _kinds(self, number: int) -> Iterator[tuple[str, Hypothesis]]:
        """Other classes and parameters for a type."""
        kind = self.hypothesis.kinds.get(number)
        if kind is None:
            return
        options: list[Kind] = []
        for key in ("cooldown", "limit", "cons"):
            value = kind.parameters.get(key)
            if isinstance(value, int):
                least = int(kind.parameters.get("cooldown", 1)) - 1 if key == "cons" else 0  # below, it shows nowhere
                options += [kind.but(**{key: other}) for other in (value - 1, value + 1) if other >= least]
        if kind.word in _NPCS:
            kept = {k: v for k, v in kind.parameters.items() if k in _KEPT}
            options.append(Kind("RandomNPC", kept))
            targets = [target for target in (*self.hypothesis.kinds, *self.hypothesis.groups) if target != number]
            options += [Kind(word, {**kept, "stype": name_of(target)}) for word in _TARGETED for target in targets]
            if kind.word in _TARGETED:  # it may fly straight towards something far away
                options += [Kind("Missile", {**kept, "is_npc": "True", "orientation": way}) for way in _WAYS]
        for option in options:
            other = self.hypothesis.with_kind(number, option)
            yield option.line(number), with_obstacles(other, number) if option.word == "PathChaser" else other


def with_obstacles(hypothesis: Hypothesis, number: int) -> Hypothesis:
    """Let paths avoid the types that stop a type, or if none are known, those that stop an avatar."""
    stops = [rule for rule in hypothesis.rules if rule.effect == "stepBack" and rule.second != EDGE]
    stops = [rule for rule in stops if hypothesis.kinds[rule.second].word == "Immovable"]
    own = {rule.second for rule in stops if rule.first == number}
    walls = own or {rule.second for rule in stops if hypothesis.kinds[rule.first].word.endswith("Avatar")}
    return replace(hypothesis, obstacles=tuple(sorted(walls)) or hypothesis.obstacles)


def rule_of(first: int, second: int, outcome: str) -> Rule | None:
    """The plainest rule with an outcome of meetings; None if there is none."""
    if outcome.startswith(INTO):
        return Rule(first, second, "transformTo", (("stype", name_of(int(outcome[len(INTO) :]))),))
    effects = {DEAD: "killSprite", "back": "stepBack", "push": "bounceForward", "carry": "pullWithIt"}
    effects |= {"reverse": "reverseDirection", "jump": "teleportToExit", "wrap": "wrapAround"}
    return Rule(first, second, effects[outcome]) if outcome in effects else None
