"""The command ``vgdl-compete learning serve``, and the smoke command."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tracks.learning.common import write_game
from tracks.learning.test_wire import Client, Served, walker

PROGRAM = [sys.executable, "-P", "-c", "from vgdl.competition.cli import main; raise SystemExit(main())", "learning"]


def serve(*words: str) -> tuple[subprocess.Popen[str], Served]:
    """A server on a free port."""
    process = subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"127\.0\.0\.1:(\d+)", line)
    assert found, line
    return process, Served(("127.0.0.1", int(found[1])))


def test_the_command_serves_and_reports(tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    words = ["--games", str(write_game(tmp_path)), "--runs", "2", "--rounds", "1", "--json", str(file)]
    process, served = serve(*words)
    first, second = Client(served), Client(served)
    first.play(walker)
    second.receive()
    second.close()
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, out
    assert "2 of 2 validation plays won" in out
    runs = json.loads(file.read_text())["tables"]["runs"]
    assert sorted((run["victories"], bool(run["cause"])) for run in runs) == [(0, True), (2, False)]


@pytest.mark.costly
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_server_with_its_clients(tmp_path: Path, number: signal.Signals) -> None:
    process, served = serve("--games", str(write_game(tmp_path)))
    client = Client(served)
    assert client.receive() == "START"
    os.kill(process.pid, number)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0, out
    assert "Traceback" not in out
    assert client.receive() is None


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--games", "alien"], "aliens"),
        (["--profile", "steps"], "--steps"),
        (["--port", "70000"], "65535"),
        (["--games", "aliens", "--validation", "9"], "no level 9"),
    ],
)
def test_wrong_command_lines(words: list[str], message: str) -> None:
    done = subprocess.run([*PROGRAM, "serve", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.costly
def test_the_smoke_command(tmp_path: Path) -> None:
    file = tmp_path / "smoke.json"
    words = ["--games", "aliens,sokoban", "--agents", "random,qlearning,explorer", "--steps", "2000", "--quiet"]
    done = subprocess.run([*PROGRAM, *words, "--json", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads(file.read_text())
    assert facts["complete"]
    assert {row["game"] for row in facts["tables"]["games"]} == {"aliens", "sokoban"}
    assert {row["steps"] for row in facts["tables"]["runs"]} == {2000}
    assert not any(row["cause"] for row in facts["tables"]["runs"])
    assert {row["steps"] for row in facts["tables"]["curves"]} == {1000, 2000}
