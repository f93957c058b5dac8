"""Simulations of the searches in 40 ms of CPU time, and the time of their longest answer.

    python benchmarks/controllers.py                          # all searches on three games
    python benchmarks/controllers.py olets --games sokoban    # one of them
    python benchmarks/controllers.py olets --games all        # on every bundled game
    python benchmarks/controllers.py olets --profile          # profile, with `perf`

Each search plays the first ticks of every level, with the clock and margin of a competition.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import vgdl
from vgdl import Meter, games
from vgdl.controllers import Timer
from vgdl.controllers.registry import load

SEARCHES = ("olets", "samplemcts", "openloopmcts", "normal_mcts", "mn_mcts", "mmbot", "samplega", "testgag", "yraid")
GAMES = ("aliens", "butterflies", "sokoban")
BUDGET_MS = 40.0
LEVELS = 5
TICKS = 30  # played per level
SETS = ("training", "validation", "test")
START_MS = 1500  # excluded from a profile: starting Python, loading modules


def search_of(player: Any) -> Any:
    """The compiled search of a controller: a tree or a population."""
    return player._tree if hasattr(player, "_tree") else player._search


def measure(name: str, game: str) -> str:
    """A row of the table: means per answer, and the longest answer."""
    make: Any = load(name)
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


def profile(name: str, game: str) -> str:
    """A row of the profile: percentage of samples in the forward model, the search, the C library and elsewhere."""
    command = [sys.executable, __file__, name, "--games", game]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "perf.data"
        perf = ["perf", "record", "-q", "-D", str(START_MS), "-o", str(data), *command]
        subprocess.run(perf, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        report = ["perf", "report", "-i", str(data), "--stdio", "--sort", "dso,sym"]
        lines = subprocess.run(report, check=True, capture_output=True, text=True).stdout
    shares: Counter[str] = Counter()
    for per_cent, library, symbol in re.findall(r"^\s+([\d.]+)%\s+(\S+)\s+\[.\] (\S+)", lines, re.MULTILINE):
        place = "forward model" if "vgdl_4core" in symbol else "search" if "vgdl_11controllers" in symbol else library
        shares[place if place in ("forward model", "search", "libc.so.6") else "rest"] += float(per_cent)
    inside, search, library = (shares[place] for place in ("forward model", "search", "libc.so.6"))
    return f"| {name} | {game} | {inside:.0f} | {search:.0f} | {library:.0f} | {100 - inside - search - library:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("searches", nargs="*", default=SEARCHES)
    parser.add_argument("--games", nargs="+", default=GAMES, help="names of bundled games, or 'all'")
    parser.add_argument("--profile", action="store_true", help="profile instead of measuring; needs Linux's perf")
    options = parser.parse_args()
    chosen = [name for set_ in SETS for name in games.names(set_)] if options.games == ["all"] else options.games
    if options.profile:
        print("| controller | game | forward model | search | C library | rest |\n|---|---|--:|--:|--:|--:|")
    else:
        print("| controller | game | simulations | ticks simulated | longest answer, ms |\n|---|---|--:|--:|--:|")
    row = profile if options.profile else measure
    for name in options.searches:
        for game in chosen:
            print(row(name, game), flush=True)


if __name__ == "__main__":
    main()
