"""Levels that can be won, levels that cannot, and what the judges say about games."""

from __future__ import annotations

import dataclasses

import pytest

import vgdl
from judging.small import CLOSED, COINS, OPEN, SURVIVAL, game
from vgdl.judging import Effort, Verdict, describe, judge_game, judge_level
from vgdl.judging.coverage import Counters
from vgdl.judging.exploring import explore
from vgdl.judging.plays import Played, outcome_of, play
from vgdl.judging.profile import Profile, distance_to, logistic, profile, summed, tau_b
from vgdl.judging.proof import Claim, verify

QUICK = Effort(2, 100, 120)


def test_a_win_is_replayed_by_another_process() -> None:
    board = game().board(OPEN)
    judged = judge_level(board, describe(game()), QUICK, 1)
    assert judged.verdict is Verdict.WINNABLE
    assert judged.is_verified
    assert judged.win is not None
    state = board.start(judged.win.seed)
    state.rollout(judged.win.actions)
    assert outcome_of(state) == "won"


def test_a_level_whose_states_are_all_known_is_impossible() -> None:
    judged = judge_level(game().board(CLOSED), describe(game()), QUICK, 1)
    assert judged.verdict is Verdict.IMPOSSIBLE
    assert judged.unreachable["coin"] == 1
    assert any("coin" in warning for warning in judged.warnings)


def test_the_shortest_win_is_found_in_certain_games() -> None:
    found = explore(game().start(OPEN, seed=1), describe(game()))
    assert found.exhausted
    assert found.plan is not None
    assert len(found.plan) == 6


def test_nothing_is_concluded_about_games_with_a_clock() -> None:
    found = explore(game(SURVIVAL).start(CLOSED, seed=1), describe(game(SURVIVAL)))
    assert not found.exhausted
    assert "surviving" in found.reason


def test_a_level_that_is_won_by_doing_nothing_is_reported() -> None:
    judged = judge_level(game(SURVIVAL).board(OPEN), describe(game(SURVIVAL)), QUICK, 1)
    assert "doing nothing wins 2 of 2 plays" in judged.warnings


def test_a_claim_that_does_not_win_is_not_believed() -> None:
    board = game().board(OPEN)
    idle = Played("champion", 1, "won", 1.0, 3, ((0,), (0,), (0,)))
    (outcome,) = verify([Claim.of(board, idle)])
    assert outcome.outcome == "cut off"
    assert not outcome.agrees(idle)


def test_rules_and_types_that_are_never_used_are_named() -> None:
    text = COINS.replace("        hero thorn", "        unused hero > killSprite\n        hero thorn")
    judged = judge_game(game(text), [game(text).board(OPEN)], QUICK, 1)
    assert "unused hero > killSprite" in dict(judged.idle_rules).values()
    assert "coin hero > killSprite scoreChange=1" not in dict(judged.idle_rules).values()
    assert "unused" in judged.absent


def test_a_rule_that_does_nothing_has_not_fired() -> None:
    """Without its resource, a door stays shut: its rule runs, but does nothing."""
    text = COINS.replace("coin hero > killSprite", "coin hero > killIfOtherHasMore resource=unused limit=1")
    text = text.replace("unused > Immovable", "unused > Resource limit=5")
    board = game(text).board(OPEN)
    walk = explore(game().start(OPEN, seed=1), describe(game())).plan
    assert walk is not None
    played = Played("search", 1, "cut off", 0.0, len(walk), tuple((action,) for action in walk))
    line = next(number for number, row in enumerate(text.split("\n"), 1) if "killIfOtherHasMore" in row)
    assert Counters(game(text)).coverage(board, [played]).fired[line] == 0


@pytest.mark.parametrize("name", [n for n in vgdl.games.names() if vgdl.games.facts(n).set != "two_player"])
@pytest.mark.sampled(6)
def test_counting_rules_does_not_change_a_play(name: str) -> None:
    board = vgdl.load(name).board(0)
    plays = [play(board, "random", seed, Effort(1, 1, 200)) for seed in range(2)]
    found = Counters(board.game).coverage(board, plays)
    assert found.reason == ""
    assert any(found.fired.values())


def test_one_seed_gives_one_profile() -> None:
    board = game().board(OPEN)
    assert profile(board, QUICK, 3) == profile(board, QUICK, 3)


def test_depth_is_the_order_of_the_judges_times_the_gap() -> None:
    wins = {"donothing": 0, "random": 0, "onesteplookahead": 1, "samplemcts": 2, "olets": 3, "champion": 4}
    assert _profile(wins).depth == pytest.approx(tau_b([(0, 0), (0, 0), (0.25, 0), (0.5, 0), (0.75, 0), (1, 0)]))
    assert _profile(dict.fromkeys(wins, 4)).depth == 0
    assert _profile(dict(zip(wins, reversed(wins.values()), strict=True))).depth == 0


def _profile(wins: dict[str, int]) -> Profile:
    plays = {
        judge: [Played(judge, k, "won" if k < number else "lost", 0.0, 10, ()) for k in range(4)]
        for judge, number in wins.items()
    }
    rows = tuple(summed(judge, own) for judge, own in plays.items())
    return Profile(rows, tuple(one for own in plays.values() for one in own))


def test_tau_b_agrees_with_its_definition() -> None:
    assert tau_b([(1, 0), (2, 0), (3, 0)]) == 1
    assert tau_b([(3, 0), (2, 0), (1, 0)]) == -1
    assert tau_b([(1, 0), (1, 0)]) == 0
    assert tau_b([(1, 0), (1, 1), (2, 0)]) == 1  # equal win rates: the score decides
    assert tau_b([(1, 0), (1, 0), (2, 0)]) == pytest.approx(2 / 6**0.5)


def test_reference_values() -> None:
    assert logistic(0) == 0
    assert logistic(1) == pytest.approx(0.905, abs=1e-3)
    assert distance_to("medium", 0.5) == 0
    assert distance_to("medium", 0.2) == pytest.approx(0.2)


def test_a_judge_that_does_not_exist_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="nosuch"):
        play(game().board(OPEN), "nosuch", 1, QUICK)


def test_profiles_of_two_bundled_levels_are_stable() -> None:
    recorded = {"sokoban": (0, 0, 0, 2), "frogs": (0, 0, 2, 2)}
    judges = ("donothing", "random", "onesteplookahead", "champion")
    for name, wins in recorded.items():
        found = profile(vgdl.load(name).board(0), dataclasses.replace(QUICK, calls=300), 7, judges)
        assert tuple(row.wins for row in found.judges) == wins
