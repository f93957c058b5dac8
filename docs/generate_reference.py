"""Write the reference of the language, ``docs/reference/*.md``, from the rows of ``vgdl.ontology`` and Java names.

``python docs/generate_reference.py`` writes the pages; ``--check`` writes nothing and exits with 1 if they are not
up to date.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from citations import linked

from vgdl import ontology
from vgdl.core.java_names import JAVA_NAMES
from vgdl.ontology.constants import CONSTANTS, Form
from vgdl.ontology.dialects import SUBSTITUTES
from vgdl.ontology.rows import (
    Effect,
    GameClass,
    Kind,
    Lookup,
    Null,
    Parameter,
    Refers,
    SpriteClass,
    Termination,
    What,
    Word,
    Write,
)

_W = TypeVar("_W", bound=Word)

DIRECTORY = Path(__file__).resolve().parent / "reference"

_KINDS: Mapping[Kind, str] = {
    Kind.INT: "integer",
    Kind.FLOAT: "integer",
    Kind.DOUBLE: "number",
    Kind.BOOL: "boolean",
    Kind.TEXT: "text",
    Kind.DIRECTION: "direction",
    Kind.COLOR: "colour",
}
_REFERENCES: Mapping[Refers, str] = {
    Refers.SPRITE: "sprite name",
    Refers.SPRITES: "sprite names",
    Refers.EFFECT: "effect name",
    Refers.SCORES: "integers",
    Refers.FLAGS: "booleans",
    Refers.PICTURE: "picture",
}
_CHANGES: Mapping[What, str] = {
    What.KILL: "killed",
    What.REMOVE: "removed",
    What.RESTORE: "put back to its last place",
    What.RECT: "place",
    What.ORIENTATION: "orientation",
    What.PUSH: "speed (with continuous physics)",
    What.SPEED: "speed",
    What.GRAVITY: "gravity",
    What.HEALTH: "health",
    What.RESOURCES: "resources",
    What.SPAWN_TYPE: "what it spawns",
    What.ROTATION: "rotation",
    What.INNER: "inner state",
}
_TARGETS: Mapping[str, str] = {
    "first": "the sprite",
    "second": "the partner",
    "self": "the sprite",
    "all": "all sprites",
}
_ABSENT: Mapping[Null, str] = {
    Null.FIRST: "The sprite is needed: without it there is only a message. The partner may be missing.",
    Null.SECOND: "The partner is needed: without it there is only a message. The sprite may be missing.",
    Null.BOTH: "Both sprites are needed: without one (`EOS`, `TIME`) there is only a message.",
    Null.NONE: "Works without sprites.",
    Null.FATAL_FIRST: "The sprite is needed: without it the game breaks off.",
    Null.FATAL_SECOND: "The partner is needed: without it (`EOS`, `TIME`) the game breaks off.",
}

_INDEX = """\
# Reference of the language

Every word that a game text can use, generated from the rows in `vgdl/ontology/`. Names are case-sensitive.

- [The game line](games.md)
- [Sprite classes](sprites.md)
- [Avatar classes](avatars.md)
- [Effects](effects.md)
- [Terminations](terminations.md)
- [Games from elsewhere](dialects.md): words of other dialects, and what to write instead
- [Porting a Java controller](java.md): names of the reference's interface, and the Python ones

## How to read the tables

A parameter is written `name=value`, without blanks. A value that does not have the type of its parameter is ignored
without a message, and the default stays; a parameter that the word does not know gives a message.

| type | accepts |
|---|---|
| integer | whole numbers of 32 bits, such as `3` or `-1`; not `3.0` |
| number | whole numbers and decimal ones, such as `0.5` or `1e-3` |
| boolean | `true` or `false`, in any case; not `1` |
| text | everything else: not a number, not a boolean, not the name of a constant |
| sprite name, effect name | text that names a sprite type or an effect |
| sprite names, integers, booleans | a comma list without blanks, `a,b`; often one entry per player |
| direction, colour | a constant of the tables below |

A list of integers with a single entry is read as a number and therefore ignored, except in `scoreChange` and
`scoreChangeIfKilled`; `hidden`, `invisible` and `win` take one boolean as well as several.

*required* instead of a default: without the parameter, an effect or a termination ends the reading of the file, and a
sprite cannot be made. *known* means that the same happens if the name is given but unknown.

*drawing*: the parameter does not change how the game is played.

"""

_DIALECTS = """\
# Games from elsewhere

Games of the py-vgdl family, and answers of language models, use words that this language lacks. `vgdl-check GAME.txt`
names what is wrong; `vgdl-check --fix GAME.txt` writes a converted copy, `GAME_fixed.txt`, with the levels beside it,
and checks it:

- Tabs before lines become blanks, eight columns to a tab. Here a tab counts as one blank, as in the reference, so a
  text that mixes both is read otherwise than it looks. A text that is understood as it is keeps its tabs, unless
  `--dialect py-vgdl` is given.
- Headers such as `Interactions` and words in the wrong case, such as `stepback`, get the right spelling; `speed = 2`
  loses its blanks.
- The words of the table are replaced, on the line where they stand.

With `--dialect py-vgdl` and without `--fix`, nothing is written, and the game is checked as it would be converted.

A game may be part of another file: `vgdl-check page.html agent.py answer.md` finds the games in the texts of a page, in
the strings of a Python source, and between the fences of an answer, and the levels that follow them.

## What to write instead

"""

_JAVA = """\
# Porting a Java controller

The Python interface has the content of the reference's, with other names. A Java name raises an AttributeError that
says what to write. Positions are pairs of pixels, directions pairs of numbers; lists by type are tuples of tuples.

A Java controller has a constructor and `act(stateObs, elapsedTimer)`; a [Python controller](../writing-a-controller.md)
has `__init__(self, state, timer, player=0)` and `act(self, state, timer)`. Copies differ in one point: give each
simulation a seed of its own, `state.copy(seed=...)`, since the generator is part of the state.

"""

_TEXTS: Mapping[str, tuple[str, str]] = {
    "games.md": (
        "The game line",
        "The first line of a game text: a class and its parameters, as in `BasicGame square_size=40 no_players=2`.",
    ),
    "sprites.md": (
        "Sprite classes",
        "A line of the SpriteSet: `name > Class parameter=value`. "
        "The avatar classes have [a page of their own](avatars.md).",
    ),
    "avatars.md": (
        "Avatar classes",
        "The sprite classes that players steer. "
        "The parameters of [all sprites](sprites.md#all-sprites) apply to them too.",
    ),
    "effects.md": (
        "Effects",
        "A line of the InteractionSet: `first second > effect parameter=value`. Below, *the sprite* is one of the "
        "first type and *the partner* one of the second that touches it. With `EOS` as second type the effect happens "
        "to sprites that are not completely on the screen, with `TIME` it happens at certain ticks; both without a "
        "partner.",
    ),
    "terminations.md": (
        "Terminations",
        "A line of the TerminationSet: `Class parameter=value`. They are looked at after every tick, in their order.",
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or with ``--check`` compare them; returns the exit code."""
    parser = argparse.ArgumentParser(description="Write the reference of the language from the rows of the ontology.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page is not up to date")
    if parser.parse_args(arguments).check:
        outdated = sorted(_outdated())
        for name in outdated:
            print(f"docs/reference/{name} is not up to date; run docs/generate_reference.py", file=sys.stderr)
        return 1 if outdated else 0
    DIRECTORY.mkdir(exist_ok=True)
    for name, text in pages().items():
        (DIRECTORY / name).write_text(text, encoding="utf-8")
    return 0


def _outdated() -> Iterator[str]:
    wanted = pages()
    present = {path.name: path.read_text(encoding="utf-8") for path in DIRECTORY.glob("*.md")}
    yield from (name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))


def pages() -> dict[str, str]:
    """The text of every page by file name."""
    sprites = [row for row in ontology.ALL_SPRITE_CLASSES if not row.avatar]
    avatars = [row for row in ontology.ALL_SPRITE_CLASSES if row.avatar]
    common = _common("All sprites", ontology.SPRITE)
    timed = _common("Lines with `TIME`", ontology.TIME_EFFECT, own_only=True)
    return {
        "index.md": _INDEX + "\n".join(_constants()) + "\n",
        "games.md": _page("games.md", (), ontology.ALL_GAME_CLASSES, _game_facts),
        "sprites.md": _page("sprites.md", common, sprites, _sprite_facts),
        "avatars.md": _page("avatars.md", (), avatars, _sprite_facts),
        "effects.md": _page(
            "effects.md", [*_common("All effects", ontology.EFFECT), *timed], ontology.ALL_EFFECTS, _effect_facts
        ),
        "terminations.md": _page(
            "terminations.md",
            _common("All terminations", ontology.TERMINATION),
            ontology.ALL_TERMINATIONS,
            _termination_facts,
        ),
        "dialects.md": _DIALECTS + "\n".join(_substitutes()) + "\n",
        "java.md": _JAVA + "\n".join(_java_names()) + "\n",
    }


def _substitutes() -> Iterator[str]:
    """The table of words of other dialects."""
    yield "| word | as | write | remark |"
    yield "|---|---|---|---|"
    for row in SUBSTITUTES:
        instead = f"`{row.instead}`" if row.instead else "nothing" if row.instead == "" else "–"
        yield f"| `{row.word}` | {row.role.value} | {instead} | {row.note} |"


def _java_names() -> Iterator[str]:
    """The table of Java names, class by class."""
    for owner in dict.fromkeys(row.owner for row in JAVA_NAMES):
        yield from (f"## {owner}", "", "| Java | Python | remark |", "|---|---|---|")
        yield from (f"| `{row.name}` | `{row.python}` | {row.note} |" for row in JAVA_NAMES if row.owner == owner)
        yield ""


def _page(name: str, common: Iterable[str], rows: Sequence[_W], facts: Callable[[_W], Iterable[str]]) -> str:
    title, introduction = _TEXTS[name]
    lines = [f"# {title}", "", introduction, ""]
    lines += ["| word | what it does |", "|---|---|"]
    lines += [f"| [`{row.name}`](#{row.name.lower()}) | {row.doc} |" for row in rows]
    lines += ["", *common]
    for row in rows:
        lines += [f"## `{row.name}`", "", row.doc, "", *_parameters(_shown(row)), *_list(facts(row))]
    return "\n".join(lines).rstrip("\n") + "\n"


def _common(title: str, row: Word, own_only: bool = False) -> list[str]:
    shown = row.parameters if own_only else ontology.parameters(row).values()
    return [f"## {title}", "", *_parameters(shown), *_list([_clause(row)])]


def _clause(row: Word) -> str:
    return f"Specification: {linked(row.clause, '../specification')}."


def _shown(row: Word) -> list[Parameter]:
    """The parameters of a word without those that all words of its kind have, unless it declares them again."""
    *words, root = ontology.lineage(row)
    common = {} if isinstance(root, GameClass) else ontology.parameters(root)
    declared = {parameter.name for word in words for parameter in word.parameters}
    return [p for p in ontology.parameters(row).values() if p.name not in common or p.name in declared]


def _parameters(parameters: Iterable[Parameter]) -> Iterator[str]:
    """A table of what has an effect, and a line that names what is accepted without one."""
    useful: list[Parameter] = []
    useless: list[Parameter] = []
    for parameter in parameters:
        (useless if parameter.internal or parameter.kind is Kind.OPAQUE else useful).append(parameter)
    if useful:
        yield from ("| parameter | type | default | meaning |", "|---|---|---|---|")
        for parameter in useful:
            meaning = f"*drawing*: {parameter.doc}" if parameter.drawing else parameter.doc
            yield f"| `{parameter.name}` | {_type(parameter)} | {_default(parameter)} | {meaning} |"
        yield ""
    if useless:
        yield "Accepted without effect: " + ", ".join(f"`{parameter.name}`" for parameter in useless) + "."
        yield ""


def _type(parameter: Parameter) -> str:
    name = _KINDS[parameter.kind] if parameter.refers is None else _REFERENCES[parameter.refers]
    return f"{name}, {span}" if (span := parameter.span) else name


def _default(parameter: Parameter) -> str:
    match parameter.lookup:
        case Lookup.REQUIRED:
            return "*required, known*"
        case Lookup.UNCHECKED:
            return "*required*"
        case Lookup.CHECKED:
            return "none; *known*"
    return "none" if parameter.default in (None, "") else f"`{_value(parameter.kind, parameter.default)}`"


def _value(kind: Kind, value: Any) -> str:
    """A default as it would be written in a game text."""
    if kind in (Kind.DIRECTION, Kind.COLOR):
        names = [name for name, constant in CONSTANTS.items() if constant.content == value]
        return names[0] if names else ",".join(str(part) for part in value)
    return str(value).lower() if kind is Kind.BOOL else f"{value:g}" if kind is Kind.DOUBLE else str(value)


def _list(facts: Iterable[str]) -> list[str]:
    return [*(f"- {fact}" for fact in facts), ""]


def _sprite_facts(row: SpriteClass) -> Iterator[str]:
    if row.parent != ontology.SPRITE.name:
        yield f"A kind of `{row.parent}`."
    if row.avatar:
        yield "Actions: " + ", ".join(f"`{action}`" for action in row.actions) + "."
    changed = [f"`{name}={_value(kind, default)}`" for name, kind, default in _changed_defaults(row)]
    if changed:
        yield "Defaults: " + ", ".join(changed) + "."
    yield from _changes(row.writes)
    yield from _creates(row.creates)
    if row.draws:
        yield f"Draws: {row.draws}."
    if row.ground_test:
        yield "Finds out whether it stands on something `solid` when the game tests whether it touches it."
    if not row.time_to_live:
        yield "Ignores `timeToLive`."
    yield _clause(row)


def _changed_defaults(row: SpriteClass) -> Iterator[tuple[str, Kind, Any]]:
    common = ontology.parameters(ontology.SPRITE)
    for name, parameter in ontology.parameters(row).items():
        if name in common and parameter.default != common[name].default and not parameter.internal:
            yield name, parameter.kind, parameter.default


def _effect_facts(row: Effect) -> Iterator[str]:
    yield from _changes(row.writes)
    yield from _creates(row.creates, row.relatives)
    if row.draws:
        yield f"Draws: {row.draws}."
    if row.gates:
        yield "Sets its own " + ", ".join(f"`{gate}`" for gate in row.gates) + " according to what happened."
    if row.batch:
        yield "Can handle all partners of a sprite together."
    yield _ABSENT[row.null]
    yield _clause(row)


def _termination_facts(row: Termination) -> Iterator[str]:
    yield _clause(row)


def _game_facts(row: GameClass) -> Iterator[str]:
    yield _clause(row)


def _changes(writes: Iterable[Write]) -> Iterator[str]:
    parts = []
    for write in writes:
        target = _TARGETS.get(write.target, f"sprites of `{write.target}`")
        condition = f" (with `{write.when}`)" if write.when else ""
        parts.append(f"{target}: {', '.join(_CHANGES[what] for what in write.what)}{condition}")
    if parts:
        yield "Can change " + "; ".join(parts) + "."


def _creates(creates: Iterable[str], relatives: bool = False) -> Iterator[str]:
    names = {"first": "the sprite's own type", "self": "its own type", "wall": "`wall`"}
    parts = [names.get(name, f"`{name}`") for name in creates]
    if parts:
        yield f"Brings into being {'relatives of ' if relatives else ''}{', '.join(parts)}."


def _constants() -> Iterator[str]:
    yield from ("## Constants", "")
    for form, title in ((Form.DIRECTION, "direction"), (Form.INTEGER, "integer"), (Form.COLOR, "colour")):
        yield from (f"| {title} | value |", "|---|---|")
        for name, constant in CONSTANTS.items():
            if constant.form is form:
                yield f"| `{name}` | {_constant(name, constant.content)} |"
        yield ""
    lists = [f"`{name}`" for name, constant in CONSTANTS.items() if constant.form is Form.LIST]
    yield "No parameter takes the lists " + ", ".join(lists) + "."


def _constant(name: str, content: Any) -> str:
    if name == "RANDOM":
        return "any colour"
    return ", ".join(f"{part:g}" for part in content) if isinstance(content, tuple) else str(content)


if __name__ == "__main__":
    sys.exit(main())
