"""How the cost of a tick grows with the area of a level, the number of moving sprites, and the number of static ones.

    python benchmarks/scaling.py [--seconds S] [--json]

Three curves, in CPU time per tick. ``area``: ten walkers in a closed room, with increasing wall and floor outside;
should be constant. ``movers``: an increasing number of walkers in a sufficiently large hall; should be linear.
``crowd``: as many static sprites as walkers, with a rule for the pair; should also be linear, not quadratic.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import vgdl

GAME = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        post > Immovable
        walker > RandomNPC
        player > MovingAvatar
    LevelMapping
        . > floor
        w > floor wall
        p > floor post
        r > floor walker
        A > floor player
    InteractionSet
        player walker wall > stepBack
        walker wall > stepBack
        walker post > stepBack
        post player > killSprite
    TerminationSet
        Timeout limit=2000
"""

ROOM = 12
"""Side of the closed room of the curve ``area``, cells."""

WARM_UP = 20
"""Ticks played before the measurement, so that all walkers have started to move."""

DEPTH = 10
"""Ticks of a rollout."""

REPEATS = 7


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement."""

    curve: str
    size: int  #: cells of the level, or number of walkers
    ns_per_tick: float
    bytes: int


def room_beside_wall(cells: int) -> str:
    """A level of ``cells`` cells: a closed room with ten walkers; the rest alternates wall and floor."""
    rows = [["w."[(x + y) % 2] for x in range(max(ROOM, cells // ROOM))] for y in range(ROOM)]
    for y in range(ROOM):
        for x in range(ROOM):
            rows[y][x] = "w" if x in (0, ROOM - 1) or y in (0, ROOM - 1) else "."
    for k in range(10):
        rows[2 + 2 * (k // 5)][1 + 2 * (k % 5)] = "r"
    rows[ROOM - 2][ROOM - 2] = "A"
    return _text(rows)


def hall(walkers: int, others: str = ".") -> str:
    """A hall of about 16 cells per walker, with as many ``others`` in between."""
    side = math.ceil(math.sqrt(16 * walkers)) + 2
    rows = [["w" if x in (0, side - 1) or y in (0, side - 1) else "." for x in range(side)] for y in range(side)]
    inner = [(x, y) for y in range(2, side - 1, 4) for x in range(2, side - 1, 4)]
    for x, y in inner[:walkers]:
        rows[y][x] = "r"
        if y + 2 < side - 1:
            rows[y + 2][x] = others
    rows[side - 2][side - 2] = "A"
    return _text(rows)


def _text(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("".join(row) for row in rows) + "\n"


CURVES: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    "area": (room_beside_wall, (144, 288, 576, 1152, 2304, 4608)),
    "movers": (hall, (10, 20, 40, 80, 160, 320)),
    "crowd": (lambda walkers: hall(walkers, "p"), (10, 20, 40, 80, 160, 320)),
}


def measure(curve: str, level: str, size: int, seconds: float) -> Point:
    """Time per tick without copies, best of several runs."""
    state = vgdl.loads(GAME).start(level=level, seed=1)
    state.random_rollout(WARM_UP, 1)
    best = math.inf
    for _ in range(REPEATS):
        used, ticks, seed = 0.0, 0, 0
        while used < seconds:
            copies = [state.copy(seed=seed + k, history=False) for k in range(100)]
            started = time.process_time()
            for copy in copies:
                ticks += copy.random_rollout(DEPTH, seed)
            used += time.process_time() - started
            seed += len(copies)
        best = min(best, used / ticks)
    return Point(curve, size, best * 1e9, state.n_bytes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.1, help="CPU time of a run (default: 0.1)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    points = [
        measure(curve, level(size), size, options.seconds) for curve, (level, sizes) in CURVES.items() for size in sizes
    ]
    if options.json:
        print(json.dumps([asdict(point) for point in points], indent=1))
        return 0
    for curve in CURVES:
        print(f"\n{curve:8}{'ns/tick':>10}{'growth':>9}{'bytes':>9}")
        before = math.nan
        for point in (point for point in points if point.curve == curve):
            growth = "" if math.isnan(before) else f"{point.ns_per_tick / before:.2f}"
            print(f"{point.size:8}{point.ns_per_tick:10,.0f}{growth:>9}{point.bytes:9,}")
            before = point.ns_per_tick
    return 0


if __name__ == "__main__":
    sys.exit(main())
