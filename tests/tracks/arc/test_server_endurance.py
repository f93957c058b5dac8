"""Many players at once, and a server that is killed (arc, 13, tests 9 and 10)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs the extra web")

from tracks.arc.serving import FOLDER, RIGHT, WAIT, Caller, games, serving
from vgdl.competition.tracks.arc.store import opened, steps

KEYS = games()[0].id
PLAYS = 30


@pytest.mark.costly
def test_thirty_plays_at_once_lose_and_double_nothing(tmp_path: Path, everything: bool) -> None:
    each = 334 if everything else 20  # 10,000 in all
    with serving(store=tmp_path / "arc.db") as caller:
        card = caller.open()

        def play(number: int) -> str:
            player = Caller(caller.url)
            player.card = card
            player.start(KEYS)
            for step in range(each):
                frame = player.act(WAIT)
                assert frame["guid"] == player.guid
                assert frame["action_input"]["id"] == WAIT, step
            return player.guid

        with ThreadPoolExecutor(PLAYS) as threads:
            guids = list(threads.map(play, range(PLAYS)))
        told = caller.close()
    assert told["total_actions"] == PLAYS * each
    runs = told["environments"][0]["runs"]
    assert {run["guid"]: run["actions"] for run in runs} == dict.fromkeys(guids, each)
    with opened(tmp_path / "arc.db") as store:
        for guid in guids:
            assert [step.action for step in steps(store, guid)] == [0] + [WAIT] * each


@contextmanager
def process(store: Path) -> Iterator[tuple[subprocess.Popen[str], Caller]]:
    """A server in a process of its own."""
    command = ["arc", "serve", "--games", str(FOLDER), "--store", str(store), "--port", "0"]
    program = f"from vgdl.competition.cli import main; import sys; sys.exit(main({command!r}))"
    running = subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert running.stdout is not None
    try:
        line = running.stdout.readline()
        assert line.startswith("2 games at http://127.0.0.1:"), line
        yield running, Caller(line.split()[3].rstrip("/"))
    finally:
        running.kill()
        running.wait()
        running.stdout.close()


def test_a_server_that_is_killed_keeps_its_cards(tmp_path: Path) -> None:
    store = tmp_path / "arc.db"
    with process(store) as (running, caller):
        caller.open(tags=["first"])
        caller.start(KEYS)
        caller.act(RIGHT, RIGHT)
        closed = caller.close()
        open_card = caller.open(tags=["second"])
        caller.start(KEYS)
        caller.act(RIGHT)
        caller.get(f"/api/scorecard/{closed['card_id']}")  # read from the store, after all that was noted before
        running.send_signal(signal.SIGKILL)
        running.wait()
    with process(store) as (running, again):
        again.game, again.guid = KEYS, caller.guid
        assert again.get(f"/api/scorecard/{closed['card_id']}") == closed
        assert again.command(RIGHT).status == 400
        assert again.command(0, card_id=open_card).status == 400
        left_open = again.get(f"/api/scorecard/{open_card}")
        assert (left_open["total_actions"], left_open["tags"]) == (1, ["second", "agent"])
        assert again.open()
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 0


def test_a_second_server_on_the_same_store_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from vgdl.competition import cli

    store = tmp_path / "arc.db"
    with process(store):
        assert cli.main(["arc", "serve", "--games", str(FOLDER), "--store", str(store), "--port", "0"]) == 1
    assert "another vgdl-compete is writing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--port", "99999"], "from 0 to 65535"),
        (["--rpm", "0"], "--rpm"),
        (["--games", "no/such"], "there is no folder"),
        (["--keys", "no-such-file"], "no-such-file"),
        (["--competition", "--undo"], "--undo"),
        (["--host", "no.such.host.invalid"], "cannot listen"),
    ],
)
def test_wrong_options_are_told_in_words(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    from vgdl.competition import cli

    with pytest.raises(SystemExit) as end:
        cli.main(["arc", "serve", "--store", "none", *words])
    assert end.value.code == 2
    assert told in capsys.readouterr().err
