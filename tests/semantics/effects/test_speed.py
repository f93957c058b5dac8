"""The effects on speed and physics (effects, 10.7)."""

import math

import pytest

from semantics.harness import DOWN, RIGHT, World, game, level, play

PILE = level("A.", "x.")

HERD = """
    box > Immovable speed=1
    key > Immovable
    herd > Immovable speed=1
        goat >
        sheep > speed=3
    """
"""Three kinds to speed up. The level has one of each, the bare ``herd`` included."""


def _all_speeds(effect: str) -> World:
    rules = game(HERD, f"box key > {effect} scoreChange=1", mapping="x > box key")
    return play(rules, level("Ahx", "gs."))


def _speeds(world: World) -> dict[str, float]:
    return {name: world.only(name).speed for name in ("herd", "goat", "sheep", "box")}


def test_halfSpeed() -> None:
    """10.7: halved at every application."""
    rules = game("box > Immovable speed=4\nkey > Immovable", "box key > halfSpeed scoreChange=1", mapping="x > box key")
    world = play(rules, PILE, ticks=3)
    assert (world.only("box").speed, world.only("key").speed, world.score) == (0.5, 0, 3)


def test_waterPhysics_sets_a_gravity() -> None:
    """10.7: gravity becomes 0.2. Tick 1: a ball at 5 pixels a tick is then turned to (5, 0.2) (sprites, 9.2)."""
    sprites = "ball > Passive physicstype=CONT orientation=RIGHT speed=5 gravity={gravity}\nkey > Immovable"
    dry = play(game(sprites.format(gravity=0), mapping="x > ball key"), level("x.", "A."), ticks=2).only("ball")
    assert (dry.orientation, dry.speed) == (RIGHT, 5)
    for gravity in (0, 9):
        rules = game(sprites.format(gravity=gravity), "ball key > waterPhysics", mapping="x > ball key")
        wet = play(rules, level("x.", "A."), ticks=2).only("ball")
        assert wet.position == (5, 0)
        assert wet.speed == pytest.approx(math.hypot(5, 0.2), rel=1e-12)
        assert wet.orientation[1] == pytest.approx(0.2 / math.hypot(5, 0.2), rel=1e-12)


@pytest.mark.parametrize(
    ("stype", "herd", "goat", "sheep"),
    [
        pytest.param("herd", 1.5, 1.5, 3.5, id="the type and its descendants"),
        pytest.param("goat", 1.5, 1.5, 3, id="a child: its ancestors as well (quirk 33)"),
    ],
)
def test_increaseSpeedToAll(stype: str, herd: float, goat: float, sheep: float) -> None:
    """10.7: every sprite of every type in ``subtypes[stype]``, which contains the ancestors."""
    world = _all_speeds(f"increaseSpeedToAll stype={stype} value=0.5")
    assert _speeds(world) == {"herd": herd, "goat": goat, "sheep": sheep, "box": 1}
    assert world.score == 1


def test_increaseSpeedToAll_by_a_tenth_by_default() -> None:
    """10.7: ``value`` is 0.1."""
    assert _all_speeds("increaseSpeedToAll stype=box").only("box").speed == 1.1


@pytest.mark.parametrize(
    ("arguments", "speeds"),
    [
        ("stype=herd", {"herd": 0.9, "goat": 0.9, "sheep": 2.9, "box": 1}),
        ("stype=herd value=2", {"herd": 0, "goat": 0, "sheep": 1, "box": 1}),
        ("stype=sheep value=0.5", {"herd": 0.5, "goat": 1, "sheep": 2.5, "box": 1}),
    ],
)
def test_decreaseSpeedToAll(arguments: str, speeds: dict[str, float]) -> None:
    """10.7: not below 0; 0.1 by default."""
    assert _speeds(_all_speeds(f"decreaseSpeedToAll {arguments}")) == speeds


@pytest.mark.parametrize(
    ("arguments", "speeds"),
    [
        ("stype=herd value=2.5", {"herd": 2.5, "goat": 2.5, "sheep": 2.5, "box": 1}),
        ("stype=goat value=7", {"herd": 7, "goat": 7, "sheep": 3, "box": 1}),
        ("stype=sheep", {"herd": 0, "goat": 1, "sheep": 0, "box": 1}),
    ],
)
def test_setSpeedForAll(arguments: str, speeds: dict[str, float]) -> None:
    """10.7: to ``value``, 0 by default."""
    assert _speeds(_all_speeds(f"setSpeedForAll {arguments}")) == speeds


def test_setSpeedForAll_is_felt_in_the_next_tick() -> None:
    """10.7: a missile that stood still flies by half a cell in ticks 1 and 2."""
    rules = game(
        "ball > Missile orientation=DOWN speed=0\nbox > Immovable\nkey > Immovable",
        "box key > setSpeedForAll stype=ball value=0.5",
        mapping="x > box key",
    )
    ball = play(rules, level("bA", ".x", ".."), ticks=3).only("ball")
    assert (ball.position, ball.orientation) == ((0, 10), DOWN)
