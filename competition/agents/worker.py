"""The agent's end: a process that holds one stranger's object and answers the runner's requests.

The runner measures the CPU time of this process and its children, from one answer to the next: decoding
arguments, collecting garbage, threads that go on working. The timer that an agent is given starts at the same moment
and shows the same time within a fraction of a millisecond. Under a budget of calls the count is kept here, by the
states' meter.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import random
import socket
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import vgdl.competition
from vgdl import Meter
from vgdl.competition.agents import plain_data, sandbox
from vgdl.competition.agents.failure import MAX_DETAILS
from vgdl.competition.agents.plain_data import NotPlain
from vgdl.competition.agents.service import Clock
from vgdl.competition.agents.wire import MAX_REPLY, MAX_REQUEST, Kind, Wire, unpack_calls
from vgdl.controllers import Timer, registry
from vgdl.controllers.registry import Entry

_CLOCKS = {Clock.CPU: time.process_time_ns, Clock.WALL: time.perf_counter_ns}
_OURS = (str(Path(vgdl.competition.__file__).parent), registry.__file__, "<frozen importlib")
"""Where code of the worker is, in the paths of a traceback."""


class Adapter(Protocol):
    """The worker's side of a service: wraps the stranger's object, and has the methods that the service declares."""

    def __init__(self, entry: Entry, meter: Meter, **setup: Any) -> None:
        """Import the stranger's code.

        Args:
            entry: where its class is.
            meter: counts calls of the forward model; to be attached to the states that the agent is given.
            setup: what the track has set up.
        """


class Worker:
    """One adapter and the requests it answers."""

    def __init__(self, setup: dict[str, Any]) -> None:
        """Make the adapter.

        Args:
            setup: ``adapter``, ``entry`` (fields of an ``Entry``), ``clock`` and the adapter's own ``setup``.
        """
        module, _, name = setup["adapter"].partition(":")
        adapter = getattr(importlib.import_module(module), name)
        self._clock = Clock(setup["clock"])
        self._meter = Meter()  # one for the agent's whole life, so that states kept from earlier calls count as well
        self._adapter: Adapter = adapter(Entry(**setup["entry"]), self._meter, **setup["setup"])
        self.start_timer()

    def start_timer(self) -> None:
        """Start the timer of the next call; it is given its budget when that comes."""
        if self._clock is Clock.CALLS:
            self._timer = Timer(budget_calls=0, meter=self._meter)
        else:
            self._timer = Timer(meter=self._meter, clock=_CLOCKS[self._clock])

    def answer(self, payload: bytes) -> tuple[Kind, bytes]:
        """Carry a request out; returns the frame that answers it."""
        head, calls = unpack_calls(payload)
        if self._clock is Clock.WALL:  # which runs between calls too
            self.start_timer()
        if self._clock is Clock.CALLS:
            self._timer.budget_calls = head["budget"]
        else:
            self._timer.budget_ms = head["budget"]
        try:
            if head["batch"]:
                value = b"[%s]" % b",".join(self._one_of_batch(head["method"], arguments) for arguments in calls)
            else:
                value = plain_data.encode(self.call(head["method"], calls[0]))
        except BaseException as error:  # any exception of an agent, SystemExit included, is its failure
            return _failed(head["request"], error)
        frame = b'{"request":%d,"used_calls":%d,"value":%s}' % (head["request"], self._timer.calls_used, value)
        if len(frame) > MAX_REPLY:
            too_long = NotPlain(f"the answer has {len(frame)} bytes, {MAX_REPLY} are allowed")
            return _failed(head["request"], too_long)
        return Kind.DONE, frame

    def call(self, method: str, arguments: dict[str, Any]) -> object:
        """Call a method of the adapter."""
        return getattr(self._adapter, method)(timer=self._timer, **arguments)

    def _one_of_batch(self, method: str, arguments: dict[str, Any]) -> bytes:
        try:
            return b'{"value":%s}' % plain_data.encode(self.call(method, arguments))
        except BaseException as error:  # as above
            return plain_data.encode({"traceback": describe(error)})


def describe(error: BaseException) -> str:
    """The traceback of an exception, from the first line that is not the worker's own."""
    try:
        lines = traceback.format_exception(type(error), error, _beyond_ours(error.__traceback__))
        return "".join(lines)[-MAX_DETAILS:]
    except BaseException:  # the exception is the stranger's, and so is what happens when it is looked at
        return "an exception that cannot be shown"


def _beyond_ours(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OURS):
        trace = trace.tb_next
    return trace


def _failed(request: int, error: BaseException) -> tuple[Kind, bytes]:
    return Kind.FAILED, plain_data.encode({"request": request, "traceback": describe(error)})


def _next_request(wire: Wire) -> tuple[Kind, bytes] | None:
    """The runner's next request, None once it has hung up."""
    try:
        return wire.receive()
    except (EOFError, ConnectionError):
        return None


def _fork(wire: Wire, copies: list[int]) -> Wire:
    """Fork off a copy; returns the wire to continue with: the same one, and in the copy its own."""
    other = wire.receive_socket()
    copies[:] = [pid for pid in copies if not _has_ended(pid)]
    chance = random.getstate()  # which Python reseeds in a fork, but a copy continues as the original would
    pid = os.fork()
    if pid:
        copies.append(pid)
        other.close()
        return wire
    random.setstate(chance)
    copies.clear()
    wire.close()
    wire = Wire(other, MAX_REQUEST)
    wire.say_hello()
    return wire


def _has_ended(pid: int) -> bool:
    """Whether a copy has ended; it is reaped then."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    return True


def _serve(wire: Wire) -> None:
    """Answer requests until the runner hangs up."""
    _, payload = wire.receive()
    try:
        worker = Worker(json.loads(payload))
    except BaseException as error:  # as in Worker.answer
        wire.send(*_failed(0, error))
        return
    gc.collect()
    gc.freeze()  # what was there before the agent's work is left out of collections, which are charged to it
    wire.send(Kind.DONE, b'{"request":0}')
    copies: list[int] = []
    worker.start_timer()
    while (request := _next_request(wire)) is not None:
        kind, payload = request
        if kind is Kind.FORK:
            wire = _fork(wire, copies)
        else:
            wire.send(*worker.answer(payload))
        worker.start_timer()


def main(arguments: Sequence[str]) -> None:
    """Serve the runner at the other end of a socket until it hangs up.

    Args:
        arguments: the number of the socket; the settings of ``isolation.Sandbox.start`` come by the standard input.
    """
    wire = Wire(socket.socket(fileno=int(arguments[0])), MAX_REQUEST)
    try:
        sandbox.enter(sandbox.read_settings())
    except OSError as error:
        wire.refuse(str(error))
        return
    wire.say_hello()
    _serve(wire)


if __name__ == "__main__":
    main(sys.argv[1:])
