"""The agent's end: a process that holds one untrusted object and answers the runner's requests.

The runner measures the CPU time of this process and its children from one answer to the next, including decoding
arguments, collecting garbage, and background threads. The timer given to an agent starts at the same moment and agrees
with the measurement within a fraction of a millisecond. With a budget of calls, the states' meter counts them here.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
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
from vgdl.registry import Entry

_CLOCKS = {Clock.CPU: time.process_time_ns, Clock.WALL: time.perf_counter_ns}
_OURS = (str(Path(vgdl.competition.__file__).parent), registry.__file__, "<frozen importlib")
"""Paths in a traceback that are code of the worker."""


class Adapter(Protocol):
    """The worker's side of a service: wraps the untrusted object, and has the methods that the service declares."""

    def __init__(self, entry: Entry, meter: Meter, **setup: Any) -> None:
        """Import the untrusted code.

        Args:
            entry: locates its class.
            meter: counts forward-model calls; to be attached to the states that the agent gets.
            setup: the keyword arguments from the track.
        """


class Worker:
    """One adapter and the requests it answers."""

    def __init__(self, setup: dict[str, Any]) -> None:
        """Create the adapter.

        Args:
            setup: ``adapter``, ``entry`` (fields of an ``Entry``), ``clock`` and the adapter's own ``setup``.
        """
        module, _, name = setup["adapter"].partition(":")
        adapter = getattr(importlib.import_module(module), name)
        self._clock = Clock(setup["clock"])
        self._meter = Meter()  # one for the agent's lifetime, so that states kept from earlier calls count as well
        self._adapter: Adapter = adapter(Entry(**setup["entry"]), self._meter, **setup["setup"])
        self.start_timer()

    def start_timer(self) -> None:
        """Start the timer of the next call, whose budget is set when the call arrives."""
        if self._clock is Clock.CALLS:
            self._timer = Timer(budget_calls=0, meter=self._meter)
        else:
            self._timer = Timer(meter=self._meter, clock=_CLOCKS[self._clock])

    def answer(self, payload: bytes) -> tuple[Kind, bytes]:
        """Execute a request; returns the frame that answers it."""
        head, calls = unpack_calls(payload)
        if self._clock is Clock.WALL:  # which also runs between calls
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
        except BaseException as error:  # any exception of an agent, including SystemExit, is its failure
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
    """The traceback of an exception, without the worker's own frames at the start."""
    try:
        lines = traceback.format_exception(type(error), error, _beyond_ours(error.__traceback__))
        return "".join(lines)[-MAX_DETAILS:]
    except BaseException:  # the exception is untrusted: inspecting it may raise anything
        return "an exception that cannot be shown"


def _beyond_ours(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OURS):
        trace = trace.tb_next
    return trace


def _failed(request: int, error: BaseException) -> tuple[Kind, bytes]:
    return Kind.FAILED, plain_data.encode({"request": request, "traceback": describe(error)})


def _next_request(wire: Wire) -> tuple[Kind, bytes] | None:
    """The runner's next request; None once it has closed the connection."""
    try:
        return wire.receive()
    except (EOFError, ConnectionError):
        return None


def _fork(wire: Wire, copies: list[int]) -> Wire:
    """Fork off a copy; returns the wire to continue with: the same one, or in the copy its own."""
    other = wire.receive_socket()
    copies[:] = [pid for pid in copies if not _has_ended(pid)]
    chance = random.getstate()  # Python reseeds it after a fork, but a copy must continue like the original
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
    """Whether a copy has ended, in which case it is reaped."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    return True


def _serve(wire: Wire) -> None:
    """Answer requests until the runner closes the connection."""
    _, payload = wire.receive()
    try:
        worker = Worker(json.loads(payload))
    except BaseException as error:  # as in Worker.answer
        wire.send(*_failed(0, error))
        return
    gc.collect()
    gc.freeze()  # objects older than the agent's work are not collected, since that would be charged to it
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
    """Serve the runner at the other end of a socket until it closes the connection.

    Args:
        arguments: the file descriptor of the socket; the settings of ``isolation.Sandbox.start`` are read from stdin.
    """
    wire = Wire(socket.socket(fileno=int(arguments[0])), MAX_REQUEST)
    try:
        sandbox.enter(sandbox.read_settings())
    except OSError as error:
        wire.refuse(str(error))
        return
    wire.say_hello()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a process that is killed writes no buffers
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    _serve(wire)


if __name__ == "__main__":
    main(sys.argv[1:])
