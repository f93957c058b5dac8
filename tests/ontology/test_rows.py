"""The rows are complete, consistent, and agree with the specification's tables."""

from __future__ import annotations

import re
from typing import Any

import pytest

from vgdl import ontology
from vgdl.compiler.reading import string_hash
from vgdl.ontology.constants import DOWN, NIL, NONE, RIGHT, Color
from vgdl.ontology.rows import Effect, Kind, Lookup, Null, Parameter, SpriteClass, What, Word, Write

ALL_WORDS: tuple[Word, ...] = (
    *ontology.ALL_SPRITE_CLASSES,
    *ontology.ALL_EFFECTS,
    *ontology.ALL_TERMINATIONS,
    *ontology.ALL_GAME_CLASSES,
)
ABSTRACT: tuple[Word, ...] = (ontology.SPRITE, ontology.EFFECT, ontology.TIME_EFFECT, ontology.TERMINATION)
GROUPS: dict[str, tuple[Word, ...]] = {
    "sprites": ontology.ALL_SPRITE_CLASSES,
    "effects": ontology.ALL_EFFECTS,
    "terminations": ontology.ALL_TERMINATIONS,
    "games": ontology.ALL_GAME_CLASSES,
}
#: Sprite classes whose update is the one of another class (sprites, 12.2, 12.6, 12.11, 12.17 and 13.3).
SHARED_OPCODES = {
    "RANDOM_NPC": {"RandomNPC", "RandomInertial"},
    "STANDARD": {
        "Conveyor",
        "Door",
        "ErraticMissile",
        "Immovable",
        "Missile",
        "Passive",
        "Portal",
        "Resource",
        "ResourcePack",
        "SpriteProducer",
    },
    "FLICKER": {"Flicker", "OrientedFlicker"},
    "SPAWN_POINT": {"Bomber", "SpawnPoint"},
    "CHASER": {"Chaser", "Fleeing"},
    "MOVING_AVATAR": {"HorizontalAvatar", "MovingAvatar", "NullAvatar", "VerticalAvatar"},
}
PYTHON_TYPES: dict[Kind, type] = {
    Kind.INT: int,
    Kind.FLOAT: float,
    Kind.DOUBLE: float,
    Kind.BOOL: bool,
    Kind.TEXT: str,
    Kind.DIRECTION: tuple,
    Kind.COLOR: tuple,
}

each_word = pytest.mark.parametrize("row", [*ALL_WORDS, *ABSTRACT], ids=lambda row: row.name)
each_effect = pytest.mark.parametrize("row", ontology.ALL_EFFECTS, ids=lambda row: row.name)
each_sprite = pytest.mark.parametrize("row", ontology.ALL_SPRITE_CLASSES, ids=lambda row: row.name)


def sprite(name: str) -> SpriteClass:
    row = ontology.sprite_class(name)
    assert row is not None
    return row


def effect(name: str) -> Effect:
    row = ontology.effect(name)
    assert row is not None
    return row


def parameter(row: Word | None, name: str) -> Parameter:
    assert row is not None
    return ontology.parameters(row)[name]


def test_every_registered_word_has_a_row() -> None:
    assert len(ontology.ALL_SPRITE_CLASSES) == 51  # 50 of the reference, and ClickAvatar
    assert sum(row.avatar for row in ontology.ALL_SPRITE_CLASSES) == 20
    assert len(ontology.ALL_EFFECTS) == 58
    assert len(ontology.ALL_TERMINATIONS) == 6
    assert len(ontology.ALL_GAME_CLASSES) == 2


def test_names_are_unique() -> None:
    for words in GROUPS.values():
        assert len({row.name for row in words}) == len(words)


@pytest.mark.parametrize(
    ("find", "word"),
    [
        (ontology.sprite_class, "Missile"),
        (ontology.sprite_class, "WizardAvatar"),
        (ontology.effect, "stepBack"),
        (ontology.termination, "Timeout"),
        (ontology.game_class, "GameSpace"),
    ],
)
def test_words_are_found_by_their_exact_name(find: Any, word: str) -> None:
    assert find(word).name == word
    assert find(word.swapcase()) is None


def test_abstract_rows_cannot_be_named_in_a_game() -> None:
    assert ontology.sprite_class("Sprite") is None
    assert ontology.effect("Effect") is None
    assert ontology.effect("TimeEffect") is None
    assert ontology.termination("Termination") is None


def test_words_of_other_dialects_are_unknown() -> None:
    for name in ("killIfScoreNegative", "conveySprite", "windGust", "slipForward"):
        assert ontology.effect(name) is None


@each_word
def test_a_row_is_documented(row: Word) -> None:
    assert re.fullmatch(r"[A-Z].*\.", row.doc)
    assert re.fullmatch(r"(sprites|effects|language) \d+(\.\d+)?", row.clause)
    for own in row.parameters:
        assert re.search(r"\w.*\.$", own.doc), own.name


@pytest.mark.parametrize("row", ABSTRACT, ids=lambda row: row.name)
def test_an_abstract_row_has_no_opcode(row: Word) -> None:
    assert row.opcode is None


def test_opcodes_are_shared_only_by_classes_with_the_same_update() -> None:
    for group in ("sprites", "effects", "terminations"):
        words_of: dict[str, set[str]] = {}
        for row in GROUPS[group]:
            assert row.opcode is not None
            words_of.setdefault(row.opcode, set()).add(row.name)
        for opcode, names in words_of.items():
            assert names == SHARED_OPCODES.get(opcode, {*names} if len(names) == 1 else set()), opcode


@pytest.mark.parametrize(
    ("row", "opcode"),
    [
        (ontology.effect("transformToAll"), "TRANSFORM_TO_ALL"),
        (ontology.effect("spawnIfCounterSubTypes"), "SPAWN_IF_COUNTER_SUB_TYPES"),
        (ontology.sprite_class("OngoingTurningAvatar"), "ONGOING_TURNING_AVATAR"),
        (ontology.sprite_class("LOSChaser"), "LOS_CHASER"),
        (ontology.sprite_class("RandomNPC"), "RANDOM_NPC"),
        (ontology.termination("SpriteCounterMore"), "SPRITE_COUNTER_MORE"),
    ],
)
def test_opcodes_spell_the_name(row: Word | None, opcode: str) -> None:
    assert row is not None
    assert row.opcode == opcode


def test_every_row_belongs_to_its_root() -> None:
    for root, words in (
        (ontology.SPRITE, ontology.ALL_SPRITE_CLASSES),
        (ontology.EFFECT, ontology.ALL_EFFECTS),
        (ontology.TERMINATION, ontology.ALL_TERMINATIONS),
    ):
        for row in words:
            assert ontology.lineage(row)[0] == row
            assert ontology.lineage(row)[-1] == root


@pytest.mark.parametrize(
    ("name", "lineage"),
    [
        ("RandomPathAltChaser", "RandomPathAltChaser PathAltChaser AlternateChaser RandomNPC Sprite"),
        ("BomberRandomMissile", "BomberRandomMissile SpawnPoint SpriteProducer Sprite"),
        ("SpawnPointMultiSprite", "SpawnPointMultiSprite SpriteProducer Sprite"),
        ("OngoingShootAvatar", "OngoingShootAvatar ShootAvatar OrientedAvatar MovingAvatar Sprite"),
        ("FlakAvatar", "FlakAvatar HorizontalAvatar MovingAvatar Sprite"),
    ],
)
def test_classes_inherit_as_in_the_overview(name: str, lineage: str) -> None:
    assert [row.name for row in ontology.lineage(sprite(name))] == lineage.split()


@each_word
def test_defaults_fit_their_kind(row: Word) -> None:
    for found in ontology.parameters(row).values():
        if found.default is None:
            assert found.kind in (Kind.TEXT, Kind.COLOR, Kind.OPAQUE), found.name
        else:
            assert type(found.default) is PYTHON_TYPES[found.kind], found.name


@each_word
def test_only_texts_name_something(row: Word) -> None:
    for found in ontology.parameters(row).values():
        assert found.refers is None or found.kind is Kind.TEXT, found.name
        assert found.lookup is Lookup.OPTIONAL or found.refers is not None, found.name


@each_word
def test_a_required_name_has_no_default(row: Word) -> None:
    for found in ontology.parameters(row).values():
        if found.lookup in (Lookup.REQUIRED, Lookup.UNCHECKED):
            assert found.default is None, found.name


@each_word
def test_columns_are_unique(row: Word) -> None:
    columns = [found.column for found in ontology.parameters(row).values()]
    assert len(set(columns)) == len(columns)


@pytest.mark.parametrize("group", GROUPS)
def test_a_column_belongs_to_one_name(group: str) -> None:
    names: dict[str, str] = {}
    for row in GROUPS[group]:
        for found in ontology.parameters(row).values():
            assert names.setdefault(found.column, found.name) == found.name


@pytest.mark.parametrize(
    ("name", "column"),
    [("wMult", "w_mult"), ("spriteID", "sprite_id"), ("stype_other", "stype_other"), ("scoreChange", "score_change")],
)
def test_a_column_is_the_name_in_snake_case(name: str, column: str) -> None:
    assert Parameter(name, Kind.INT).column == column


def test_parameters_cannot_be_changed() -> None:
    found: Any = ontology.parameters(sprite("Missile"))
    with pytest.raises(TypeError):
        found["speed"] = None
    assert ontology.parameters(sprite("Missile")) is found


# Defaults, as in sprites 12.1 and 13.1


@pytest.mark.parametrize(
    ("name", "key", "default"),
    [
        ("Immovable", "is_static", True),
        ("Immovable", "speed", 0.0),
        ("Door", "is_static", True),
        ("Door", "portal", True),
        ("Passive", "is_static", False),
        ("Resource", "is_resource", True),
        ("Resource", "is_static", False),
        ("Resource", "limit", 2),
        ("ResourcePack", "is_static", True),
        ("Conveyor", "jump_strength", 1.0),
        ("Flicker", "limit", 1),
        ("OrientedFlicker", "is_oriented", True),
        ("Spreader", "spreadprob", 1.0),
        ("Missile", "speed", 1.0),
        ("Missile", "orientation", NONE),
        ("RandomMissile", "orientation", NIL),
        ("RandomMissile", "speed", 1.0),
        ("SpawnPoint", "is_static", True),
        ("SpawnPoint", "is_npc", False),
        ("SpawnPoint", "cooldown", 1),
        ("Bomber", "is_static", False),
        ("Bomber", "speed", 0.0),
        ("Bomber", "orientation", RIGHT),
        ("RandomBomber", "speed", 1.0),
        ("BomberRandomMissile", "is_npc", True),
        ("BomberRandomMissile", "is_static", False),
        ("SpawnPointMultiSprite", "is_static", True),
        ("SpawnPointMultiSprite", "is_npc", True),
        ("SpawnPointMultiSprite", "orientation", RIGHT),
        ("RandomNPC", "speed", 1.0),
        ("RandomNPC", "is_oriented", False),
        ("RandomInertial", "physicstype", 1),
        ("RandomInertial", "is_oriented", True),
        ("Chaser", "fleeing", False),
        ("Chaser", "maxDistance", -1.0),
        ("Fleeing", "fleeing", True),
        ("RandomPathAltChaser", "is_npc", True),
        ("Walker", "speed", 5.0),
        ("Walker", "max_speed", 5.0),
        ("Walker", "is_npc", False),
        ("WalkerJumper", "max_speed", 5.0),
        ("WalkerJumper", "jump_strength", 1.0),
        ("MovingAvatar", "is_avatar", True),
        ("MovingAvatar", "is_oriented", False),
        ("HorizontalAvatar", "rotateInPlace", False),
        ("FlakAvatar", "minAmmo", -1),
        ("FlakAvatar", "ammoCost", 1),
        ("OrientedAvatar", "rotateInPlace", True),
        ("OrientedAvatar", "orientation", RIGHT),
        ("ShootAvatar", "rotateInPlace", True),
        ("ShootAvatar", "speed", 1.0),
        ("AimedAvatar", "stationary", True),
        ("AimedAvatar", "speed", 0.0),
        ("AimedAvatar", "angle_diff", 0.15),
        ("SpaceshipAvatar", "speed", 5.0),
        ("SpaceshipAvatar", "orientation", NONE),
        ("SpaceshipAvatar", "is_oriented", True),
        ("SpaceshipAvatar", "angle_diff", 0.3),
        ("CarAvatar", "speed", 0.0),
        ("CarAvatar", "angle_diff", 0.15),
        ("LanderAvatar", "speed", 5.0),
        ("LanderAvatar", "orientation", NONE),
        ("BirdAvatar", "jump_strength", 10.0),
        ("BirdAvatar", "max_speed", -1.0),
        ("PlatformerAvatar", "max_speed", 30.0),
        ("PlatformerAvatar", "air_slowdown_factor", 2.0),
        ("WizardAvatar", "speed", 0.0),
        ("WizardAvatar", "facing_dir", RIGHT),
        ("Missile", "limitHealthPoints", 1000),
        ("Missile", "timeToLive", -1),
        ("Missile", "mass", 1.0),
    ],
)
def test_sprite_defaults(name: str, key: str, default: object) -> None:
    assert parameter(sprite(name), key).default == default


@pytest.mark.parametrize(
    ("name", "color"),
    [
        ("Immovable", (90, 90, 90)),
        ("Resource", (255, 255, 0)),
        ("SpawnPoint", (0, 0, 0)),
        ("Bomber", (250, 160, 0)),
        ("MovingAvatar", (250, 250, 250)),
        ("FlakAvatar", (0, 200, 0)),
        ("Missile", None),
    ],
)
def test_sprite_colors(name: str, color: Color | None) -> None:
    assert parameter(sprite(name), "color").default == color


@pytest.mark.parametrize(
    ("name", "actions"),
    [
        ("MovingAvatar", "LEFT RIGHT DOWN UP"),
        ("HorizontalAvatar", "LEFT RIGHT"),
        ("VerticalAvatar", "UP DOWN"),
        ("NullAvatar", "NIL"),
        ("FlakAvatar", "USE LEFT RIGHT"),
        ("OngoingTurningAvatar", "LEFT RIGHT DOWN UP"),
        ("ShootAvatar", "USE LEFT RIGHT DOWN UP"),
        ("ShootOnlyAvatar", "LEFT UP RIGHT DOWN USE"),
        ("AimedAvatar", "USE DOWN UP"),
        ("BirdAvatar", "USE"),
        ("PlatformerAvatar", "LEFT RIGHT USE"),
        ("WizardAvatar", "LEFT RIGHT USE UP"),
    ],
)
def test_action_lists_keep_their_order(name: str, actions: str) -> None:
    assert list(sprite(name).actions) == actions.split()


@each_sprite
def test_avatars_and_only_they_have_actions(row: SpriteClass) -> None:
    below_moving_avatar = "MovingAvatar" in [word.name for word in ontology.lineage(row)]
    assert row.avatar == below_moving_avatar == bool(row.actions)
    assert parameter(row, "is_avatar").default is row.avatar


def test_time_to_live_is_honoured_by_the_classes_with_a_standard_update() -> None:
    honouring = {row.name for row in ontology.ALL_SPRITE_CLASSES if row.time_to_live}
    assert honouring == SHARED_OPCODES["STANDARD"] | SHARED_OPCODES["FLICKER"] | SHARED_OPCODES["SPAWN_POINT"] | {
        "Spreader",
        "RandomBomber",
        "BomberRandomMissile",
        "SpawnPointMultiSprite",
    }


def test_four_classes_look_for_ground() -> None:
    looking = {row.name for row in ontology.ALL_SPRITE_CLASSES if row.ground_test}
    assert looking == {"PlatformerAvatar", "WizardAvatar", "Walker", "WalkerJumper"}


def test_teleporting_finds_a_type_number_in_these_classes() -> None:
    """The destination of teleportToExit is the integer field ``itype`` of the partner (effects, 10.4)."""
    with_number = {
        row.name
        for row in ontology.ALL_SPRITE_CLASSES
        if (found := ontology.parameters(row).get("itype")) is not None and found.kind is Kind.INT
    }
    spawners = {"SpawnPoint", "Bomber", "RandomBomber", "BomberRandomMissile"}
    chasers = {"Chaser", "Fleeing", "LOSChaser", "PathChaser"}
    assert with_number == {"Portal", "Spreader", "FlakAvatar", "ClickAvatar"} | spawners | chasers


def test_names_that_a_sprite_cannot_do_without() -> None:
    needed = {
        (row.name, found.name)
        for row in ontology.ALL_SPRITE_CLASSES
        for found in ontology.parameters(row).values()
        if found.lookup is not Lookup.OPTIONAL
    }
    shooters = {row.name for row in ontology.ALL_SPRITE_CLASSES if sprite("ShootAvatar") in ontology.lineage(row)}
    alternate = {"AlternateChaser", "RandomAltChaser", "PathAltChaser", "RandomPathAltChaser"}
    chasers = {"Chaser", "Fleeing", "LOSChaser", "PathChaser"}
    with_stype = {"Portal", "FlakAvatar", "ClickAvatar", "WizardAvatar"} | chasers | shooters
    assert needed == (
        {(name, "stype") for name in with_stype}
        | {(name, "stype1") for name in alternate}
        | {("ResourcePack", "resource_name")}
    )


# Effects


@pytest.mark.parametrize(
    ("name", "key", "default"),
    [
        ("killSprite", "scoreChange", "0"),
        ("killSprite", "countElse", True),
        ("killSprite", "prob", 1.0),
        ("killSprite", "inBatch", False),
        ("wallBounce", "inBatch", True),
        ("wallReverse", "inBatch", True),
        ("wallStop", "inBatch", False),
        ("transformIfCount", "killSecond", False),
        ("transformIfCount", "leq", 10000),
        ("spawnIfCounterSubTypes", "subTypesNum", -1),
        ("changeResource", "killResource", False),
        ("collectResource", "killResource", True),
        ("collectResourceIfHeld", "killResource", True),
        ("subtractHealthPoints", "stype", ""),
        ("subtractHealthPoints", "scoreChangeIfKilled", "0"),
        ("changeResource", "value", 1),
        ("increaseSpeedToAll", "value", 0.1),
        ("setSpeedForAll", "value", 0.0),
        ("align", "orient", True),
        ("attractGaze", "align", False),
        ("bounceDirection", "maxBounceAngleDeg", 60.0),
        ("killIfSlow", "limspeed", 1.0),
        ("addTimer", "timer", -1),
    ],
)
def test_effect_defaults(name: str, key: str, default: object) -> None:
    assert parameter(effect(name), key).default == default


def test_effects_without_a_parameter_do_not_know_it() -> None:
    assert "friction" not in ontology.parameters(effect("wallStop"))
    assert "limit" not in ontology.parameters(sprite("Missile"))
    assert "changeScore" not in ontology.parameters(effect("collectResource"))
    assert "timer" not in ontology.parameters(effect("spawn"))
    assert "timer" in ontology.parameters(ontology.TIME_EFFECT)


@pytest.mark.parametrize(
    ("name", "key", "lookup"),
    [
        ("killAll", "stype", Lookup.REQUIRED),
        ("killIfHasLess", "resource", Lookup.REQUIRED),
        ("killIfOtherHasMore", "resource", Lookup.UNCHECKED),
        ("changeResource", "resource", Lookup.UNCHECKED),
        ("collectResourceIfHeld", "heldResource", Lookup.UNCHECKED),
        ("subtractHealthPoints", "stype", Lookup.CHECKED),
        ("removeScore", "stype", Lookup.OPTIONAL),
        ("transformIfCount", "stype", Lookup.REQUIRED),
        ("transformIfCount", "stypeCount", Lookup.UNCHECKED),
        ("transformIfCount", "estype", Lookup.OPTIONAL),
        ("transformToAll", "stypeTo", Lookup.REQUIRED),
        ("spawnIfCounterSubTypes", "estype", Lookup.REQUIRED),
        ("spawn", "stype", Lookup.REQUIRED),
        ("spawnLeft", "stype", Lookup.UNCHECKED),
        ("undoAll", "notStype", Lookup.OPTIONAL),
        ("shieldFrom", "stype", Lookup.REQUIRED),
        ("shieldFrom", "ftype", Lookup.UNCHECKED),
        ("addTimer", "ftype", Lookup.REQUIRED),
    ],
)
def test_effect_lookups(name: str, key: str, lookup: Lookup) -> None:
    assert parameter(effect(name), key).lookup is lookup


@each_effect
def test_types_that_an_effect_writes_or_creates_are_named_by_its_parameters(row: Effect) -> None:
    known = ontology.parameters(row)
    for write in row.writes:
        assert write.target in ("first", "second", "all") or write.target in known
        assert write.when is None or known[write.when].kind is Kind.BOOL
    for name in row.creates:
        assert name == "first" or name in known
    for gate in row.gates:
        assert gate in known


@each_sprite
def test_types_that_a_sprite_writes_or_creates_are_named_by_its_parameters(row: SpriteClass) -> None:
    known = ontology.parameters(row)
    assert all(write.target == "self" and write.when is None for write in row.writes)
    assert all(name in ("self", "wall") or name in known for name in row.creates)


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        ("stepBack", {Write("first", What.RESTORE), Write("first", What.RECT, "pixelPerfect")}),
        ("undoAll", {Write("all", What.RESTORE)}),
        ("killBoth", {Write("first", What.KILL), Write("second", What.KILL)}),
        ("transformTo", {Write("first", What.REMOVE), Write("second", What.REMOVE, "killSecond")}),
        ("transformToAll", {Write("stype", What.REMOVE), Write("second", What.REMOVE, "killSecond")}),
        ("collectResource", {Write("second", What.RESOURCES), Write("first", What.REMOVE, "killResource")}),
        ("collectResourceIfHeld", {Write("second", What.RESOURCES), Write("first", What.KILL, "killResource")}),
        ("updateSpawnType", {Write("spawnPoint", What.SPAWN_TYPE)}),
        ("align", {Write("first", What.RECT), Write("first", What.ORIENTATION, "orient")}),
        ("spawn", set()),
        ("shieldFrom", set()),
    ],
)
def test_effect_writes(name: str, writes: set[Write]) -> None:
    assert set(effect(name).writes) == writes


def test_effects_that_kill_say_so() -> None:
    """The specification's own list of effects with a kill flag, apart from the flag of collecting (effects, 4.1)."""
    for row in ontology.ALL_EFFECTS:
        kills_first = any(
            write.target != "second" and (What.KILL | What.REMOVE) & write.what and write.when is None
            for write in row.writes
        )
        flagged = row.name.startswith(("kill", "transform")) or row.name == "subtractHealthPoints"
        assert kills_first == (flagged or row.name == "teleportToExit"), row.name


def test_effects_that_draw() -> None:
    drawing = {row.name for row in ontology.ALL_EFFECTS if row.draws}
    spawning = {row.name for row in ontology.ALL_EFFECTS if row.name.startswith("spawn")} - {"spawnIfCounterSubTypes"}
    assert drawing == spawning | {"attractGaze", "flipDirection", "teleportToExit", "transformToRandomChild"}


def test_effects_that_need_no_sprite() -> None:
    assert {row.name for row in ontology.ALL_EFFECTS if row.null is Null.NONE} == {
        "killAll",
        "undoAll",
        "transformToAll",
        "addTimer",
        "increaseSpeedToAll",
        "decreaseSpeedToAll",
        "setSpeedForAll",
    }


def test_effects_that_need_both_sprites() -> None:
    assert {row.name for row in ontology.ALL_EFFECTS if row.null is Null.BOTH} == {
        "killBoth",
        "killIfAlive",
        "killIfSlow",
        "killIfFast",
        "killIfFrontal",
        "killIfNotFrontal",
        "killIfFromAbove",
        "killIfOtherHasMore",
        "transformIfCount",
        "transformToSingleton",
        "changeResource",
        "collectResource",
        "collectResourceIfHeld",
        "pullWithIt",
        "wallStop",
        "wallBounce",
        "wallReverse",
        "bounceDirection",
        "bounceForward",
        "attractGaze",
        "align",
        "teleportToExit",
    }


def test_effects_that_break_off_the_game_without_a_sprite() -> None:
    fatal = {row.name: row.null for row in ontology.ALL_EFFECTS if row.null.value.startswith("fatal")}
    assert fatal == {
        "killIfNotUpright": Null.FATAL_FIRST,
        "waterPhysics": Null.FATAL_FIRST,
        "updateSpawnType": Null.FATAL_SECOND,
    }


def test_effects_that_rewrite_their_score_gate() -> None:
    assert {row.name for row in ontology.ALL_EFFECTS if "applyScore" in row.gates} == {
        "changeResource",
        "collectResource",
        "collectResourceIfHeld",
        "killIfHasLess",
        "killIfHasMore",
        "killIfOtherHasMore",
        "killIfFromAbove",
        "killIfFrontal",
        "killIfNotFrontal",
        "addHealthPoints",
        "addHealthPointsToMax",
        "spawnIfHasMore",
        "spawnIfHasLess",
        "spawnIfCounterSubTypes",
        "transformIfCount",
    }
    assert effect("transformIfCount").gates == ("applyScore", "count", "countElse")
    assert effect("subtractHealthPoints").gates == ("scoreChange",)


def test_two_effects_work_in_batches() -> None:
    assert {row.name for row in ontology.ALL_EFFECTS if row.batch} == {"wallBounce", "wallReverse"}


def test_effect_names_have_distinct_hashes() -> None:
    """Shields compare hashes of names, which is the same as comparing names (effects, 4.1)."""
    assert string_hash("hello") == 99162322
    assert string_hash("\U0001f600") == 0xD83D * 31 + 0xDE00  # two UTF-16 code units
    assert len({string_hash(row.name) for row in ontology.ALL_EFFECTS}) == 58


# Terminations and games


@pytest.mark.parametrize(
    ("name", "key", "default", "lookup"),
    [
        ("SpriteCounter", "limit", 0, Lookup.OPTIONAL),
        ("SpriteCounter", "stype", None, Lookup.REQUIRED),
        ("SpriteCounterMore", "stype", None, Lookup.REQUIRED),
        ("MultiSpriteCounter", "stype3", None, Lookup.CHECKED),
        ("MultiSpriteCounter", "min", False, Lookup.OPTIONAL),
        ("MultiSpriteCounterSubTypes", "subTypesNum", -1, Lookup.OPTIONAL),
        ("StopCounter", "canEnd", True, Lookup.OPTIONAL),
        ("Timeout", "limits", "0", Lookup.OPTIONAL),
        ("Timeout", "win", None, Lookup.OPTIONAL),
    ],
)
def test_termination_parameters(name: str, key: str, default: object, lookup: Lookup) -> None:
    found = parameter(ontology.termination(name), key)
    assert found.default == default
    assert found.lookup is lookup


@pytest.mark.parametrize("name", ["BasicGame", "GameSpace"])
def test_game_parameters(name: str) -> None:
    row = ontology.game_class(name)
    assert row is not None
    useful = {key: found.default for key, found in ontology.parameters(row).items() if found.kind is not Kind.OPAQUE}
    assert useful == {"square_size": -1, "key_handler": None, "no_players": 1, "no_counters": 0, "obs": None}
    assert parameter(row, "kill_list").kind is Kind.OPAQUE


def test_directions_point_down_for_a_growing_y() -> None:
    assert DOWN == (0.0, 1.0)
