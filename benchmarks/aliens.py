"""The cost of generality: the engine compared with a hand-written program for one game.

Compiles `aliens.c`, checks that it plays the same games as the engine, and measures both in one run, in CPU time:
ticks per second in whole random games with one call each, tick by tick from Python, and in rollouts of one copy and
ten ticks.

    python benchmarks/aliens.py [--level N] [--seconds S] [--json]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vgdl
from vgdl import games
from vgdl.trace import record

SOURCE = Path(__file__).with_name("aliens.c")
FLAGS = ("-O3", "-std=c11", "-fwrapv", "-ffp-contract=off", "-shared", "-fPIC")
SAME_GAMES = 200
"""Plays that must be identical on both sides before the measurement."""

NO_SHOT = -20
"""The shot's y in the C program while there is no shot."""

LONG = 2000
"""Ticks of a long rollout: at least a whole game."""

TURNS = 40
"""Alternating runs of each side, so that other load on the machine affects both alike."""


def compiled() -> Any:
    """Compile and import the C program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"aliens_by_hand{sysconfig.get_config_var('EXT_SUFFIX')}"
        compiler = (sysconfig.get_config_var("CC") or "cc").split()
        include = sysconfig.get_path("include")
        subprocess.run([*compiler, *FLAGS, f"-I{include}", str(SOURCE), "-o", str(path)], check=True)
        spec = importlib.util.spec_from_file_location("aliens_by_hand", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def facts(state: Any) -> tuple[int, ...]:
    """The facts by which both sides are compared; see ``facts`` in the C program."""
    if not isinstance(state, vgdl.StateObservation):
        return tuple(state.facts())
    places: dict[str, list[tuple[int, int]]] = {name: [] for name in state.game.types}
    for sprite in record(state)["sprites"]:
        places[state.game.types[sprite[1]]].append(sprite[2:4])
    movers = sum(len(places[name]) for name in ("drifter", "raider", "bomb"))
    shot_y = places["shot"][0][1] if places["shot"] else NO_SHOT
    return state.tick, int(state.score), int(state.winner), state.generator, places["cannon"][0][0], shot_y, movers


def check(engine: Any, by_hand: Any) -> None:
    """Play some games on both sides; SystemExit at the first difference."""
    for seed in range(SAME_GAMES):
        theirs, ours = engine.copy(seed=seed), by_hand.copy(seed)
        while not theirs.is_over:
            theirs.random_rollout(7, seed)
            ours.random_rollout(7, seed)
            if facts(theirs) != facts(ours):
                sys.exit(f"play {seed} differs: engine {facts(theirs)}, by hand {facts(ours)}")


def in_turn(hand: Callable[[float], float], engine: Callable[[float], float], seconds: float) -> tuple[float, float]:
    """Ticks per second of both sides, best of the alternating runs."""
    runs = [(hand(seconds / TURNS), engine(seconds / TURNS)) for _ in range(TURNS)]
    return max(by_hand for by_hand, _ in runs), max(by_engine for _, by_engine in runs)


def long_rollouts(copy: Callable[[int], Any]) -> Callable[[float], float]:
    """Ticks per second of whole random games, one call each."""

    def run(seconds: float) -> float:
        ticks = seed = 0
        started = time.process_time()
        while (used := time.process_time() - started) < seconds:
            ticks += copy(seed).random_rollout(LONG, seed)
            seed += 1
        return ticks / used

    return run


def tick_by_tick(copy: Callable[[int], Any]) -> Callable[[float], float]:
    """Ticks per second of a game advanced tick by tick from Python, restarted every 50 ticks."""
    actions = [2, 4, 5, 2, 4, 4, 5, 2, 5, 4] * 5

    def run(seconds: float) -> float:
        ticks = seed = 0
        started = time.process_time()
        while (used := time.process_time() - started) < seconds:
            advance = copy(seed).advance
            for action in actions:
                advance(action)
            ticks += len(actions)
            seed += 1
        return ticks / used

    return run


def short_rollouts(copy: Callable[[int], Any]) -> Callable[[float], float]:
    """Ticks per second in rollouts of one copy and ten ticks."""

    def run(seconds: float) -> float:
        ticks = seed = 0
        started = time.process_time()
        while (used := time.process_time() - started) < seconds:
            for _ in range(100):
                ticks += copy(seed).random_rollout(10, seed)
                seed += 1
        return ticks / used

    return run


KINDS = {
    "whole games, one call each": long_rollouts,
    "tick by tick from Python": tick_by_tick,
    "one copy and ten ticks": short_rollouts,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--level", type=int, default=0, help="number of the level (default: 0)")
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU time of each side (default: 2)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    by_hand = compiled().State(games.levels("aliens")[options.level].read_text(), 1)
    engine = vgdl.load("aliens").start(level=options.level, seed=1)
    check(engine, by_hand)
    rows = []
    for name, kind in KINDS.items():
        run = kind(lambda seed: engine.copy(seed=seed, history=False))
        rows.append((name, *in_turn(kind(by_hand.copy), run, options.seconds)))
    if options.json:
        measured = [{"what": what, "by_hand_per_s": hand, "engine_per_s": here} for what, hand, here in rows]
        print(json.dumps(measured, indent=1))
    else:
        print(f"aliens, level {options.level}: ticks/s in CPU time\n{'':28}{'by hand':>14}{'engine':>14}{'ratio':>8}")
        for what, hand, here in rows:
            print(f"{what:28}{hand:>14,.0f}{here:>14,.0f}{hand / here:>8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
