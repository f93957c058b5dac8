"""The connection between the runner and an agent's process: binary frames over a socket.

A frame consists of a kind, a length, and that many bytes. Requests contain JSON and binary attachments. The length of
replies is limited here; ``plain_data`` converts them to plain data.
"""

from __future__ import annotations

import enum
import functools
import json
import select
import socket
import struct
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeVar

from vgdl.competition.agents.output import Output
from vgdl.competition.agents.plain_data import printable

T = TypeVar("T")

_HEADER = struct.Struct("!BI")
_LENGTH = struct.Struct("!I")
_CHUNK = 1 << 16
_PASS_CREDENTIALS, _CREDENTIALS = 16, 2  # SO_PASSCRED and SCM_CREDENTIALS of Linux, which some Python versions lack
_CREDENTIAL = struct.Struct("iII")
_HELLO = b"!"
_TELLS_SENDER = sys.platform == "linux"

WATCH_S = 0.05
"""Seconds between two checks of an agent while waiting for it."""
MAX_REPLY = 1 << 20
MAX_REQUEST = (1 << 32) - 1


class Kind(enum.IntEnum):
    """The kind of a frame."""

    SETUP = 1  #: JSON: the adapter, the entry and its set-up
    CALL = 2  #: method calls; see ``pack_calls``
    FORK = 3  #: empty; followed by a socket for the copy
    DONE = 4  #: JSON: number of the request, calls of the forward model used, and the value
    FAILED = 5  #: JSON: number of the request, and the traceback


class WireError(Exception):
    """The other end sent an invalid message; the error text is printable."""


class Wire:
    """One end of the connection. ``EOFError`` and ``OSError`` mean that the other end is gone."""

    def __init__(self, connection: socket.socket, limit: int) -> None:
        """Wrap a connected socket; messages longer than ``limit`` bytes are refused."""
        self._socket = connection
        self._limit = limit

    @classmethod
    def pair(cls, limit: int) -> tuple[Self, socket.socket]:
        """Create a wire and the socket of its other end, for a process to be started."""
        ours, theirs = socket.socketpair()
        if _TELLS_SENDER:  # before anything is sent: messages carry their sender only if requested
            ours.setsockopt(socket.SOL_SOCKET, _PASS_CREDENTIALS, 1)
        return cls(ours, limit), theirs

    def say_hello(self) -> None:
        """Tell the other end that this one is ready."""
        self._socket.sendall(_HELLO)

    def refuse(self, reason: str) -> None:
        """Send a reason for refusal instead of a hello."""
        self._socket.sendall(reason.encode(errors="backslashreplace")[:_CHUNK])

    def await_hello(self, timeout_s: float, watch: Callable[[], None] | None = None) -> int | None:
        """Wait for the hello; returns the sender's process id on this system, or None where that is not available.

        The id comes from the kernel, so it is correct across PID namespaces.

        Args:
            timeout_s: how long to wait.
            watch: as for ``receive``.

        Raises:
            TimeoutError: there was no hello in time.
            WireError: the other end refused, with its reason, or the kernel did not identify it.
            EOFError: the other end is gone.
        """
        space = socket.CMSG_SPACE(_CREDENTIAL.size) if _TELLS_SENDER else 0
        data, extras, *_ = self._in_turn(lambda: self._socket.recvmsg(_CHUNK, space), _Turns(timeout_s, watch))
        if _TELLS_SENDER:
            self._socket.setsockopt(socket.SOL_SOCKET, _PASS_CREDENTIALS, 0)
        if not data:
            raise EOFError("the connection was closed")
        if data != _HELLO:
            raise WireError(printable(data.decode(errors="replace")))
        return _sender(extras) if _TELLS_SENDER else None

    def send(
        self, kind: Kind, payload: bytes, timeout_s: float | None = None, watch: Callable[[], None] | None = None
    ) -> None:
        """Send one message.

        Args:
            kind: of the message.
            payload: its content.
            timeout_s: as for ``receive``.
            watch: as for ``receive``; the other end need not read what is sent.

        Raises:
            TimeoutError: the message could not be sent in time.
        """
        turns = _Turns(timeout_s, watch)
        left = memoryview(_HEADER.pack(kind, len(payload)) + payload)
        while left:
            left = left[self._in_turn(functools.partial(self._socket.send, left[:_CHUNK]), turns) :]

    def send_socket(
        self, other: socket.socket, timeout_s: float | None = None, watch: Callable[[], None] | None = None
    ) -> None:
        """Pass a socket to the process at the other end; arguments and errors as for ``send``."""
        pass_on = functools.partial(socket.send_fds, self._socket, [_HELLO], [other.fileno()])
        self._in_turn(pass_on, _Turns(timeout_s, watch))

    def receive_socket(self) -> socket.socket:
        """Receive a socket passed by the other end."""
        self._socket.settimeout(None)
        _, descriptors, *_ = socket.recv_fds(self._socket, len(_HELLO), 1)
        return socket.socket(fileno=descriptors[0])

    def receive(
        self,
        timeout_s: float | None = None,
        watch: Callable[[], None] | None = None,
        output: Output | None = None,
    ) -> tuple[Kind, bytes]:
        """Wait for a complete message.

        Args:
            timeout_s: seconds to wait in total; forever by default.
            watch: called every ``WATCH_S``, whether something arrives or not; an exception from it ends the wait.
            output: what the other end prints, which is read meanwhile.

        Raises:
            TimeoutError: the message did not arrive in time.
            WireError: it is too long, or of an unknown kind.
        """
        turns = _Turns(timeout_s, watch)
        number, length = _HEADER.unpack(self._read(_HEADER.size, turns, output))
        if length > self._limit:
            raise WireError(f"a message of {length} bytes is longer than the {self._limit} allowed")
        try:
            kind = Kind(number)
        except ValueError:
            raise WireError(f"a message of the unknown kind {number}") from None
        return kind, self._read(length, turns, output)

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _read(self, length: int, turns: _Turns, output: Output | None) -> bytes:
        buffer = bytearray()
        while len(buffer) < length:
            if output is not None:
                self._read_output(output, turns)
            chunk = self._in_turn(functools.partial(self._socket.recv, min(length - len(buffer), _CHUNK)), turns)
            if not chunk:
                raise EOFError("the connection was closed")
            buffer += chunk
        return bytes(buffer)

    def _read_output(self, output: Output, turns: _Turns) -> None:
        """Read what the other end prints until it sends something, closes the connection, or closes its output."""
        while output.fileno() >= 0:
            waiting = select.poll()
            waiting.register(self._socket, select.POLLIN)
            waiting.register(output, select.POLLIN)
            left = turns.next_s()
            ready = {descriptor for descriptor, _ in waiting.poll(None if left is None else 1000 * left)}
            if output.fileno() in ready:
                output.read()
            if self._socket.fileno() in ready:
                return

    def _in_turn(self, transfer: Callable[[], T], turns: _Turns) -> T:
        """Call ``transfer`` as soon as the socket is ready for it, and return its result."""
        while True:
            self._socket.settimeout(turns.next_s())
            try:
                return transfer()
            except TimeoutError:
                if turns.is_unwatched:
                    raise


class _Turns:
    """The turns of one transfer: how long each may take, and the watch that is kept between them."""

    def __init__(self, timeout_s: float | None, watch: Callable[[], None] | None) -> None:
        now = time.monotonic()
        self._deadline = None if timeout_s is None else now + timeout_s
        self._watch = watch
        self._next_watch = now + WATCH_S

    @property
    def is_unwatched(self) -> bool:
        """Whether a turn lasts until the end."""
        return self._watch is None

    def next_s(self) -> float | None:
        """Seconds that the next turn may take, None for ever; calls the watch if it is due.

        Raises:
            TimeoutError: there is no time left.
        """
        now = time.monotonic()
        if self._watch is not None and now >= self._next_watch:
            self._watch()
            now = time.monotonic()
            self._next_watch = now + WATCH_S
        left = None if self._deadline is None else self._deadline - now
        if left is not None and left <= 0:
            raise TimeoutError("no message in time")
        if self._watch is None:
            return left
        until_watch = self._next_watch - now
        return until_watch if left is None else min(left, until_watch)


def pack_calls(number: int, method: str, budget: float, calls: Sequence[Mapping[str, Any]], *, batch: bool) -> bytes:
    """Encode a request: one method, called once for each dictionary of arguments.

    Arguments that are bytes are appended to the JSON, which contains their lengths. The answer to a batch is a list.
    """
    attachments: list[bytes] = []
    plain = []
    for arguments in calls:
        blobs = {name: value for name, value in arguments.items() if isinstance(value, bytes)}
        attachments += blobs.values()
        rest = {name: value for name, value in arguments.items() if name not in blobs}
        plain.append([rest, {name: len(value) for name, value in blobs.items()}])
    text = json.dumps({"request": number, "method": method, "budget": budget, "batch": batch, "calls": plain})
    head = text.encode()
    return b"".join([_LENGTH.pack(len(head)), head, *attachments])


def unpack_calls(payload: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Decode a request made by ``pack_calls``: its head, and the arguments of its calls."""
    start = _LENGTH.size + _LENGTH.unpack_from(payload)[0]
    head: dict[str, Any] = json.loads(payload[_LENGTH.size : start])
    calls = []
    for arguments, lengths in head.pop("calls"):
        for name, length in lengths.items():
            arguments[name] = payload[start : start + length]
            start += length
        calls.append(arguments)
    return head, calls


def _sender(extras: list[tuple[int, int, bytes]]) -> int:
    """The process id of the sender of a message, according to the kernel."""
    found = [payload for level, kind, payload in extras if (level, kind) == (socket.SOL_SOCKET, _CREDENTIALS)]
    pid = int(_CREDENTIAL.unpack(found[0][: _CREDENTIAL.size])[0]) if found else 0
    if pid <= 0:
        raise WireError("the kernel does not tell which process the agent is")
    return pid
