"""Mistakes that the reference silently ignores, such as ``cooldown=two``.

The reference stores a value only in a field of its type and keeps the default otherwise (language, 5.1). Such a game
can be played, so loading it gives no warning; `lint` checks every value against its parameter's row in the ontology.
It also finds sprites and characters that are defined twice, of which the last definition counts (language, 7.3 and
11.1), words in the place of a character, of which the first letter counts, and sprites that end the game with an error
when they make another sprite (sprites, 7 and 12).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from vgdl import ontology
from vgdl.compiler.reading import Log, integer, split, unknown_parameter
from vgdl.compiler.rules import CompiledRules
from vgdl.compiler.space import decorate
from vgdl.compiler.sprites import Definition
from vgdl.language import (
    Argument,
    Entry,
    InteractionLine,
    MappingLine,
    Place,
    SectionKind,
    SpriteLine,
    TerminationLine,
    VGDLWarning,
    nearest,
)
from vgdl.ontology import dialects, values
from vgdl.ontology.constants import CONSTANTS, Form, Value
from vgdl.ontology.dialects import Role
from vgdl.ontology.rows import Kind, Parameter, Refers, Word
from vgdl.render import drawings
from vgdl.soundness import check_soundness

KnowsPicture = Callable[[str], bool]
"""A predicate: whether there is a picture of that name."""

_TRUTH = {"yes": "True", "on": "True", "1": "True", "no": "False", "off": "False", "0": "False"}
_PHYSICS = ("GRID", "CONT", "PHYSICS_NONE")
_TAKES = {
    Kind.INT: "a whole number",
    Kind.FLOAT: "a whole number",
    Kind.DOUBLE: "a number",
    Kind.BOOL: "True or False",
    Kind.DIRECTION: "a direction",
    Kind.COLOR: "the name of a colour",
}


@dataclass(frozen=True, slots=True)
class _Finding:
    """A problem with a value."""

    message: str
    expected: tuple[str, ...] = ()
    suggestion: str | None = None


def lint(rules: CompiledRules, knows_picture: KnowsPicture | None = None) -> tuple[VGDLWarning, ...]:
    """Warnings about a game text that the reference does not log, in the order of its lines.

    Args:
        rules: the compiled rules of the game.
        knows_picture: whether an ``img=`` name exists; by default, the names in `vgdl.render.drawings` do.

    Returns:
        Warnings whose ``messages`` is 0, as the reference logs none.
    """
    linter = _Linter(rules, knows_picture or _is_drawing)
    linter.run()
    return tuple(sorted(linter.log.warnings, key=in_order))


def in_order(warning: VGDLWarning) -> tuple[int, int]:
    """Sort key: the place in the file; warnings without a place come first."""
    return (warning.place.line, warning.place.column) if warning.place else (0, 0)


def _is_drawing(name: str) -> bool:
    return drawings.find(name) is not None


class _Linter:
    """One run over the rules of a game."""

    def __init__(self, rules: CompiledRules, knows_picture: KnowsPicture) -> None:
        self.rules = rules
        self.knows_picture = knows_picture
        self.log = Log(rules.description.source)
        self.sprites = (*rules.names, *rules.unread)  # one warning is enough for a block that was not read
        self.chosen = {name: placeholder.points[0] for name, placeholder in rules.placeholders.items()}
        self.foreign: dict[str, list[Argument]] = {}  # picture sheet that is not bundled -> arguments that name it

    def run(self) -> None:
        game = self.rules.description.game
        row = ontology.game_class(game.class_name.text)
        if row is not None:
            self.check_line([row], game.arguments, "the game")
        self.check_definitions(self.rules.description.entries(SectionKind.SPRITES), {}, ())
        self.check_sprites()
        self.check_makers()
        self.check_characters()
        self.check_mapping()
        description = self.rules.description
        unread = [entry for section in description.unread for entry in section.entries]
        for line in (*description.entries(SectionKind.INTERACTIONS), *unread):
            if isinstance(line, InteractionLine):
                self.check_interaction(line)
        for entry in (*description.entries(SectionKind.TERMINATIONS), *unread):
            if isinstance(entry, TerminationLine):
                termination = ontology.termination(entry.class_name.text)
                self.check_line([termination] if termination else [], entry.arguments, entry.class_name.text)
        self.warn_of_foreign_pictures()
        check_soundness(self.rules, self.log)
        self.log.warnings += self.rules.further

    # ---------------------------------------------------------------------------------------------- sections

    def check_definitions(self, entries: Iterable[Entry], earlier: dict[str, Place], above: tuple[str, ...]) -> None:
        """Warn of sprites defined twice; ``earlier`` has the lines before by name, ``above`` the parents' names."""
        for line in entries:
            if isinstance(line, SpriteLine):
                name = line.name.text
                if line.is_definition:
                    self.check_again(name, line.name.at, earlier, "sprite", " as a subtype of itself" * (name in above))
                self.check_definitions(line.children, earlier, (*above, name))

    def check_characters(self) -> None:
        """Warn of characters mapped twice, and of words in the place of a character."""
        seen: dict[str, Place] = {}
        for line in self.rules.description.entries(SectionKind.MAPPING):
            if isinstance(line, MappingLine) and line.character is not None:
                at = line.at
                word = self.log.source.lines[at.line - 1][at.column - 1 :][: at.length]
                if len(word) > 1:
                    message = f"{word!r} is not one character: {line.character!r} is mapped"
                    self.log.warn(message, line.at, ("one character",), line.character, 0)
                self.check_again(line.character, line.at, seen, "character")

    def check_again(self, name: str, at: Place, earlier: dict[str, Place], what: str, how: str = "") -> None:
        if name in earlier:
            message = f"the {what} {name!r} is defined again{how}: this replaces line {earlier[name].line}"
            self.log.warn(message, at, (), None, 0)
        earlier[name] = at

    def check_sprites(self) -> None:
        """Check each parameter once, where it is written; it is valid if any type that inherits it accepts it."""
        written: dict[int, tuple[Argument, list[Word]]] = {}
        for definition in self.rules.definitions.values():
            if definition.row is None or definition.at is None:
                continue
            for argument in definition.arguments.values():
                written.setdefault(id(argument), (argument, []))[1].append(definition.row)
        for argument, rows in written.values():
            self.check_argument(argument, rows, f"a {rows[0].name}")
        untiled: dict[int, Argument] = {}
        for definition in self.rules.definitions.values():
            if definition.settings.get("autotiling") and definition.settings.get("img") is None:
                argument = definition.arguments["autotiling"]
                untiled[id(argument)] = argument
            if definition.problem is not None and len(definition.subtypes) == len(definition.itypes):  # has no children
                self.log.warn(*definition.complaint, messages=0)
        for argument in untiled.values():
            message = "autotiling has no effect without img=: a plain shape is shown"
            self.log.warn(message, argument.at, ("img=<image>",), messages=0)

    def check_makers(self) -> None:
        """Warn of sprites that make their own type, or none: either ends the game with an error."""
        for definition in self.rules.definitions.values():
            row = definition.row
            if row is None or row.avatar or not row.creates or len(definition.subtypes) > len(definition.itypes):
                continue
            settings = definition.settings
            if 0 in (settings.get("prob"), settings.get("spreadprob")) or self.is_singleton(definition):
                continue
            key = row.creates[0]
            argument = definition.arguments.get(key)
            if settings[key] is None and settings.get("itype", -1) < 0:
                own = "self" in row.creates
                makes = "spreads its own type" if own else "has nothing to make"
                message = f"a {row.name} without {key}= {makes}, which ends the game with an error"
                self.log.warn(message, definition.class_at or definition.at, (), None, 0)
            elif argument is not None and settings[key] and definition.name in split(settings[key]):
                message = f"{definition.name!r} makes sprites of its own type, which ends the game with an error"
                self.log.warn(message, argument.value_at, (), None, 0)

    def is_singleton(self, definition: Definition) -> bool:
        """Whether a sprite of the type prevents the creation of another one (language, 7.5)."""
        return bool(self.rules.tables.table["types"]["singleton"][definition.itypes].any())

    def check_mapping(self) -> None:
        for mapped in self.rules.mapping.values():
            for name in mapped.line.names if mapped.line else ():
                if name.text not in self.sprites:
                    self.log.warn(f"unknown sprite {name.text!r}", name.at, (), nearest(name.text, self.sprites), 0)

    def check_interaction(self, line: InteractionLine) -> None:
        """Check the parameters of an effect, and of its timer or of the effect that addTimer starts."""
        effect = ontology.effect(line.effect.text) if line.effect else None
        if effect is None:
            return
        rows: list[Word] = [effect]
        if "TIME" in (name.text.upper() for name in (line.first, *line.seconds)):
            rows.append(ontology.TIME_EFFECT)
        if effect.name == "addTimer" and "ftype" in line.arguments:
            started = ontology.effect(line.arguments["ftype"].value)
            rows += [started] if started else []
        self.check_line(rows, line.arguments, effect.name)

    def check_line(self, rows: Sequence[Word], arguments: Mapping[str, Argument], owner: str) -> None:
        for argument in arguments.values():
            self.check_argument(argument, rows, owner)

    # ---------------------------------------------------------------------------------------------- parameters

    def check_argument(self, argument: Argument, rows: Sequence[Word], owner: str) -> None:
        """Warn of a parameter that no row has, or of a value that none of the rows with the parameter accepts."""
        known = [ontology.parameters(row)[argument.key] for row in rows if argument.key in ontology.parameters(row)]
        if not known:
            if rows:
                names = [name for row in rows for name in ontology.parameters(row)]
                message, suggestion = unknown_parameter(owner, argument.key, names)
                self.log.warn(message, argument.at, (), suggestion, 0)
            return
        found = [self.check_value(parameter, argument) for parameter in known]
        if all(found) and found[0]:
            self.log.warn(found[0].message, argument.value_at, found[0].expected, found[0].suggestion, 0)

    def check_value(self, parameter: Parameter, argument: Argument) -> _Finding | None:
        if parameter.internal:
            return None
        text = decorate(argument.value, self.chosen)
        if parameter.kind is Kind.OPAQUE:
            return _Finding(f"{parameter.name} cannot be given in a game text: the value is ignored")
        value = values.convert(parameter.name, text)
        stored = values.store(parameter.kind, value)
        if stored is None:
            return _misfit(parameter, text, value)
        if isinstance(stored, str) and parameter.refers:
            return self.check_text(parameter, parameter.refers, stored, argument)
        if isinstance(stored, int | float) and not _in_range(parameter, stored):
            return _Finding(f"{parameter.name}={text} is out of range", (parameter.span,))
        return None

    def check_text(self, parameter: Parameter, refers: Refers, text: str, argument: Argument) -> _Finding | None:
        """Check that the names in a text exist."""
        match refers:
            case Refers.SPRITE:
                return self.check_names([text], self.sprites, "sprite")
            case Refers.SPRITES:
                return self.check_names(split(text), self.sprites, "sprite")
            case Refers.EFFECT:
                return self.check_names([text], [row.name for row in ontology.ALL_EFFECTS], "effect")
            case Refers.SCORES:
                wrong = [piece for piece in split(text) if integer(piece) is None]
                return _Finding(f"{wrong[0]!r} counts as 0", ("a whole number",)) if wrong else None
            case Refers.FLAGS:
                wrong = [piece for piece in split(text) if piece.lower() not in ("true", "false")]
                return _Finding(f"{wrong[0]!r} counts as False", ("True", "False"), _truth(wrong[0])) if wrong else None
            case Refers.PICTURE:
                return self.check_picture(text, argument)

    def check_names(self, names: Iterable[str], known: Sequence[str], what: str) -> _Finding | None:
        for name in names:
            if name and name not in known:
                return _Finding(f"unknown {what} {name!r}", suggestion=nearest(name, known))
        return None

    def check_picture(self, name: str, argument: Argument) -> _Finding | None:
        """Find misspelled names of bundled pictures; names in other collections are gathered for one warning."""
        if self.knows_picture(name):
            return None
        sheet = name.rpartition("/")[0]
        ours = [drawing for drawing in drawings.names() if drawing.startswith(f"{sheet}/")]
        if ours:
            return _Finding(f"no picture is called {name!r}: a plain shape is shown", suggestion=nearest(name, ours))
        self.foreign.setdefault(sheet, []).append(argument)
        return None

    def warn_of_foreign_pictures(self) -> None:
        for sheet, arguments in self.foreign.items():
            first, count = arguments[0], len(arguments)
            which = f"{sheet}/..." if sheet else first.value
            uses = "1 use" if count == 1 else f"{count} uses"
            message = f"no picture {which!r} comes with vgdl ({uses}): plain shapes are shown"
            sheets = sorted({name.partition("/")[0] for name in drawings.names()})
            self.log.warn(message, first.value_at, [], nearest(sheet, sheets), 0)


# ------------------------------------------------------------------------------------------------------ values


def _misfit(parameter: Parameter, text: str, value: Value) -> _Finding:
    """A value that its field does not accept."""
    if parameter.kind is Kind.TEXT:
        return _misread(parameter, text, value)
    message = f"{parameter.name} takes {_TAKES[parameter.kind]}: {text!r} is ignored"
    known = {Kind.DIRECTION: _names(Form.DIRECTION), Kind.COLOR: _names(Form.COLOR), Kind.BOOL: ("True", "False")}
    names = known.get(parameter.kind)
    if parameter.name == "physicstype":
        row = dialects.substitute(Role.PHYSICS, text)
        meant = row.instead if row else nearest(text, _PHYSICS)
        return _Finding(message, ("GRID (0)", "CONT (1)", "PHYSICS_NONE (-1)"), meant)
    if names is None:
        return _Finding(message, suggestion=_number(parameter.kind, text, value))
    row = dialects.substitute(Role.COLOR, text) if parameter.kind is Kind.COLOR else None
    if row is not None:
        return _Finding(message, names, row.instead)
    meant = _truth(text) if parameter.kind is Kind.BOOL else nearest(text, names)
    return _Finding(message, () if meant else names, meant)


def _misread(parameter: Parameter, text: str, value: Value) -> _Finding:
    """A text value that reads as a constant, number or truth value, and is therefore ignored (language, 5.1)."""
    if text in CONSTANTS:
        return _Finding(f"{parameter.name}={text} is ignored: {text} is the name of a constant")
    read_as = "a truth value" if value.form is Form.BOOLEAN else "a number"
    suggestion = f"{text},{text}" if parameter.refers is Refers.SCORES and value.form is Form.INTEGER else None
    return _Finding(f"{parameter.name}={text} is ignored: a text that reads as {read_as} is not taken", (), suggestion)


def _number(kind: Kind, text: str, value: Value) -> str | None:
    """The number that was probably intended."""
    if kind is Kind.DOUBLE:
        return text.replace(",", ".", 1) if values.convert("", text.replace(",", ".", 1)).form is Form.DOUBLE else None
    if isinstance(value.content, float) and value.content.is_integer() and abs(value.content) < 2**31:
        return str(int(value.content))
    return None


def _truth(text: str) -> str | None:
    return _TRUTH.get(text.lower()) or nearest(text, ("True", "False"))


def _names(form: Form) -> tuple[str, ...]:
    """The names of the constants of a form; directions without their synonyms that begin with ``D``."""
    named = {name for name, constant in CONSTANTS.items() if constant.form is form}
    return tuple(sorted(name for name in named if not (form is Form.DIRECTION and name[1:] in named)))


def _in_range(parameter: Parameter, number: float) -> bool:
    low, high = parameter.low, parameter.high
    return (low is None or number >= low) and (high is None or number <= high)
