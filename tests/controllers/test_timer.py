"""The timer tells how much of a budget of time or of calls is left, and searches stop in time by it."""

from __future__ import annotations

import math

import pytest

from vgdl.controllers import Timer
from vgdl.controllers.search.budget import Budget, iterations

MS = 1_000_000


class FakeClock:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.now_ns = 123 * MS

    def __call__(self) -> int:
        return self.now_ns

    def pass_ms(self, ms: float) -> None:
        self.now_ns += round(ms * MS)


class FakeMeter:
    """A meter that has counted before."""

    used = 50


def test_a_budget_of_time_runs_from_the_moment_the_timer_is_made() -> None:
    clock = FakeClock()
    timer = Timer(40, clock=clock)
    assert timer.remaining_ms == 40
    clock.pass_ms(39.5)
    assert (timer.elapsed_ms, timer.remaining_ms, timer.exceeded) == (39.5, 0.5, False)
    assert timer.calls_left == math.inf


def test_using_exactly_the_budget_does_not_exceed_it() -> None:
    clock = FakeClock()
    timer = Timer(40, clock=clock)
    clock.pass_ms(40)
    assert not timer.exceeded
    clock.pass_ms(0.001)
    assert timer.exceeded
    assert timer.remaining_ms < 0


def test_a_budget_of_calls_counts_from_what_the_meter_showed() -> None:
    meter = FakeMeter()
    timer = Timer(budget_calls=10, meter=meter)
    meter.used += 10
    assert (timer.calls_used, timer.calls_left, timer.exceeded) == (10, 0, False)
    meter.used += 1
    assert timer.exceeded
    assert timer.remaining_ms == math.inf


def test_a_budget_of_calls_needs_a_meter() -> None:
    with pytest.raises(ValueError, match="meter"):
        Timer(budget_calls=10)


def test_a_search_stops_before_an_iteration_that_might_not_fit() -> None:
    clock = FakeClock()
    timer = Timer(40, clock=clock)
    for _ in iterations(timer, calls=10, margin_ms=2):
        clock.pass_ms(3)
    assert timer.elapsed_ms == 33  # 5 ms are left besides the margin, fewer than twice the average


def test_a_search_expects_its_longest_iteration_again() -> None:
    clock = FakeClock()
    timer = Timer(40, clock=clock)
    for number in iterations(timer, calls=10, margin_ms=0):
        clock.pass_ms(15 if number == 3 else 1)
    assert 24 <= timer.elapsed_ms <= 25


def test_a_search_never_makes_more_calls_than_allowed() -> None:
    meter = FakeMeter()
    timer = Timer(budget_calls=25, meter=meter)
    for _ in iterations(timer, calls=10):
        meter.used += 10
    assert timer.calls_left == 5


def test_a_search_over_ended_states_ends_although_it_makes_no_calls() -> None:
    assert sum(1 for _ in iterations(Timer(budget_calls=25, meter=FakeMeter()), calls=10)) == 25


def test_a_search_that_starts_too_late_does_nothing() -> None:
    clock = FakeClock()
    timer = Timer(40, clock=clock)
    clock.pass_ms(41)
    assert list(iterations(timer, calls=1)) == []


def test_short_iterations_are_no_sign_that_the_next_ones_will_be_short() -> None:
    """An iteration of up to 100 calls can take 100 times as long as one that loses the game at once."""
    clock = FakeClock()
    timer = Timer(40, clock=clock)
    budget = Budget(timer, 100, margin_ms=1.0, call_ms=0.005)
    while budget.another():
        clock.pass_ms(0.005 if budget.count < 2000 else 0.5)
    assert budget.count > 2000
    assert 38.0 < timer.elapsed_ms <= 39.5
