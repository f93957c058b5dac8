"""What the tests of the competition site share."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
argon2 = pytest.importorskip("argon2")

from vgdl.competition.web import accounts, rankings  # noqa: E402
from vgdl.competition.web.database import Database, open_database  # noqa: E402


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Argon2 at its cheapest: what it costs is a promise to users, and no matter of most tests."""
    hasher = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(accounts, "_hasher", lambda: hasher)
    accounts._decoy.cache_clear()


@pytest.fixture(autouse=True)
def newest_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages look for a newer board each time."""
    monkeypatch.setattr(rankings, "LOOK_S", -1.0)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A new site."""
    with open_database(str(tmp_path / "site.db"), create=True) as opened:
        yield opened


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int, Path]]:
    """A site without workers, in a process of its own."""
    folder = tmp_path_factory.mktemp("served")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-P",
        "-c",
        _SERVE,
        "serve",
        "--store",
        str(folder / "site.db"),
        "--port",
        str(port),
        "--workers",
        "0",
    ]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    deadline = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60).read()
            break
        except OSError:
            assert process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.1)
    yield "127.0.0.1", port, folder
    process.send_signal(signal.SIGTERM)
    process.wait(60)


_SERVE = """
import sys
from vgdl.competition import listening
from vgdl.competition.web import security, serve
security.BODY_S, listening.HEAD_S = 1.0, 1.0
sys.exit(serve.main(sys.argv[2:]))
"""
