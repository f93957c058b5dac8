"""The command ``vgdl-compete``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from vgdl import VGDLError, VGDLRuntimeError
from vgdl.competition import seeds, tables
from vgdl.competition.game_set import GameSet, bundled_sets, find_set
from vgdl.competition.protocol import Clock, Protocol, with_budget
from vgdl.competition.results import PlayResult, summary, write_json
from vgdl.competition.runner import Competition, rank
from vgdl.controllers import registry

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""

_DESCRIPTION = """\
Let controllers play a set of games against the clock, and rank them.

Every controller plays every level of every game. It has 1 s to get ready and 40 ms of CPU time for each
action: an answer after that counts as no action, one after more than 50 ms disqualifies it from the play.
Places in a game go by victories, then score, then time, and earn Formula-1 points (25, 18, 15 ...)."""

_EXAMPLES = """\
examples:
  vgdl-compete                                             the whole training set, all bundled controllers
  vgdl-compete --games aliens --levels 0-1 --repeats 5     two levels of one game, five plays each
  vgdl-compete --controllers samplemcts,my_agent.py:Mine   a controller of your own against a bundled one
  vgdl-compete --budget calls:900 --seed 1                 repeatable to the last bit, on any machine"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0, 2 for wrong arguments, 130 after Ctrl-C."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        competition = _competition(options)
    except (ValueError, OSError, VGDLError, VGDLRuntimeError) as error:
        parser.error(str(error))
    plays, complete = _run(competition, quiet=options.quiet)
    games, ranking = rank(plays)
    console = Console(stderr=options.json == "-")
    if not complete:
        console.print(f"interrupted after {len(plays)} of {len(competition.fixtures)} plays; the standings so far:")
    tables.show(console, plays, games, ranking)
    console.print(f"seed {competition.conditions.secret}", highlight=False)
    if options.json:
        _write_json(options.json, {**summary(plays, ranking, competition.conditions), "complete": complete})
    return 0 if complete else INTERRUPTED


def _run(competition: Competition, *, quiet: bool) -> tuple[list[PlayResult], bool]:
    """Play with a progress display on the standard error stream; returns the plays and whether they are all."""
    plays: list[PlayResult] = []
    columns = (
        BarColumn(10), MofNCompleteColumn(), _PlaysPerMinute(), TimeRemainingColumn(), TextColumn("{task.description}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as progress:
        bar = progress.add_task("", total=len(competition.fixtures))
        try:
            for fixture in competition.fixtures:
                progress.update(bar, description=str(fixture))
                plays.append(competition.play(fixture))
                progress.advance(bar)
        except KeyboardInterrupt:
            return plays, False
    return plays, True


class _PlaysPerMinute(ProgressColumn):
    """How fast the competition goes on."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{60 * speed:.0f} plays/min" if speed else "")


def _competition(options: argparse.Namespace) -> Competition:
    """The competition that the options describe; raises ``ValueError`` or ``OSError`` with a message for the user."""
    protocol = with_budget(replace(Protocol(), clock=Clock(options.clock)), options.budget)
    game_set: GameSet = find_set(options.set)
    if options.games:
        game_set = game_set.only(options.games)
    replays = Path(options.replays) if options.replays else None
    if replays is not None:
        replays.mkdir(parents=True, exist_ok=True)
    if options.json and options.json != "-" and not Path(options.json).absolute().parent.is_dir():
        raise ValueError(f"there is no folder for {options.json}")
    return Competition(
        _entries(options.controllers),
        game_set,
        levels=options.levels,
        repeats=options.repeats,
        protocol=protocol,
        secret=seeds.fresh_secret() if options.seed is None else options.seed,
        replays=replays,
    )


def _entries(names: list[str]) -> list[registry.Entry]:
    entries = [registry.find(name) for name in names]
    called = [entry.ranking_name for entry in entries]
    for name in called:
        if called.count(name) > 1:
            raise ValueError(f"two of the controllers are called {name}; the ranking could not tell them apart")
    return entries


def _write_json(target: str, facts: dict[str, object]) -> None:
    if target == "-":
        json.dump(facts, sys.stdout, indent=1)
        print()
    else:
        write_json(Path(target), facts)


def _parser() -> argparse.ArgumentParser:
    known = registry.names()
    parser = argparse.ArgumentParser(
        prog="vgdl-compete",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group("what is played")
    what.add_argument(
        "--set", default="training", metavar="NAME",
        help=f"set of games: {', '.join(bundled_sets())}, or a folder of your own (default: training)",
    )  # fmt: skip
    what.add_argument(
        "--controllers", type=_names, default=list(known), metavar="A,B,...",
        help=f"who plays: {', '.join(known)}, or FILE.py:CLASS (default: all of the named ones)",
    )  # fmt: skip
    what.add_argument("--games", type=_names, metavar="A,B,...", help="only these games of the set")
    what.add_argument("--levels", type=_levels, metavar="0-4", help="only these levels, like 0-4 or 0,2 (default: all)")
    what.add_argument("--repeats", type=_positive, default=1, metavar="N", help="plays per level (default: 1)")
    rules = parser.add_argument_group("the rules")
    rules.add_argument(
        "--budget", default="40ms", metavar="B",
        help="per action: a time like 40ms, or a number of forward-model calls like calls:900 (default: 40ms)",
    )  # fmt: skip
    rules.add_argument(
        "--clock", default="cpu", choices=["cpu", "wall"], help="what a time is counted in (default: cpu)"
    )
    rules.add_argument(
        "--seed", type=_seed, metavar="S",
        help="number that all chance derives from (default: a fresh one, printed at the end)",
    )  # fmt: skip
    output = parser.add_argument_group("output")
    output.add_argument("--json", metavar="FILE", help="write all that is known to a file; - for standard output")
    output.add_argument("--replays", metavar="DIR", help="write a replay file of every play into a folder")
    output.add_argument("--quiet", action="store_true", help="no progress bar")
    return parser


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("expected at least one name")
    return names


def _levels(text: str) -> list[int]:
    """Numbers of levels, from a list of numbers and ranges."""
    levels: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise argparse.ArgumentTypeError(f"{text!r} does not name levels; write 0-4, or 0,2")
        levels += [level for level in range(first, last + 1) if level not in levels]
    return levels


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 1 or more")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text).bit_length() > seeds.SECRET_BITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 ... 2**{seeds.SECRET_BITS} - 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
