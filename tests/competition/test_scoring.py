"""The ranking rules, by examples worked by hand."""

from __future__ import annotations

from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult
from vgdl.competition.tracks.planning.scoring import GameStanding, comparable, points_for, rank_all, rank_game


def plays(controller: str, *results: tuple[bool, float, int], game: str = "game") -> list[PlayResult]:
    """Plays of a controller on levels 0, 1 ...: whether it won, its score, and the ticks."""
    return [
        PlayResult(
            game, level, 0, 1, "", ticks, (PlayerResult(controller, Outcome.WON if won else Outcome.LOST, score),)
        )
        for level, (won, score, ticks) in enumerate(results)
    ]


def places(standings: list[GameStanding]) -> list[tuple[str, int, int]]:
    return [(row.controller, row.place, row.points) for row in standings]


def standing(controller: str, place: int) -> GameStanding:
    return GameStanding(controller, 1, 0, 0.0, 0, place, points_for(place))


def test_victories_come_before_any_score() -> None:
    game = plays("winner", (True, 1, 500), (False, 0, 500)) + plays("scorer", (False, 900, 10), (False, 900, 10))
    assert places(rank_game(game)) == [("winner", 1, 25), ("scorer", 2, 18)]


def test_score_decides_among_equal_victories_and_time_among_equal_scores() -> None:
    game = (
        plays("slow", (True, 5, 300), (False, 2, 100))
        + plays("rich", (True, 9, 400), (False, 0, 400))
        + plays("fast", (True, 3, 100), (False, 4, 100))
    )
    assert places(rank_game(game)) == [("rich", 1, 25), ("fast", 2, 18), ("slow", 3, 15)]


def test_equals_share_a_place_and_the_next_ones_are_skipped() -> None:
    game = (
        plays("a", (True, 1, 10))
        + plays("b", (False, 1, 10))
        + plays("c", (False, 1, 10))
        + plays("d", (False, 1, 10))
        + plays("e", (False, 0, 10))
    )
    assert places(rank_game(game)) == [("a", 1, 25), ("b", 2, 18), ("c", 2, 18), ("d", 2, 18), ("e", 5, 10)]


def test_places_beyond_the_tenth_earn_nothing() -> None:
    game = [play for n in range(12) for play in plays(f"c{n:02}", (False, -n, 10))]
    points = [row.points for row in rank_game(game)]
    assert points == [25, 18, 15, 12, 10, 8, 6, 4, 2, 1, 0, 0]


def test_a_disqualified_play_weighs_by_its_score() -> None:
    game = plays("careful", (False, 0, 2000), (False, 0, 2000)) + plays("late", (False, -1000, 3), (False, 50, 9))
    assert places(rank_game(game)) == [("careful", 1, 25), ("late", 2, 18)]


def failures(controller: str, ticks: int) -> list[PlayResult]:
    """A play in which a controller was disqualified after some ticks."""
    return [PlayResult("game", 0, 0, 1, "", ticks, (PlayerResult(controller, Outcome.DISQUALIFIED, -1000),))]


def test_a_controller_without_a_result_is_never_first_and_earns_nothing_whenever_it_failed() -> None:
    early, later = failures("early", 3), failures("later", 90)
    assert places(rank_game(early + later)) == [("early", 2, 0), ("later", 2, 0)]
    assert places(rank_game(early + later + plays("plays", (False, -2000, 9)))) == [
        ("plays", 1, 25),
        ("early", 2, 0),
        ("later", 2, 0),
    ]
    assert rank_all({"game": rank_game(early + later)})[0].places == (0, 1), "no first place"


def test_an_organiser_may_rank_failures_like_other_plays() -> None:
    both = failures("early", 3) + failures("later", 90)
    assert places(rank_game(both, failures_rank=True)) == [("early", 1, 25), ("later", 2, 18)]


def test_an_unfinished_game_is_ranked_by_means() -> None:
    game = plays("once", (False, 5, 10)) + plays("twice", (False, 4, 10), (False, 4, 10))
    assert places(rank_game(game)) == [("once", 1, 25), ("twice", 2, 18)]


def test_the_sums_of_a_game_are_kept() -> None:
    (row,) = rank_game(plays("a", (True, 1.5, 10), (False, 2, 21)))
    assert (row.victories, row.plays, row.score, row.ticks) == (1, 2, 3.5, 31)
    assert (row.mean_score, row.mean_ticks) == (1.75, 15.5)


def test_the_overall_ranking_goes_by_points() -> None:
    ranking = rank_all(
        {
            "g1": [standing("a", 1), standing("b", 2), standing("c", 3)],
            "g2": [standing("b", 1), standing("c", 2), standing("a", 3)],
        }
    )
    assert [(row.controller, row.points) for row in ranking] == [("b", 43), ("a", 40), ("c", 33)]
    assert ranking[0].points_by_game == {"g1": 18, "g2": 25}


def test_equal_points_are_decided_by_first_places() -> None:
    """18 + 12 = 15 + 15 = 30, without a first place; then 25 + 1 + 4 = 30 as well."""
    ranking = rank_all(
        {
            "g1": [standing("seconds", 2), standing("thirds", 3), standing("firsts", 1)],
            "g2": [standing("seconds", 4), standing("thirds", 3), standing("firsts", 10)],
            "g3": [standing("firsts", 8), standing("seconds", 11), standing("thirds", 11)],
        }
    )
    assert [(row.controller, row.place, row.points) for row in ranking] == [
        ("firsts", 1, 30),
        ("seconds", 2, 30),
        ("thirds", 3, 30),
    ]


def test_the_same_places_share_the_overall_place() -> None:
    ranking = rank_all(
        {
            "g1": [standing("a", 1), standing("b", 2), standing("c", 3)],
            "g2": [standing("b", 1), standing("a", 2), standing("c", 3)],
        }
    )
    assert [(row.controller, row.place) for row in ranking] == [("a", 1), ("b", 1), ("c", 3)]
    assert ranking[0].places == (1, 1, 0)


def test_an_empty_store_has_no_ranking() -> None:
    assert rank_all({}) == []


def test_only_plays_done_by_all_are_compared() -> None:
    """Neither the controller with the most plays nor one with a single lucky play has an advantage."""
    lucky = plays("lucky", (True, 9, 10))
    steady = plays("steady", (True, 5, 10), (True, 5, 10), (True, 5, 10))
    assert comparable(lucky + steady, 2) == [lucky[0], steady[0]]
    assert comparable(lucky + steady, 3) == []
    assert comparable(lucky + steady + plays("late", (False, 0, 9)), 3)[1:] == [
        steady[0],
        *plays("late", (False, 0, 9)),
    ]
