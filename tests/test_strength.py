"""The measure of strength: intervals, halves, what a store comes to, and what two stores differ in."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest

from vgdl.competition.results.records import Outcome, PlayerResult, PlayResult

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "strength.py"


@pytest.fixture(scope="module")
def strength() -> ModuleType:
    spec = importlib.util.spec_from_file_location("strength", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["strength"] = module
    spec.loader.exec_module(module)
    return module


def result(game: str, outcome: Outcome, ticks: int = 100) -> PlayResult:
    return PlayResult(game, 0, 0, 1, "", ticks, (PlayerResult("Mine", outcome, 1.0, late_answers=2),))


def test_wilsons_interval_is_that_of_the_textbook(strength: ModuleType) -> None:
    low, high = strength.wilson(8, 10)
    assert (low, high) == (pytest.approx(0.490, abs=0.001), pytest.approx(0.943, abs=0.001))
    assert strength.wilson(0, 0) == (0.0, 1.0)


def test_a_games_half_depends_on_its_name_only(strength: ModuleType) -> None:
    names = [f"game{k}" for k in range(200)]
    halves = [strength.half(name) for name in names]
    assert halves == [strength.half(name) for name in names]
    assert 70 < halves.count("development") < 130


def test_losses_are_told_apart_by_kind(strength: ModuleType) -> None:
    plays = [
        result("maze", Outcome.WON),
        result("maze", Outcome.LOST),
        result("maze", Outcome.LOST, ticks=2000),
        result("maze", Outcome.DISQUALIFIED),
    ]
    tally = strength.tallies(plays)["Mine"]["maze"]
    assert (tally.plays, tally.wins, tally.lost_early, tally.lost_late, tally.disqualified) == (4, 1, 1, 1, 1)
    assert tally.late_answers == 8


def test_a_mean_over_games_counts_every_game_once(strength: ModuleType) -> None:
    plays = [result("maze", Outcome.WON)] * 9 + [result("mines", Outcome.LOST)]
    facts = strength.summary(strength.tallies(plays)["Mine"])["all"]
    assert facts["mean"] == 0.5
    assert (facts["games"], facts["plays"]) == (2, 10)


def test_a_difference_that_few_plays_show_may_be_noise(strength: ModuleType) -> None:
    def counted(wins: int, plays: int) -> object:
        return {"maze": strength.Tally("maze", plays=plays, wins=wins)}

    (few,) = strength.differences(counted(1, 2), counted(2, 2))
    (many,) = strength.differences(counted(10, 100), counted(90, 100))
    assert (few.is_noise, many.is_noise) == (True, False)


def test_one_game_has_a_mean_but_no_interval(strength: ModuleType) -> None:
    mean, low, high = strength.mean_interval([0.25])
    assert mean == 0.25
    assert math.isnan(low)
    assert math.isnan(high)


def test_published_results_are_numbers_by_game(strength: ModuleType, tmp_path: Path) -> None:
    table = tmp_path / "published.csv"
    table.write_text("game,best,best_agent,olets\nmaze,50.5,Somebody,20\n")
    assert strength.published(table) == {"maze": {"best": 50.5, "olets": 20.0}}


def test_a_store_is_played_shown_and_compared(
    strength: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "trial.db"
    options = ["--games", "aliens", "--levels", "0", "--budget", "calls:10", "--seed", "1", "--isolation", "rlimits", "--quiet"]
    assert strength.main(["play", str(store), "--controllers", "random", *options]) == 0
    capsys.readouterr()
    assert strength.main(["show", str(store), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["controllers"]["Random"]["summary"]["all"]["plays"] == 1
    assert strength.main(["compare", str(store), str(store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean"] == 0.0


def test_a_store_that_is_not_there_is_an_error_in_words(
    strength: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert strength.main(["show", str(tmp_path / "none.db")]) == 1
    assert "error" in capsys.readouterr().out
