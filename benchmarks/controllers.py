"""How many simulations the searches make in 40 ms of CPU time, and how long their longest answer takes.

    python benchmarks/controllers.py                          # all searches on three games
    python benchmarks/controllers.py olets --games sokoban    # one of them
    perf record -D 1500 python benchmarks/controllers.py olets --games sokoban && perf report --sort dso

Each search plays the first ticks of every level, with the clock and the margin that it has in a competition.
"""

from __future__ import annotations

import argparse
from typing import Any

import vgdl
from vgdl import Meter
from vgdl.controllers import Timer
from vgdl.controllers.registry import find

SEARCHES = ("olets", "samplemcts", "openloopmcts", "normal_mcts", "mn_mcts", "mmbot", "samplega", "testgag", "yraid")
GAMES = ("aliens", "butterflies", "sokoban")
BUDGET_MS = 40.0
LEVELS = 5
TICKS = 30  # played per level


def search_of(player: Any) -> Any:
    """The compiled search of a controller: a tree or a population."""
    return player._tree if hasattr(player, "_tree") else player._search


def measure(name: str, game: str) -> str:
    """A row of the table: means per answer, and the longest answer."""
    make: Any = find(name).load()
    answers = simulations = advances = 0
    longest_ms = 0.0
    for level in range(LEVELS):
        state = vgdl.load(game).start(level=level, seed=level)
        state.meter = Meter()
        player = make(state.copy(), Timer(), seed=level)
        while not state.is_over and state.tick < TICKS:
            shown = state.copy(seed=state.tick)
            timer = Timer(BUDGET_MS, meter=state.meter)
            action = player.act(shown, timer)
            longest_ms = max(longest_ms, timer.elapsed_ms)
            answers += 1
            advances += timer.calls_used
            simulations += search_of(player).iterations
            state.advance(action)
    return f"| {name} | {game} | {simulations // answers:,} | {advances // answers:,} | {longest_ms:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("searches", nargs="*", default=SEARCHES)
    parser.add_argument("--games", nargs="+", default=GAMES)
    options = parser.parse_args()
    print("| controller | game | simulations | ticks simulated | longest answer, ms |\n|---|---|--:|--:|--:|")
    for name in options.searches:
        for game in options.games:
            print(measure(name, game), flush=True)


if __name__ == "__main__":
    main()
