"""Races: the class of each type is chosen by what its sprites do where they meet no others.

All classes that can be observed in the category of a type are tried with the values that its sprites show, on few spans
of plays first; those that are left are tried on more.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from vgdl.induction import parts, prior
from vgdl.induction.amounts import Amounts
from vgdl.induction.edits import Proposer
from vgdl.induction.evidence import Evidence, Span
from vgdl.induction.hypothesis import Hypothesis, Kind
from vgdl.induction.likelihood import BRIEF, EXCUSES, MET, WARM, Judge, Report
from vgdl.induction.signatures import MOVED, class_signature
from vgdl.induction.spending import Purse
from vgdl.language import VGDLError

_ALONE, _SPANS = 10, 20  #: ticks of a span on which classes are chosen, and number of spans
_RACE = ((2, 60), (6, 15))  #: spans, and classes that are left after them; the last ones are judged on all spans
_PEAKS = 3  #: words of classes whose parameters are improved
_CLASSES = 0.5  #: of the budget of a call, for the classes
_MOST_BIRTHS = 2  #: types of new sprites by which the class of their maker is chosen
_MAKER = 0.5  #: births beside a maker, as a share of those beside sprites of the type that has most of them
_LEAST_BIRTHS = 2  #: births beside a type and no other maker, for it to be one, too
_FLOOR = 0.8  #: cells with a sprite of a type, as a share of all, from which it is taken for a floor
_MARGIN, _WORSE = 10.0, 1.5  #: bits of a class that is left: so many and so many times those of the best one

_Item = TypeVar("_Item")


class Races:
    """Chooses classes.

    Args:
        evidence: the observed plays, which may grow between calls of `choose`.
        judge: compiles and judges texts.
        purse: the budget.
    """

    def __init__(self, evidence: Evidence, judge: Judge, purse: Purse) -> None:
        self.evidence = evidence
        self.judge = judge
        self.purse = purse
        self.proposer = Proposer(evidence, {})
        self._chosen: dict[int, int] = {}  # changes of a type that were seen when its class was chosen
        self._active: dict[int, int] = {}  # spans in which a type changes
        self._makers: dict[int, frozenset[int]] = {}  # by type: those that may make its sprites

    def prepare(self, proposer: Proposer) -> None:
        """Take over what the evidence shows by now."""
        self.proposer = proposer
        shown = proposer.amounts
        possible = shown.keys() - self._floors()
        beside = {other: {kind: shown[kind].births_nearby[other] for kind in possible} for other in shown}
        self._makers = {other: _makers(beside[other], shown[other].makers) for other in list(shown)}

    def _floors(self) -> set[int]:
        """The types that are nearly everywhere when plays begin: that something appears on them shows nothing."""
        starts = [play.frames[0] for play in self.evidence.plays]
        cells = [math.prod(length // frame.block_size for length in frame.world_dimension) for frame in starts]
        counts = [Counter(frame.arrays["type"].tolist()) for frame in starts]
        types = set().union(*counts)
        return {k for k in types if all(c[k] >= _FLOOR * n for c, n in zip(counts, cells, strict=True))}

    def choose(self, best: Hypothesis, proposer: Proposer) -> Hypothesis:
        """The hypothesis with new classes of the types that have changed since."""
        self.prepare(proposer)
        whole = self.purse.most
        classes = self.purse.part(_CLASSES)
        sizes = {number: self._size(number) for number in range(len(best.kinds))}
        waiting = [n for n, size in sizes.items() if size > self._chosen.get(n, 0)]
        waiting.sort(key=lambda n: (n not in self.evidence.actions, not self._births(n), -sizes[n], n))
        peaks: dict[int, list[Kind]] = {}
        for choose in (self._with_class, self._with_parameters):  # all classes first: they may be named by others
            if choose == self._with_parameters:
                waiting.reverse()  # makers last: they also settle what becomes of those that they make
            for done, number in enumerate(waiting):
                self.purse.most = classes
                self.purse.most = self.purse.part(1 / (len(waiting) - done))  # what one does not need is for others
                best = choose(best, number, peaks)
                if not self.purse.spent:  # else the race was cut off, and is run again when there is more to spend
                    self._chosen[number] = sizes[number]
        self.purse.most = whole
        return best

    def _size(self, number: int) -> int:
        """How often sprites of a type were seen to change, or others to appear on them."""
        return self._births(number) + sum(number in changed for ticks in self.evidence.changed for changed in ticks)

    def _births(self, number: int) -> int:
        """How often sprites were seen to appear where one of a type is."""
        return self.proposer.amounts.get(number, Amounts()).births.total()

    def _with_class(self, best: Hypothesis, number: int, peaks: dict[int, list[Kind]]) -> Hypothesis:
        """The hypothesis with the class of a type that fits its moves best; the best ones are put into ``peaks``."""
        spots = self._spots_of(number)
        row = best.kinds[number].row
        rests = MOVED not in class_signature(row)
        is_settled = number in self._chosen and not row.draws
        if rests or is_settled:
            report = self._report_alone(best, number, spots)
            if not report.hard and (rests or report.total <= MET * EXCUSES):  # meetings may explain all changes
                return best
        fresh = sorted(self.proposer.fresh_kinds(number), key=lambda kind: prior.word_bits("sprite", kind.word))
        words = [list(kinds) for _, kinds in itertools.groupby(fresh, key=lambda kind: kind.word)]
        # frequent classes first, each with the values that were shown, then each with fewer of them, and so on
        turns = (kind for row in itertools.zip_longest(*words) for kind in row if kind is not None)
        kinds = itertools.chain(self.proposer.kindred(number, best), turns)
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
        shown = self.proposer.amounts.get(number)
        while not self.purse.spent:
            variants = self.proposer.kind_variants(best.kinds[number], number)
            options = [best.with_kind(number, kind) for kind in variants]
            options += self.proposer.made_variants(best, number)
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
        """The best of some hypotheses that differ in the class of a type; of ``most`` classes, none worse than before.

        They race: all are judged on the first spans, those that are left on more spans, and the last ones on all with
        more futures. On a part of the spans, a text costs that part of its bits.
        """
        # the later trials need a share of the budget, too
        left = self.purse.most[0] - self.judge.judged - 2 * _RACE[0][1]
        contenders = list(dict.fromkeys(options))[: max(left, _RACE[0][1])]
        for count, kept in (*_RACE, (len(spots), most)):
            part, rough = spots[:count], count < len(spots)
            share, warm = len(part) / self._active[number], BRIEF if count == _RACE[0][0] else WARM
            bound = own = self._alone(best, number, part, math.inf, share=share, rough=rough, warm=warm)
            found: list[tuple[float, float, Hypothesis]] = []
            for option in contenders:
                if self.purse.spent:
                    break
                limit = _MARGIN + _WORSE * bound if rough else min(own, _MARGIN + _WORSE * bound)
                bits = self._alone(option, number, part, limit, share=share, rough=rough, warm=warm)
                if bits < limit:
                    found.append((bits, bits - share * self._length_alone(option, number), option))
                    bound = min(bound, bits)
            ranked = [option for bits, option in _varied(found) if bits < own or (rough and not self.purse.spent)]
            if not rough or self.purse.spent:
                ranked = first_of_each(ranked, key=lambda option: option.kinds[number].word)
            contenders = ranked[:kept]
            if not contenders or self.purse.spent:
                break
        return contenders

    def _confirmed(self, best: Hypothesis, option: Hypothesis, number: int, spots: Sequence[Span]) -> bool:
        """Whether a class is better with other random numbers, too."""
        if parts.CONFIRMATION in self.purse.without:
            return True
        share = len(spots) / self._active[number]
        with self.judge.other_draws():
            limit = self._alone(best, number, spots, math.inf, share=share, rough=False)
            return self._alone(option, number, spots, limit, share=share, rough=False) < limit

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
        """The bits of a class, or a share of them, and of what sprites of its type and those beside them do alone."""
        bits = share * self._length_alone(hypothesis, number)
        try:
            return bits + self._report_alone(hypothesis, number, spots, enough - bits, rough, warm).total
        except VGDLError:
            return math.inf

    def _report_alone(
        self,
        hypothesis: Hypothesis,
        number: int,
        spots: Sequence[Span],
        enough: float = math.inf,
        rough: bool = True,
        warm: int = WARM,
    ) -> Report:
        """How a class predicts what sprites of its type do alone. Raises VGDLError."""
        types = self._household(number) | hypothesis.kinds[number].made  # what it makes in vain counts, too
        world = self.judge.world(hypothesis.of(types | self.evidence.actions.keys()))
        return self.judge.report(world, spots, types=types, alone=number, rough=rough, enough=enough, warm=warm)

    def _household(self, number: int) -> frozenset[int]:
        """A type, and those of which it may make sprites."""
        near = self.proposer.amounts.get(number, Amounts()).births_nearby.most_common()
        found = [other for other, _ in near if number in self._makers[other]]
        return frozenset({number, *found[:_MOST_BIRTHS]})

    def _length_alone(self, hypothesis: Hypothesis, number: int) -> float:
        """The bits of the classes of a type and of those that appear beside it, and of the order of types."""
        kinds = hypothesis.kinds
        mine = [kinds[member] for member in sorted(self._household(number))]
        own = sum(prior.kind_bits(kind, len(kinds), like=kinds.count(kind) > 1) for kind in mine)
        return own + len(hypothesis.order) * math.log2(len(hypothesis.kinds) + 1)

    def _spots_of(self, number: int) -> list[Span]:
        """Spans of plays in which sprites of a type change, or others appear beside them, often.

        The first one is early, when clocks are known; others are not, since most classes begin alike.
        """
        shown = self.proposer.amounts.get(number, Amounts())
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
        others = spread([spot for spot in usual if spot not in rare], _SPANS - len(rare))
        mixed = [spot for pair in itertools.zip_longest(others, rare) for spot in pair if spot is not None]
        return [(play, part * _ALONE, (part + 1) * _ALONE) for play, part in mixed]


def _makers(beside: Mapping[int, int], near: Counter[frozenset[int]]) -> frozenset[int]:
    """The types beside which about as many appeared as beside any other, and those that explain most of the rest.

    A beam that passes a lamp is no maker of the glow on it, but of two kinds of dens, both make sprites.
    """
    most = max(beside.values(), default=0)
    found = {kind for kind, count in beside.items() if count > _MAKER * most}
    while rest := Counter(
        kind for kinds, count in near.items() if not kinds & found for kind in [*kinds & beside.keys()] * count
    ):
        kind, count = min(rest.items(), key=lambda item: (-item[1], item[0]))
        if count < _LEAST_BIRTHS:
            break
        found.add(kind)
    return frozenset(found)


def _varied(found: Iterable[tuple[float, float, Hypothesis]]) -> list[tuple[float, Hypothesis]]:
    """Hypotheses, found with all bits and those of the evidence: first one for each number of the latter, and so on."""
    places: Counter[float] = Counter()
    ranked = []
    for bits, evidence, option in sorted(found, key=lambda judged: judged[0]):
        same = round(evidence, 3)
        ranked.append((places[same], bits, option))
        places[same] += 1
    return [(bits, option) for _, bits, option in sorted(ranked, key=lambda entry: entry[:2])]


def first_of_each(ranked: Iterable[_Item], key: Callable[[_Item], object]) -> list[_Item]:
    """The first item with each key, in the order of these first ones."""
    firsts: dict[object, _Item] = {}
    for item in ranked:
        firsts.setdefault(key(item), item)
    return list(firsts.values())


def spread(spots: Sequence[_Item], most: int) -> list[_Item]:
    """So many of some ticks or conflicts, evenly distributed."""
    return list(spots) if len(spots) <= most else [spots[k * len(spots) // most] for k in range(most)]
