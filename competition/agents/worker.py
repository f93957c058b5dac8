"""The controller's end: a process that holds one controller for one play and answers the runner's requests.

The runner measures, from outside, whatever this process and its children use from one answer to the next: decoding an
observation, collecting garbage, threads that go on working. The timer that a controller is given starts at the same
moment, so that it tells the same time within a fraction of a millisecond. Under a budget of calls the count is kept
here, by the states' meter.
"""

from __future__ import annotations

import gc
import inspect
import json
import random
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from vgdl import Meter, StateObservation
from vgdl.competition.agents import observation, sandbox
from vgdl.competition.agents.wire import MAX_REQUEST, Channel, Kind, as_action
from vgdl.competition.contest.rules import Clock
from vgdl.controllers import Controller, Timer, registry
from vgdl.controllers.registry import Entry
from vgdl.core.data.tables import BoardTables

MAX_TRACEBACK = 20_000
"""Characters of a traceback, counted from its end, that are reported."""


class Worker:
    """One controller and the requests it answers."""

    def __init__(self, setup: dict[str, Any]) -> None:
        """Import the controller.

        Args:
            setup: ``entry`` (fields of an ``Entry``), ``player``, ``seed``, ``clock``, ``limits`` by kind of request.
        """
        seed = setup["seed"]
        random.seed(seed)  # so that controllers that use the global generators can be repeated as well
        np.random.seed(seed)
        self._class = Entry(**setup["entry"]).load()
        self._player: int = setup["player"]
        self._options = {"seed": seed} if _takes_seed(self._class) else {}
        self._clock = Clock(setup["clock"])
        self._limits: dict[str, float] = setup["limits"]
        self._board: BoardTables | None = None
        self._meter = Meter()  # one for the whole play, so that states kept from earlier ticks count as well
        self._controller: Controller | None = None

    @property
    def measures_wall(self) -> bool:
        """Whether time goes on while nobody asks."""
        return self._clock is Clock.WALL

    def start_timer(self) -> Timer:
        """A timer that runs from now on; ``serve`` gives it its budget."""
        if self._clock is Clock.CALLS:
            return Timer(budget_calls=0, meter=self._meter)
        return Timer(meter=self._meter, clock=_CLOCKS[self._clock])

    def serve(self, kind: Kind, data: bytes, timer: Timer) -> dict[str, Any]:
        """Carry a request out.

        Returns:
            ``used_calls``, and for ``ACT`` the ``action`` (its number, or None if there was no answer).

        Raises:
            Exception: whatever the controller raises; ``ValueError`` if its answer is no action.
        """
        self._give_budget(timer, self._limits[kind.name])
        state = observation.decode(data, self._shown_board())
        state.meter = self._meter
        answer = self._call(kind, state, timer)
        reply: dict[str, Any] = {"used_calls": timer.calls_used}
        if kind is Kind.ACT:
            reply["action"] = None if answer is None else int(as_action(answer))
        return reply

    def set_board(self, data: bytes) -> None:
        """Take note of the board that observations refer to."""
        self._board = observation.decode_board(data)

    def _give_budget(self, timer: Timer, limit: float) -> None:
        if self._clock is Clock.CALLS:
            timer.budget_calls = limit
        else:
            timer.budget_ms = limit

    def _shown_board(self) -> BoardTables:
        if self._board is None:
            raise RuntimeError("an observation came before its board")
        return self._board

    def _call(self, kind: Kind, state: StateObservation, timer: Timer) -> object:
        if kind is Kind.CONSTRUCT:
            self._controller = self._class(state, timer, self._player, **self._options)
            return None
        if self._controller is None:
            raise RuntimeError("asked before it was constructed")
        if kind is Kind.ACT:
            return self._controller.act(state, timer)
        self._controller.result(state)
        return None


_CLOCKS = {Clock.CPU: time.process_time_ns, Clock.WALL: time.perf_counter_ns}


def _takes_seed(controller: type[Controller]) -> bool:
    parameters = inspect.signature(controller).parameters
    return "seed" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _serve(channel: Channel) -> None:
    """Answer requests until the runner hangs up."""
    kind, payload = channel.receive()
    if kind is Kind.FIND:
        channel.send(Kind.DONE, json.dumps({"request": 0, **_find(json.loads(payload))}).encode())
        return
    if kind is not Kind.SETUP:
        raise RuntimeError(f"expected the setup, got {kind.name}")
    worker = Worker(json.loads(payload))
    gc.collect()
    gc.freeze()  # what was there before the controller is left out of collections, which are the controller's time
    channel.send(Kind.DONE, b'{"request": 0}')
    number = 0
    timer = worker.start_timer()
    while (request := _next_request(channel)) is not None:
        kind, payload = request
        if kind is Kind.BOARD:
            worker.set_board(payload)
            continue
        number += 1
        if worker.measures_wall:
            timer = worker.start_timer()
        reply = worker.serve(kind, payload, timer)
        channel.send(Kind.DONE, json.dumps({"request": number, **reply}).encode())
        timer = worker.start_timer()


def _find(files: list[str]) -> dict[str, Any]:
    """The controllers in some files, by file, and the tracebacks of files that cannot be imported."""
    classes: dict[str, list[str]] = {}
    errors: dict[str, str] = {}
    for file in files:
        try:
            classes[file] = registry.controllers_in(Path(file))
        except BaseException:  # as in main
            errors[file] = traceback.format_exc()[-MAX_TRACEBACK:]
    return {"classes": classes, "errors": errors}


def _next_request(channel: Channel) -> tuple[Kind, bytes] | None:
    """The runner's next request, None once it has hung up."""
    try:
        return channel.receive()
    except (EOFError, ConnectionError):
        return None


def main(descriptor: int, settings: dict[str, Any]) -> None:
    """Serve the runner at the other end of a socket until it hangs up.

    Args:
        descriptor: the number of the socket.
        settings: those of ``isolation.Sandbox.start``.
    """
    channel = Channel(socket.socket(fileno=descriptor), MAX_REQUEST)
    try:
        sandbox.enter(settings)
    except OSError as error:
        channel.refuse(str(error))
        return
    channel.say_hello()
    try:
        _serve(channel)
    except BaseException:  # whatever a controller raises, SystemExit included, is its failure and is to be reported
        channel.send(Kind.FAILED, json.dumps({"traceback": traceback.format_exc()[-MAX_TRACEBACK:]}).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), sandbox.read_settings())
