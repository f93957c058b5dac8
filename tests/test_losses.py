"""The account of lost levels: how a level was lost, and which criterion names the cause."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts import script
from vgdl import games
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "losses.py"


@pytest.fixture(scope="module")
def losses() -> ModuleType:
    return script(FILE)


def play(outcome: Outcome, ticks: int, score: float) -> PlayResult:
    return PlayResult("made", 0, 0, 1, "", ticks, (PlayerResult("Champion", outcome, score),))


def lost(
    losses: ModuleType, *plays: PlayResult, counted: tuple[tuple[float, PlayResult], ...] = (), **facts: Any
) -> Any:
    """A level of a game that ends at tick 1000 at the latest; ``facts`` change those of a probe."""
    found = {
        "game": "made", "level": 0, "calls": 100, "chance": 0.0, "states": 50, "exhausted": False, "rewarded": True,
        "won": False, "momentum": False, "idle_ticks": 10,
    }  # fmt: skip
    return losses.Lost("made", 0, plays, counted, 1000, losses.Probe(**(found | facts)))


EARLY, LATE = play(Outcome.LOST, 200, 3.0), play(Outcome.LOST, 1000, 3.0)
NOTHING = play(Outcome.LOST, 1000, 0.0)


def test_a_cause_is_the_first_criterion_that_holds(losses: ModuleType) -> None:
    assert lost(losses, LATE, momentum=True).cause == "physics"
    assert lost(losses, NOTHING, rewarded=False).cause == "reward never seen"
    assert lost(losses, NOTHING, LATE, rewarded=False).cause == "too many states"
    assert lost(losses, LATE, LATE, play(Outcome.WON, 300, 1.0)).cause == "deception"
    assert lost(losses, LATE, counted=((5000.0, play(Outcome.WON, 300, 9.0)),)).cause == "too many states"
    assert lost(losses, EARLY, idle_ticks=900, chance=0.5).cause == "waiting needed"
    assert lost(losses, EARLY, chance=0.5).cause == "chance"
    assert lost(losses, LATE, chance=0.5).cause == "count or order"
    assert lost(losses, NOTHING).cause == "too many states"


def test_without_a_probe_the_cause_is_not_known(losses: ModuleType) -> None:
    assert losses.Lost("made", 0, (LATE,), (), 1000, None).cause == "?"


def test_how_plays_were_lost_is_told_by_their_ticks(losses: ModuleType) -> None:
    assert lost(losses, LATE, LATE).manner == "time out at 1000"
    assert lost(losses, EARLY).manner == "at 200"
    assert lost(losses, EARLY, LATE).manner == "at 200, time out in 1"


def test_a_probe_finds_the_win_of_a_certain_game_and_the_chance_of_another(losses: ModuleType) -> None:
    puzzle = losses.probe(games.path("sokoban"), 0, calls=20_000)
    assert puzzle.won
    assert puzzle.chance == 0.0
    assert losses.probe(games.path("survivezombies"), 0, calls=2_000).chance > 0.03


def test_every_lost_level_has_a_probe(losses: ModuleType) -> None:
    levels = losses.lost_levels()
    assert levels
    assert all(level.cause != "?" for level in levels)
