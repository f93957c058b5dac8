"""Shared by the load tests of the site: a client that costs next to nothing, and what is measured."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import statistics
from pathlib import Path


def cpu_s(process: int) -> float:
    """CPU time that a process has used, in seconds; counts on a busy machine too, on which waiting says little."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    """A port on which no process listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Browser:
    """One connection that is kept, as a browser's; it costs next to nothing, unlike a library for clients."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, cookie: str) -> None:
        self._reader, self._writer = reader, writer
        self._cookie = f"cookie: {cookie}\r\n" if cookie else ""

    @classmethod
    async def open(cls, port: int, cookie: str = "") -> Browser:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 20), cookie)

    async def get(self, page: str) -> bytes:
        """Load a page."""
        answer = await self.send(f"GET {page} HTTP/1.1\r\nhost: 127.0.0.1\r\n{self._cookie}\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 200 "), answer
        assert b"<h1>" in answer
        return answer

    async def upload(self, path: str, token: str, content: bytes) -> None:
        """Send a file."""
        head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\ncontent-length: {len(content)}"
        answer = await self.send(f"{head}\r\n\r\n".encode() + content)
        assert answer.startswith(b"HTTP/1.1 201 "), answer

    async def send(self, request: bytes) -> bytes:
        """Send a request; returns the answer."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        assert length, head
        return head + await self._reader.readexactly(int(length[1]))


def show(what: str, times: list[float]) -> None:
    """Print the distribution of some times."""
    cuts = statistics.quantiles(times, n=100)
    print(
        f"{what}: {len(times)} requests, median {1000 * cuts[49]:.0f} ms, p95 {1000 * cuts[94]:.0f} ms, most {1000 * max(times):.0f} ms"
    )
