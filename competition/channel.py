"""Messages between the runner and a controller's process: bytes in frames over a socket.

The runner never unpickles what comes from a controller: replies are JSON of bounded length.
"""

from __future__ import annotations

import enum
import socket
import struct
import time

from vgdl import Action

_HEADER = struct.Struct("!BI")
_CHUNK = 1 << 16
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
    BOARD = 2  #: the encoded board
    CONSTRUCT = 3  #: an encoded observation
    ACT = 4  #: an encoded observation
    RESULT = 5  #: an encoded observation
    DONE = 6  #: JSON: what was used, and the answer
    FAILED = 7  #: JSON: the traceback


class ChannelError(Exception):
    """The other side sent something that is no message."""


class Channel:
    """One end of the connection. ``EOFError`` and ``OSError`` say that the other end is gone."""

    def __init__(self, connection: socket.socket, limit: int) -> None:
        """Wrap a connected socket; longer messages than ``limit`` bytes are not received."""
        self._socket = connection
        self._limit = limit

    def send(self, kind: Kind, payload: bytes, timeout_s: float | None = None) -> None:
        """Send one message, or raise ``TimeoutError`` after so many seconds."""
        self._socket.settimeout(timeout_s)
        self._socket.sendall(_HEADER.pack(kind, len(payload)) + payload)

    def receive(self, timeout_s: float | None = None) -> tuple[Kind, bytes]:
        """Wait for a whole message, for so many seconds in all.

        Raises:
            TimeoutError: it did not arrive in time.
            ChannelError: it is too long, or of no known kind.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        number, length = _HEADER.unpack(self._read(_HEADER.size, deadline))
        if length > self._limit:
            raise ChannelError(f"a message of {length} bytes is longer than the {self._limit} allowed")
        try:
            kind = Kind(number)
        except ValueError:
            raise ChannelError(f"a message of the unknown kind {number}") from None
        return kind, self._read(length, deadline)

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _read(self, length: int, deadline: float | None) -> bytes:
        buffer = bytearray()
        while len(buffer) < length:
            if deadline is not None:
                self._socket.settimeout(max(deadline - time.monotonic(), 0.0) or _raise_timeout())
            chunk = self._socket.recv(min(length - len(buffer), _CHUNK))
            if not chunk:
                raise EOFError("the connection was closed")
            buffer += chunk
        return bytes(buffer)


def _raise_timeout() -> float:
    raise TimeoutError("no message in time")
