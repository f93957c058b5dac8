"""The clock is read from outside, so a controller cannot hide its thinking."""

from __future__ import annotations

import contextlib
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import contests
from contests import plan, player, working_levels
from vgdl.competition import cli
from vgdl.competition.agents import control_group, core_ticks, cpu_clock, patience, process_tree, wire
from vgdl.competition.agents.failure import Cause, MachineBusy
from vgdl.competition.agents.freezer import Freezer, state, threads, tree
from vgdl.competition.agents.isolation import Level, Sandbox
from vgdl.competition.agents.patience import Stopwatch
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.service import Clock, Reply
from vgdl.competition.tracks.planning.controller_adapter import service
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult
from vgdl.competition.tracks.planning.rules import Overtime

pytestmark = [
    pytest.mark.one_case,
    pytest.mark.xdist_group("clock"),
]  # measures CPU time and pins processes to cores: in one worker

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"


@pytest.mark.usefixtures("nothing_stolen")
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


@pytest.mark.usefixtures("nothing_stolen")
@pytest.mark.parametrize(
    "name",
    ["BurnsInAChildItWaitsFor", "BurnsInAThread", pytest.param("PatchesTime", marks=pytest.mark.limits)],
)
def test_without_counters_the_processes_are_added_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_clock, "PERF_EVENT_OPEN", {})
    monkeypatch.setattr(control_group, "create", lambda: None)
    assert player(name).cause == Overtime.ACTION


@pytest.mark.costly
@pytest.mark.usefixtures("nothing_stolen")
def test_late_answers_are_replaced_and_counted() -> None:
    """The answer would lose at once; NIL in its place only waits."""
    late = player("TakesFortyFiveMilliseconds")
    assert late.late_answers > 0
    assert 40 < late.action_used_mean < 60


@pytest.mark.usefixtures("nothing_stolen")
@pytest.mark.parametrize("level", working_levels())
def test_the_timer_of_a_controller_shows_what_it_is_charged(level: Level) -> None:
    """Both count CPU time; with a clock that goes in steps, they would be milliseconds apart."""
    record = contests.play(plan("TakesFortyFiveMilliseconds", budget="80ms"), level)
    assert record.used[0]
    assert 42 < statistics.median(record.used[0]) < 43


@pytest.mark.costly
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


@pytest.mark.parametrize("source", list(cpu_clock.Source)[:3])
def test_every_source_counts_a_child_that_has_ended(
    source: cpu_clock.Source, burner: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    group = None
    if source is cpu_clock.Source.CGROUP:
        group = control_group.create()
        if group is None:
            pytest.skip("this system lets us make no control group")
        os.write(group.entrance, str(burner.pid).encode())
    if source is cpu_clock.Source.PROCFS:
        monkeypatch.setattr(cpu_clock, "PERF_EVENT_OPEN", {})
    clock = cpu_clock.TreeClock(burner.pid, Freezer(burner.pid, group))
    if clock.source is not source:
        pytest.skip("this system has no counters for us")
    assert burner.stdin
    assert burner.stdout
    before = clock.read_ns()
    burner.stdin.write(b"\n")
    burner.stdin.flush()
    burner.stdout.readline()
    least = 95_000_000 - (cpu_clock.WAITED_SLACK_NS if source is cpu_clock.Source.PROCFS else 0)
    assert clock.read_ns() - before > least
    clock.close()
    if group:
        group.close()


def test_a_clock_whose_process_is_gone_raises(burner: subprocess.Popen[bytes]) -> None:
    """It does not stand still, which would look like an idle controller."""
    clock = cpu_clock.TreeClock(burner.pid, Freezer(burner.pid))
    burner.kill()
    burner.wait()
    with pytest.raises(cpu_clock.ClockError):
        clock.read_ns()
    clock.close()


@pytest.fixture(params=["control group", "signals"])
def freezer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways to freeze a controller between calls."""
    if request.param == "signals":
        monkeypatch.setattr(control_group, "create", lambda: None)
    elif (group := control_group.create()) is None:
        pytest.skip("this system lets us make no control group")
    else:
        group.close()
    return str(request.param)


@pytest.mark.parametrize("level", working_levels())
def test_a_program_that_can_be_executed_but_not_read_cannot_be_made(level: Level) -> None:
    """Some clocks would not count its time."""
    assert "every way was refused" in player("RunsWhatCannotBeRead", level=level).details


@pytest.mark.parametrize("level", working_levels())
def test_no_program_is_executed_from_the_scratch_folder(level: Level) -> None:
    result = player("RunsItsOwnProgram", level=level, budget="2s")
    assert ("PermissionError" in result.details) is not level.is_weak


@pytest.mark.parametrize("level", working_levels())
def test_a_child_cannot_replace_its_parent(level: Level, freezer: str) -> None:
    loser = player("LivesOnInItsChild", level=level)
    assert loser.outcome is Outcome.DISQUALIFIED
    assert contests.becomes_true(lambda: not contests.processes_called(contests.LINGERER))


WITHOUT_MAIN_THREAD = """
import ctypes, os, sys, threading
if not os.fork():
    ended = 93 if os.uname().machine in ("aarch64", "riscv64") else 60
    def spin():
        while open("/proc/self/stat").read().rpartition(")")[2].split()[0] != "Z":
            pass
        print(flush=True)
        while True:
            pass
    threading.Thread(target=spin).start()
    ctypes.CDLL(None).syscall(ended, 0)
input()
"""


def test_a_process_without_its_main_thread_is_stopped_counted_and_killed() -> None:
    """The system shows it as one that has ended and has no memory."""
    command = [sys.executable, "-c", WITHOUT_MAIN_THREAD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        freezer = Freezer(process.pid)
        (pid,) = freezer.running()
        freezer.freeze()
        assert sorted(state(pid, thread) for thread in threads(pid)) == [b"T", b"Z"]
        assert process_tree._resident_bytes(pid) > 1 << 20
        assert freezer.kill_all_but(frozenset(), 60) == 0
        process.communicate(b"\n")


def test_a_process_that_ends_before_its_clock_is_read_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rather than that its time could not be measured: without a control group, its clock ends with it."""
    file = tmp_path / "leaver.py"
    file.write_text(
        "import os\nfrom vgdl.controllers import Controller\nos._exit(3)\n"
        "class Leaver(Controller):\n    def act(self, state, timer): ...\n"
    )
    looks = iter(range(1_000_000))

    def late(watch: Stopwatch) -> int:
        if next(looks) == 0:  # while the request is sent
            return 0
        while watch._processes.running():
            time.sleep(0.01)
        raise cpu_clock.ClockError("it is gone")

    monkeypatch.setattr(Stopwatch, "look", late)
    monkeypatch.setattr(wire, "WATCH_S", 0.0)
    (loser,) = contests.play(plan(f"{file}:Leaver")).result.players
    assert (loser.cause, loser.details) == (Cause.EXITED, "exit status 3")


def test_a_runner_that_is_held_up_measures_the_right_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hello arrives long before it is read, and still identifies its sender."""
    start = Sandbox.start

    def held_up(*arguments: Any, **named: Any) -> subprocess.Popen[bytes]:
        process = start(*arguments, **named)
        time.sleep(2)
        return process

    monkeypatch.setattr(Sandbox, "start", held_up)
    monkeypatch.setattr(control_group, "create", lambda: None)
    assert player("BurnsInAChild").cause == Overtime.ACTION


def meet(
    folder: Path, *names: str, clock: str = "cpu", budget: str = "40ms", level: str = "auto"
) -> list[PlayerResult]:
    """The results of two controllers that play each other."""
    planned = plan(*names, games=contests.duel(folder), levels=(0,), clock=clock, budget=budget)
    return list(contests.play(planned, level).result.players)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name", ["Ponders", "PondersInAChild", "PondersInAnotherSession", "PondersWithoutItsMainThread"]
)
@pytest.mark.parametrize(("clock", "budget"), [("cpu", "500ms"), ("wall", "2s"), ("cpu", "calls:9")])
def test_a_controller_is_frozen_between_calls(
    name: str, clock: str, budget: str, freezer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one sleeps for 100 ms in each of three ticks, in which the first could think for as long."""
    freeze, thaw = Freezer.freeze, Freezer.thaw
    began: dict[int, int] = {}
    slept: list[int] = []

    def used_ns(freezer: Freezer) -> int:
        return cpu_clock.ProcClock(freezer.root).read_ns()

    def timed_freeze(freezer: Freezer) -> None:
        freeze(freezer)
        began[freezer.root] = used_ns(freezer)

    def timed_thaw(freezer: Freezer) -> None:
        if freezer.root in began:
            slept.append(used_ns(freezer) - began.pop(freezer.root))
        thaw(freezer)

    monkeypatch.setattr(Freezer, "freeze", timed_freeze)
    monkeypatch.setattr(Freezer, "thaw", timed_thaw)
    ponderer, _ = meet(tmp_path, name, "Naps", clock=clock, budget=budget)
    assert ponderer.cause == ""
    assert len(slept) > 6
    assert sum(slept) < 50_000_000


@pytest.mark.costly
@pytest.mark.sampled(2)
@pytest.mark.parametrize("level", working_levels())
def test_children_left_spinning_do_not_starve_the_other_player(level: Level, freezer: str, tmp_path: Path) -> None:
    """Both share a core; the spinning children are charged at the next call of their own player."""
    planned = plan("LeavesChildrenSpinning", "ThinksBriefly", games=contests.duel(tmp_path), levels=(0,))
    competition = contests.Competition(planned, contests.sandbox_for(planned, level))
    _, other = competition.play(0, max(os.sched_getaffinity(0))).result.players
    assert other.outcome is not Outcome.DISQUALIFIED, other.details


def test_one_player_does_not_slow_down_the_import_of_the_other(tmp_path: Path, freezer: str) -> None:
    """Threads spinning since the first player's import get no share of the core."""
    for name, source in (("spinner", IMPORT_AND_SPIN), ("sleeper", IMPORT_AND_SLEEP)):
        (tmp_path / f"{name}.py").write_text(source)
    planned = plan(f"{tmp_path}/spinner.py:Mine", f"{tmp_path}/sleeper.py:Mine")
    sandbox = contests.sandbox_for(planned, "auto")
    setup = {"player": 0, "seed": 1}
    with contextlib.ExitStack() as stack:
        spinner, sleeper = [
            stack.enter_context(AgentProcess(entry, service(planned.rules), sandbox, setup=setup))
            for entry in planned.entries
        ]
        spinner.prepare()
        before = used_ms(spinner)
        sleeper.prepare()
        assert used_ms(spinner) - before < 30


def used_ms(agent: AgentProcess) -> float:
    """CPU time of all threads of an agent's processes."""
    pids = agent.pids
    assert pids
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) * 1000 / os.sysconf("SC_CLK_TCK")


IMPORT_AND_SPIN = """
import threading
from vgdl.controllers import Controller

def spin():
    while True:
        pass

threading.Thread(target=spin, daemon=True).start()

class Mine(Controller):
    def act(self, state, timer):
        return None
"""
IMPORT_AND_SLEEP = """
import time
from vgdl.controllers import Controller

time.sleep(0.3)

class Mine(Controller):
    def act(self, state, timer):
        return None
"""


def test_time_without_a_core_is_not_a_controller_s_own() -> None:
    """One of four busy processes on a core has a quarter of its time."""
    core = max(os.sched_getaffinity(0))
    with contextlib.ExitStack() as stack:
        stack.enter_context(contests.busy(core, 4))
        script = f"taskset -p -c {core} $$; echo ready; while true; do :; done & wait"
        shell = stack.enter_context(
            subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True)
        )
        stack.callback(os.killpg, shell.pid, signal.SIGKILL)
        assert shell.stdout
        while (
            shell.stdout.readline() != b"ready\n"
        ):  # before, `taskset` has waited for a core, and nothing tells how long
            pass
        processes = Freezer(shell.pid)
        while not processes.pids():
            time.sleep(0.01)
        watch = Stopwatch(processes, cpu_clock.TreeClock(shell.pid, processes), core)
        began = time.monotonic_ns()
        time.sleep(2)
        assert watch.had().ns < 0.6 * (time.monotonic_ns() - began)


class _Counted:
    """A clock of CPU time, and of what the host has stolen, that the test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.used_ms = self.stolen_ms = self.passed_ms = 0
        self.ticks = 100
        monkeypatch.setattr(patience, "stolen_ns", lambda _: self.stolen_ms * 1_000_000)
        monkeypatch.setattr(time, "monotonic_ns", lambda: self.passed_ms * 1_000_000)

    def read_ns(self) -> int:
        return self.used_ms * 1_000_000


@pytest.mark.parametrize(
    ("used", "stolen", "passed", "overcharged"),
    [
        (62, 20, 63, 29),  # charged to the process; up to 30 may have been stolen, but 1 was slept
        (40, 20, 60, 10),  # not charged by this kernel: no more than the rounding is taken off
        (62, 0, 63, 0),  # nothing was stolen
        (60, 20, 200, 0),  # stolen while it slept
        (120, 10, 61, 20),  # two threads, of which the host can have stopped each
    ],
)
def test_time_that_the_host_stole_is_taken_off_where_it_was_charged(
    used: int, stolen: int, passed: int, overcharged: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = _Counted(monkeypatch)
    processes = Freezer(os.getpid())
    monkeypatch.setattr(processes, "pids", list)
    watch = Stopwatch(processes, clock, None)  # type: ignore[arg-type]
    clock.used_ms, clock.stolen_ms, clock.passed_ms = used, stolen, passed
    assert watch.had().overcharged_ns == overcharged * 1_000_000


@pytest.mark.parametrize(
    ("used", "ticks", "sleeps", "taken"),
    [
        (36, 9, 2, 0),
        (39, 9, 3, 0),  # the first tick came after 3.9 ms
        (55, 9, 3, 23),  # 15 ms or more were taken, and up to 23 can have been
        (55, 13, 3, 0),
        (55, 9, 7, 0),  # four more sleeps, each of which can have let a tick pass
        (55, 0, 3, 55),
    ],
)
def test_missing_ticks_prove_that_time_was_taken(used: int, ticks: int, sleeps: int, taken: int) -> None:
    assert core_ticks.taken_ns(used * 1_000_000, ticks, sleeps, 4_000_000) == taken * 1_000_000


def test_without_a_length_of_ticks_nothing_is_proven() -> None:
    assert core_ticks.taken_ns(55_000_000, 0, 0, 0) == 0


def _ticking(clock: _Counted, monkeypatch: pytest.MonkeyPatch) -> Freezer:
    """Processes whose core is interrupted as the test sets it, with a tick of 4 ms."""
    monkeypatch.setattr(core_ticks, "interrupts", lambda _: clock.ticks)
    monkeypatch.setattr(core_ticks, "tick_ns", lambda: 4_000_000)
    processes = Freezer(os.getpid())
    monkeypatch.setattr(processes, "pids", list)
    return processes


@pytest.mark.parametrize(
    ("earlier", "overcharged"),
    [
        (12, 23),
        (3, 0),  # this core is not interrupted once per tick: missing ticks mean nothing
    ],
)
def test_time_taken_without_a_report_is_not_charged(
    earlier: int, overcharged: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = _Counted(monkeypatch)
    watch = Stopwatch(_ticking(clock, monkeypatch), clock, 0)  # type: ignore[arg-type]
    clock.used_ms, clock.passed_ms, clock.ticks = 48, 48, 100 + earlier
    assert watch.had().overcharged_ns == 0
    watch.start()
    clock.used_ms, clock.passed_ms, clock.ticks = 48 + 55, 48 + 56, clock.ticks + 9
    assert watch.had().overcharged_ns == overcharged * 1_000_000


@pytest.mark.parametrize(("earlier", "overcharged"), [(12, 23), (3, 0)])
def test_the_first_answer_is_not_charged_for_what_the_host_took(
    earlier: int, overcharged: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the process used while it started, 48 ms, shows whether its core is interrupted once per tick."""
    clock = _Counted(monkeypatch)
    monkeypatch.setattr(core_ticks, "tree", lambda root: [root])
    monkeypatch.setattr(core_ticks, "used_ns", lambda _: 48_000_000)
    watch = Stopwatch(_ticking(clock, monkeypatch), clock, 0, clock.ticks - earlier)  # type: ignore[arg-type]
    clock.used_ms, clock.passed_ms, clock.ticks = 55, 56, clock.ticks + 9
    assert watch.had().overcharged_ns == overcharged * 1_000_000


def test_an_agent_starts_on_its_core_which_proves_the_ticks() -> None:
    core = max(os.sched_getaffinity(0))
    if core_ticks.interrupts(core) is None or not core_ticks.tick_ns():
        pytest.skip("this system does not tell the interrupts of its cores")
    planned = plan("RunsToTheRight")
    setup = {"player": 0, "seed": 1}
    affinity = os.sched_getaffinity(0)
    with AgentProcess(
        planned.entries[0], service(planned.rules), contests.sandbox_for(planned, "auto"), setup=setup, core=core
    ) as agent:
        assert os.sched_getaffinity(0) == affinity
        assert all(os.sched_getaffinity(pid) == {core} for pid in agent.pids)
        assert agent._tree._watch._ticks._is_ticking()


@pytest.mark.parametrize(
    ("text", "core", "number"),
    [
        ("     CPU0  CPU1\n 8: 1 2 IO-APIC rtc0\nLOC: 30 40 Local timer interrupts\n", 1, 40),
        ("     CPU0  CPU2\nLOC: 30 40 Local timer interrupts\n", 2, 40),  # a core has been switched off
        ("     CPU0  CPU2\nLOC: 30 40 Local timer interrupts\n", 1, None),
        ("     CPU0\n 11: 77 GICv3 27 Level arch_timer\n", 0, 77),
        ("     CPU0\n  8: 1 IO-APIC rtc0\n", 0, None),
        ("     CPU0\nLOC:\n", 0, None),
        ("", 0, None),
    ],
)
def test_the_interrupts_of_a_core_are_read(
    text: str, core: int, number: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "interrupts").write_text(text)
    monkeypatch.setattr(core_ticks, "_INTERRUPTS", tmp_path / "interrupts")
    assert core_ticks.interrupts(core) == number


def test_a_busy_core_is_interrupted_once_per_tick() -> None:
    core = max(os.sched_getaffinity(0))
    tick_ns, before = core_ticks.tick_ns(), core_ticks.interrupts(core)
    if before is None or not tick_ns:
        pytest.skip("this system does not tell the interrupts of its cores")
    with contests.busy(core, 1):
        time.sleep(20 * tick_ns / 1e9)
    now = core_ticks.interrupts(core)
    assert now is not None
    assert now - before >= 5  # a host may take some of the time


def test_a_controller_is_not_disqualified_for_what_the_host_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of all time is stolen here, so that at most 50 of the 60 ms of an answer are its own."""
    monkeypatch.setattr(patience, "stolen_ns", lambda _: time.monotonic_ns() // 40_000_000 * 10_000_000)
    assert player("TakesSixtyMilliseconds").outcome is not Outcome.DISQUALIFIED


def test_a_runner_without_a_core_does_not_mistake_the_time_for_sleep() -> None:
    """If it looks every few seconds, the answer may have been there for long."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as sleeper:
        processes = Freezer(os.getpid())
        watch = Stopwatch(processes, cpu_clock.TreeClock(sleeper.pid, processes), None)
        time.sleep(1)
        assert watch.look() < 0.9e9
        for _ in range(14):
            time.sleep(0.05)
            had = watch.look()
        assert had > 0.5e9
        sleeper.kill()


@pytest.mark.parametrize(
    ("threads", "ran", "waited", "charged"),
    [
        (150, 0.03, 2.5, 400),  # they wake together, and each waits until others have had the core
        (1, 100, 300, 100),  # another process has the core for three quarters of the time
        (2, 50, 350, 100),  # the same, for two threads
        (2, 200, 200, 400),  # two threads have the core in turn
        (1, 100, 0, 400),
    ],
)
def test_the_waits_of_threads_for_each_other_are_not_taken_off(
    threads: int, ran: float, waited: float, charged: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = _Counted(monkeypatch)
    seen = patience._Schedule(os.getpid(), 0, 0, 0)
    schedules = {str(number): seen for number in range(threads)}
    processes = Freezer(os.getpid())
    monkeypatch.setattr(processes, "pids", lambda: [os.getpid()])
    monkeypatch.setattr(patience, "_schedules", lambda pid: list(schedules.items()))
    watch = Stopwatch(processes, clock, None)  # type: ignore[arg-type]
    clock.used_ms, clock.passed_ms = round(threads * ran), 400
    schedules.update(dict.fromkeys(schedules, seen._replace(ran_ns=int(ran * 1e6), waited_ns=int(waited * 1e6))))
    assert round(watch.had().ns / 1e6) == charged


class _Threads:
    """Threads of a tree as the kernel describes them, on a clock that the test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, letter: bytes) -> None:
        self.clock = _Counted(monkeypatch)
        self.schedule = patience._Schedule(1, 0, 0, 0)
        processes = Freezer(os.getpid())
        monkeypatch.setattr(processes, "pids", lambda: [1])
        monkeypatch.setattr(patience, "_schedules", lambda pid: [("1", self.schedule)])
        monkeypatch.setattr(patience, "state", lambda pid, thread: letter)
        self.watch = Stopwatch(processes, self.clock, None)  # type: ignore[arg-type]

    def look(self, looks: int, *, turns: int = 0) -> float:
        """Look every 50 ms, between which the thread has some turns on its core; returns milliseconds had."""
        for _ in range(looks):
            self.clock.passed_ms += 50
            self.schedule = self.schedule._replace(turns=self.schedule.turns + turns)
            had = self.watch.look()
        return had / 1e6


def test_a_thread_that_is_ready_at_every_look_but_has_turns_in_between_has_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _Threads(monkeypatch, b"R").look(40, turns=5) == 2000


def test_time_in_which_a_thread_waits_for_a_core_is_taken_off_once_it_has_got_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    thread = _Threads(monkeypatch, b"R")
    assert thread.look(40) == 0
    thread.schedule = thread.schedule._replace(waited_ns=1_800_000_000)
    assert thread.look(1, turns=1) == 250  # of 2,050 ms


@pytest.mark.parametrize(("blocked", "had"), [(0, 2000), (1, 0)])
def test_an_uninterruptible_wait_is_for_a_disk_only_if_the_kernel_says_so(
    blocked: int, had: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_someone_waits_for_a_disk", lambda: blocked > 0)
    assert _Threads(monkeypatch, b"D").look(40) == had


def test_a_play_that_cannot_be_timed_fairly_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    call, failures = AgentProcess.call, iter([True, True])

    def busy(agent: AgentProcess, method: str, *arguments: Any, **named: Any) -> Reply:
        if next(failures, False):
            raise MachineBusy("no core")
        return call(agent, method, *arguments, **named)

    monkeypatch.setattr(AgentProcess, "call", busy)
    record = contests.play(plan("RunsToTheRight"))
    assert record.isolation["void"] == 2
    assert record.result.players[0].outcome is Outcome.WON


@pytest.mark.costly
def test_a_machine_that_is_always_too_busy_ends_the_competition_with_an_explanation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def busy(*arguments: Any, **named: Any) -> Reply:
        raise MachineBusy("there was no core")

    monkeypatch.setattr(AgentProcess, "call", busy)
    assert cli.main(["--set", str(contests.TOY), "--controllers", "random", "--quiet"]) == 1
    assert "was void 3 times: there was no core" in " ".join(capsys.readouterr().err.split())


def test_a_process_tree_is_found_over_generations() -> None:
    code = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], start_new_session=True) as parent:
        deadline = time.monotonic() + 20
        while len(list(tree(parent.pid))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(list(tree(parent.pid))) == 2
        os.killpg(parent.pid, signal.SIGKILL)
