"""The limits of the competition, how a budget is written, and how seeds derive."""

from __future__ import annotations

import pytest

from vgdl.competition.agents.service import Clock
from vgdl.competition.seeds import derive
from vgdl.competition.tracks.planning.rules import Limits, Rules, Verdict, with_budget


@pytest.mark.parametrize(
    ("used", "verdict"),
    [
        (0.0, Verdict.IN_TIME),
        (40.0, Verdict.IN_TIME),
        (40.000001, Verdict.LATE),
        (50.0, Verdict.LATE),
        (50.000001, Verdict.DISQUALIFIED),
    ],
)
def test_answers_are_judged_by_the_limits_of_the_2014_competition(used: float, verdict: Verdict) -> None:
    assert Rules().limits.judge(used) is verdict


def test_a_time_scales_the_limit_that_disqualifies() -> None:
    rules = with_budget(Rules(), "100ms")
    assert rules.limits == Limits(construction=1000, action=100, disqualification=125, result=100)
    assert with_budget(Rules(), "0.1s") == rules
    assert with_budget(Rules(clock=Clock.WALL), "40ms") == Rules(clock=Clock.WALL)


def test_a_short_time_keeps_the_margin_of_2014() -> None:
    assert with_budget(Rules(), "10ms").limits == Limits(construction=1000, action=10, disqualification=20, result=100)
    assert with_budget(Rules(), "40ms") == Rules()


def test_calls_scale_all_limits() -> None:
    rules = with_budget(Rules(), "calls:900")
    assert (rules.clock, rules.unit) == (Clock.CALLS, "calls")
    assert rules.limits == Limits(construction=22500, action=900, disqualification=1125, result=2250)


@pytest.mark.parametrize("text", ["", "40", "ms", "-40ms", "0ms", "calls", "calls:", "calls:0", "calls:1.5", "40ms 1s"])
def test_an_invalid_budget_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match=r"40ms.*calls:900"):
        with_budget(Rules(), text)


def test_a_contradictory_protocol_is_refused() -> None:
    with pytest.raises(ValueError, match="calls"):
        Rules(clock=Clock.CALLS)
    with pytest.raises(ValueError, match="disqualifies"):
        Rules(action_ms=60)


def test_the_wait_for_an_answer_is_ten_times_its_limit() -> None:
    assert Rules().patience_s(1000) == pytest.approx(10)
    assert Rules().patience_s(40) == 1  # but at least a second


def test_seeds_differ_by_secret_purpose_and_place_and_nothing_else() -> None:
    seeds = {derive(secret, purpose, *place) for secret in (1, 2) for purpose in "ab" for place in (("g", 0), ("g", 1))}
    assert len(seeds) == 8
    assert derive(1, "a", "g", 0) == derive(1, "a", "g", 0)


def test_labels_do_not_run_together() -> None:
    assert derive(1, "game", "ab", "c") != derive(1, "game", "a", "bc")


def test_seeds_fit_the_generator_of_the_reference() -> None:
    assert all(0 <= derive(7, "x", n) < 2**31 for n in range(1000))
