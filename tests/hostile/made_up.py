"""Implausible games: random sprites of every class with random effects, from the rows of the ontology."""

from __future__ import annotations

import random
from typing import NamedTuple

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


class Motif(NamedTuple):
    """A situation that games seldom contain: lines of a SpriteSet and of an InteractionSet.

    ``{m}`` is a name of its own, ``{a}`` and ``{b}`` are sprites of the game, ``{x}`` and ``{y}`` numbers.
    """

    sprites: tuple[str, ...]
    interactions: tuple[str, ...] = ()


MOTIFS = (
    # draws whose outcome is certain, or comes from the second generator
    Motif(("{m} > AlternateChaser stype1={a},{a}", "{m}2 > RandomAltChaser stype1={a},{b} epsilon={x}")),
    Motif(("{m} > PathAltChaser stype1={a},{b} randomTarget=True", "{m}2 > RandomPathAltChaser stype1={b},{b}")),
    Motif(
        (
            "{m} > WalkerJumper physicstype=CONT probability={x} gravity={y} jump_strength=6",
            "{m}2 > Immovable solid=True",
        ),
        ("{m} {m}2 {a} > wallStop",),
    ),
    # avatars that turn by sine, cosine and arc tangent
    Motif(
        ("{m} > AimedAvatar stype={a} physicstype=CONT angle_diff={x}",),
        ("{m} {a} > wallBounce", "avatar {b} > transformTo stype={m}"),
    ),
    Motif(
        (
            "{m} > SpaceshipAvatar stype={a} physicstype=CONT angle_diff={x}",
            "{m}2 > CarAvatar angle_diff={y} physicstype=CONT",
        ),
        ("avatar {b} > transformTo stype={m}", "{m} {b} > transformTo stype={m}2", "{m}2 {a} > killIfNotUpright"),
    ),
    Motif(
        ("{m} > BirdAvatar physicstype=CONT gravity={x}", "{m}2 > LanderAvatar physicstype=CONT mass={y}"),
        ("avatar {b} > transformTo stype={m}", "{m} EOS > transformTo stype={m}2", "{m}2 {a} > bounceDirection"),
    ),
    # sprites that are avatars by a parameter only
    Motif(("{m} > Immovable is_avatar=True",)),
    Motif(
        ("{m} > Missile is_avatar=True orientation=LEFT",), ("{a} {b} > transformTo stype={m}", "{m} wall > killSprite")
    ),
    Motif(("{m} > SpawnPoint stype={m}2 cooldown={x}", "{m}2 > Flicker is_avatar=True limit=1")),
    # physics that is neither of the grid nor continuous
    Motif(
        ("{m} > Passive physicstype=2", "{m}2 > Missile orientation=RIGHT speed={x}"),
        ("{m} {m}2 {a} > pullWithIt pixelPerfect={p}",),
    ),
    # coordinates that leave 32 bits
    Motif(
        (
            "{m} > Missile physicstype=CONT speed={huge} orientation=DOWN",
            "{m}2 > Missile speed={huge} orientation=LEFT",
        ),
        ("{m} {m}2 > stepBack", "{m} {a} > wallBounce", "{m}2 EOS > wrapAround offset={x}"),
    ),
    Motif(
        ("{m} > WalkerJumper physicstype=CONT jump_strength={huge} on_ground=True probability=1",),
        ("{m} EOS > turnAround",),
    ),
    Motif(
        ("{m} > Immovable wMult={huge}", "{m}2 > Missile physicstype=CONT gravity={huge}"),
        ("{m}2 {m} > wallStop", "{a} {m} > teleportToExit"),
    ),
    Motif(
        ("{m} > RandomNPC physicstype=CONT mass=0.000000001 speed={huge}",),
        ("{m} {a} {b} > bounceForward", "{m} avatar > undoAll"),
    ),
)
HUGE = ("3e9", "-3e9", "2147483647", "1e8", "1e308", "-1e18")


def assembled(rng: random.Random) -> str:
    """A game of the whole ontology with some of the motifs; one in four is a game space."""
    lines = game(rng).split("\n")
    names = [line.split()[0] for line in lines[2 : lines.index("  LevelMapping")]]
    for number, motif in enumerate(rng.sample(MOTIFS, rng.randint(1, 4))):
        words_of = {"m": f"m{number}", "a": rng.choice(names), "b": rng.choice(names), "huge": rng.choice(HUGE)}
        words_of |= {key: rng.choice(["0", "0.05", "0.3", "0.5", "1", "1", "2", "7"]) for key in "xy"}
        words_of["p"] = rng.choice(["True", "False"])
        mapping = lines.index("  LevelMapping")
        lines[mapping:mapping] = [f"    {line.format(**words_of)}" for line in motif.sprites]
        lines.insert(lines.index("  InteractionSet"), f"    {CHARACTERS[number]} > m{number} {rng.choice(names)}")
        place = lines.index("  InteractionSet") + 1 + rng.randint(0, 2)
        lines[place:place] = [f"    {line.format(**words_of)}" for line in motif.interactions]
    text = "\n".join(lines)
    return words.make_space(text, rng) if rng.random() < 0.25 else text


def level(rng: random.Random) -> str:
    """A level text for `game`."""
    columns, rows = rng.randint(1, 14), rng.randint(1, 10)
    crowded = rng.random()
    cells = [
        [" " if rng.random() > crowded else rng.choice(CHARACTERS[:6]) for _ in range(columns)] for _ in range(rows)
    ]
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
