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

READ_S = 60.0
"""Seconds for which a client may leave an answer unread."""

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
    """The HTTP protocol class of the server, which closes connections of clients that send or read too slowly."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class PatientProtocol(H11Protocol):
        """Closes a connection if the head of a request, any one of it, or the reading of an answer takes too long."""

        _head: asyncio.TimerHandle | None = None
        _reading: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._watch_head(has_begun=True)

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def handle_websocket_upgrade(self, event: h11.Request) -> None:
            self._stop()  # the connection belongs to another protocol now
            super().handle_websocket_upgrade(event)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch_head(has_begun=True)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._watch_head(has_begun=bool(self.conn.trailing_data[0]))

        def pause_writing(self) -> None:
            super().pause_writing()
            self._reading = self._reading or self.loop.call_later(READ_S, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._reading is not None:
                self._reading.cancel()
                self._reading = None

        def _watch_head(self, *, has_begun: bool) -> None:
            """Wait for the head of the next request, from its first byte on; not while one is answered."""
            is_idle = self.cycle is None or self.cycle.response_complete
            if self.transport.get_protocol() is not self or not is_idle or self.transport.is_closing():
                self._stop_head()
            elif has_begun and self._head is None:
                self._head = self.loop.call_later(HEAD_S, self.transport.close)

        def _stop_head(self) -> None:
            if self._head is not None:
                self._head.cancel()
                self._head = None

        def _stop(self) -> None:
            self._stop_head()
            if self._reading is not None:
                self._reading.cancel()

    return PatientProtocol
