"""The options of ``vgdl-compete worldmodels`` for authors that write turn-based games as Python."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from vgdl.competition import options, seeds
from vgdl.competition.chat.accounts import Price
from vgdl.competition.chat.cache import Mode
from vgdl.competition.chat.model import Sampling
from vgdl.competition.tracks.worldmodels.plan import (
    DECKS,
    KEY_ENV,
    OPPONENTS,
    SMALL,
    AuthorEntry,
    Plan,
    Sizes,
    default_games,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.problem import PromptOptions
from vgdl.competition.tracks.worldmodels.search.measures import TEST_TICKS, TICKS
from vgdl.competition.tracks.worldmodels.synthesis import METHODS, Settings
from vgdl.competition.tracks.worldmodels.texts.plan import LANGUAGES, MAX_CALLS, STARTS, TextPlan

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
    "max_tokens": "of prompts and replies, per program",
    "max_cost": "per program, at the rates of --price",
    "context_tokens": "limit of a conversation, beyond which the oldest exchanges are dropped",
}
_PROMPTS = {
    "num_targets": "versions asked for in one answer",
    "num_tests_on_init": "tests of each kind in the first prompt",
    "num_tests_on_error": "failed tests of each kind when refining",
}

_OF_TEXTS = ("language", "named", "ticks", "test_ticks", "start")
_NOT_OF_TEXTS = (
    *("decks", "misleading", "sampler", "samples", "opponents"),
    *(name for name in _SIZES if name not in ("syntheses", "matches")),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    what = parser.add_argument_group("what is learnt by a model or script")
    what.add_argument("--decks", type=options.name_list, metavar="A,B", help=f"{' or '.join(DECKS)} (default: open)")
    what.add_argument("--misleading", action="store_true", help="use incomplete or misleading rules, if available")
    what.add_argument("--rules", action="append", metavar="NAME=FILE", help="rules in words, also of further games")
    what.add_argument(
        "--sampler",
        choices=["history", "state"],
        help="what inference functions sample: histories or states (default: history)",
    )
    what.add_argument("--samples", type=options.positive, metavar="K", help="samples per inference test (default: 1)")
    vgdl_games = parser.add_argument_group("what is learnt of VGDL games")
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
    loop = parser.add_argument_group("how a program is refined")
    loop.add_argument("--method", choices=METHODS, help="default: tree")
    _add_numbers(loop, _SETTINGS, Settings())
    _add_numbers(loop, _PROMPTS, PromptOptions())
    loop.add_argument(
        "--reply-tokens", type=options.positive, metavar="N", help="maximum tokens per reply (default: 16384)"
    )
    loop.add_argument("--temperature", type=options.amount, metavar="T", help="default: the provider's")
    sizes = parser.add_argument_group("sizes (defaults: the paper's; small with --author scripted)")
    for name, text in _SIZES.items():
        kind = options.amount if name == "seconds" else options.count
        shown = f"{text} ({getattr(Sizes(), name):g}; scripted: {getattr(SMALL, name):g})"
        sizes.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=shown)
    sizes.add_argument("--opponents", type=options.name_list, metavar="A,B", help=f"of {', '.join(OPPONENTS)}")
    money = parser.add_argument_group("costs and limits of the run")
    money.add_argument("--price", metavar="IN/OUT", help="of the model, per million tokens")
    money.add_argument("--run-calls", type=options.positive, metavar="N", help="stop before more calls than this")
    money.add_argument("--run-tokens", type=options.positive, metavar="N", help="stop before more tokens than this")
    money.add_argument("--run-cost", type=options.amount, metavar="X", help="stop before more than this is spent")
    money.add_argument("--rate", type=options.positive, metavar="N", help="maximum calls per minute")
    money.add_argument("--key-env", metavar="VARIABLE", help=f"where the model's key is (default: {KEY_ENV})")
    money.add_argument(
        "--cache", choices=[*map(str, Mode)], default=Mode.USE,
        help="answer from earlier replies: use, refresh, only or off",
    )


def _add_numbers(group: argparse._ArgumentGroup, texts: dict[str, str], defaults: object) -> None:
    for name, text in texts.items():
        default = getattr(defaults, name)
        kind = options.amount if isinstance(default, float) or name == "max_cost" else options.count
        shown = f"{text} (default: {'no limit' if default is None else format(default, 'g')})"
        group.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=shown)


def plan_of(chosen: argparse.Namespace) -> Plan:
    """Make the plan of a run from the options.

    Raises:
        OptionError: the options are invalid.
        UnknownWorld: a game is unknown.
    """
    if chosen.language:
        reason = "other games are always learnt as Python"
        raise options.OptionError(f"--language is for VGDL games: name some with --games; {reason}")
    price = _price(chosen.price) if chosen.price else None
    author = AuthorEntry.of(chosen.author, chosen.key_env or KEY_ENV, price)
    sizes = SMALL if author.kind == "scripted" else Sizes()
    rules = {name: _text(Path(file)) for name, file in _pairs(chosen.rules)}
    return Plan(
        games=tuple(chosen.games or default_games(author)),
        author=author,
        secret=seeds.fresh_secret() if chosen.seed is None else chosen.seed,
        decks=tuple(chosen.decks or ("open",)),
        opponents=tuple(chosen.opponents or OPPONENTS),
        sizes=replace(sizes, **_given(chosen, _SIZES)),
        settings=replace(Settings(), **_given(chosen, _SETTINGS), **_given(chosen, ("method",))),
        prompts=replace(PromptOptions(), misleading=chosen.misleading, **_given(chosen, _PROMPTS)),
        sampling=Sampling(chosen.reply_tokens or 16_384, chosen.temperature),
        sampler=chosen.sampler or "history",
        samples=chosen.samples or 1,
        rules=rules,
    )


def text_plan_of(chosen: argparse.Namespace) -> TextPlan:
    """Make the plan of a run on VGDL games from the options.

    Raises:
        OptionError: the options are invalid.
    """
    for name in _NOT_OF_TEXTS:
        if getattr(chosen, name) not in (None, False):
            raise options.OptionError(f"--{name.replace('_', '-')} does not go with VGDL games")
    author = AuthorEntry.of(chosen.author, chosen.key_env or KEY_ENV, _price(chosen.price) if chosen.price else None)
    few = 1 if author.kind == "scripted" else Sizes().syntheses
    matches = 0 if chosen.language == "python" and chosen.matches is None else chosen.matches
    given = {"plays": matches, **_given(chosen, ("language", "ticks", "test_ticks", "start"))}
    return TextPlan(
        games=tuple(chosen.games),
        author=author,
        secret=seeds.fresh_secret() if chosen.seed is None else chosen.seed,
        syntheses=few if chosen.syntheses is None else chosen.syntheses,
        named=chosen.named,
        settings=replace(Settings(max_calls=MAX_CALLS), **_given(chosen, _SETTINGS), **_given(chosen, ("method",))),
        prompts=replace(PromptOptions(), **_given(chosen, _PROMPTS)),
        sampling=Sampling(chosen.reply_tokens or 16_384, chosen.temperature),
        rules={name: _text(Path(file)) for name, file in _pairs(chosen.rules)},
        **{name: value for name, value in given.items() if value is not None},
    )


def kept() -> list[str]:
    """Options that are kept in the store, and are refused when a run is resumed."""
    names = ["games", "author", "seed", "decks", "misleading", "rules", "sampler", "samples", "method", "opponents"]
    names += [*_OF_TEXTS, "reply_tokens", "temperature", "price", "key_env"]
    return [*names, *_SIZES, *_SETTINGS, *_PROMPTS]


def _given(chosen: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    found = {name: getattr(chosen, name) for name in names}
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


def _price(text: str) -> Price:
    try:
        return Price.parse(text)
    except ValueError as error:
        raise options.OptionError(str(error)) from None
