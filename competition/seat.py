"""The runner's end: a controller in a process of its own, asked over a channel and waited for with a cap."""

from __future__ import annotations

import contextlib
import enum
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from vgdl import Action
from vgdl.competition import protocol as rules
from vgdl.competition.channel import MAX_REPLY, Channel, ChannelError, Kind, as_action
from vgdl.controllers.registry import Entry

EXIT_S = 1.0
"""Seconds to wait for the exit status of a process that has closed its connection."""


class Cause(enum.StrEnum):
    """Why a player was disqualified."""

    CONSTRUCTION_TIME = "construction took too long"
    ACTION_TIME = "an action took too long"
    RESULT_TIME = "the callback after the play took too long"
    EXCEPTION = "an exception"
    EXITED = "its process ended"
    HUNG = "no answer"
    NONSENSE = "its process sent something that is no answer"


class ControllerFailed(Exception):
    """A controller gave no answer and will give none any more."""

    def __init__(self, cause: Cause, details: str) -> None:
        super().__init__(f"{cause}: {details}")
        self.cause = cause
        self.details = details  #: its traceback, or what is known instead


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request brought: the budget used in the unit of the clock, and for a request to act the action."""

    used: float
    action: Action | None = None


class Seat(Protocol):
    """A place at the game: whoever sits there is asked through these three requests.

    Each takes an encoded observation and raises ``ControllerFailed`` when there is no answer.
    """

    def construct(self, observation: bytes) -> Answer:
        """Make the controller."""

    def act(self, observation: bytes) -> Answer:
        """Ask for an action."""

    def result(self, observation: bytes) -> Answer:
        """Tell the final state."""


class ProcessSeat:
    """A seat whose controller runs in a fresh process; leaving the ``with`` block ends the process."""

    def __init__(self, entry: Entry, protocol: rules.Protocol, *, player: int, seed: int) -> None:
        self._entry = entry
        self._protocol = protocol
        self._player = player
        self._seed = seed
        ours, theirs = socket.socketpair()
        self._channel = Channel(ours, MAX_REPLY)
        with theirs:
            self._process = subprocess.Popen(
                # -P keeps the current folder, which may be a checkout of this project, off the import path
                [sys.executable, "-P", "-m", "vgdl.competition.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C is the runner's, and children can be killed with their parent
                env={**os.environ, "PYTHONHASHSEED": "0"},
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def prepare(self, board: bytes) -> None:
        """Have the controller's module imported and the board decoded; charged to nobody.

        Args:
            board: the encoded board.
        """
        limits = self._protocol.limits
        setup = {
            "entry": asdict(self._entry),
            "player": self._player,
            "seed": self._seed,
            "clock": self._protocol.clock,
            "limits": {"CONSTRUCT": limits.construction, "ACT": limits.action, "RESULT": limits.result},
        }
        patience = self._protocol.import_s
        self._exchange([(Kind.SETUP, json.dumps(setup).encode()), (Kind.BOARD, board)], patience)

    def construct(self, observation: bytes) -> Answer:
        """Make the controller."""
        return self._ask(Kind.CONSTRUCT, observation, self._protocol.limits.construction)

    def act(self, observation: bytes) -> Answer:
        """Ask for an action."""
        return self._ask(Kind.ACT, observation, self._protocol.limits.action)

    def result(self, observation: bytes) -> Answer:
        """Tell the final state."""
        return self._ask(Kind.RESULT, observation, self._protocol.limits.result)

    def close(self) -> None:
        """End the process, and whatever it has started in its session."""
        self._channel.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _ask(self, kind: Kind, observation: bytes, limit: float) -> Answer:
        reply = self._exchange([(kind, observation)], self._protocol.patience_s(limit))
        try:
            used = reply["used_calls" if self._protocol.clock is rules.Clock.CALLS else "used_ms"]
            number = reply.get("action")
            return Answer(float(used), None if number is None else as_action(number))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ControllerFailed(Cause.NONSENSE, repr(error)) from None

    def _exchange(self, messages: list[tuple[Kind, bytes]], patience_s: float) -> dict[str, Any]:
        try:
            for kind, payload in messages:
                self._channel.send(kind, payload, patience_s)
            kind, payload = self._channel.receive(patience_s)
            reply: dict[str, Any] = json.loads(payload)
        except TimeoutError:
            raise ControllerFailed(Cause.HUNG, f"nothing came within {patience_s:g} s") from None
        except (EOFError, OSError):
            raise ControllerFailed(Cause.EXITED, self._exit_status()) from None
        except (ChannelError, ValueError, RecursionError) as error:
            raise ControllerFailed(Cause.NONSENSE, str(error)) from None
        if kind is Kind.FAILED:
            raise ControllerFailed(Cause.EXCEPTION, str(reply.get("traceback") if isinstance(reply, dict) else reply))
        return reply

    def _exit_status(self) -> str:
        try:
            code = self._process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            return "it closed its connection"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
