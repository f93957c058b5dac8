"""The likelihood: how well a hypothesis predicts observed ticks, in bits.

The exact engine runs the text: a state that looks like the observed one (`vgdl.placing`) is advanced by one tick and
compared with the next observation. A wrong prediction costs bits per sprite, and for score, avatar and outcome. Where
the text draws random numbers, further futures are tried, and a fate costs the less the more of them have it.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import warnings
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import vgdl
from vgdl.core.observation import Avatar
from vgdl.core.placing import place
from vgdl.core.state import StateObservation
from vgdl.game import Board, Game
from vgdl.induction.evidence import Evidence, Past, Span, Spot
from vgdl.induction.hypothesis import EDGE, Hypothesis, drawing, has_chance
from vgdl.induction.law import Law
from vgdl.induction.observations import Fate, Frame, Layout, codes, packed
from vgdl.language import TruncatedGameWarning, VGDLError
from vgdl.placing import open_board

MISS = 10.0  #: bits of a sprite whose fate no future has: about its type and its cell, written out
SCORE, AVATAR, END = 10.0, 8.0, 20.0  #: bits of a wrong score, avatar and outcome
MET = 3.0  #: bits of a wrong fate that a meeting may excuse: more than those of a random direction
EXCUSES = 4  #: wrong fates that cost so, at most: a line that explains all meetings costs about as much
EXCUSED = 0.5  #: bits of a further one, so that a class with fewer of them is better
FAILURE = 200.0  #: bits of a tick in which the engine reports an error
FUTURES, ROUGH = 6, 3  #: most futures of a tick whose first one was wrong, where chance is drawn; in a first trial
ENOUGH = 1  #: futures that have the observed fate, after which no more are tried
_CROWD = 200  #: sprites from which a simulated tick counts more than once, by its sprites: it takes as much longer
WARM = 8  #: ticks before a span that are simulated too, so that clocks and directions are known
BRIEF = 2  #: the same where only rules are tried: meetings depend on directions, and these are seen at once
UNVARIED = 4  #: futures with the same wrong fate, after which chance is taken to have no part in it
SCORED, ENDED, ORIENTATION = "score", "end", "orientation"  #: names of facts, as are those about the avatar
_KEPT = 256  #: compiled hypotheses that are kept: races come back to the same ones
_OTHER = 1 << 20  #: by which the seeds of a second opinion differ
_SPREAD = 0x9E3779B97F4A7C15  #: spreads out seeds: the engine's first numbers hardly depend on low bits


@dataclass(frozen=True)
class Miss:
    """A sprite whose fate was predicted wrongly.

    Attributes:
        id: in the observation; -1: a new sprite.
        before, predicted, actual: type and position; None: no such sprite.
    """

    id: int
    before: Fate | None
    predicted: Fate | None
    actual: Fate | None

    @property
    def type(self) -> int:
        """The type of the sprite, before the tick if it existed."""
        fate = self.before or self.actual or self.predicted
        assert fate is not None
        return fate[0]

    def renumbered(self, numbers: Mapping[int, int]) -> Miss:
        """The miss with other numbers of types."""
        fates = (self.before, self.predicted, self.actual)
        return Miss(self.id, *(fate and (numbers.get(fate[0], EDGE), *fate[1:]) for fate in fates))


@dataclass(frozen=True)
class Conflict:
    """A tick that a hypothesis predicts wrongly.

    Attributes:
        play, index: which tick of the evidence.
        misses: sprites with a fate that no future has.
        score: observed change of the score minus the predicted one.
        avatar: names of facts about the avatar that differ.
        end: whether outcome or end differ.
        hard: bits of what no future has, by type of the sprite; `EDGE`: of score, avatar and outcome.
        soft: bits of what some futures have, likewise.
    """

    play: int
    index: int
    misses: tuple[Miss, ...]
    score: float
    avatar: tuple[str, ...]
    end: bool
    hard: Mapping[int, float]
    soft: Mapping[int, float]

    @property
    def spot(self) -> Spot:
        """The number of the play and the index of the tick."""
        return self.play, self.index

    @property
    def bits(self) -> float:
        """Bits of what no future has."""
        return sum(self.hard.values())

    def without(self, types: Set[int]) -> Conflict:
        """What is wrong about the sprites of other types."""
        return replace(
            self,
            misses=tuple(miss for miss in self.misses if miss.type not in types),
            score=0.0,
            avatar=(),
            end=False,
            hard={kind: bits for kind, bits in self.hard.items() if kind != EDGE and kind not in types},
            soft={kind: bits for kind, bits in self.soft.items() if kind != EDGE and kind not in types},
        )

    def joined(self, other: Conflict) -> Conflict:
        """What is wrong about this conflict's sprites and those of another of the same tick."""
        return replace(
            self,
            misses=(*self.misses, *other.misses),
            hard=Counter(self.hard) + Counter(other.hard),
            soft=Counter(self.soft) + Counter(other.soft),
        )


@dataclass
class Report:
    """How a hypothesis predicts the evidence.

    Attributes:
        hard: bits of what was wrong in all futures, by type; `EDGE` stands for score, avatar and outcome.
        soft: bits of what chance explains, likewise. They vary with the random numbers, so they are compared between
            hypotheses only for types that these treat differently.
        certain: bits of right predictions of what is drawn, likewise.
        ticks, exact: ticks predicted, and those without any difference.
    """

    hard: Counter[int] = field(default_factory=Counter)
    soft: Counter[int] = field(default_factory=Counter)
    certain: Counter[int] = field(default_factory=Counter)
    costs: dict[Spot, Conflict] = field(default_factory=dict)  #: by play and index
    ticks: int = 0
    exact: int = 0
    wrong: int = 0  #: number of conflicts
    surprise: float = 0.0  #: bits of each, besides those of what is wrong in it
    stopped: bool = False  #: whether it ends early, since it costs more than was asked for

    @property
    def conflicts(self) -> list[Conflict]:
        """The wrong predictions that chance does not explain."""
        return [conflict for conflict in self.costs.values() if conflict.hard]

    @property
    def total(self) -> float:
        """All bits."""
        bits = sum(self.hard.values()) + sum(self.soft.values()) + sum(self.certain.values())
        return bits + self.surprise * self.wrong

    def about(self, types: Iterable[int]) -> float:
        """The bits of some types, and of score, avatar and outcome."""
        concerned = {EDGE, *types}
        wrong = sum(not concerned.isdisjoint(c.hard) for c in self.costs.values()) if self.surprise else 0
        bits = sum(self.hard[kind] + self.soft[kind] + self.certain[kind] for kind in concerned)
        return bits + self.surprise * wrong

    def note(self, conflict: Conflict) -> None:
        """Add a wrong prediction."""
        self.hard.update(conflict.hard)
        self.soft.update(conflict.soft)
        self.costs[conflict.play, conflict.index] = conflict
        self.wrong += bool(conflict.hard)


class World:
    """A compiled hypothesis.

    Raises:
        VGDLError: its text is not a valid game.
    """

    def __init__(self, hypothesis: Hypothesis) -> None:
        self.hypothesis = hypothesis
        with warnings.catch_warnings():
            warnings.simplefilter("error", TruncatedGameWarning)
            try:
                self.game: Game = vgdl.loads(hypothesis.text, name="hypothesis")
            except TruncatedGameWarning as warning:
                raise VGDLError(str(warning)) from warning
        self.numbers = hypothesis.numbers
        self.own = {engine: number for number, engine in self.numbers.items()}
        self.chance = has_chance(hypothesis)
        self.drawing = frozenset(self.numbers[number] for number in drawing(hypothesis))
        self.makers = makers_of(hypothesis)
        self._boards: dict[Layout, Board] = {}
        self._holds: dict[int, bool] = {}  # by type: whether an avatar of the text can hold some
        rows = self.game._rules.tables.table["types"]
        if not all(rows["creatable"][number] for number in self.numbers.values()):
            raise VGDLError("a type of which no sprite can be made")

    def owned(self, bits: Counter[int]) -> Counter[int]:
        """Bits by the hypothesis' numbers of types, from those by the engine's."""
        return Counter({self.own.get(kind, EDGE): value for kind, value in bits.items()})

    def board(self, layout: Layout) -> Board:
        """The board of a level. Raises VGDLError if it cannot be built."""
        if layout not in self._boards:
            self._boards[layout] = open_board(self.game, layout.text, "hypothesis", block_size=layout.block_size)
        return self._boards[layout]

    def carried(self, frame: Frame, placed: StateObservation) -> dict[int, int]:
        """What the avatar of a frame holds of types that no word of the text gives or takes: it keeps it."""
        if frame.avatar is None or not frame.avatar.resources or placed.avatar is None:
            return {}
        held = _held(frame.avatar)
        for kind in held.keys() - self._holds.keys():
            self._holds[kind] = kind in placed.avatar.resources
        return {kind: amount for kind, amount in held.items() if not self._holds[kind]}

    @staticmethod
    def spread(seed: int) -> int:
        """A number of 48 bits; neighbouring seeds get very different ones."""
        return (seed + 1) * _SPREAD >> 8 & (1 << 48) - 1

    def placed(
        self,
        board: Board,
        frame: Frame,
        before: StateObservation | None = None,
        last: Frame | None = None,
        seed: int = 0,
        past: Past | None = None,
    ) -> StateObservation:
        """A state that looks like a frame with the engine's numbers of types; see `vgdl.core.placing.place`."""
        return place(
            board.tables,
            frame.arrays,
            before=before,
            last=None if last is None else last.arrays,
            tick=frame.tick,
            score=frame.score,
            winner=frame.winner,
            ended=frame.is_over,
            avatar=frame.avatar,
            seed=self.spread(seed),
            recording=False,
            born=past and past.born,
            moved=past and past.moved,
        )


def cost(frame: Frame) -> float:
    """What it costs to simulate a tick, in ticks with few sprites."""
    return max(1.0, len(frame.arrays) / _CROWD)


class Judge:
    """Runs hypotheses on the evidence, and counts what this costs: ticks that are simulated."""

    def __init__(self, evidence: Evidence, *, has_law: bool = True) -> None:
        self.evidence = evidence
        self._has_law = has_law
        self._limits = (FUTURES, ENOUGH)
        self._warm = WARM
        self.simulated = 0.0  #: ticks simulated so far, each by its `cost`
        self.judged = 0  #: hypotheses compiled so far
        self.surprise = 0.0  #: bits of a tick in which anything is wrong: which one it is takes more if they are rare
        self.salt = 0  #: added to the seeds of random numbers
        self._worlds: OrderedDict[Hypothesis, World] = OrderedDict()  # the last ones

    @contextlib.contextmanager
    def other_draws(self) -> Iterator[None]:
        """Judge with other random numbers: what is better by chance only seldom is so twice."""
        self.salt = _OTHER
        try:
            yield
        finally:
            self.salt = 0

    def world(self, hypothesis: Hypothesis) -> World:
        """Compile a hypothesis, unless it was one of the last ones. Raises VGDLError."""
        if hypothesis in self._worlds:
            self._worlds.move_to_end(hypothesis)
            return self._worlds[hypothesis]
        self.judged += 1
        self._worlds[hypothesis] = world = World(hypothesis)
        if len(self._worlds) > _KEPT:
            self._worlds.popitem(last=False)
        return world

    def report(
        self,
        world: World,
        spans: Iterable[Span] | None = None,
        *,
        types: Set[int] | None = None,
        alone: int | None = None,
        rough: bool = False,
        enough: float = math.inf,
        known: Report | None = None,
        warm: int = WARM,
    ) -> Report:
        """Predict the ticks of plays.

        Args:
            world: the compiled hypothesis.
            spans: of plays; None: all plays.
            types: judge only sprites of these types, and score, avatar and outcome; None: all.
            alone: judge only what sprites of this type do by themselves, including new sprites beside them: not score,
                resources and outcome, and what may be due to a meeting costs but `MET`, for at most `EXCUSES` of them.
            rough: try fewer futures.
            enough: stop when the bits exceed this.
            known: where sprites of types other than ``types`` go is taken from this report.
            warm: ticks before each span that are simulated, too.
        """
        report = Report(surprise=self.surprise if alone is None else 0.0)
        self._warm = warm
        self._law = Law()
        self._limits = (ROUGH, 1) if rough else (FUTURES, ENOUGH)
        engine = None if types is None else frozenset(world.numbers[kind] for kind in types)
        self._excused: set[Miss] = set()  # the same meeting excuses again and again
        for span in self.evidence.spans() if spans is None else spans:
            for conflict in self._walk(world, span, report, engine, alone):
                report.note(conflict)
                report.certain = world.owned(self._law.certain_bits())
                if report.total > enough:
                    report.stopped = True
                    return report
        report.certain = world.owned(self._law.certain_bits())
        report.stopped = report.total > enough
        if known is not None and types is not None:
            for spot, conflict in known.costs.items():
                rest = conflict.without(types)
                if rest.hard or rest.soft:
                    report.costs[spot] = report.costs[spot].joined(rest) if spot in report.costs else rest
                    report.hard.update(rest.hard)
                    report.soft.update(rest.soft)
            report.certain.update({kind: bits for kind, bits in known.certain.items() if kind not in types})
            report.costs = dict(sorted(report.costs.items()))
            report.wrong = len(report.conflicts)
        return report

    def _walk(
        self, world: World, span: Span, report: Report, types: Set[int] | None, alone: int | None
    ) -> Iterator[Conflict]:
        """The wrong predictions of a part of a play, tick by tick; hidden facts are carried on."""
        number, start, stop = span
        frames = self.evidence.frames(number, world.hypothesis)
        only = world.hypothesis.only
        start, stop = max(0, start), min(stop, len(frames) - 1)
        layout = self.evidence.layouts[number]
        board = world.board(layout if only is None else layout.of(only))
        first = max(0, start - self._warm)
        salt = self.salt + number * 4001
        last, past = frames[first - 1] if first else None, self.evidence.past(number, first)
        shadow = world.placed(board, frames[first], None, last, salt, past)
        for k in range(first, start):
            shadow.advance(frames[k].action)
            self.simulated += cost(frames[k])
            shadow = world.placed(board, frames[k + 1], shadow, frames[k], salt + k)
        judged = world.drawing if types is None else world.drawing & types
        judged = judged if alone is None else judged & {world.numbers[alone]}
        complete = replace(world.hypothesis, only=None)
        whole = frames if only is None else self.evidence.frames(number, complete)
        ground = frozenset(complete.numbers[k] for k in self.evidence.ground(alone))
        for k in range(start, stop):
            before, after = frames[k], frames[k + 1]
            origin = shadow.copy(history=False) if world.chance else None
            self._carried = world.carried(before, shadow)
            self._law.ticks += 1
            shadow.advance(before.action)
            self.simulated += cost(before)
            report.ticks += 1
            found = differences(before, shadow, after, self._carried)
            report.exact += found is None
            if found is not None and types is not None:
                found = found.only(types)
            if found is not None and alone is not None:
                found = found.alone(world.numbers[alone], before, after)
            if judged:
                wrong = ((m.before, m.actual) for m in (found.misses if found else ()) if m.before)
                self._law.note_right(judged, after.since(before).moves, wrong)
            if found is not None:
                seen = None if alone is None else Beside(whole[k], whole[k + 1], ground)
                yield self._conflict(world, board, (number, k), origin, before, after, found, seen)
            shadow = world.placed(board, after, shadow, before, salt + k)

    def _conflict(
        self,
        world: World,
        board: Board,
        where: tuple[int, int],
        origin: StateObservation | None,
        before: Frame,
        after: Frame,
        difference: Difference,
        beside: Beside | None,
    ) -> Conflict:
        """Divide a difference into what chance explains, or meetings excuse if ``beside`` is given, and the rest."""
        soft: Counter[int] = Counter()
        hard: Counter[int] = Counter()
        if beside is not None:
            met = {miss for miss in difference.misses if (meets if miss.before else replaces)(miss, beside)}
            room = EXCUSES - len(self._excused)
            for place, miss in enumerate(sorted(met - self._excused, key=repr)):
                soft[world.own.get(miss.type, EDGE)] += MET if place < room else EXCUSED  # type: ignore[assignment]
            self._excused |= met
            difference = replace(difference, misses=tuple(miss for miss in difference.misses if miss not in met))
        if origin is not None and (difference.misses or difference.outcome):
            difference, explained = self._explained(world, board, (before, origin, after), difference, beside)
            for kind, bits in explained.items():
                soft[world.own.get(kind, EDGE)] += bits
        misses = tuple(miss.renumbered(world.own) for miss in difference.misses)
        for miss in misses:
            hard[miss.type] += MISS  # type: ignore[assignment]
        outcome = SCORE * bool(difference.score) + AVATAR * len(difference.avatar) + END * difference.end
        outcome += FAILURE * difference.failed
        if outcome:
            hard[EDGE] += outcome  # type: ignore[assignment]
        return Conflict(*where, misses, difference.score, difference.avatar, difference.end, hard, soft)

    def _explained(
        self,
        world: World,
        board: Board,
        tick: tuple[Frame, StateObservation, Frame],
        difference: Difference,
        beside: Beside | None,
    ) -> tuple[Difference, Counter[int]]:
        """What is left of a difference after further futures, and the bits of what they or the law explain."""
        before, origin, after = tick
        tally: dict[tuple[object, ...], _Tally] = {_key(miss): _Tally(miss) for miss in difference.misses}
        tally |= {(name,): _Tally(None) for name in difference.facts}
        law = self._law
        for miss in difference.misses:
            law.note(miss.before, miss.predicted)
            if miss.before is not None:
                law.note_wrong(miss.before, miss.predicted)
        most, enough = self._limits
        for seed in range(1, most):
            if all(each.settled(enough) for each in tally.values()):
                break
            future = world.placed(board, before, origin, None, self.salt + seed * 7919)
            future.advance(before.action)
            self.simulated += cost(before)
            law.ticks += 1
            wrong = differences(before, future, after, self._carried)
            guesses = {} if wrong is None else wrong.guesses
            for miss in () if wrong is None else wrong.misses:
                law.note(miss.before, miss.predicted)
            for key, each in tally.items():
                wrong_too = key in guesses and not _stopped(each.miss, guesses[key], beside)
                each.note(wrong_too, guesses.get(key), enough)
        return self._divided(world, before, difference, tally)

    def _divided(
        self, world: World, before: Frame, difference: Difference, tally: Mapping[tuple[object, ...], _Tally]
    ) -> tuple[Difference, Counter[int]]:
        """What neither futures nor the law explain, and the bits of what they do."""
        soft: Counter[int] = Counter()
        misses = []
        for each in tally.values():
            bits = each.bits if each.right else self._rare_bits(world, each, before)
            if each.right or bits < MISS:
                soft[EDGE if each.miss is None else each.miss.type] += bits  # type: ignore[assignment]
            elif each.miss is not None:
                misses.append(each.miss)
        chance = {name for name in difference.facts if tally[name,].right}
        score = 0.0 if SCORED in chance else difference.score
        avatar = tuple(name for name in difference.avatar if name not in chance)
        end = difference.end and ENDED not in chance
        return Difference(tuple(misses), score, avatar, end, difference.failed), soft

    def _rare_bits(self, world: World, tally: _Tally, before: Frame) -> float:
        """Bits of a fate that no future of its tick has: by the law of its type, if chance plays a part in it."""
        miss = tally.miss
        if miss is None or not self._has_law:
            return math.inf
        if miss.before is not None:
            return math.inf if tally.same else max(tally.bits, self._law.step_bits(miss.before, miss.actual))
        if miss.actual is None:
            return math.inf
        kind, x, y = miss.actual
        makers = world.makers.get(kind, frozenset())
        places = [fate[1:] for fate in before.fates.values() if fate[0] in makers]
        if not any(abs(a - x) + abs(b - y) <= before.block_size for a, b in places):
            return math.inf
        return self._law.birth_bits(kind, len(places))


def makers_of(hypothesis: Hypothesis) -> dict[int, frozenset[int]]:
    """The types whose sprites make others by chance, by the type that they make; the engine's numbers."""
    found: dict[int, set[int]] = {}
    for number in hypothesis.sequence:
        kind = hypothesis.kinds[number]
        if kind.row.draws and kind.row.creates:
            for named in kind.types:
                found.setdefault(hypothesis.numbers.get(named, EDGE), set()).add(hypothesis.numbers[number])
    return {kind: frozenset(makers) for kind, makers in found.items()}


def _stopped(miss: Miss | None, predicted: Fate | None, beside: Beside | None) -> bool:
    """Whether a sprite that rests would have met another one in a future, which may have stopped it."""
    if miss is None or beside is None or miss.before is None or miss.actual != miss.before:
        return False
    return meets(replace(miss, predicted=predicted), beside)


class _Tally:
    """How often further futures had the fate of a miss."""

    def __init__(self, miss: Miss | None) -> None:
        self.miss = miss
        self.tried, self.right, self.same = 1, 0, True

    def note(self, wrong: bool, predicted: Fate | None, enough: int) -> None:
        """Count a future."""
        if self.settled(enough):
            return
        self.tried += 1
        self.right += not wrong
        self.same &= wrong and (self.miss is None or predicted == self.miss.predicted)

    def settled(self, enough: int) -> bool:
        """Whether no further future is needed."""
        return self.right >= enough or (self.same and self.tried > UNVARIED)

    @property
    def bits(self) -> float:
        """Bits of a fate with the estimated probability; the least ones of a fate that no future has (KT estimate)."""
        if not self.right:
            return math.log2(2 * (self.tried + 1))
        return min(MISS, math.log2(self.tried / self.right))


@dataclass(frozen=True)
class Difference:
    """What differs between a predicted and an observed state."""

    misses: tuple[Miss, ...]
    score: float
    avatar: tuple[str, ...]
    end: bool
    failed: bool

    def only(self, types: Set[int]) -> Difference | None:
        """The difference without the sprites of other types; None if nothing is left."""
        misses = tuple(miss for miss in self.misses if miss.type in types)
        return replace(self, misses=misses) if misses or self.outcome or self.failed else None

    def alone(self, kind: int, before: Frame, after: Frame) -> Difference | None:
        """What sprites of a type do, and the new ones of other types that are beside them; None if nothing is left."""
        misses = tuple(miss for miss in self.misses if (miss.type == kind) == (miss.before is not None))
        misses = tuple(miss for miss in misses if miss.before is not None or _beside(miss, kind, before, after))
        is_avatar = before.avatar is not None and before.avatar.type == kind
        avatar = tuple(fact for fact in self.avatar if fact == ORIENTATION and is_avatar)
        return Difference(misses, 0.0, avatar, False, self.failed) if misses or avatar or self.failed else None

    @property
    def facts(self) -> tuple[str, ...]:
        """The names of the facts that differ, besides sprites."""
        return (*([SCORED] if self.score else []), *self.avatar, *([ENDED] if self.end else []))

    @property
    def outcome(self) -> bool:
        """Whether anything but sprites differs."""
        return bool(self.score or self.avatar or self.end)

    @property
    def guesses(self) -> dict[tuple[object, ...], Fate | None]:
        """The predicted fates that are wrong; None for facts other than sprites."""
        return {_key(miss): miss.predicted for miss in self.misses} | {(name,): None for name in self.facts}


def _beside(miss: Miss, kind: int, before: Frame, after: Frame) -> bool:
    """Whether a new sprite is in the cell of one of a type or in a neighbouring one."""
    fate = miss.actual or miss.predicted
    assert fate is not None
    return any(
        other[0] == kind and is_beside(fate, other, before.block_size)
        for frame in (before, after)
        for other in frame.fates.values()
    )


class Beside(NamedTuple):
    """Where meetings are looked for: all sprites before and after a tick.

    Attributes:
        ground: the types that are under the sprites in question wherever they are, so that meeting them shows nothing.
    """

    before: Frame
    after: Frame
    ground: frozenset[int]


def meets(miss: Miss, beside: Beside) -> bool:
    """Whether a miss may be due to a meeting: another sprite is where the sprite was, is or was predicted to be.

    Where it rests or rested does not count, unless it is gone or new, or moves elsewhere than predicted: what it met in
    the last tick may have turned it.
    """
    places = {fate[1:] for fate in (miss.predicted, miss.actual) if fate is not None and fate != miss.before}
    if len(places) == 2 or None in (miss.before, miss.actual):
        places |= {fate[1:] for fate in (miss.before, miss.actual) if fate is not None}
    for frame in (beside.before, beside.after):
        for number, x, y in itertools.chain(*(frame.overlapping(*spot) for spot in places)):
            if number != miss.id and frame.fates[number][0] not in beside.ground:
                return miss.id >= 0 or miss.actual is None or (x, y) != miss.actual[1:]
    return False


def replaces(miss: Miss, beside: Beside) -> bool:
    """Whether a new sprite is where another one has vanished or may have gone: it has become another one there."""
    left = (fate for number, fate in beside.before.fates.items() if number not in beside.after.fates)
    return miss.actual is not None and any(is_beside(miss.actual, fate, beside.before.block_size) for fate in left)


def is_beside(one: Fate, other: Fate, block: int) -> bool:
    """Whether two sprites are not more than a cell apart, along one axis."""
    return abs(one[1] - other[1]) + abs(one[2] - other[2]) <= block


def differences(
    before: Frame, predicted: StateObservation, after: Frame, carried: Mapping[int, int] = MappingProxyType({})
) -> Difference | None:
    """What a predicted state has wrong; None if nothing.

    Args:
        before, after: the frames before and after the tick.
        predicted: the state that a hypothesis predicts.
        carried: what the avatar holds besides what the state shows (`World.carried`).
    """
    arrays = predicted.arrays
    misses: tuple[Miss, ...] = ()
    is_same = len(arrays) == len(after.arrays) and np.array_equal(packed(arrays), after.packed)
    if after.since(before).queues or not is_same:
        misses = tuple(missed(before, arrays, after))
    score = after.score - predicted.score
    end = (predicted.is_over, int(predicted.winner)) != (after.is_over, after.winner)
    avatar = avatar_facts(predicted.avatar, after.avatar, carried)
    if after.is_over:  # the other facts are withheld then
        avatar = tuple(fact for fact in avatar if fact == "life")
    failed = predicted.error is not None
    if not (misses or score or end or avatar or failed):
        return None
    return Difference(misses, score, avatar, end, failed)


def avatar_facts(predicted: Avatar | None, actual: Avatar | None, carried: Mapping[int, int]) -> tuple[str, ...]:
    """The names of facts about the avatar that differ, but its position."""
    if predicted is None or actual is None:
        missing = ("life",) if actual is None else ("life", "orientation")  # of what the avatar has become
        return () if predicted is actual else missing
    facts = {
        "orientation": (predicted.orientation, actual.orientation),
        "resources": ({**_held(predicted), **carried}, _held(actual)),
        "health": (predicted.health, actual.health),
        "life": (predicted.is_alive, actual.is_alive),
    }
    return tuple(name for name, (one, other) in facts.items() if one != other)


def _held(avatar: Avatar) -> dict[int, int]:
    return {number: amount for number, amount in avatar.resources.items() if amount}


def missed(before: Frame, arrays: NDArray[np.void], after: Frame) -> list[Miss]:
    """The sprites whose predicted and observed fates differ.

    Sprites that the board holds have ids of their own, so fates are compared as a multiset first; what is left over on
    either side is attributed to the sprite with its id, or to the one that stood there. Of types whose sprites take
    each other's places (`Rest.queues`), which the board does not hold, they are compared by id.
    """
    numbers = codes(arrays)
    ordered = np.sort(numbers)
    twice = ordered[1:][ordered[1:] == ordered[:-1]].tolist()
    predicted = numbers.tolist()
    rest = after.since(before)
    shown = rest.steady.intersection(predicted).difference(twice)
    more = [rest.held[code] for code in rest.steady - shown]
    was = rest.was | {number: before.fates[number] for number in more}
    now = rest.now | {number: after.fates[number] for number in more}
    left = [k for k, code in enumerate(predicted) if code not in shown]
    rows = [(row[0], (row[1], row[3], row[4])) for row in arrays[left].tolist()]
    return _by_id(rows, was, now, rest.queues) if rest.queues else _differing(rows, was, now)


def _by_id(
    rows: Sequence[tuple[int, Fate]], was: Mapping[int, Fate], now: Mapping[int, Fate], queues: Set[int]
) -> list[Miss]:
    """`_differing`, where sprites of some types are known by their ids."""
    queued = {number: fate for number, fate in was.items() if fate[0] in queues}
    guesses = {number: fate for number, fate in rows if number in queued and fate[0] in queues}
    fates = ((number, fate, guesses.get(number), now.get(number)) for number, fate in queued.items())
    misses = [Miss(*fate) for fate in fates if fate[2] != fate[3]]
    others = [row for row in rows if row[0] not in guesses or row[1][0] not in queues]
    was, now = ({number: fate for number, fate in part.items() if number not in queued} for part in (was, now))
    return misses + _differing(others, was, now)


def _differing(rows: Sequence[tuple[int, Fate]], was: Mapping[int, Fate], now: Mapping[int, Fate]) -> list[Miss]:
    """The misses among sprites that may differ: ids and fates as predicted, fates before and after by id."""
    surplus = Counter(fate for _, fate in rows)
    surplus.subtract(now.values())
    standing = {fate: number for number, fate in was.items()}
    guesses: dict[int, Fate] = {}
    new: list[Miss] = []
    for number, fate in rows:
        if surplus[fate] <= 0:
            continue
        surplus[fate] -= 1
        owner = standing.get(fate, number)
        if owner in was and was[owner][0] == fate[0] and owner not in guesses and now.get(owner) != fate:
            guesses[owner] = fate
        else:
            new.append(Miss(-1, None, fate, None))
    lacking = Counter(now.values())
    lacking.subtract(fate for _, fate in rows)
    facts: dict[int, Fate] = {}
    for number, fate in now.items():
        if lacking[fate] > 0:
            lacking[fate] -= 1
            if number in was:
                facts[number] = fate
            else:
                new.append(Miss(-1, None, None, fate))
    known = [Miss(number, was[number], guesses.get(number), facts.get(number)) for number in guesses | facts]
    return known + new


def _key(miss: Miss) -> tuple[object, ...]:
    return (miss.id,) if miss.id >= 0 else (-1, miss.predicted, miss.actual)
