"""Plays hostile games, and reads damaged pickles and bytes of states, for a given time: a command.

Run it against a build with ``VGDL_DEBUG=1``, whose checks compare every shortcut of the engine with the specification's own loops. Every
case has a label from which it can be made again (``python playing.py KIND NUMBER 1``). A case fails that ends its process, raises an exception
other than VGDLError, or takes longer than ``--patience``; it is noted, and the next one played. Ends with status 1 if any failed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from hostile import playing

BATCH = 200  #: games per process
DATA_BATCH = 5000  #: damaged states per process: reading one takes less time than making the states does


class Endless:
    """The cases played so far, and the failures."""

    def __init__(self, kinds: Sequence[str], first: int, ticks: int, patience: float) -> None:
        self.kinds, self.ticks, self.patience = kinds, ticks, patience
        self.next = dict.fromkeys(kinds, first)
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.failures: list[str] = []
        self.lock = threading.Lock()

    def run(self, end: float) -> None:
        """Play batch after batch, each kind in turn, until a time of `time.monotonic`."""
        turn = 0
        while time.monotonic() < end:
            kind = self.kinds[turn % len(self.kinds)]
            turn += 1
            size = DATA_BATCH if kind in playing.DATA else BATCH
            with self.lock:
                first = self.next[kind]
                self.next[kind] += size
            self.batch(kind, first, first + size)

    def batch(self, kind: str, first: int, end: int) -> None:
        """Play cases; after one that kills the process, continue with the next in a new process."""
        while first < end:
            command = [sys.executable, "-P", playing.__file__, kind, str(first), str(end - first)]
            done = subprocess.run(
                [*command, str(self.patience), str(self.ticks)], capture_output=True, text=True, errors="replace"
            )
            lines = done.stdout.split("\n")
            played = [line for line in lines if line and not line.startswith("case")]
            with self.lock:
                self.counts[kind].update(played)
                first += len(played)
                if done.returncode == 0:
                    return
                self.counts[kind]["FAILED"] += 1
                self.failures.append(f"{kind}/{first}: status {done.returncode}\n{done.stderr[-2000:]}")
                print(self.failures[-1], flush=True)
            first += 1

    def report(self) -> None:
        with self.lock:
            for kind, counts in self.counts.items():
                print(f"{kind:>9}: {counts.total():>8} cases, " + ", ".join(f"{n} {how}" for how, n in counts.most_common()))
            print(flush=True)


def main() -> int:
    known = [*playing.KINDS, *playing.DATA]
    parser = argparse.ArgumentParser(description="Play hostile games and read damaged states for a given time.")
    parser.add_argument("kinds", nargs="*", default=known, metavar="KIND", help=f"of {', '.join(known)} (default: all)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each kind")
    parser.add_argument("--ticks", type=int, default=40, help="ticks of a play (default: %(default)s)")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds for one case (default: %(default)s)")
    options = parser.parse_args()
    endless = Endless(options.kinds, options.first, options.ticks, options.patience)
    end = time.monotonic() + options.seconds
    threads = [threading.Thread(target=endless.run, args=(end,)) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        threads[0].join(60)
        endless.report()
    return 1 if endless.failures else 0


if __name__ == "__main__":
    sys.exit(main())
