"""Messages between the runner and a controller's process: bytes in frames over a socket.

The runner never unpickles what comes from a controller: replies are JSON of bounded length.
"""

from __future__ import annotations

import enum
import socket
import struct
import sys
import time
from collections.abc import Callable

from vgdl import Action

_HEADER = struct.Struct("!BI")
_CHUNK = 1 << 16
_PASS_CREDENTIALS, _CREDENTIALS = 16, 2  # SO_PASSCRED and SCM_CREDENTIALS of Linux, which not every Python names
_CREDENTIAL = struct.Struct("iII")
_HELLO = b"!"
WATCH_S = 0.05
"""Seconds between two looks at a controller that is being waited for."""
MAX_REPLY = 1 << 20
MAX_REQUEST = (1 << 32) - 1


def as_action(answer: object) -> Action:
    """The action that an answer names, by itself or by its number.

    Raises:
        ValueError: there is no such action.
    """
    for action in Action.__members__.values():
        if isinstance(answer, int) and action == answer:
            return action
    raise ValueError(f"{answer!r:.200} is no Action")


class Kind(enum.IntEnum):
    """What a frame holds."""

    SETUP = 1  #: JSON: controller, seed, limits
    BOARD = 2  #: the encoded board; not answered
    CONSTRUCT = 3  #: an encoded observation
    ACT = 4  #: an encoded observation
    RESULT = 5  #: an encoded observation
    DONE = 6  #: JSON: number of the request, calls used, and the answer
    FAILED = 7  #: JSON: the traceback
    FIND = 8  #: JSON: paths of files; answered with the controllers in them, instead of everything else


class ChannelError(Exception):
    """The other side sent something that is no message."""


class Channel:
    """One end of the connection. ``EOFError`` and ``OSError`` say that the other end is gone."""

    def __init__(self, connection: socket.socket, limit: int) -> None:
        """Wrap a connected socket; longer messages than ``limit`` bytes are not received."""
        self._socket = connection
        self._limit = limit

    def say_hello(self) -> None:
        """Tell the other end that we are here, and ready."""
        self._socket.sendall(_HELLO)

    def refuse(self, reason: str) -> None:
        """Tell the other end, instead of a hello, why there will be none."""
        self._socket.sendall(reason.encode()[:_CHUNK])

    def await_hello(self, timeout_s: float) -> int | None:
        """Wait for the hello; returns the sender's process, as this system numbers it, None where it does not tell.

        The number comes from the kernel, so that it is right beyond the borders of process namespaces.

        Raises:
            TimeoutError: nobody said hello in time.
            ChannelError: the other end refused, with its reason.
            EOFError: the other end is gone.
        """
        self._socket.settimeout(timeout_s)
        passes = sys.platform == "linux"
        if passes:
            self._socket.setsockopt(socket.SOL_SOCKET, _PASS_CREDENTIALS, 1)
        data, extras, *_ = self._socket.recvmsg(_CHUNK, socket.CMSG_SPACE(_CREDENTIAL.size) if passes else 0)
        if passes:
            self._socket.setsockopt(socket.SOL_SOCKET, _PASS_CREDENTIALS, 0)
        if not data:
            raise EOFError("the connection was closed")
        if data != _HELLO:
            raise ChannelError(data.decode(errors="replace"))
        found = [payload for level, kind, payload in extras if (level, kind) == (socket.SOL_SOCKET, _CREDENTIALS)]
        return int(_CREDENTIAL.unpack(found[0][: _CREDENTIAL.size])[0]) if found else None

    def send(self, kind: Kind, payload: bytes, timeout_s: float | None = None) -> None:
        """Send one message, or raise ``TimeoutError`` after so many seconds."""
        self._socket.settimeout(timeout_s)
        self._socket.sendall(_HEADER.pack(kind, len(payload)) + payload)

    def receive(self, timeout_s: float | None = None, watch: Callable[[], None] | None = None) -> tuple[Kind, bytes]:
        """Wait for a whole message, for so many seconds in all.

        Args:
            timeout_s: how long to wait; for ever by default.
            watch: called every ``WATCH_S`` while nothing comes; what it raises ends the waiting.

        Raises:
            TimeoutError: it did not arrive in time.
            ChannelError: it is too long, or of no known kind.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        number, length = _HEADER.unpack(self._read(_HEADER.size, deadline, watch))
        if length > self._limit:
            raise ChannelError(f"a message of {length} bytes is longer than the {self._limit} allowed")
        try:
            kind = Kind(number)
        except ValueError:
            raise ChannelError(f"a message of the unknown kind {number}") from None
        return kind, self._read(length, deadline, watch)

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _read(self, length: int, deadline: float | None, watch: Callable[[], None] | None) -> bytes:
        buffer = bytearray()
        while len(buffer) < length:
            self._socket.settimeout(_patience(deadline, watch))
            try:
                chunk = self._socket.recv(min(length - len(buffer), _CHUNK))
            except TimeoutError:
                if watch is None:
                    raise
                watch()
                continue
            if not chunk:
                raise EOFError("the connection was closed")
            buffer += chunk
        return bytes(buffer)


def _patience(deadline: float | None, watch: Callable[[], None] | None) -> float | None:
    """Seconds to wait for the next bytes; raises ``TimeoutError`` after the deadline."""
    left = None if deadline is None else deadline - time.monotonic()
    if left is not None and left <= 0:
        raise TimeoutError("no message in time")
    if watch is None:
        return left
    return WATCH_S if left is None else min(left, WATCH_S)
