"""No verdict depends on how busy the machine is: what has no core is waited for, and a play that cannot be judged is void."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import contests
from contests import plan
from vgdl.competition.agents import freezer, process, process_tree
from vgdl.competition.agents.failure import AgentFailed, Cause, MachineBusy
from vgdl.competition.agents.freezer import Freezer, NotStopped
from vgdl.competition.agents.isolation import IsolationError, Restrictions, Sandbox
from vgdl.competition.agents.patience import Stopwatch
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.process_tree import ProcessTree
from vgdl.competition.agents.service import Clock, Method, Service, anything, integer
from vgdl.competition.agents.view import view
from vgdl.competition.agents.wire import Wire
from vgdl.competition.tracks.planning import session
from vgdl.competition.tracks.planning.runner import Competition
from vgdl.registry import Entry

METHODS = {"count": Method(1000, integer(0, 1000), ("by",)), "run": Method(1000, anything, ("code",))}


class IdleClock:
    """A clock on the wall that moves only when something sleeps; in place of the module ``time``."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def trees(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Freezer]:
    """Freezers of process trees that only exist here, on a machine whose clock is ours."""

    def tree(pids: Callable[[], list[int]], state: Callable[[int], bytes], used_ns: Callable[[int], int]) -> Freezer:
        made = Freezer(1)
        monkeypatch.setattr(made, "pids", pids)
        monkeypatch.setattr(made, "_signal", lambda number, pids: None)
        monkeypatch.setattr(freezer, "state", state)
        monkeypatch.setattr(freezer, "used_ns", used_ns)
        monkeypatch.setattr(freezer, "can_walk", lambda: True)
        return made

    monkeypatch.setattr(freezer, "time", IdleClock())
    return tree


def test_a_process_that_has_no_core_to_stop_on_is_waited_for(trees: Callable[..., Freezer]) -> None:
    looks = itertools.count()
    trees(lambda: [5], lambda pid: b"R" if next(looks) < 100_000 else b"T", lambda pid: 0).freeze()
    assert next(looks) > 100_000


def test_a_process_that_never_has_a_core_to_stop_on_makes_the_play_void(trees: Callable[..., Freezer]) -> None:
    with pytest.raises(MachineBusy):
        trees(lambda: [5], lambda pid: b"R", lambda pid: 0).freeze()


def test_processes_that_run_on_after_they_were_stopped_are_not_excused(trees: Callable[..., Freezer]) -> None:
    """Such as two that wake each other up again and again."""
    clock = itertools.count(0, 1_000_000)
    with pytest.raises(NotStopped):
        trees(lambda: [5, 6], lambda pid: b"R", lambda pid: next(clock)).freeze()


def test_a_tree_that_keeps_making_processes_is_not_excused(trees: Callable[..., Freezer]) -> None:
    numbers = itertools.count(10)
    with pytest.raises(NotStopped):
        trees(lambda: [next(numbers)], lambda pid: b"R", lambda pid: 0).freeze()


# ---------------------------------------------------------------------------------------------- starting and copying


@pytest.fixture
def _adapters_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


def started() -> AgentProcess:
    sandbox = Sandbox(contests.working_levels()[0], Restrictions(), view())
    service = Service("adapters:Adapter", METHODS, clock=Clock.CPU)
    agent = AgentProcess(Entry("stranger", "stranger", "adapters", "Stranger"), service, sandbox)
    agent.prepare()
    return agent


@pytest.fixture
def agent(_adapters_on_the_path: None) -> Iterator[AgentProcess]:
    with started() as made:
        yield made


@pytest.mark.usefixtures("_adapters_on_the_path")
def test_a_process_that_is_not_ready_in_time_is_the_fault_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    contests.working_levels()
    monkeypatch.setattr(process_tree, "START_S", 0.0)
    with pytest.raises(MachineBusy):
        started()


def test_a_machine_too_busy_to_start_a_process_is_an_explained_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_tree, "START_S", 0.0)
    with pytest.raises(IsolationError, match="was not ready"):
        session.sandbox_for(plan("RunsToTheRight"), "auto")


def test_a_copy_that_has_no_core_is_the_fault_of_the_machine(
    agent: AgentProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def expired(*arguments: Any) -> int:
        raise TimeoutError

    monkeypatch.setattr(Wire, "await_hello", expired)
    with pytest.raises(MachineBusy):
        agent.fork()


def test_an_agent_that_does_not_let_itself_be_copied_has_hung(
    agent: AgentProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is the time that it has had."""
    hang = "import os\ndef hang():\n  while True: pass\nos.register_at_fork(before=hang)"
    agent.call("run", code=hang)
    monkeypatch.setattr(process, "START_S", 0.1)
    with pytest.raises(AgentFailed) as caught:
        agent.fork()
    assert caught.value.cause == Cause.HUNG


def test_a_copy_is_waited_for_as_long_as_it_has_had_no_time(
    agent: AgentProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = "import os, time\nos.register_at_fork(before=lambda: time.sleep(0.5))"
    agent.call("run", code=slow)
    monkeypatch.setattr(process, "START_S", 0.1)
    monkeypatch.setattr(Stopwatch, "look", lambda watch: 0)
    with agent.fork() as copy:
        assert copy.call("count", by=1).value == 1


def test_killed_processes_of_a_copy_that_do_not_end_are_the_fault_of_the_machine(
    agent: AgentProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = agent.fork()
    monkeypatch.setattr(process_tree, "KILL_S", 0.0)
    monkeypatch.setattr(os, "kill", lambda pid, number: None)
    with pytest.raises(MachineBusy):
        copy.close()
    monkeypatch.undo()


def test_a_play_whose_process_could_not_be_started_is_void_and_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    await_hello, busy = ProcessTree._await_hello, iter([True])

    def late(tree: ProcessTree, wire: Wire) -> int:
        if next(busy, False):
            raise MachineBusy("a process was not ready")
        return await_hello(tree, wire)

    planned = plan("RunsToTheRight")
    competition = Competition(planned, session.sandbox_for(planned, "auto"))
    monkeypatch.setattr(ProcessTree, "_await_hello", late)
    record = competition.play(0)
    assert record.isolation["void"] == 1
