"""The options of the generation track, and the plan that they describe."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vgdl import games
from vgdl.competition import options
from vgdl.competition.agents import cpu_clock
from vgdl.competition.budget import Budget, BudgetInvalid
from vgdl.competition.chat.options import Models, add_limits, add_models
from vgdl.competition.options import Groups, OptionError
from vgdl.competition.tracks.generation.plan import CHAT, DEFAULT_BUDGET, FOR_NOTHING, Kind, Plan
from vgdl.generation import GAME_GENERATORS, LEVEL_GENERATORS, RULE_GENERATORS
from vgdl.generation.chat import ROUNDS, parse_model
from vgdl.generation.interface import Size
from vgdl.judging.plays import Effort
from vgdl.judging.profile import BANDS
from vgdl.language import suggestion
from vgdl.registry import Entry, Registry

REGISTRIES: Mapping[Kind, Registry[Any]] = {
    Kind.LEVELS: LEVEL_GENERATORS,
    Kind.RULES: RULE_GENERATORS,
    Kind.GAMES: GAME_GENERATORS,
}

DESCRIPTION = """\
Let generators make levels for games, rules for sprites, or whole games, and judge them.

A referee checks what each generator returns; judges from doing nothing to the champion play it. What counts is whether
it is feasible, with a win that another process has replayed, and how well it tells good players from bad ones."""

EXAMPLES = """\
examples:
  vgdl-compete generate levels --games sokoban,zelda --generators random,constructive --levels 2 --budget 5s
  vgdl-compete generate levels --games my_game.txt --generators archive,my_generator.py:MyLevels --store june.db
  vgdl-compete generate levels --games zelda --generators archive --difficulty medium --folder made
  vgdl-compete generate rules --games aliens,frogs --generators rules-random,rules-genetic
  vgdl-compete generate games --generators games-search --number 3 --folder made
  vgdl-compete generate --resume june.db                continue after an interruption
  vgdl-compete report june.db --out site                pictures, profiles and replays: open site/index.html"""

DEFAULT_GAMES = ("sokoban", "zelda")


def add(groups: Groups) -> None:
    """Add the options of the command."""
    what = groups.plan("what is generated")
    what.add_argument(
        "--kind",
        choices=[*map(str, Kind)],
        default=str(Kind.LEVELS),
        help="what is generated; vgdl-compete generate rules is the same as --kind rules (default: levels)",
    )
    names = "; ".join(f"{kind}: {', '.join(registry.names())}" for kind, registry in REGISTRIES.items())
    what.add_argument(
        "--generators",
        type=options.name_list,
        metavar="A,B,...",
        help=f"who generates ({names}), or FILE.py[:CLASS], or chat:URL#MODEL (default: all bundled)",
    )
    what.add_argument(
        "--games", type=options.name_list, default=list(DEFAULT_GAMES), metavar="A,B,...",
        help=f"bundled games, or game files (default: {','.join(DEFAULT_GAMES)})",
    )  # fmt: skip
    what.add_argument(
        "--ideas", action="append", metavar="SENTENCE", help="what game is wanted; repeatable (default: any)"
    )
    what.add_argument(
        "--levels", "--number", dest="number", type=options.whole(1, 1000), default=2, metavar="N",
        help="how many levels, sets of rules or games for each game (default: 2)",
    )  # fmt: skip
    what.add_argument(
        "--size", metavar="CxR", help="12x9, or 10-14x8-10 for a range (default: as the game's own levels)"
    )
    what.add_argument("--difficulty", choices=[*BANDS], help="the wanted difficulty of levels (default: any)")
    rules = groups.plan("budgets and judges")
    rules.add_argument(
        "--budget", metavar="T", help="CPU time, or calls:N, for each (default: 60s a level, 120s rules, 300s a game)"
    )
    rules.add_argument("--construct", default="60s", metavar="T", help="the same for the constructor (default: 60s)")
    rules.add_argument(
        "--plays", type=options.whole(1, 1000), metavar="N", help="plays of each judge (default: 5; rules: 3)"
    )
    rules.add_argument(
        "--calls",
        type=options.whole(1, 10**6),
        default=1000,
        metavar="N",
        help="a judge's calls per tick (default: 1000)",
    )
    rules.add_argument(
        "--ticks", type=options.whole(40, 10**5), metavar="N", help="ticks per play (default: 1000; rules: 300)"
    )
    groups.plan("language models, as chat:URL#MODEL").add_argument(
        "--rounds", type=options.whole(1, 100), default=ROUNDS, metavar="N",
        help=f"answers that a model may give for each, with the referee's messages in between (default: {ROUNDS})",
    )  # fmt: skip
    add_models(groups.plan("language models, as chat:URL#MODEL"))
    add_limits(groups.session("language models, as chat:URL#MODEL"))
    groups.seed("budgets and judges")
    groups.isolation("generator")
    groups.store("levels, sets of rules or games in parallel")
    groups.output("level, set of rules or game")
    output = groups.session("output")
    output.add_argument("--folder", metavar="DIR", help="write what was made, in the layout of games, into a folder")


def plan(chosen: Mapping[str, Any]) -> Plan:
    """The plan that the options describe.

    Raises:
        OptionError, EntryNotFound: they describe none.
    """
    kind = Kind(chosen["kind"])
    registry = REGISTRIES[kind]
    names = chosen["generators"] or list(registry.names())
    budget, construct = _budget(chosen["budget"] or DEFAULT_BUDGET[kind]), _budget(chosen["construct"])
    if not budget.is_time and construct.is_time:  # one clock for both
        construct = budget
    if budget.is_time != construct.is_time:
        raise OptionError("--construct and --budget must both be times, or both be calls")
    if budget.is_time and not cpu_clock.can_measure():
        raise OptionError("CPU times can be measured from outside on Linux only; use --budget calls:N")
    if chosen["size"]:
        try:
            Size.parse(chosen["size"])
        except ValueError as error:
            raise OptionError(str(error)) from None
    subjects = tuple(chosen["ideas"] or [FOR_NOTHING]) if kind is Kind.GAMES else tuple(map(_path, chosen["games"]))
    if len(set(subjects)) < len(subjects):
        raise OptionError("a game is named twice")
    models = Models(chosen)
    entries = tuple(_model(name, models) if name.startswith(CHAT) else registry.find(name) for name in names)
    called = [entry.ranking_name for entry in entries]
    for name in called:
        if called.count(name) > 1:
            raise OptionError(f"two of the generators are called {name}; the ranking could not tell them apart")
    is_rules = kind is Kind.RULES
    return Plan(
        kind=kind,
        entries=entries,
        subjects=subjects,
        number=chosen["number"],
        construct=construct,
        budget=budget,
        size=chosen["size"] or "",
        difficulty=chosen["difficulty"],
        effort=Effort(
            chosen["plays"] or (3 if is_rules else 5), chosen["calls"], chosen["ticks"] or (300 if is_rules else 1000)
        ),
        restrictions=options.restrictions(chosen),
        rounds=chosen["rounds"],
        secret=options.secret(chosen),
        endpoints=models.endpoints(
            {
                entry.ranking_name: models.address(entry.ranking_name) or (entry.location, entry.ranking_name)
                for entry in entries
                if entry.class_name == CHAT
            }
        ),
    )


def _model(name: str, models: Models) -> Entry:
    """The entry of a language model, which is no class."""
    known = name.removeprefix(CHAT)
    if described := models.address(known):
        return Entry(name, known, described[0], CHAT)
    try:
        address, model = parse_model(name)
    except ValueError as error:
        raise OptionError(str(error)) from None
    return Entry(name, model, address, CHAT)


def _budget(text: str | Budget) -> Budget:
    try:
        return Budget.parse(text)
    except BudgetInvalid as error:
        raise OptionError(str(error)) from None


def _path(name: str) -> str:
    """The file of a bundled game, or of another one."""
    if games.is_bundled(name):
        return str(games.path(name))
    path = Path(name)
    if not path.is_file():
        hint = suggestion(name, games.names())
        raise OptionError(f"there is no game {name!r}{hint}: expected a bundled game or a game file")
    return str(path.resolve())
