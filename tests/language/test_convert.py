"""Texts of other dialects are converted, and repaired where there is only one repair."""

from __future__ import annotations

import pytest

import vgdl
from vgdl.convert import Dialect, convert
from vgdl.ontology import ALL_EFFECTS, ALL_SPRITE_CLASSES, ALL_TERMINATIONS, dialects, effect, sprite_class
from vgdl.ontology.constants import CONSTANTS, Form
from vgdl.ontology.dialects import SUBSTITUTES, Role

GAME = """\
BasicGame
    SpriteSet
        wall > Immovable color=GRAY
        gem > Immovable color=GREEN   # shiny
        ghost > Chaser stype=avatar cooldown=2
        avatar > MovingAvatar
    LevelMapping
        g > gem
        h > ghost
    InteractionSet
        avatar wall > stepBack
        ghost wall > stepBack
        gem avatar > killSprite scoreChange=1
        avatar ghost > killSprite
    TerminationSet
        SpriteCounter stype=gem limit=0 win=True
        SpriteCounter stype=avatar limit=0 win=False
"""
LEVEL = "wwwwww\nwA  gw\nwh   w\nwwwwww\n"


def play(text: str) -> list[float]:
    """The scores of a play in which the avatar takes the gem."""
    state = vgdl.loads(text, strict=True).start(LEVEL, seed=1)
    state.rollout([vgdl.Action.RIGHT] * 3)
    return [state.score, int(state.winner)]


def test_a_sound_game_stays_as_it_is() -> None:
    conversion = convert(GAME)
    assert conversion.changes == ()
    assert conversion.text == GAME
    assert play(GAME) == [1, 1]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("stepBack", "stepback"),
        ("InteractionSet", "Interactions"),
        ("TerminationSet", "Terminationset"),
        ("LevelMapping", "LevelMap"),
        ("cooldown=2", "cooldown = 2"),
        ("cooldown=2", "cooldown= 2"),
        ("cooldown=2", "coolDown=2"),
        ("color=GREEN", "color=green"),
        ("color=GRAY", "color=GREY"),
        ("Chaser", "chaser"),
        ("SpriteCounter stype=gem limit=0 win=True", "SpriteCounter stype=gem limit=0 win=True bonus=5"),
        ("        ghost wall > stepBack\n", "        ghost wall > stepBack\n        ghost gem > nothing\n"),
        ("scoreChange=1\n", "scoreChange=1\n        wall gem > NullEffect\n"),
        ("killSprite scoreChange=1", "killSprite changeScore=1"),
        ("MovingAvatar", "MovingAvatar physicstype=GridPhysics"),
    ],
)
def test_what_has_only_one_repair_is_repaired(right: str, wrong: str) -> None:
    text = GAME.replace(right, wrong)
    assert text != GAME
    conversion = convert(text)
    assert conversion.changes
    assert play(conversion.text) == [1, 1]
    assert "# shiny" in conversion.text
    assert convert(conversion.text).changes == (), "a second conversion finds nothing"


@pytest.mark.parametrize("word", ["scoreChange", "changeScore"])
def test_a_score_as_an_effect_becomes_one_that_does_nothing_else(word: str) -> None:
    rule = "gem avatar > killSprite"
    text = GAME.replace(f"{rule} scoreChange=1", f"gem avatar > {word} value=7\n        {rule}")
    assert play(convert(text).text) == [7, 1]


def test_tabs_become_as_many_blanks_as_editors_show() -> None:
    tabbed = GAME.replace("        ", "\t")
    with pytest.raises(vgdl.VGDLError, match="begins with a tab, which counts as one blank"):
        vgdl.loads(tabbed)
    conversion = convert(tabbed)
    assert conversion.text == GAME
    assert len(conversion.changes) == 1


def test_tabs_that_are_understood_stay_unless_the_dialect_says_otherwise() -> None:
    tabbed = GAME.replace("        ", "\t\t").replace("    ", "\t")
    assert convert(tabbed).changes == ()
    assert "\t" not in convert(tabbed, Dialect.PY_VGDL).text


def test_a_path_chaser_gets_the_parameter_of_the_game_line_that_it_needs() -> None:
    text = convert(GAME.replace("Chaser", "AStarChaser")).text
    assert text.startswith("BasicGame obs=wall\n")
    assert play(text) == [1, 1]


@pytest.mark.parametrize("row", SUBSTITUTES, ids=lambda row: row.word)
def test_each_substitute_replaces_an_unknown_word_by_known_ones(row: dialects.Substitute) -> None:
    word, _, rest = (row.instead or "").partition(" ")
    known = {
        Role.EFFECT: {each.name for each in ALL_EFFECTS},
        Role.SPRITE_CLASS: {each.name for each in ALL_SPRITE_CLASSES},
        Role.TERMINATION: {each.name for each in ALL_TERMINATIONS},
        Role.COLOR: {name for name, value in CONSTANTS.items() if value.form is Form.COLOR},
        Role.PHYSICS: {"GRID", "CONT"},
    }
    assert row.word not in known.get(row.role, ())
    assert row.instead is not None or row.note
    if word and row.role in known:
        assert word in known[row.role]
    for parameter in rest.split():
        key = parameter.partition("=")[0]
        lines = {
            Role.EFFECT: effect(word),
            Role.SPRITE_CLASS: sprite_class(word),
            Role.PHYSICS: sprite_class("Missile"),
        }
        owner = lines[row.role]
        assert owner is not None
        assert key in vgdl.ontology.parameters(owner)
