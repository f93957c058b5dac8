"""What a sprite of each class is when the text says nothing else (sprites, 11 and 12.1)."""

import pytest

from semantics.harness import NONE, RIGHT, game, level, play, start
from vgdl import Category

NIL = (-1.0, -1.0)

DEFAULTS = [
    # class, parameters it needs, orientation, speed, category
    ("Immovable", "", NONE, 0, Category.STATIC),
    ("Door", "", NONE, 0, Category.PORTAL),
    ("Passive", "", NONE, 0, Category.MOVABLE),
    ("Resource", "", NONE, 0, Category.RESOURCE),
    ("ResourcePack", "resource_name=thing", NONE, 0, Category.RESOURCE),
    ("Conveyor", "", NONE, 0, Category.STATIC),
    ("Flicker", "limit=9", NONE, 0, Category.MOVABLE),
    ("OrientedFlicker", "limit=9", NONE, 0, Category.MOVABLE),
    ("Spreader", "limit=9 stype=wall", NONE, 0, Category.MOVABLE),
    ("Missile", "", NONE, 1, Category.MOVABLE),
    ("ErraticMissile", "", NONE, 1, Category.MOVABLE),
    ("RandomMissile", "", NIL, 1, Category.MOVABLE),
    ("SpriteProducer", "", NONE, 0, Category.MOVABLE),
    ("Portal", "stype=wall", NONE, 0, Category.PORTAL),
    ("SpawnPoint", "stype=wall", NONE, 0, Category.STATIC),
    ("Bomber", "stype=wall", RIGHT, 0, Category.NPC),
    ("RandomBomber", "stype=wall", RIGHT, 1, Category.NPC),
    ("BomberRandomMissile", "stypeMissile=wall", RIGHT, 0, Category.NPC),
    ("SpawnPointMultiSprite", "stypes=wall", RIGHT, 0, Category.NPC),
    ("RandomNPC", "", NONE, 1, Category.NPC),
    ("RandomInertial", "", NONE, 1, Category.NPC),
    ("Chaser", "stype=wall", NONE, 1, Category.NPC),
    ("Fleeing", "stype=wall", NONE, 1, Category.NPC),
    ("LOSChaser", "stype=wall", NONE, 1, Category.NPC),
    ("PathChaser", "stype=wall", NONE, 1, Category.NPC),
    ("AlternateChaser", "stype1=wall", NONE, 1, Category.NPC),
    ("RandomAltChaser", "stype1=wall", NONE, 1, Category.NPC),
    ("PathAltChaser", "stype1=wall", NONE, 1, Category.NPC),
    ("RandomPathAltChaser", "stype1=wall", NONE, 1, Category.NPC),
    ("Walker", "", NONE, 5, Category.MOVABLE),
    ("WalkerJumper", "", NONE, 5, Category.MOVABLE),
]
CLASSES = pytest.mark.parametrize("row", DEFAULTS, ids=[str(row[0]) for row in DEFAULTS])

TIMELESS = {
    "RandomMissile",
    "RandomNPC",
    "RandomInertial",
    "Chaser",
    "Fleeing",
    "LOSChaser",
    "PathChaser",
    "AlternateChaser",
    "RandomAltChaser",
    "PathAltChaser",
    "RandomPathAltChaser",
    "Walker",
    "WalkerJumper",
}
"""Classes that do not honour timeToLive (sprites, 11)."""

Row = tuple[str, str, tuple[float, float], float, Category]


def rules(row: Row, more: str = "") -> str:
    """A game with one such thing; it has a path finder, for the classes that need one."""
    return game(f"thing > {row[0]} {row[1]} {more}", options="obs=wall")


def test_there_are_thirty_one_classes() -> None:
    """All of sprites, 12.1."""
    assert len({row[0] for row in DEFAULTS}) == 31


@CLASSES
def test_orientation_speed_and_size(row: Row) -> None:
    """The table of defaults; a block wide and high, no health (sprites, 5.1 and 12.1)."""
    thing = start(rules(row), level("t..A")).only("thing")
    assert (thing.orientation, thing.speed) == (row[2], row[3])
    assert (thing.rect, thing.health, thing.resources) == ((0, 0, 10, 10), 0, {})


@CLASSES
def test_category(row: Row) -> None:
    """The first match of resource, portal, NPC, static, movable (sprites, 11)."""
    state = start(rules(row), level("t..A")).state
    groups = {
        Category.RESOURCE: state.resources,
        Category.PORTAL: state.portals,
        Category.NPC: state.npcs,
        Category.STATIC: state.immovables,
        Category.MOVABLE: state.movables,
    }
    found = {category for category, lists in groups.items() if any(lists)}
    assert found == {row[4]}


@CLASSES
def test_time_to_live(row: Row) -> None:
    """Killed in the second update with ``timeToLive=1``, or never (sprites, 7 and 11)."""
    alive = [play(rules(row, "timeToLive=1"), level("t..A"), ticks=ticks).count("thing") for ticks in (1, 2, 4)]
    assert alive == ([1, 1, 1] if row[0] in TIMELESS else [1, 0, 0])
