"""Tests of counts as conditions of transformations and victories, of trails in place of walls, and of switches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tracks.worldmodels.small import frame_of, learnt_and_loss, meetings, random_plays
from vgdl.competition.tracks.worldmodels.search.author import first_guess
from vgdl.competition.tracks.worldmodels.search.contacts import Table
from vgdl.competition.tracks.worldmodels.search.counts import _results, with_counts
from vgdl.competition.tracks.worldmodels.search.ends import guess_ends
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play
from vgdl.competition.tracks.worldmodels.search.unseen import alike
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.core.data.layout import Winner
from vgdl.core.observation import VISIBLE

pytestmark = pytest.mark.costly

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


#: a bud is never seen: it opens or withers in the tick in which it is set
BUDS = """BasicGame
    SpriteSet
        ground > Immovable hidden=True
        coin > Immovable
        flower > Immovable color=RED
        withered > Immovable color=GREEN
        avatar > ShootAvatar stype=bud rotateInPlace=False
        bud > Immovable
    LevelMapping
        . > ground
        w > ground wall
        c > ground coin
        A > ground avatar
    InteractionSet
        bud ground > transformIfCount stype=flower stypeCount=coin geq=5 estype=withered
        avatar wall flower withered > stepBack
        coin avatar > killSprite
    TerminationSet
        Timeout limit=60 win=False
"""
MEADOW = "wwwwwwwww\nw.c.c.c.w\nw...A...w\nw.c.c.c.w\nwwwwwwwww\n"


def _counted(hypothesis: Hypothesis) -> list[str]:
    return sorted(rule.line() for rule in hypothesis.rules if rule.effect == "transformIfCount")


def test_what_an_unseen_shot_becomes_depends_on_how_many_are_left(tmp_path: Path) -> None:
    found, loss = learnt_and_loss(tmp_path, BUDS, MEADOW, ticks=900)
    floor, shot = found.floor, found.kinds[1].parameters["stype"]
    assert _counted(found) == [
        f"{shot} t{floor} > transformIfCount stype=t4 stypeCount=t3 geq=5",
        f"{shot} t{floor} > transformIfCount stype=t5 stypeCount=t3 leq=4",
    ]
    assert loss == 0


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


def test_meetings_that_a_partner_missed_show_no_count() -> None:
    table = Table()
    table.pairs[5, 8] = meetings((5, 8), "into 8", "into 8", "unmoved", "unmoved/back", "unmoved/dead", "unmoved")
    known = {8: Rule(5, 8, "transformTo", (("stype", "t8"),))}
    turned = {(0, 0), (0, 1)}
    assert _results(table, (5, 8), known, {8}) == {8: turned, -1: {(0, 2), (0, 5)}}
    assert _results(table, (5, 8), known, set()) == {8: turned, -1: {(0, 2), (0, 3), (0, 4), (0, 5)}}
    table.pairs[5, 8] = meetings((5, 8), "into 8", "into 8", "unmoved/back", "unmoved/reverse", "unmoved")
    assert _results(table, (5, 8), known, {8}) == {8: turned}


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
    assert loss == 0


@pytest.mark.parametrize(("stopping", "others"), [((11, 12), {13, 14}), ((11,), set())])
def test_boxes_are_not_pushed_onto_further_switches(stopping: tuple[int, ...], others: set[int]) -> None:
    kinds = dict.fromkeys(range(11, 15), Kind("Immovable"))
    kinds |= {6: Kind("Passive"), 7: Kind("Passive"), 16: Kind("MovingAvatar"), 17: Kind("MovingAvatar")}
    rules = [Rule(16, n, "transformTo", (("stype", "t17"),)) for n in range(11, 15)]
    rules += [Rule(6, 16, "bounceForward"), Rule(7, 16, "bounceForward")]
    rules += [Rule(6 + k, n, "undoAll") for k, n in enumerate(stopping)]
    table = Table()
    table.entered.update({(16, n): 3 for n in range(11, 15)})
    added = {rule.second for rule in alike(table, rules, kinds) if rule.first == 6}
    assert added - {6, 7, *stopping} == others


def _stones(*kinds: int, winner: int = -1) -> Frame:
    """A state with a sprite for each of these numbers, which may be the same."""
    arrays = np.zeros(len(kinds), VISIBLE)
    for k, kind in enumerate(kinds):
        arrays[k] = (k, kind, 3, 10 * k, 0)
    return replace(frame_of(1, winner=winner), arrays=arrays)


@pytest.mark.parametrize(("other", "needed"), [((4, 4, 6, 8), True), ((4, 6, 8), False)])
def test_a_victory_may_need_a_number_of_sprites_of_several_types(other: tuple[int, ...], needed: bool) -> None:
    won = Winner.PLAYER_WINS
    shown = [
        (0, _stones(4, 8), _stones(*other), _stones(4, 4, 8, 8, winner=won)),
        (1, _stones(6, 9), _stones(6, 9, 9), _stones(6, 6, 9, 9, winner=won)),
    ]
    kinds = {n: Kind("Immovable") for n in (4, 6, 8, 9)}
    lives = Lives([Play(level, "random", tuple(frames)) for level, *frames in shown])
    found, groups, _ = guess_ends(lives, kinds, [], {})
    line = "MultiSpriteCounterSubTypes stype1=t3 limit=4 subTypesNum=2 win=True"
    assert (line in [end.line() for end in found]) == needed
    assert not needed or groups == {3: (4, 5, 6, 7, 8, 9)}
