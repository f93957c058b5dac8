"""Implausible games: random sprites of every class with random effects, from the rows of the ontology."""

from __future__ import annotations

import random

from hostile import words
from vgdl import ontology

AVATAR_CLASSES = [row for row in ontology.ALL_SPRITE_CLASSES if row.avatar]
OTHER_CLASSES = [row for row in ontology.ALL_SPRITE_CLASSES if not row.avatar]
CHARACTERS = "abcdefghijklmnopqrstuvwxyz"


def game(rng: random.Random) -> str:
    """A game text. Its levels are made of the first characters of `CHARACTERS`, spaces and A."""
    names = ["avatar", "wall"] + [f"s{number}" for number in range(rng.randint(2, 12))]
    lines = [
        _game_line(names, rng),
        "  SpriteSet",
        *_sprites(names, rng),
        "  LevelMapping",
        f"    A > {rng.choice(['avatar', 'avatar s0', 'avatar avatar'])}",
        *(f"    {character} > {_some(names[1:], rng)}" for character in CHARACTERS[: len(names)]),
        "  InteractionSet",
        *(f"    {words.interaction(names, rng)}" for _ in range(rng.randint(2, 25))),
        "  TerminationSet",
        *(f"    {_termination(names, rng)}" for _ in range(rng.randint(0, 2))),
    ]
    return "\n".join(lines) + "\n"


def level(rng: random.Random) -> str:
    """A level text for `game`."""
    columns, rows = rng.randint(1, 14), rng.randint(1, 10)
    crowded = rng.random()
    cells = [[" " if rng.random() > crowded else rng.choice(CHARACTERS[:6]) for _ in range(columns)] for _ in range(rows)]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        cells[rng.randrange(rows)][rng.randrange(columns)] = "A"
    return "\n".join("".join(line) for line in cells) + "\n"


def _some(names: list[str], rng: random.Random) -> str:
    return " ".join(rng.choice(names) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def _game_line(names: list[str], rng: random.Random) -> str:
    line = "BasicGame"
    if rng.random() < 0.7:
        line += f" square_size={rng.choice([1, 2, 5, 10, 10, 20, 50])}"
    if rng.random() < 0.3:
        line += " no_players=2"
    if rng.random() < 0.4:
        line += f" no_counters={rng.randint(0, 3)}"
    if rng.random() < 0.6:
        line += f" obs={rng.choice(names)}"
    return line


def _sprites(names: list[str], rng: random.Random) -> list[str]:
    """Lines of a SpriteSet, some of them below others."""
    lines: list[str] = []
    depth = 0
    for name in rng.sample(names, len(names)):
        row = rng.choice(AVATAR_CLASSES if name == "avatar" or rng.random() < 0.1 else OTHER_CLASSES)
        depth = min(depth + rng.choice([-1, 0, 0, 1]), 3) if lines else 0
        depth = max(depth, 0) if name != "avatar" else 0
        described = row.name if depth == 0 or rng.random() < 0.3 else ""
        lines.append(f"    {'  ' * depth}{name} > {described}{words.parameters(row, names, rng)}")
    return lines


def _termination(names: list[str], rng: random.Random) -> str:
    row = rng.choice(ontology.ALL_TERMINATIONS)
    return f"{row.name}{words.parameters(row, names, rng)}"
