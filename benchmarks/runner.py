"""Overhead of the competition runner: time per tick besides the controller's own, and time per play.

    python benchmarks/runner.py                        # all isolation levels available here, three games
    python benchmarks/runner.py --games aliens --ticks 500

A controller that answers immediately plays with the CPU clock. The overhead is the wall time of a tick less the CPU
time charged to the controller: encoding the observation, two messages, reading the clock, checking the processes, and
the tick of the real game.
"""

from __future__ import annotations

import argparse
import statistics
import time

import vgdl
from vgdl import Action
from vgdl.competition.agents import cores
from vgdl.competition.agents.isolation import IsolationError, Level, Restrictions, Sandbox
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.tracks.planning import observation
from vgdl.competition.tracks.planning.controller_adapter import service
from vgdl.competition.tracks.planning.game_set import GameSet
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.rules import Rules
from vgdl.competition.tracks.planning.session import sandbox_for
from vgdl.controllers.registry import find
from vgdl.games import path

GAMES = ("aliens", "butterflies", "sokoban")
QUICK = find("random")


def measure(game: str, sandbox: Sandbox, ticks: int, core: int) -> str:
    """A row of the table: milliseconds, medians over the ticks."""
    began = time.perf_counter()
    with AgentProcess(QUICK, service(Rules()), sandbox, setup={"player": 0, "seed": 1}, core=core) as agent:
        source = agent.clock_source
        board = vgdl.load(game)
        state = board.start(level=0, seed=1)
        agent.prepare()
        shown = observation.shown_board(state, 1)
        first = observation.encode(state, shown, 1)
        agent.call("construct", board=observation.encode_board(shown), observation=first)
        start_ms = 1000 * (time.perf_counter() - began)
        whole, charged = [], []
        for tick in range(ticks):
            if state.is_over:
                state = board.start(level=0, seed=tick)
            before = time.perf_counter()
            answer = agent.call("act", observation=observation.encode(state, shown, tick))
            state.advance(answer.value or Action.NIL)
            whole.append(1000 * (time.perf_counter() - before))
            charged.append(answer.used)
    own = [total - controllers for total, controllers in zip(whole, charged, strict=True)]
    percentile = statistics.quantiles(own, n=100)
    return (
        f"| {sandbox.level} | {source} | {game} | {statistics.median(own):.2f} | {percentile[94]:.2f} "
        f"| {statistics.median(charged):.2f} | {start_ms:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--ticks", type=int, default=1000)
    options = parser.parse_args()
    game_set = GameSet("benchmark", tuple(map(path, options.games)))
    plan = Plan((QUICK,), game_set, (0,), 1, Rules(), Restrictions(), 1)
    share, core = min((cores.busy_share([core]), core) for core in cores.available())
    print(f"core {core}, {share:.0%} in use by others\n")
    print(
        "| isolation | CPU times | game | runner, ms per tick | 95th percentile | charged, ms | start of a play, ms |"
    )
    print("|---|---|---|--:|--:|--:|--:|")
    for level in Level:
        try:
            sandbox = sandbox_for(plan, level)
        except IsolationError as error:
            print(f"\n{error}\n")
            continue
        for game in options.games:
            print(measure(game, sandbox, options.ticks, core))


if __name__ == "__main__":
    main()
