"""Mutations that leave a game a game: its words are exchanged for others of the ontology, its numbers for extreme ones.

Unlike those of `mutations`, most of these texts still load, so the engine is tested.
"""

from __future__ import annotations

import random
import re

from hostile.mutations import Mutation
from vgdl import ontology
from vgdl.ontology.rows import Kind, Parameter, Refers, Word

SPRITE_CLASSES = [row.name for row in ontology.ALL_SPRITE_CLASSES]
EFFECTS = [row.name for row in ontology.ALL_EFFECTS]
TERMINATIONS = [row.name for row in ontology.ALL_TERMINATIONS]

#: What a number may become: ends of ranges, zero, fractions, and what is not a number at all.
EXTREMES = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "100",
    "-100",
    "9999",
    "2147483647",
    "-2147483648",
    "2147483648",
    "0.0",
    "-0.0",
    "0.5",
    "1e-300",
    "1e9",
    "1e308",
    "-1e308",
    "1e999",
    "NaN",
    "-NaN",
    "Infinity",
    "-Infinity",
]

_NUMBER = re.compile(r"(?<=[=,])[-+]?\d+(?:\.\d+)?")
_VALUE = re.compile(r"(?<==)[^\s=]+")
_NAME = re.compile(r"(?<![\w=])[A-Za-z_]\w*(?![\w=])")
_SECTION = re.compile(r"[ \t]*(SpriteSet|InteractionSet|TerminationSet|LevelMapping|ParameterSet)\b")


def value(parameter: Parameter, names: list[str], rng: random.Random) -> str:
    """A text for a parameter: mostly of its type and plausible, now and then anything."""
    if rng.random() < 0.03:
        return rng.choice([*EXTREMES, *names, "x", "True", "UP", "avatar", "wall"])
    if parameter.refers is Refers.SPRITE:
        return rng.choice(names)
    if parameter.refers is Refers.SPRITES:
        return ",".join(rng.choice(names) for _ in range(rng.randint(1, 3)))
    if parameter.refers is Refers.EFFECT:
        return rng.choice(EFFECTS)
    if parameter.refers is Refers.SCORES:
        return rng.choice(["0", "1", "-2", "1,-1", "5", "2147483647", "x"])
    if parameter.kind is Kind.BOOL:
        return rng.choice(["True", "False"])
    if parameter.kind is Kind.DIRECTION:
        return rng.choice(["UP", "DOWN", "LEFT", "RIGHT", "NONE", "NIL"])
    if parameter.name == "physicstype":
        return rng.choice(["GRID", "CONT", "PHYSICS_NONE"])
    if parameter.kind in (Kind.INT, Kind.FLOAT):
        return rng.choice(["0", "1", "1", "2", "3", "5", "10", "50", "-1", rng.choice(EXTREMES)])
    if parameter.kind is Kind.DOUBLE:
        return rng.choice(["0", "0.1", "0.25", "0.5", "1", "1", "2", "8", "-1", rng.choice(EXTREMES)])
    return rng.choice(["true", "false", "x", *names])


def parameters(row: Word, names: list[str], rng: random.Random, most: int = 5) -> str:
    """Some parameters of a word, as they stand behind it in a game text."""
    known = [p for p in ontology.parameters(row).values() if not p.drawing and p.kind is not Kind.OPAQUE]
    chosen = rng.sample(known, min(len(known), rng.randint(0, most)))
    wanted = [p for p in known if p.refers is not None and p.refers is not Refers.SCORES and p not in chosen]
    chosen += [p for p in wanted if rng.random() < 0.85]
    return "".join(f" {p.name}={value(p, names, rng)}" for p in chosen)


def change_to_extreme(text: str, rng: random.Random) -> str:
    """One number of a parameter."""
    return _replaced(text, _NUMBER, rng.choice(EXTREMES), rng)


def exchange_value(text: str, rng: random.Random) -> str:
    """The value of one parameter for that of another."""
    values = list(_VALUE.finditer(text))
    return _replaced(text, _VALUE, rng.choice(values)[0], rng) if values else text


def exchange_name(text: str, rng: random.Random) -> str:
    """A word for another one of the same text, such as a sprite for a sprite."""
    names = list(_NAME.finditer(text))
    return _replaced(text, _NAME, rng.choice(names)[0], rng) if names else text


def exchange_word(text: str, rng: random.Random) -> str:
    """A sprite class, effect or termination for another one."""
    kind = rng.choice([SPRITE_CLASSES, EFFECTS, TERMINATIONS])
    known = re.compile(rf"\b(?:{'|'.join(kind)})\b")
    return _replaced(text, known, rng.choice(kind), rng)


def add_parameter(text: str, rng: random.Random) -> str:
    """A parameter that some word has, behind a line of any section."""
    lines = text.split("\n")
    places = [number for number, line in enumerate(lines) if ">" in line and "#" not in line]
    if not places:
        return text
    row = rng.choice([*ontology.ALL_SPRITE_CLASSES, *ontology.ALL_EFFECTS])
    known = list(ontology.parameters(row).values())
    chosen = rng.choice(known)
    lines[rng.choice(places)] += f" {chosen.name}={value(chosen, _names(text), rng)}"
    return "\n".join(lines)


def add_interaction(text: str, rng: random.Random) -> str:
    """A line with any effect between any sprites of the game, at the start of the InteractionSet or in its midst."""
    lines = text.split("\n")
    start = next((number for number, line in enumerate(lines) if "InteractionSet" in line), None)
    if start is None or start + 1 >= len(lines):
        return text
    names = _names(text)
    indent = lines[start + 1][: len(lines[start + 1]) - len(lines[start + 1].lstrip())]
    lines.insert(start + 1, indent + interaction(names, rng))
    return "\n".join(lines)


def interaction(names: list[str], rng: random.Random) -> str:
    """A line of an InteractionSet."""
    row = rng.choice(ontology.ALL_EFFECTS)
    first = rng.choice(names)
    second = rng.choice([*names * 3, "EOS", "TIME"]) if rng.random() < 0.7 else rng.choice(names)
    return f"{first} {second} > {row.name}{parameters(row, names, rng)}"


def make_space(text: str, rng: random.Random) -> str:
    """Some numbers become parameters of a game space: open ones, and fixed ones that need not lie on their ranges."""
    if "ParameterSet" in text or "BasicGame" not in text:
        return text
    places = list(_NUMBER.finditer(text, text.index("SpriteSet") if "SpriteSet" in text else 0))
    lines = []
    for number, place in enumerate(sorted(rng.sample(places, min(len(places), rng.randint(1, 6))), key=_backward)):
        text = f"{text[: place.start()]}PARAM{number}{text[place.end() :]}"
        values = rng.choice(["1:1:9", "1:5:30", "2:1:2", "0.1:0.2:0.9", "0.0:0.25:2.0", "-1:2:5", "true:false"])
        fixed = f" value={rng.choice([place[0], '4', '0.4', '15', '-7', 'true'])}" if rng.random() < 0.5 else ""
        lines.append(f"PARAM{number} > values={values} string=p{number}{fixed}")
    indent = re.search(r"^[ \t]+(?=SpriteSet)", text, re.MULTILINE)
    before = indent[0] if indent else "    "
    entries = "".join(f"{before * 2}{line}\n" for line in lines)
    return f"{text.replace('BasicGame', 'GameSpace', 1).rstrip()}\n{before}ParameterSet\n{entries}"


def _backward(place: re.Match[str]) -> int:
    return -place.start()


def _names(text: str) -> list[str]:
    """Words that a game's SpriteSet defines."""
    names, inside = ["avatar", "wall"], False
    for line in text.split("\n"):
        section = _SECTION.match(line)
        if section:
            inside = section[1] == "SpriteSet"
        elif inside and ">" in line:
            names += line.split(">")[0].split()[:1]
    return names


def _replaced(text: str, pattern: re.Pattern[str], new: str, rng: random.Random) -> str:
    places = list(pattern.finditer(text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + new + text[place.end() :]


KINDS: list[Mutation] = [
    change_to_extreme,
    exchange_value,
    exchange_name,
    exchange_word,
    add_parameter,
    add_interaction,
    make_space,
]
