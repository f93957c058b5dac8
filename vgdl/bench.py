"""The command ``vgdl-bench``: the speed of the forward model, and whether its behaviour has changed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import track
from rich.table import Table

from vgdl import fingerprint, games
from vgdl.cli import Parser, program
from vgdl.core.state import StateObservation
from vgdl.game import load
from vgdl.language import VGDLError
from vgdl.option_types import above_zero, count

DEPTH = 10
"""Ticks of a rollout."""

BUDGET_S = 0.040
"""Time per action, in seconds; rollouts are counted over this time."""

LONGEST_PLAY = 1000
"""Maximum ticks of the random plays from which mid-game states are taken."""

MID_GAMES = 5
"""Number of mid-game states measured, each from a separate play."""

REPEATS = 5
"""Runs per measurement; the best one counts, because interference only slows runs down."""

_LONGEST_RUN_S = 3600.0

_DESCRIPTION = """\
Measure the forward model in CPU time on one core, from the start of a level and from the middle of random plays.

  copies/s    copies with a new random seed, made from Python
  advances/s  ticks of random actions, played in rollouts of 10
  rollouts    rollouts (one copy and ten random advances) per 40 ms, the time for one action
  advances    ticks in these rollouts; fewer than ten each if games end
  bytes       size of a state"""

_EXAMPLES = """\
examples:
  vgdl-bench                          all bundled games, level 0
  vgdl-bench aliens my_game.txt       a bundled game and one of your own
  vgdl-bench --fingerprint            one number per game that changes exactly when the game's behaviour does"""


@dataclass(frozen=True, slots=True)
class Speed:
    """The measurements of a game from one kind of state; all times are CPU time."""

    game: str
    level: int
    start: str  #: ``start`` of the level, or ``mid-game``
    copies_per_s: float
    advances_per_s: float
    rollouts_per_40ms: float
    advances_per_40ms: float  #: in these rollouts
    bytes: float  #: per state, on average


def measure(game: str, level: int = 0, seconds: float = 0.1) -> list[Speed]:
    """Measure the speed of a game, from the start and from the middle of random plays.

    Args:
        game: a name or path, as for `vgdl.load`.
        level: number of the level.
        seconds: CPU time per run of a measurement.
    """
    first = load(game).start(level=level, seed=1)
    kinds = {"start": [first] * MID_GAMES, "mid-game": mid_games(first)}
    return [_measure(game, level, kind, states, seconds) for kind, states in kinds.items()]


def mid_games(first: StateObservation) -> list[StateObservation]:
    """The states in the middle of `MID_GAMES` random plays of at most `LONGEST_PLAY` ticks."""
    states = []
    for seed in range(MID_GAMES):
        played = first.copy(seed=seed).random_rollout(LONGEST_PLAY, seed)
        state = first.copy(seed=seed, history=False)
        state.random_rollout(played // 2, seed)
        states.append(state)
    return states


def _measure(game: str, level: int, kind: str, states: Sequence[StateObservation], seconds: float) -> Speed:
    copies, _ = _rate(lambda rounds: _copy(states, rounds), seconds)
    advances, _ = _rate(lambda rounds: _advance(states, rounds), seconds)
    rollouts, ticks = _rate(lambda rounds: _roll_out(states, rounds), seconds)
    return Speed(
        game=game,
        level=level,
        start=kind,
        copies_per_s=copies,
        advances_per_s=advances,
        rollouts_per_40ms=rollouts * BUDGET_S,
        advances_per_40ms=rollouts * ticks * BUDGET_S,
        bytes=sum(state.n_bytes for state in states) / len(states),
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """The result of one run."""

    seconds: float
    done: int
    ticks: int = 0


def _copy(states: Sequence[StateObservation], rounds: int) -> _Run:
    started = time.process_time()
    for seed in range(rounds):
        for state in states:
            state.copy(seed=seed, history=False)
    return _Run(time.process_time() - started, rounds * len(states))


def _advance(states: Sequence[StateObservation], rounds: int) -> _Run:
    copies = [state.copy(seed=seed, history=False) for seed in range(rounds) for state in states]
    started = time.process_time()
    ticks = 0
    for seed, state in enumerate(copies):
        ticks += state.random_rollout(DEPTH, seed)
    return _Run(time.process_time() - started, ticks)


def _roll_out(states: Sequence[StateObservation], rounds: int) -> _Run:
    started = time.process_time()
    ticks = 0
    for seed in range(rounds):
        for state in states:
            ticks += state.copy(seed=seed, history=False).random_rollout(DEPTH, seed)
    return _Run(time.process_time() - started, rounds * len(states), ticks)


def _rate(run: Callable[[int], _Run], seconds: float) -> tuple[float, float]:
    """Operations per second in the best of several runs of about ``seconds``, and ticks per operation."""
    rounds = 1
    while (trial := run(rounds)).seconds < seconds / 10:
        rounds *= 2
    rounds = max(1, round(rounds * seconds / trial.seconds))
    best = min((run(rounds) for _ in range(REPEATS)), key=lambda each: each.seconds / max(1, each.done))
    return best.done / best.seconds, best.ticks / max(1, best.done)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit status: 0 on success, 1 if a fingerprint is not the expected one.

    Raises:
        SystemExit: with status 2 if a game cannot be loaded or the command line is wrong.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.update and not options.fingerprint:
        parser.error("--update requires --fingerprint")
    if options.update and options.games:
        parser.error("--update applies to all bundled games at once; do not name any")
    try:
        return _fingerprints(options) if options.fingerprint else _speeds(options)
    except VGDLError as error:
        parser.error(str(error))


def _speeds(options: argparse.Namespace) -> int:
    names = track(options.games or games.names(), "measuring", console=Console(stderr=True), transient=True)
    speeds = [speed for name in names for speed in measure(name, options.level, options.seconds)]
    if options.json:
        _print_json([asdict(speed) for speed in speeds])
    else:
        Console(width=None if sys.stdout.isatty() else 100).print(_speed_table(speeds))
    return 0


def _speed_table(speeds: Sequence[Speed]) -> Table:
    table = Table(caption="CPU time; rollouts and advances per 40 ms", caption_justify="left", box=SIMPLE)
    table.add_column("game", no_wrap=True)
    table.add_column("from")
    for column in ("copies/s", "advances/s", "rollouts", "advances", "bytes"):
        table.add_column(column, justify="right", no_wrap=True)
    for speed in speeds:
        numbers = (
            speed.copies_per_s,
            speed.advances_per_s,
            speed.rollouts_per_40ms,
            speed.advances_per_40ms,
            speed.bytes,
        )
        table.add_row(speed.game, speed.start, *(f"{number:,.0f}" for number in numbers))
    return table


def _fingerprints(options: argparse.Namespace) -> int:
    plan = fingerprint.read_plan()
    names = track(options.games or games.names(), "playing", console=Console(stderr=True), transient=True)
    numbers = {name: fingerprint.fingerprint(name, plan) for name in names}
    if options.update:
        fingerprint.write_expected(numbers)
        plan = fingerprint.read_plan()
    changed = [name for name, number in numbers.items() if plan.expected.get(name) != number]
    if options.json:
        _print_json({"games": numbers, "total": fingerprint.total(numbers), "changed": changed})
    else:
        for name, number in numbers.items():
            note = f"  expected {plan.expected.get(name, 'nothing yet')}" if name in changed else ""
            print(f"{number}  {name}{note}")
        print(f"{fingerprint.total(numbers)}  total")
    return 1 if changed else 0


def _print_json(facts: object) -> None:
    json.dump(facts, sys.stdout, indent=1)
    print()


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program("bench"),
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "games", nargs="*", metavar="GAME", help="name of a bundled game or path of a game file (default: all bundled)"
    )
    parser.add_argument("--level", type=count, default=0, metavar="N", help="number of the level (default: 0)")
    parser.add_argument(
        "--seconds", type=above_zero(_LONGEST_RUN_S, "seconds"), default=0.1, metavar="S",
        help=f"CPU time of one of the {REPEATS} runs of a measurement (default: 0.1)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--fingerprint", action="store_true", help="print a number per game that identifies its behaviour"
    )
    parser.add_argument(
        "--update", action="store_true", help="store the computed numbers as the expected ones; for a source checkout"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
