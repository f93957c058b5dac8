"""The options of the world-models track, and the plans that they describe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vgdl import games as bundled_games
from vgdl.competition import options
from vgdl.competition.chat.cache import Mode
from vgdl.competition.chat.model import Sampling
from vgdl.competition.chat.options import Models, add_limits, add_models, add_sampling
from vgdl.competition.chat.session import Patience
from vgdl.competition.options import Group, Groups
from vgdl.competition.tracks.worldmodels.plan import (
    DECKS,
    OPPONENTS,
    SMALL,
    AuthorEntry,
    Plan,
    Sizes,
    default_games,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.problem import PromptOptions
from vgdl.competition.tracks.worldmodels.search import work as search
from vgdl.competition.tracks.worldmodels.search.measures import TEST_TICKS, TICKS
from vgdl.competition.tracks.worldmodels.search.work import SearchPlan
from vgdl.competition.tracks.worldmodels.synthesis import METHODS, Settings
from vgdl.competition.tracks.worldmodels.texts.plan import LANGUAGES, MAX_CALLS, STARTS, TextPlan
from vgdl.competition.tracks.worldmodels.worlds import WORLDS
from vgdl.language import suggestion

FORMS = {
    "[NAME=]URL#MODEL": "a model behind an OpenAI-compatible endpoint",
    "NAME": "a model that --models-file describes",
    "scripted[:SET]": "prepared answers, good and bad ones, for tests",
    "search": "no model: a search for rules that agree with plays",
    "induction": "no model: rules are induced from own play only",
}
"""Forms of ``--author``."""

_SIZES = {
    "syntheses": "programs per game and deck",
    "learning_plays": "random plays that a program is learnt from",
    "test_plays": "plays that programs are measured on",
    "test_transitions": "tests of each kind drawn from them",
    "test_simulations": "per move of the test plays' searching players",
    "matches": "per opponent and seat, or per level of a VGDL game as VGDL text; 0 for none",
    "simulations": "per move of the planners",
    "rollouts": "per new leaf",
    "seconds": "CPU time per move of a planner",
    "values": "candidate value functions per program; 0 for none",
    "value_games": "games per ordered pair of value functions",
    "value_simulations": "per move of these games",
    "rejection_games": "games per pairing of programs, to drop bad ones; 0 for none",
}
_SETTINGS = {
    "heuristic_weight": "C of the tree search",
    "num_retries": "steps of the search",
    "min_heuristic_value_on_init": "least pass rate of first candidates",
    "min_heuristic_value_gain": "least improvement for a child to become a node",
    "max_calls": "of the author, per program",
    "max_stale_calls": "in a row without a better program, after which a synthesis ends; 0 for no limit",
    "max_tokens": "of prompts and replies, per program",
    "max_cost": "per program, at the rates of --price",
    "context_tokens": "limit of a conversation, beyond which the oldest exchanges are dropped",
}
_PROMPTS = {
    "num_targets": "versions asked for in one answer",
    "num_tests_on_init": "tests of each kind in the first prompt",
    "num_tests_on_error": "failed tests of each kind when refining",
}

_REPLY_TOKENS = 16_384

_DEFAULTS = {
    "isolation": "auto",
    "cache": Mode.USE,
    "patience": Patience().in_a_row,
    "reply_tokens": _REPLY_TOKENS,
}
"""Options with a default that has an effect, besides those of the authors without a model."""

_NOT_OF_TEXTS = (
    *("decks", "misleading", "sampler", "samples", "opponents"),
    *(name for name in _SIZES if name not in ("syntheses", "matches")),
)


DESCRIPTION = """\
Let an author write games as programs, from their rules and a few recorded plays, and play with the learnt programs."""

EPILOG = f"""\
authors:
{"".join(f"  {form:<18} {text}" + chr(10) for form, text in FORMS.items())}
examples:
  vgdl-compete worldmodels --games tic_tac_toe,leduc_poker --author scripted
  vgdl-compete worldmodels --games sokoban --author search
  vgdl-compete worldmodels --games sokoban,butterflies --author https://host/v1#big-model
  vgdl-compete worldmodels --games sokoban --author scripted --language python     a VGDL game as a Python program
  vgdl-compete worldmodels --author https://host/v1#big-model --store may.db --price 2.5/10 --run-cost 20
  vgdl-compete worldmodels --resume may.db --jobs 4     resume after an interruption; cached replies cost nothing
  vgdl-compete report may.db --out site                 a web site of it"""


def add(groups: Groups) -> None:
    """Add the options of the command."""
    what = groups.plan("what is learnt")
    what.add_argument("--games", type=options.name_list, metavar="A,B,...", help="the games (default: all)")
    what.add_argument("--author", default="scripted", metavar="A", help="author of the programs, see below")
    groups.seed("what is learnt")
    _add_programs(groups)
    options.add_isolation_level(groups.session("what is learnt"))
    groups.store("games in parallel")
    groups.output("game, deck, opponent and seat, or per game")
    output = groups.session("output")
    output.add_argument("--no-published", action="store_true", help="leave the paper's numbers out of the tables")


def _add_programs(groups: Groups) -> None:
    what = groups.plan("what is learnt by a model or script")
    what.add_argument("--decks", type=options.name_list, metavar="A,B", help=f"{' or '.join(DECKS)} (default: open)")
    what.add_argument("--misleading", action="store_true", help="use incomplete or misleading rules, if available")
    what.add_argument("--rules", action="append", metavar="NAME=FILE", help="rules in words, also of further games")
    what.add_argument(
        "--sampler",
        choices=["history", "state"],
        help="what inference functions sample: histories or states (default: history)",
    )
    what.add_argument("--samples", type=options.positive, metavar="K", help="samples per inference test (default: 1)")
    vgdl_games = groups.plan("what is learnt of VGDL games")
    vgdl_games.add_argument(
        "--language", choices=LANGUAGES, help="language of the learnt games: VGDL text (default), or Python programs"
    )
    vgdl_games.add_argument("--named", action="store_true", help="show the true names of types instead of numbers")
    vgdl_games.add_argument("--ticks", type=options.positive, metavar="N", help=f"to learn from (default: {TICKS})")
    vgdl_games.add_argument(
        "--test-ticks", type=options.positive, metavar="N", help=f"of other levels, to measure (default: {TEST_TICKS})"
    )
    vgdl_games.add_argument(
        "--start",
        choices=STARTS,
        help="source of the first version: the author, or the search, whose text the author then repairs",
    )
    loop = groups.plan("how a program is refined")
    loop.add_argument("--method", choices=METHODS, help="rex is the published tree search (default: tree)")
    _add_numbers(loop, _SETTINGS, Settings())
    _add_numbers(loop, _PROMPTS, PromptOptions())
    add_sampling(loop, _REPLY_TOKENS)
    sizes = groups.plan("sizes (defaults: the paper's; small with --author scripted)")
    for name, text in _SIZES.items():
        kind = options.amount if name == "seconds" else options.count
        shown = f"{text} ({getattr(Sizes(), name):g}; scripted: {getattr(SMALL, name):g})"
        sizes.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=shown)
    sizes.add_argument("--opponents", type=options.name_list, metavar="A,B", help=f"of {', '.join(OPPONENTS)}")
    money = groups.plan("costs and limits of the run")
    add_models(money)
    add_limits(groups.session("costs and limits of the run"), prefix="run")


def _add_numbers(group: Group, texts: dict[str, str], defaults: object) -> None:
    for name, text in texts.items():
        default = getattr(defaults, name)
        kind = options.amount if isinstance(default, float) or name == "max_cost" else options.count
        shown = f"{text} (default: {'no limit' if default is None else format(default, 'g')})"
        group.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=shown)


def plan(chosen: Mapping[str, Any]) -> Plan | TextPlan | SearchPlan:
    """The plan that the options describe: VGDL games and others are learnt in separate runs.

    Raises:
        OptionError: they describe none.
        UnknownWorld: a game is unknown.
    """
    author = chosen["author"]
    name = author if "://" in author else author.partition(":")[0]
    is_model = "://" in author or author in Models(chosen).tables
    if name in search.AUTHORS:
        for option, value in chosen.items():
            if option not in search.OPTIONS and value not in (None, False, _DEFAULTS.get(option)):
                raise options.OptionError(f"--{option.replace('_', '-')} does not go with the author {name}")
        return search.plan(chosen)
    if name != "scripted" and not is_model:
        known = (*search.AUTHORS, "scripted")
        expected = " or ".join(FORMS)
        raise options.OptionError(f"there is no author {name!r}{suggestion(name, known)}: expected {expected}")
    return text_plan(chosen) if _are_vgdl(chosen["games"] or ()) else programs_plan(chosen)


def author_of(chosen: Mapping[str, Any]) -> AuthorEntry:
    """The author that the options describe.

    Raises:
        OptionError: they describe none.
    """
    models = Models(chosen)
    author = AuthorEntry.of(chosen["author"], models.tables)
    addresses = {author.name: models.address(author.name) or (author.url, author.model)}
    return author.asked_as(models.endpoints(addresses if author.kind == "endpoint" else {}))


def programs_plan(chosen: Mapping[str, Any]) -> Plan:
    """Make the plan of a run from the options.

    Raises:
        OptionError: the options are invalid.
        UnknownWorld: a game is unknown.
    """
    if chosen["language"]:
        reason = "other games are always learnt as Python"
        raise options.OptionError(f"--language is for VGDL games: name some with --games; {reason}")
    author = author_of(chosen)
    sizes = SMALL if author.kind == "scripted" else Sizes()
    rules = {name: _text(Path(file)) for name, file in _pairs(chosen["rules"])}
    return Plan(
        games=tuple(chosen["games"] or default_games(author)),
        author=author,
        secret=options.secret(chosen),
        decks=tuple(chosen["decks"] or ("open",)),
        opponents=tuple(chosen["opponents"] or OPPONENTS),
        sizes=replace(sizes, **_chosen_values(chosen, _SIZES)),
        settings=replace(Settings(), **_chosen_values(chosen, _SETTINGS), **_chosen_values(chosen, ("method",))),
        prompts=replace(PromptOptions(), misleading=chosen["misleading"], **_chosen_values(chosen, _PROMPTS)),
        sampling=Sampling(chosen["reply_tokens"], chosen["temperature"]),
        sampler=chosen["sampler"] or "history",
        samples=chosen["samples"] or 1,
        rules=rules,
    )


def text_plan(chosen: Mapping[str, Any]) -> TextPlan:
    """Make the plan of a run on VGDL games from the options.

    Raises:
        OptionError: the options are invalid.
    """
    for name in _NOT_OF_TEXTS:
        if chosen[name] not in (None, False):
            raise options.OptionError(f"--{name.replace('_', '-')} does not go with VGDL games")
    author = author_of(chosen)
    few = 1 if author.kind == "scripted" else Sizes().syntheses
    matches = 0 if chosen["language"] == "python" and chosen["matches"] is None else chosen["matches"]
    given = {"plays": matches, **_chosen_values(chosen, ("language", "ticks", "test_ticks", "start"))}
    return TextPlan(
        games=tuple(chosen["games"]),
        author=author,
        secret=options.secret(chosen),
        syntheses=few if chosen["syntheses"] is None else chosen["syntheses"],
        named=chosen["named"],
        settings=replace(
            Settings(max_calls=MAX_CALLS), **_chosen_values(chosen, _SETTINGS), **_chosen_values(chosen, ("method",))
        ),
        prompts=replace(PromptOptions(), **_chosen_values(chosen, _PROMPTS)),
        sampling=Sampling(chosen["reply_tokens"], chosen["temperature"]),
        rules={name: _text(Path(file)) for name, file in _pairs(chosen["rules"])},
        **{name: value for name, value in given.items() if value is not None},
    )


def _are_vgdl(names: Sequence[str]) -> bool:
    """Whether games are VGDL games: bundled ones, or paths of game files.

    Raises:
        OptionError: some are, and some are not.
    """
    bundled = set(bundled_games.names()) - set(WORLDS)
    found = [name for name in names if name in bundled or (name.endswith(".txt") and Path(name).is_file())]
    if found and len(found) < len(names):
        other = next(name for name in names if name not in found)
        raise options.OptionError(f"{found[0]} is a VGDL game and {other} is not: learn them in separate runs")
    return bool(found)


def _chosen_values(chosen: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    found = {name: chosen[name] for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _pairs(texts: list[str] | None) -> list[tuple[str, str]]:
    found = []
    for text in texts or ():
        name, equals, file = text.partition("=")
        if not equals or not name or not file:
            raise options.OptionError(f"--rules expects NAME=FILE, not {text!r}")
        found.append((name, file))
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise options.OptionError(f"the rules in {path} cannot be read: {error}") from None
