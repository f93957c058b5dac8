"""An agent in a process of its own: methods are called by name with plain data, and budgets measured from outside.

A track declares a ``Service``; the rest is the same for all tracks::

    with AgentProcess(entry, service, sandbox, setup={"seed": 1}) as agent:
        agent.prepare()                            # imports the agent's code; not charged
        agent.call("analyze", stage=stage)         # a Reply: typed value, and the budget used
        with agent.fork() as copy:                 # continues from here, in memory of its own
            copy.call("choose", board=board)

Every failure of the agent is an ``AgentFailed``.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from vgdl.competition.agents import cpu_clock, plain_data
from vgdl.competition.agents.failure import AgentFailed, Cause, MachineBusy
from vgdl.competition.agents.isolation import IsolationError, Sandbox
from vgdl.competition.agents.output import Printed
from vgdl.competition.agents.plain_data import MAX_INTEGER, NotPlain, Plain
from vgdl.competition.agents.process_tree import START_S, STARTS, ProcessTree
from vgdl.competition.agents.service import BatchReply, Clock, Method, Reply, Service
from vgdl.competition.agents.wire import MAX_REPLY, Kind, Wire, WireError, pack_calls
from vgdl.competition.closing import Closing
from vgdl.registry import Entry


class AgentProcess(Closing):
    """An untrusted object in another process; leaving the ``with`` block ends the process and all that it has started.

    A call is charged for everything that the process tree has used since the previous answer. Nothing in the tree runs
    between calls.
    """

    def __init__(
        self,
        entry: Entry,
        service: Service,
        sandbox: Sandbox,
        *,
        setup: Mapping[str, Plain] | None = None,
        core: int | None = None,
    ) -> None:
        """Start a process; nothing of the agent is imported yet.

        Args:
            entry: locates the agent's class.
            service: the methods that can be called, and the clock by which they are charged.
            sandbox: the isolation of agents; this one sees only its own files.
            setup: keyword arguments of the service's adapter.
            core: core to pin the process to; None for any.

        Raises:
            IsolationError: no process can be started at the level of isolation.
            MachineBusy: the machine had no core for it.
        """
        self._entry = entry
        self._service = service
        self._setup = dict(setup or {})
        self._wire, self._tree = _start(sandbox.of(entry.location), service.clock, core)
        self._requests = 0
        self._spared: frozenset[int] | None = None  # of a copy: the processes that existed before it

    @property
    def clock_source(self) -> cpu_clock.Source:
        """The source of this agent's CPU times."""
        return self._tree.clock_source

    @property
    def waited_ms(self) -> float:
        """Milliseconds so far in which the agent was ready to run but had no core, as on a busy machine."""
        return self._tree.waited_ms

    @property
    def printed(self) -> Printed:
        """The end of what the agent has printed, also after ``close``."""
        self._tree.output.read_rest()
        return self._tree.output.printed

    @property
    def pids(self) -> frozenset[int]:
        """The processes below the runner's child; none where the system does not report them."""
        return frozenset(self._tree.running())

    def prepare(self) -> None:
        """Import the agent's code, which is not charged.

        Raises:
            AgentFailed: it raised an exception, took too long, or ended the process.
            MachineBusy: the machine had no core for it.
        """
        setup = {"adapter": self._service.adapter, "entry": asdict(self._entry), "clock": self._service.clock}
        payload = plain_data.encode({**setup, "setup": self._setup})
        self._exchange(Kind.SETUP, payload, self._service.import_s)
        self._tree.check()
        self._tree.mark_ready()

    def call(self, method: str, budget: float | None = None, /, **arguments: Plain | bytes) -> Reply:
        """Call a method of the agent.

        Args:
            method: its name in the service.
            budget: of this call, in the unit of the clock; by default that of the method.
            arguments: its arguments by name.

        Raises:
            AgentFailed: there is no answer, or it is not valid for the method.
            MachineBusy: the machine had no core for the agent.
        """
        declared = self._declared(method, [arguments])
        reply, used = self._ask(method, declared, [arguments], budget, batch=False)
        return Reply(used, _typed(declared, reply.get("value"), used))

    def call_many(
        self, method: str, calls: Sequence[Mapping[str, Plain | bytes]], *, budget: float | None = None
    ) -> BatchReply:
        """Call a method many times in one message; calls that raise an exception do not end the batch.

        Args:
            method: its name in the service.
            calls: the arguments of each call.
            budget: of all calls together; by default that of the method times their number.

        Raises:
            AgentFailed: there is no answer to the whole batch, or it is not valid for the method.
        """
        declared = self._declared(method, calls)
        whole = declared.budget * len(calls) if budget is None else budget
        reply, used = self._ask(method, declared, calls, whole, batch=True)
        answers = reply.get("value")
        if not isinstance(answers, list) or len(answers) != len(calls):
            raise AgentFailed(Cause.NONSENSE, f"not a list of {len(calls)} answers", used)
        return BatchReply(used, [_one_of_batch(declared, answer, used) for answer in answers])

    def fork(self) -> AgentProcess:
        """Fork the agent's process; returns the copy. Closing the copy also ends the processes that it has started.

        The copy's memory is its own. It shares open files and the scratch folder with the original, so copies that want
        to can talk to each other (docs/isolation.md, Copies of one agent); only new processes cannot.

        The two share a sandbox, its limits and its stopwatch: never call both at the same time. Threads of the agent
        are not copied.

        Raises:
            AgentFailed: the process does not fork.
            MachineBusy: the machine had no core for it.
        """
        copy = object.__new__(type(self))
        copy._entry, copy._service, copy._setup, copy._tree = self._entry, self._service, self._setup, self._tree
        copy._requests = 0
        copy._spared = frozenset(self._tree.pids())
        copy._wire, theirs = Wire.pair(MAX_REPLY)
        busy_s = self._service.patience.busy_s(START_S)
        watch = functools.partial(self._tree.look, START_S)
        try:
            with theirs, self._tree.awake():
                self._wire.send(Kind.FORK, b"", busy_s, watch)
                self._wire.send_socket(theirs, busy_s, watch)
                copy._wire.await_hello(busy_s, watch)
        except TimeoutError:
            busy = self._tree.busy(f"it did not fork within {busy_s:g} s")
            copy.close()
            raise busy from None
        except (AgentFailed, MachineBusy):
            copy.close()
            raise
        except (EOFError, OSError, WireError):
            copy.close()
            raise AgentFailed(Cause.EXITED, f"it did not fork: {self._tree.exit_status()}") from None
        self._tree.restart()
        return copy

    def kill(self) -> None:
        """End the process, from another thread; a call that is waiting for its answer fails."""
        self._tree.kill()

    def close(self) -> None:
        """End the process, its children and its scratch folder; for a copy, only the processes since the fork."""
        self._wire.close()
        if self._spared is None:
            self._tree.close()
        else:
            self._tree.kill_all_but(self._spared)
            self._tree.restart()

    def _declared(self, method: str, calls: Sequence[Mapping[str, Plain | bytes]]) -> Method:
        """A method of the service; raises ``ValueError`` for wrong arguments, which are a bug of the caller."""
        declared = self._service.methods[method]
        for arguments in calls:
            if set(arguments) != set(declared.parameters):
                raise ValueError(f"{method} takes {', '.join(declared.parameters) or 'nothing'}, not {list(arguments)}")
        return declared

    def _ask(
        self,
        method: str,
        declared: Method,
        calls: Sequence[Mapping[str, Plain | bytes]],
        budget: float | None,
        *,
        batch: bool,
    ) -> tuple[dict[str, Plain], float]:
        """The reply to a request, and the budget used."""
        limit = declared.budget if budget is None else budget
        self._requests += 1
        payload = pack_calls(self._requests, method, limit, calls, batch=batch)
        try:
            patience = declared.patience or self._service.patience
            reply = self._exchange(Kind.CALL, payload, patience.seconds(limit, self._service.clock))
        except AgentFailed as failure:
            with contextlib.suppress(AgentFailed):
                failure.used = self._tree.lap_ms()
            raise
        used = self._tree.lap_ms()
        self._tree.check()
        return reply, _calls_used(reply) if self._service.clock is Clock.CALLS else used

    def _exchange(self, kind: Kind, payload: bytes, patience_s: float) -> dict[str, Plain]:
        """Send a request and wait for its reply, which is returned as plain data."""
        busy_s = self._service.patience.busy_s(patience_s)
        watch = functools.partial(self._tree.look, patience_s)
        try:
            with self._tree.awake():
                self._wire.send(kind, payload, busy_s, watch)
                answered, data = self._wire.receive(busy_s, watch, self._tree.output)
            reply = plain_data.decode(data)
        except TimeoutError:
            self._tree.look(patience_s)
            raise self._tree.busy(f"no answer within {busy_s:g} s") from None
        except (EOFError, OSError):
            raise self._ended() from None
        except (WireError, NotPlain) as error:
            raise AgentFailed(Cause.NONSENSE, str(error)) from None
        if not isinstance(reply, dict) or reply.get("request") != self._requests:
            raise AgentFailed(Cause.NONSENSE, f"an answer to no request: {reply!r:.200}")
        if answered is Kind.FAILED:
            raise AgentFailed(Cause.EXCEPTION, str(reply.get("traceback")))
        if answered is not Kind.DONE:
            raise AgentFailed(Cause.NONSENSE, f"a message of kind {answered.name} in answer to a request")
        return reply

    def _ended(self) -> AgentFailed:
        return self._tree.failure() if self._spared is None else AgentFailed(Cause.EXITED, "the copy's process ended")


def _start(sandbox: Sandbox, clock: Clock, core: int | None) -> tuple[Wire, ProcessTree]:
    """Start a process in its sandbox, again if it dies before it is ready."""
    for left in reversed(range(STARTS)):
        wire, theirs = Wire.pair(MAX_REPLY)
        try:
            return wire, ProcessTree(sandbox, wire, theirs, clock, core)
        except (IsolationError, OSError) as error:
            wire.close()
            if not left:
                raise IsolationError(str(error)) from None
        except BaseException:
            wire.close()
            raise
    raise AssertionError("unreachable")


def _calls_used(reply: dict[str, Plain]) -> float:
    used = reply.get("used_calls")
    if isinstance(used, int) and not isinstance(used, bool) and 0 <= used <= MAX_INTEGER:
        return float(used)
    raise AgentFailed(Cause.NONSENSE, f"{used!r:.100} is not a number of calls")


def _typed(method: Method, value: Plain, used: float) -> Any:
    try:
        return method.reply(value)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise AgentFailed(Cause.NONSENSE, f"{error}", used) from None


def _one_of_batch(method: Method, answer: Plain, used: float) -> Any:
    """The value of one call of a batch, or its failure."""
    if not isinstance(answer, dict):
        raise AgentFailed(Cause.NONSENSE, "an answer of a batch that is none", used)
    if "traceback" in answer:
        return AgentFailed(Cause.EXCEPTION, str(answer["traceback"]))
    return _typed(method, answer.get("value"), used)
