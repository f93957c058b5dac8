"""Hidden floors of part of a level, in which an avatar's health falls or rises."""

from __future__ import annotations

from pathlib import Path

import pytest

import vgdl
from tracks.worldmodels.small import learnt_and_loss, random_plays, small_game
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.hypothesis import HIDDEN, Band, Hypothesis, Kind, Layout
from vgdl.competition.tracks.worldmodels.search.records import record_many
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_POND = """
BasicGame square_size=20
    SpriteSet
        sky > Immovable hidden=True
        surface > Immovable hidden=True
        water > Immovable hidden=True
        pearl > Resource limit=9
        basket > Immovable
        diver > MovingAvatar healthPoints=30 limitHealthPoints=30
    LevelMapping
        - > sky
        _ > surface
        . > water
        o > water pearl
        A > water diver
    InteractionSet
        diver EOS sky > stepBack
        diver water > subtractHealthPoints
        diver surface > addHealthPointsToMax value=30
        pearl diver > collectResource
        diver surface > spawnIfHasMore resource=pearl stype=basket limit=2 spend=2 scoreChange=5
    TerminationSet
        SpriteCounter stype=diver win=False
        Timeout limit=90 win=True
"""
_SHALLOW = "------\n______\n.oAoo.\noooooo\n"
_DEEP = "--------\n________\n.oAo....\n........\n.o...o..\n........\n"


@pytest.mark.costly
def test_bands_where_health_falls_and_rises_are_learnt(tmp_path: Path) -> None:
    game, plays = random_plays(tmp_path, _POND, _SHALLOW, 900)
    found = learn(plays, seconds=0).hypothesis
    follower = Follower(plays)
    assert follower.follow(found).loss <= follower.follow(game).loss
    lines = {rule.line().split(" > ")[1] for rule in found.rules}
    assert {"subtractHealthPoints value=1", "addHealthPointsToMax value=30"} <= lines
    assert any(line.startswith("spawnIfHasMore") and line.endswith("spend=2 scoreChange=5") for line in lines)

    (tmp_path / "deep").mkdir()
    deeper = small_game(tmp_path / "deep", _POND, _DEEP)
    held_out = Follower(record_many(deeper, [0], 300, seed=2, players=["random"]), follower.cells)
    assert held_out.follow(found).loss <= held_out.follow(deeper).loss  # rows are counted, not places remembered


def test_health_that_falls_everywhere_needs_no_bands(tmp_path: Path) -> None:
    lines = [line for line in _POND.splitlines() if not line.startswith("        diver surface >")]
    desert = "\n".join(lines).replace("diver water >", "diver water surface >")
    found, loss = learnt_and_loss(tmp_path, desert, "______\noo.A.o\n..oo..\n", 300)
    assert loss <= 0
    assert not found.bands
    assert any(rule.second == found.floor and rule.effect == "subtractHealthPoints" for rule in found.rules)


@pytest.mark.parametrize(
    ("band", "rows"),
    [
        (Band(None, 2), [0, 1]),
        (Band(2, None), [2, 3, 4]),
        (Band(-1, None), [4]),
        (Band(1, 3), [1, 2]),
        (Band(7, None), []),
    ],
)
def test_rows_of_a_band(band: Band, rows: list[int]) -> None:
    assert list(band.rows(5)) == rows


def test_a_level_shows_the_types_of_bands_in_its_text() -> None:
    kinds = {0: Kind("Immovable"), 1: Kind("MovingAvatar"), 2: HIDDEN}
    hypothesis = Hypothesis(kinds, square_size=10, bands={2: Band(1, None)})
    level = hypothesis.level(Layout(2, 2, {(0, 0): (0,), (1, 1): (1,)}))
    assert level.standing == {(0, 0): (0,), (0, 1): (2,), (1, 1): (1, 2)}
    state: vgdl.StateObservation = hypothesis.board(Layout(2, 2, {(0, 0): (0,), (1, 1): (1,)})).start(seed=1)
    assert [row[1] for row in state.arrays.tolist()] == [0, 1]  # what is hidden does not show
