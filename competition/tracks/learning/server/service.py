"""The server: one run per connection, the games in turn; a client that fails or vanishes ends its own run only."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vgdl.competition.agents.failure import AgentFailed
from vgdl.competition.tracks.learning.lesson import Lesson
from vgdl.competition.tracks.learning.rows import PlayRow, RunKey, RunRow
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.learning.server.player import ANSWER_S, WirePlayer
from vgdl.competition.tracks.learning.views import Course

MOST_CLIENTS = 64
"""Clients at once; the connections of others are closed."""


@dataclass(frozen=True, slots=True)
class ServedRun:
    """A run with its plays."""

    run: RunRow
    plays: tuple[PlayRow, ...]


class LearningService:
    """Serves clients on a listening socket, each in a thread of its own."""

    def __init__(
        self,
        courses: Sequence[Course],
        rules: LearningRules,
        secret: int,
        *,
        on_run: Callable[[ServedRun], None],
        answer_s: float = ANSWER_S,
        most_runs: int | None = None,
    ) -> None:
        """Prepare to serve.

        Args:
            courses: the games, which clients get in turn.
            rules: the rules; without probes, and not frozen.
            secret: the number from which the seeds of all plays derive.
            on_run: called with every finished run, one at a time.
            answer_s: seconds without an answer after which a connection ends.
            most_runs: number of clients after which the server ends; None for no end.
        """
        self._courses, self._rules, self._secret = courses, rules, secret
        self._on_run, self._answer_s, self._most_runs = on_run, answer_s, most_runs
        self._lock = threading.Lock()
        self._players: set[WirePlayer] = set()
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()
        self._clients = 0

    def serve(self, listening: socket.socket) -> None:
        """Serve until ``stop`` is called or all runs are done; then wait for the clients that are still there."""
        listening.settimeout(0.2)
        while not self._stopped.is_set() and (self._most_runs is None or self._clients < self._most_runs):
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                continue
            except OSError:
                break  # the socket was closed
            if len(self._players) >= MOST_CLIENTS:
                connection.close()
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            player = WirePlayer(connection, self._answer_s)
            with self._lock:
                number = self._clients
                self._clients += 1
                self._players.add(player)
            thread = threading.Thread(target=self._attend, args=(player, number), daemon=True)
            self._threads = [each for each in self._threads if each.is_alive()] + [thread]
            thread.start()
        for thread in self._threads:
            thread.join()

    def stop(self) -> None:
        """End all runs."""
        self._stopped.set()
        with self._lock:
            players = list(self._players)
        for player in players:
            player.kill()

    def _attend(self, player: WirePlayer, number: int) -> None:
        """One client's run."""
        course = self._courses[number % len(self._courses)]
        key = RunKey(f"client {number + 1}", course.game.name, number // len(self._courses))
        began = time.monotonic()
        with player:
            lesson = Lesson(key, course, self._rules, player, self._secret)
            plays = tuple(lesson.plays())
            with contextlib.suppress(AgentFailed):
                player.finish()
        with self._lock:
            self._players.discard(player)
            run = lesson.run_row(seed=0, isolation="", seconds=time.monotonic() - began)
            self._on_run(ServedRun(run, plays))
