"""Mistakes in the rules as a whole: sections that are missing, types that are never in play, rules that do nothing.

Each word of such a game is correct, and the reference plays it without a message; `vgdl.lint` reports them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vgdl import ontology
from vgdl.compiler.reading import Log, split
from vgdl.compiler.rules import CompiledRules
from vgdl.compiler.sprites import Definition
from vgdl.language import Entry, InteractionLine, MappingLine, Section, SectionKind, SpriteLine, TruncatedGameWarning
from vgdl.language.headers import intended_header
from vgdl.ontology.rows import Refers, SpriteClass, What

_ABSENT = {
    SectionKind.MAPPING: "levels can have only the characters 'A' (avatar) and 'w' (wall)",
    SectionKind.INTERACTIONS: "nothing happens when sprites meet",
    SectionKind.TERMINATIONS: "it ends only at tick 2000, and without a winner",
}
_FOLLOWERS = ("Chaser", "PathChaser", "AlternateChaser")  # with subclasses; they go to sprites of a type or away
_SPAWNERS = ("SpawnPoint", "SpawnPointMultiSprite")  # these classes alone; a Bomber moves on


def check_soundness(rules: CompiledRules, log: Log) -> None:
    """Add a warning to the log for each mistake in a game."""
    _Check(rules, log).run()


class _Check:
    """One run over the rules of a game."""

    def __init__(self, rules: CompiledRules, log: Log) -> None:
        self.rules = rules
        self.description = rules.description
        self.log = log
        self.leaves = [d for d in rules.definitions.values() if d.at and not _has_children(d)]
        self.killed = {number for name in self.victims() for number in self.subtypes(name)}

    def run(self) -> None:
        self.check_sections()
        self.check_classes(self.description.entries(SectionKind.SPRITES))
        for definition in self.leaves:
            if definition.row is not None:
                self.check_target(definition, definition.row)
                self.check_spawner(definition, definition.row)
        placed = {name for mapped in self.rules.mapping.values() if mapped.line for name in mapped.names}
        lines = [
            entry.character for entry in self.description.entries(SectionKind.MAPPING) if isinstance(entry, MappingLine)
        ]
        is_whole = not any(isinstance(warning, TruncatedGameWarning) for warning in self.rules.warnings)
        if (
            is_whole and len(lines) == len(set(lines)) and placed <= set(self.rules.names)
        ):  # otherwise there is a warning about the cause
            self.check_presence()

    # ---------------------------------------------------------------------------------------------- sections

    def check_sections(self) -> None:
        """Warn of sections that are missing or empty, unless there is a warning about their header."""
        sections: dict[SectionKind, list[Section]] = {}
        for section in (*self.description.sections, *self.description.unread):
            sections.setdefault(section.kind, []).append(section)
        written = {intended_header(line.partition("#")[0].strip()) for line in self.log.source.lines}
        for kind, consequence in _ABSENT.items():
            if kind not in written:
                message = f"the game has no {kind.value}: {consequence}"
                self.log.warn(message, self.description.game.class_name.at, ("a section with this header",), messages=0)
            elif (
                kind in sections and not any(section.entries for section in sections[kind]) and not self.rules.warnings
            ):
                self.log.warn(f"this {kind.value} is empty: {consequence}", sections[kind][0].at, messages=0)

    # ---------------------------------------------------------------------------------------------- sprites

    def check_classes(self, entries: Iterable[Entry]) -> None:
        """Warn of sprites with a class of their own that are subtypes, as deeper indentation makes them."""
        left: list[tuple[Entry, SpriteLine | None]] = [(entry, None) for entry in entries]
        for entry, parent in left:
            if not isinstance(entry, SpriteLine) or not entry.is_definition:
                continue
            own, inherited = entry.class_name, parent.class_name if parent else None
            is_other = parent is not None and parent.name.text != entry.name.text
            if (
                own
                and inherited
                and parent
                and is_other
                and (own.text != inherited.text or self.is_placed(parent.name.text))
            ):
                message = (
                    f"{entry.name.text!r} is indented deeper than {parent.name.text!r} (line {parent.name.at.line}) "
                    f"and therefore a kind of it"
                )
                if own.text != inherited.text:
                    message += f": the class {inherited.text} counts, not {own.text}"
                self.log.warn(message, own.at, ("the same indentation", "no class"), messages=0)
            holder = entry if own else parent
            left += [(child, holder) for child in entry.children]

    def is_placed(self, name: str) -> bool:
        """Whether a character of the LevelMapping places sprites of a type."""
        return any(name in mapped.names for mapped in self.rules.mapping.values())

    def check_target(self, definition: Definition, row: SpriteClass) -> None:
        """Warn of sprites that follow, or lead to, sprites of their own type."""
        ancestors = {ancestor.name for ancestor in ontology.lineage(row)}
        if not ancestors.intersection((*_FOLLOWERS, "Portal")):
            return
        for key in ("stype", "stype1"):
            argument = definition.arguments.get(key)
            if argument is not None and split(argument.value) == [definition.name]:
                what = "leads to" if "Portal" in ancestors else "follows"
                message = f"{definition.name!r} {what} its own type"
                self.log.warn(message, argument.value_at, ("the name of another sprite",), messages=0)

    def check_spawner(self, definition: Definition, row: SpriteClass) -> None:
        """Warn of sprites that make others in every tick without an end, unless these are short-lived, as shots are."""
        settings = definition.settings
        if row.name not in _SPAWNERS or settings["cooldown"] > 1 or settings["total"] > 0 or settings["prob"] < 1:
            return
        numbers = [self.number(name) for name in _products(definition, row)]
        made = [self.rules.definitions[number] for number in numbers if number in self.rules.definitions]
        if made and definition not in made and not all(self.is_short_lived(product) for product in made):
            message = f"{definition.name!r} makes a sprite in every tick, without an end"
            self.log.warn(message, definition.class_at or definition.at, ("cooldown=", "total=", "prob="), messages=0)

    def is_short_lived(self, definition: Definition) -> bool:
        """Whether sprites of a type vanish by themselves, are single, or fly until something kills them."""
        row = definition.row
        if row is None or definition.settings.get("timeToLive", -1) >= 0:
            return True
        classes = {ancestor.name for ancestor in ontology.lineage(row)}
        single = self.rules.tables.table["types"]["singleton"]
        if "Flicker" in classes or any(single[number] for number in definition.itypes):
            return True
        return "Missile" in classes and definition.number in self.killed

    def number(self, name: str) -> int:
        return self.rules.names.index(name) if name in self.rules.names else -1

    def subtypes(self, name: str) -> list[int]:
        number = self.number(name)
        return self.rules.definitions[number].subtypes if number in self.rules.definitions else []

    def victims(self) -> Iterator[str]:
        """Names of the types that effects kill or transform."""
        for line in self.description.entries(SectionKind.INTERACTIONS):
            effect = ontology.effect(line.effect.text) if isinstance(line, InteractionLine) and line.effect else None
            if isinstance(line, InteractionLine) and effect is not None:
                targets = {write.target for write in effect.writes if write.what & (What.KILL | What.REMOVE)}
                if "first" in targets:
                    yield line.first.text
                if "second" in targets:
                    yield from (name.text for name in line.seconds)

    # ---------------------------------------------------------------------------------------------- presence

    def check_presence(self) -> None:
        """Warn of types whose sprites no level can have, as no character places them and nothing makes them."""
        placed = {name for mapped in self.rules.mapping.values() for name in mapped.names}
        counted = set(self.resources())
        for definition in self.leaves:
            names = {self.rules.names[number] for number in definition.itypes}
            if definition.number in self.rules.created or definition.name in counted or names & placed:
                continue
            if definition.row is None or (definition.row.avatar and definition.name == "avatar"):
                continue
            message = (
                f"{definition.name!r} is never in play: no character of the LevelMapping places it, nothing makes it"
            )
            self.log.warn(message, definition.at, messages=0)

    def resources(self) -> Iterator[str]:
        """Names of types that sprites can hold, or that are named for it, without being in play."""
        for entry in self.description.entries(SectionKind.INTERACTIONS):
            if isinstance(entry, InteractionLine):
                for key in ("resource", "heldResource"):
                    if key in entry.arguments:
                        yield entry.arguments[key].value
        for definition in self.leaves:
            for key in ("ammo", "resource_name"):
                if key in definition.arguments:
                    yield from split(definition.arguments[key].value)


def _has_children(definition: Definition) -> bool:
    return len(definition.subtypes) > len(definition.itypes)


def _products(definition: Definition, row: SpriteClass) -> Iterator[str]:
    """Names of the types that sprites of a class make."""
    for key, parameter in ontology.parameters(row).items():
        if parameter.refers in (Refers.SPRITE, Refers.SPRITES) and key in row.creates:
            text = definition.settings.get(key)
            yield from split(text) if text else ()
