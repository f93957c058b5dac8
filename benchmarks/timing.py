"""Do the controllers always answer in time? The distribution of their response times, limit 40 ms.

    python benchmarks/timing.py                                 # 5,000 ticks each: about 70 minutes on one core
    python benchmarks/timing.py levis501 culim --ticks 300 --longest 100

Every controller plays the bundled games in turn, in a process of its own, and is measured as in a competition: CPU
time from one answer to the next, including decoding and garbage collection. Run it on an idle machine: processes that
share caches slow the answers down. The last column is the share of time a controller was ready but had no core.

Interrupts in the middle of an answer are charged to the running process. The first row shows how much that is: the
"answers" of a loop that only reads the CPU clock until its time is up.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

import vgdl
from vgdl import Action, games
from vgdl.competition.agents import cores
from vgdl.competition.agents.isolation import Restrictions, Sandbox
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.tracks.planning import observation
from vgdl.competition.tracks.planning.controller_adapter import service
from vgdl.competition.tracks.planning.game_set import GameSet
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.rules import Rules
from vgdl.competition.tracks.planning.session import sandbox_for
from vgdl.controllers.registry import BUNDLED, find
from vgdl.controllers.search.budget import MARGIN_MS
from vgdl.registry import Entry

SETS = ("training", "validation", "test")  #: of games for one player
LEVELS = 5
RULES = Rules(wall_factor=1000.0)  # tolerates long waits on a busy machine


@dataclass(frozen=True, slots=True, order=True)
class Answer:
    """The CPU time of an answer, and where it was given."""

    used_ms: float
    game: str
    level: int
    tick: int


@dataclass(slots=True)
class Timing:
    """All answers of a controller."""

    answers: list[Answer]
    constructions_ms: list[float]
    waited_ms: float = 0.0  #: time that it was ready but had no core

    def row(self, name: str) -> str:
        used = sorted(answer.used_ms for answer in self.answers)
        worst, limit = max(self.answers), RULES.limits.action
        late = sum(ms > limit for ms in used)
        waited = self.waited_ms / (self.waited_ms + sum(used) + sum(self.constructions_ms))
        return (
            f"| {name} | {len(used):,} | {statistics.median(used):.2f} | {used[(len(used) * 999 - 1) // 1000]:.2f} | {worst.used_ms:.2f} "
            f"| {worst.game} {worst.level}, tick {worst.tick} | {late} | {max(self.constructions_ms):.1f} | {waited:.0%} |"
        )


def places() -> Iterator[tuple[str, int]]:
    """Games and levels in an endless cycle, all games before the next level."""
    names = [name for set_ in SETS for name in games.names(set_)]
    return itertools.cycle((name, level) for level in range(LEVELS) for name in names)


def measure(entry: Entry, sandbox: Sandbox, ticks: int, longest: int, core: int | None) -> Timing:
    """Play until ``ticks`` answers are measured.

    Args:
        entry: the controller.
        sandbox: isolation of its process.
        ticks: answers to measure.
        longest: maximum ticks of one play.
        core: core to pin the controller to; None for any.
    """
    timing = Timing([], [])
    for number, (game, level) in enumerate(places()):
        left = min(longest, ticks - len(timing.answers))
        if left <= 0:
            return timing
        state = vgdl.load(game).start(level=level, seed=number)
        setup = {"player": 0, "seed": number}
        with AgentProcess(entry, service(RULES), sandbox, setup=setup, core=core) as agent:
            agent.prepare()
            shown = observation.shown_board(state, number)
            board, first = observation.encode_board(shown), observation.encode(state, shown, number)
            timing.constructions_ms.append(agent.call("construct", board=board, observation=first).used)
            while left and not state.is_over and state.avatar is not None and state.avatar.is_alive:
                answer = agent.call("act", observation=observation.encode(state, shown, state.tick))
                timing.answers.append(Answer(answer.used, game, level, state.tick))
                state.advance(answer.value or Action.NIL)
                left -= 1
            timing.waited_ms += agent.waited_ms
    raise AssertionError("places never end")


def measure_clock(answers: int, core: int | None) -> Timing:
    """Measure a loop that only reads the clock, with the margin of the searches."""
    before = os.sched_getaffinity(0) if core is not None else set()
    if core is not None:
        os.sched_setaffinity(0, {core})
    timing = Timing([], [0.0])
    try:
        for number in range(answers):
            start, used_ms = time.process_time_ns(), 0.0
            while used_ms < RULES.limits.action - MARGIN_MS:
                used_ms = (time.process_time_ns() - start) / 1e6
            timing.answers.append(Answer(used_ms, "none", 0, number))
    finally:
        if core is not None:
            os.sched_setaffinity(0, before)
    return timing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("controllers", nargs="*", default=[entry.name for entry in BUNDLED])
    parser.add_argument("--ticks", type=int, default=5000, help="ticks to measure per controller (default: 5000)")
    parser.add_argument("--longest", type=int, default=1000, help="maximum ticks of one play (default: 1000)")
    options = parser.parse_args()
    entries = tuple(find(name) for name in options.controllers)
    paths = tuple(games.path(name) for set_ in SETS for name in games.names(set_))
    sandbox = sandbox_for(Plan(entries, GameSet("all", paths), None, 1, RULES, Restrictions(), 1), "auto")
    print(
        "| controller | answers | median, ms | 99.9 % | longest | where | over 40 ms | longest construction | waited |\n"
        "|---|--:|--:|--:|--:|---|--:|--:|--:|"
    )
    claim = cores.claim(1)
    try:
        print(measure_clock(options.ticks, claim.cores[0]).row("(the clock alone)"), flush=True)
        for entry in entries:
            timing = measure(entry, sandbox, options.ticks, options.longest, claim.cores[0])
            print(timing.row(entry.ranking_name), flush=True)
    finally:
        claim.release()


if __name__ == "__main__":
    main()
