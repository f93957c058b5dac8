"""An OpenAI-compatible endpoint on the loopback interface that answers from a script."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One response of the endpoint."""

    text: str | None = "hello"
    status: int = 200
    finish_reason: str = "stop"
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  #: sent instead of a completion
    delay_s: float = 0.0
    pause_s: float = 0.0  #: after each byte of the body, or after each chunk
    chunks: tuple[bytes, ...] | None = None  #: sent one by one instead of a completion, until the connection ends


Script = Callable[[int, dict[str, Any]], Answer]
"""The answer to the n-th request, from 0, with its JSON body."""


@dataclass
class Endpoint:
    """A running endpoint: its address and what it was asked."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextlib.contextmanager
def endpoint(script: Script) -> Iterator[Endpoint]:
    """Serve until the block is left."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(served.requests)
                served.requests.append(body)
                served.keys.append(self.headers.get("Authorization", ""))
                served.headers.append({name.lower(): value for name, value in self.headers.items()})
            answer = script(number, body)
            time.sleep(answer.delay_s)
            if answer.chunks is not None:
                self._send_chunks(answer)
                return
            content = answer.body if answer.body is not None else completion(answer, body)
            with contextlib.suppress(ConnectionError):
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if not answer.pause_s:
                    self.wfile.write(content)
                for k in range(len(content) if answer.pause_s else 0):
                    self.wfile.write(content[k : k + 1])
                    time.sleep(answer.pause_s)

        def _send_chunks(self, answer: Answer) -> None:
            with contextlib.suppress(ConnectionError):
                self.send_response(answer.status)
                self.send_header("Content-Type", "text/event-stream; charset=utf-8")
                self.end_headers()
                for chunk in answer.chunks or ():
                    self.wfile.write(chunk)
                    self.wfile.flush()
                    time.sleep(answer.pause_s)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()


def completion(answer: Answer, body: dict[str, Any]) -> bytes:
    """A whole completion, or an error."""
    if answer.status != 200:
        return json.dumps({"error": {"message": answer.text}}).encode()
    message = {"role": "assistant", "content": answer.text}
    return json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
    ).encode()


def event(**facts: Any) -> bytes:
    """A server-sent event."""
    return b"data: " + json.dumps(facts).encode() + b"\n\n"


def streamed(
    text: str, finish_reason: str | None = "stop", usage: dict[str, Any] | None = None, **delta: Any
) -> tuple[bytes, ...]:
    """A completion as a stream: a chunk per character, the reason to end, the usage in a last chunk, the end."""
    parts = [event(model="m", choices=[{"delta": {"content": letter}}]) for letter in text]
    first = [event(model="m", choices=[{"delta": {"role": "assistant", **delta}}])]
    end = [event(choices=[{"delta": {}, "finish_reason": finish_reason}])] if finish_reason else []
    counts = [event(choices=[], usage=usage)] if usage else []
    return (*first, *parts, *end, *counts, b"data: [DONE]\n\n")
