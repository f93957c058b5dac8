"""Mistakes in a game as a whole that the reference plays without a message."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import pytest

import vgdl
from vgdl import TruncatedGameWarning, VGDLError

GAME = """\
BasicGame
    SpriteSet
        wall > Immovable
        gold > Resource color=GOLD
        fuel > Resource color=RED
        hole > SpawnPoint stype=bee cooldown=9
        bee > RandomNPC
        dog > Chaser stype=avatar
        gate > Portal stype=exit
        exit > Door
    LevelMapping
        g > gold
        f > fuel
        h > hole
        d > dog
        p > gate
        e > exit
    InteractionSet
        avatar wall > stepBack
        gold avatar > collectResource scoreChange=1
        avatar gate > teleportToExit
    TerminationSet
        SpriteCounter stype=gold win=True
"""


@dataclass(frozen=True)
class Mistake:
    """A change of the game, and its warning."""

    right: str
    wrong: str
    message: str
    line: int


MISTAKES = [
    Mistake("        fuel >", "            fuel >", "'fuel' is indented deeper than 'gold' (line 4) and therefore a kind of it", 5),
    Mistake("        gate >", "            gate >", "'gate' is indented deeper than 'dog' (line 8) and therefore a kind of it: the class Chaser counts, not Portal", 9),
    Mistake("cooldown=9", "color=RED", "'hole' makes a sprite in every tick, without an end", 6),
    Mistake("Chaser stype=avatar", "Chaser stype=dog", "'dog' follows its own type", 8),
    Mistake("Portal stype=exit", "Portal stype=gate", "'gate' leads to its own type", 9),
    Mistake("        f > fuel\n", "", "'fuel' is never in play: no character of the LevelMapping places it, nothing makes it", 5),
    Mistake("        SpriteCounter stype=gold win=True\n", "", "this TerminationSet is empty: it ends only at tick 2000, and without a winner", 22),
    Mistake("    TerminationSet\n        SpriteCounter stype=gold win=True\n", "", "the game has no TerminationSet: it ends only at tick 2000, and without a winner", 1),
]  # fmt: skip


def test_a_sound_game_has_no_warnings() -> None:
    assert vgdl.loads(GAME).lint() == ()


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.message[:30])
def test_a_mistake_is_reported_once_at_its_line(mistake: Mistake) -> None:
    text = GAME.replace(mistake.right, mistake.wrong)
    assert text != GAME
    (warning,) = vgdl.loads(text).lint()
    assert warning.message == mistake.message
    assert (warning.place.line if warning.place else 0, warning.messages) == (mistake.line, 0)


def test_a_spawner_of_shots_is_sound() -> None:
    text = GAME.replace("cooldown=9", "").replace("bee > RandomNPC", "bee > Missile")
    assert vgdl.loads(text.replace("avatar wall", "bee wall > killSprite\n        avatar wall")).lint() == ()


# --- texts that end early ---

BROKEN = (
    GAME.replace("gold avatar > collectResource", "gold avatar > colectResource")
    .replace("avatar gate > teleportToExit", "avatar gatte > teleportToExit")
    .replace("SpriteCounter", "SpriteCounte")
)


def test_loading_a_truncated_game_warns() -> None:
    with pytest.warns(
        TruncatedGameWarning, match="unknown effect 'colectResource': the rest of the game text is not read"
    ):
        game = vgdl.loads(BROKEN)
    assert [type(warning) for warning in game.warnings] == [TruncatedGameWarning]
    with pytest.raises(VGDLError, match="colectResource"):
        vgdl.loads(BROKEN, strict=True)


def test_mistakes_behind_the_first_are_found_in_the_same_run() -> None:
    with pytest.warns(TruncatedGameWarning):
        game = vgdl.loads(BROKEN)
    found = {warning.message: warning.suggestion for warning in game.lint()}
    assert found == {"unknown sprite 'gatte'": "gate", "unknown termination 'SpriteCounte'": "SpriteCounter"}
    assert all(warning.messages == 0 for warning in game.lint())


def test_the_rules_behind_the_first_mistake_do_not_count() -> None:
    with pytest.warns(TruncatedGameWarning):
        state = vgdl.loads(BROKEN).start("wwwww\nwAg w\nwwwww\n", seed=1)
    state.rollout([vgdl.Action.RIGHT] * 3)
    assert (state.score, state.is_over) == (0, False)


def test_a_sound_game_is_loaded_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vgdl.loads(GAME)
        vgdl.load("aliens", strict=True)


@pytest.mark.parametrize("header", ["spriteset", "Sprites", "SpriteSets"])
def test_a_misspelt_header_of_the_sprites_is_reported_at_its_line(header: str) -> None:
    with pytest.raises(VGDLError) as caught:
        vgdl.loads(GAME.replace("SpriteSet", header))
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.suggestion) == (2, "SpriteSet")


# --- words of other dialects ---


@pytest.mark.parametrize(
    ("right", "wrong", "suggestion"),
    [
        ("collectResource scoreChange=1", "scoreChange value=1", "addHealthPoints value=0"),
        ("collectResource scoreChange=1", "nothing", "addHealthPoints value=0"),
        ("dog > Chaser", "dog > AStarChaser", "PathChaser"),
        ("Chaser stype=avatar", "Chaser stype=avatar physicstype=GravityPhysics", "CONT gravity=1"),
        ("color=RED", "color=PURPLE", "PINK"),
    ],
)
def test_a_word_of_another_dialect_has_a_substitute(right: str, wrong: str, suggestion: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncatedGameWarning)
        game = vgdl.loads(GAME.replace(right, wrong))
    assert suggestion in [warning.suggestion for warning in (*game.warnings, *game.lint())]


# --- levels ---


@pytest.mark.parametrize(
    ("level", "message"),
    [
        ("wwwww\nwAg\nwwwww\n", "this row is shorter than the first: blanks are added"),
        ("wwwww\nwAg ww\nwwwww\n", "this row is longer than the first: the rest is ignored"),
        ("  wwwww\n  wAg w\n  wwwww\n", "every row begins with 2 blanks, which are cells: is the text indented?"),
    ],
)
def test_rows_of_other_lengths_and_indentation_are_reported(level: str, message: str) -> None:
    (warning,) = vgdl.loads(GAME).board(level).warnings
    assert (warning.message, warning.messages) == (message, 0)


@pytest.mark.parametrize("margin", ["", "    ", "\t"])
def test_a_level_between_quotes_on_lines_of_their_own_is_read_without_its_margin(margin: str) -> None:
    game = vgdl.loads(GAME)
    rows = ["wwwww", "wA gw", "wwwww"]
    text = "\n" + "".join(f"{margin}{row}\n" for row in rows) + margin
    board = game.board(text)
    assert board.level.lines == tuple(rows)
    assert board.warnings == ()
    assert board.start(1) == game.start("\n".join(rows), seed=1)


def test_blanks_before_rows_are_cells_otherwise() -> None:
    board = vgdl.loads(GAME).board("     \n  A  \n     ")
    assert (board.level.width, board.level.height) == (5, 3)


@pytest.mark.parametrize("word", ["0", "3", "random", "lvl0", "aliens_lvl0"])
def test_a_word_is_no_level(word: str) -> None:
    with pytest.raises(VGDLError, match=f"aliens has no level '{word}'") as caught:
        vgdl.load("aliens").start(level=word)
    assert "levels 0 to 4" in caught.value.expected
    assert caught.value.suggestion == {"0": "level=0", "3": "level=3"}.get(word, caught.value.suggestion)


def test_what_an_avatar_cannot_reach_is_reported() -> None:
    game = vgdl.loads(GAME.replace("        avatar gate > teleportToExit\n", ""))
    reachable, enclosed = "wwwwww\nwA  gw\nwwwwww\n", "wwwwww\nwA wgw\nwwwwww\n"
    assert game.board(reachable).lint() == ()
    (warning,) = game.board(enclosed).lint()
    assert warning.message == "the avatar cannot reach this 'gold'"
    assert warning.place is not None
    assert (warning.place.line, warning.place.column) == (2, 5)
    assert vgdl.loads(GAME).board(enclosed).lint() == (), "a portal may lead there"


# --- game spaces and pictures ---

SPACE = GAME.replace("BasicGame", "GameSpace").replace("cooldown=9", "cooldown=COOL") + (
    "    ParameterSet\n        COOL > values=10:5:30 string=cooldown\n"
)


@pytest.mark.parametrize(
    ("value", "allowed"), [(10, True), (12, True), (30, True), (31, False), (9, False), (12.5, False)]
)
def test_a_parameter_of_a_game_space_may_lie_between_its_points(value: float, allowed: bool) -> None:
    if allowed:
        game = vgdl.loads(SPACE, parameters={"COOL": value})
        number = game.types.index("hole")
        assert int(game.board("A\n").tables.rules.table["types"]["cooldown"][number]) == value
    else:
        with pytest.raises(VGDLError, match="cannot be"):
            vgdl.loads(SPACE, parameters={"COOL": value})


def test_autotiling_without_a_picture_draws_a_plain_shape() -> None:
    tiled = vgdl.loads(GAME.replace("wall > Immovable", "wall > Immovable autotiling=True color=GREEN"))
    plain = vgdl.loads(GAME.replace("wall > Immovable", "wall > Immovable color=GREEN"))
    level = "wwwww\nwA gw\nwwwww\n"
    (warning,) = tiled.lint()
    assert warning.message == "autotiling has no effect without img=: a plain shape is shown"
    assert (tiled.start(level, seed=1).render() == plain.start(level, seed=1).render()).all()
