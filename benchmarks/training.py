"""Steps per second for learning: vector environments in every observation mode, beside a program written by hand in C.

    python benchmarks/training.py [--seconds S] [--only PART...] [--json]

CPU time on one core, best of three runs; arrays of the caller, random actions drawn beforehand, restarts included. The
hand-written Aliens (`aliens.c`) has the same observation; it is checked that both show the same plays.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium
import numpy as np
from aliens import compiled

import vgdl
import vgdl.envs
from vgdl import Action, games
from vgdl.core.planes import AVATAR_PLANES, Planes
from vgdl.core.vector import Vector
from vgdl.envs import VGDLVectorEnv
from vgdl.envs.vector import OUT

REPEATS = 3
WARM_UP = 100
"""Steps before a measurement, so that plays are at different points."""
CHECKED = 300
"""Steps in which the hand-written program must show what the engine shows."""
MODES: dict[str, dict[str, Any]] = {
    "grid": {},
    "grid, view of 4 cells": {"view": 4},
    "sprites": {"observation": "sprites"},
    "rgb, 84 x 84": {"observation": "rgb", "frame_size": (84, 84)},
    "rgb, 10 pixels a cell": {"observation": "rgb"},
    "text": {"observation": "text"},
}
TYPES = ("bunker", "westhatch", "easthatch", "shot", "bomb", "drifter", "raider", "cannon")
"""Planes of the hand-written program, before those of the avatar."""


@dataclass(frozen=True, slots=True)
class Rate:
    """One measurement."""

    part: str
    game: str
    what: str
    n: int  #: plays
    threads: int
    per_cpu_second: int  #: steps
    per_wall_second: int


def rate(step: Callable[[], object], plays: int, seconds: float) -> tuple[int, int]:
    """Steps per second of CPU time and of wall time; each call of ``step`` plays ``plays``."""
    for _ in range(WARM_UP if plays > 1 else 1000):
        step()
    by_cpu, by_wall = 0.0, 0.0
    for _ in range(REPEATS):
        played, cpu, wall = 0, time.process_time(), time.perf_counter()
        while (used := time.process_time() - cpu) < seconds:
            for _ in range(max(1, 1000 // plays)):
                step()
                played += plays
        by_cpu, by_wall = max(by_cpu, played / used), max(by_wall, played / (time.perf_counter() - wall))
    return round(by_cpu), round(by_wall)


def buffers(env: VGDLVectorEnv) -> dict[str, Any]:
    """Arrays of the caller for a vector environment whose observations are one array."""
    told = {"rewards": np.float32, "terminations": np.bool_, "truncations": np.bool_}
    seen = env.observation_space
    out: dict[str, Any] = {name: np.zeros(env.num_envs, told[name]) for name in OUT if name in told}
    return out | ({"observations": np.zeros(seen.shape, seen.dtype)} if isinstance(seen, gymnasium.spaces.Box) else {})


def vector(game: str, plays: int, seconds: float, *, threads: int = 1, **options: Any) -> tuple[int, int]:
    """A vector environment that writes into arrays of the caller."""
    out = buffers(VGDLVectorEnv(game, plays, **options))
    env = VGDLVectorEnv(game, plays, threads=threads, copy=False, out=out, **options)
    env.reset(seed=0)
    actions = itertools.cycle(np.random.default_rng(0).integers(len(env.actions), size=(64, plays)))
    return rate(lambda: env.step(next(actions)), plays, seconds)


class ByHand:
    """The hand-written plays of Aliens, level 0, stepped as a `Vector` is."""

    def __init__(self, plays: int) -> None:
        board = vgdl.load("aliens").board(0)
        planes, module = Planes(board.tables), compiled()
        self.observations = np.zeros((plays, *planes.shape), np.uint8)
        shown = [board.game.types[kind] for kind in planes.types]
        numbers = (*map(shown.index, TYPES), len(shown) + AVATAR_PLANES.index("avatar"))  # the cannon faces nowhere
        self.rewards, self.ends = np.zeros(plays), np.zeros(plays, np.uint8)
        start = module.State(games.levels("aliens")[0].read_text(), 1)
        self.step = module.Plays(start, plays, numbers, self.observations, self.rewards, self.ends).step


def check(plays: int = 8) -> None:
    """See that the hand-written program shows what the engine does; SystemExit at the first difference."""
    board = vgdl.load("aliens").board(0)
    engine, hand = Vector(Planes(board.tables), plays, range(6)), ByHand(plays)
    choices = np.random.default_rng(0)
    for step in range(CHECKED):
        seeds = choices.integers(2**31, size=plays)
        actions = choices.choice([Action.LEFT, Action.RIGHT, Action.USE], size=plays).astype(np.int64)
        if step == 0:
            engine.restart_all(seeds)
        else:
            engine.step(actions, seeds)
        hand.step(actions, seeds)
        ours = engine.arrays
        pairs = (
            (ours["observations"], hand.observations),
            (ours["rewards"], hand.rewards),
            (ours["terminations"], hand.ends),
        )
        if not all(np.array_equal(one, other) for one, other in pairs):
            sys.exit(f"the hand-written program differs in step {step}")


def by_hand(count: int, seconds: float) -> tuple[int, int]:
    """The hand-written program, with the actions of Aliens."""
    plays, choices = ByHand(count), np.random.default_rng(0)
    actions = itertools.cycle(
        choices.choice([0, Action.LEFT, Action.RIGHT, Action.USE], size=(64, count)).astype(np.int64)
    )
    seeds = choices.integers(2**31, size=count)
    return rate(lambda: plays.step(next(actions), seeds), count, seconds)


def sync(game: str, plays: int, seconds: float) -> tuple[int, int]:
    """Gymnasium's vector environment of single ones."""
    env = gymnasium.make_vec(vgdl.envs.env_id(game), plays, vectorization_mode="sync")
    env.reset(seed=0)
    size = env.single_action_space.n  # type: ignore[attr-defined]
    actions = itertools.cycle(np.random.default_rng(0).integers(size, size=(64, plays)))
    return rate(lambda: env.step(next(actions)), plays, seconds)


def single(game: str, seconds: float) -> tuple[int, int]:
    """One play through ``gymnasium.make``."""
    env = gymnasium.make(vgdl.envs.env_id(game), disable_env_checker=True)
    env.reset(seed=0)
    size = env.action_space.n  # type: ignore[attr-defined]
    actions = itertools.cycle(np.random.default_rng(0).integers(size, size=10_000).tolist())

    def step() -> None:
        if any(env.step(next(actions))[2:4]):
            env.reset()

    return rate(step, 1, seconds)


def measure(part: str, seconds: float) -> Iterator[Rate]:
    """The measurements of a part."""
    if part == "games":
        for game in ("aliens", "sokoban", "boulderdash"):
            yield Rate(part, game, "grid", 1024, 1, *vector(game, 1024, seconds))
        yield Rate(part, "aliens", "grid, written by hand in C", 1024, 1, *by_hand(1024, seconds))
        yield Rate(part, "aliens", "grid, SyncVectorEnv", 64, 1, *sync("aliens", 64, seconds))
        yield Rate(part, "aliens", "grid, gymnasium.make", 1, 1, *single("aliens", seconds))
    elif part == "modes":
        for what, options in MODES.items():
            yield Rate(part, "aliens", what, 1024, 1, *vector("aliens", 1024, seconds, **options))
    elif part == "plays":
        for n in (16, 64, 256, 1024, 4096, 16384):
            yield Rate(part, "aliens", "grid", n, 1, *vector("aliens", n, seconds))
    else:
        for threads in (1, 2):
            yield Rate(part, "aliens", "grid", 4096, threads, *vector("aliens", 4096, seconds, threads=threads))


PARTS = ("games", "modes", "plays", "threads")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of a run (default: 0.5)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    check()
    rates: list[Rate] = []
    for part in options.only:
        for found in measure(part, options.seconds):
            rates.append(found)
            if not options.json:
                print(
                    f"{found.game:13}{found.what:30}{found.n:7} plays{found.threads:3} threads"
                    f"{found.per_cpu_second:13,} /CPU s{found.per_wall_second:13,} /wall s",
                    flush=True,
                )
    if options.json:
        print(json.dumps([asdict(found) for found in rates], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
