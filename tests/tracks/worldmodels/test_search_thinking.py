"""Tests that controllers think without using up observed ticks while plays are recorded to learn from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracks.worldmodels.small import small_game
from vgdl import Action
from vgdl.competition.tracks.worldmodels.search.play import play
from vgdl.competition.tracks.worldmodels.search.records import Frame, record, record_many
from vgdl.competition.tracks.worldmodels.search.study import study
from vgdl.competition.tracks.worldmodels.search.thinking import STALE, Thinking

CRATES = """BasicGame
    SpriteSet
        goal > Immovable
        crate > Passive
        avatar > MovingAvatar
    LevelMapping
        c > crate
        g > goal
    InteractionSet
        avatar wall > stepBack
        crate avatar > bounceForward
        crate wall crate > undoAll
        crate goal > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=crate win=True
"""
LEVEL = "wwwwwwwwww\nwA       w\nw c  c   w\nw   c    w\nw  c  c  w\nw        w\nw       gw\nwwwwwwwwww\n"


def _idle(frames: tuple[Frame, ...] | list[Frame]) -> int:
    return sum(frame.action == Action.NIL for frame in frames[:-1])


def test_a_recorded_controller_thinks_without_ticks_where_it_stands_still(tmp_path: Path) -> None:
    game = small_game(tmp_path, CRATES, LEVEL)
    waiting = record(game, 0, "champion", seed=1, most=30, calls=100)
    thinking = Thinking(100_000)
    thoughtful = record(game, 0, "champion", seed=1, most=30, calls=100, thinking=thinking)
    assert _idle(waiting.frames) > 25
    assert thinking.left <= 100_000 - 30
    assert _idle(thoughtful.frames) < 10


def test_thoughts_are_limited(tmp_path: Path) -> None:
    game = small_game(tmp_path, CRATES, LEVEL)
    thinking = Thinking(5)
    recorded = record(game, 0, "champion", seed=1, most=30, calls=100, thinking=thinking)
    assert thinking.left == 0
    assert _idle(recorded.frames) > 25


def test_a_controller_of_a_round_stops_waiting_after_its_thoughts(tmp_path: Path) -> None:
    game = small_game(tmp_path, CRATES, LEVEL)
    idle: list[int] = []
    for thoughts in (None, 5):
        seen: list[Frame] = []
        play(game, 0, "champion", None, seed=1, calls=100, most=30, frames=seen, thoughts=thoughts)
        idle.append(_idle(seen))
    assert idle[0] > 25
    assert idle[1] < 10


@pytest.mark.costly
def test_few_ticks_of_a_study_are_spent_standing_still(tmp_path: Path) -> None:
    game = small_game(tmp_path, CRATES, LEVEL)
    plays, _ = study(game, [0], 160, seed=1, seconds=0)
    assert sum(_idle(recorded.frames) for recorded in plays) < 30


def test_a_recorded_play_ends_when_it_shows_nothing_new(tmp_path: Path) -> None:
    game = small_game(tmp_path, CRATES, "wwww\nwA w\nwwww\n" + "wwcw\n")
    whole = record(game, 0, "random", seed=1, most=200)
    ended = record(game, 0, "random", seed=1, most=200, thinking=Thinking(0))
    assert whole.ticks == 200
    assert STALE <= ended.ticks < STALE + 50
    assert sum(one.ticks for one in record_many(game, [0], 300, seed=1, players=["random"], thoughts=5)) == 300


def test_a_play_of_a_round_ends_when_it_shows_nothing_new(tmp_path: Path) -> None:
    game = small_game(tmp_path, CRATES, "wwww\nwA w\nwwww\n" + "wwcw\n")
    ticks = [play(game, 0, "random", None, seed=1, calls=1, most=200, thoughts=t).ticks for t in (None, 5)]
    assert ticks[0] == 200
    assert STALE <= ticks[1] < STALE + 50
