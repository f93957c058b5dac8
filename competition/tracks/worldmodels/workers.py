"""Worker threads for the parts of a run; they pass results to the main thread, which alone writes to the store."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from vgdl.competition.chat.model import TransportError

Item = TypeVar("Item")
Done = TypeVar("Done")


class Workers:
    """A pool of worker threads.

    Args:
        jobs: number of threads.
        notes: functions that the main thread calls with posted notes, by the note's kind.
    """

    def __init__(self, jobs: int, notes: Mapping[str, Callable[[Any], None]]) -> None:
        self._jobs = jobs
        self._notes = notes
        self._inbox: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.lost: list[str] = []  #: reasons why items were given up: failed requests to a model

    def post(self, kind: str, value: Any = None) -> None:
        """Post a note to the main thread."""
        self._inbox.put((kind, value))

    def map(self, items: Sequence[Item], work: Callable[[Item], Done]) -> Iterator[tuple[Item, Done]]:
        """Process items in parallel; yields results in order of completion, in the main thread.

        Items with failed requests to a model are added to `lost` and left for a resumed run.

        Raises:
            ChatError: a limit is reached, or the endpoint refuses requests.
        """
        todo: queue.SimpleQueue[Item] = queue.SimpleQueue()
        for item in items:
            todo.put(item)
        stopped = threading.Event()

        def worker() -> None:
            with contextlib.suppress(queue.Empty):
                while not stopped.is_set():
                    item = todo.get_nowait()
                    try:
                        self.post("done", (item, work(item)))
                    except TransportError as error:
                        self.post("lost", str(error))
                    except BaseException as error:  # raised again below
                        self.post("failed", error)
                        return

        for _ in range(min(self._jobs, len(items))):  # daemons: Ctrl-C does not wait for replies
            threading.Thread(target=worker, daemon=True).start()
        left = len(items)
        try:
            while left:
                kind, value = self._inbox.get()
                if kind in self._notes:
                    self._notes[kind](value)
                    continue
                left -= 1
                if kind == "failed":
                    raise value
                if kind == "lost":
                    self.lost.append(value)
                else:
                    yield value
        finally:
            stopped.set()


class Kept(dict[str, str]):
    """Evaluations; new ones are posted to the main thread, which stores them."""

    def __init__(self, known: Mapping[str, str], workers: Workers) -> None:
        super().__init__(known)
        self._workers = workers

    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key, value)
        self._workers.post("evaluated", (key, value))
