"""The clock is read from outside: whatever a controller does to hide its thinking, it is charged."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

import contests
from contests import plan, player, working_levels
from vgdl.competition.agents import cpu_clock
from vgdl.competition.agents.isolation import Level
from vgdl.competition.agents.service import Clock
from vgdl.competition.contest.rules import Overtime
from vgdl.competition.results.records import Outcome

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"


@pytest.mark.parametrize(
    "name",
    [
        "BurnsInAChild",
        "BurnsInAChildItWaitsFor",
        "BurnsInAThread",
        "BurnsInFinalizers",
        pytest.param("PatchesTime", marks=pytest.mark.limits),
        "TakesSixtyMilliseconds",
    ],
)
def test_thinking_cannot_be_hidden(name: str) -> None:
    loser = player(name)
    assert (loser.outcome, loser.cause) == (Outcome.DISQUALIFIED, Overtime.ACTION), loser.details


@pytest.mark.parametrize(
    "name",
    ["BurnsInAChildItWaitsFor", "BurnsInAThread", pytest.param("PatchesTime", marks=pytest.mark.limits)],
)
def test_without_counters_the_processes_are_added_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_clock, "PERF_EVENT_OPEN", {})
    assert player(name).cause == Overtime.ACTION


def test_late_answers_are_replaced_and_counted() -> None:
    """The answer would lose at once; replaced by NIL it only waits for the end."""
    late = player("TakesFortyFiveMilliseconds")
    assert late.late_answers > 0
    assert 40 < late.action_used_mean < 60


@pytest.mark.parametrize("level", working_levels())
def test_the_timer_of_a_controller_tells_what_it_is_charged(level: Level) -> None:
    """Both count CPU time; with a clock that goes in steps, they would be milliseconds apart."""
    record = contests.play(plan("TakesFortyFiveMilliseconds", budget="80ms"), level)
    assert record.used[0]
    assert 42 < statistics.median(record.used[0]) < 43


def test_sleeping_costs_no_cpu_time_but_is_seen_by_a_clock_on_the_wall() -> None:
    asleep = plan("Naps", budget="40ms")
    assert asleep.rules.clock is Clock.CPU
    assert player("Naps").outcome is Outcome.WON
    assert player("Naps", clock="wall").cause == Overtime.ACTION


def test_a_budget_of_calls_does_not_disqualify_for_time() -> None:
    winner = player("TakesSixtyMilliseconds", budget="calls:900")
    assert (winner.outcome, winner.action_used_max) == (Outcome.WON, 0)


@pytest.fixture
def burner() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits for a line, lets a child use 0.1 s, says so, and stays."""
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN.format(seconds=0.1)!r}])"
    code = f"input(); {child}; print(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as process:  # type: ignore[call-overload]
        yield process
        process.kill()


@pytest.mark.parametrize("kind", [cpu_clock.PerfClock, cpu_clock.ProcClock])
def test_both_sources_count_a_child_that_has_ended(
    kind: type[cpu_clock.PerfClock] | type[cpu_clock.ProcClock], burner: subprocess.Popen[bytes]
) -> None:
    try:
        clock = kind(burner.pid)
    except OSError:
        pytest.skip("this system has no counters for us")
    before = clock.read_ns()
    assert burner.stdin
    assert burner.stdout
    burner.stdin.write(b"\n")
    burner.stdin.flush()
    burner.stdout.readline()
    assert clock.read_ns() - before > 95_000_000
    clock.close()


def test_a_tree_is_found_over_generations() -> None:
    code = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], start_new_session=True) as parent:
        deadline = time.monotonic() + 20
        while len(list(cpu_clock.tree(parent.pid))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(list(cpu_clock.tree(parent.pid))) == 2
        os.killpg(parent.pid, signal.SIGKILL)
