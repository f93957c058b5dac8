"""The options of GAMEBoT, and the plan that they describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vgdl.competition import options
from vgdl.competition.chat.fields import KEY_ENV
from vgdl.competition.chat.model import Sampling
from vgdl.competition.chat.options import Models, add_limits, add_models, add_sampling
from vgdl.competition.options import Groups, OptionError
from vgdl.competition.tracks.gamebot.grammars import Mode
from vgdl.competition.tracks.gamebot.match import MatchOptions
from vgdl.competition.tracks.gamebot.plan import BUILT_IN, Entry, Plan
from vgdl.competition.tracks.gamebot.prompts import Variant
from vgdl.competition.tracks.gamebot.scores import Options
from vgdl.competition.tracks.gamebot.scripted import MODES
from vgdl.competition.tracks.gamebot.tasks import TASKS

DESCRIPTION = """\
Let language models play eight games and show their work.

In every turn a model answers two or three questions about the position, whose true answers a program knows,
and chooses a move. Outcomes (S) and answers (I) are scored; every pair plays every game as either player."""

EXAMPLES = f"""\
examples:
  vgdl-compete gamebot --models scripted:correct,scripted:mix,random --matches 2
  vgdl-compete gamebot --models big=https://host/v1#big-model,random --games othello,pong --store may.db --max-cost 5
  vgdl-compete gamebot --resume may.db --jobs 8         continue after an interruption; cached replies cost nothing
  vgdl-compete report may.db --out site                 a web site of it, with every match to step through

players, between commas:
  NAME=URL#MODEL     a model behind an OpenAI-compatible endpoint; its key is read from {KEY_ENV}, see --key-env
  NAME               a model that --models-file describes
  {", ".join(BUILT_IN)}
                     random moves; true answers and a search; a search; a person at the terminal
  scripted:MODE      for tests: {", ".join(MODES)}, error:N, mix:P"""


def add(groups: Groups) -> None:
    """Add the options of the command."""
    what = groups.plan("what is played")
    what.add_argument("--models", type=options.name_list, metavar="A,B,...", help="the players, see below")
    what.add_argument(
        "--games",
        type=_games,
        default=list(TASKS),
        metavar="A,B,...",
        help=f"some of {', '.join(TASKS)} (default: all)",
    )
    what.add_argument(
        "--matches", type=options.positive, default=20, metavar="N",
        help="per pair and game, half with players swapped (default: 20)",
    )  # fmt: skip
    what.add_argument(
        "--variant", choices=[*map(str, Variant)], default=Variant.GUIDED, help="of the prompts (default: guided)"
    )
    add_sampling(what, 4096)
    what.add_argument(
        "--simulations", type=options.positive, default=200, metavar="N",
        help="per move of players that search (default: 200)",
    )  # fmt: skip
    groups.seed("what is played")
    rules = groups.plan("the rules")
    rules.add_argument(
        "--reask", type=options.count, default=0, metavar="N",
        help="ask again up to N times after an unplayable move (default: 0)",
    )  # fmt: skip
    rules.add_argument(
        "--forfeit", action="store_true", help="an unplayable move loses, instead of being replaced at random"
    )
    rules.add_argument(
        "--format-errors", choices=["count", "ignore"], default="count",
        help="whether unreadable answers count as wrong (default: count)",
    )  # fmt: skip
    rules.add_argument(
        "--reading", choices=[*map(str, Mode)], default=Mode.PAPER,
        help="forms of answers that count: those that the paper's programs accept, such as 'y = 78', or only those of "
        "the prompt (default: paper)",
    )  # fmt: skip
    rules.add_argument(
        "--alpha", type=options.amount, metavar="X",
        help="the scale of Hold'em and Bargaining (default: from the field)",
    )  # fmt: skip
    money = groups.plan("costs and limits")
    add_models(money)
    add_limits(groups.session("costs and limits"))
    groups.store("matches in parallel")
    groups.output("player and game")
    output = groups.session("output")
    output.add_argument(
        "--turns", metavar="FILE", help="write every turn with its question, answer and verdict, as .jsonl or .parquet"
    )
    output.add_argument("--published", action="store_true", help="print the paper's table below the results")


def _games(text: str) -> list[str]:
    return list(TASKS) if text.strip() == "all" else options.name_list(text)


def plan(chosen: Mapping[str, Any]) -> Plan:
    """The plan that the options describe.

    Raises:
        OptionError: they describe none.
    """
    if not chosen["models"]:
        raise OptionError("name the players: --models random,NAME=URL#MODEL")
    if chosen["alpha"] == 0:
        raise OptionError("--alpha must be more than 0")
    try:
        models = Models(chosen)
        entries = [Entry.of(text, models.tables) for text in chosen["models"]]
        addresses = {
            entry.name: models.address(entry.name) or (entry.url, entry.model)
            for entry in entries
            if entry.kind == "endpoint"
        }
        endpoints = models.endpoints(addresses)
        entries = [entry.asked_as(endpoints[entry.name]) if entry.name in endpoints else entry for entry in entries]
        return Plan(
            entries=tuple(entries),
            games=tuple(chosen["games"]),
            matches=chosen["matches"],
            secret=options.secret(chosen),
            variant=Variant(chosen["variant"]),
            reading=Mode(chosen["reading"]),
            sampling=Sampling(chosen["reply_tokens"], chosen["temperature"]),
            options=MatchOptions(chosen["reask"], chosen["forfeit"]),
            scoring=Options(chosen["format_errors"] == "ignore", chosen["alpha"]),
            simulations=chosen["simulations"],
        )
    except ValueError as error:
        raise OptionError(str(error)) from None
