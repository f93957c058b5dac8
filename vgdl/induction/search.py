"""The search: K hypotheses, improved where they predict worst.

The conflicts of the best hypothesis are grouped by what is to be explained. For the costliest group, edits are proposed
and tried on a few of its ticks; those that gain are judged on all evidence, and the best one is accepted if the bits
that it saves exceed those of its text. The search ends when no conflict has an edit that pays, or when the budget is
spent.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from vgdl.induction import parts, prior
from vgdl.induction.amounts import amounts_of
from vgdl.induction.defaults import completed, with_room
from vgdl.induction.edits import Proposer, changed_kinds, changed_rules, explicable, touched
from vgdl.induction.evidence import BLOCK, Evidence, Span, Spot
from vgdl.induction.goal import with_end, with_loss
from vgdl.induction.hypothesis import CLOCK, Hypothesis, Rule, has_chance
from vgdl.induction.likelihood import BRIEF, MISS, WARM, Conflict, Judge, Report, World
from vgdl.induction.races import Races, first_of_each, spread
from vgdl.induction.scenes import Scene, merged, scenes_of
from vgdl.induction.signatures import GONE
from vgdl.induction.spending import Budget, Purse
from vgdl.language import VGDLError

_EXAMPLES = 4  #: conflicts of a group on which edits are tried
_SHORT, _LONG = (0, 2), (8, 16)  #: ticks before and after a conflict on which rules, and classes, are tried
_CONTROLS = 8  #: ticks on which edits should change nothing
_MOST_PAIRS = 24  #: ordered pairs of types that may have met, of a group: those that met in most of its conflicts
_SLICE = 30  #: edits that are tried at a time, those first that may explain most
_DEPTHS = (0, 3, 6, 30)  #: slices per conflict: those up to the second number first, further ones where nothing pays
_EXPLAINED = 0.8  #: of the bits of a conflict's examples; an edit that saves so many is accepted without further trials
_PLACED = 3.0  #: bits by which a new rule that is not the last one comes later: its place rarely matters
_FINALISTS = 3  #: edits of classes, and of rules, whose gain is estimated for a conflict
_ACCEPTED = 2  #: of these, so many are judged again on all evidence
_NEAR = 20.0  #: bits by which another hypothesis may be worse than the best one to be improved in its stead
_RELEVANT = 12  #: conflicts, and right predictions, on which the gain of an edit is estimated, at most
_OFTEN = 32  #: of so many ticks one is wrong, or more: then which ones these are does not count
_JUDGED = 600  #: ticks that hypotheses are judged by, at most
_WIDEST = 800  #: the same, with those that were predicted badly
_STRIDE = 20  #: ticks between those on which edits of classes and terminations are tried in any case
_STARTS = 8, 3  #: edits that explain a group at the expense of others: so many are judged, the best ones mended
_HALVES = 3  #: edits that explain a part of it and are mended, too
_MENDS = 4  #: further edits that are to mend what such an edit has spoilt, at most
_SPOILT = 2  #: groups of conflicts that such an edit has caused for which a further edit is sought
_ENDS = {3: "False", 4: "True"}  #: by outcome of a scene, what a termination says of it
_DETOUR = -1  #: in the place of a depth
_REMEMBERED = 64  #: comparisons whose bits are kept
_SIMPLER = 4  #: shorter classes of a type, and terminations, that are tried in the end, the shortest ones first
_ROUNDS = 200  #: accepted edits of one call, at most

Group = list[tuple[Conflict, Mapping[tuple[int, int], float]]]  #: conflicts with the pairs that may have met in each
Place = tuple[int, int] | str  #: what edits change: rules on a pair of types, classes, or anything else
_CLASSES_OF, _ANY = "classes", "any"


@dataclass(frozen=True)
class Judged:
    """A hypothesis with its bits: those of the text plus those of the evidence."""

    hypothesis: Hypothesis
    total: float
    report: Report = field(compare=False)


class Trial(NamedTuple):
    """An edit that was tried on a few ticks.

    Attributes:
        explained: bits of the evidence that it saves there.
        added: bits that it adds to the text.
        share: of the bits of the conflicts among these ticks, those that it saves.
        where: these conflicts.
        weight: conflicts for which each of these stands.
        place: what it changes; rules on the same types mostly fail alike.
    """

    explained: float
    added: float
    hypothesis: Hypothesis
    share: float
    where: tuple[Spot, ...]
    weight: float
    place: Place

    @property
    def change(self) -> float:
        """Change of all bits, if these ticks stand for all."""
        return self.added - self.weight * self.explained


class Search:
    """Searches for the texts that explain the evidence best.

    Args:
        evidence: the observed plays, which may grow between calls of `improve`.
        budget: limits of all calls together.
        without: parts that are left out.

    Raises:
        ValueError: there is no such part.
    """

    def __init__(self, evidence: Evidence, budget: Budget | None = None, *, without: Set[str] = frozenset()) -> None:
        if unknown := without - set(parts.NAMES):
            raise ValueError(f"expected parts out of {', '.join(parts.NAMES)}, got {', '.join(sorted(unknown))}")
        self.evidence = evidence
        self.without = without
        self.judge = Judge(evidence, has_law=parts.LAW not in without)
        self.purse = Purse(budget or Budget(), self.judge, without)
        self.beam: list[Judged] = []
        self._races = Races(evidence, self.judge, self.purse)
        self._spans: list[Span] = []
        self._judged_spots: set[Spot] = set()  # the ticks of these spans
        self._known: set[Hypothesis] = set()  # hypotheses that were judged on the present evidence
        self._compared: dict[object, float] = {}  # bits of the hypotheses that were last compared with edits
        self._vain: dict[tuple[object, ...], int] = {}  # size of groups without an edit that pays
        self._postponed: set[tuple[object, ...]] = set()  # groups with edits that explain a small part of examples
        self._failures: Counter[tuple[object, ...]] = Counter()  # how often no edit of a group paid, by depth and key

    def improve(self, share: float = 1.0) -> None:
        """Search until nothing pays, or a share of the budget that is left is spent."""
        self.purse.allot(share)
        hypotheses = [self._begun(judged.hypothesis) for judged in self.beam] or [self._begun(Hypothesis(()))]
        self._judge_by(self.evidence.spans(_JUDGED), hypotheses)
        self._surprised()  # what is new may not be explained yet
        self._proposer = Proposer(self.evidence, amounts_of(self.evidence.plays))
        former = self._choose_classes()
        self._improve_long()
        for judged in former:
            self._keep(judged)
        if self.beam[0] in former:  # the new classes did not pay, and the former text may have new conflicts
            self._improve_long()
        # superfluous rules may have been in the way of others
        while (self._pruned() or self._widened() or self._surprised()) and not self.purse.spent:
            self._improve_long()

    def simplify(self) -> None:
        """Leave out what has become superfluous, with what is left of the budget."""
        self.purse.allot(1.0)
        self._pruned()

    def _judge_by(self, spans: list[Span], hypotheses: Iterable[Hypothesis]) -> None:
        """Judge some hypotheses by these parts of plays; the best ones are the beam."""
        self._spans = spans
        self._judged_spots = {(play, k) for play, a, z in spans for k in range(a, z)}
        again = [self._judged(hypothesis, math.inf) for hypothesis in dict.fromkeys(hypotheses)]
        found = sorted((judged for judged in again if judged is not None), key=lambda judged: judged.total)
        self.beam = found[: self.purse.budget.width]
        self._known.clear()

    def _widened(self) -> bool:
        """Judge by further parts of plays, those that the best hypothesis predicts worst, if there are any."""
        report = self.judge.report(self.judge.world(self.beam[0].hypothesis))
        blocks: Counter[Spot] = Counter()
        for conflict in report.conflicts:
            if conflict.spot not in self._judged_spots:
                blocks[conflict.play, conflict.index // BLOCK * BLOCK] += conflict.bits  # type: ignore[assignment]
        room = (_WIDEST - len(self._judged_spots)) // BLOCK
        worst = sorted(blocks, key=lambda spot: (-blocks[spot], spot))[: max(0, room)]
        if worst:
            self._judge_by(self.evidence.spans(_JUDGED, worst), [judged.hypothesis for judged in self.beam])
        return bool(worst)

    def _surprised(self) -> bool:
        """Whether wrong ticks are so rare that which ones they are takes bits, or no longer: each then costs these."""
        wrong, ticks = max(1, self.beam[0].report.wrong), max(1, len(self._judged_spots))
        surprise = round(math.log2(ticks / wrong)) if ticks >= _OFTEN * wrong else 0
        if abs(surprise - self.judge.surprise) < 2:
            return False
        self.judge.surprise = surprise
        self._judge_by(self._spans, [judged.hypothesis for judged in self.beam])
        for memory in (self._vain, self._postponed, self._compared):
            memory.clear()
        return True

    def _begun(self, hypothesis: Hypothesis) -> Hypothesis:
        """A hypothesis to begin with: complete, and lost without an avatar if nothing says otherwise."""
        whole = completed(hypothesis, self.evidence)
        return whole if parts.GOAL in self.without else with_loss(whole, self.evidence)

    def _choose_classes(self) -> list[Judged]:
        """Choose classes again, without the rules that these lack; the former hypotheses are compared in the end."""
        best = self.beam[0].hypothesis
        chosen = completed(self._races.choose(best, self._proposer), self.evidence)
        judged = self._judged(chosen, math.inf) if chosen != best else None
        if judged is None:
            return []
        former, self.beam = self.beam, [judged]
        return former

    def _improve_long(self) -> None:
        """Accept edits until none pays, or the budget is spent."""
        for _ in range(_ROUNDS):
            if self.purse.spent or not self._improve_once():
                break

    def _pruned(self) -> bool:
        """Remove superfluous rules, and replace those that excuse by chance, and long classes and terminations."""
        former = self.beam[0].hypothesis
        for rule in former.rules:
            best = self.beam[0]
            rest = list(best.hypothesis.rules)
            rest.remove(rule)
            without = best.hypothesis.with_rules(rest)
            for edit in dict.fromkeys((without, *self._proposer.certain(without, rule))):
                self._keep_better(edit, best)
        for number in range(len(former.kinds)):
            self._shorten(self._proposer.simpler_kinds(self.beam[0].hypothesis, number))
        self._shorten(self._proposer.shorter_ends(self.beam[0].hypothesis))
        return self.beam[0].hypothesis != former

    def _shorten(self, edits: Iterable[Hypothesis]) -> None:
        """Try those edits of the best hypothesis that make it shorter, the shortest ones first."""
        best = self.beam[0]
        lengths = {edit: prior.bits(edit) for edit in edits}
        shorter = [edit for edit in lengths if lengths[edit] < prior.bits(best.hypothesis)]
        for edit in sorted(shorter, key=lengths.__getitem__)[:_SIMPLER]:
            self._keep_better(edit, best)

    def _keep_better(self, edit: Hypothesis, parent: Judged) -> None:
        """Put an edit of a hypothesis into the beam if it is better than the best one."""
        judged = None if self.purse.spent else self._judged(edit, self.beam[0].total, parent)
        if judged is not None and judged.total < self.beam[0].total:
            judged = self._judged(edit, self.beam[0].total)  # others may fare differently, too
        if judged is not None and judged.total < self.beam[0].total:
            self._keep(judged)

    def _judged(self, hypothesis: Hypothesis, enough: float, parent: Judged | None = None) -> Judged | None:
        """Judge a hypothesis on all evidence, or on what it treats unlike its parent; None above ``enough`` bits."""
        self._known.add(hypothesis)
        hypothesis = with_room(hypothesis, self.evidence)
        length = prior.bits(hypothesis)
        try:
            world = self.judge.world(hypothesis)
            if parent is None:
                report = self.judge.report(world, self._spans, enough=enough - length)
            else:
                types = touched(parent.hypothesis, hypothesis)
                rest = parent.report.total - parent.report.about(types)
                report = self.judge.report(
                    world, self._spans, types=types, enough=enough - length - rest, known=parent.report
                )
        except VGDLError:
            return None
        total = length + report.total
        return None if total > enough or report.stopped else Judged(hypothesis, total, report)

    # ------------------------------------------------------------------------------------------------- one step

    def _improve_once(self) -> bool:
        """Accept an edit for the group of conflicts that has one and most bits per edit tried and to be tried."""
        best, *others = [judged for judged in self.beam if judged.total < self.beam[0].total + _NEAR]
        agenda = sorted(
            (
                (bits / (_DEPTHS[depth + 1] * (1 + self._failures[depth, scene.key])), depth, scene, group)
                for bits, scene, group in self._groups(best)
                for depth in range(len(_DEPTHS) - 1)
            ),
            key=lambda entry: -entry[0],
        )
        tasks = [(best, depth, scene, group) for _, depth, scene, group in agenda]
        rest = ((other, 0, scene, group) for other in others for _, scene, group in self._groups(other))
        deepest = len(_DEPTHS) - 2
        return (
            self._first_edit(itertools.chain((task for task in tasks if task[1] < deepest), rest))
            or self._detoured(best)  # which succeeds more often, and costs less, than the deepest edits
            or self._first_edit(task for task in tasks if task[1] == deepest)
        )

    def _first_edit(self, tasks: Iterable[tuple[Judged, int, Scene, Group]]) -> bool:
        """Accept an edit for the first of some groups of conflicts, each with a depth, that has one."""
        for judged, depth, scene, group in tasks:
            if self.purse.spent:
                break
            if self._is_vain(judged, depth, scene, group):
                continue
            if self._best_edit(judged, scene, group, depth) is not None:
                return True
            self._vain[self._mark(judged.hypothesis, scene, depth)] = len(group)
            self._failures[depth, scene.key] += 1
        return False

    # ---------------------------------------------------------------------------------------------------- detours

    def _detoured(self, best: Judged) -> bool:
        """Accept edits that only pay together: one that explains a group, and those that mend what it has spoilt."""
        if parts.DETOURS in self.without:
            return False
        for _, scene, group in sorted(self._groups(best), key=lambda entry: -entry[0]):
            if self.purse.spent:
                return False
            if self._is_vain(best, _DETOUR, scene, group):
                continue
            for start in self._starts(best, scene, group):
                mended = self._mended(best, start)
                if mended is not None:
                    self._keep(mended)
                    return True
            self._vain[self._mark(best.hypothesis, scene, _DETOUR)] = len(group)
        return False

    def _starts(self, best: Judged, scene: Scene, group: Group) -> list[Judged]:
        """Edits of rules that explain a group, whatever else they spoil, and some that may be half of what does."""
        edits = itertools.islice(self._ranked(best, scene, group, len(group)), _SLICE * _DEPTHS[1])
        trials = [
            trial
            for place, part in _by_place(best.hypothesis, edits).items()
            if place != _CLASSES_OF
            for trial in self._changing(best, part, *_examples_at(place, group), place)
        ]
        ordered = sorted(trials, key=lambda trial: trial.change)
        found: list[list[Judged]] = []
        for whole, most in ((True, _STARTS[0]), (False, _HALVES)):
            possible = [trial.hypothesis for trial in ordered if (trial.share >= _EXPLAINED) == whole]
            # the shortest of each kind
            firsts = first_of_each(possible, lambda edit: _difference(best.hypothesis, edit))
            found.append([each for edit in firsts[:most] if (each := self._judged(edit, math.inf, best)) is not None])
        return sorted(found[0], key=lambda each: each.total)[: _STARTS[1]] + found[1]

    def _changing(
        self, best: Judged, edits: Iterable[Hypothesis], examples: Sequence[Conflict], weight: float, place: Place
    ) -> Iterator[Trial]:
        """The edits that predict something else in examples of a group of conflicts, right or wrong."""
        spots = [(c.play, c.index, c.index + 1) for c in examples]
        where, wanted = tuple(c.spot for c in examples), max(1.0, sum(c.bits for c in examples))
        length = prior.bits(best.hypothesis)
        before = self.judge.report(self.judge.world(best.hypothesis), spots, rough=True, warm=BRIEF)
        known = _wrong(before)
        for hypothesis in dict.fromkeys(edits):
            if self.purse.spent:
                return
            try:
                report = self.judge.report(self.judge.world(hypothesis), spots, rough=True, warm=BRIEF)
            except VGDLError:
                continue
            if _wrong(report) != known:
                saved, added = before.total - report.total, prior.bits(hypothesis) - length
                yield Trial(saved, added, hypothesis, saved / wanted, where, weight, place)

    def _mended(self, best: Judged, start: Judged) -> Judged | None:
        """A text with an edit and others that mend what it has spoilt, if that is better than the best one."""
        kept = frozenset(start.hypothesis.rules) - frozenset(best.hypothesis.rules)
        for first in range(_SPOILT):  # what is mended first may forbid the rest
            found: Judged | None = start
            for place in range(_MENDS):
                if found is None or found.total < best.total or self.purse.spent:
                    break
                former, beam, spoilt = found, self.beam, self._spoilt(best, found)
                chosen = spoilt[first : first + 1] if place == 0 else spoilt[:_SPOILT]
                tried = (self._best_edit(former, scene, part, 0, kept) for scene, part in chosen)
                found = next((edit for edit in tried if edit is not None), None)
                self.beam = beam  # what is only better than the detour so far is not kept
            if found is not None and found.total < best.total:
                return found
        return None

    def _spoilt(self, best: Judged, edit: Judged) -> list[tuple[Scene, Group]]:
        """The groups of conflicts that an edit of the best hypothesis has caused or changed, the costliest first."""
        known = {spot: set(conflict.misses) for spot, conflict in best.report.costs.items()}
        groups = [
            (scene, part)
            for _, scene, group in self._groups(edit)
            if (part := [entry for entry in group if known.get(entry[0].spot) != set(entry[0].misses)])
        ]
        return sorted(groups, key=lambda entry: -sum(conflict.bits for conflict, _ in entry[1]))

    # ------------------------------------------------------------------------------------------------------ edits

    def _is_vain(self, judged: Judged, depth: int, scene: Scene, group: Group) -> bool:
        """Whether a group, with fewer than twice as many conflicts, was tried in vain with the same rules."""
        return len(group) < 2 * self._vain.get(self._mark(judged.hypothesis, scene, depth), 0)

    def _groups(self, judged: Judged) -> Iterator[tuple[float, Scene, Group]]:
        """The conflicts by what is to be explained, with their bits."""
        groups: dict[tuple[object, ...], Group] = {}
        scenes: dict[tuple[object, ...], list[Scene]] = {}
        for conflict in judged.report.conflicts:
            for scene in scenes_of(conflict, self.evidence):
                scenes.setdefault(scene.key, []).append(scene)
                groups.setdefault(scene.key, []).append((conflict, scene.pairs))
        for key, group in groups.items():
            bits = 1.0 if parts.CONFLICTS in self.without else sum(conflict.bits for conflict, _ in group)
            yield bits, merged(scenes[key], _MOST_PAIRS, self.evidence), group

    def _mark(self, hypothesis: Hypothesis, scene: Scene, depth: int) -> tuple[object, ...]:
        """Identifies a group together with the rules that concern it: after they have changed, it is tried again."""
        concerned = scene.types
        rules = tuple(rule for rule in hypothesis.rules if rule.types & concerned)
        kinds = tuple(hypothesis.kinds[kind] for kind in sorted(concerned))
        return depth, scene.key, rules, kinds, hypothesis.ends if scene.end else ()

    def _ranked(self, best: Judged, scene: Scene, group: Group, *weighed: int) -> Iterator[Hypothesis]:
        """The edits that could explain a group of conflicts: each kind in turn, by what they may explain of so many.

        Each place has its turn, too: there may be many edits of the rules on two types.
        """
        kinds = self._proposer.kinds(best.hypothesis, scene) if scene.changes else ()
        ranked: list[list[Hypothesis]] = []
        for edits in (*self._edits(best, scene, group), kinds):
            worth = {edit: self._outlook(best, scene, len(group), edit) for edit in edits}
            for number in dict.fromkeys(min(number, len(group)) for number in weighed):
                share = number / len(group)
                ranked.append(sorted(worth, key=lambda edit: worth[edit][0] - share * worth[edit][1]))
            places = _by_place(best.hypothesis, ranked[-1]).values() if ranked else ()
            ranked.append([edit for turn in itertools.zip_longest(*places) for edit in turn if edit is not None])
        turns = itertools.chain.from_iterable(itertools.zip_longest(*ranked))
        return iter(dict.fromkeys(edit for edit in turns if edit is not None))

    def _best_edit(
        self, best: Judged, scene: Scene, group: Group, depth: int, kept: Set[Rule] = frozenset()
    ) -> Judged | None:
        """The best edit of some depth that pays, which is then in the beam; ``kept``: rules that it is to mend."""
        # by one conflict alone, short rules come first; by all, those on the types that met in most of them
        ranked = self._ranked(best, scene, group, 1, len(group))
        possible = (edit for edit in ranked if not kept or _mends(edit, best.hypothesis, kept))
        again = depth == 1 and self._mark(best.hypothesis, scene, 0) in self._postponed
        first = 0 if again else _SLICE * _DEPTHS[depth]
        edits = list(itertools.islice(possible, first, _SLICE * _DEPTHS[depth + 1]))
        controls = functools.cache(functools.partial(self._controls, best, scene))  # slices share places
        trials: list[Trial] = []
        for start in range(0, len(edits), _SLICE):
            if self.purse.spent:
                break
            for place, part in _by_place(best.hypothesis, edits[start : start + _SLICE]).items():
                trials += self._tried(best, part, *_examples_at(place, group), controls(place), place)
            if any(trial.share >= _EXPLAINED for trial in trials):
                accepted = self._accepted(best, trials)
                if accepted is not None:
                    return accepted
                trials = [trial for trial in trials if trial.share < _EXPLAINED]
        good = [trial for trial in trials if depth or trial.share >= _EXPLAINED / 2]
        if len(good) < len(trials):
            self._postponed.add(self._mark(best.hypothesis, scene, 0))
        return self._accepted(best, good)

    def _outlook(self, best: Judged, scene: Scene, conflicts: int, edit: Hypothesis) -> tuple[float, float]:
        """The bits of a text, and those of conflicts that it may explain, as the signatures of its new words say."""
        hopes = 0.0 if parts.OUTLOOK in self.without else explicable(best.hypothesis, edit, scene, conflicts)
        is_placed = len(edit.rules) > len(best.hypothesis.rules) and edit.rules[-1] in best.hypothesis.rules
        return prior.bits(edit) + _PLACED * is_placed, MISS * hopes

    def _accepted(self, best: Judged, trials: Iterable[Trial]) -> Judged | None:
        """The best of the edits that were tried, if it pays on all evidence; the good ones are then in the beam."""
        ordered = sorted(trials, key=lambda trial: trial.change)
        classes = [trial for trial in ordered if trial.hypothesis.kinds != best.hypothesis.kinds]
        rules = [trial for trial in ordered if trial.hypothesis.kinds == best.hypothesis.kinds]
        firsts = first_of_each(rules, lambda trial: trial.hypothesis if isinstance(trial.place, str) else trial.place)
        likeliest = classes[:_FINALISTS] + list(dict.fromkeys((*firsts, *rules)))[:_FINALISTS]
        fresh = [trial for trial in likeliest if trial.hypothesis not in self._known]
        gains = [(self._gain(best, trial), trial) for trial in fresh]
        accepted: list[Judged] = []
        for gain, trial in sorted(gains, key=lambda gained: -gained[0])[:_ACCEPTED]:
            if gain <= 0:
                break
            judged = self._judged(trial.hypothesis, best.total + self._slack, best)
            with self.judge.other_draws():
                lasting = (
                    parts.CONFIRMATION in self.without
                    or not has_chance(trial.hypothesis)
                    or (judged is not None and self._gain(best, trial) > 0)
                )
            if judged is not None and lasting and judged.total < best.total:  # others may meet what they did not before
                judged = self._judged(trial.hypothesis, math.inf)
            if judged is not None and lasting:
                self._keep(judged)
                accepted += [judged] if judged.total < best.total else []
        return min(accepted, key=lambda judged: judged.total, default=None)

    def _gain(self, parent: Judged, trial: Trial) -> float:
        """The bits that an edit saves, by an estimate on its examples, other wrong ticks and right ones."""
        child = trial.hypothesis
        types = touched(parent.hypothesis, child)
        warm = BRIEF if (parent.hypothesis.kinds, parent.hypothesis.order) == (child.kinds, child.order) else WARM
        samples = [(trial.where, trial.weight), *self._relevant(parent, child, frozenset(trial.where))]
        spans = [(tuple(_spans(sorted(spots))), weight) for spots, weight in samples if spots]
        gain = prior.bits(parent.hypothesis) - prior.bits(child)
        try:
            world = self.judge.world(parent.hypothesis)
            before = [weight * self._before(world, part, types, warm) for part, weight in spans]
            world = self.judge.world(child)
            for place, (part, weight) in enumerate(spans):
                enough = (gain + sum(before[place:])) / weight  # more bits than these cannot be made up for
                report = self.judge.report(world, part, types=types, enough=enough, warm=warm)
                gain += before[place] - weight * report.about(types)
                if report.stopped:
                    return -math.inf
        except VGDLError:
            return -math.inf
        return gain

    def _before(self, world: World, spans: Sequence[Span], types: Set[int], warm: int) -> float:
        """The bits of types on some spans of plays; those of the texts that were compared last are remembered."""
        key = world.hypothesis, types, tuple(spans), self.judge.salt
        if key not in self._compared:
            if len(self._compared) > _REMEMBERED:
                self._compared.clear()
            self._compared[key] = self.judge.report(world, spans, types=types, warm=warm).about(types)
        return self._compared[key]

    def _relevant(self, parent: Judged, child: Hypothesis, but: Set[Spot]) -> Iterator[tuple[Sequence[Spot], float]]:
        """Samples of the wrong and of the right ticks that may depend on an edit, with how many each stands for."""
        found: dict[Spot, None] = {}
        rules = changed_rules(parent.hypothesis, child)
        for rule in sorted(rules, key=lambda rule: rule.line):
            found |= dict.fromkeys(self.evidence.near(rule.first, rule.second))
        kinds = changed_kinds(parent.hypothesis, child)
        ends = parent.hypothesis.ends != child.ends
        for play, ticks in enumerate(self.evidence.changed):
            last = len(ticks) - 1
            found |= {(play, k): None for k, changed in enumerate(ticks) if changed & kinds or (ends and k == last)}
            if kinds or ends or any(rule.second == CLOCK for rule in rules):
                found |= {(play, k): None for k in range(0, last + 1, _STRIDE)}
        judged = sorted(spot for spot in found if spot in self._judged_spots and spot not in but)
        for wrong in (True, False):
            spots = [spot for spot in judged if (spot in parent.report.costs) == wrong]
            chosen = spread(spots, _RELEVANT)
            yield chosen, len(spots) / max(1, len(chosen))

    def _controls(self, best: Judged, scene: Scene, place: Place) -> list[Span]:
        """Ticks predicted well that an edit should not spoil: types of a rule are near each other, or the scene's."""
        types = scene.types or frozenset(self.evidence.actions)
        spots: Iterable[Spot] = (
            (play, k)
            for play, ticks in enumerate(self.evidence.changed)
            for k, changed in enumerate(ticks)
            if changed & types
        )
        if not isinstance(place, str) and CLOCK not in place:
            spots = self.evidence.near(*place)
        right = [
            (play, k, k + 1)
            for play, k in spots
            if (play, k) in self._judged_spots and (play, k) not in best.report.costs
        ]
        return spread(right, _CONTROLS)

    @property
    def _slack(self) -> float:
        """Bits by which a hypothesis may be worse than the best one and is still kept."""
        return 10.0 if self.purse.budget.width > 1 else 0.0

    def _edits(self, best: Judged, scene: Scene, group: Group) -> Iterator[Iterable[Hypothesis]]:
        """The edits of rules and terminations, by their kind."""
        yield self._proposer.revisions(best.hypothesis, scene)
        if scene.changes:
            yield self._proposer.rules(best.hypothesis, scene)
            yield self._proposer.preventions(best.hypothesis, scene)
        if scene.end:
            yield self._proposer.ends(best.hypothesis, (conflict for conflict, _ in group))
        win = _ENDS.get(scene.end)
        known = {kind for end in best.hypothesis.ends if end.get("win") == win for kind in end.types}
        for kind in sorted(kind for kind, change in scene.changes if change == GONE and win and kind not in known):
            edits = self._proposer.rules(best.hypothesis, scene)  # of which some remove the last sprite of a type
            yield (with_end(edit, [kind], str(win)) for edit in edits)

    def _tried(
        self,
        best: Judged,
        edits: Iterable[Hypothesis],
        examples: Sequence[Conflict],
        weight: float,
        controls: list[Span],
        place: Place,
    ) -> list[Trial]:
        """The edits that gain on examples, which stand for ``weight`` conflicts each, and on controls if on rules."""
        ends = _LONG if place == _CLASSES_OF else _SHORT
        warm = WARM if place == _CLASSES_OF else BRIEF
        chosen = (examples[0], examples[-1]) if place == _CLASSES_OF else examples
        spots = [(c.play, c.index - ends[0], c.index + ends[1]) for c in chosen]
        spots += [] if place == _CLASSES_OF else controls
        wanted = sum(conflict.bits for conflict in chosen)
        where = tuple(conflict.spot for conflict in examples)
        try:
            world = self.judge.world(best.hypothesis)
            before = self.judge.report(world, spots, rough=True, warm=warm)
            first = [self.judge.report(world, [spot], rough=True, warm=warm) for spot in spots[: len(chosen)]]
        except VGDLError:
            return []
        length = prior.bits(best.hypothesis)
        found = []
        for hypothesis in dict.fromkeys(edits):
            if self.purse.spent:
                break
            types = touched(best.hypothesis, hypothesis)
            least = before.about(types)
            try:
                world = self.judge.world(hypothesis)
                shown = (
                    self.judge.report(world, [spot], types=types, rough=True, enough=bits, warm=warm).about(types)
                    < bits
                    for spot, bits in zip(spots, (known.about(types) for known in first), strict=False)
                )
                if not any(shown):
                    continue
                report = self.judge.report(world, spots, types=types, rough=True, enough=least, warm=warm)
            except VGDLError:
                continue
            bits = report.about(types)
            if bits < least:
                saved, added = least - bits, prior.bits(hypothesis) - length
                found.append(Trial(saved, added, hypothesis, saved / max(1.0, wanted), where, weight, place))
        return found

    def _keep(self, judged: Judged) -> None:
        """Put a hypothesis into the beam, the best ones of which are kept."""
        others = [other for other in self.beam if other.hypothesis != judged.hypothesis]
        self.beam = sorted([*others, judged], key=lambda j: j.total)[: self.purse.budget.width]


def _examples(group: Sequence[Conflict]) -> list[Conflict]:
    """Conflicts of a group in which little else is wrong, from all parts of plays, since amounts held may matter."""
    simple = sorted(group, key=lambda conflict: (conflict.bits, conflict.play, conflict.index))
    simple = simple[: max(_EXAMPLES, len(group) // 2)]
    return spread(sorted(simple, key=lambda conflict: (conflict.play, conflict.index)), _EXAMPLES)


def _wrong(report: Report) -> list[tuple[object, ...]]:
    """What is wrong in each conflict."""
    return [(c.spot, c.misses, c.score, c.avatar, c.end) for c in report.conflicts]


def _mends(edit: Hypothesis, former: Hypothesis, kept: Set[Rule]) -> bool:
    """Whether an edit changes rules on types other than those of some rules, which it keeps as they are."""
    pairs = {rule.pair for rule in kept}
    rules = [[rule for rule in hypothesis.rules if rule.pair in pairs] for hypothesis in (edit, former)]
    return rules[0] == rules[1] and (edit.ends, edit.kinds) == (former.ends, former.kinds)


def _difference(one: Hypothesis, other: Hypothesis) -> tuple[tuple[object, ...], ...]:
    """The words and types of the rules that only one of two hypotheses has."""
    rules = set(one.rules), set(other.rules)
    only = (rules[0] - rules[1], rules[1] - rules[0])
    return tuple(tuple(sorted((rule.word, *sorted(rule.pair)) for rule in part)) for part in only)


def _place_of(one: Hypothesis, other: Hypothesis) -> Place:
    """What an edit changes: classes, the rules on a pair of types, which is in ascending order, or anything else."""
    new = [rule for rule in other.rules if rule not in one.rules]
    if len(new) == 1:
        return min(new[0].first, new[0].second), max(new[0].first, new[0].second)
    return _CLASSES_OF if one.kinds != other.kinds else _ANY


def _by_place(former: Hypothesis, edits: Iterable[Hypothesis]) -> dict[Place, list[Hypothesis]]:
    """Edits of a hypothesis by what they change."""
    places: dict[Place, list[Hypothesis]] = {}
    for edit in edits:
        places.setdefault(_place_of(former, edit), []).append(edit)
    return places


def _examples_at(place: Place, group: Group) -> tuple[list[Conflict], float]:
    """Examples of conflicts in which the types of a rule may have met, if it is one, and how many each stands for."""

    def likely(pairs: Mapping[tuple[int, int], float]) -> float:
        return 0.0 if isinstance(place, str) else max(pairs.get(place, 0.0), pairs.get((place[1], place[0]), 0.0))

    most = max(likely(pairs) for _, pairs in group)
    possible = [conflict for conflict, pairs in group if likely(pairs) == most]
    examples = _examples(possible)
    return examples, len(possible) / len(examples)


def _spans(spots: Iterable[Spot]) -> Iterator[Span]:
    """The spans of plays that consist of these ticks alone: others between them would count for as many."""
    spans: list[Span] = []
    for play, k in spots:
        if spans and spans[-1][0] == play and k == spans[-1][2]:
            spans[-1] = play, spans[-1][1], k + 1
        else:
            spans.append((play, k, k + 1))
    yield from spans
