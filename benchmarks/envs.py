"""Environment steps per second: single environments by observation mode, and vector environments.

    python benchmarks/envs.py [--games GAME...] [--seconds S] [--json]

Random actions; observations and resets are included. CPU time, summed over threads, shows what threads cost; wall time
shows what they gain, if the machine has idle cores.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium
import numpy as np

import vgdl.envs
from vgdl.envs.observers import MODES

SIZES = (1, 16, 64, 256, 1024)
THREADS = (2, 4)
REPEATS = 3
"""The best run counts."""


@dataclass(frozen=True, slots=True)
class Rate:
    """One measurement."""

    game: str
    environment: str
    n: int  #: plays
    threads: int
    per_cpu_second: int  #: ticks
    per_wall_second: int


def rate(step: Callable[[], object], ticks: int, seconds: float) -> tuple[int, int]:
    """Ticks per second of CPU time and of wall time; each call of ``step`` plays ``ticks`` ticks."""
    by_cpu, by_wall = 0.0, 0.0
    for _ in range(REPEATS):
        played, cpu, wall = 0, time.process_time(), time.perf_counter()
        while (used := time.process_time() - cpu) < seconds:
            for _ in range(16):
                step()
            played += 16 * ticks
        by_cpu, by_wall = max(by_cpu, played / used), max(by_wall, played / (time.perf_counter() - wall))
    return round(by_cpu), round(by_wall)


def single(name: str, mode: str, seconds: float) -> tuple[int, int]:
    env = gymnasium.make(name, observation=mode, disable_env_checker=True)
    env.reset(seed=0)
    actions = iter(np.random.default_rng(0).integers(env.action_space.n, size=10_000_000))  # type: ignore[attr-defined]

    def step() -> None:
        _, _, terminated, truncated, _ = env.step(next(actions))
        if terminated or truncated:
            env.reset()

    return rate(step, 1, seconds)


def vector(name: str, plays: int, seconds: float, mode: str, **options: Any) -> tuple[int, int]:
    env = gymnasium.make_vec(name, plays, vectorization_mode=mode, **options)
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(env.single_action_space.n, size=(64, plays))  # type: ignore[attr-defined]
    count = iter(range(10_000_000))
    return rate(lambda: env.step(actions[next(count) % 64]), plays, seconds)


def measure(game: str, seconds: float) -> list[Rate]:
    name = vgdl.envs.env_id(game)
    rates = [Rate(game, f"single, {mode}", 1, 1, *single(name, mode, seconds)) for mode in MODES]
    rates.append(Rate(game, "SyncVectorEnv of single ones, grid", 64, 1, *vector(name, 64, seconds, "sync")))
    compiled = "vector_entry_point"
    rates += [Rate(game, "vector, grid", n, 1, *vector(name, n, seconds, compiled)) for n in SIZES]
    return rates + [
        Rate(game, "vector, grid", SIZES[-1], threads, *vector(name, SIZES[-1], seconds, compiled, threads=threads))
        for threads in THREADS
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    games = sorted(vgdl.envs.env_ids().values())
    parser.add_argument("--games", nargs="+", choices=games, default=["sokoban", "aliens"], metavar="GAME")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a run (default: 0.5)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    rates = [found for game in options.games for found in measure(game, options.seconds)]
    if options.json:
        print(json.dumps([asdict(found) for found in rates], indent=1))
        return 0
    print(f"{'game':16}{'environment':38}{'plays':>6}{'threads':>9}{'/CPU s':>13}{'/wall s':>13}")
    for found in rates:
        print(
            f"{found.game:16}{found.environment:38}{found.n:6}{found.threads:9}{found.per_cpu_second:13,}{found.per_wall_second:13,}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
