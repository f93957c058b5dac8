"""Actions per second of the bundled ARC games in one process, frames included.

    python benchmarks/arc.py                   # all games: under a minute
    python benchmarks/arc.py --actions 5000

Actions are drawn uniformly from those that a game offers, clicks from all pixels. Times are CPU time of this process on
one core. A click that means a walk is a path search and up to 100 ticks in one action, so its row is to be read apart.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict

from vgdl.competition.tracks.arc.frame import CLICK, SIZE, State
from vgdl.competition.tracks.arc.game import VgdlGame, bundled
from vgdl.competition.tracks.arc.local import LocalArc
from vgdl.competition.tracks.arc.options import Way


def main() -> None:
    parser = argparse.ArgumentParser(description="Actions per second of the bundled ARC games.")
    parser.add_argument("--actions", type=int, default=2000, help="per game (default: 2000)")
    n = parser.parse_args().actions
    rows: dict[tuple[str, str], list[float]] = defaultdict(list)
    for game in bundled(tuple(Way)):
        rows[game.way, game.clicks or ""].append(seconds(game, n) / n)
    print("| played with | a click is a | games | actions per second: mean | slowest game |\n|---|---|--:|--:|--:|")
    for (way, clicks), found in sorted(rows.items()):
        print(f"| {way} | {clicks or '–'} | {len(found)} | {len(found) / sum(found):,.0f} | {1 / max(found):,.0f} |")


def seconds(game: VgdlGame, steps: int) -> float:
    """CPU time of random actions."""
    environment, rng = LocalArc([game]).make(game.id), random.Random(1)
    frame = environment.reset()
    began = time.process_time()
    for _ in range(steps):
        if frame.state != State.NOT_FINISHED:
            frame = environment.reset()
            continue
        action = rng.choice(frame.available_actions)
        place = (rng.randrange(SIZE), rng.randrange(SIZE)) if action == CLICK else ()
        frame = environment.step(action, *place)
    return time.process_time() - began


if __name__ == "__main__":
    main()
