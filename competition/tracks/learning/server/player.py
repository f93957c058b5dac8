"""A client at the other end of a connection, as the player of a run (learning, 5).

Messages are lines: ``ID#PAYLOAD`` to the client, ``ID#ANSWER`` or ``ID#ANSWER#TYPE`` from it. What a client sends is
text of bounded length, and decides nothing but its own run.
"""

from __future__ import annotations

import contextlib
import enum
import json
import socket
import time
from contextlib import AbstractContextManager
from typing import Any

from vgdl import Action, StateObservation, Winner
from vgdl.competition.agents.failure import AgentFailed, Cause
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.closing import Closing
from vgdl.competition.tracks.learning import gson
from vgdl.competition.tracks.learning.players import Choice, Player, Wish
from vgdl.competition.tracks.learning.rules import LearningError
from vgdl.competition.tracks.learning.views import Course
from vgdl.render import frame, png

ANSWER_S = 60.0
"""Seconds without an answer after which a connection ends."""

MOST_LINE = 1 << 16
"""Maximum length of a client's line in bytes."""

PIXELS = 10
"""Pixels per cell of a screenshot."""

OVERSPENT = "the client says that it has overspent its time"
NOT_STARTED = "the client could not be constructed"
NOT_BEGUN = "the client could not begin a play"


class Form(enum.StrEnum):
    """What observations contain."""

    JSON = "JSON"
    IMAGE = "IMAGE"
    BOTH = "BOTH"


class Lines:
    """A connection as lines of text, with limits on their length and on the time until they arrive."""

    def __init__(self, connection: socket.socket, answer_s: float = ANSWER_S) -> None:
        """Wrap a connected socket."""
        self._socket, self._answer_s = connection, answer_s
        self._buffer = b""

    def send(self, line: str) -> None:
        """Send a line.

        Raises:
            AgentFailed: the client is gone, or does not read.
        """
        try:
            self._socket.settimeout(self._answer_s)
            self._socket.sendall(line.encode() + b"\n")
        except TimeoutError:
            raise AgentFailed(Cause.HUNG, f"the client has read nothing for {self._answer_s:g} s") from None
        except OSError as error:
            raise AgentFailed(Cause.EXITED, f"the connection ended: {error.strerror or error}") from None

    def receive(self, deadline: float) -> str:
        """The next line, without its end.

        Args:
            deadline: of ``time.monotonic``.

        Raises:
            AgentFailed: there is none in time, it is too long or not UTF-8, or the client is gone.
        """
        while b"\n" not in self._buffer:
            if len(self._buffer) > MOST_LINE:
                raise AgentFailed(Cause.NONSENSE, f"a line of more than {MOST_LINE} bytes")
            self._read(deadline)
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            return line.decode().rstrip("\r")
        except UnicodeDecodeError:
            raise AgentFailed(Cause.NONSENSE, f"a line that is not UTF-8: {line[:50]!r}") from None

    def _read(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            received = self._socket.recv(MOST_LINE)
        except TimeoutError:
            raise AgentFailed(Cause.HUNG, f"no answer within {self._answer_s:g} s") from None
        except OSError as error:
            raise AgentFailed(Cause.EXITED, f"the connection ended: {error.strerror or error}") from None
        if not received:
            raise AgentFailed(Cause.EXITED, "the client closed the connection")
        self._buffer += received


class WirePlayer(Closing):
    """A client. It keeps its time itself, and says so if it has overspent it; it can have no copies."""

    can_fork = False

    def __init__(self, connection: socket.socket, answer_s: float = ANSWER_S) -> None:
        """Talk to a client that has just connected.

        Args:
            connection: closed with the player.
            answer_s: seconds without an answer after which the connection ends.
        """
        self._socket, self._answer_s = connection, answer_s
        self._lines = Lines(connection, answer_s)
        self._sent = 0
        self._form = Form.JSON
        self._is_given_up = False

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def kill(self) -> None:
        """End the connection, from another thread."""
        with contextlib.suppress(OSError):  # it may have ended already
            self._socket.shutdown(socket.SHUT_RDWR)

    def construct(self, course: Course) -> None:
        """Ask the client to construct its agent."""
        if (answer := self._ask("START")) != "START_DONE":
            raise AgentFailed(NOT_STARTED, f"it answered {answer!r:.200} to START")

    def init(self, state: StateObservation, level: int, *, validation: bool) -> float:
        """Begin a play."""
        self._is_given_up = False
        began = time.monotonic()
        if (answer := self._ask(self._observation(state, "INIT", validation))) != "INIT_DONE":
            raise AgentFailed(NOT_BEGUN, f"it answered {answer!r:.200} to INIT")
        return _since(began)

    def act(self, state: StateObservation, level: int, *, validation: bool) -> Choice:
        """Choose the action of a tick; anything that is no action counts as NIL."""
        began = time.monotonic()
        answer = self._ask(self._observation(state, "ACT", validation))
        used_ms = _since(began)
        if answer == "END_OVERSPENT":
            raise AgentFailed(OVERSPENT, "in answer to ACT")
        if answer == "ABORT" or gson.ACTIONS.get(answer) is Action.ESCAPE:
            self._is_given_up = True
            return Choice(Action.ESCAPE, used_ms)
        return Choice(gson.ACTIONS.get(answer, Action.NIL), used_ms, is_late=answer not in gson.ACTIONS)

    def result(self, state: StateObservation, level: int, limit_ms: float, *, validation: bool) -> Wish:
        """End a play; a number that is no training level, and anything else, means a level drawn by lot."""
        began = time.monotonic()
        answer = self._ask(self._observation(state, "ABORT" if self._is_given_up else "END", validation))
        used_ms = _since(began)
        if answer == "END_OVERSPENT":
            raise AgentFailed(OVERSPENT, "in answer to END")
        if answer in ("END_TRAINING", "END_VALIDATION"):
            return Wish(None, used_ms)
        return Wish(int(answer) if answer.isascii() and answer.isdecimal() and len(answer) < 10 else -1, used_ms)

    def fork(self) -> AbstractContextManager[Player]:
        """Not possible.

        Raises:
            LearningError: always.
        """
        raise LearningError("a client has no copies: use no probes, and do not freeze it")

    def finish(self) -> None:
        """Tell the client that all is over; it does not answer."""
        self._send("FINISH")

    def _send(self, payload: str) -> int:
        number = self._sent
        self._sent += 1
        self._lines.send(f"{number}#{payload}")
        return number

    def _ask(self, payload: str) -> str:
        """Send a message and wait for its answer; answers to earlier ones are ignored."""
        number = self._send(payload)
        deadline = time.monotonic() + self._answer_s
        while True:
            line = self._lines.receive(deadline)
            head, _, rest = line.partition("#")
            if not (head.isascii() and head.isdecimal() and len(head) < 19):
                raise AgentFailed(Cause.NONSENSE, f"a line without the number of a message: {printable(line, 100)!r}")
            if int(head) > number:
                raise AgentFailed(Cause.NONSENSE, f"an answer to message {int(head)}, which was not sent yet")
            if int(head) == number:
                answer, _, form = rest.partition("#")
                if form.strip() in list(Form):
                    self._form = Form(form.strip())
                return answer.strip()

    def _observation(self, state: StateObservation, phase: str, validation: bool) -> str:
        shown: dict[str, Any] = gson.outcome(state, phase)
        if self._form is not Form.IMAGE:
            shown |= gson.describe(state, phase, validation=validation)
        if phase == "ABORT":  # the engine's game goes on, but the play is lost
            shown |= {"gameWinner": gson.WINNERS[Winner.PLAYER_LOSES], "isGameOver": True}
        if self._form is not Form.JSON:
            shown["imageArray"] = [byte - 256 if byte > 127 else byte for byte in png.encode(frame(state, PIXELS))]
        return json.dumps(shown, separators=(",", ":"))


def _since(began: float) -> float:
    return 1000.0 * (time.monotonic() - began)
