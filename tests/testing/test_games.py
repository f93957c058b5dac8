"""`vgdl.testing.check_game`: it passes the bundled games and explains each kind of mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

import vgdl
from vgdl import games
from vgdl.testing import CheckFailed, check_game

GAME = """\
BasicGame
    SpriteSet
        gem > Resource
        trap > Immovable
        hero > MovingAvatar
    LevelMapping
        . >
        g > gem
        t > trap
        A > hero
    InteractionSet
        hero EOS > stepBack
        gem hero > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=gem win=True
"""
LEVEL = "g..A.\n.....\n....g\n"


def problems(text: str, level: str = LEVEL) -> tuple[str, ...]:
    with pytest.raises(CheckFailed) as caught:
        check_game(vgdl.loads(text), [level], plays=1, ticks=60)
    return caught.value.problems


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", games.names())
def test_the_bundled_games_pass(name: str) -> None:
    check_game(name, plays=1, ticks=150)


def test_a_users_game_passes(tmp_path: Path) -> None:
    (tmp_path / "gems.txt").write_text(GAME)
    (tmp_path / "gems_lvl0.txt").write_text(LEVEL)
    check_game(tmp_path / "gems.txt")


def test_an_unreadable_game_is_reported_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "gems.txt").write_text("SpriteSet\n")
    with pytest.raises(CheckFailed, match=r"gems.txt:1:1: a section before the game line"):
        check_game(tmp_path / "gems.txt")


def test_a_game_without_levels_is_reported(tmp_path: Path) -> None:
    (tmp_path / "gems.txt").write_text(GAME)
    with pytest.raises(CheckFailed, match=r"put gems_lvl0.txt beside the game"):
        check_game(tmp_path / "gems.txt")


def test_warnings_are_problems_unless_they_are_allowed() -> None:
    odd = GAME.replace("gem > Resource", "gem > Resource limit=xx")
    (problem,) = problems(odd)
    assert "limit takes a whole number: 'xx' is ignored" in problem
    check_game(vgdl.loads(odd), [LEVEL], allow_warnings=True)


def test_a_level_with_a_mistake_does_not_hide_those_of_the_others() -> None:
    with pytest.raises(CheckFailed) as caught:
        check_game(vgdl.loads(GAME), ["", "g?A\n"], plays=1)
    first, second = caught.value.problems
    assert "the level is empty" in first
    assert "'?' is not defined in the level mapping" in second


def test_a_level_without_actions_is_reported() -> None:
    walled = GAME.replace("hero EOS > stepBack", "hero EOS trap > stepBack")
    (problem,) = problems(walled, ".ttt.\n.tAt.\n.tttg\n")
    assert problem == "<text>: nothing that a player does changes anything in the first ticks; is the avatar shut in?"


def test_a_level_without_an_avatar_is_reported() -> None:
    assert any("there is no avatar; the level mapping" in problem for problem in problems(GAME, "g...\n"))


def test_a_rule_that_cannot_be_executed_is_reported() -> None:
    broken = GAME.replace("trap > Immovable", "trap > Immovable\n        ghost > Portal")
    mistake, failure = problems(broken.replace("killSprite", "transformTo stype=ghost"), "gA\n")
    assert "sprite 'ghost' of class Portal needs stype=" in mistake
    assert "seed 0" in failure
    assert "a sprite was to be created of a type that is unknown or has no usable class" in failure


def test_all_problems_are_listed() -> None:
    failed = CheckFailed("gems", ["one", "two\nlines"])
    assert str(failed) == "gems: 2 problems\n- one\n- two\n  lines"
