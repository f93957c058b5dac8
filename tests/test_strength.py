"""The measure of strength: intervals, halves, what a store comes to, and what two stores differ in."""

from __future__ import annotations

import json
import math
from inspect import signature
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from scripts import script
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult, opened, plays
from vgdl.controllers.entries.champion import Champion
from vgdl.controllers.registry import controllers_in, load

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "strength.py"
ABLATIONS = FILE.with_name("ablations.py")


@pytest.fixture(scope="module")
def strength() -> ModuleType:
    return script(FILE)


@pytest.fixture(scope="module")
def store(strength: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A play of one level on a budget of 10 calls."""
    path: Path = tmp_path_factory.mktemp("stores") / "trial.db"
    options = [
        "--games",
        "aliens",
        "--levels",
        "0",
        "--budget",
        "calls:10",
        "--seed",
        "1",
        "--isolation",
        "rlimits",
        "--quiet",
    ]
    assert strength.main(["play", str(path), "--controllers", "random", *options]) == 0
    return path


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
    strength: ModuleType, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert strength.main(["show", str(store), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["controllers"]["Random"]["summary"]["all"]["plays"] == 1
    assert strength.main(["compare", str(store), str(store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean"] == 0.0


def test_plays_in_one_process_have_the_results_of_those_in_many(
    strength: ModuleType, store: Path, tmp_path: Path
) -> None:
    here = tmp_path / "here.db"
    options = ["--games", "aliens", "--levels", "0", "--budget", "calls:10", "--seed", "1", "--in-process"]
    assert strength.main(["play", str(here), "--controllers", "random", *options]) == 0
    assert strength.main(["play", str(here), "--in-process"]) == 0  # nothing is left to play
    with opened(store) as one, opened(here) as two:
        assert [(play.ticks, play.seed, play.players[0].score) for play in plays(one)] == [
            (play.ticks, play.seed, play.players[0].score) for play in plays(two)
        ]


def test_stores_are_compared_on_levels_that_both_have_played(
    strength: ModuleType, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = tmp_path / "more.db"
    options = ["--games", "aliens,chase", "--levels", "0-1", "--budget", "calls:20", "--seed", "1", "--in-process"]
    assert strength.main(["play", str(more), "--controllers", "random", *options]) == 0
    of_store, of_more = strength.on_same_levels([store, more])
    assert {game: tally.plays for game, tally in of_store.items()} == {"aliens": 1}
    assert {game: tally.plays for game, tally in of_more.items()} == {"aliens": 1}


def test_strength_is_drawn_over_the_budget_small_budgets_first(
    strength: ModuleType, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more, picture = tmp_path / "more.db", tmp_path / "strength.svg"
    options = ["--games", "aliens", "--levels", "0", "--budget", "calls:20", "--seed", "1", "--in-process"]
    assert strength.main(["play", str(more), "--controllers", "random", *options]) == 0
    capsys.readouterr()
    assert strength.main(["plot", str(picture), str(more), str(store)]) == 0
    labels = [line.split(" calls")[0].strip() for line in capsys.readouterr().out.splitlines()]
    assert labels == ["10", "20"]
    drawn = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    assert len(drawn.findall("{*}circle")) == 2
    assert picture.read_text(encoding="utf-8").index("10 calls") < picture.read_text(encoding="utf-8").index("20 calls")


def test_exported_plays_count_like_those_of_the_store(
    strength: ModuleType, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "plays.csv"
    assert strength.main(["export", str(table), str(store)]) == 0
    assert strength.read(table) == strength.read(store)
    assert strength.main(["show", str(table)]) == 0
    assert "Random" in capsys.readouterr().out


def test_a_table_of_something_else_is_an_error_with_its_line(
    strength: ModuleType, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "plays.csv"
    assert strength.main(["export", str(table), str(store)]) == 0
    good = table.read_text(encoding="utf-8")
    for bad, complaint in (
        (good.replace("budget", "money"), "plays.csv:1: expected the columns"),
        (good.replace("10 calls", "much"), "plays.csv:2: expected a budget"),
        (good.replace(",aliens,0,", ",aliens,zero,"), "plays.csv:2: invalid literal"),
        (good + good.splitlines()[1].replace("10 calls", "40 ms"), "expected plays with one budget"),
    ):
        table.write_text(bad, encoding="utf-8")
        assert strength.main(["show", str(table)]) == 1
        assert complaint in " ".join(capsys.readouterr().out.replace("\n", "").split())


def test_plays_with_different_budgets_are_not_exported_together(
    strength: ModuleType, store: Path, tmp_path: Path
) -> None:
    more = tmp_path / "more.db"
    options = ["--games", "aliens", "--levels", "0", "--budget", "calls:20", "--seed", "1", "--in-process"]
    assert strength.main(["play", str(more), "--controllers", "random", *options]) == 0
    assert strength.main(["export", str(tmp_path / "plays.csv"), str(store), str(more)]) == 1


def test_every_part_of_the_champion_has_an_ablation() -> None:
    options = signature(Champion).parameters.items()
    opposite = {name: not option.default for name, option in options if isinstance(option.default, bool)}
    changes: dict[str, bool] = {}
    for name in controllers_in(ABLATIONS):
        changes |= vars(load(f"{ABLATIONS}:{name}")).get("change", {})
    assert changes == opposite


def test_a_store_that_is_not_there_is_an_error_in_words(
    strength: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert strength.main(["show", str(tmp_path / "none.db")]) == 1
    assert "error" in capsys.readouterr().out
