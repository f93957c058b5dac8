"""Collisions: exactly the overlapping sprites meet, at any position and size.

Against a model that compares all rectangles with each other, written from engine, 1.1 and 7.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from random import Random

import pytest

from semantics.harness import BLOCK, DOWN, LEFT, RIGHT, UP, Sprite, game, level, play, start
from vgdl import Action

Rect = tuple[int, int, int, int]  #: x, y, width, height


def intersect(a: Rect, b: Rect) -> bool:
    """All sizes positive, and an overlap on both axes; touching is none (engine, 1.1)."""
    overlap = all(a[i] < b[i] + b[i + 2] and b[i] < a[i] + a[i + 2] for i in (0, 1))
    return overlap and min(*a[2:], *b[2:]) > 0


@dataclass
class Body:
    """A Missile of the model."""

    id: int
    kind: str
    rect: Rect
    orientation: tuple[float, float]
    speed: float
    last: Rect = (0, 0, 0, 0)
    dead: bool = False

    def move(self, tick: int) -> None:
        """Still in the first update; then trunc(speed * block) pixels (sprites, 9.1)."""
        self.last = self.rect
        if tick > 0:
            x, y, w, h = self.rect
            pixels = int(self.speed * BLOCK)
            self.rect = (x + int(self.orientation[0] * pixels), y + int(self.orientation[1] * pixels), w, h)


@dataclass(frozen=True)
class Rule:
    """``first second > effect scoreChange=1``."""

    first: str
    second: str
    effect: str

    def run(self, bodies: list[Body]) -> int:
        """How often the effect is executed (engine, 7.4 C)."""
        executions = 0
        seconds = [body for body in bodies if body.kind == self.second]
        for x in [body for body in bodies if body.kind == self.first]:
            for y in [y for y in seconds if y is not x and intersect(x.rect, y.rect)]:
                if not x.dead and intersect(x.rect, y.rect):
                    self.apply(x)
                    executions += 1
        return executions

    def apply(self, x: Body) -> None:
        """The three effects that these games use (effects, 10.1 and 10.4)."""
        match self.effect:
            case "killSprite":
                x.dead = True
            case "stepBack":
                x.rect = x.last
            case "reverseDirection":
                x.orientation = (-x.orientation[0], -x.orientation[1])


KINDS = ("bee", "fly", "gnat", "moth")
EFFECTS = ("killSprite", "stepBack", "reverseDirection")
NAMES = {UP: "UP", LEFT: "LEFT", DOWN: "DOWN", RIGHT: "RIGHT"}
CELLS: dict[str, tuple[str, ...]] = {**{kind[0]: (kind,) for kind in KINDS}, "2": ("bee", "moth", "fly")}
COLUMNS, ROWS = 8, 7


@dataclass(frozen=True)
class Look:
    """The parameters of a kind."""

    orientation: tuple[float, float]
    speed: float
    wide: float
    high: float

    def __str__(self) -> str:
        return f"orientation={NAMES[self.orientation]} speed={self.speed} wMult={self.wide} hMult={self.high}"


def random_look(random: Random) -> Look:
    """Sizes from half a cell to three, speeds of fractions of cells, in any direction."""
    return Look(
        random.choice(list(NAMES)),
        random.choice((0, 0.1, 0.25, 0.5, 0.7, 1, 1.3)),
        random.choice((0.5, 1, 1, 1.5, 3)),
        random.choice((0.5, 1, 1, 2)),
    )


def populate(rows: list[str], looks: dict[str, Look]) -> list[Body]:
    """The bodies of a level, numbered as its sprites are (language, 11.3)."""
    bodies: list[Body] = []
    for row, column in product(range(ROWS), range(COLUMNS)):
        for kind in CELLS.get(rows[row][column], ()):
            look = looks[kind]
            rect = (column * BLOCK, row * BLOCK, int(BLOCK * look.wide), int(BLOCK * look.high))
            bodies.append(Body(len(bodies), kind, rect, look.orientation, look.speed))
    return bodies


@pytest.mark.parametrize("number", range(30))
def test_random_games_agree_with_comparing_all_rectangles(number: int) -> None:
    """Every rectangle, orientation, death and execution over 15 ticks; many in a cell, some leaving the screen."""
    random = Random(number)
    looks = {kind: random_look(random) for kind in KINDS}
    rules = [Rule(a, b, random.choice(EFFECTS)) for a, b in random.sample(list(product(KINDS, KINDS)), 5)]
    rows = ["".join(random.choice(".....bfgm2") for _ in range(COLUMNS)) for _ in range(ROWS)]
    bodies = populate(rows, looks)
    text = game(
        "\n".join(f"{kind} > Missile {look}" for kind, look in looks.items()),
        "\n".join(f"{rule.first} {rule.second} > {rule.effect} scoreChange=1" for rule in rules),
        mapping="\n".join(f"{sign} > {' '.join(kinds)}" for sign, kinds in CELLS.items()),
    )
    world = start(text, level(*rows, "A" + "." * (COLUMNS - 1)))
    score = 0
    for tick in range(15):
        for body in bodies:
            body.move(tick)
        score += sum(rule.run(bodies) for rule in rules)
        bodies = [body for body in bodies if not body.dead]
        world.wait(1)
        assert [_seen(sprite) for sprite in world.sprites if sprite.type != "avatar"] == [
            (body.id, body.rect, body.orientation) for body in bodies
        ]
        assert world.score == score


def _seen(sprite: Sprite) -> tuple[int, Rect, tuple[float, float]]:
    return sprite.id, sprite.rect, sprite.orientation


def test_touching_is_not_meeting() -> None:
    """Neighbours share an edge (engine, 1.1)."""
    rules = game("mouse > Immovable\ncat > Immovable", "mouse cat > killSprite")
    assert play(rules, level("mcA", "cmc")).count("mouse") == 2


def test_without_height_nothing_meets() -> None:
    """A rectangle without height intersects nothing (engine, 1.1)."""
    rules = game("mouse > Immovable hMult=0.05\ncat > Immovable", "mouse cat > killSprite", mapping="m > mouse cat")
    assert play(rules, level("m.A")).count("mouse") == 1


def test_sprites_meet_off_the_screen() -> None:
    """Positions are not clamped, and collisions know no border (sprites, 8.4)."""
    rules = game(
        "mouse > Missile orientation=LEFT\ncat > Missile orientation=LEFT speed=2",
        "mouse cat > killSprite",
        mapping="m > mouse\nc > cat",
    )
    # After k moves the mouse is at -10 k, the cat at 50 - 20 k: in one place at -50.
    world = play(rules, level("m....cA"), ticks=5)
    assert world.count("mouse") == 1
    assert world.wait(1).count("mouse") == 0
    assert world.only("cat").position == (-50, 0)


def test_a_large_sprite_reaches_into_other_cells() -> None:
    """wMult=3 covers the two cells to the right (engine, 1.1)."""
    rules = game("orca > Immovable wMult=3\nfish > Immovable", "fish orca > killSprite")
    assert play(rules, level("offf.A")).positions("fish") == [(30, 0)]


def test_a_pair_without_sprites_does_nothing() -> None:
    """The ground test makes its pairs be walked in full (sprites, 10), also those that have no sprites yet."""
    rules = game("walker > Walker\nbox > Immovable", "walker box > killSprite scoreChange=1")
    world = play(rules, level("A."), ticks=2)
    assert (world.crashed, world.is_over, world.score) == (False, False, 0)


def test_a_resting_crowd_is_met_by_a_walker_and_by_a_singleton_that_comes_later() -> None:
    """Sprites that rest tick after tick, and that only an avatar or a singleton can meet, are met all the same."""
    rules = game(
        """
        guard > RandomNPC cooldown=5000
        bolt > Missile orientation=UP speed=1 singleton=True
        avatar > FlakAvatar stype=bolt
        """,
        "guard bolt > killSprite scoreChange=10\nguard avatar > killSprite scoreChange=1",
        mapping="A > avatar",
    )
    world = play(rules, level("gggggggggggg", "A..........g"), ticks=3)
    assert (world.count("guard"), world.score) == (13, 0)
    world.advance(Action.USE)
    assert world.wait(3).positions("guard")[0] == (10, 0)
    assert (world.count("guard"), world.score) == (12, 10)
    for _ in range(11):
        world.advance(Action.RIGHT)
    assert (world.count("guard"), world.score) == (11, 11)


@pytest.mark.parametrize("rows", [4, 9])
def test_boxes_that_are_pushed_during_the_effects_meet_what_rests_there(rows: int) -> None:
    """Also where sprites are many and the board is small: what meets nothing at first is met by what moves later in the tick."""
    rules = game(
        """
        coin > RandomNPC cooldown=5000
        box > Immovable
        ram > Missile orientation=RIGHT speed=1
        """,
        "box ram > bounceForward\ncoin box > killSprite scoreChange=1",
    )
    lines = ["r.bcc" for _ in range(rows)]
    world = play(rules, level("....A", *lines), ticks=2)
    assert (world.count("coin"), world.score) == (2 * rows, 0)
    world.wait(1)  # each ram enters its box, which goes on to the first coin
    assert {x for x, _ in world.positions("box")} == {3 * BLOCK}
    assert (world.count("coin"), world.score) == (rows, rows)
    world.wait(1)
    assert (world.count("coin"), world.score) == (0, 2 * rows)
