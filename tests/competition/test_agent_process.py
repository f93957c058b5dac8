"""Agents in processes, for any track: methods, budgets, copies, and what they may reply."""

from __future__ import annotations

import inspect
import json
import math
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contests import working_levels
from vgdl.competition.agents import freezer
from vgdl.competition.agents.failure import AgentFailed, Cause
from vgdl.competition.agents.isolation import Restrictions, Sandbox
from vgdl.competition.agents.plain_data import MAX_DEPTH, NotPlain, decode, printable
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.service import BatchReply, Clock, Method, Reply, Service, anything, integer, text
from vgdl.competition.agents.view import view
from vgdl.registry import Entry

pytestmark = pytest.mark.one_case

ENTRY = Entry("stranger", "stranger", "adapters", "Stranger")
METHODS = {
    "count": Method(1000, integer(0, 1000), ("by",)),
    "repeat": Method(1000, text, ("word",)),
    "run": Method(1000, anything, ("code",)),
    "burn": Method(1000, anything, ("ms",)),
}


@pytest.fixture(autouse=True)
def _adapters_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's process finds ``adapters.py`` beside this file."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


def start(clock: Clock = Clock.CPU, **setup: int) -> AgentProcess:
    service = Service("adapters:Adapter", METHODS, clock=clock)
    sandbox = Sandbox(working_levels()[0], Restrictions(), view())
    agent = AgentProcess(ENTRY, service, sandbox, setup=setup)
    agent.prepare()
    return agent


@pytest.fixture
def agent() -> Iterator[AgentProcess]:
    with start() as started:
        yield started


def run(agent: AgentProcess, code: str) -> Any:
    """The value that code gives to ``answer`` in the agent's process."""
    return agent.call("run", code=textwrap.dedent(code)).value


def test_methods_are_called_by_name_with_plain_data_and_bytes() -> None:
    with start(start=5) as agent:
        assert agent.call("count", by=2).value == 7
        assert agent.call("count", by=1).value == 8
        assert agent.call("repeat", word="grün".encode()).value == "grün"


@pytest.mark.usefixtures("nothing_stolen")
def test_a_call_is_charged_the_cpu_time_that_it_uses(agent: AgentProcess) -> None:
    reply = agent.call("burn", 200.0, ms=100)
    assert isinstance(reply, Reply)
    assert reply.value == 200.0  # the budget of this call, as the agent's timer tells it
    assert reply.used >= 99
    assert agent.call("count", by=1).used < 90


def test_an_exception_is_reported_and_the_agent_goes_on(agent: AgentProcess) -> None:
    with pytest.raises(AgentFailed, match="ZeroDivisionError") as caught:
        run(agent, "1 / 0")
    assert (caught.value.cause, caught.value.is_final) == (Cause.EXCEPTION, False)
    assert agent.call("count", by=3).value == 3


def test_a_batch_of_calls_goes_in_one_message_and_exceptions_do_not_end_it(agent: AgentProcess) -> None:
    codes = ["answer = 1", "raise KeyError('no')", "answer = adapter.number = 7", "answer = {1, 2}"]
    batch = agent.call_many("run", [{"code": code} for code in codes])
    assert isinstance(batch, BatchReply)
    one, error, seven, unplain = batch.values
    assert (one, seven) == (1, 7)
    assert "KeyError: 'no'" in error.details
    assert "set is not JSON serializable" in unplain.details
    assert agent.call("count", by=0).value == 7


def test_a_reply_of_an_undeclared_type_is_not_an_answer(agent: AgentProcess) -> None:
    run(agent, "adapter.number = 2000")
    with pytest.raises(AgentFailed, match=r"2001 is not an integer of 0 \.\.\. 1000") as caught:
        agent.call("count", by=1)
    assert caught.value.cause == Cause.NONSENSE


@pytest.mark.parametrize("value", ["float('nan')", "-float('inf')", "b'bytes'", "object()", "x", "'x' * (1 << 20)"])
def test_replies_that_are_too_long_or_not_plain_data_are_agent_exceptions(agent: AgentProcess, value: str) -> None:
    with pytest.raises(AgentFailed) as caught:
        run(agent, f"x = []; x.append(x); answer = {value}")
    assert caught.value.cause == Cause.EXCEPTION
    assert run(agent, "answer = 3") == 3


@pytest.mark.parametrize(
    "value",
    [
        *(
            "NaN",
            "Infinity",
            "-Infinity",
            "1e999",
            "9" * 400,
            "9" * 19,
            "-9223372036854775808",
            "[" * 100_000,
            '"\\u12"',
        ),
        *("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "{]", "", "\xff"),
    ],
)
def test_forged_messages_of_a_process_are_refused(agent: AgentProcess, value: str) -> None:
    with pytest.raises(NotPlain) as caught:
        decode(value.encode("latin-1"))
    assert len(str(caught.value)) < 300
    frame = f'{{"request":1,"used_calls":0,"value":{value}}}'.encode("latin-1")
    message = b"\x04" + len(frame).to_bytes(4, "big") + frame
    code = f"""
    import contextlib, os, time
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            os.write(descriptor, {message!r})
    time.sleep(9)
    """
    with pytest.raises(AgentFailed) as failed:
        run(agent, code)
    assert failed.value.cause == Cause.NONSENSE
    assert failed.value.is_final


def test_numbers_within_the_bounds_arrive_as_they_are() -> None:
    values = [2**63 - 1, 1 - 2**63, 0, 1.5, -0.0, 1e308, True, False, None]
    assert decode(json.dumps(values).encode()) == values
    assert math.copysign(1, decode(b"-0.0")) == -1  # type: ignore[arg-type]


HOSTILE_TEXT = "\x1b[2J\x1b]0;title\x07 \ud800 \u202e \x00 \r line\n\ttab"


def test_text_is_printable_wherever_it_is(agent: AgentProcess) -> None:
    """Escape codes, lone surrogates and the like: in values, in keys and in tracebacks."""
    safe = "\\x1b[2J\\x1b]0;title\\x07 \\ud800 \\u202e \\x00 \\r line\n\ttab"
    assert printable(HOSTILE_TEXT) == safe
    assert run(agent, f"answer = {{{HOSTILE_TEXT!a}: [{HOSTILE_TEXT!a}]}}") == {safe: [safe]}
    with pytest.raises(AgentFailed) as caught:
        run(agent, f"raise ValueError({HOSTILE_TEXT!a})")
    assert safe in caught.value.details
    caught.value.details.encode()


@pytest.mark.costly
def test_a_call_that_does_not_end_is_aborted_and_an_exited_process_is_reported(agent: AgentProcess) -> None:
    with pytest.raises(AgentFailed) as caught:
        agent.call("run", 1.0, code="while True: pass")
    assert caught.value.cause == Cause.HUNG
    agent.kill()
    with pytest.raises(AgentFailed, match="SIGKILL") as caught:
        agent.call("count", by=1)
    assert caught.value.cause == Cause.EXITED


def test_a_copy_continues_from_the_original_and_leaves_no_trace(agent: AgentProcess) -> None:
    agent.call("count", by=10)
    run(agent, "import random; random.seed(4); adapter.dice = random.random")
    rolls = []
    for _ in range(2):
        with agent.fork() as copy:
            assert copy.call("count", by=1).value == 11
            rolls.append(run(copy, "answer = adapter.dice()"))
    assert rolls[0] == rolls[1]
    assert agent.call("count", by=1).value == 11


@pytest.mark.costly
def test_a_copy_that_dies_or_hangs_harms_nothing_else(agent: AgentProcess) -> None:
    for code, cause in [("import os; os._exit(3)", Cause.EXITED), ("while True: pass", Cause.HUNG)]:
        with agent.fork() as copy, pytest.raises(AgentFailed) as caught:
            copy.call("run", 1.0, code=code)
        assert caught.value.cause == cause
    assert agent.call("count", by=1).value == 1


@pytest.mark.usefixtures("nothing_stolen")
def test_copies_are_measured_from_outside(agent: AgentProcess) -> None:
    with agent.fork() as copy:
        assert copy.call("burn", ms=100).used >= 99
    assert agent.call("count", by=1).used < 90


def test_processes_that_a_copy_starts_end_with_it(agent: AgentProcess) -> None:
    before = agent.pids
    with agent.fork() as copy:
        run(copy, "import os, time\nif os.fork() == 0:\n  os.setsid()\n  time.sleep(99)")
        assert len(agent.pids - before) == 2
    assert agent.pids == before


def test_a_process_that_a_walk_over_the_tree_misses_ends_too(
    agent: AgentProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does when a parent ends between the look at the guardian's children and the look at its own."""
    before = agent.pids
    with agent.fork():
        walk, misses = freezer.tree, [True]
        monkeypatch.setattr(freezer, "tree", lambda root: [root] if misses and misses.pop() else walk(root))
    assert not misses
    assert agent.pids == before


def test_a_batch_under_a_budget_of_calls_counts_none_where_there_is_no_forward_model() -> None:
    with start(Clock.CALLS) as agent:
        assert agent.call_many("count", [{"by": 1}] * 1000).used == 0


def test_a_process_killed_before_it_is_ready_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    working_levels()  # found out once, by starting processes
    started = []
    begin = Sandbox.start

    def killed_at_first(*arguments: Any, **named: Any) -> Any:
        process = begin(*arguments, **named)
        started.append(process)
        if len(started) < 3:
            os.killpg(process.pid, signal.SIGKILL)
        return process

    monkeypatch.setattr(Sandbox, "start", killed_at_first)
    with start() as agent:
        assert agent.call("count", by=1).value == 1
    assert len(started) == 3


def test_a_request_that_is_not_read_is_an_answer_that_does_not_come(agent: AgentProcess) -> None:
    """The agent answers on its own and reads no more, and the next request does not fit into the socket."""
    code = """
    import os, time
    message = b'{"request": 1, "used_calls": 0, "value": null}'
    for descriptor in range(3, 32):
        try:
            os.write(descriptor, b"\\x04" + len(message).to_bytes(4, "big") + message)
        except OSError:
            pass
    time.sleep(60)
    """
    run(agent, code)
    with pytest.raises(AgentFailed) as caught:
        agent.call("repeat", 50.0, word=bytes(4 << 20))
    assert caught.value.cause == Cause.HUNG


CHAIN = """
import os, time
for _ in range(150):
    if os.fork():
        os.wait()
        os._exit(0)
print(flush=True)
time.sleep(60)
"""


def test_a_chain_of_processes_is_followed_to_its_end() -> None:
    """A chain of child processes, longer than the limit on recursion."""
    with subprocess.Popen([sys.executable, "-c", CHAIN], stdout=subprocess.PIPE, start_new_session=True) as chain:
        assert chain.stdout
        chain.stdout.readline()
        deepest = sys.getrecursionlimit()
        sys.setrecursionlimit(len(inspect.stack()) + 60)
        try:
            found = list(freezer.tree(chain.pid))
        finally:
            sys.setrecursionlimit(deepest)
            os.killpg(chain.pid, signal.SIGKILL)
    assert len(found) == 151
