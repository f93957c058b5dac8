"""Hypotheses: VGDL texts whose types are known by number only.

A hypothesis is immutable, and an edit makes another one. Its types are numbered from 0 in the order in which the
learner first saw them, and type ``k`` is named ``tk`` in the text.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from vgdl import ontology
from vgdl.induction.observations import symbol
from vgdl.ontology.rows import Effect, SpriteClass, What, Word

Value = str | int | float | bool
Parameters = tuple[tuple[str, Value], ...]
WordT = TypeVar("WordT", bound=Word)

EDGE = -1  #: stands for `EOS` as the second type of a rule
CLOCK = -2  #: stands for `TIME`: the rule runs in every tick
_NO_TYPES = {EDGE: "EOS", CLOCK: "TIME"}
_EVERY_TICK: Parameters = (("timer", 1), ("repeating", True))  #: parameters of a line with `TIME`
BUILT_IN = 2  #: types that every game has before its own ones: wall and avatar

_JOINT = "_"  #: between the names of types in the name of a group
SPARE = "spare"  #: name of a hidden type, for parameters that must name one of which nothing was seen


def name_of(number: int) -> str:
    """The name of a type in a text."""
    return _NO_TYPES.get(number, f"t{number}")


def number_of(name: Value) -> int:
    """The number of a type with this name; -1 for anything else."""
    text = str(name)
    return int(text[1:]) if text[:1] == "t" and text[1:].isdecimal() else EDGE


def numbers_in(value: Value) -> tuple[int, ...]:
    """The types that a value of a parameter names."""
    found = (number_of(part) for part in str(value).replace(_JOINT, ",").split(","))
    return tuple(number for number in found if number >= 0)


def joint_name(numbers: Iterable[int]) -> str:
    """The name of a group of types, the parent of these in the text, for parameters that mean all of them."""
    return _JOINT.join(map(name_of, sorted(numbers)))


def _known(row: WordT | None, word: str) -> WordT:
    if row is None:
        raise ValueError(f"no word {word!r}")
    return row


def _arguments(parameters: Parameters) -> str:
    return "".join(f" {key}={value}" for key, value in parameters)


@dataclass(frozen=True)
class Line:
    """A word with parameters; base of the three kinds of lines of a text."""

    word: str
    parameters: Parameters = ()

    def get(self, key: str) -> Value | None:
        """The value of a parameter, None if the line does not set it."""
        return dict(self.parameters).get(key)

    def but(self, key: str, value: Value | None) -> Self:
        """A copy with another value of a parameter; None: without it."""
        changed = {k: v for k, v in self.parameters if k != key}
        if value is not None:
            changed[key] = value
        return replace(self, parameters=tuple(sorted(changed.items())))

    @property
    def types(self) -> frozenset[int]:
        """The types that parameters name."""
        return frozenset(number for _, value in self.parameters for number in numbers_in(value))


@dataclass(frozen=True)
class Kind(Line):
    """A type of sprites: its class with parameters."""

    @property
    def row(self) -> SpriteClass:
        """The class."""
        return _known(ontology.sprite_class(self.word), self.word)

    @property
    def made(self) -> frozenset[int]:
        """The types that its sprites make."""
        creates = self.row.creates
        return frozenset(made for key, value in self.parameters if key in creates for made in numbers_in(value))


@dataclass(frozen=True)
class Rule(Line):
    """A line of the InteractionSet: an effect on a sprite of the first type that meets one of the second."""

    first: int = 0
    second: int = 0  #: a type, `EDGE` or `CLOCK`

    @property
    def line(self) -> str:
        """The line in the text."""
        parameters = self.parameters + (_EVERY_TICK if self.second == CLOCK else ())
        return f"{name_of(self.first)} {name_of(self.second)} > {self.word}{_arguments(parameters)}"

    @property
    def row(self) -> Effect:
        """The effect."""
        return _known(ontology.effect(self.word), self.word)

    @property
    def pair(self) -> frozenset[int]:
        """The two types, in no order."""
        return frozenset((self.first, self.second))

    @property
    def named(self) -> frozenset[int]:
        """The types that parameters name."""
        return super().types

    @property
    def types(self) -> frozenset[int]:
        """All types of the line, including those that parameters name."""
        return self.named | (self.pair - _NO_TYPES.keys())


@dataclass(frozen=True)
class End(Line):
    """A line of the TerminationSet."""


@dataclass(frozen=True)
class Hypothesis:
    """The rules of a game."""

    kinds: tuple[Kind, ...]
    rules: tuple[Rule, ...] = ()
    ends: tuple[End, ...] = ()
    order: tuple[int, ...] = ()  #: the types in the order of the text; empty: by number
    square_size: int | None = None  #: pixels per cell; None: the engine's default for the level
    only: frozenset[int] | None = None  #: the types that the text has; None: all

    def of(self, types: Iterable[int]) -> Hypothesis:
        """The classes of some types and of those that they name, without rules."""
        wanted = set(types)
        while more := {named for kind in wanted for named in self.kinds[kind].types} - wanted:
            wanted |= more
        return Hypothesis(self.kinds, order=self.order, square_size=self.square_size, only=frozenset(wanted))

    def with_kind(self, number: int, kind: Kind) -> Hypothesis:
        """A copy with another class of a type."""
        return replace(self, kinds=(*self.kinds[:number], kind, *self.kinds[number + 1 :]))

    def with_rules(self, rules: Iterable[Rule]) -> Hypothesis:
        """A copy with other rules."""
        return replace(self, rules=tuple(rules))

    def with_ends(self, ends: Iterable[End]) -> Hypothesis:
        """A copy with other terminations."""
        return replace(self, ends=tuple(ends))

    def with_first(self, number: int) -> Hypothesis:
        """A copy with a type at the front of the text: its sprites are updated after all others."""
        return replace(self, order=(number, *(other for other in self.order if other != number)))

    @functools.cached_property
    def groups(self) -> tuple[frozenset[int], ...]:
        """The groups of types that parameters name, the largest ones first."""
        kinds = [self.kinds[number] for number in self.sequence]
        values = {value for line in (*kinds, *self.rules, *self.ends) for _, value in line.parameters}
        found = {frozenset(numbers_in(value)) for value in values if _JOINT in str(value)}
        return tuple(sorted(found, key=lambda group: (-len(group), sorted(group))))

    @functools.cached_property
    def _tree(self) -> tuple[tuple[int, int | frozenset[int]], ...]:
        """The types and groups in the order of the text, each with its depth."""
        return tuple(_nested(self.sequence, self.groups))

    @property
    def sequence(self) -> tuple[int, ...]:
        """All types in the order of the text."""
        listed = set(self.order)
        found = (*self.order, *(number for number in range(len(self.kinds)) if number not in listed))
        return found if self.only is None else tuple(number for number in found if number in self.only)

    @functools.cached_property
    def numbers(self) -> Mapping[int, int]:
        """The engine's number of each type."""
        return {entry: place + BUILT_IN for place, (_, entry) in enumerate(self._tree) if isinstance(entry, int)}

    @property
    def obstacles(self) -> tuple[int, ...]:
        """The types that some rule puts others back from: path finders walk around them."""
        return tuple(sorted({rule.second for rule in self.rules if rule.second >= 0 and _restores(rule.row)}))

    @functools.cached_property
    def text(self) -> str:
        """The hypothesis as VGDL."""
        header = ["BasicGame"]
        if self.square_size is not None:
            header.append(f"square_size={self.square_size}")
        if self.obstacles:
            header.append("obs=" + ",".join(name_of(number) for number in self.obstacles))
        lines = [
            " ".join(header),
            "    SpriteSet",
            *(f"        {'    ' * depth}{self._line_of(entry)}" for depth, entry in self._tree),
            f"        {SPARE} > Immovable hidden=True",
            "    LevelMapping",
            *(f"        {symbol(number)} > {name_of(number)}" for number in self.sequence),
            "    InteractionSet",
            *(f"        {rule.line}" for rule in self.rules),
            "    TerminationSet",
            *(f"        {end.word}{_arguments(end.parameters)}" for end in self.ends),
        ]
        return "\n".join(lines) + "\n"

    def _line_of(self, entry: int | frozenset[int]) -> str:
        """The line of a type or a group in the SpriteSet."""
        if not isinstance(entry, int):
            return f"{joint_name(entry)} >"
        return f"{name_of(entry)} > {self.kinds[entry].word}{_arguments(self.kinds[entry].parameters)}"


def _nested(types: Sequence[int], groups: Sequence[frozenset[int]]) -> Iterator[tuple[int, int | frozenset[int]]]:
    """Types and groups of them, each with its depth; a group that shares some with another is left out: an error."""
    rest = list(types)
    while rest:
        group = next((group for group in groups if rest[0] in group and group <= set(rest)), None)
        yield 0, rest[0] if group is None else group
        inside = [number for number in rest if group is not None and number in group]
        for depth, entry in _nested(inside, [other for other in groups if other != group]):
            yield depth + 1, entry
        rest = [number for number in rest if number not in inside] if inside else rest[1:]


@functools.cache
def _restores(row: Effect) -> bool:
    return any(write.what & What.RESTORE and write.target == "first" for write in row.writes)


@functools.lru_cache(maxsize=1 << 12)  # searches make many more hypotheses than come back
def has_chance(hypothesis: Hypothesis) -> bool:
    """Whether a word of the text draws random numbers, as its row says."""
    return any(kind.row.draws for kind in hypothesis.kinds) or any(rule.row.draws for rule in hypothesis.rules)


def drawing(hypothesis: Hypothesis) -> frozenset[int]:
    """The types of which sprites draw random numbers, by their class or by a rule."""
    classes = {number for number in hypothesis.sequence if hypothesis.kinds[number].row.draws}
    return frozenset(classes.union(*(rule.types for rule in hypothesis.rules if rule.row.draws)))
