"""Small games with random plays, and meetings written by hand, for the tests of the search."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import vgdl
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.contacts import Meeting, Table
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Kind
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, record_many
from vgdl.competition.tracks.worldmodels.search.rules import guess_rules
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.core.observation import VISIBLE


def small_game(folder: Path, rules: str, level: str) -> vgdl.Game:
    """A game of one level."""
    (folder / "small.txt").write_text(rules, encoding="utf-8")
    (folder / "small_lvl0.txt").write_text(level, encoding="utf-8")
    return vgdl.load(str(folder / "small.txt"))


def random_plays(folder: Path, rules: str, level: str, ticks: int = 300) -> tuple[vgdl.Game, tuple[Play, ...]]:
    """A game of one level, and random plays of it."""
    game = small_game(folder, rules, level)
    return game, record_many(game, [0], ticks, seed=1, players=["random"])


def learnt_and_loss(folder: Path, rules: str, level: str, ticks: int = 300) -> tuple[Hypothesis, float]:
    """What is learnt of random play of one level, and how much more of it than the true rules it predicts wrongly."""
    game, plays = random_plays(folder, rules, level, ticks)
    found, follower = learn(plays, seconds=0).hypothesis, Follower(plays)
    return found, follower.follow(found).loss - follower.follow(game).loss


def frame_of(*kinds: int, winner: int = -1) -> Frame:
    """A state with a sprite of each of these types, in places of their own."""
    arrays = np.zeros(len(kinds), VISIBLE)
    for k, kind in enumerate(kinds):
        arrays[k] = (kind, kind, 3, 10 * kind, 0)
    return Frame(arrays, None, 0.0, winner, winner != -1, 0, (), 10, (500, 50))


def lives_of(*frames: Frame) -> Lives:
    """The sprites of one play with these states."""
    return Lives([Play(0, "random", frames)])


def meetings(pair: tuple[int, int], *outcomes: str) -> list[Meeting]:
    """Meetings in ticks of their own; "back/dead": the sprite's outcome and its partner's."""
    found = []
    for k, how in enumerate(outcomes):
        outcome, _, other = how.partition("/")
        found.append(Meeting(0, k, k, *pair, 99, outcome, other or "ok", frozenset({pair[1]}), (), False, (0, 0)))
    return found


def guessed_lines(table: Table, kinds: dict[int, Kind]) -> list[str]:
    """The rules that are guessed from meetings, as lines of text."""
    frame = frame_of(*kinds)
    return [found.rule.line() for found in guess_rules(lives_of(frame, frame), table, kinds)]
