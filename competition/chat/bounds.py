"""Limits of what an HTTP server may send: its time and its size."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from typing import Any

_BEGAN = "vgdl_began"


STREAM_BYTES = 8
"""A stream of events may be so many times as large as a whole answer."""


def library_of(client: type) -> Any:
    """The library of an HTTP client: ``httpx``, or the one that ``openai`` uses in its place."""
    base = next(each for each in client.__mro__ if not each.__module__.startswith("openai"))
    return importlib.import_module(base.__module__.partition(".")[0])


def bounded(
    client: type, seconds: float, most_bytes: int, *, stream_s: float | None = None
) -> dict[str, list[Callable[[Any], None]]]:
    """Event hooks for an HTTP client that end answers which are too slow or too large.

    The timeouts of these clients limit single reads, so a server that sends a byte now and then is never too late for
    them. Compression is declined and never undone, since a small answer could expand to any size.

    Args:
        client: the class of the client.
        seconds: time for the whole answer, from the sending of the request on.
        most_bytes: size of the answer's body.
        stream_s: time for an answer that is a stream of events, which may also be `STREAM_BYTES` times as large; by
            default ``seconds``.
    """
    library = library_of(client)

    class Bounded(library.SyncByteStream):  # type: ignore[misc, name-defined]  # of one of two libraries
        """A body that ends with an error at a point in time, or after a number of bytes."""

        def __init__(self, response: Any) -> None:
            self._stream, self._request = response.stream, response.request
            self._is_stream = "text/event-stream" in response.headers.get("Content-Type", "")

        def __iter__(self) -> Iterator[bytes]:
            began = self._request.extensions[_BEGAN]
            until, left = began + (stream_s or seconds), STREAM_BYTES * most_bytes
            if not self._is_stream:
                until, left = began + seconds, most_bytes
            for chunk in self._stream:
                left -= len(chunk)
                if left < 0:
                    raise library.ReadError("the answer is too long", request=self._request)
                if time.monotonic() > until:
                    raise library.ReadTimeout("the answer took too long", request=self._request)
                yield chunk

        def close(self) -> None:
            self._stream.close()

    def begin(request: Any) -> None:
        request.headers["Accept-Encoding"] = "identity"
        request.extensions[_BEGAN] = time.monotonic()

    def limit(response: Any) -> None:
        response.headers.pop("Content-Encoding", None)
        response.stream = Bounded(response)

    return {"request": [begin], "response": [limit]}
