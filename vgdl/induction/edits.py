"""Edits: the changes of a hypothesis that could explain a conflict.

All are generic over the rows of the ontology and their signatures: a rule is inserted if its effect can show what was
observed, on the types that were near; rules and classes are swapped, removed, moved, and given other values of
parameters.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vgdl import Winner, ontology
from vgdl.induction import prior
from vgdl.induction.amounts import SHARES, WAYS, Amounts, is_share, names_type
from vgdl.induction.evidence import Evidence, covering
from vgdl.induction.hypothesis import CLOCK, End, Hypothesis, Kind, Rule, Value, joint_name, name_of, numbers_in
from vgdl.induction.likelihood import Conflict
from vgdl.induction.observations import Frame
from vgdl.induction.scenes import Change, Scene
from vgdl.induction.signatures import (
    BACK,
    FIRST,
    GONE,
    HEALTH,
    MOVED,
    NAMED,
    NEW,
    OTHER,
    RESOURCES,
    SECOND,
    class_signature,
    effect_signature,
    fits_observed,
    is_inert,
    needed_types,
    own_parameters,
    switched,
)
from vgdl.ontology.rows import Effect, Lookup, Parameter, Refers, SpriteClass, What
from vgdl.ontology.rows import Kind as FieldKind

_MOST_NAMED = 3  #: types that are tried for a parameter
_MOST_AMOUNTS = 2  #: amounts that are tried for a number of a new rule
_MOST_LEVERS = 3  #: parameters of a class that are set together to what its sprites show
_MOST_SOUGHT = 4  #: types that are tried as those that sprites of a class seek
_MOST_ENDS = 6  #: types, or pairs of them, whose numbers are tried for the end of a game
_RARE = 0.01  #: share of the lines of a class from which a shared parameter is tried on it


class Proposer:
    """Proposes edits of a hypothesis.

    Args:
        evidence: the observed plays.
        amounts: what sprites of each type show (`amounts_of`).
    """

    def __init__(self, evidence: Evidence, amounts: Mapping[int, Amounts]) -> None:
        self.evidence = evidence
        self.amounts = amounts
        frames = [frame for play in evidence.plays for frame in play.frames]
        self.held = sorted(evidence.held)
        counts = [_counts(frame, evidence.types) for frame in frames]
        self._numbers = np.array(counts).reshape(-1, max(1, evidence.types))
        self._outcomes = np.array([frame.winner if frame.is_over else None for frame in frames])

    # ------------------------------------------------------------------------------------------------- rules

    def rules(self, hypothesis: Hypothesis, scene: Scene) -> Iterator[Hypothesis]:
        """Insert a rule whose effect can show the changes, or put it in the place of all rules on its types.

        Rules of the text follow, with another type that may have met: relatives mostly have the same ones.
        """
        for place, rule in enumerate(hypothesis.rules):
            for copy in _copies(rule, scene):
                if copy not in hypothesis.rules:
                    yield hypothesis.with_rules((*hypothesis.rules[:place], copy, *hypothesis.rules[place:]))
        for rule in self.fitting_rules(scene):
            if rule in hypothesis.rules:
                continue
            for place in self._places(hypothesis, rule):
                yield hypothesis.with_rules((*hypothesis.rules[:place], rule, *hypothesis.rules[place:]))
            rest = [other for other in hypothesis.rules if other.pair != rule.pair]
            same = [k for k, other in enumerate(hypothesis.rules) if other.pair == rule.pair]
            scores = [score for k in same if (score := hypothesis.rules[k].get("scoreChange"))]
            whole = rule.but("scoreChange", scores[0]) if scores and not scene.score else rule
            for place in dict.fromkeys((*same[:1], *_before_checks(rest, rule))) if same else ():
                yield hypothesis.with_rules((*rest[:place], whole, *rest[place:]))
            for kind in self._marks(hypothesis, rule, scene):
                if kind != hypothesis.kinds[rule.second]:
                    yield hypothesis.with_rules((*rest, rule)).with_kind(rule.second, kind)

    def certain(self, hypothesis: Hypothesis, rule: Rule) -> Iterator[Hypothesis]:
        """Rules without chance that show the same changes as one that draws, which the hypothesis lacks."""
        if rule.row.draws:
            pairs = dict.fromkeys(((rule.first, rule.second), (rule.second, rule.first)), 1.0)
            scene = Scene(_may_show(rule, Scene(frozenset(), pairs, 0, 0)), pairs, 0, 0)
            for edit in self.rules(hypothesis, scene):
                if not any(new.row.draws for new in set(edit.rules) - set(hypothesis.rules)):
                    yield edit

    def fitting_rules(self, scene: Scene) -> Iterator[Rule]:
        """Rules on the pairs of a scene that can show one of its changes."""
        for row, (first, second) in itertools.product(ontology.ALL_EFFECTS, scene.pairs):
            for named in self._fillings(row, first, second, scene):
                plain = Rule(row.name, named, first, second)
                for given in (plain, *_turned(row, plain, scene)):
                    for rule in self._with_amounts(row, given, scene):
                        yield rule
                        if scene.score:
                            yield rule.but("scoreChange", scene.score)

    def _marks(self, hypothesis: Hypothesis, rule: Rule, scene: Scene) -> Iterator[Kind]:
        """Classes of a rule's second type that only the rule is about: an entrance with an exit, a sign with a way."""
        if rule.second < 0 or (rule.first, MOVED) not in scene.changes:
            return
        others = {kind: None for pair in scene.pairs for kind in pair if kind >= 0 and kind not in rule.pair}
        for row in self._classes(rule.second):
            if needed_types(row) and class_signature(row) <= {GONE}:
                for other in itertools.islice(others, _MOST_NAMED):
                    yield Kind(row.name, tuple((name, name_of(other)) for name in needed_types(row)))
        kind = hypothesis.kinds[rule.second]
        if _turns_first(rule) and is_inert(kind.row):
            yield from (kind.but("orientation", way) for way in WAYS.values())

    def preventions(self, hypothesis: Hypothesis, scene: Scene) -> Iterator[Hypothesis]:
        """Insert, before a rule on types that probably met, one that says that it does not apply where others meet."""
        likely = max(scene.pairs.values(), default=0.0) / 2
        for place, rule in enumerate(hypothesis.rules):
            if rule.first in scene.types and scene.pairs.get((rule.first, rule.second), 0.0) >= likely:
                for row, ((first, second), chance) in itertools.product(_preventing(), scene.pairs.items()):
                    if chance >= likely and first == rule.first and second not in (first, rule.second, CLOCK):
                        named = name_of(rule.second)
                        given = {p.name: rule.word if p.refers is Refers.EFFECT else named for p in own_parameters(row)}
                        new = Rule(row.name, tuple(sorted(given.items())), first, second)
                        yield hypothesis.with_rules((*hypothesis.rules[:place], new, *hypothesis.rules[place:]))

    def _with_amounts(self, row: Effect, rule: Rule, scene: Scene) -> Iterator[Rule]:
        """The rule, and with other amounts for its numbers: by how much the health has changed, if it can show that.

        If it names a type of which avatars hold some, first what was gained in the conflict, then what was held and the
        numbers next to it: words may compare or add. What pushes its own type may do so for all in a row.
        """
        yield rule
        if rule.first == rule.second and (FIRST, MOVED) in effect_signature(row):
            times = max(self.amounts[rule.first].count, default=1) if rule.first in self.amounts else 1
            yield from (rule.but(name, times) for name in _repeating(row) if times > 1)
        held = [kind for _, value in rule.parameters for kind in numbers_in(value) if kind in self.held]
        found: list[int] = []
        if held:
            least, most, gain = scene.held.get(held[0], (0, 0, 0))
            found = [gain, least, least + 1, least - 1, most + 1, *list(self.amounts[held[0]].held)[:_MOST_AMOUNTS]]
        elif scene.health and any(change == HEALTH for _, change in effect_signature(row)):
            found = [abs(scene.health)]
        for parameter in own_parameters(row) if found else ():
            if parameter.kind is FieldKind.INT:
                for amount in dict.fromkeys(found):
                    if amount != parameter.default and (parameter.low is None or amount >= parameter.low):
                        yield rule.but(parameter.name, amount)

    def _fillings(self, row: Effect, first: int, second: int, scene: Scene) -> Iterator[tuple[tuple[str, Value], ...]]:
        """Values for an effect's type parameters with which it can show a change; none if it cannot."""
        signature = effect_signature(row)
        roles = {FIRST: {first}, SECOND: {second}, NAMED: set(), OTHER: scene.types}
        direct = any((kind, change) in scene.changes for role, change in signature for kind in roles[role])
        named = {change for role, change in signature if role == NAMED}
        wanted = [kind for kind, change in sorted(scene.changes) if change in named]
        if not (direct or wanted) or ((OTHER, BACK) in signature and not scene.still):
            return
        parameters = [p for p in own_parameters(row) if names_type(p)]
        options = [self._types_for(row, parameter, wanted, scene) for parameter in parameters]
        for values in itertools.islice(itertools.product(*options), _MOST_NAMED**2):
            yield tuple(
                sorted((p.name, value) for p, value in zip(parameters, values, strict=True) if value is not None)
            )

    def _types_for(
        self, row: Effect, parameter: Parameter, candidates: Sequence[int], scene: Scene
    ) -> list[str | None]:
        """Types to try for a parameter of an effect; None: it is left out."""
        if parameter.name in row.creates:
            fresh = [kind for kind, change in sorted(scene.changes) if change == NEW]
            found = fresh or list(candidates)
        else:
            found = [*candidates, *scene.held, *self.held, *sorted(scene.types)]
        names: list[str | None] = [*map(name_of, list(dict.fromkeys(found))[:_MOST_NAMED])]
        optional = parameter.lookup in (Lookup.OPTIONAL, Lookup.CHECKED)
        return ([None] if optional or not names else []) + names

    def _places(self, hypothesis: Hypothesis, rule: Rule) -> list[int]:
        """Places for a new rule: at the end, at the front, and before the first rule about one of its types."""
        rules = hypothesis.rules
        related = [k for k, other in enumerate(rules) if any(kind >= 0 for kind in other.pair & rule.pair)]
        front = [0] if related else []
        return list(dict.fromkeys([len(rules), *related[:1], *front, *_before_checks(rules, rule)]))

    def revisions(self, hypothesis: Hypothesis, scene: Scene) -> Iterator[Hypothesis]:
        """Remove, move, swap or change the rules that involve a type of the scene."""
        concerned = scene.types | {kind for pair in scene.pairs for kind in pair}
        for k, rule in enumerate(hypothesis.rules):
            if not (rule.pair | rule.types) & concerned:
                continue
            rest = (*hypothesis.rules[:k], *hypothesis.rules[k + 1 :])
            yield hypothesis.with_rules(rest)
            for place in {0, len(rest)} - {k}:
                yield hypothesis.with_rules((*rest[:place], rule, *rest[place:]))
            for other in itertools.chain(self.variants(rule, scene.score), self.family(rule, scene)):
                yield hypothesis.with_rules((*hypothesis.rules[:k], other, *hypothesis.rules[k + 1 :]))

    def variants(self, rule: Rule, score: int) -> Iterator[Rule]:
        """The rule with another value of one parameter."""
        if score:
            total = int(rule.get("scoreChange") or 0) + score
            yield rule.but("scoreChange", total or None)
        for parameter in own_parameters(rule.row):
            for value in self._values(rule, parameter):
                yield rule.but(parameter.name, value)
            if rule.get(parameter.name) is not None and parameter.default is not None:
                yield rule.but(parameter.name, None)

    def _values(self, rule: Rule, parameter: Parameter) -> Iterator[Value]:
        if names_type(parameter):
            yield from (name_of(kind) for kind in dict.fromkeys([*self.held, *sorted(rule.types)]))
            return
        for kind in sorted(rule.types):
            if kind in self.amounts:
                yield from self.amounts[kind].values(parameter)  # type: ignore[misc]

    def family(self, rule: Rule, scene: Scene) -> Iterator[Rule]:
        """The rule with another effect that can show the same, and that has all its parameters, with amounts."""
        own = rule.row
        for row in ontology.ALL_EFFECTS:
            known = ontology.parameters(row)
            if row is own and rule.second >= 0:
                yield replace(rule, first=rule.second, second=rule.first)
            if row is own or not effect_signature(row) & effect_signature(own):
                continue
            kept = tuple((key, value) for key, value in rule.parameters if key in known)
            missing = [
                p for p in own_parameters(row) if names_type(p) and p.default is None and p.name not in dict(kept)
            ]
            options = [[name_of(kind) for kind in dict.fromkeys([*self.held, *sorted(rule.types)])] for _ in missing]
            for values in itertools.islice(itertools.product(*options), _MOST_NAMED):
                extra = tuple((p.name, value) for p, value in zip(missing, values, strict=True))
                given = tuple(sorted((*kept, *extra)))
                yield from self._with_amounts(row, Rule(row.name, given, rule.first, rule.second), scene)

    # ------------------------------------------------------------------------------------------------ classes

    def kinds(self, hypothesis: Hypothesis, scene: Scene) -> Iterator[Hypothesis]:
        """Give the types of a scene other classes or parameters; where sprites appear, those near them as well.

        Of a type of which a sprite appeared, or did not, only parameters are changed: they may say when it can.
        """
        fresh = {kind for kind, change in scene.changes if change == NEW}
        for number, shown in self._to_explain(scene, fresh).items():
            for kind in self.kind_options(hypothesis.kinds[number], number, shown):
                yield hypothesis.with_kind(number, kind)
        near = {kind for pair in scene.pairs for kind in pair if kind >= 0}  # it may have sent them another way
        makers = {kind for kind in near if hypothesis.kinds[kind].made & scene.types}
        for number in sorted(fresh | makers):
            for kind in self.kind_variants(hypothesis.kinds[number], number):
                yield hypothesis.with_kind(number, kind)

    def _to_explain(self, scene: Scene, fresh: Set[int]) -> Mapping[int, Set[str]]:
        """The changes that classes are to show, by type: those of a scene, and new sprites beside others."""
        wanted = {(kind, change) for kind, change in scene.changes if change != NEW}
        wanted |= {(second, NEW) for first, second in scene.pairs if first in fresh and second >= 0}
        if any(change == RESOURCES for _, change in wanted):  # how much can be held is said by what is held
            wanted |= {(kind, RESOURCES) for kind in self.held}
        parts = itertools.groupby(sorted(wanted), key=lambda change: change[0])
        return {number: {change for _, change in changes} for number, changes in parts}

    def kind_options(self, kind: Kind, number: int, shown: Set[str]) -> Iterator[Kind]:
        """Other classes of the same category that can show a change, and other values of the present parameters."""
        amounts = self.amounts.get(number, Amounts())
        for other in self._classes(number):
            if other.name != kind.word and (BACK in shown or class_signature(other) & shown):
                usual = next(self._settings(other, amounts))
                for plain in self._completed(other, kind, amounts):
                    yield plain
                    yield Kind(plain.word, tuple(sorted({**dict(plain.parameters), **usual}.items())))
                    shares = (lever for lever in _levers(other) if is_share(lever))
                    yield from (plain.but(lever.name, share) for lever in shares for share in amounts.likeliest(lever))  # type: ignore[arg-type]
        yield from self.kind_variants(kind, number)

    def kindred(self, number: int, hypothesis: Hypothesis) -> Iterator[Kind]:
        """The classes of other types that change, as they are, and with one parameter less or as this type shows it."""
        amounts = self.amounts.get(number, Amounts())
        possible = {row.name: ontology.parameters(row) for row in self._classes(number)}
        for other in sorted(self.evidence.changing - {number}):
            kind = hypothesis.kinds[other]
            if kind.word in possible and kind.parameters:
                yield kind
                for key, _ in kind.parameters:
                    yield kind.but(key, None)
                    yield from (kind.but(key, value) for value in amounts.likeliest(possible[kind.word][key]))  # type: ignore[arg-type]

    def fresh_kinds(self, number: int) -> Iterator[Kind]:
        """The classes that a type can have, each by default and with the values that its sprites show most often."""
        amounts = self.amounts.get(number, Amounts())
        for row in self._classes(number):
            settings = list(self._settings(row, amounts))
            for place, plain in enumerate(self._completed(row, Kind(row.name), amounts)):
                for given in settings if place == 0 else settings[: 1 << _MOST_LEVERS]:
                    yield Kind(row.name, tuple(sorted({**dict(plain.parameters), **given}.items())))

    def _settings(self, row: SpriteClass, amounts: Amounts) -> Iterator[dict[str, Value]]:
        """Values of parameters that are set together, probabilities and switches: all that is shown, then less."""
        own, common = prior.counts().get(row.name, {}), prior.counts()["any"]
        levers = [p for p in _levers(row) if not names_type(p) and amounts.likeliest(p)]
        levers = sorted(levers, key=lambda p: (-own.get(p.name, 0), -common.get(p.name, 0), p.name))[:_MOST_LEVERS]
        shown: dict[str, Value] = {p.name: value for p in levers for value in amounts.likeliest(p)}  # type: ignore[misc]
        subsets = [
            dict(chosen) for size in range(len(shown), -1, -1) for chosen in itertools.combinations(shown.items(), size)
        ]
        yield from subsets
        for place, lever in enumerate(levers):
            if is_share(lever):
                before = dict(itertools.islice(shown.items(), place))
                yield from ({**before, lever.name: share} for share in SHARES)
        yield from self._rarer_settings(row, amounts, subsets[: 1 + len(shown)])
        switches = (p for p in _levers(row) if p.kind is FieldKind.BOOL)
        for switch in (p for p in switches if own.get(p.name) or row.avatar):  # the classes of avatars are few
            yield from ({**given, switch.name: not switch.default} for given in ({}, shown))

    @staticmethod
    def _rarer_settings(
        row: SpriteClass, amounts: Amounts, subsets: Sequence[dict[str, Value]]
    ) -> Iterator[dict[str, Value]]:
        """The same with a time after which sprites turn, or end if the class can end them."""
        ends = amounts.ages if GONE in class_signature(row) else ()
        for given, lever in itertools.product(subsets, own_parameters(row)):
            spans = (*amounts.repeats(lever), *ends) if lever.kind is FieldKind.INT else ()
            yield from ({**given, lever.name: span} for span in spans if span != lever.default)

    def kind_variants(self, kind: Kind, number: int) -> Iterator[Kind]:
        """The class with another value of one parameter."""
        amounts = self.amounts.get(number, Amounts())
        row = kind.row
        for parameter in _levers(row):
            values: Iterable[object] = amounts.values(parameter)
            if names_type(parameter):
                values = [name_of(named) for named in amounts.types(parameter.name in row.creates)]
                known = set() if parameter.name in row.creates else set(numbers_in(kind.get(parameter.name) or ""))
                others = (other for other in amounts.types(False) if known and other not in known)
                values += [joint_name(known | {other}) for other in others]
            for value in values:
                if kind.get(parameter.name) != value:
                    yield kind.but(parameter.name, value)  # type: ignore[arg-type]
            if parameter.name in switched(row, set(amounts.categories)):
                continue
            if kind.get(parameter.name) is not None and (parameter.default is not None or not names_type(parameter)):
                yield kind.but(parameter.name, None)

    def simpler_kinds(self, hypothesis: Hypothesis, number: int) -> Iterator[Hypothesis]:
        """Give a type a class that does less, or fewer parameters: what these explained may be due to rules by now."""
        kind, amounts = hypothesis.kinds[number], self.amounts.get(number, Amounts())
        for row in self._classes(number):
            if class_signature(row) <= class_signature(kind.row):
                yield from (hypothesis.with_kind(number, plain) for plain in self._completed(row, kind, amounts))
        for key in dict(kind.parameters):
            if key not in switched(kind.row, set(amounts.categories)):
                yield hypothesis.with_kind(number, kind.but(key, None))

    def made_variants(self, hypothesis: Hypothesis, number: int) -> Iterator[Hypothesis]:
        """Turn a switch of a type that the class of another one makes: it may say when one can be made."""
        for other in sorted(hypothesis.kinds[number].made):
            kind = hypothesis.kinds[other]
            for switch in (p for p in _levers(kind.row) if p.kind is FieldKind.BOOL):
                turned = None if kind.get(switch.name) is not None else not switch.default
                yield hypothesis.with_kind(other, kind.but(switch.name, turned))

    def _classes(self, number: int) -> list[SpriteClass]:
        """The classes that a type can have by its category, and by the actions if it is an avatar."""
        seen = set(self.amounts[number].categories) if number in self.amounts else set()
        actions = self.evidence.actions.get(number)
        return [row for row in ontology.ALL_SPRITE_CLASSES if fits_observed(row, seen, actions)]

    def _completed(self, row: SpriteClass, kind: Kind, amounts: Amounts) -> Iterator[Kind]:
        """The class with types for the parameters that name some; parameters of the former class that fit are kept."""
        known = ontology.parameters(row)
        kept = tuple((key, value) for key, value in kind.parameters if key in known and not names_type(known[key]))
        kept = tuple(sorted({**dict(kept), **switched(row, set(amounts.categories))}.items()))
        naming = [p for p in own_parameters(row) if names_type(p)]
        if not naming:
            yield Kind(row.name, kept)
            return
        needed = needed_types(row)
        parameter = min(naming, key=lambda p: (p.name not in row.creates, p.name not in needed))
        options = amounts.types(parameter.name in row.creates)
        if parameter.name not in row.creates:
            avatars = self.evidence.actions.keys()
            options = sorted(options, key=lambda n: (-amounts.drawn(n), n not in avatars, n))[:_MOST_SOUGHT]
        if not options if parameter.name in row.creates else parameter.name not in needed:  # none seen, or optional
            yield Kind(row.name, tuple(sorted({**needed, **dict(kept)}.items())))
        for other in options:
            yield Kind(row.name, tuple(sorted({**needed, **dict(kept), parameter.name: name_of(other)}.items())))

    # ------------------------------------------------------------------------------------------- terminations

    def ends(self, hypothesis: Hypothesis, conflicts: Iterable[Conflict]) -> Iterator[Hypothesis]:
        """Insert, remove or change a termination."""
        for k in range(len(hypothesis.ends)):
            yield hypothesis.with_ends((*hypothesis.ends[:k], *hypothesis.ends[k + 1 :]))
        frames = [self.evidence.plays[conflict.play].frames[conflict.index + 1] for conflict in conflicts]
        last = [frame for frame in frames if frame.is_over]
        for end in self._likely_ends(last) if last else ():
            yield from (hypothesis.with_ends(ends) for ends in ((*hypothesis.ends, end), (end, *hypothesis.ends)))
            for k in range(len(hypothesis.ends)):  # the first one that applies decides
                yield hypothesis.with_ends((*hypothesis.ends[:k], end, *hypothesis.ends[k + 1 :]))

    def shorter_ends(self, hypothesis: Hypothesis) -> Iterator[Hypothesis]:
        """Put another termination in the place of one, which may have been the first that explained the last tick."""
        frames = [play.frames[-1] for play in self.evidence.plays if play.frames[-1].is_over]
        for k, end in enumerate(hypothesis.ends):
            last = [frame for frame in frames if str(frame.winner == Winner.PLAYER_WINS) == end.get("win")]
            for other in self._likely_ends(last) if last else ():
                yield hypothesis.with_ends((*hypothesis.ends[:k], other, *hypothesis.ends[k + 1 :]))

    def _likely_ends(self, last: Sequence[Frame]) -> Iterator[End]:
        """Terminations by time, by numbers of sprites as in many of these last frames and in few with another end."""
        win = (("win", str(last[0].winner == Winner.PLAYER_WINS)),)
        counts = np.array([_counts(frame, self.evidence.types) for frame in last])
        others = self._numbers[self._outcomes != last[0].winner]
        found = []
        for size in (1, 2):
            for kinds in itertools.combinations(range(self.evidence.types), size):
                for limit, hits in Counter(counts[:, kinds].sum(1).tolist()).items():
                    alarms = int((others[:, kinds].sum(1) == limit).sum())
                    found.append((alarms - hits, size, kinds, limit))
        likely = sorted(found)[:_MOST_ENDS]
        gone = covering(np.unique(others > 0, axis=0), np.flatnonzero(~counts.any(0)).tolist())
        for row in ontology.ALL_TERMINATIONS:
            known = ontology.parameters(row).get("limit")
            naming = [p.name for p in own_parameters(row) if names_type(p)]
            if not naming:
                yield End(row.name, tuple(sorted((("limit", last[0].tick), *win))))
            for _, size, kinds, limit in likely:
                if size <= len(naming):
                    named = zip(naming, map(name_of, kinds), strict=False)
                    extra = (("limit", limit),) if known and limit != known.default else ()
                    yield End(row.name, tuple(sorted((*named, *extra, *win))))
            if naming and len(gone) > 2:
                yield End(row.name, tuple(sorted(((naming[0], joint_name(gone)), *win))))


def _counts(frame: Frame, types: int) -> NDArray[np.int64]:
    """How many sprites of each type a frame has, without an avatar that is dead."""
    counts = np.bincount(frame.arrays["type"], minlength=types)
    if frame.avatar is not None and not frame.avatar.is_alive and frame.avatar.id in frame.fates:
        counts[frame.avatar.type] -= 1
    return counts


@functools.cache
def _preventing() -> tuple[Effect, ...]:
    """The effects that say of another one that it does not happen: they name it, and what it would happen with."""
    found = {row: own_parameters(row) for row in ontology.ALL_EFFECTS if not row.writes}
    return tuple(
        row
        for row, known in found.items()
        if any(p.refers is Refers.EFFECT for p in known)
        and all(p.refers is Refers.EFFECT or names_type(p) for p in known)
    )


@functools.cache
def _levers(row: SpriteClass) -> tuple[Parameter, ...]:
    """The parameters of a class that are worth a trial: its own, and shared ones that games give to such classes."""
    counts = prior.counts()
    mine, everyone = counts.get(row.name, {}), counts["any"]
    lines = sum(counts["sprite"].values())
    shared = [
        p
        for p in ontology.parameters(row).values()
        if not p.internal and not p.drawing and (mine.get(p.name) or everyone.get(p.name, 0) > _RARE * lines)
    ]
    return tuple({p.name: p for p in (*own_parameters(row), *shared)}.values())


def _before_checks(rules: Sequence[Rule], rule: Rule) -> list[int]:
    """The place of a rule that moves sprites before the first one that may put them back."""
    backs = ((k, {change for _, change in effect_signature(other.row)}) for k, other in enumerate(rules))
    checks = [k for k, changes in backs if BACK in changes and MOVED not in changes and rules[k].pair & rule.pair]
    return checks[:1] if (FIRST, MOVED) in effect_signature(rule.row) else []


def _copies(rule: Rule, scene: Scene) -> Iterator[Rule]:
    """The rule on pairs of types of a scene that differ from its own in one type, also with what the avatar gained."""
    gained = [name_of(kind) for kind, (*_, gain) in scene.held.items() if gain]
    for first, second in scene.pairs:
        if (
            (first == rule.first) != (second == rule.second)
            and first >= 0
            and (CLOCK not in (second, rule.second) or second == rule.second)
        ):
            yield (copy := replace(rule, first=first, second=second))
            for key in (key for key, value in rule.parameters if numbers_in(value)):
                yield from (copy.but(key, name) for name in gained if name != rule.get(key))


def changed_rules(one: Hypothesis, other: Hypothesis) -> set[Rule]:
    """The rules that only one of two hypotheses has, or that have another place."""
    counts, others = Counter(one.rules), Counter(other.rules)
    rules = set((counts - others) + (others - counts))
    if not rules:
        rules = {rule for rule, moved in zip(one.rules, other.rules, strict=True) if rule != moved}
    return rules


def changed_kinds(one: Hypothesis, other: Hypothesis) -> set[int]:
    """The types that have another class, and those that either class makes."""
    pairs = enumerate(zip(one.kinds, other.kinds, strict=True))
    return {kind for k, (was, now) in pairs if was != now for kind in (k, *was.made, *now.made)}


def _turns_first(rule: Rule) -> bool:
    return any(write.target == "first" and write.what & What.ORIENTATION for write in rule.row.writes)


@functools.cache
def _repeating(row: Effect) -> tuple[str, ...]:
    """The parameters by which an effect runs several times in a tick, once by default."""
    shared = (p for p in ontology.parameters(row).values() if p not in own_parameters(row) and not p.internal)
    return tuple(p.name for p in shared if p.kind is FieldKind.INT and p.low == p.default == 1)


@functools.cache
def _switches(row: Effect) -> Mapping[str, bool]:
    """The switches of an effect on which what it shows depends, with what they are by default."""
    known = ontology.parameters(row)
    return {when: bool(known[when].default) for when in sorted({write.when for write in row.writes if write.when})}


def _turned(row: Effect, rule: Rule, scene: Scene) -> Iterator[Rule]:
    """A rule with one of its switches turned on, if it shows more of the changes of a scene then."""
    for switch in (switch for switch, is_on in _switches(row).items() if not is_on):
        turned = rule.but(switch, True)
        if _may_show(turned, scene) & scene.changes > _may_show(rule, scene) & scene.changes:
            yield turned


def _may_show(rule: Rule, scene: Scene) -> frozenset[Change]:
    """The changes that a rule may show."""
    given = dict(rule.parameters)
    on = frozenset(switch for switch, is_on in _switches(rule.row).items() if given.get(switch, is_on))
    roles = {FIRST: {rule.first}, SECOND: {rule.second}, NAMED: rule.named, OTHER: scene.types}
    return frozenset((kind, change) for role, change in effect_signature(rule.row, on) for kind in roles[role])


def explicable(one: Hypothesis, other: Hypothesis, scene: Scene, conflicts: int) -> float:
    """How many facts of all conflicts of a scene a new rule, class or termination of the other hypothesis may explain.

    A rule explains those in which its types may have met.
    """
    best = 0.0
    for rule in set(other.rules) - set(one.rules):
        shown = set(_may_show(rule, scene))
        if rule.row in _preventing():  # what it prevents may have any other fate
            shown |= {change for change in scene.changes if change[0] == rule.first}
        facts = len(shown & scene.changes) + (bool(scene.score) and rule.get("scoreChange") == scene.score)
        told = [amount for kind, amount in scene.told if kind in rule.types]
        facts += any(type(value) is int and value in told for key, value in rule.parameters if key != "scoreChange")
        best = max(best, facts * scene.pairs.get((rule.first, rule.second), 0.0))
    for number, (was, now) in enumerate(zip(one.kinds, other.kinds, strict=True)):
        if was != now:
            changes = {(number, change) for change in class_signature(now.row)}
            changes |= {(named, NEW) for named in now.types if now.row.creates}
            if was.word == now.word:  # its signature does not tell what one parameter is good for
                changes |= {change for change in scene.changes if change[0] in {number, *now.made}}
            best = max(best, conflicts * len(changes & scene.changes))
    return best + conflicts * (scene.end > 0 and one.ends != other.ends)


def touched(one: Hypothesis, other: Hypothesis) -> frozenset[int]:
    """The types that two hypotheses treat differently."""
    rules = changed_rules(one, other)
    found = {kind for rule in rules for kind in rule.types}
    if any((OTHER, BACK) in effect_signature(rule.row) for rule in rules):
        return frozenset(range(len(one.kinds)))
    found |= changed_kinds(one, other)
    return frozenset(found) if one.order == other.order else frozenset(range(len(one.kinds)))
