"""The search: K hypotheses, improved where they predict worst.

The conflicts of the best hypothesis are grouped by what is to be explained. For the costliest group, edits are proposed
and tried on a few of its ticks; those that gain are judged on all evidence, and the best one is accepted if the bits that
it saves exceed those of its text. The search ends when no conflict has an edit that pays, or when the budget is spent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from vgdl import ontology
from vgdl.core.data.layout import Category
from vgdl.induction import prior
from vgdl.induction.amounts import amounts_of, names_type
from vgdl.induction.edits import Proposer, Scene, fits_observed, own_parameters, scenes_of, touched
from vgdl.induction.hypothesis import SPARE, Hypothesis, Kind
from vgdl.induction.likelihood import Conflict, Evidence, Judge, Report, World
from vgdl.induction.signatures import class_signature
from vgdl.language import VGDLError
from vgdl.ontology.rows import Lookup, SpriteClass

_EXAMPLES = 4  #: conflicts of a group on which edits are tried
_SHORT, _LONG = (1, 2), (8, 16)  #: ticks before and after a conflict on which rules, and classes, are tried
_CONTROLS = 8  #: ticks on which edits should change nothing
_FINALISTS = 16  #: edits of a conflict that are judged on all evidence
_ACCEPTED = 2  #: improvements among these after which no more are judged
_ROUNDS = 200  #: accepted edits of one call, at most


@dataclass(frozen=True)
class Budget:
    """What a search may cost, in counts that do not depend on the machine.

    Attributes:
        hypotheses: hypotheses that are compiled.
        ticks: ticks that are simulated.
        width: hypotheses that are kept.
    """

    hypotheses: int = 12_000
    ticks: int = 1_500_000
    width: int = 4


@dataclass(frozen=True)
class Judged:
    """A hypothesis with its bits: those of the text plus those of the evidence."""

    hypothesis: Hypothesis
    total: float
    report: Report = field(compare=False)


class Search:
    """Searches for the texts that explain the evidence best.

    Args:
        evidence: the observed plays, which may grow between calls of `improve`.
        budget: limits of all calls together.
    """

    def __init__(self, evidence: Evidence, budget: Budget | None = None) -> None:
        self.evidence = evidence
        self.budget = budget or Budget()
        self.judge = Judge(evidence)
        self.beam: list[Judged] = []
        self._vain: set[tuple[object, ...]] = set()  # groups without an edit that pays

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        judge = self.judge
        return judge.judged >= self.budget.hypotheses or judge.simulated >= self.budget.ticks

    def improve(self) -> None:
        """Search until nothing pays or the budget is spent."""
        hypotheses = [self._completed(judged.hypothesis) for judged in self.beam] or [self._completed(Hypothesis(()))]
        judged = [self._judged(hypothesis, math.inf) for hypothesis in dict.fromkeys(hypotheses)]
        self.beam = sorted((j for j in judged if j is not None), key=lambda j: j.total)[: self.budget.width]
        self._vain.clear()
        self._proposer = Proposer(self.evidence, amounts_of(self.evidence.plays))
        for _ in range(_ROUNDS):
            if self.spent or not self._improve_once():
                return

    def _completed(self, hypothesis: Hypothesis) -> Hypothesis:
        """The hypothesis with a class for every type that was seen, the shortest one of its category."""
        kinds = list(hypothesis.kinds)
        seen = _categories(self.evidence)
        for number in range(len(kinds), self.evidence.types):
            kinds.append(_default_kind(seen.get(number), self.evidence.actions.get(number)))
        for number, actions in self.evidence.actions.items():  # a type that turned out to be an avatar
            if not kinds[number].word.endswith("Avatar"):
                kinds[number] = _default_kind(Category.AVATAR, actions)
        square = _square_size(self.evidence)
        return replace(hypothesis, kinds=tuple(kinds), square_size=square)

    def _judged(self, hypothesis: Hypothesis, enough: float, parent: Judged | None = None) -> Judged | None:
        """Judge a hypothesis on all evidence; None if it does not compile or costs more than ``enough``.

        What chance explains about types that it treats as its parent does costs what it costs there.
        """
        length = prior.bits(hypothesis)
        same = {}
        if parent is not None:
            concerned = touched(parent.hypothesis, hypothesis)
            same = {kind: bits for kind, bits in parent.report.soft.items() if kind not in concerned}
        try:
            world = self.judge.world(hypothesis)
            report = self.judge.report(world, enough=enough - length - sum(same.values()))
        except VGDLError:
            return None
        if parent is not None:
            report.soft = Counter({kind: bits for kind, bits in report.soft.items() if kind in concerned} | same)
        total = length + report.total
        return Judged(hypothesis, total, report) if total <= enough else None

    # ------------------------------------------------------------------------------------------------- one step

    def _improve_once(self) -> bool:
        """Accept an edit of the best hypothesis that has one, for its costliest group of conflicts that has one."""
        for judged in self.beam:
            for scene, group in self._groups(judged):
                if self.spent:
                    return False
                found = self._best_edit(judged, scene, group)
                if found is not None:
                    return True
                self._vain.add(self._mark(judged.hypothesis, scene))
        return False

    def _groups(self, judged: Judged) -> Iterator[tuple[Scene, list[Conflict]]]:
        """The conflicts by what is to be explained, costliest first, without those that were tried in vain."""
        groups: dict[tuple[object, ...], list[Conflict]] = {}
        scenes: dict[tuple[object, ...], Scene] = {}
        for conflict in judged.report.conflicts:
            for scene in scenes_of(conflict, self.evidence):
                known = scenes.setdefault(scene.key, scene)
                if len(groups.setdefault(scene.key, [])) < _EXAMPLES:
                    merged = tuple(dict.fromkeys((*known.pairs, *scene.pairs)))
                    scenes[scene.key] = replace(known, pairs=merged)
                groups[scene.key].append(conflict)
        for key in sorted(groups, key=lambda key: -sum(conflict.hard for conflict in groups[key])):
            if self._mark(judged.hypothesis, scenes[key]) not in self._vain:
                yield scenes[key], groups[key]

    def _mark(self, hypothesis: Hypothesis, scene: Scene) -> tuple[object, ...]:
        """Identifies a group together with the rules that concern it: after they have changed, it is tried again."""
        concerned = scene.types
        rules = tuple(rule for rule in hypothesis.rules if rule.types & concerned)
        return scene.key, rules, tuple(hypothesis.kinds[kind] for kind in sorted(concerned)), hypothesis.ends

    def _best_edit(self, best: Judged, scene: Scene, group: Sequence[Conflict]) -> Judged | None:
        """The best edit that pays, which is then in the beam."""
        examples = sorted(group, key=lambda conflict: (conflict.hard, conflict.play, conflict.index))[:_EXAMPLES]
        spots = [(c.play, c.index - _SHORT[0], c.index + _SHORT[1]) for c in examples]
        spots += self._controls(best, scene)
        trials = self._tried(best, self._edits(best, scene, examples[0]), spots)
        if scene.changes:
            wide = [(c.play, c.index - _LONG[0], c.index + _LONG[1]) for c in (examples[0], examples[-1])]
            trials += self._tried(best, self._proposer.kinds(best.hypothesis, scene), wide)
        trials.sort(key=lambda trial: trial[0])
        accepted: Judged | None = None
        improved = 0
        for _, hypothesis in trials[:_FINALISTS]:
            if improved >= _ACCEPTED:
                break
            limit = best.total if accepted is None else accepted.total
            judged = self._judged(hypothesis, limit + self._slack, best)
            if judged is not None:
                self._keep(judged)
                if judged.total < limit:
                    accepted = judged
                    improved += 1
        return accepted

    def _controls(self, best: Judged, scene: Scene) -> list[tuple[int, int, int]]:
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

    def _edits(self, best: Judged, scene: Scene, example: Conflict) -> Iterator[Hypothesis]:
        yield from self._proposer.revisions(best.hypothesis, scene)
        if scene.changes:
            yield from self._proposer.rules(best.hypothesis, scene)
        if scene.end:
            yield from self._proposer.ends(best.hypothesis, example)

    def _tried(
        self, best: Judged, edits: Iterable[Hypothesis], spots: Sequence[tuple[int, int, int]]
    ) -> list[tuple[float, Hypothesis]]:
        """The edits that gain in some spans of plays, with their bits; the best one has the fewest."""
        try:
            before = self._report_of(self.judge.world(best.hypothesis), spots, math.inf)
        except VGDLError:
            return []
        length = prior.bits(best.hypothesis)
        found = []
        for hypothesis in dict.fromkeys(edits):
            if self.spent:
                break
            types = touched(best.hypothesis, hypothesis)
            least = before.hard + sum(before.soft[kind] for kind in types)
            try:
                report = self._report_of(self.judge.world(hypothesis), spots, least)
            except VGDLError:
                continue
            bits = report.hard + sum(report.soft[kind] for kind in types)
            if bits < least:
                found.append((bits - least + prior.bits(hypothesis) - length, hypothesis))
        return found

    def _report_of(self, world: World, spots: Sequence[tuple[int, int, int]], enough: float) -> Report:
        """The report on some spans of plays."""
        whole = Report()
        for play, start, stop in spots:
            part = self.judge.report(world, (play,), span=(start, stop), enough=enough - whole.hard)
            whole.hard += part.hard
            whole.soft.update(part.soft)
            if whole.hard > enough:
                break
        return whole

    def _keep(self, judged: Judged) -> None:
        """Put a hypothesis into the beam, the best ones of which are kept."""
        others = [other for other in self.beam if other.hypothesis != judged.hypothesis]
        self.beam = sorted([judged, *others], key=lambda j: j.total)[: self.budget.width]


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

    Of avatars, it also has these actions. Types that its parameters must name are spare ones.
    """
    rows = [row for row in ontology.ALL_SPRITE_CLASSES if fits_observed(row, {category} - {None}, actions)]
    row = min(rows, key=lambda row: (len(class_signature(row)), len(needed_types(row)), prior.word_bits("sprite", row.name)))
    return Kind(row.name, tuple((name, SPARE) for name in needed_types(row)))


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
