"""The pages and replays of runs, written when someone asks for them, by a process of its own as boards are."""

from __future__ import annotations

import queue
import shutil
import tempfile
import threading
from collections import OrderedDict
from pathlib import Path

from starlette.staticfiles import StaticFiles

from vgdl.competition.web import runs
from vgdl.competition.web.board_writer import REPORT
from vgdl.competition.web.database import Database
from vgdl.competition.web.track_boards import Writer

MOST = 30
"""Number of runs whose pages are kept; of those that are asked for again later, they are written again."""

WAIT_S = 1.0
"""Seconds between two looks at whether the site ends."""


class RunPages:
    """The pages of runs that have ended; thread-safe."""

    def __init__(self, database: Database) -> None:
        """Write nothing yet."""
        self._database = database
        self._folder = tempfile.TemporaryDirectory(prefix="vgdl-runs-", ignore_cleanup_errors=True)
        self._work = Path(self._folder.name)
        self._known: OrderedDict[int, StaticFiles | str] = OrderedDict()  # pages, or why there are none
        self._asked: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._waiting: set[int] = set()
        self._lock = threading.Lock()
        self._writer = Writer()

    def close(self) -> None:
        """Stop writing, and remove what was written."""
        self._writer.kill()
        self._folder.cleanup()

    def get(self, number: int) -> StaticFiles | str | None:
        """The pages of a run, or why there are none; None if they are being written from now on."""
        with self._lock:
            if number in self._known:
                self._known.move_to_end(number)
                return self._known[number]
            if number not in self._waiting and len(self._waiting) < MOST:
                self._waiting.add(number)
                self._asked.put(number)
            return None

    def run(self, ended: threading.Event) -> None:
        """Write what is asked for until the site ends."""
        while not ended.is_set():
            try:
                number = self._asked.get(timeout=WAIT_S)
            except queue.Empty:
                continue
            self.write(number)

    def write(self, number: int) -> None:
        """Write the pages of a run."""
        folder = self._work / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        found: StaticFiles | str = "this run is no longer there"
        try:
            run = runs.get(self._database, number)
            if run is not None:
                runs.public_store(self._database, run, folder / "store.db").close()
                facts = self._writer.write(folder / "store.db", folder)
                found = str(facts["problem"]) or "the pages of this run could not be written"
                if facts.get("has_report"):
                    found = StaticFiles(directory=folder / REPORT, html=True)
        finally:
            (folder / "store.db").unlink(missing_ok=True)
            with self._lock:
                self._waiting.discard(number)
                self._known[number] = found
                if len(self._known) > MOST:
                    gone, _ = self._known.popitem(last=False)
                    shutil.rmtree(self._work / str(gone), ignore_errors=True)
