"""Problems that the reference silently accepts and authors want to know about."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import vgdl
from vgdl import Action, TruncatedGameWarning, VGDLError, VGDLWarning, games

GAME = """\
BasicGame square_size=10
    SpriteSet
        soil > Immovable hidden=True
        turnip > Resource color=PINK limit=99
        dog > RandomNPC cooldown=2 img=zelda/hero
        moving > speed=0.5
            shot > Missile orientation=LEFT
            cloud > Bomber stype=shot prob=0.5
        mole > ShootAvatar stype=shot
    LevelMapping
        t > soil turnip dog cloud
        A > soil mole
    InteractionSet
        turnip mole > collectResource scoreChange=1
        mole dog > killSprite scoreChange=-1
        mole TIME > addTimer timer=10 ftype=killSprite
    TerminationSet
        SpriteCounter stype=mole limit=0 win=False
        Timeout limit=500 win=False
"""


@dataclass(frozen=True)
class Mistake:
    """A change of the game, and its warning."""

    right: str
    wrong: str
    message: str
    suggestion: str | None = None


VALUES = [
    Mistake("cooldown=2", "cooldown=two", "cooldown takes a whole number: 'two' is ignored"),
    Mistake("cooldown=2", "cooldown=2.0", "cooldown takes a whole number: '2.0' is ignored", "2"),
    Mistake("cooldown=2", "cooldown=-2", "cooldown=-2 is out of range"),
    Mistake("color=PINK", "color=PINKK", "color takes the name of a colour: 'PINKK' is ignored", "PINK"),
    Mistake("color=PINK", "color=PURPEL", "color takes the name of a colour: 'PURPEL' is ignored"),
    Mistake("orientation=LEFT", "orientation=LEFTT", "orientation takes a direction: 'LEFTT' is ignored", "LEFT"),
    Mistake("orientation=LEFT", "orientation=left", "orientation takes a direction: 'left' is ignored", "LEFT"),
    Mistake("limit=99", "limit=xx", "limit takes a whole number: 'xx' is ignored"),
    Mistake("limit=500", "limit=xx", "limit takes a whole number: 'xx' is ignored"),
    Mistake("square_size=10", "square_size=ten", "square_size takes a whole number: 'ten' is ignored"),
    Mistake("img=zelda/hero", "img=zelda/heroo", "no picture is called 'zelda/heroo': a plain shape is shown", "zelda/hero"),
    Mistake("img=zelda/hero", "img=nosuch/pic", "no picture 'nosuch/...' comes with vgdl (1 use): plain shapes are shown"),
    Mistake("speed=0.5", "speed=0,5", "speed takes a number: '0,5' is ignored", "0.5"),
    Mistake("hidden=True", "hidden=yes", "'yes' counts as False", "True"),
    Mistake("win=False", "win=Flase", "'Flase' counts as False", "False"),
    Mistake("prob=0.5", "prob=1.5", "prob=1.5 is out of range"),
    Mistake("stype=shot prob", "stype=shott prob", "unknown sprite 'shott'", "shot"),
    Mistake("ShootAvatar stype=shot", "ShootAvatar stype=shot,dogg", "unknown sprite 'dogg'", "dog"),
    Mistake("ShootAvatar stype=shot", "ShootAvatar stype=shot ammo=7", "ammo=7 is ignored: a text that reads as a number is not taken"),
    Mistake("scoreChange=1", "scoreChange=1.5", "'1.5' counts as 0"),
    Mistake("scoreChange=1", "scoreChange=1 counter=1", "counter=1 is ignored: a text that reads as a number is not taken", "1,1"),
    Mistake("hidden=True", "hidden=True size=3", "size cannot be given in a game text: the value is ignored"),
    Mistake("soil turnip", "soil turnup", "unknown sprite 'turnup'", "turnip"),
    Mistake("cooldown=2", "coolsdown=2", "a RandomNPC has no parameter 'coolsdown'", "cooldown"),
    Mistake("Missile ", "Misile ", "unknown sprite class 'Misile'", "Missile"),
    Mistake("timer=10", "tmier=10", "addTimer has no parameter 'tmier'", "timer"),
    Mistake("t > soil", "tt > soil", "'tt' is not one character: 't' is mapped", "t"),
    Mistake("A > soil", "t > soil\n        A > soil", "the character 't' is defined again: this replaces line 11"),
    Mistake("soil > Imm", "soil > Door\n        soil > Imm", "the sprite 'soil' is defined again: this replaces line 3"),
    Mistake("soil > Immovable", "soil > Immovable\n            soil > Immovable", "the sprite 'soil' is defined again as a subtype of itself: this replaces line 3"),
    Mistake("stype=shot prob", "stype=cloud prob", "'cloud' makes sprites of its own type, which ends the game with an error"),
    Mistake("Bomber stype=shot", "SpawnPointMultiSprite stypes=shot,cloud", "'cloud' makes sprites of its own type, which ends the game with an error"),
    Mistake("Bomber stype=shot", "Bomber", "a Bomber without stype= has nothing to make, which ends the game with an error"),
    Mistake("Bomber stype=shot prob=0.5", "Spreader", "a Spreader without stype= spreads its own type, which ends the game with an error"),
]  # fmt: skip


def findings(text: str) -> tuple[VGDLWarning, ...]:
    return vgdl.loads(text).lint()


def test_a_sound_game_has_no_warnings() -> None:
    assert findings(GAME) == ()


@pytest.mark.parametrize("mistake", VALUES, ids=lambda mistake: mistake.wrong)
def test_a_value_without_effect_is_reported_with_its_place(mistake: Mistake) -> None:
    text = GAME.replace(mistake.right, mistake.wrong, 1)
    (warning,) = findings(text)
    assert (warning.message, warning.suggestion) == (mistake.message, mistake.suggestion)
    assert warning.messages == 0, "the reference says nothing"
    assert warning.source is not None
    assert warning.place is not None
    quoted = warning.source.lines[warning.place.line - 1][warning.place.column - 1 :][: warning.place.length]
    assert quoted
    assert quoted in mistake.wrong


def test_an_unknown_colour_is_reported_with_the_known_ones() -> None:
    (warning,) = findings(GAME.replace("PINK", "PURPLE"))
    assert {"RED", "LIGHTBLUE", "PINK"} <= set(warning.expected)


@pytest.mark.parametrize(
    "maker",
    [
        "SpawnPoint stype=cloud prob=0",
        "Spreader spreadprob=0",
        "SpawnPoint stype=cloud singleton=True",
        "SpawnPoint itype=1",
        "Spreader itype=1",
        "SpawnPoint\n                mist > stype=shot cooldown=2",
    ],
)
def test_a_sprite_that_never_makes_its_own_type_is_sound(maker: str) -> None:
    text = GAME.replace("Bomber stype=shot prob=0.5", maker).replace("soil turnip", "soil turnip cloud")
    assert findings(text) == ()
    state = vgdl.loads(text).start("A.t\n", seed=1)
    state.rollout([Action.NIL] * 30)
    assert state.error is None


@pytest.mark.parametrize("maker", ["SpawnPoint", "Spreader", "SpawnPoint stype=cloud", "Spreader stype=cloud"])
def test_a_sprite_that_makes_what_it_must_not_ends_the_game(maker: str) -> None:
    text = GAME.replace("Bomber stype=shot prob=0.5", maker).replace("soil turnip", "soil turnip cloud")
    (warning,) = findings(text)
    assert "ends the game with an error" in warning.message
    state = vgdl.loads(text).start("A.t\n", seed=1)
    state.rollout([Action.NIL] * 30)
    assert state.error is not None


def test_strict_loading_refuses_what_lint_finds() -> None:
    assert vgdl.loads(GAME, strict=True).name == "<text>"
    with pytest.raises(VGDLError, match="'two' is ignored"):
        vgdl.loads(GAME.replace("cooldown=2", "cooldown=two"), strict=True)


def test_a_value_is_reported_once_however_many_types_inherit_it() -> None:
    (warning,) = findings(GAME.replace("speed=0.5", "speed=slow"))
    assert warning.place is not None
    assert warning.place.line == 6


def test_a_value_is_fine_if_one_of_the_types_below_takes_it() -> None:
    assert findings(GAME.replace("moving > speed=0.5", "moving > speed=0.5 total=3")) == ()


def test_pictures_of_other_collections_share_one_warning() -> None:
    text = GAME.replace("img=zelda/hero", "img=oryx/dog").replace("orientation=LEFT", "orientation=LEFT img=oryx/shot1")
    (warning,) = findings(text)
    assert warning.message == "no picture 'oryx/...' comes with vgdl (2 uses): plain shapes are shown"
    assert vgdl.loads(text).lint(knows_picture=lambda name: True) == ()


def test_a_game_space_is_judged_by_the_values_that_it_allows() -> None:
    space = GAME.replace(
        "BasicGame square_size=10", "GameSpace\n    ParameterSet\n        COOL > values=1:1:3 string=cool"
    )
    assert findings(space.replace("cooldown=2", "cooldown=COOL")) == ()
    (warning,) = findings(space.replace("cooldown=2", "orientation=COOL"))
    assert "takes a direction" in warning.message


def test_a_sprite_line_without_its_mark_is_reported_at_that_line() -> None:
    text = GAME.replace("turnip > Resource", "turnip Resource")
    with pytest.warns(TruncatedGameWarning):
        game = vgdl.loads(text)
    warning, consequence = game.warnings
    assert game.lint() == ()
    assert consequence.message.startswith("unknown sprite 'turnip': the rest")
    assert warning.place is not None
    assert warning.place.line == 4
    assert warning.message == "'turnip' has no '>': this line and the rest of its block are not read"
    assert warning.expected == ("turnip > Resource",)
    with pytest.raises(VGDLError, match="'turnip' has no '>'") as caught:
        vgdl.loads(text).start("tA\n", seed=1)
    assert caught.value.place == warning.place


@pytest.mark.parametrize("name", games.names())
def test_the_bundled_games_have_no_warnings(name: str) -> None:
    assert vgdl.load(name).lint() == ()
