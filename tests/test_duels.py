"""The measure of strength in games for two: points, joint games, plays that go on, and what two files differ in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from scripts import script
from vgdl import games

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "duels.py"


@pytest.fixture(scope="module")
def duels() -> ModuleType:
    return script(FILE)


@pytest.mark.parametrize(
    ("outcome", "of_other", "joint", "points"),
    [
        ("won", "lost", False, 1.0),
        ("won", "won", True, 1.0),
        ("lost", "won", False, 0.0),
        ("lost", "lost", False, 0.5),
        ("lost", "lost", True, 0.0),
        ("no winner", "no winner", False, 0.5),
        ("disqualified", "lost", False, 0.0),
    ],
)
def test_a_play_without_a_winner_is_worth_half_a_point_unless_both_can_only_win_together(
    duels: ModuleType, outcome: str, of_other: str, joint: bool, points: float
) -> None:
    assert duels.points(outcome, of_other, joint=joint) == points


def test_of_the_bundled_games_for_two_only_tandem_is_joint(duels: ModuleType) -> None:
    assert [name for name in games.names("two_player") if duels.is_joint(games.path(name))] == ["tandem"]


def test_a_cut_off_measurement_goes_on_and_ends_with_the_same_rows(duels: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "duels.csv"
    words = ["play", str(path), "--games", "surround2", "--levels", "0", "--budget", "calls:10", "--seed", "1"]
    words += ["--controller", "onesteplookahead", "--opponent", "random"]
    assert duels.main(words) == 0
    whole = path.read_text()
    rows = duels.read(path)
    assert [duel.seat for duel in rows] == [0, 1]
    path.write_text("".join(whole.splitlines(keepends=True)[:2]))
    assert duels.main(words) == 0
    assert path.read_text() == whole


def test_a_difference_counts_plays_that_both_files_have(duels: ModuleType) -> None:
    lost = duels.Duel("A", "B", 0, 10, "pong", False, 0, 0, 1, "lost", "won", 100, 0.0, 1.0)
    won = replace(lost, outcome="won", opponent_outcome="lost")
    found = duels.compare([lost, replace(lost, level=1)], [won, replace(won, level=2)])
    assert "of 1 plays, 1 better and 0 worse (sign test: p = 1)" in found


def test_the_sign_test_is_two_sided(duels: ModuleType) -> None:
    assert duels.sign_test(5, 0) == duels.sign_test(0, 5) == 2 / 32
    assert duels.sign_test(0, 0) == 1.0


def test_an_interval_of_equal_values_is_their_value(duels: ModuleType) -> None:
    assert duels.bootstrap([0.5] * 4) == (0.5, 0.5, 0.5)
    mean, low, high = duels.bootstrap([0.0, 1.0] * 20)
    assert low < mean == 0.5 < high


def test_a_table_of_changes_compares_on_the_plays_that_both_have(duels: ModuleType) -> None:
    won = duels.Duel("Champion", "B", 0, 10, "pong", False, 0, 0, 1, "won", "lost", 100, 1.0, 0.0)
    lost = replace(won, outcome="lost", opponent_outcome="won")
    rows = duels.changes_table([won, replace(won, level=1)], {"worse": [lost]}).splitlines()
    assert rows[2] == "| worse | 1 | 0 % | 0, 1 | -100.0 (-100.0 to -100.0) | 1 |"
