"""The base of the tests of the rules: write a small game, play it, observe it by name.

The tests in this folder are a second reading of the specification: every number in them is worked out by hand from the
clause that the test cites. The harness therefore only translates (type numbers to names, tuples to ``Sprite``) and
brings a generator of its own, written from the clause, to work out draws independently of the engine.

A test reads::

    world = play(
        game("box > Missile orientation=RIGHT speed=1", "box wall > reverseDirection"),
        level("wAw", ".b.", "www"),
        ticks=2,
    )
    assert world.only("box").position == (20, 10)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Any

import vgdl
from vgdl import Action
from vgdl.trace import record

UP, LEFT, DOWN, RIGHT, NONE = (0.0, -1.0), (-1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)
"""Orientations, as ``Sprite.orientation`` shows them (effects, 0.2)."""

SEED = 7
"""The seed of every play that does not name one."""

BLOCK = 10
"""Pixels per grid cell in every game written with :func:`game`, so that pixels are easy to read off a level."""

NO_WINNER, LOST, WON = -1, 0, 1
"""Win states (engine, 7.10)."""

Moves = Action | tuple[Action | None, ...]
"""The input of one tick: one action, or one per player."""


class JavaRandom:
    """The reference's generator, written from its formulas (engine, 1.2): the tests' own, to work out draws."""

    def __init__(self, seed: int = SEED) -> None:
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def step(self, bits: int) -> int:
        """The top ``bits`` of the next 48."""
        self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        return self.state >> (48 - bits)

    def next_int(self, bound: int) -> int:
        """A number from 0 to ``bound`` - 1. Even ``next_int(1)`` takes one step."""
        drawn = self.step(31)
        if bound & (bound - 1) == 0:
            return (bound * drawn) >> 31
        while drawn - drawn % bound + (bound - 1) > 2**31 - 1:
            drawn = self.step(31)
        return drawn % bound

    def next_float(self) -> float:
        """A number in [0, 1), from one step of 24 bits."""
        return self.step(24) / 2**24

    def next_double(self) -> float:
        """A number in [0, 1), from two steps of 26 and 27 bits."""
        return ((self.step(26) << 27) + self.step(27)) / 2**53


def after(*draws: tuple[str, int], seed: int = SEED) -> int:
    """The generator's state after draws such as ``("double", 3), ("int 4", 1)``: kind and how many."""
    random = JavaRandom(seed)
    for kind, times in draws:
        for _ in range(times):
            match kind.split():
                case ["double"]:
                    random.next_double()
                case ["float"]:
                    random.next_float()
                case ["int", bound]:
                    random.next_int(int(bound))
                case _:
                    raise ValueError(f"no draw is called {kind!r}")
    return random.state


@dataclass(frozen=True)
class Sprite:
    """One sprite at the end of a tick. Positions and sizes in pixels; resources by the name of their type."""

    id: int
    type: str
    rect: tuple[int, int, int, int]
    orientation: tuple[float, float]
    speed: float
    health: int
    disabled: bool
    resources: dict[str, int]

    @property
    def position(self) -> tuple[int, int]:
        """Top-left corner, in pixels."""
        return self.rect[:2]

    @property
    def x(self) -> int:
        """Left edge, in pixels."""
        return self.rect[0]

    @property
    def y(self) -> int:
        """Top edge, in pixels."""
        return self.rect[1]


class World:
    """A play in progress, seen through its trace record, with names in place of type numbers."""

    def __init__(self, rules: str, lines: str, seed: int = SEED) -> None:
        self.game = vgdl.loads(rules)
        self.state = self.game.start(level=lines, seed=seed)

    def advance(self, moves: Moves = Action.NIL) -> World:
        """Play one tick; the same world, to chain calls."""
        self.state.advance(moves)
        return self

    def wait(self, ticks: int) -> World:
        """Play ``ticks`` ticks without actions."""
        players = len(self.state.scores)
        for _ in range(ticks):
            self.advance(Action.NIL if players == 1 else (Action.NIL,) * players)
        return self

    @property
    def record(self) -> dict[str, Any]:
        """The trace record of this moment."""
        return record(self.state)

    @property
    def sprites(self) -> list[Sprite]:
        """All sprites, in order of ids."""
        return sorted((self._sprite(row) for row in self.record["sprites"]), key=lambda sprite: sprite.id)

    def all(self, name: str) -> list[Sprite]:
        """The sprites whose own type is ``name`` (none of its ancestors' or children's), in order of ids."""
        if name not in self.game.types:
            raise ValueError(f"the game has no type {name!r}, only {', '.join(self.game.types)}")
        return [sprite for sprite in self.sprites if sprite.type == name]

    def only(self, name: str) -> Sprite:
        """The one sprite of a type; fails when there is none, or more than one."""
        found = self.all(name)
        assert len(found) == 1, f"expected one {name}, found {found}"
        return found[0]

    def count(self, name: str) -> int:
        """How many sprites have the exact type ``name``."""
        return len(self.all(name))

    def positions(self, name: str) -> list[tuple[int, int]]:
        """Where the sprites of a type stand, in order of ids."""
        return [sprite.position for sprite in self.all(name)]

    @property
    def avatar(self) -> Sprite:
        """The one sprite of the type called ``avatar``."""
        return self.only("avatar")

    @property
    def score(self) -> float | None:
        """Score of player 0; None when its avatar is gone."""
        return self.scores[0]

    @property
    def scores(self) -> list[float | None]:
        """Score of each player; None where the avatar is gone."""
        return list(self.record["score"])

    @property
    def wins(self) -> list[int | None]:
        """Win state of each player: ``NO_WINNER``, ``LOST`` or ``WON``; None where the avatar is gone."""
        return list(self.record["win"])

    @property
    def counters(self) -> list[int]:
        """The game's counters."""
        return list(self.record["counters"])

    @property
    def rng(self) -> int:
        """The 48 bits of the generator; compare with :func:`after` or ``JavaRandom.state``."""
        return int(self.record["rng"])

    @property
    def final_scores(self) -> list[float | None]:
        """Final scores (engine, 7.10); None where the avatar is gone."""
        return list(record(self.state, final=True)["score"])

    @property
    def messages(self) -> int:
        """The number of messages, those from reading the game and building the level included."""
        return self.state.messages

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, for any reason."""
        return bool(self.state.is_over)

    @property
    def crashed(self) -> bool:
        """Whether the game ended in what the specification calls a crash."""
        return self.state.error is not None

    def _sprite(self, row: Sequence[Any]) -> Sprite:
        number, type_number, x, y, w, h, ox, oy, speed, health, disabled, resources = row
        names = self.game.types
        return Sprite(
            id=number,
            type=names[type_number],
            rect=(x, y, w, h),
            orientation=(ox, oy),
            speed=speed,
            health=health,
            disabled=bool(disabled),
            resources={names[resource]: amount for resource, amount in resources.items()},
        )


def game(sprites: str, effects: str = "", ends: str = "", *, options: str = "", mapping: str = "") -> str:
    """A whole game text from its sections.

    ``options`` go on the game line (blocks are 10 pixels unless they say otherwise). A level character stands for the
    first sprite whose name begins with it; lines of ``mapping`` add to that or replace it. ``w`` and ``A`` are wall and
    avatar, as in every game.
    """
    lines = dedent(sprites).strip("\n")
    names: dict[str, str] = {}
    for line in filter(str.strip, lines.splitlines()):
        name = line.split()[0]
        names.setdefault(name[0], name)
    letters = [f"{letter} > {name}" for letter, name in names.items()]
    chosen = "\n".join([*letters, dedent(mapping).strip()])
    size = "" if "square_size" in options else f" square_size={BLOCK}"
    sections = {"SpriteSet": lines, "LevelMapping": chosen, "InteractionSet": effects, "TerminationSet": ends}
    body = "".join(
        f"    {header}\n{indent(dedent(content).strip(chr(10)), ' ' * 8)}\n" for header, content in sections.items()
    )
    return f"BasicGame{size} {options}".rstrip() + "\n" + body


def level(*rows: str) -> str:
    """A level from its rows. A dot is an empty cell, so columns are easy to count."""
    return "".join(row.replace(".", " ") + "\n" for row in rows)


def start(rules: str, lines: str, *, seed: int = SEED) -> World:
    """A world before its first tick."""
    return World(rules, lines, seed)


def play(rules: str, lines: str, *, ticks: int | None = None, actions: Iterable[Moves] = (), seed: int = SEED) -> World:
    """A world after ``actions``, one per tick, or after ``ticks`` without any; one tick if neither is given."""
    world = World(rules, lines, seed)
    moves = list(actions)
    for move in moves:
        world.advance(move)
    if not moves:
        world.wait(1 if ticks is None else ticks)
    return world
