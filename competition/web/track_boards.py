"""Boards of all tracks: stores of ``vgdl-compete``, and sites that ``vgdl-compete report`` has written.

A board is written by a process of its own (`board_writer`) when its store has changed. Pages show the latest one that
is complete, however long the next one takes.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from vgdl.competition.report.site import MARK
from vgdl.competition.store import is_store
from vgdl.competition.web.board_writer import BOARD, REPORT
from vgdl.competition.web.security import Receive, Scope, Send

LOOK_S = 5.0
"""Seconds between two looks at the stores."""

REST = 10.0
"""A board is not written again before this many times the duration of the last writing have passed."""

LONGEST_S = 600.0
"""Seconds that writing a board may take."""


@dataclass(slots=True)
class TrackBoard:
    """A board: what is shown of a store, or a folder with pages."""

    name: str  #: in addresses
    path: Path  #: the store, or the folder
    is_site: bool  #: whether it is a folder with pages
    facts: dict[str, Any] = field(default_factory=dict)  #: as written by `board_writer`; empty before the first time
    report: StaticFiles | None = None  #: its pages
    written: float = 0.0  #: when the facts were read from the store, in seconds since the epoch
    state: tuple[tuple[int, int], ...] = ()  #: sizes and times of the files of the store at that time
    due: float = 0.0  #: when it may be written again, on the monotonic clock

    @property
    def title(self) -> str:
        """The title for people."""
        words = self.name.replace("-", " ")
        return words[0].upper() + words[1:]

    @property
    def track(self) -> str:
        """The name of its track; empty if it is not known."""
        return str(self.facts.get("track", ""))

    @property
    def address(self) -> str:
        """Its address on the site."""
        return f"/boards/{self.name}/"


class TrackBoards:
    """The boards of a site; `run` keeps them up to date."""

    def __init__(self, places: Sequence[Path] = ()) -> None:
        """Find the boards.

        Args:
            places: stores; and folders, whose stores and whose sites of ``vgdl-compete report`` are shown.
        """
        self._places = places
        self._boards: dict[str, TrackBoard] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="vgdl-boards-", ignore_cleanup_errors=True)
        self._work = Path(self._folder.name)
        self._count = 0
        self._writer = Writer()
        self._find()

    def close(self) -> None:
        """Stop writing, and remove what was written."""
        self._writer.kill()
        self._folder.cleanup()

    def every(self) -> list[TrackBoard]:
        """All boards, by name."""
        return sorted(self._boards.values(), key=lambda board: board.name)

    def get(self, name: str) -> TrackBoard:
        """A board.

        Raises:
            HTTPException: there is none.
        """
        board = self._boards.get(name)
        if board is None:
            raise HTTPException(404, "there is no such board")
        return board

    def run(self, ended: threading.Event) -> None:
        """Keep the boards up to date until the site ends."""
        while not ended.is_set():
            self.refresh(ended)
            ended.wait(LOOK_S)

    def refresh(self, ended: threading.Event | None = None) -> None:
        """Find new boards, and write those whose stores have changed."""
        self._find()
        for board in self.every():
            if ended is not None and ended.is_set():
                return
            if not board.is_site and time.monotonic() >= board.due and (state := _state(board.path)) != board.state:
                self._write(board, state)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the files of a board's pages, which are below ``/report`` if they were written for the board."""
        board = self.get(scope["path_params"]["name"])
        below = scope["path"][len(scope["root_path"]) :]
        prefix = "" if board.is_site else "/report"
        if board.report is None or not below.startswith(f"{prefix}/"):
            raise HTTPException(404, "there is no such page")
        await board.report({**scope, "root_path": scope["root_path"] + prefix}, receive, send)

    def _find(self) -> None:
        for path in self._store_files():
            name = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")[:60]
            if name and all(board.path != path for board in self._boards.values()):
                free = (one for one in _numbered(name) if one not in self._boards)
                board = TrackBoard(next(free), path, path.is_dir())
                if board.is_site:
                    board.report = StaticFiles(directory=path, html=True)
                self._boards[board.name] = board

    def _store_files(self) -> Iterator[Path]:
        for place in self._places:
            if not place.is_dir():
                yield place
                continue
            with contextlib.suppress(OSError):
                for path in sorted(place.iterdir()):
                    if (path / MARK).is_file() or (path.is_file() and is_store(path)):
                        yield path

    def _write(self, board: TrackBoard, state: tuple[tuple[int, int], ...]) -> None:
        self._count += 1
        folder = self._work / str(self._count)
        folder.mkdir()
        began, at = time.monotonic(), time.time()
        facts = self._writer.write(board.path, folder)
        now = time.monotonic()
        board.due = now + REST * (now - began)
        board.state, board.written = state, at
        if facts["problem"] and board.track:  # the last good board stays, and says that it is old
            board.facts = {**board.facts, "problem": facts["problem"]}
            shutil.rmtree(folder, ignore_errors=True)
            return
        old = board.report.directory if board.report is not None else None
        board.facts = facts
        board.report = StaticFiles(directory=folder / REPORT, html=True) if facts.get("has_report") else None
        if old is not None:
            shutil.rmtree(Path(old).parent, ignore_errors=True)


class Writer:
    """Writes what a site shows of stores, one at a time, in a process of its own."""

    def __init__(self) -> None:
        """Start no process yet."""
        self._process: subprocess.Popen[bytes] | None = None

    def kill(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()

    def write(self, store: Path, folder: Path) -> dict[str, Any]:
        """Write what is shown of a store into an existing folder.

        Returns:
            The facts of `board_writer`; ``problem`` says what went wrong.
        """
        command = [sys.executable, "-P", "-m", "vgdl.competition.web.board_writer", str(store), str(folder)]
        try:
            with subprocess.Popen(command, stdin=subprocess.DEVNULL) as self._process:
                try:
                    self._process.wait(LONGEST_S)
                finally:
                    self._process.kill()
            facts: dict[str, Any] = json.loads((folder / BOARD).read_text(encoding="utf-8"))
        except subprocess.TimeoutExpired:
            return {"problem": f"writing this board takes longer than {LONGEST_S:g} s"}
        except (OSError, ValueError):
            return {"problem": "this board could not be written; the log of the site says why"}
        finally:
            self._process = None
        return facts


def _state(store: Path) -> tuple[tuple[int, int], ...]:
    """Sizes and times of a store's files, which change with it."""
    states = []
    for path in (store, store.with_name(f"{store.name}-wal")):
        try:
            stat = path.stat()
        except OSError:
            continue
        if stat.st_size:  # readers touch an empty log
            states.append((stat.st_size, stat.st_mtime_ns))
    return tuple(states) or ((-1, -1),)


def _numbered(name: str) -> Iterator[str]:
    """A name, and the same with numbers."""
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1
