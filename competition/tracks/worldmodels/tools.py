"""Tools besides the run: recording plays, scanning closed plays for hidden fields, and testing a program."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from rich.console import Console

from vgdl.cli import Parser, program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.tracks.worldmodels import trajectories, unit_tests, worlds
from vgdl.competition.tracks.worldmodels.problem import suite
from vgdl.competition.tracks.worldmodels.program import IsolatedProgram, working_isolation

FAILED = 1
MOST_SHOWN = 5
"""Most failed tests that are printed with their texts."""


def _guarded(tool: Callable[[Sequence[str]], int]) -> Callable[[Sequence[str]], int]:
    """Wrap a tool to report errors of its user in one line, with exit status 2."""

    @functools.wraps(tool)
    def run(arguments: Sequence[str]) -> int:
        try:
            with using():
                return tool(arguments)
        except (CompetitionError, ValueError) as error:
            print(f"{program('compete')}: {error}", file=sys.stderr)
            return 2

    return run


@_guarded
def record(arguments: Sequence[str]) -> int:
    """Run the tool ``record``: play a game and write the plays."""
    parser = _parser("record", "Play a game and write the plays as JSON lines.")
    parser.add_argument("game", help=f"one of {', '.join(worlds.WORLDS)}")
    parser.add_argument("--out", required=True, metavar="FILE", help="output file; replaced if it exists")
    parser.add_argument("--plays", type=options.positive, default=5, metavar="N", help="default: 5")
    parser.add_argument("--seed", type=options.seed, default=0, metavar="S", help="of the first play (default: 0)")
    parser.add_argument("--closed", action="store_true", help="only one player's view, the players in turn")
    parser.add_argument(
        "--search",
        type=options.count,
        default=0,
        metavar="N",
        help="let randomly chosen players search with N simulations",
    )
    chosen = parser.parse_args(arguments)
    world = worlds.find(chosen.game)
    plays = []
    for number in range(chosen.plays):
        seed = chosen.seed + number
        policies = trajectories.mixed_policies(world, Random(seed), chosen.search) if chosen.search else None
        play = trajectories.record(world, seed, policies)
        plays.append(trajectories.closed_view(play, number % world.players) if chosen.closed else play)
    trajectories.write(Path(chosen.out), plays)
    return 0


@_guarded
def scan(arguments: Sequence[str]) -> int:
    """Run the tool ``scan``: print a line for each hidden field; returns 1 if there are any."""
    parser = _parser("scan", "Look for hidden fields in plays of a closed deck; exit status 1 if there are any.")
    parser.add_argument("file", help="closed plays as JSON lines")
    parser.add_argument("--open", metavar="FILE", help="the same plays with open deck, for a value-by-value comparison")
    chosen = parser.parse_args(arguments)
    closed = trajectories.read(Path(chosen.file))
    opened = trajectories.read(Path(chosen.open)) if chosen.open else [None] * len(closed)
    if len(opened) != len(closed):
        raise ValueError(f"{chosen.file} has {len(closed)} plays, {chosen.open} has {len(opened)}")
    leaks = [
        f"{chosen.file}, line {number}: {leak}"
        for number, (play, whole) in enumerate(zip(closed, opened, strict=True), 1)
        for leak in trajectories.scan(play, whole)
    ]
    print("\n".join(leaks) or f"{len(closed)} plays, no hidden field")
    return FAILED if leaks else 0


@_guarded
def check(arguments: Sequence[str]) -> int:
    """Run the tool ``check``: run the unit tests on a program; returns 1 if one fails."""
    parser = _parser("check", "Run the unit tests of recorded plays on a program; exit status 1 if one fails.")
    parser.add_argument("program", help="a Python file with the functions of a world model")
    parser.add_argument("game", help=f"one of {', '.join(worlds.WORLDS)}")
    parser.add_argument("--plays", metavar="FILE", help="open plays as JSON lines (default: five random ones)")
    parser.add_argument("--seed", type=options.seed, default=0, metavar="S", help="of the random plays (default: 0)")
    parser.add_argument("--closed", action="store_true", help="the tests of a closed deck")
    options.add_isolation_level(parser.add_argument_group("isolation of the program"))
    chosen = parser.parse_args(arguments)
    world = worlds.find(chosen.game)
    source = trajectories.text_of(Path(chosen.program))
    if chosen.plays:
        plays = trajectories.read(Path(chosen.plays))
    else:
        plays = [trajectories.record(world, chosen.seed + number) for number in range(5)]
    tests = suite(world, plays, closed=chosen.closed)
    console = Console()
    interface = world.interface(closed=chosen.closed)
    with IsolatedProgram(source, interface, working_isolation(chosen.isolation)) as isolated:
        verdicts = unit_tests.run(isolated, tests)
    for kind in dict.fromkeys(test.kind for test in tests):
        passed = [verdict.passed for test, verdict in zip(tests, verdicts, strict=True) if test.kind == kind]
        console.print(f"{kind} tests: {sum(passed)} of {len(passed)} passed", highlight=False)
    failures = [(test, verdict) for test, verdict in zip(tests, verdicts, strict=True) if not verdict.passed]
    for test, verdict in failures[:MOST_SHOWN]:
        console.print(f"\n{test.name}\n{verdict.text}", highlight=False, markup=False)
    return FAILED if failures else 0


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    return Parser(prog=f"{program('compete')} worldmodels {name}", description=description)
