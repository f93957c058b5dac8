"""Compiles a description to rules: the passes over its sections, and the tables of pairs (language, 4)."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vgdl import ontology
from vgdl.compiler.interactions import Interactions
from vgdl.compiler.pool import Pool
from vgdl.compiler.reading import Log, PassAborted, place_of, split, unknown_parameter
from vgdl.compiler.space import Placeholder, decorate, read_placeholders
from vgdl.compiler.sprites import Definition, Look, RowWriter, SpriteTypes, unread_block
from vgdl.compiler.storage import Analysis, RecordLayout
from vgdl.compiler.terminations import Terminations
from vgdl.core.data import layout
from vgdl.core.data.tables import RulesTables
from vgdl.language import (
    Argument,
    Description,
    Entry,
    InteractionLine,
    MappingLine,
    ParameterLine,
    Section,
    SectionKind,
    SpriteLine,
    TerminationLine,
    TruncatedGameWarning,
    VGDLError,
    VGDLWarning,
    nearest,
)
from vgdl.ontology import values
from vgdl.ontology.dialects import Role
from vgdl.ontology.rows import Kind

MOST_COUNTERS = 1000
MOST_CONTACTS = 4_000_000  # maximum length of the tables of colliding classes


@dataclass(frozen=True)
class MappedCharacter:
    """The sprites that one character of a level places."""

    names: tuple[str, ...]
    line: MappingLine | None  # None for the two built-in characters


@dataclass(frozen=True)
class CompiledRules:
    """A compiled game description, ready for levels."""

    description: Description
    tables: RulesTables
    names: tuple[str, ...]
    definitions: Mapping[int, Definition]
    unread: Mapping[str, SpriteLine]
    unknown: Mapping[int, list[tuple[Argument, tuple[str, ...]]]]
    looks: tuple[Look, ...]
    mapping: Mapping[str, MappedCharacter]
    warnings: tuple[VGDLWarning, ...]
    further: tuple[VGDLWarning, ...]  # mistakes in lines that are not read, of which the reference does not know
    placeholders: Mapping[str, Placeholder]
    storage: np.ndarray
    created: frozenset[int]
    record: RecordLayout
    square_size: int
    obstacles: tuple[str, ...] | None
    can_end: bool
    n_players: int


def read_space(description: Description) -> dict[str, Placeholder]:
    """The placeholders of a game space by name (language, 10).

    Raises:
        VGDLError: a line of the ParameterSet is not a valid parameter, or the game has one but is no game space.
    """
    log = Log(description.source)
    lines = tuple(description.entries(SectionKind.PARAMETERS))
    for line in lines:
        if not isinstance(line, ParameterLine):
            raise log.error("a line that is not a parameter in the ParameterSet", place_of(line))
        if description.game.class_name.text != "GameSpace":
            raise log.error(
                f"a {description.game.class_name.text} has no parameters", line.name.at, ["a GameSpace"], "GameSpace"
            )
    return read_placeholders(log, tuple(line for line in lines if isinstance(line, ParameterLine)))


class _Compilation:
    """Compilation of one description."""

    def __init__(self, description: Description, parsing: tuple[VGDLWarning, ...], chosen: Mapping[str, str]) -> None:
        self.description = description
        self.chosen = chosen
        self.log = Log(description.source, list(parsing))
        self.further = Log(description.source)
        self.pool = Pool()
        self.types = SpriteTypes(self.log)
        self.game = self._game_line()
        self.players = int(self.game["no_players"])
        self.counters = int(self.game["no_counters"])
        self.writer: RowWriter | None = None
        self.interactions: Interactions | None = None
        self.terminations = Terminations(self.types, self.log, self.players, self.decorated)
        self.mapping: dict[str, MappedCharacter] = {
            "w": MappedCharacter(("wall",), None),
            "A": MappedCharacter(("avatar",), None),
        }

    def decorated(self, text: str) -> str:
        return decorate(text, self.chosen)

    def _game_line(self) -> dict[str, Any]:
        """The values of the game line (language, 6). The reference reads it twice, so its messages count twice."""
        line = self.description.game
        row = ontology.game_class(line.class_name.text)
        known = [game.name for game in ontology.ALL_GAME_CLASSES]
        if row is None:
            raise self.log.error(
                f"unknown game class {line.class_name.text!r}",
                line.class_name.at,
                known,
                nearest(line.class_name.text, known),
            )
        parameters = ontology.parameters(row)
        settings = {key: parameter.default for key, parameter in parameters.items()}
        for key, argument in line.arguments.items():
            if key not in parameters:
                message, suggestion = unknown_parameter("a game", key, parameters, Role.GAME_PARAMETER)
                self.log.warn(message, argument.at, suggestion=suggestion, messages=2)
                continue
            stored = values.store(parameters[key].kind, values.convert(key, argument.value))
            if stored is not None and parameters[key].kind is not Kind.OPAQUE:
                settings[key] = stored
        for key, low, high in (("no_players", 1, 2), ("no_counters", 0, MOST_COUNTERS)):
            if not low <= settings[key] <= high:
                argument = line.arguments[key]
                raise self.log.error(
                    f"{key}={settings[key]} is out of range", argument.value_at, [f"a number from {low} to {high}"]
                )
        return settings

    # ---------------------------------------------------------------------------------------------- sections

    def run(self) -> None:
        """Run the main pass. An unreadable line ends it; the game consists of the lines before it (language, 4.5)."""
        left = iter(self.description.sections)
        lines: Iterator[Entry] = iter(())
        try:
            for section in left:
                lines = iter(section.entries)
                self._read_section(section, lines)
        except PassAborted as aborted:
            if self.interactions is None:
                raise self._fatal(aborted) from None
            message = f"{aborted.message}: the rest of the game text is not read"
            source, expected, suggestion = self.description.source, aborted.expected, aborted.suggestion
            self.log.warnings.append(TruncatedGameWarning(message, source, aborted.at, expected, suggestion))
        if self.interactions is None:
            at = self.description.game.class_name.at
            raise self._fatal(PassAborted("the game has no SpriteSet", at, ["a SpriteSet"]))
        self._read_further(itertools.chain(lines, *(section.entries for section in (*left, *self.description.unread))))

    def _read_section(self, section: Section, lines: Iterator[Entry]) -> None:
        if section.kind is SectionKind.SPRITES:
            self.types.read(section.entries, section.at)
            self._after_sprites()
        elif section.kind is SectionKind.INTERACTIONS:
            if self.interactions is None:
                raise PassAborted("InteractionSet before the SpriteSet", section.at, ["SpriteSet first"])
            for line in lines:
                self.interactions.read(line)
        elif section.kind is SectionKind.TERMINATIONS:
            if self.interactions is None:
                raise PassAborted("TerminationSet before the SpriteSet", section.at, ["SpriteSet first"])
            for line in lines:
                self.terminations.read(line)
        elif section.kind is SectionKind.MAPPING:
            for line in lines:
                self._map(line)

    def _read_further(self, lines: Iterable[Entry]) -> None:
        """Find the mistakes in lines that are not read; the rules and the log stay as they are."""
        log = Log(self.description.source)
        interactions = Interactions(self.types, log, Pool(), self.players, self.counters, self.decorated)
        terminations = Terminations(self.types, log, self.players, self.decorated)
        for line in lines:
            try:
                if isinstance(line, InteractionLine | TerminationLine) and not self._names_unread(line):
                    (interactions if isinstance(line, InteractionLine) else terminations).read(line)
            except PassAborted as aborted:
                self.further.warn(aborted.message, aborted.at, aborted.expected, aborted.suggestion, messages=0)
            except VGDLError:  # a limit; the rest is not worth a list
                return

    def _names_unread(self, line: InteractionLine | TerminationLine) -> bool:
        """Whether a line names a sprite that was not read, of which there is a warning."""
        names = {argument.value for argument in line.arguments.values()}
        if isinstance(line, InteractionLine):
            names |= {line.first.text, *(name.text for name in line.seconds)}
        return not names.isdisjoint(self.types.unread)

    def _fatal(self, aborted: PassAborted) -> VGDLError:
        """The error for a game without a SpriteSet: a part that is not read or a warning in its place tells why."""
        for warning in self.log.warnings:
            if isinstance(warning, TruncatedGameWarning) or warning.place == aborted.at:
                return warning.as_error()
        return self.log.error(aborted.message, aborted.at, aborted.expected, aborted.suggestion)

    def _after_sprites(self) -> None:
        unread = {line.name.at: line for line in self.types.unread.values()}
        for line in unread.values():
            message, at, expected = unread_block(line)
            self.log.warnings.append(TruncatedGameWarning(message, self.description.source, at, expected, messages=0))
        self.writer = RowWriter(self.types, self.log, self.pool, self.decorated)
        self.writer.write()
        self.interactions = Interactions(self.types, self.log, self.pool, self.players, self.counters, self.decorated)

    def _map(self, line: Entry) -> None:
        if not isinstance(line, MappingLine):
            raise PassAborted("a line that is not a mapping in the LevelMapping", place_of(line))
        if line.character is not None:
            self.mapping[line.character] = MappedCharacter(tuple(name.text for name in line.names), line)

    # ---------------------------------------------------------------------------------------------- tables

    def finish(self) -> CompiledRules:
        assert self.writer is not None
        assert self.interactions is not None
        table = self.writer.table
        analysis = Analysis(self.types, table, self.interactions, int(self.game["square_size"] or 0))
        record = analysis.record_layout()
        for slot, number in enumerate(record.resources):
            table[number]["resource_slot"] = slot
        arrays = self._tables(table, record)
        obstacles = self.game["obs"]
        return CompiledRules(
            self.description,
            RulesTables(arrays, self._numbers(table, record, arrays, analysis)),
            self.types.names,
            self.types.definitions,
            self.types.unread,
            self.writer.unknown,
            self.writer.looks(),
            self.mapping,
            tuple(self.log.warnings),
            tuple(self.further.warnings),
            {},
            analysis.storage(),
            frozenset(analysis.created),
            record,
            int(self.game["square_size"] or 0),
            tuple(split(str(obstacles))) if obstacles is not None else None,
            self.terminations.can_end,
            self.players,
        )

    def _numbers(
        self, table: np.ndarray, record: RecordLayout, arrays: dict[str, np.ndarray], analysis: Analysis
    ) -> dict[str, int]:
        ops = {int(op) for op in table["op"]}
        return {
            "n_classes": int(table["collision_class"].max(initial=0)) + 1,
            "n_players": self.players,
            "n_counters": self.counters,
            "n_gates": self.interactions.n_gates if self.interactions else 0,
            "n_missiles": record.n_missiles,
            "needs_built": int(
                record.size_at > 0
                or bool(table["messages"].any())
                or int(layout.SpriteOp.ONGOING_TURNING_AVATAR) in ops
            ),
            "has_targets": int(record.target_at > 0),
            "has_false_avatars": int((table["is_avatar"] & ~table["avatar_object"] & 1).any()),
            "far_flung": int(analysis.is_far_flung()),
            "has_stops": int((arrays["terminations"]["op"] == layout.TerminationOp.STOP_COUNTER).any()),
            "size_at": record.size_at,
            "motion_at": record.motion_at,
            "vital_at": record.vital_at,
            "inner_at": record.inner_at,
            "target_at": record.target_at,
            "missiles_at": record.missiles_at,
            "resources_at": record.resources_at,
            "stride": record.stride,
        }

    def _tables(self, table: np.ndarray, record: RecordLayout) -> dict[str, np.ndarray]:
        interactions = self.interactions
        assert interactions is not None
        pairs, places, contacts, contact_pairs, full_pairs = self._pairs(table)
        n_classes = int(table["collision_class"].max(initial=0)) + 1
        lists = {number: self.pool.add(interactions.edges.get(number, [])) for number in interactions.edge_types}
        edges = np.array([(number, *lists[number]) for number in interactions.edge_types], layout.EDGE_ROW)
        timers = (
            np.array(interactions.timers, layout.TIMER_ROW) if interactions.timers else np.zeros(0, layout.TIMER_ROW)
        )
        return {
            "types": table,
            "effects": _stacked(interactions.effects, layout.EFFECT_ROW),
            "pairs": pairs,
            "edges": edges,
            "terminations": _stacked(self.terminations.rows, layout.TERMINATION_ROW),
            "timers": timers,
            "order": np.array(self.types.order, np.int32),
            "places": places,
            "contacts": contacts,
            "contact_pairs": contact_pairs,
            "partners": _partners(contacts, n_classes),
            "full_pairs": full_pairs,
            "resources": np.array(record.resources, np.int32),
            "pool": self.pool.array(),
        }

    def _pairs(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Build the tables `pairs`, `places`, `contacts`, `contact_pairs` and `full_pairs`.

        ``places[side, type]`` is the position of a type in the subtypes list of a side, -1 if absent. ``contacts`` are
        start offsets into ``contact_pairs``, one for each couple of collision classes. ``full_pairs`` marks pairs
        with ``in_full``, one bit each. Types on the same sides of the same pairs share a collision class; class 0
        collides with nothing.
        """
        interactions = self.interactions
        assert interactions is not None
        n_types = len(table)
        declared = list(interactions.pairs.items())
        sides = {number: k for k, number in enumerate(dict.fromkeys(n for pair, _ in declared for n in pair))}
        places = np.full((max(1, len(sides)), n_types), -1, np.int16)
        for number, side in sides.items():
            for place, subtype in enumerate(self.types.definitions[number].subtypes):
                places[side, subtype] = place
        rows = np.zeros(len(declared), layout.PAIR_ROW)
        membership: list[list[int]] = [[] for _ in range(n_types)]
        for k, ((first, second), effects) in enumerate(declared):
            firsts = self.types.definitions[first].subtypes
            seconds = self.types.definitions[second].subtypes
            start, length = self.pool.add(effects)
            twice = len(set(firsts)) < len(firsts) or len(set(seconds)) < len(seconds)  # a type nested within itself
            in_full = twice or any(table[number]["ground_test"] for number in firsts)
            rows[k] = (first, second, start, length, sides[first], sides[second], in_full)
            for number in firsts:
                membership[number].append(2 * k)
            for number in seconds:
                membership[number].append(2 * k + 1)
        self._bound(sum(len(pairs) for pairs in membership))
        classes: dict[tuple[int, ...], int] = {(): 0}
        for number, pairs_of in enumerate(membership):
            table[number]["collision_class"] = classes.setdefault(tuple(pairs_of), len(classes))
        contacts, contact_pairs = self._contacts(classes, len(declared))
        words = np.zeros(max(1, (len(declared) + 63) // 64), np.uint64)
        for k in range(len(declared)):
            if rows[k]["in_full"]:
                words[k // 64] |= np.uint64(1 << (k % 64))
        return rows, places, contacts, contact_pairs, words

    def _contacts(self, classes: dict[tuple[int, ...], int], n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
        n = len(classes)
        self._bound(n * n)
        first_classes: list[list[int]] = [[] for _ in range(n_pairs)]
        second_classes: list[list[int]] = [[] for _ in range(n_pairs)]
        for members, number in classes.items():
            for member in members:
                (second_classes if member % 2 else first_classes)[member // 2].append(number)
        self._bound(sum(len(a) * len(b) for a, b in zip(first_classes, second_classes, strict=True)))
        meetings: dict[int, list[int]] = {}
        for pair in range(n_pairs):
            for first in first_classes[pair]:
                for second in second_classes[pair]:
                    meetings.setdefault(first * n + second, []).append(pair)
        counts = np.zeros(n * n + 1, np.int32)
        for key, pairs in meetings.items():
            counts[key + 1] = len(pairs)
        flat = [pair for key in sorted(meetings) for pair in meetings[key]]
        return np.cumsum(counts, dtype=np.int32), np.array(flat, np.int32)

    def _bound(self, size: int) -> None:
        if size > MOST_CONTACTS:
            raise self.log.error("too many interactions between too many types", None)


def _partners(contacts: np.ndarray, n_classes: int) -> np.ndarray:
    """Per collision class, a bit mask (modulo 64) of the classes it can collide with, as first or second."""
    meets = np.diff(contacts).reshape(n_classes, n_classes) > 0
    meets = meets | meets.T
    bits = np.uint64(1) << (np.arange(n_classes, dtype=np.uint64) % np.uint64(64))
    return np.array([np.bitwise_or.reduce(bits[row], initial=np.uint64(0)) for row in meets], np.uint64)


def _stacked(rows: list[np.ndarray], dtype: np.dtype) -> np.ndarray:
    table = np.zeros(len(rows), dtype)
    for k, row in enumerate(rows):
        table[k] = row[0]
    return table


def compile_rules(
    description: Description,
    parsing: tuple[VGDLWarning, ...],
    chosen: Mapping[str, str],
    placeholders: Mapping[str, Placeholder],
    parameters: Mapping[str, object],
) -> CompiledRules:
    """Compile a description; errors that the reference only logs become warnings of the result.

    Args:
        description: the parsed game text.
        parsing: the parser's warnings.
        chosen: the text for every placeholder of a game space, by name.
        placeholders: the placeholders, by name.
        parameters: the parameters set by the caller, by name.

    Raises:
        VGDLError: the description is not a playable game.
    """
    compilation = _Compilation(description, parsing, chosen)
    compilation.run()
    fixed = {
        name: replace(placeholder, value=chosen[name]) if name in parameters else placeholder
        for name, placeholder in placeholders.items()
    }
    return replace(compilation.finish(), placeholders=fixed)


def digest(text: str) -> str:
    """SHA-256 of a text, as stored in replays and results; independent of line endings."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
