"""No verdict depends on how busy the machine is: what has no core is waited for, and a play that cannot be judged is void."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import contests
from contests import plan
from vgdl.competition.agents import freezer, patience, process, process_tree
from vgdl.competition.agents.cores import Claim
from vgdl.competition.agents.failure import AgentFailed, Cause, MachineBusy
from vgdl.competition.agents.freezer import Freezer, NotStopped
from vgdl.competition.agents.isolation import IsolationError, Restrictions, Sandbox
from vgdl.competition.agents.patience import Stopwatch
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.process_tree import ProcessTree
from vgdl.competition.agents.service import Clock, Method, Patience, Service, anything, integer
from vgdl.competition.agents.view import view
from vgdl.competition.agents.wire import Wire
from vgdl.competition.track import Result, Unit, UnitLost
from vgdl.competition.tracks.planning import session
from vgdl.competition.tracks.planning.records import Outcome
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


# ------------------------------------------------------------------------------------------------------- void plays


def answering_late(monkeypatch: pytest.MonkeyPatch, voiding: Callable[[str], bool], *, by_agent: bool) -> None:
    """Let the actions of some controllers make their plays void."""
    call = AgentProcess.call

    def busy(agent: AgentProcess, method: str, *arguments: Any, **named: Any) -> Any:
        if method == "act" and voiding(agent._entry.name):
            raise MachineBusy("no answer within 60 s", by_agent=by_agent)
        return call(agent, method, *arguments, **named)

    monkeypatch.setattr(AgentProcess, "call", busy)


@pytest.mark.costly
def test_a_play_that_one_controller_makes_void_counts_against_it_and_the_others_play_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned = plan("RunsToTheRight", "ReturnsNothing")
    competition = Competition(planned, session.sandbox_for(planned, "auto"))
    answering_late(monkeypatch, lambda name: "ReturnsNothing" in name, by_agent=True)
    played = contests.play_all(competition, Claim((None,)), [1, 0])
    records = {record.result.players[0].controller: record for record in played}
    loser = records["ReturnsNothing"].result.players[0]
    assert (loser.outcome, loser.cause) == (Outcome.DISQUALIFIED, Cause.HUNG)
    assert loser.details == "it made the play void 2 times: no answer within 60 s"
    assert records["ReturnsNothing"].isolation["void"] == 1
    assert records["RunsToTheRight"].result.players[0].outcome is Outcome.WON


@pytest.mark.costly
def test_a_player_that_makes_a_play_void_does_not_take_the_victory_from_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan("ReturnsNothing", "RunsToTheRight", games=contests.race(tmp_path), levels=(0,))
    competition = Competition(planned, session.sandbox_for(planned, "auto"))
    answering_late(monkeypatch, lambda name: "RunsToTheRight" in name, by_agent=True)
    outcomes = {player.controller: player.outcome for player in competition.play(0).result.players}
    assert outcomes == {"ReturnsNothing": Outcome.WON, "RunsToTheRight": Outcome.DISQUALIFIED}


def test_a_machine_without_a_core_is_not_held_against_anyone_and_other_plays_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned = plan("RunsToTheRight", "ReturnsNothing")
    competition = Competition(planned, session.sandbox_for(planned, "auto"))
    answering_late(monkeypatch, lambda name: "ReturnsNothing" in name, by_agent=False)
    units = [Unit(number, number) for number in (1, 0)]
    (_, lost), (_, result) = contests.Alone(competition).threads(Claim((None,))).play(units)
    assert isinstance(lost, UnitLost)
    assert str(lost).endswith("was void 3 times: no answer within 60 s")
    assert isinstance(result, Result)
    assert result.record.result.players[0].controller == "RunsToTheRight"


@pytest.mark.parametrize("has_core", [True, False])
def test_an_answer_that_does_not_come_although_there_is_a_core_is_the_fault_of_the_agent(
    has_core: bool, agent: AgentProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Stopwatch, "look", lambda watch: 0)
    monkeypatch.setattr(Patience, "busy_s", lambda patience, seconds: 0.3)
    if not has_core:
        monkeypatch.setattr(patience, "stolen_ns", lambda core: time.monotonic_ns())
    with pytest.raises(MachineBusy) as caught:
        agent.call("run", code="import time\ntime.sleep(30)")
    assert caught.value.by_agent is has_core
