"""A match that a person plays in the browser, against random moves or a search.

A process of its own plays the match: it has the rules, the clock and whatever is hidden, searches at a low priority,
and sends what the person may see, which is what a model in the same seat is shown. The site passes messages on, a JSON
object in each line: ``{"game", "opponent", "seat"}`` first, then ``{"turn", "move"}`` with the number of a move in the
list that it got.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, cast

from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.gamebot.answers import Reading
from vgdl.competition.tracks.gamebot.match import Match, MatchOptions, Player, Response
from vgdl.competition.tracks.gamebot.pages.drawings import drawing
from vgdl.competition.tracks.gamebot.players import MovePlayer, at_random, exhaustive, searching
from vgdl.competition.tracks.gamebot.task import Task
from vgdl.competition.tracks.gamebot.tasks import TASKS

OPPONENTS = ("random", "mcts")
"""Whom a person plays: random moves, or the search, which is exhaustive in Tic-tac-toe."""

PERSON_MS = 600_000.0
"""Limit of wall time for all moves of the person."""

SIMULATIONS = 200
"""Simulations of the search per move."""

NICE = 10
"""Added to the priority of the process: pages come first."""

MEMORY_MB, CPU_S = 2048, 900
"""Limits of the process: address space in MiB, and seconds of CPU time."""

Post = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who plays what."""

    game: str
    opponent: str
    seat: int  #: of the person, 0 or 1

    def __post_init__(self) -> None:
        """Check the names.

        Raises:
            ValueError: there is no such game, opponent or seat.
        """
        if self.game not in TASKS:
            raise ValueError(f"there is no game {self.game!r:.50}")
        if self.opponent not in OPPONENTS:
            raise ValueError(f"there is no opponent {self.opponent!r:.50}: choose {' or '.join(OPPONENTS)}")
        if type(self.seat) is not int or self.seat not in (0, 1):
            raise ValueError("the seat is 0 or 1")


class LiveMatch:
    """The match of a pairing, seen from the site."""

    def __init__(self, pairing: Pairing, post: Post) -> None:
        """Prepare.

        Args:
            pairing: who plays what.
            post: takes each event, JSON-compatible; called from the thread of ``run``.
        """
        self._pairing, self._post = pairing, post
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def run(self) -> None:
        """Play to the end.

        Raises:
            CompetitionError: the process of the match has failed.
        """
        with self._lock:
            if self._stopped:
                return
            command = [sys.executable, "-P", "-m", __name__]
            pipe = subprocess.PIPE
            self._process = process = subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0)
        with process:
            self._write(asdict(self._pairing))
            over = False
            for line in io.BufferedReader(cast(io.FileIO, process.stdout)):
                event = json.loads(line)
                over = bool(event.get("over") or event.get("problem"))
                self._post(event)
            process.kill()
        if not over and not self._stopped:
            raise CompetitionError("the match was ended by an error of the site, or a limit of its process")

    def hear(self, message: dict[str, Any]) -> None:
        """Take a move of the person; whatever is none is ignored."""
        turn, move = message.get("turn"), message.get("move")
        if type(turn) is int and type(move) is int:
            self._write({"turn": turn, "move": move})

    def stop(self) -> None:
        """End the match."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def _write(self, message: dict[str, Any]) -> None:
        process = self._process
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # the match has ended
                process.stdin.write(json.dumps(message).encode() + b"\n")


class _Person:
    """The person, in the process of the match."""

    name = "you"

    def __init__(self, table: Table) -> None:
        self._table = table
        self._left_s = PERSON_MS / 1000

    def respond(self, task: Task, state: Any, player: int, turn: int, attempt: int, fault: str) -> Response:
        """Show the position, and wait for the number of a move; without one in time, the match is forfeited."""
        moves = task.moves(state, player)
        self._table.show(yours=True, turn=turn, moves=list(map(task.written, moves)), left=round(1000 * self._left_s))
        began = time.monotonic()
        ends = began + self._left_s
        while True:
            try:
                asked, chosen = self._table.answers.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                return Response(Reading())
            if asked == turn and 0 <= chosen < len(moves):
                self._left_s = ends - time.monotonic()
                self._table.show(yours=False)
                return Response(Reading(move=moves[chosen]))


class Table:
    """The match, in its own process."""

    def __init__(self, pairing: Pairing, post: Post, seed: int) -> None:
        """Load the game.

        Raises:
            CompetitionError: a package is missing.
        """
        self.answers: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
        self._seat, self._post = pairing.seat, post
        self._task = task = TASKS[pairing.game]()
        is_small = pairing.game == "tic_tac_toe"
        search = exhaustive if is_small else searching(SIMULATIONS, seed)
        other = MovePlayer(pairing.opponent, at_random(seed) if pairing.opponent == "random" else search)
        players: list[Player] = [other, other]
        players[self._seat] = _Person(self)
        self._match = Match(task, players, random.Random(seed), MatchOptions(forfeit=True))
        self._names = tuple(player.name for player in players)

    def play(self) -> None:
        """Play to the end."""
        self._post({"seats": list(self._task.seats), "names": list(self._names), "you": self._seat})
        result = self._match.play()
        own, other = result.values[self._seat], result.values[1 - self._seat]
        self.show(over=True, values=[own, other], unit=str(self._task.outcomes), forfeited=result.forfeited)

    def show(self, **facts: Any) -> None:
        """Post the position as the person's seat sees it, and the moves so far.

        Where both move at once, a move of the other player is shown only once the person's own is made.
        """
        state, turns = self._match.state, self._match.turns
        if not facts.get("over") and state.is_simultaneous_node():
            turns = turns[: len(turns) - len(turns) % 2]
        text = self._task.text(state, self._seat)
        moves = [[turn.player, turn.move] for turn in turns if turn.move]
        self._post({**facts, "text": text, "drawing": drawing(self._task.name, text), "played": moves})


def main() -> int:
    """Play the match that the first line of standard input describes; returns the exit status."""
    _limit()
    first = json.loads(sys.stdin.readline())

    def post(event: dict[str, Any]) -> None:
        print(json.dumps(event), flush=True)

    try:
        table = Table(Pairing(**first), post, random.SystemRandom().getrandbits(62))
    except (CompetitionError, ValueError, TypeError) as error:
        post({"problem": str(error)})
        return 1

    def listen() -> None:
        for line in sys.stdin:
            message = json.loads(line)
            table.answers.put((message["turn"], message["move"]))
        os._exit(0)  # the site has gone

    threading.Thread(target=listen, daemon=True).start()
    table.play()
    sys.stdout.flush()
    os._exit(0)  # the thread may be waiting for a line


def _limit() -> None:
    """Limit this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 20, MEMORY_MB << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main())
