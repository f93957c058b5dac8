"""How batches scale with threads, compared with independent processes: the limit of the machine.

Advances a batch of states by one tick (`advance_many`) and by random rollouts (`random_rollouts`), with one thread and with one
per core. Measures wall time: run it on an idle machine.

    python benchmarks/threads.py [GAME...] [--states N] [--seconds S] [--json]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import vgdl
from vgdl.core.thread_pool import cores

GAMES = ("aliens", "sokoban", "boulderdash")

DEPTH = 10
"""Ticks of a rollout."""

REPEATS = 7


@dataclass(frozen=True, slots=True)
class Row:
    """Ticks per second of wall time."""

    game: str
    what: str
    one_thread: float
    threads: float  #: with one thread per core
    processes: float  #: total of one process per core, each with one thread and its own batch


def one_tick(states: list[vgdl.StateObservation], threads: int) -> None:
    vgdl.advance_many(states, [vgdl.Action.LEFT] * len(states), threads=threads)


def rollouts(states: list[vgdl.StateObservation], threads: int) -> None:
    vgdl.random_rollouts(states, DEPTH, range(len(states)), threads=threads)


KINDS: dict[str, tuple[Callable[[list[vgdl.StateObservation], int], None], int]] = {
    "advance_many": (one_tick, 1),
    "random_rollouts": (rollouts, DEPTH),
}


def measure(game: str, kind: str, size: int, threads: int, seconds: float) -> float:
    """Ticks per second, median of several runs; all games are reset to the start before each call."""
    call, depth = KINDS[kind]
    start = vgdl.load(game).start(seed=1)
    states = [start.copy(seed=k, history=False) for k in range(size)]
    rates = []
    for _ in range(REPEATS):
        calls, used = 0, 0.0
        while used < seconds:
            for k, state in enumerate(states):
                start.copy_into(state, seed=k)
            started = time.perf_counter()
            call(states, threads)
            used += time.perf_counter() - started
            calls += 1
        rates.append(calls * size * depth / used)
    return sorted(rates)[REPEATS // 2]


def alone(arguments: tuple[str, str, int, int, float]) -> float:
    return measure(*arguments)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", default=GAMES)
    parser.add_argument("--states", type=int, default=2000, help="states of a batch (default: 2000)")
    parser.add_argument("--seconds", type=float, default=0.3, help="wall time of a run (default: 0.3)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    rows = []
    with mp.get_context("spawn").Pool(cores()) as pool:
        for game in options.games:
            for kind in KINDS:
                one, many = (measure(game, kind, options.states, threads, options.seconds) for threads in (1, cores()))
                together = pool.map(alone, [(game, kind, options.states, 1, options.seconds)] * cores(), chunksize=1)
                rows.append(Row(game, kind, one, many, sum(together)))
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
        return 0
    print(f"ticks/s of wall time, {cores()} cores\n{'':32}{'1 thread':>12}{'threads':>20}{'processes':>20}")
    for row in rows:
        shares = "".join(f"{rate:>12,.0f} ({rate / row.one_thread:4.2f})" for rate in (row.threads, row.processes))
        print(f"{row.game:16}{row.what:16}{row.one_thread:>12,.0f} {shares}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
