"""Which sprites meet: every overlap counts and nothing else does, wherever and however large the sprites are.

Against a model that compares all rectangles with each other, written from engine, 1.1 and 7.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from random import Random

import pytest

from semantics.harness import DOWN, LEFT, RIGHT, UP, Sprite, game, level, play, start

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
        """Still in the first update; then trunc(speed * 10) pixels (sprites, 9.1)."""
        self.last = self.rect
        if tick > 0:
            x, y, w, h = self.rect
            pixels = int(self.speed * 10)
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


@pytest.mark.parametrize("number", range(30))
def test_random_games_agree_with_comparing_all_rectangles(number: int) -> None:
    """Sizes from half a cell to three, speeds of fractions of cells, many in a cell, some leaving the screen."""
    random = Random(number)
    kinds = ["bee", "fly", "gnat", "moth"]
    names = {UP: "UP", LEFT: "LEFT", DOWN: "DOWN", RIGHT: "RIGHT"}
    looks = {
        kind: (
            random.choice(list(names)),
            random.choice([0, 0.1, 0.25, 0.5, 0.7, 1, 1.3]),
            random.choice([0.5, 1, 1, 1.5, 3]),
            random.choice([0.5, 1, 1, 2]),
        )
        for kind in kinds
    }
    sprites = "\n".join(
        f"{kind} > Missile orientation={names[way]} speed={speed} wMult={wide} hMult={high}"
        for kind, (way, speed, wide, high) in looks.items()
    )
    pairs = random.sample(list(product(kinds, kinds)), 5)
    rules = [Rule(a, b, random.choice(["killSprite", "stepBack", "reverseDirection"])) for a, b in pairs]
    effects = "\n".join(f"{rule.first} {rule.second} > {rule.effect} scoreChange=1" for rule in rules)
    mapping = "b > bee\nf > fly\ng > gnat\nm > moth\n2 > bee moth fly\nA > avatar"
    rows = ["".join(random.choice("....." + "bfgm2") for _ in range(8)) for _ in range(7)]
    held = {"b": ["bee"], "f": ["fly"], "g": ["gnat"], "m": ["moth"], "2": ["bee", "moth", "fly"]}
    bodies = []
    for row, column in product(range(7), range(8)):
        for kind in held.get(rows[row][column], []):
            way, speed, wide, high = looks[kind]
            rect = (column * 10, row * 10, int(10 * wide), int(10 * high))
            bodies.append(Body(len(bodies), kind, rect, way, speed))

    world = start(game(sprites, effects, mapping=mapping), level(*rows, "A" + "." * 7))
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
    rules = game("whale > Immovable wMult=3\nfish > Immovable", "fish whale > killSprite", mapping="x > whale\nf > fish")
    assert play(rules, level("xfff.A")).positions("fish") == [(30, 0)]
