"""The options of ``vgdl-compete``, and what of them goes together."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from vgdl.competition import seeds
from vgdl.competition.game_set import bundled_sets
from vgdl.competition.isolation import Level, Restrictions
from vgdl.competition.protocol import Clock
from vgdl.controllers import registry

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
  vgdl-compete --budget calls:900 --seed 1                 repeatable to the last bit, on any machine
  vgdl-compete --store spring.db --jobs 4                  keep every play; four at a time
  vgdl-compete --resume spring.db                          go on where it was cut off
  vgdl-compete --set two_player                            every controller against every other, in both seats"""

PLAN = (
    "set", "set_dir", "controllers", "games", "levels", "repeats", "budget", "construction", "clock", "seed", "memory",
    "processes", "scratch",
)  # fmt: skip
"""Options that a store keeps, so that they cannot be given again."""


def parser(commands: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command; ``commands`` are the words that lead elsewhere."""
    epilog = f"{_EXAMPLES}\n\nother commands: {', '.join(f'vgdl-compete {word} --help' for word in commands)}"
    made = argparse.ArgumentParser(
        prog="vgdl-compete",
        description=_DESCRIPTION,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_what(made.add_argument_group("what is played"))
    _add_rules(made.add_argument_group("the rules"))
    _add_isolation(made.add_argument_group("how controllers are kept"))
    _add_where(made.add_argument_group("where it is played and kept"))
    output = made.add_argument_group("output")
    add_output(output)
    output.add_argument("--replays", metavar="DIR", help="write a replay file of every play into a folder")
    output.add_argument("--quiet", action="store_true", help="no progress display")
    return made


def check(made: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """See that the options go together and their files can be written.

    Raises:
        ValueError: they do not; says which.
    """
    if chosen.resume:
        if chosen.store:
            raise ValueError("--resume FILE goes on with that store; leave --store out")
        for name in PLAN:
            if getattr(chosen, name) != made.get_default(name):
                raise ValueError(f"{chosen.resume} knows what is played and how: leave out --{name.replace('_', '-')}")
    if chosen.set_dir and chosen.set != made.get_default("set"):
        raise ValueError("give either --set or --set-dir")
    for file in (chosen.json, chosen.csv, chosen.store):
        if file and file != "-" and not Path(file).absolute().parent.is_dir():
            raise ValueError(f"there is no folder for {file}")


def add_output(group: argparse._ActionsContainer) -> None:
    """The options for machine-readable results."""
    group.add_argument("--json", metavar="FILE", help="write all that is known to a file; - for standard output")
    group.add_argument("--csv", metavar="FILE", help="write a row per play and player to a file")


def _add_what(group: argparse._ArgumentGroup) -> None:
    known = registry.names()
    group.add_argument(
        "--set", default="training", metavar="NAME",
        help=f"set of games: {', '.join(bundled_sets())}, or a folder of your own (default: training)",
    )  # fmt: skip
    group.add_argument("--set-dir", metavar="DIR", help="a folder with a hidden set, unreadable to controllers")
    group.add_argument(
        "--controllers", type=_names, default=list(known), metavar="A,B,...",
        help=f"who plays: {', '.join(known)}, or FILE.py:CLASS (default: all of the named ones)",
    )  # fmt: skip
    group.add_argument("--games", type=_names, metavar="A,B,...", help="only these games of the set")
    group.add_argument("--levels", type=_levels, metavar="0-4", help="only these, like 0-4 or 0,2 (default: all)")
    group.add_argument("--repeats", type=_positive, default=1, metavar="N", help="plays per level (default: 1)")


def _add_rules(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--budget", default="40ms", metavar="B",
        help="per action: a time like 40ms, or a number of forward-model calls like calls:900 (default: 40ms)",
    )  # fmt: skip
    group.add_argument(
        "--construction", metavar="B",
        help="to get ready: a time like 1s, or a number like calls:20000 (default: 1s, or the calls of 25 actions)",
    )  # fmt: skip
    group.add_argument(
        "--clock", choices=[str(clock) for clock in Clock],
        help="what a budget is counted in: CPU time of all processes of the controller, time on the wall, or calls "
        "(default: cpu, or calls if the budget says so)",
    )  # fmt: skip
    group.add_argument(
        "--seed", type=_seed, metavar="S",
        help="number that all chance derives from (default: a fresh one, printed at the end)",
    )  # fmt: skip


def _add_isolation(group: argparse._ArgumentGroup) -> None:
    standard = Restrictions()
    group.add_argument(
        "--isolation", default="auto", choices=["auto", *map(str, Level)],
        help="how controllers are kept from the machine (default: auto, the best that works here)",
    )  # fmt: skip
    group.add_argument(
        "--memory", type=_positive, default=standard.memory_mb, metavar="MB",
        help=f"memory of a controller (default: {standard.memory_mb})",
    )  # fmt: skip
    group.add_argument(
        "--processes", type=_positive, default=standard.processes, metavar="N",
        help=f"processes of a controller at a time (default: {standard.processes})",
    )  # fmt: skip
    group.add_argument(
        "--scratch", type=_positive, default=standard.scratch_mb, metavar="MB",
        help=f"size of its scratch folder and of any file (default: {standard.scratch_mb})",
    )  # fmt: skip


def _add_where(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--store", metavar="FILE", help="keep every finished play in a new results store")
    group.add_argument("--resume", metavar="FILE", help="go on with the competition in a store")
    group.add_argument(
        "--jobs", type=_positive, default=1, metavar="N", help="plays at a time, a core each (default: 1)"
    )
    group.add_argument(
        "--backend", default="local", choices=["local", "ray"], help="here, or on a Ray cluster (default: local)"
    )
    group.add_argument("--ray-address", metavar="A", help="of the cluster (default: RAY_ADDRESS, or one started here)")


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
