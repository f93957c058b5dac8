"""Listening sockets of servers, opened before the server starts: its port is known, and errors are told in words."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

from vgdl.competition.errors import CompetitionError


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
    except OSError as error:
        raise AddressTaken(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
    with made:
        yield made
