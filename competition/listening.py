"""What the servers of this package share: listening sockets, and limits on the heads of requests.

Sockets are opened before a server starts: its port is known, and errors are told in words.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator

from vgdl.competition.errors import CompetitionError

HEAD_S = 20.0
"""Seconds within which the head of a request must arrive."""

HEAD_BYTES = 32 << 10
"""Maximum size of the head of a request."""


class AddressTaken(CompetitionError):
    """A server cannot listen at its address; the message says which."""


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Open a listening socket.

    Args:
        host: name or address of this machine.
        port: the port; 0 for any.

    Raises:
        AddressTaken: the address is in use, or there is no such host.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        made = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, UnicodeError) as error:
        words = getattr(error, "strerror", None) or str(error)
        reason = words.partition(" (while attempting")[0]  # create_server appends the address
        raise AddressTaken(f"cannot listen at {host}:{port}: {reason}") from None
    with made:
        yield made


def patient_protocol() -> type:
    """The HTTP protocol class of the server, which closes connections without a timely request."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class PatientProtocol(H11Protocol):
        """Closes a connection on which no request head has arrived in time."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._timer = self.loop.call_later(HEAD_S, self._expire)

        def connection_lost(self, exc: Exception | None) -> None:
            self._timer.cancel()
            super().connection_lost(exc)

        def _expire(self) -> None:
            if self.cycle is None and not self.transport.is_closing():
                self.transport.close()

    return PatientProtocol
