"""CPU milliseconds to draw one frame, for every level of the bundled games.

``python benchmarks/render.py`` prints a line per level and the median over all levels, which should stay below
2 ms; ``--games`` selects games.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence

import vgdl
from vgdl import StateObservation, games
from vgdl.render import BLOCK, frame

TARGET_MS = 2.0  #: of the median level
WARM_UP_TICKS = 50  #: played before measuring, so that moving sprites have left their start


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if the median level takes longer than ``TARGET_MS``."""
    parser = argparse.ArgumentParser(description="CPU time of a frame per level.")
    parser.add_argument("--games", nargs="+", choices=games.names(), default=games.names(), metavar="GAME")
    parser.add_argument("--frames", type=int, default=100, help="per level; the median counts (default: 100)")
    parser.add_argument("--block", type=int, default=BLOCK, help=f"pixels per cell (default: {BLOCK})")
    options = parser.parse_args(arguments)
    times = []
    for name in options.games:
        game = vgdl.load(name)
        for number in range(len(game.levels)):
            state = game.start(level=number, seed=0)
            state.random_rollout(WARM_UP_TICKS, seed=0)
            times.append(milliseconds(state, options.frames, options.block))
            width, height = (side // state.block_size for side in state.world_dimension)
            print(f"{name} {number}: {width} x {height} cells, {times[-1]:.2f} ms")
    median = statistics.median(times)
    print(f"median level: {median:.2f} ms")
    return int(median > TARGET_MS)


def milliseconds(state: StateObservation, frames: int, block: int) -> float:
    """Median CPU time of a frame."""
    samples = []
    for _ in range(frames):
        start = time.process_time_ns()
        frame(state, block)
        samples.append((time.process_time_ns() - start) / 1e6)
    return statistics.median(samples)


if __name__ == "__main__":
    sys.exit(main())
