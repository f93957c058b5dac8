"""Two-player games: a round robin with both player numbers, and a rating beside the points."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

import contests
import vgdl.games
from vgdl.competition import cli
from vgdl.competition.tracks.planning.plan import Boards, PlanError, fixtures
from vgdl.competition.tracks.planning.rating import RatingUnavailable, rate
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult
from vgdl.competition.tracks.planning.scoring import rank


@pytest.fixture
def duel(tmp_path: Path) -> str:
    """A folder with a game in which both run to the right; if either arrives, player 0 wins."""
    return contests.duel(tmp_path)


def meeting(*players: tuple[str, Outcome, float]) -> PlayResult:
    results = tuple(PlayerResult(name, outcome, score) for name, outcome, score in players)
    return PlayResult("duel", 0, 0, 1, "", 10, results)


def test_every_pair_meets_with_both_player_numbers() -> None:
    planned = contests.plan("random", "onesteplookahead", "olets", games="two_player", levels=(0, 3), repeats=2)
    planned_fixtures = fixtures(planned, Boards(planned))
    meetings = Counter((fixture.names, *fixture.place) for fixture in planned_fixtures)
    games = len(vgdl.games.names("two_player"))
    assert len(planned_fixtures) == 3 * 2 * games * 2 * 2  # ordered pairs, games, levels, repeats
    assert set(meetings.values()) == {1}
    seats = Counter(name for fixture in planned_fixtures for name in fixture.names[:1])
    assert set(seats.values()) == {2 * games * 2 * 2}  # against two others


def test_one_controller_cannot_play_a_game_for_two(capsys: pytest.CaptureFixture[str]) -> None:
    planned = contests.plan("random", games="two_player", levels=(0,))
    with pytest.raises(PlanError, match="name at least 2 controllers"):
        fixtures(planned, Boards(planned))
    with pytest.raises(SystemExit):
        cli.main(["--set", "two_player", "--controllers", "random", "--quiet"])
    assert "name at least 2 controllers" in " ".join(capsys.readouterr().err.split())


def test_a_disqualified_player_loses_and_the_other_has_won(duel: str) -> None:
    """So that a player that is about to lose cannot deny the other's victory by crashing."""
    planned = contests.plan("RaisesInAct", "RunsToTheRight", games=duel, levels=(0,))
    competition = contests.Competition(planned, contests.sandbox_for(planned, "rlimits"))
    for number in range(2):
        result = competition.play(number).result
        by_name = {player.controller: player for player in result.players}
        assert (by_name["RaisesInAct"].outcome, by_name["RaisesInAct"].score) == (Outcome.DISQUALIFIED, -1000)
        assert (by_name["RunsToTheRight"].outcome, by_name["RunsToTheRight"].score) == (Outcome.WON, 1)


def test_a_player_disqualified_after_the_game_does_not_change_the_result_of_the_other(duel: str) -> None:
    planned = contests.plan("RaisesInResult", "ReturnsNothing", games=duel, levels=(0,))
    competition = contests.Competition(planned, contests.sandbox_for(planned, "rlimits"))
    outcomes = [player.outcome for player in competition.play(0).result.players]
    assert outcomes == [Outcome.DISQUALIFIED, Outcome.LOST]


def test_two_disqualified_players_have_both_lost(duel: str) -> None:
    planned = contests.plan("RaisesInAct", "ExitsHard", games=duel, levels=(0,))
    competition = contests.Competition(planned, contests.sandbox_for(planned, "rlimits"))
    assert {player.outcome for player in competition.play(0).result.players} == {Outcome.DISQUALIFIED}


def test_players_know_their_numbers(duel: str) -> None:
    """Each runs through its own corridor; the game lets the first one win."""
    planned = contests.plan("RunsToTheRight", "ReturnsNothing", games=duel, levels=(0,))
    competition = contests.Competition(planned, contests.sandbox_for(planned, "rlimits"))
    scores = [[player.score for player in competition.play(number).result.players] for number in range(2)]
    assert scores == [[1, 0], [1, 1]]  # a winner has at least one point


def test_the_ranking_counts_both_player_numbers() -> None:
    plays = [
        meeting(("a", Outcome.WON, 3), ("b", Outcome.LOST, 1)),
        meeting(("b", Outcome.LOST, 0), ("a", Outcome.WON, 2)),
    ]
    (first, second) = rank(plays).games["duel"]
    assert (first.controller, first.victories, first.plays, first.score, first.points) == ("a", 2, 2, 5, 25)
    assert (second.controller, second.victories, second.points) == ("b", 0, 18)


def test_more_wins_give_a_higher_rating() -> None:
    pytest.importorskip("openskill")
    plays = [
        meeting(("a", Outcome.WON, 1), ("b", Outcome.LOST, 0)),
        meeting(("b", Outcome.LOST, 5), ("c", Outcome.WON, 1)),
    ]
    plays += [meeting(("a", Outcome.WON, 1), ("c", Outcome.DISQUALIFIED, -1000))]
    ratings = rate(plays * 3)
    assert [rating.controller for rating in ratings] == ["a", "c", "b"]
    assert [rating.plays for rating in ratings] == [6, 6, 6]
    assert ratings[0].safe == pytest.approx(ratings[0].mean - 3 * ratings[0].deviation)


def test_equal_results_give_equal_ratings() -> None:
    """Players who both win have drawn, and so have players who both lose with equal scores."""
    pytest.importorskip("openskill")
    both = [
        meeting(("a", Outcome.WON, 4), ("b", Outcome.WON, 4)),
        meeting(("b", Outcome.LOST, 0), ("a", Outcome.LOST, 0)),
    ]
    a, b = rate(both)
    assert a.mean == pytest.approx(b.mean)


@pytest.mark.costly
def test_without_openskill_the_extra_is_named(
    duel: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(RatingUnavailable, match=r"vgdl\[rating\]"):
        rate([])
    arguments = ["--set-dir", duel, "--controllers", "random,onesteplookahead", "--budget", "calls:9", "--quiet"]
    assert cli.main(arguments) == 0
    assert 'pip install "vgdl[rating]"' in " ".join(capsys.readouterr().out.split())
