"""Tests of transformations that depend on a count of sprites, and of trails that replace walls."""

from __future__ import annotations

from pathlib import Path

from tracks.worldmodels.small import learnt_and_loss, random_plays
from vgdl.competition.tracks.worldmodels.search.author import first_guess
from vgdl.competition.tracks.worldmodels.search.counts import with_counts
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.verify import Follower

SEEDS = """BasicGame
    SpriteSet
        seed > Immovable
        rose > Immovable color=RED
        weed > Immovable color=GREEN
        avatar > MovingAvatar
    LevelMapping
        s > seed
    InteractionSet
        avatar wall > stepBack
        seed avatar > transformIfCount stype=rose stypeCount=seed geq=3 estype=weed
    TerminationSet
        SpriteCounter stype=avatar win=False
"""
GARDEN = "wwwwwww\nwssAsww\nw s  sw\nwwwwwww\n"
#: the runner leaves a trail; its class leaves walls in every copy of a state
RUNNER = """BasicGame
    SpriteSet
        trail > Immovable
        avatar > OngoingTurningAvatar spawnBehind=trail
    InteractionSet
        avatar wall trail > killSprite
    TerminationSet
        SpriteCounter stype=avatar win=False
"""
FIELD = "wwwwwwwwwwww\nw          w\nw          w\nw    A     w\nw          w\nw          w\nwwwwwwwwwwww\n"


def _counted(hypothesis: Hypothesis) -> list[str]:
    return sorted(rule.line() for rule in hypothesis.rules if rule.effect == "transformIfCount")


def test_what_a_sprite_becomes_depends_on_how_many_are_left(tmp_path: Path) -> None:
    _, plays = random_plays(tmp_path, SEEDS, GARDEN, ticks=300)
    lives, follower = Lives(plays), Follower(plays)
    guess, table = first_guess(lives, follower)
    found = with_counts(lives, table, follower, guess)
    assert _counted(guess) == []
    assert _counted(found) == [
        "t2 avatar > transformIfCount stype=t3 stypeCount=t2 geq=3",
        "t2 avatar > transformIfCount stype=t4 stypeCount=t2 leq=2",
    ]
    assert follower.follow(found).loss < follower.follow(guess).loss


def test_without_a_second_result_nothing_is_counted(tmp_path: Path) -> None:
    _, plays = random_plays(tmp_path, SEEDS.replace(" estype=weed", "").replace("geq=3", "geq=1"), GARDEN, ticks=200)
    lives, follower = Lives(plays), Follower(plays)
    guess, table = first_guess(lives, follower)
    assert with_counts(lives, table, follower, guess) == guess


def test_an_avatar_that_never_reverses_leaves_a_trail_in_place_of_walls(tmp_path: Path) -> None:
    found, loss = learnt_and_loss(tmp_path, RUNNER, FIELD, ticks=150)
    assert found.kinds[1].word == "OngoingTurningAvatar"
    assert [rule.line() for rule in found.rules if rule.effect.startswith(("spawn", "transform"))] == [
        "wall t3 > transformTo stype=t2"
    ]
    assert found.grounds == {3: 0}
    assert loss < 0  # the copies of the true game leave walls
