"""What several test files of this track share."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.chat.model import Message, Reply, Sampling
from vgdl.competition.cli import main
from vgdl.competition.tracks.worldmodels.program import working_isolation
from vgdl.competition.tracks.worldmodels.scripted import Script, ScriptedAuthor
from vgdl.competition.tracks.worldmodels.trajectories import Play, record
from vgdl.competition.tracks.worldmodels.worlds import WORLDS


@cache
def sandbox() -> Sandbox:
    """The best isolation that works here."""
    return working_isolation()


@cache
def plays(game: str, count: int = 2) -> tuple[Play, ...]:
    """Random plays of a game."""
    return tuple(record(WORLDS[game], seed) for seed in range(count))


class Answers:
    """A scripted author as the loop sees one; counts its calls and keeps its prompts."""

    def __init__(self, script: Script, *, at_end: str = "repeat", game: str = "tic_tac_toe") -> None:
        self._author = ScriptedAuthor({game: script}, at_end=at_end)
        self._game = game
        self.prompts: list[list[Message]] = []

    def answer(self, messages: Sequence[Message], call: int) -> Reply:
        self.prompts.append([dict(message) for message in messages])  # type: ignore[misc]
        return self._author.complete(messages, Sampling(), ("program", self._game, "open", 0, call))


def run(*words: str) -> int:
    """The command, in this process; its status."""
    return main(["worldmodels", *words])


def refusal(*words: str) -> int:
    """The same where the command line may be wrong, which ends the process."""
    try:
        return run(*words)
    except SystemExit as stop:
        return int(stop.code or 0)


def facts(path: Path) -> dict[str, Any]:
    """What the command has written with ``--json``."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def replies(store: Path) -> int:
    """Replies in the cache of a store."""
    try:
        with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT COUNT(*) FROM chat_replies").fetchone()[0])
    except sqlite3.Error:
        return 0


def run_until_killed(store: Path, count: int, *words: str) -> None:
    """The command in a process of its own, killed as soon as a store has so many replies; it must not be over then."""
    command = [sys.executable, "-P", "-m", "vgdl.competition.cli", "worldmodels", *words, "--store", str(store)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while replies(store) < count and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it was over before it could be killed"
