"""The options of the Othello arena, and the plan that they describe."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vgdl.competition import options
from vgdl.competition.agents import cpu_clock
from vgdl.competition.agents.service import Clock
from vgdl.competition.options import Group, Groups, OptionError
from vgdl.competition.tracks.othello.entries import BASELINE, BUILT_IN, OPPONENTS, SYSTEMS
from vgdl.competition.tracks.othello.generator import Kind, generate
from vgdl.competition.tracks.othello.metrics import ANALYSIS_S, GAME_S, Definition, Weights
from vgdl.competition.tracks.othello.plan import ApiHost, ApiLevel, Failed, Memory, Plan, generated
from vgdl.competition.tracks.othello.stages import PUBLIC_IDS, read_stages
from vgdl.tabletop.othello_stages import EXTENDED, PUBLIC, STAGES, Stage

DESCRIPTION = """\
Let systems analyse Othello boards that they have never seen, and play each other on them.

On every stage each system has 60 s to analyse the board and returns a strategy; every strategy meets every
other one as black and as white, with 10 s for all its moves of a game."""

EXAMPLES = """\
examples:
  vgdl-compete othello --stages public --systems random,greedy,positional,template --analysis 1s --game 1s
  vgdl-compete othello --systems my_system.py,template --stages public,generated:4 --store june.db
  vgdl-compete othello --resume june.db --jobs 2        continue after an interruption, two stages at a time
  vgdl-compete othello --systems my_system.py,greedy --logs logs     write a text and a JSON log per stage
  vgdl-compete othello check game.log                   which rules does a log obey?
  vgdl-compete report june.db --out site                a web site of it, with replays: open site/index.html"""

_KINDS = ", ".join(Kind)
STAGE_NAMES = f"""\
stages, between commas:
  public             {", ".join(stage.id for stage in PUBLIC)}
  extended           {", ".join(stage.id for stage in EXTENDED)}
  generated:N        N new hidden stages
  generated:KIND:N   the same of one kind: {_KINDS}
  seed:S             the generated stage of a seed
  FILE.json          the stages of a file
  or any of the names in the first two rows"""

DEFAULT_SYSTEMS = ("random", "greedy", "corners", "positional", "template")
MOST_GENERATED = 1000
"""Most stages that one name generates: each takes a tenth of a second, and then its games."""


def add(groups: Groups) -> None:
    """Add the options of the command."""
    _add_what(groups.plan("what is played"))
    _add_rules(groups.plan("the rules"))
    groups.seed("the rules")
    groups.isolation("system")
    groups.store("stages in parallel, a core each")
    groups.output("game")
    output = groups.session("output")
    output.add_argument("--logs", metavar="DIR", help="write a text log and a JSON log of every stage into a folder")


def _add_what(group: Group) -> None:
    group.add_argument(
        "--systems", type=options.name_list, default=list(DEFAULT_SYSTEMS), metavar="A,B,...",
        help=f"who plays: {', '.join(SYSTEMS.names())}, or FILE.py[:CLASS] (default: {','.join(DEFAULT_SYSTEMS)})",
    )  # fmt: skip
    group.add_argument(
        "--stages", type=options.name_list, default=["public"], metavar="A,B,...",
        help="what is played on; see below (default: public)",
    )  # fmt: skip
    group.add_argument(
        "--repeats", type=options.positive, default=1, metavar="N", help="games of each pair and colour (default: 1)"
    )
    group.add_argument(
        "--adaptation", action="store_true", help="repeat analyses with a quarter, 1/15 and 1/60 of the time, for A"
    )


def _add_rules(group: Group) -> None:
    group.add_argument(
        "--analysis",
        type=options.milliseconds,
        default=1000 * ANALYSIS_S,
        metavar="T",
        help="time to analyse a stage (default: 60s)",
    )
    group.add_argument(
        "--game",
        type=options.milliseconds,
        default=1000 * GAME_S,
        metavar="T",
        help="time for all moves of a game (default: 10s)",
    )
    group.add_argument(
        "--clock", choices=[str(Clock.CPU), str(Clock.WALL)], default=Clock.CPU,
        help="CPU time of all processes of a system, or wall time (default: cpu)",
    )  # fmt: skip
    group.add_argument(
        "--api", choices=[*map(str, ApiLevel)], default=ApiLevel.OBSERVABLE,
        help="the paper's three calls, or turn order and winner as well (default: observable)",
    )  # fmt: skip
    group.add_argument(
        "--api-host", choices=[*map(str, ApiHost)], default=ApiHost.LOCAL,
        help="who holds the rules: a compiled object in the system's process, or the referee, for submissions "
        "(default: local)",
    )  # fmt: skip
    group.add_argument(
        "--keep-memory", dest="memory_of_games", action="store_const", const=Memory.KEEP, default=Memory.FORK,
        help="one process plays all games of a stage (default: every game starts from the snapshot after the analysis)",
    )  # fmt: skip
    group.add_argument(
        "--analyse-every-game", dest="memory_of_games", action="store_const", const=Memory.FRESH,
        help="every game starts a new process, which analyses the stage again: it takes longer, and nothing can be "
        "passed on from game to game",
    )  # fmt: skip
    group.add_argument(
        "--failed", choices=[*map(str, Failed)], default=Failed.ABSENT,
        help="replacement of a system without a strategy (default: absent)",
    )  # fmt: skip
    group.add_argument(
        "--weights", type=_weights, default=Weights(), metavar="P,A,E,G,R",
        help="weights of the score (default: 0.5,0.1,0.1,0.15,0.15)",
    )  # fmt: skip

    group.add_argument(
        "--metrics", choices=[*map(str, Definition)], default=Definition.STRENGTH,
        help=f"strength: only what a system chose itself counts, G is the strength above {BASELINE} that is left on "
        f"hidden stages, and {BASELINE} plays along where G is known; paper: the first definitions (default: strength)",
    )  # fmt: skip


def plan(chosen: Mapping[str, Any]) -> Plan:
    """The plan that the options describe.

    Raises:
        OptionError, EntryNotFound: they describe none.
    """
    if chosen["clock"] == Clock.CPU and not cpu_clock.can_measure():
        raise OptionError("CPU times can be measured from outside on Linux only; use --clock wall")
    found = SYSTEMS.find_all(chosen["systems"])
    if len(found) < 2:
        raise OptionError("a round robin needs at least two systems")
    if chosen["adaptation"] and not OPPONENTS & {entry.name for entry in found}:
        raise OptionError(f"--adaptation is measured against {', '.join(sorted(OPPONENTS))}: enter one of them")
    secret = options.secret(chosen)
    stages = [stage for name in chosen["stages"] for stage in _stages(name, secret)]
    for stage in stages:
        if sum(other.id == stage.id for other in stages) > 1:
            raise OptionError(f"two of the stages are called {stage.id}")
    definition = Definition(chosen["metrics"])
    is_known = len({stage.id in PUBLIC_IDS for stage in stages}) == 2  # G needs stages of both kinds
    if definition is Definition.STRENGTH and is_known and BASELINE not in (entry.name for entry in found):
        found = (*found, BUILT_IN[BASELINE])
    return Plan(
        entries=found,
        stages=tuple(stages),
        repeats=chosen["repeats"],
        analysis_ms=chosen["analysis"],
        game_ms=chosen["game"],
        clock=Clock(chosen["clock"]),
        api=ApiLevel(chosen["api"]),
        api_host=ApiHost(chosen["api_host"]),
        memory=Memory(chosen["memory_of_games"]),
        failed=Failed(chosen["failed"]),
        adaptation=chosen["adaptation"],
        weights=chosen["weights"],
        restrictions=options.restrictions(chosen),
        secret=secret,
        metrics=definition,
    )


def _stages(name: str, secret: int) -> list[Stage]:
    """The stages for one of the comma-separated names.

    Raises:
        CompetitionError: there are no such stages.
    """
    if name.endswith(".json"):
        if not (stages := read_stages(Path(name))):
            raise OptionError(f"{name} has no stages")
        return stages
    if name in ("public", "extended"):
        return list(PUBLIC if name == "public" else EXTENDED)
    if name in STAGES:
        return [STAGES[name]]
    if match := re.fullmatch(r"seed:(\d{1,100})", name):
        return [generate(int(match[1]))]
    if match := re.fullmatch(r"generated:(?:([a-z]+):)?(\d{1,30})", name):
        if match[1] and match[1] not in list(Kind):
            raise OptionError(f"there are no stages of kind {match[1]!r}; there are {_KINDS}")
        if int(match[2]) == 0:
            raise OptionError(f"{name!r} asks for no stages; write generated:1 or more")
        if int(match[2]) > MOST_GENERATED:
            raise OptionError(f"{name!r} asks for too many stages; write generated:{MOST_GENERATED} or less")
        return generated(secret, int(match[2]), Kind(match[1]) if match[1] else None)
    raise OptionError(f"there are no stages {name!r}. {STAGE_NAMES}")


def _weights(text: str) -> Weights:
    try:
        return Weights.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
