"""The runner's end: a controller in a process of its own, asked over a channel, measured and watched from outside."""

from __future__ import annotations

import contextlib
import enum
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from vgdl import Action
from vgdl.competition.agents import cpu_clock
from vgdl.competition.agents.isolation import MIB, IsolationError, Sandbox
from vgdl.competition.agents.wire import MAX_REPLY, Channel, ChannelError, Kind, as_action
from vgdl.competition.contest import rules
from vgdl.controllers.registry import Entry

EXIT_S = 1.0
"""Seconds to wait for the exit status of a process that has closed its connection."""

START_S = 60.0
"""Seconds to wait for a process to be there at all, before anything of the controller's."""

MAX_NAME = 100
"""Letters of the name of a class that is found."""

_NS_PER_MS = 1_000_000
_SIGNALLED = 128
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Cause(enum.StrEnum):
    """Why a player was disqualified."""

    CONSTRUCTION_TIME = "construction took too long"
    ACTION_TIME = "an action took too long"
    RESULT_TIME = "the callback after the play took too long"
    EXCEPTION = "an exception"
    EXITED = "its process ended"
    HUNG = "no answer"
    NONSENSE = "its process sent something that is no answer"
    PROCESSES = "too many processes"
    MEMORY = "too much memory"


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


@dataclass(frozen=True, slots=True)
class Found:
    """What is in files that were imported, as their own process says; it may be lying."""

    classes: list[tuple[Path, str]]  #: controllers, by file and name
    errors: dict[Path, str]  #: tracebacks of files that cannot be imported


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
    """A seat whose controller runs in a fresh process; leaving the ``with`` block ends it and all it has started.

    What an answer used is everything that the process tree used since the answer before it.
    """

    def __init__(
        self,
        entry: Entry,
        protocol: rules.Protocol,
        sandbox: Sandbox,
        *,
        player: int,
        seed: int,
        core: int | None = None,
    ) -> None:
        """Start a process; nothing of the controller is imported yet.

        Args:
            entry: the controller.
            protocol: limits and rules.
            sandbox: how the process is kept.
            player: the controller's number in the game.
            seed: for its random numbers.
            core: that the process is pinned to; None for any.

        Raises:
            IsolationError: the level of isolation does not work here.
        """
        self._entry = entry
        self._protocol = protocol
        self._sandbox = sandbox
        self._player = player
        self._seed = seed
        self._scratch = tempfile.mkdtemp(prefix="vgdl-play-")
        self._clock: cpu_clock.TreeClock | None = None
        self._board = b""
        self._requests = 0
        self._read = 0
        self._waited_before = 0
        ours, theirs = socket.socketpair()
        self._channel = Channel(ours, MAX_REPLY)
        with theirs:
            self._process = sandbox.start(theirs.fileno(), core, self._scratch)
        try:
            self._pid = self._await_process()
            self._clock = self._open_clock()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def clock_source(self) -> cpu_clock.Source:
        """Where the CPU times of this seat come from."""
        return self._clock.source if self._clock else cpu_clock.Source.NONE

    @property
    def waited_ms(self) -> float:
        """Milliseconds that the controller was ready to answer and had no core so far: a busy machine shows here."""
        return (cpu_clock.waited_ns(self._pid) - self._waited_before) / _NS_PER_MS

    def prepare(self, board: bytes) -> None:
        """Have the controller's module imported, which is charged to nobody; it is shown nothing of the game yet.

        Args:
            board: the encoded board, sent with the request to construct.
        """
        limits = self._protocol.limits
        setup = {
            "entry": asdict(self._entry),
            "player": self._player,
            "seed": self._seed,
            "clock": self._protocol.clock,
            "limits": {"CONSTRUCT": limits.construction, "ACT": limits.action, "RESULT": limits.result},
        }
        self._board = board
        self._exchange([(Kind.SETUP, json.dumps(setup).encode())], self._protocol.import_s)
        self._read = self._now()
        self._waited_before = cpu_clock.waited_ns(self._pid)

    def find(self, files: Sequence[Path]) -> Found:
        """Have files imported and say which controllers are in them; the process is of no other use then.

        Raises:
            ControllerFailed: importing them has ended the process, took too long, or it answered nonsense.
        """
        asked = [str(file) for file in files]
        reply = self._exchange([(Kind.FIND, json.dumps(asked).encode())], self._protocol.import_s)
        by_text = dict(zip(asked, files, strict=True))
        try:
            classes = [(by_text[file], _identifier(name)) for file, names in reply["classes"].items() for name in names]
            return Found(classes, {by_text[file]: str(text) for file, text in reply["errors"].items()})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ControllerFailed(Cause.NONSENSE, repr(error)) from None

    def construct(self, observation: bytes) -> Answer:
        """Make the controller."""
        limit = self._protocol.limits.construction
        return self._ask([(Kind.BOARD, self._board), (Kind.CONSTRUCT, observation)], limit)

    def act(self, observation: bytes) -> Answer:
        """Ask for an action."""
        return self._ask([(Kind.ACT, observation)], self._protocol.limits.action)

    def result(self, observation: bytes) -> Answer:
        """Tell the final state."""
        return self._ask([(Kind.RESULT, observation)], self._protocol.limits.result)

    def close(self) -> None:
        """End the process, whatever it has started, and its scratch folder."""
        self._channel.close()
        if not self._sandbox.level.has_own_files:
            self._end_descendants()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._clock is not None:
            self._clock.close()
            self._clock = None
        shutil.rmtree(self._scratch, ignore_errors=True)

    def kill(self) -> None:
        """End the process from another thread: whoever waits for its answer learns that it is gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _await_process(self) -> int:
        """The controller's process; raises ``IsolationError`` if there will be none."""
        level = self._sandbox.level
        try:
            return self._channel.await_hello(START_S) or self._process.pid
        except ChannelError as refusal:
            raise IsolationError(f"isolation by {level} does not work here: {refusal}") from None
        except (EOFError, OSError):
            raise IsolationError(f"isolation by {level} does not work here: {self._exit_status()}") from None

    def _open_clock(self) -> cpu_clock.TreeClock | None:
        if self._protocol.clock is not rules.Clock.CPU:
            return None
        try:
            return cpu_clock.open_clock(self._pid, self._process.pid)
        except OSError as error:
            raise IsolationError(f"{error}; use --clock wall, or a budget like calls:900") from None

    def _now(self) -> int:
        """Nanoseconds of the clock that the budget is in."""
        return self._clock.read_ns() if self._clock else time.monotonic_ns()

    def _ask(self, messages: list[tuple[Kind, bytes]], limit: float) -> Answer:
        if self._protocol.clock is rules.Clock.WALL:
            self._read = self._now()
        self._requests += 1
        reply = self._exchange(messages, self._protocol.patience_s(limit))
        now = self._now()
        used_ms, self._read = (now - self._read) / _NS_PER_MS, now
        self._check_tree()
        try:
            used = float(reply["used_calls"]) if self._protocol.clock is rules.Clock.CALLS else used_ms
            number = reply.get("action")
            return Answer(used, None if number is None else as_action(number))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ControllerFailed(Cause.NONSENSE, repr(error)) from None

    def _exchange(self, messages: list[tuple[Kind, bytes]], patience_s: float) -> dict[str, Any]:
        try:
            for kind, payload in messages:
                self._channel.send(kind, payload, patience_s)
            kind, payload = self._channel.receive(patience_s, self._check_tree)
            reply: dict[str, Any] = json.loads(payload)
        except TimeoutError:
            raise ControllerFailed(Cause.HUNG, f"nothing came within {patience_s:g} s") from None
        except (EOFError, OSError):
            raise ControllerFailed(Cause.EXITED, self._exit_status()) from None
        except (ChannelError, ValueError, RecursionError) as error:
            raise ControllerFailed(Cause.NONSENSE, str(error)) from None
        if kind is Kind.FAILED:
            raise ControllerFailed(Cause.EXCEPTION, str(reply.get("traceback") if isinstance(reply, dict) else reply))
        if not isinstance(reply, dict) or reply.get("request") != self._requests:
            raise ControllerFailed(Cause.NONSENSE, f"an answer to no request: {reply!r:.200}")
        return reply

    def _check_tree(self) -> None:
        """Look at the processes of the controller; too many, or too large ones, end the play."""
        if not cpu_clock.can_measure():
            return
        below = [pid for pid in cpu_clock.tree(self._process.pid) if pid != self._process.pid]
        restrictions = self._sandbox.restrictions
        if len(below) > restrictions.processes:
            raise ControllerFailed(Cause.PROCESSES, f"{len(below)} at a time, {restrictions.processes} allowed")
        if len(below) > _GUARDIANS and sum(map(_resident_bytes, below)) > restrictions.memory_mb * MIB:
            raise ControllerFailed(Cause.MEMORY, f"more than {restrictions.memory_mb} MiB in all its processes")

    def _end_descendants(self) -> None:
        """Kill what the controller has started, wherever it went, while the guardian still keeps it together."""
        while below := [pid for pid in cpu_clock.tree(self._process.pid) if pid != self._process.pid]:
            for pid in below:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if self._process.poll() is not None:
                return

    def _exit_status(self) -> str:
        try:
            code = self._process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            return "it closed its connection"
        number = -code if code < 0 else code - _SIGNALLED
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(number).name}"
        return f"exit status {code}"


def _identifier(name: object) -> str:
    """The name of a class, as a process gives it that may be lying."""
    if not (isinstance(name, str) and name.isidentifier() and len(name) <= MAX_NAME):
        raise ValueError(f"{name!r:.100} is no name of a class")
    return name


_GUARDIANS = 2
"""Most processes between the runner's child and the controller, which has all the rest below it."""


def _resident_bytes(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as sizes:
            return int(sizes.read().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0
