"""The controller's end: a process that holds one controller for one play and answers the runner's requests.

What is measured runs from the moment the whole request is there until the answer is: decoding the observation is
charged to the controller, as the reference charges its copy (engine, 11.3). Python's cyclic garbage is collected before
the measurement starts and not during it, and what was there before the controller is left out of collections, so that
the collector takes no controller's time.
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
from collections.abc import Callable
from typing import Any

import numpy as np

from vgdl import Meter, StateObservation
from vgdl.competition import observation
from vgdl.competition.channel import MAX_REQUEST, Channel, Kind, as_action
from vgdl.competition.protocol import Clock
from vgdl.controllers import Controller, Timer
from vgdl.controllers.registry import Entry
from vgdl.core.tables import BoardTables

CLOCKS: dict[Clock, Callable[[], int]] = {
    Clock.CPU: time.process_time_ns,
    Clock.WALL: time.perf_counter_ns,
    Clock.CALLS: time.process_time_ns,
}

MAX_TRACEBACK = 20_000
"""Characters of a traceback, counted from its end, that are reported."""


class Worker:
    """One controller and its measured calls."""

    def __init__(self, setup: dict[str, Any], board: BoardTables) -> None:
        """Import the controller.

        Args:
            setup: ``entry`` (fields of an ``Entry``), ``player``, ``seed``, ``clock``, ``limits`` by kind of request.
            board: the one that observations refer to.
        """
        seed = setup["seed"]
        random.seed(seed)  # so that controllers that use the global generators can be repeated as well
        np.random.seed(seed)
        self._class = Entry(**setup["entry"]).load()
        self._player: int = setup["player"]
        self._options = {"seed": seed} if _takes_seed(self._class) else {}
        self._clock = Clock(setup["clock"])
        self._limits: dict[str, float] = setup["limits"]
        self._board = board
        self._meter = Meter()  # one for the whole play, so that states kept from earlier ticks count as well
        self._controller: Controller | None = None

    def serve(self, kind: Kind, data: bytes) -> dict[str, Any]:
        """Carry a request out.

        Returns:
            ``used_ms`` and ``used_calls``, and for ``ACT`` the ``action`` (its number, or None if there was no answer).

        Raises:
            Exception: whatever the controller raises; ``ValueError`` if its answer is no action.
        """
        gc.collect()
        started = self._timer(kind)
        state = observation.decode(data, self._board)
        state.meter = self._meter
        answer = self._call(kind, state, started)
        reply: dict[str, Any] = {"used_ms": started.elapsed_ms, "used_calls": started.calls_used}
        if kind is Kind.ACT:
            reply["action"] = None if answer is None else int(as_action(answer))
        return reply

    def _timer(self, kind: Kind) -> Timer:
        limit, clock = self._limits[kind.name], CLOCKS[self._clock]
        if self._clock is Clock.CALLS:
            return Timer(budget_calls=limit, meter=self._meter, clock=clock)
        return Timer(limit, meter=self._meter, clock=clock)

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


def _takes_seed(controller: type[Controller]) -> bool:
    parameters = inspect.signature(controller).parameters
    return "seed" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _receive(channel: Channel, wanted: Kind) -> bytes:
    kind, payload = channel.receive()
    if kind is not wanted:
        raise RuntimeError(f"expected {wanted.name}, got {kind.name}")
    return payload


def _next_request(channel: Channel) -> tuple[Kind, bytes] | None:
    """The runner's next request, None once it has hung up."""
    try:
        return channel.receive()
    except (EOFError, ConnectionError):
        return None


def main(descriptor: int) -> None:
    """Serve the runner at the other end of the socket with this file descriptor until it hangs up."""
    channel = Channel(socket.socket(fileno=descriptor), MAX_REQUEST)
    try:
        setup = json.loads(_receive(channel, Kind.SETUP))
        worker = Worker(setup, observation.decode_board(_receive(channel, Kind.BOARD)))
        gc.collect()
        gc.freeze()
        gc.disable()
        channel.send(Kind.DONE, b"{}")
        while (request := _next_request(channel)) is not None:
            channel.send(Kind.DONE, json.dumps(worker.serve(*request)).encode())
    except BaseException:  # whatever a controller raises, SystemExit included, is its failure and is to be reported
        channel.send(Kind.FAILED, json.dumps({"traceback": traceback.format_exc()[-MAX_TRACEBACK:]}).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]))
