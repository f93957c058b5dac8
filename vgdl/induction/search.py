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
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from vgdl import Category, ontology
from vgdl.induction import parts, prior
from vgdl.induction.amounts import Amounts, amounts_of, names_type
from vgdl.induction.edits import (
    Proposer,
    Scene,
    changed_rules,
    explicable,
    fits_observed,
    own_parameters,
    scenes_of,
    switched,
    touched,
)
from vgdl.induction.evidence import Evidence, Span, Spot
from vgdl.induction.hypothesis import CLOCK, SPARE, Hypothesis, Kind, has_chance
from vgdl.induction.likelihood import BRIEF, MET, MISS, WARM, Conflict, Judge, Report, World
from vgdl.induction.signatures import MOVED, class_signature
from vgdl.language import VGDLError
from vgdl.ontology.rows import Lookup, SpriteClass

_EXAMPLES = 4  #: conflicts of a group on which edits are tried
_SHORT, _LONG = (0, 2), (8, 16)  #: ticks before and after a conflict on which rules, and classes, are tried
_CONTROLS = 8  #: ticks on which edits should change nothing
_MOST_PAIRS = 24  #: ordered pairs of types that may have met, of a group: those that met in most of its conflicts
_WEIGHED = 1  #: conflicts of a group by which edits are put in order: more would try all effects on one pair first
_SLICE = 30  #: edits that are tried at a time, those first that may explain most
_DEPTHS = (0, 3, 6, 30)  #: slices per conflict: those up to the second number first, further ones where nothing pays
_EXPLAINED = 0.8  #: of the bits of a conflict's examples; an edit that saves so many is accepted without further trials
_FINALISTS = 3  #: edits of classes, and of rules, whose gain is estimated for a conflict
_ACCEPTED = 2  #: of these, so many are judged again on all evidence
_NEAR = 20.0  #: bits by which another hypothesis may be worse than the best one to be improved in its stead
_ALONE, _SPANS = 10, 20  #: ticks of a span on which classes are chosen, and number of spans
_RACE = ((2, 60), (6, 15))  #: spans, and classes that are left after them; the last ones are judged on all spans
_PEAKS = 3  #: words of classes whose parameters are improved
_CLASSES = 0.5  #: of the budget of a call, for the classes
_MOST_BIRTHS = 2  #: types of new sprites by which the class of their maker is chosen
_MARGIN, _WORSE = 10.0, 1.5  #: bits of a class that is left: so many and so many times those of the best one
_RELEVANT = 12  #: conflicts, and right predictions, on which the gain of an edit is estimated, at most
_JUDGED = 600  #: ticks that hypotheses are judged by, at most
_STRIDE = 20  #: ticks between those on which edits of classes and terminations are tried in any case
_ROUNDS = 200  #: accepted edits of one call, at most


_Item = TypeVar("_Item")
Group = list[tuple[Conflict, Mapping[tuple[int, int], float]]]  #: conflicts with the pairs that may have met in each
Place = tuple[int, int] | str  #: what edits change: rules on a pair of types, classes, or anything else
_CLASSES_OF, _ANY = "classes", "any"


@dataclass(frozen=True)
class Budget:
    """What a search may cost, in counts that do not depend on the machine.

    Attributes:
        hypotheses: hypotheses that are compiled.
        ticks: ticks that are simulated.
        width: hypotheses that are kept.
    """

    hypotheses: int = 10_000
    ticks: int = 1_000_000
    width: int = 4


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
    """

    explained: float
    added: float
    hypothesis: Hypothesis
    share: float
    where: tuple[Spot, ...]

    @property
    def change(self) -> float:
        """Change of all bits."""
        return self.added - self.explained


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
        self.budget = budget or Budget()
        if parts.WIDTH in without:
            self.budget = replace(self.budget, width=1)
        self.without = without
        self.judge = Judge(evidence, has_law=parts.LAW not in without)
        self._most = (0, 0)  # hypotheses and ticks at which a call ends
        self.beam: list[Judged] = []
        self._spans: list[Span] = []
        self._chosen: dict[int, int] = {}  # changes of a type that were seen when its class was chosen
        self._active: dict[int, int] = {}  # spans in which a type changes
        self._known: set[Hypothesis] = set()  # hypotheses that were judged on the present evidence
        self._before: tuple[object, float] | None = None  # bits of the hypothesis that was last compared with edits
        self._vain: dict[tuple[object, ...], int] = {}  # size of groups without an edit that pays
        self._failures: Counter[tuple[object, ...]] = Counter()  # how often no edit of a group paid, by depth and key

    @property
    def spent(self) -> bool:
        """Whether the budget of this call is used up."""
        return self.judge.judged >= self._most[0] or self.judge.simulated >= self._most[1]

    def _allot(self, share: float) -> None:
        """Set the budget of a call."""
        left = self.budget.hypotheses - self.judge.judged, self.budget.ticks - self.judge.simulated
        self._most = (
            self.judge.judged + int(max(0, left[0]) * share),
            self.judge.simulated + int(max(0, left[1]) * share),
        )

    def improve(self, share: float = 1.0) -> None:
        """Search until nothing pays, or a share of the budget that is left is spent."""
        self._allot(share)
        self._spans = self.evidence.spans(_JUDGED)
        hypotheses = [self.completed(judged.hypothesis) for judged in self.beam] or [self.completed(Hypothesis(()))]
        again = [self._judged(hypothesis, math.inf) for hypothesis in dict.fromkeys(hypotheses)]
        self.beam = sorted(
            (judgement for judgement in again if judgement is not None), key=lambda judgement: judgement.total
        )[: self.budget.width]
        self._known.clear()
        self._proposer = Proposer(self.evidence, amounts_of(self.evidence.plays))
        former = self._choose_classes()
        self._improve_long()
        for judged in former:
            self._keep(judged)
        if self.beam[0] in former:  # the new classes did not pay, and the former text may have new conflicts
            self._improve_long()
        self._prune()

    def _improve_long(self) -> None:
        """Accept edits until none pays, or the budget is spent."""
        for _ in range(_ROUNDS):
            if self.spent or not self._improve_once():
                break

    def _prune(self) -> None:
        """Remove the rules of the best hypothesis that have become superfluous, such as those that others forestall."""
        for rule in self.beam[0].hypothesis.rules:
            best = self.beam[0]
            rest = list(best.hypothesis.rules)
            rest.remove(rule)
            judged = self._judged(best.hypothesis.with_rules(rest), best.total, best)
            if judged is not None and judged.total < best.total:
                self._keep(judged)

    def completed(self, hypothesis: Hypothesis, types: int = 0) -> Hypothesis:
        """The hypothesis with a class for every type that was seen, the shortest one of its category."""
        kinds = list(hypothesis.kinds)
        seen = _categories(self.evidence)
        for number in range(len(kinds), max(types, self.evidence.types)):
            kinds.append(_default_kind(seen.get(number), self.evidence.actions.get(number)))
        for number, actions in self.evidence.actions.items():  # a type that turned out to be an avatar
            row = ontology.sprite_class(kinds[number].word)
            if row is None or not row.avatar:
                kinds[number] = _default_kind(Category.AVATAR, actions)
        square = _square_size(self.evidence)
        return replace(hypothesis, kinds=tuple(kinds), square_size=square)

    def _length(self, hypothesis: Hypothesis) -> float:
        """The bits of a text."""
        return prior.bits(hypothesis) if parts.PRIOR not in self.without else prior.flat_bits(hypothesis)

    def _kind_length(self, kind: Kind, hypothesis: Hypothesis) -> float:
        """The bits of the class of a type of a text."""
        types = len(hypothesis.kinds)
        return prior.kind_bits(kind, types) if parts.PRIOR not in self.without else prior.flat_line_bits("sprite", kind)

    def _judged(self, hypothesis: Hypothesis, enough: float, parent: Judged | None = None) -> Judged | None:
        """Judge a hypothesis on all evidence; None if it does not compile or costs more than ``enough``.

        Types that it treats as its parent does cost what they cost there.
        """
        length = self._length(hypothesis)
        self._known.add(hypothesis)
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

    # -------------------------------------------------------------------------------------------------- classes

    def _choose_classes(self) -> list[Judged]:
        """Choose the classes of types that have changed since by what their sprites do where they meet no others.

        The search goes on from these classes, even if they explain less at first: they may lack rules about meetings.

        Returns:
            The former hypotheses, to be compared in the end.
        """
        best = self.beam[0].hypothesis
        whole = self._most
        classes = self._part(_CLASSES)
        sizes = {number: self._size(number) for number in range(len(best.kinds))}
        waiting = [n for n, size in sizes.items() if size > self._chosen.get(n, 0)]
        waiting.sort(key=lambda n: (n not in self.evidence.actions, not self._births(n), -sizes[n], n))
        peaks: dict[int, list[Kind]] = {}
        for choose in (self._with_class, self._with_parameters):  # all classes first: they may be named by others
            if choose == self._with_parameters:
                waiting.reverse()  # makers last: they also settle what becomes of those that they make
            for done, number in enumerate(waiting):
                self._most = classes
                self._most = self._part(1 / (len(waiting) - done))  # what a type does not need is for those after it
                best = choose(best, number, peaks)
                if not self.spent:  # else the race was cut off, and is run again when there is more to spend
                    self._chosen[number] = sizes[number]
        self._most = whole
        judged = self._judged(best, math.inf) if best != self.beam[0].hypothesis else None
        if judged is None:
            return []
        former, self.beam = self.beam, [judged]
        return former

    def _part(self, share: float) -> tuple[int, int]:
        """The hypotheses and ticks at which a share of what is left of the call's budget is spent."""
        judged, simulated = self.judge.judged, self.judge.simulated
        return judged + int((self._most[0] - judged) * share), simulated + int((self._most[1] - simulated) * share)

    def _size(self, number: int) -> int:
        """How often sprites of a type were seen to change, or others to appear on them."""
        return self._births(number) + sum(number in changed for ticks in self.evidence.changed for changed in ticks)

    def _births(self, number: int) -> int:
        """How often sprites were seen to appear where one of a type is."""
        shown = self._proposer.amounts.get(number)
        return 0 if shown is None else sum(shown.births.values())

    def _with_class(self, best: Hypothesis, number: int, peaks: dict[int, list[Kind]]) -> Hypothesis:
        """The hypothesis with the class of a type that fits its moves best; the best ones are put into ``peaks``."""
        spots = self._spots_of(number)
        rest = round(self._alone(best, number, spots, math.inf) - self._length_alone(best, number), 6)
        changes = sum(number in changed for play, a, z in spots for changed in self.evidence.changed[play][a:z])
        row = ontology.sprite_class(best.kinds[number].word)
        rests = row is not None and MOVED not in class_signature(row)
        if rests and rest <= MET * changes:  # meetings may explain all changes
            return best
        fresh = sorted(self._proposer.fresh_kinds(number), key=lambda kind: prior.word_bits("sprite", kind.word))
        words = [list(kinds) for _, kinds in itertools.groupby(fresh, key=lambda kind: kind.word)]
        # frequent classes first, each with the values that were shown, then each with fewer of them, and so on
        turns = (kind for row in itertools.zip_longest(*words) for kind in row if kind is not None)
        kinds = itertools.chain(self._proposer.kindred(number, best), turns)
        ranked = self._raced(best, number, spots, [best.with_kind(number, kind) for kind in kinds], _PEAKS)
        peaks[number] = [option.kinds[number] for option in ranked] or [best.kinds[number]]
        return self._winner(best, number, spots, ranked)

    def _with_parameters(self, best: Hypothesis, number: int, peaks: dict[int, list[Kind]]) -> Hypothesis:
        """The hypothesis with the parameters of a type that fit its moves best, in the best one of a few classes."""
        spots = self._spots_of(number)
        starts = [best.with_kind(number, kind) for kind in peaks.get(number, ())]
        ranked = self._raced(best, number, spots, [self._climbed(start, number, spots) for start in starts])
        return self._winner(best, number, spots, ranked)

    def _climbed(self, best: Hypothesis, number: int, spots: Sequence[Span]) -> Hypothesis:
        """The hypothesis with parameters of a type changed, one at a time, as long as this pays."""
        shown = self._proposer.amounts.get(number)
        while not self.spent:
            variants = self._proposer.kind_variants(best.kinds[number], number)
            options = [best.with_kind(number, kind) for kind in variants]
            options += self._proposer.made_variants(best, number)
            if shown is not None and shown.born and number not in best.order[:1]:
                options.insert(0, best.with_first(number))
            better = self._winner(best, number, spots, self._raced(best, number, spots, options))
            if better == best:
                break
            best = better
        return best

    def _winner(self, best: Hypothesis, number: int, spots: Sequence[Span], ranked: Sequence[Hypothesis]) -> Hypothesis:
        """The first of some classes that is better than the former one with other random numbers, too."""
        return next((option for option in ranked if self._confirmed(best, option, number, spots)), best)

    def _raced(
        self, best: Hypothesis, number: int, spots: Sequence[Span], options: Iterable[Hypothesis], most: int = 1
    ) -> list[Hypothesis]:
        """The best of some hypotheses that differ in the class of a type, best first; none that is worse than before.

        They race: all are judged on the first spans, those that are left on more spans, and the last ones on all with
        more futures. Texts that predict the same must not displace all others, so the first one of each
        prediction comes before the second ones. On a part of the spans, a text costs that part of its bits.

        Args:
            most: words of classes that are left; of each, only the best one is.
        """
        left = self._most[0] - self.judge.judged - 2 * _RACE[0][1]  # the later trials need a share of the budget, too
        contenders = list(dict.fromkeys(options))[: max(left, _RACE[0][1])]
        for count, kept in (*_RACE, (len(spots), most)):
            part, rough = spots[:count], count < len(spots)
            share, warm = self._share(number, part), BRIEF if count == _RACE[0][0] else WARM
            bound = own = self._alone(best, number, part, math.inf, share=share, rough=rough, warm=warm)
            found: list[tuple[float, float, Hypothesis]] = []
            for option in contenders:
                if self.spent:
                    break
                limit = _MARGIN + _WORSE * bound if rough else min(own, _MARGIN + _WORSE * bound)
                bits = self._alone(option, number, part, limit, share=share, rough=rough, warm=warm)
                if bits < limit:
                    found.append((bits, bits - share * self._length_alone(option, number), option))
                    bound = min(bound, bits)
            ranked = [option for bits, option in _varied(found) if bits < own or (rough and not self.spent)]
            if not rough or self.spent:
                ranked = _first_of_each(ranked, key=lambda option: option.kinds[number].word)
            contenders = ranked[:kept]
            if not contenders or self.spent:
                break
        return contenders

    def _confirmed(self, best: Hypothesis, option: Hypothesis, number: int, spots: Sequence[Span]) -> bool:
        """Whether a class is better with other random numbers, too."""
        if parts.CONFIRMATION in self.without:
            return True
        share = self._share(number, spots)
        with self.judge.other_draws():
            limit = self._alone(best, number, spots, math.inf, share=share, rough=False)
            return self._alone(option, number, spots, limit, share=share, rough=False) < limit

    def _share(self, number: int, spots: Sequence[Span]) -> float:
        """The share of the bits of a type's class that count on some of the spans in which it changes."""
        return len(spots) / self._active[number]

    def _alone(
        self,
        hypothesis: Hypothesis,
        number: int,
        spots: Sequence[Span],
        enough: float,
        *,
        share: float = 1.0,
        rough: bool = True,
        warm: int = WARM,
    ) -> float:
        """The bits of a class and of what sprites of its type do alone, with the sprites that appear beside them.

        Args:
            share: of the bits of the class that count.
            warm: ticks before each span that are simulated, too.
        """
        bits = share * self._length_alone(hypothesis, number)
        types = self._household(number)
        try:
            world = self.judge.world(hypothesis.of(types | self.evidence.actions.keys()))
            report = self.judge.report(
                world, spots, types=types, alone=number, rough=rough, enough=enough - bits, warm=warm
            )
        except VGDLError:
            return math.inf
        return bits + report.total

    def _household(self, number: int) -> frozenset[int]:
        """A type, and those of which new sprites appear beside its own most often."""
        shown = self._proposer.amounts.get(number, Amounts())
        return frozenset({number, *(other for other, _ in shown.births_nearby.most_common(_MOST_BIRTHS))})

    def _length_alone(self, hypothesis: Hypothesis, number: int) -> float:
        """The bits of the classes of a type and of those that appear beside it, and of the order of types."""
        own = sum(self._kind_length(hypothesis.kinds[kind], hypothesis) for kind in sorted(self._household(number)))
        return own + prior.order_bits(hypothesis)

    def _spots_of(self, number: int) -> list[Span]:
        """Spans of plays in which sprites of a type change, or others appear beside them, often.

        The first one is early, since hidden facts such as clocks are known at the start of a play. Those that follow
        are from all parts of plays: where all sprites still go straight ahead, most classes look alike.
        """
        shown = self._proposer.amounts.get(number, Amounts())
        active = Counter(
            (play, k // _ALONE)
            for play, ticks in enumerate(self.evidence.changed)
            for k, changed in enumerate(ticks)
            if number in changed or (play, k) in shown.makes
        )
        often = max(active.values(), default=0) / 2
        usual = sorted(active or {(0, 0): 1}, key=lambda spot: (active[spot] < often, spot[1], spot))
        self._active[number] = len(usual)
        worth = shown.worth(_ALONE)
        rare = sorted(worth, key=lambda spot: (-worth[spot], spot))[: _SPANS // 2]
        spread = _share_of([spot for spot in usual if spot not in rare], _SPANS - len(rare))
        mixed = [spot for pair in itertools.zip_longest(spread, rare) for spot in pair if spot is not None]
        return [(play, part * _ALONE, (part + 1) * _ALONE) for play, part in mixed]

    # ------------------------------------------------------------------------------------------------- one step

    def _improve_once(self) -> bool:
        """Accept an edit for the costliest group of conflicts that has one.

        Groups come in the order of their bits, divided by the number of edits that have been tried and those that are
        to be tried; the best hypothesis comes before others that are nearly as good.
        """
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
        for judged, depth, scene, group in itertools.chain(tasks, rest):
            if self.spent:
                return False
            if self._is_vain(judged, depth, scene, group):
                continue
            if self._best_edit(judged, scene, group, depth) is not None:
                return True
            self._vain[self._mark(judged.hypothesis, scene, depth)] = len(group)
            self._failures[depth, scene.key] += 1
        return False

    def _is_vain(self, judged: Judged, depth: int, scene: Scene, group: Group) -> bool:
        """Whether a group, with fewer than twice as many conflicts, was tried in vain with the same rules."""
        return len(group) < 2 * self._vain.get(self._mark(judged.hypothesis, scene, depth), 0)

    def _groups(self, judged: Judged) -> Iterator[tuple[float, Scene, Group]]:
        """The conflicts by what is to be explained, with their bits."""
        groups: dict[tuple[object, ...], Group] = {}
        scenes: dict[tuple[object, ...], Scene] = {}
        pairs: dict[tuple[object, ...], Counter[tuple[int, int]]] = defaultdict(Counter)
        for conflict in judged.report.conflicts:
            for scene in scenes_of(conflict, self.evidence):
                scenes.setdefault(scene.key, scene)
                pairs[scene.key].update(scene.pairs)
                groups.setdefault(scene.key, []).append((conflict, scene.pairs))
        for key, group in groups.items():
            likeliest = dict(pairs[key].most_common(_MOST_PAIRS))
            bits = 1.0 if parts.CONFLICTS in self.without else sum(conflict.bits for conflict, _ in group)
            yield bits, replace(scenes[key], pairs=likeliest), group

    def _mark(self, hypothesis: Hypothesis, scene: Scene, depth: int) -> tuple[object, ...]:
        """Identifies a group together with the rules that concern it: after they have changed, it is tried again."""
        concerned = scene.types
        rules = tuple(rule for rule in hypothesis.rules if rule.types & concerned)
        kinds = tuple(hypothesis.kinds[kind] for kind in sorted(concerned))
        return depth, scene.key, rules, kinds, scene.end and hypothesis.ends

    def _best_edit(self, best: Judged, scene: Scene, group: Group, depth: int) -> Judged | None:
        """The best edit that pays, which is then in the beam."""
        controls = self._controls(best, scene)
        kinds = self._proposer.kinds(best.hypothesis, scene) if scene.changes else ()
        outlook = functools.partial(self._outlook, best, scene, len(group))
        found = (*self._edits(best, scene, group[0][0]), kinds)
        ranked = [sorted(dict.fromkeys(edits), key=outlook) for edits in found]
        mixed = (edit for row in itertools.zip_longest(*ranked) for edit in row if edit is not None)
        edits = list(itertools.islice(mixed, _SLICE * _DEPTHS[depth], _SLICE * _DEPTHS[depth + 1]))
        trials: list[Trial] = []
        for start in range(0, len(edits), _SLICE):
            if self.spent:
                break
            places: dict[Place, list[Hypothesis]] = {}
            for edit in edits[start : start + _SLICE]:
                places.setdefault(_place_of(best.hypothesis, edit), []).append(edit)
            for place, part in places.items():
                trials += self._tried(best, part, _examples_at(place, group), controls, place)
            if any(trial.share >= _EXPLAINED for trial in trials):
                accepted = self._accepted(best, trials)
                if accepted is not None:
                    return accepted
                trials = []
        return self._accepted(best, [trial for trial in trials if depth or trial.share >= _EXPLAINED / 2])

    def _outlook(self, best: Judged, scene: Scene, conflicts: int, edit: Hypothesis) -> float:
        """The bits of a text less those of conflicts that it may explain, as the signatures of its new words say."""
        if parts.OUTLOOK in self.without:
            return self._length(edit)
        share = min(1.0, _WEIGHED / conflicts)
        return self._length(edit) - MISS * share * explicable(best.hypothesis, edit, scene, conflicts)

    def _accepted(self, best: Judged, trials: Iterable[Trial]) -> Judged | None:
        """The best of the edits that were tried, if it pays on all evidence; the good ones are then in the beam."""
        ordered = sorted(trials, key=lambda trial: trial.change)
        classes = [trial for trial in ordered if trial.hypothesis.kinds != best.hypothesis.kinds]
        rules = [trial for trial in ordered if trial.hypothesis.kinds == best.hypothesis.kinds]
        likeliest = classes[:_FINALISTS] + rules[:_FINALISTS]  # they were tried on other ticks
        fresh = [trial for trial in likeliest if trial.hypothesis not in self._known]
        gains = [(self._gain(best, trial.hypothesis, trial.where), trial) for trial in fresh]
        accepted: list[Judged] = []
        for gain, trial in sorted(gains, key=lambda gained: -gained[0])[:_ACCEPTED]:
            if gain <= 0:
                break
            judged = self._judged(trial.hypothesis, best.total + self._slack, best)
            with self.judge.other_draws():
                lasting = (
                    parts.CONFIRMATION in self.without
                    or not has_chance(trial.hypothesis)
                    or (judged is not None and self._gain(best, trial.hypothesis, trial.where) > 0)
                )
            if judged is not None and lasting:
                self._keep(judged)
                accepted += [judged] if judged.total < best.total else []
        return min(accepted, key=lambda judged: judged.total, default=None)

    def _gain(self, parent: Judged, child: Hypothesis, where: Sequence[Spot]) -> float:
        """The bits that an edit saves on the ticks that may depend on it, less those that it adds to the text."""
        types = touched(parent.hypothesis, child)
        warm = BRIEF if (parent.hypothesis.kinds, parent.hypothesis.order) == (child.kinds, child.order) else WARM
        spans = tuple(_spans(sorted({*where, *self._relevant(parent, child)}), warm))
        cost = self._length(child) - self._length(parent.hypothesis)
        key = parent.hypothesis, types, spans, self.judge.salt
        try:
            if self._before is None or self._before[0] != key:
                report = self._report_of(
                    self.judge.world(parent.hypothesis), spans, math.inf, types, rough=False, warm=warm
                )
                self._before = key, report.about(types)
            before = self._before[1]
            report = self._report_of(self.judge.world(child), spans, before - cost, types, rough=False, warm=warm)
        except VGDLError:
            return -math.inf
        return before - report.about(types) - cost

    def _relevant(self, parent: Judged, child: Hypothesis) -> list[Spot]:
        """The ticks that may depend on an edit: those where the types of changed rules are near each other, and so on.

        If there are many, all conflicts are among those that are chosen, and a share of the others.
        """
        found: dict[Spot, None] = {}
        rules = changed_rules(parent.hypothesis, child)
        for rule in sorted(rules, key=lambda rule: rule.line):
            found |= dict.fromkeys(self.evidence.near(rule.first, rule.second))
        kinds = {k for k, (one, two) in enumerate(zip(parent.hypothesis.kinds, child.kinds, strict=True)) if one != two}
        ends = parent.hypothesis.ends != child.ends
        for play, ticks in enumerate(self.evidence.changed):
            last = len(ticks) - 1
            found |= {(play, k): None for k, changed in enumerate(ticks) if changed & kinds or (ends and k == last)}
            if kinds or ends or any(rule.second == CLOCK for rule in rules):
                found |= {(play, k): None for k in range(0, last + 1, _STRIDE)}
        wrong = [spot for spot in found if spot in parent.report.costs]
        right = sorted(found.keys() - set(wrong))
        chosen = _share_of(wrong, _RELEVANT) + _share_of(right, _RELEVANT)
        return sorted(chosen)

    def _controls(self, best: Judged, scene: Scene) -> list[Span]:
        """Ticks that the hypothesis predicts well, with changes of the same types: an edit should not spoil them."""
        wrong = {(conflict.play, conflict.index) for conflict in best.report.conflicts}
        types = scene.types or frozenset(self.evidence.actions)
        found = [
            (play, k, k + 1)
            for play, ticks in enumerate(self.evidence.changed)
            for k, changed in enumerate(ticks)
            if changed & types and (play, k) not in wrong
        ]
        return found[:: max(1, len(found) // _CONTROLS)][:_CONTROLS]

    @property
    def _slack(self) -> float:
        """Bits by which a hypothesis may be worse than the best one and is still kept."""
        return 10.0 if self.budget.width > 1 else 0.0

    def _edits(self, best: Judged, scene: Scene, example: Conflict) -> Iterator[Iterable[Hypothesis]]:
        """The edits of rules and terminations, by their kind."""
        yield self._proposer.revisions(best.hypothesis, scene)
        if scene.changes:
            yield self._proposer.rules(best.hypothesis, scene)
        if scene.end:
            yield self._proposer.ends(best.hypothesis, example)

    def _tried(
        self,
        best: Judged,
        edits: Iterable[Hypothesis],
        examples: Sequence[Conflict],
        controls: list[Span],
        place: Place,
    ) -> list[Trial]:
        """The edits that gain on examples of a group of conflicts, and, if they change rules, on the controls."""
        ends = _LONG if place == _CLASSES_OF else _SHORT
        warm = WARM if place == _CLASSES_OF else BRIEF
        chosen = (examples[0], examples[-1]) if place == _CLASSES_OF else examples
        spots = [(c.play, c.index - ends[0], c.index + ends[1]) for c in chosen]
        spots += [] if place == _CLASSES_OF else controls
        wanted = sum(conflict.bits for conflict in chosen)
        where = tuple((conflict.play, conflict.index) for conflict in examples)
        try:
            world = self.judge.world(best.hypothesis)
            before = self._report_of(world, spots, math.inf, warm=warm)
            first = [self._report_of(world, [spot], math.inf, warm=warm) for spot in spots[: len(chosen)]]
        except VGDLError:
            return []
        length = self._length(best.hypothesis)
        found = []
        for hypothesis in dict.fromkeys(edits):
            if self.spent:
                break
            types = touched(best.hypothesis, hypothesis)
            least = before.about(types)
            try:
                world = self.judge.world(hypothesis)
                shown = (
                    self._report_of(world, [spot], known.about(types), types, warm=warm).about(types)
                    < known.about(types)
                    for spot, known in zip(spots, first, strict=False)
                )
                if not any(shown):
                    continue
                report = self._report_of(world, spots, least, types, warm=warm)
            except VGDLError:
                continue
            bits = report.about(types)
            if bits < least:
                saved = least - bits
                found.append(
                    Trial(saved, self._length(hypothesis) - length, hypothesis, saved / max(1.0, wanted), where)
                )
        return found

    def _report_of(
        self,
        world: World,
        spots: Sequence[Span],
        enough: float,
        types: Set[int] | None = None,
        *,
        rough: bool = True,
        warm: int,
    ) -> Report:
        """The report on some spans of plays."""
        return self.judge.report(world, spots, enough=enough, types=types, rough=rough, warm=warm)

    def _keep(self, judged: Judged) -> None:
        """Put a hypothesis into the beam, the best ones of which are kept."""
        others = [other for other in self.beam if other.hypothesis != judged.hypothesis]
        self.beam = sorted([*others, judged], key=lambda j: j.total)[: self.budget.width]


def _varied(found: Iterable[tuple[float, float, Hypothesis]]) -> list[tuple[float, Hypothesis]]:
    """Hypotheses with their bits: first one for each number of bits of the evidence, then the second ones, and so on.

    Hypotheses that explain the evidence equally well mostly predict the same.

    Args:
        found: all bits, those of the evidence, and the hypothesis.
    """
    places: Counter[float] = Counter()
    ranked = []
    for bits, evidence, option in sorted(found, key=lambda judged: judged[0]):
        same = round(evidence, 3)
        ranked.append((places[same], bits, option))
        places[same] += 1
    return [(bits, option) for _, bits, option in sorted(ranked, key=lambda entry: entry[:2])]


def _first_of_each(ranked: Iterable[_Item], key: Callable[[_Item], object]) -> list[_Item]:
    """The first item with each key, in the order of these first ones."""
    firsts: dict[object, _Item] = {}
    for item in ranked:
        firsts.setdefault(key(item), item)
    return list(firsts.values())


def _examples(group: Sequence[Conflict]) -> list[Conflict]:
    """Conflicts of a group in which little else is wrong, from all parts of plays, since amounts held may matter."""
    simple = sorted(group, key=lambda conflict: (conflict.bits, conflict.play, conflict.index))
    simple = simple[: max(_EXAMPLES, len(group) // 2)]
    return _share_of(sorted(simple, key=lambda conflict: (conflict.play, conflict.index)), _EXAMPLES)


def _place_of(one: Hypothesis, other: Hypothesis) -> Place:
    """What an edit changes: classes, the rules on a pair of types, which is in ascending order, or anything else."""
    if one.kinds != other.kinds:
        return _CLASSES_OF
    new = [rule for rule in other.rules if rule not in one.rules]
    return (min(new[0].first, new[0].second), max(new[0].first, new[0].second)) if len(new) == 1 else _ANY


def _examples_at(place: Place, group: Group) -> list[Conflict]:
    """Examples of a group of conflicts on which to try an edit: of rules, those in which the types may have met."""

    def likely(pairs: Mapping[tuple[int, int], float]) -> float:
        return 0.0 if isinstance(place, str) else max(pairs.get(place, 0.0), pairs.get((place[1], place[0]), 0.0))

    most = max(likely(pairs) for _, pairs in group)
    return _examples([conflict for conflict, pairs in group if likely(pairs) == most])


def _share_of(spots: Sequence[_Item], most: int) -> list[_Item]:
    """So many of some ticks or conflicts, evenly distributed."""
    return list(spots) if len(spots) <= most else [spots[k * len(spots) // most] for k in range(most)]


def _spans(spots: Iterable[Spot], apart: int) -> Iterator[Span]:
    """The spans of plays that ticks are in; those that are close to each other are joined."""
    spans: list[Span] = []
    for play, k in spots:
        if spans and spans[-1][0] == play and k - apart <= spans[-1][2]:
            spans[-1] = play, spans[-1][1], k + 2
        else:
            spans.append((play, k, k + 2))
    yield from spans


def _categories(evidence: Evidence) -> dict[int, int]:
    """The category in which each type was first observed."""
    found: dict[int, int] = {}
    for play in evidence.plays:
        for frame in play.frames:
            for kind, category in zip(frame.arrays["type"].tolist(), frame.arrays["category"].tolist(), strict=True):
                found.setdefault(kind, category)
    return found


def _default_kind(category: int | None, actions: set[str] | None) -> Kind:
    """The least active class, among these the most frequent one, that is observed in a category.

    Of avatars, it also has these actions. Types that its parameters must name are spare ones. Where no class fits, as
    of a type that looks like an avatar and is none, the category is ignored, then the actions as well.
    """
    seen = set() if category is None else {category}
    for categories, known in ((seen, actions), (set(), actions), (set(), None)):
        rows = [row for row in ontology.ALL_SPRITE_CLASSES if fits_observed(row, categories, known)]
        if rows:
            break
    row = min(
        rows, key=lambda row: (len(class_signature(row)), len(needed_types(row)), prior.word_bits("sprite", row.name))
    )
    parameters = {**dict.fromkeys(needed_types(row), SPARE), **switched(row, seen)}
    return Kind(row.name, tuple(sorted(parameters.items())))


def needed_types(row: SpriteClass) -> list[str]:
    """The names of parameters without which no sprite of a class can be made."""
    return sorted(p.name for p in own_parameters(row) if names_type(p) and p.lookup is Lookup.UNCHECKED)


def _square_size(evidence: Evidence) -> int | None:
    """The number of pixels per cell that the game sets; None if it is the engine's default."""
    for play in evidence.plays:
        frame = play.frames[0]
        columns, rows = (size // frame.block_size for size in frame.world_dimension)
        if frame.block_size != max(2, 800 // max(columns, rows)):
            return frame.block_size
    return None
