"""The options of ``vgdl-compete``, and which of them can be combined."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from vgdl import VGDLError, VGDLRuntimeError
from vgdl.cli import Parser as Parser
from vgdl.cli import program
from vgdl.competition.agents import cpu_clock
from vgdl.competition.agents.cores import TooFewCores
from vgdl.competition.agents.isolation import IsolationError, Level, Restrictions
from vgdl.competition.agents.service import Clock
from vgdl.competition.contest import seeds
from vgdl.competition.contest.game_set import bundled_sets, find_set, folder_set
from vgdl.competition.contest.plan import Plan
from vgdl.competition.contest.rules import Rules, with_budget, with_construction
from vgdl.competition.errors import CompetitionError
from vgdl.competition.results.files import STANDARD_OUTPUT
from vgdl.controllers import registry
from vgdl.controllers.registry import ControllerInvalid, ControllerNotFound


class OptionError(CompetitionError, ValueError):
    """Options cannot be combined, or refer to something that does not exist; the message says which."""


OWN_ERRORS = (
    *(CompetitionError, VGDLError, VGDLRuntimeError, ControllerNotFound, ControllerInvalid),
    *(IsolationError, TooFewCores),
)
"""Errors that the user can fix, which a command prints; all others are bugs and show a traceback."""


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
  vgdl-compete --store spring.db --jobs 4                  keep every play; four in parallel
  vgdl-compete --resume spring.db                          continue after an interruption
  vgdl-compete --set two_player                            every controller against every other, as either player
  vgdl-compete report spring.db --out site                 a web site of it, with replays: open site/index.html"""

PLAN = (
    "set", "set_dir", "controllers", "games", "levels", "repeats", "budget", "construction", "clock", "seed", "memory",
    "processes", "scratch", "generator",
)  # fmt: skip
"""Options that are kept in a store and so cannot be given again when it is resumed."""

_LEAST_MEMORY_MB = 128  # with less, a controller's process cannot import NumPy
_MOST_MB = 1 << 30  # limits of memory and of files are 64-bit numbers of bytes
_MOST_PROCESSES = 1 << 22  # what Linux allows


def parser(commands: Mapping[str, str]) -> Parser:
    """The argument parser of the command; ``commands`` are the subcommands, with their descriptions."""
    others = "\n".join(f"  vgdl-compete {word:<12} {text}" for word, text in commands.items())
    epilog = f"{_EXAMPLES}\n\nother commands, each with a --help of its own:\n{others}"
    made = Parser(
        prog=program("compete"),
        description=_DESCRIPTION,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = made.add_argument_group("what is played")
    _add_controllers(what)
    add_games(what)
    add_rules(made.add_argument_group("the rules"))
    add_isolation(made.add_argument_group("isolation of controllers"))
    _add_where(made.add_argument_group("where it is played and kept"))
    output = made.add_argument_group("output")
    add_output(output)
    output.add_argument("--replays", metavar="DIR", help="write a replay file of every play into a folder")
    output.add_argument("--quiet", action="store_true", help="no progress display")
    return made


def check(made: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """Check that the options can be combined and that their files can be written.

    Raises:
        OptionError: an option is wrong; the message says which.
    """
    if chosen.resume:
        if chosen.store:
            raise OptionError("--resume FILE continues that store; omit --store")
        if not Path(chosen.resume).exists():
            raise OptionError(f"there is no file {chosen.resume}")
        for name in PLAN:
            if getattr(chosen, name) != made.get_default(name):
                raise OptionError(f"{chosen.resume} already fixes --{name.replace('_', '-')}; omit it")
    if chosen.set_dir and chosen.set != made.get_default("set"):
        raise OptionError("give either --set or --set-dir")
    check_files(chosen.json, chosen.csv, chosen.store or chosen.resume)


def check_files(*files: str | None) -> None:
    """Check the files of several options, none of which may overwrite another.

    Raises:
        OptionError: one of them cannot be created, or two options name the same file.
    """
    seen: set[Path] = set()
    for file in files:
        check_writable(file)
        if file and file != STANDARD_OUTPUT:
            path = Path(file).resolve()
            if path in seen:
                raise OptionError(f"two options name the file {file}; each needs a file of its own")
            seen.add(path)


def check_writable(file: str | None) -> None:
    """Check that the file of an option can be created, before work whose result it is to hold.

    Raises:
        OptionError: its folder does not exist, or it is a folder itself.
    """
    if file and file != STANDARD_OUTPUT and not Path(file).absolute().parent.is_dir():
        raise OptionError(f"there is no folder for {file}")
    if file and Path(file).is_dir():
        raise OptionError(f"{file} is a folder")


def plan(chosen: argparse.Namespace, entries: Sequence[registry.Entry], secret: int | None = None) -> Plan:
    """The plan that the options describe.

    Args:
        chosen: the options.
        entries: the controllers that play.
        secret: the number from which all seeds derive, unless the options give one; random by default.

    Raises:
        OptionError: the options do not describe a valid plan.
        OSError: a file cannot be read.
    """
    game_set = folder_set(Path(chosen.set_dir)) if chosen.set_dir else find_set(chosen.set)
    fresh = seeds.fresh_secret() if secret is None else secret
    return Plan(
        entries=tuple(entries),
        game_set=game_set.only(chosen.games) if chosen.games else game_set,
        levels=tuple(chosen.levels) if chosen.levels else None,
        repeats=chosen.repeats,
        rules=_rules(chosen),
        restrictions=Restrictions(chosen.memory, chosen.processes, chosen.scratch),
        secret=fresh if chosen.seed is None else chosen.seed,
    )


def entries(names: Sequence[str], others: Sequence[registry.Entry] = ()) -> list[registry.Entry]:
    """Look up controllers by name, and append them to ``others``.

    Raises:
        OptionError: there is no such controller, or two have the same name.
    """
    found = [*others, *(registry.find(name) for name in names)]
    called = [entry.ranking_name for entry in found]
    for name in called:
        if called.count(name) > 1:
            raise OptionError(f"two of the controllers are called {name}; the ranking could not tell them apart")
    return found


def _rules(chosen: argparse.Namespace) -> Rules:
    if chosen.clock == Clock.CALLS and not chosen.budget.startswith("calls"):
        raise OptionError("--clock calls needs the number of calls: --budget calls:900")
    if chosen.clock in (Clock.CPU, Clock.WALL) and chosen.budget.startswith("calls"):
        raise OptionError(f"--clock {chosen.clock} needs a time, not --budget {chosen.budget}")
    clock = Clock(chosen.clock) if chosen.clock and chosen.clock != Clock.CALLS else Clock.CPU
    rules = with_budget(replace(Rules(), clock=clock, stirred=chosen.generator == "stirred"), chosen.budget)
    if chosen.construction:
        rules = with_construction(rules, chosen.construction)
    if rules.clock is Clock.CPU and not cpu_clock.can_measure():
        raise OptionError("CPU times can be measured on Linux only; use --clock wall or --budget calls:900")
    return rules


def add_output(group: argparse._ActionsContainer) -> None:
    """Add the options for machine-readable results."""
    group.add_argument("--json", metavar="FILE", help="write all that is known to a file; - for standard output")
    group.add_argument("--csv", metavar="FILE", help="write a row per play and player to a file")


def _add_controllers(group: argparse._ArgumentGroup) -> None:
    known = registry.names()
    group.add_argument(
        "--controllers", type=name_list, default=list(known), metavar="A,B,...",
        help=f"who plays: {', '.join(known)}, or FILE.py:CLASS (default: all of the named ones)",
    )  # fmt: skip


def add_games(group: argparse._ArgumentGroup) -> None:
    """Add the options for the games, levels and number of plays."""
    group.add_argument(
        "--set", default="training", metavar="NAME",
        help=f"set of games: {', '.join(bundled_sets())}, or a folder of your own (default: training)",
    )  # fmt: skip
    group.add_argument("--set-dir", metavar="DIR", help="a folder with a hidden set, unreadable to controllers")
    group.add_argument(
        "--games", type=name_list, metavar="A,B,...", help="only these games of the set, or game files like moles.txt"
    )
    group.add_argument("--levels", type=_levels, metavar="0-4", help="only these, like 0-4 or 0,2 (default: all)")
    group.add_argument("--repeats", type=positive, default=1, metavar="N", help="plays per level (default: 1)")


def add_rules(group: argparse._ArgumentGroup) -> None:
    """Add the options for the rules."""
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
        help="what a budget is counted in: CPU time of all processes of the controller, wall time, or calls "
        "(default: cpu, or calls if the budget says so)",
    )  # fmt: skip
    group.add_argument(
        "--generator", choices=["stirred", "plain"], default="stirred",
        help="chance of the real games: stirred before every tick by a secret key, so that no controller can compute "
        "what is to come, or the plain generator of the reference (default: stirred)",
    )  # fmt: skip
    group.add_argument(
        "--seed", type=seed, metavar="S",
        help="seed of all random choices (default: a new one, printed at the end)",
    )  # fmt: skip


def add_isolation(group: argparse._ArgumentGroup, *, agent: str = "controller", memory: str = "--memory") -> None:
    """Add the options for the isolation of agents.

    Args:
        group: where to add them.
        agent: what the agents are called in the help.
        memory: name of the option that limits their memory.
    """
    standard = Restrictions()
    add_isolation_level(group)
    for name, kind, value, unit, what in (
        (memory, whole(_LEAST_MEMORY_MB, _MOST_MB), standard.memory_mb, "MB", f"memory of a {agent}, in MiB"),
        ("--processes", whole(1, _MOST_PROCESSES), standard.processes, "N", f"concurrent processes of a {agent}"),
        ("--scratch", whole(1, _MOST_MB), standard.scratch_mb, "MB", "scratch folder and any file, in MiB"),
    ):
        group.add_argument(name, type=kind, default=value, metavar=unit, help=f"{what} (default: {value})")


def add_isolation_level(group: argparse._ArgumentGroup) -> None:
    """Add the option for the level of isolation."""
    group.add_argument(
        "--isolation", default="auto", choices=["auto", *map(str, Level)],
        help="isolation of agents from the machine (default: auto, the best that works here)",
    )  # fmt: skip


def _add_where(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--store", metavar="FILE", help="keep every finished play in a new results store")
    group.add_argument("--resume", metavar="FILE", help="continue the competition in a store")
    group.add_argument(
        "--jobs", type=positive, default=1, metavar="N", help="plays in parallel, a core each (default: 1)"
    )
    group.add_argument(
        "--backend", default="local", choices=["local", "ray"], help="here, or on a Ray cluster (default: local)"
    )
    group.add_argument("--ray-address", metavar="A", help="of the cluster (default: RAY_ADDRESS, or one started here)")


def name_list(text: str) -> list[str]:
    """Parse a comma-separated list of names."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("expected at least one name")
    return names


def _levels(text: str) -> list[int]:
    """Parse a comma-separated list of level numbers and ranges."""
    levels: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise argparse.ArgumentTypeError(f"{text!r} does not name levels; write 0-4, or 0,2")
        levels += [level for level in range(first, last + 1) if level not in levels]
    return levels


def positive(text: str) -> int:
    """Parse an integer of at least 1."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 1 or more")
    return int(text)


def whole(least: int, most: int) -> Callable[[str], int]:
    """A parser of an integer from ``least`` to ``most``."""

    def parse(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
        return int(text)

    return parse


def count(text: str) -> int:
    """Parse an integer of at least 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def amount(text: str) -> float:
    """Parse a finite number of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def port(text: str) -> int:
    """Parse the number of a port to listen on; 0 stands for any that is free."""
    return whole(0, 65535)(text)


def seed(text: str) -> int:
    """Parse an integer of at most 128 bits."""
    if not text.isdecimal() or int(text).bit_length() > seeds.SECRET_BITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 ... 2**{seeds.SECRET_BITS} - 1")
    return int(text)
