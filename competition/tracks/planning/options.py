"""The options of the planning track, and the plan that they describe."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vgdl.competition.agents import cpu_clock
from vgdl.competition.agents.service import Clock
from vgdl.competition.options import (
    Group,
    Groups,
    OptionError,
    level_list,
    name_list,
    positive,
    restrictions,
    secret,
)  # fmt: skip
from vgdl.competition.tracks.planning.game_set import bundled_sets, find_set, folder_set
from vgdl.competition.tracks.planning.plan import Plan
from vgdl.competition.tracks.planning.rules import Rules, with_budget, with_construction
from vgdl.controllers.registry import CONTROLLERS
from vgdl.registry import Entry

DEFAULT_SET = "training"

DESCRIPTION = """\
Let controllers play a set of games against the clock, and rank them.

Every controller plays every level of every game. It has 1 s to get ready and 40 ms of CPU time for each
action: an answer after that counts as no action, one after more than 50 ms disqualifies it from the play.
Places in a game go by victories, then score, then time, and earn Formula-1 points (25, 18, 15 ...)."""

EXAMPLES = """\
examples:
  vgdl-compete                                             the whole training set, all bundled controllers
  vgdl-compete --games aliens --levels 0-1 --repeats 5     two levels of one game, five plays each
  vgdl-compete --controllers samplemcts,my_agent.py:Mine   a controller of your own against a bundled one
  vgdl-compete --budget calls:900 --seed 1                 repeatable to the last bit, on any machine
  vgdl-compete --store spring.db --jobs 4                  keep every play; four in parallel
  vgdl-compete --resume spring.db                          continue after an interruption
  vgdl-compete --set two_player                            every controller against every other, as either player
  vgdl-compete report spring.db --out site                 a web site of it, with replays: open site/index.html"""


def add(groups: Groups) -> None:
    """Add the options of the command."""
    what = groups.plan("what is played")
    _add_controllers(what)
    add_games(what)
    rules = groups.plan("the rules")
    add_rules(rules)
    groups.seed("the rules")
    groups.isolation("controller")
    groups.store("plays in parallel, a core each")
    where = groups.session("where it is played and kept")
    where.add_argument(
        "--backend", default="local", choices=["local", "ray"], help="here, or on a Ray cluster (default: local)"
    )
    where.add_argument("--ray-address", metavar="A", help="of the cluster (default: RAY_ADDRESS, or one started here)")
    groups.output("play and player")
    output = groups.session("output")
    output.add_argument(
        "--show-output", action="store_true",
        help="print the end of what every controller printed; that of disqualified ones is always printed",
    )  # fmt: skip
    output.add_argument("--replays", metavar="DIR", help="write a replay file of every play into a folder")


def plan(chosen: Mapping[str, Any], entries: Sequence[Entry] | None = None, fresh: int | None = None) -> Plan:
    """The plan that the options describe.

    Args:
        chosen: the options.
        entries: the controllers that play; by default those of the options.
        fresh: the number from which all seeds derive, unless the options give one; random by default.

    Raises:
        OptionError, RulesError, SetNotFound, EntryNotFound: the options do not describe a valid plan.
    """
    if chosen["set_dir"] and chosen["set"] != DEFAULT_SET:
        raise OptionError("give either --set or --set-dir")
    game_set = folder_set(Path(chosen["set_dir"])) if chosen["set_dir"] else find_set(chosen["set"])
    return Plan(
        entries=CONTROLLERS.find_all(chosen["controllers"]) if entries is None else tuple(entries),
        game_set=game_set.only(chosen["games"]) if chosen["games"] else game_set,
        levels=tuple(chosen["levels"]) if chosen["levels"] else None,
        repeats=chosen["repeats"],
        rules=_rules(chosen),
        restrictions=restrictions(chosen),
        secret=secret(chosen) if fresh is None or chosen["seed"] is not None else fresh,
    )


def _rules(chosen: Mapping[str, Any]) -> Rules:
    clock, budget = chosen["clock"], chosen["budget"]
    if clock == Clock.CALLS and not budget.startswith("calls"):
        raise OptionError("--clock calls needs the number of calls: --budget calls:900")
    if clock in (Clock.CPU, Clock.WALL) and budget.startswith("calls"):
        raise OptionError(f"--clock {clock} needs a time, not --budget {budget}")
    measured = Clock(clock) if clock and clock != Clock.CALLS else Clock.CPU
    rules = Rules(
        clock=measured,
        stirred=chosen["generator"] == "stirred",
        strict=chosen["strict"],
        failures_rank=chosen["failures_rank"],
    )
    rules = with_budget(rules, budget)
    if chosen["construction"]:
        rules = with_construction(rules, chosen["construction"])
    if rules.clock is Clock.CPU and not cpu_clock.can_measure():
        raise OptionError("CPU times can be measured on Linux only; use --clock wall or --budget calls:900")
    return rules


def _add_controllers(group: Group | argparse._ArgumentGroup) -> None:
    known = CONTROLLERS.names()
    group.add_argument(
        "--controllers", type=name_list, default=list(known), metavar="A,B,...",
        help=f"who plays: {', '.join(known)}, or FILE.py:CLASS (default: all of the named ones)",
    )  # fmt: skip


def add_games(group: Group | argparse._ArgumentGroup) -> None:
    """Add the options for the games, levels and number of plays."""
    group.add_argument(
        "--set", default=DEFAULT_SET, metavar="NAME",
        help=f"set of games: {', '.join(bundled_sets())}, or a folder of your own (default: {DEFAULT_SET})",
    )  # fmt: skip
    group.add_argument("--set-dir", metavar="DIR", help="a folder with a hidden set, unreadable to controllers")
    group.add_argument(
        "--games", type=name_list, metavar="A,B,...", help="only these games of the set, or game files like moles.txt"
    )
    group.add_argument("--levels", type=level_list, metavar="0-4", help="only these, like 0-4 or 0,2 (default: all)")
    group.add_argument("--repeats", type=positive, default=1, metavar="N", help="plays per level (default: 1)")


def add_rules(group: Group | argparse._ArgumentGroup) -> None:
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
        "--strict", action="store_true",
        help="disqualify a controller for an answer that is no action of the game (default: it counts as NIL)",
    )  # fmt: skip
    group.add_argument(
        "--failures-rank", action="store_true",
        help="a controller that is disqualified in all its plays of a game may earn points there (default: none)",
    )  # fmt: skip
