"""Plays hostile games, and reads damaged pickles and bytes of states, for a given time: a command.

Run it against a build with ``VGDL_DEBUG=1``, whose checks compare every shortcut of the engine with the specification's own loops. Every
case has a label from which it can be made again (``python playing.py KIND NUMBER 1 SECONDS TICKS LEVELS``). A case fails that ends its process,
raises an exception other than VGDLError, or needs more than ``--patience`` of CPU time to load a text or for a tick; it is noted, and the next
one played. With ``--store`` what was played is kept in a file, and is not played again. Ends with status 1 if any case failed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from hostile import playing
from hostile.agents import AGENTS

#: Cases per process. Reading damaged states takes less time than making the states does; crowds take long.
BATCHES = {"dense": 10, **dict.fromkeys(AGENTS, 20), **dict.fromkeys(playing.DATA, 5000)}
BATCH = 250  #: of any other kind
REPORT_S = 60.0  #: seconds between reports


class Endless:
    """The cases played so far, and the failures."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.store: Path | None = options.store
        self.games: Counter[str] = Counter()
        self.plays: dict[str, Counter[str]] = defaultdict(Counter)
        self.failures: list[str] = []
        self.done: set[tuple[str, int]] = set()  #: kinds and first numbers of batches
        self.starts = {kind: itertools.count(options.first, BATCHES.get(kind, BATCH)) for kind in options.kinds}
        self.lock = threading.Lock()
        if self.store is not None and self.store.exists():
            for line in self.store.read_text(encoding="utf-8").split("\n")[:-1]:  # a killed run may leave half a line
                self.add(json.loads(line))

    def run(self, end: float) -> None:
        """Play batch after batch, each kind in turn, until a time of `time.monotonic`."""
        for kind in itertools.cycle(self.options.kinds):
            if time.monotonic() >= end:
                return
            with self.lock:
                first = next(number for number in self.starts[kind] if (kind, number) not in self.done)
            played = self.batch(kind, first, first + BATCHES.get(kind, BATCH))
            with self.lock:
                self.add(played)
                if self.store is not None:
                    with self.store.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(played) + "\n")

    def batch(self, kind: str, first: int, end: int) -> dict[str, Any]:
        """Play cases; after one that kills the process, continue with the next in a new process."""
        played: dict[str, Any] = {"kind": kind, "first": first, "games": end - first, "failures": []}
        plays: Counter[str] = Counter()
        while first < end:
            command = [sys.executable, "-P", playing.__file__, kind, str(first), str(end - first)]
            limits = [self.options.patience, self.options.ticks, self.options.levels]
            done = subprocess.run([*command, *map(str, limits)], capture_output=True, text=True, errors="replace")
            words = [line for line in done.stdout.split("\n") if line]
            begun = sum(word.startswith("case") for word in words)
            plays.update(word for word in words if not word.startswith("case"))
            first += begun
            if done.returncode:
                label = f"{kind}/{first - 1}"
                plays["FAILED"] += 1
                played["failures"].append(f"{label}: status {done.returncode}\n{done.stderr[-2000:]}")
                print(played["failures"][-1], flush=True)
                first += not begun  # it did not even start
        return {**played, "plays": plays}

    def add(self, played: dict[str, Any]) -> None:
        """Count a batch."""
        kind = played["kind"]
        self.done.add((kind, played["first"]))
        self.games[kind] += played["games"]
        self.plays[kind].update(played["plays"])
        self.failures += played["failures"]

    def report(self) -> None:
        with self.lock:
            for kind, plays in self.plays.items():
                ends = ", ".join(f"{n} {how}" for how, n in plays.most_common())
                print(f"{kind:>9}: {self.games[kind]:>8} cases, {plays.total():>8} plays: {ends}")
            total = sum(plays.total() for plays in self.plays.values())
            print(
                f"{'all':>9}: {self.games.total():>8} cases, {total:>8} plays, {len(self.failures)} failed", flush=True
            )


def options_of(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    known = [*playing.KINDS, *AGENTS, *playing.DATA]
    parser = argparse.ArgumentParser(description="Play hostile games and read damaged states for a given time.")
    parser.add_argument("kinds", nargs="*", default=known, metavar="KIND", help=f"of {', '.join(known)} (default: all)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each kind")
    parser.add_argument("--ticks", type=int, default=40, help="ticks of a play (default: %(default)s)")
    parser.add_argument("--levels", type=int, default=8, help="levels that a game is played on (default: %(default)s)")
    parser.add_argument(
        "--patience", type=float, default=60.0, help="seconds of CPU time for a tick (default: %(default)s)"
    )
    parser.add_argument("--store", type=Path, help="file of what was played; a run with it continues the last one")
    return parser.parse_args(arguments)


def main() -> int:
    options = options_of()
    endless = Endless(options)
    end = time.monotonic() + options.seconds
    threads = [threading.Thread(target=endless.run, args=(end,)) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        threads[0].join(REPORT_S)
        endless.report()
    return 1 if endless.failures else 0


if __name__ == "__main__":
    sys.exit(main())
