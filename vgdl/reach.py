"""Sprites of a level that the avatar can never touch, though nothing but its touch does anything to them.

Conservative: a level is searched only if the avatar walks in four directions and nothing carries it, and only types
that never change count as obstacles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vgdl import ontology
from vgdl.compiler.rules import CompiledRules
from vgdl.core.data import layout
from vgdl.language import InteractionLine, Level, Place, SectionKind, VGDLWarning
from vgdl.ontology.rows import Effect, What

_STEPS = {"UP": (-1, 0), "DOWN": (1, 0), "LEFT": (0, -1), "RIGHT": (0, 1)}
_STOPS = ("stepBack", "undoAll")
_MOVES = What.RECT | What.PUSH | What.SPEED | What.GRAVITY

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Rule:
    """An effect of the InteractionSet for one couple of types; subtypes are not resolved."""

    first: str
    second: str  #: a type, ``EOS`` or ``TIME``
    effect: Effect


def unreachable(rules: CompiledRules, level: Level) -> Iterator[VGDLWarning]:
    """A warning for each type of which sprites cannot be reached, with the number of these sprites."""
    search = _Search(rules)
    if not search.is_known:
        return
    cells = {
        (row, column): rules.mapping[character].names
        for row, line in enumerate(level.lines)
        for column, character in enumerate(line[: level.width])
        if character in rules.mapping and character != " "
    }
    reached = search.reached(cells, level.height, level.width)
    if not reached:
        return
    missed: dict[str, list[Cell]] = {}
    for cell, names in cells.items():
        for name in names:
            if cell not in reached and search.needs_avatar(name):
                missed.setdefault(name, []).append(cell)
    for name, where in missed.items():
        row, column = where[0]
        count = f" ({len(where)} of them, the first one here)" if len(where) > 1 else ""
        message = f"the avatar cannot reach this {name!r}{count}"
        yield VGDLWarning(message, level.source, Place(row + 1, column + 1), messages=0)


class _Search:
    """What the rules of a game say about where avatars can go."""

    def __init__(self, rules: CompiledRules) -> None:
        self.rules = rules
        self.numbers = {name: number for number, name in enumerate(rules.names)}
        self.lines = list(self._lines())
        self.avatars = [d.number for d in rules.definitions.values() if d.row is not None and d.row.avatar]
        self.obstacles = {name for name in rules.names if self._is_obstacle(name)}

    def _lines(self) -> Iterator[_Rule]:
        for entry in self.rules.description.entries(SectionKind.INTERACTIONS):
            effect = ontology.effect(entry.effect.text) if isinstance(entry, InteractionLine) and entry.effect else None
            if isinstance(entry, InteractionLine) and effect is not None:
                for second in entry.seconds:
                    yield _Rule(entry.first.text, second.text, effect)

    @property
    def is_known(self) -> bool:
        """Whether the avatars walk by cells in four directions, and no rule moves or makes an avatar otherwise."""
        definitions = [self.rules.definitions[number] for number in self.avatars]
        if not definitions or any(number in self.rules.created for number in self.avatars):
            return False
        types = self.rules.tables.table["types"]
        for definition in definitions:
            assert definition.row is not None
            walks = set(_STEPS) <= set(definition.row.actions) and bool(types[definition.number]["grid"])
            if not walks or definition.row.name == "WizardAvatar":
                return False
        return not any(self._carries(rule) for rule in self.lines)

    def _carries(self, rule: _Rule) -> bool:
        if rule.effect.name in _STOPS or rule.second.upper() == "EOS":
            return False
        writes = [write for write in rule.effect.writes if write.what & _MOVES]
        sides = {"first": rule.first, "second": rule.second}
        return any(
            write.target == "all"
            or (write.target in sides and self._is_avatar(sides[write.target]))
            or write.target not in (*sides, "self")
            for write in writes
        )

    def _is_avatar(self, name: str) -> bool:
        """Whether sprites of a type may be avatars."""
        number = self.numbers.get(name)
        definition = self.rules.definitions.get(number) if number is not None else None
        return definition is not None and bool(set(definition.subtypes) & set(self.avatars))

    def _belongs(self, name: str, group: str) -> bool:
        """Whether sprites of type ``name`` count as ``group``."""
        number, whole = self.numbers.get(name), self.numbers.get(group)
        definition = self.rules.definitions.get(whole) if whole is not None else None
        return definition is not None and number in definition.subtypes

    def _is_obstacle(self, name: str) -> bool:
        """Whether sprites of a type stop every avatar, and stay where they are for the whole play."""
        number = self.numbers[name]
        if self.rules.storage[number] != layout.Storage.STORED_STATIC:
            return False
        stops = [rule for rule in self.lines if rule.effect.name in _STOPS]
        names = self.rules.names
        return all(
            any(self._belongs(names[avatar], rule.first) and self._belongs(name, rule.second) for rule in stops)
            for avatar in self.avatars
        )

    def needs_avatar(self, name: str) -> bool:
        """Whether sprites of a type stay where they are, and only what avatars do to them has an effect."""
        number = self.numbers.get(name)
        if number is None or self.rules.storage[number] == layout.Storage.STORED_DYNAMIC:
            return False
        touching = [
            rule.first if self._belongs(name, rule.second) else rule.second
            for rule in self.lines
            if rule.effect.name not in _STOPS and (self._belongs(name, rule.first) or self._belongs(name, rule.second))
        ]
        return bool(touching) and all(self._is_avatar(other) for other in touching)

    def reached(self, cells: dict[Cell, tuple[str, ...]], height: int, width: int) -> set[Cell]:
        """The cells that an avatar can step on."""
        edges = [rule for rule in self.lines if rule.second.upper() == "EOS" or rule.first.upper() == "EOS"]
        kept_in = any(rule.effect.name in _STOPS and self._is_avatar(rule.first) for rule in edges)
        margin = 0 if kept_in and len(edges) else 1
        names = {self.rules.names[number] for number in self.avatars}
        blocked = {cell for cell, there in cells.items() if self.obstacles.intersection(there)}
        found = {cell for cell, there in cells.items() if names.intersection(there)}
        left = list(found)
        while left:
            row, column = left.pop()
            for down, right in _STEPS.values():
                cell = (row + down, column + right)
                inside = -margin <= cell[0] < height + margin and -margin <= cell[1] < width + margin
                if inside and cell not in blocked and cell not in found:
                    found.add(cell)
                    left.append(cell)
        wraps = any(rule.effect.name == "wrapAround" and self._is_avatar(rule.first) for rule in edges)
        return set() if wraps else found
