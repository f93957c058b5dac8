"""The command ``vgdl-compete gamebot``."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from vgdl.cli import Parser, program
from vgdl.competition import options, seeds
from vgdl.competition.chat.accounts import Accounts, Limits, Price
from vgdl.competition.chat.cache import Cache, Mode
from vgdl.competition.chat.model import ChatError, Sampling
from vgdl.competition.chat.session import ChatSession, RateLimit
from vgdl.competition.errors import CompetitionError
from vgdl.competition.files import write_json
from vgdl.competition.interrupts import INTERRUPTED, handling
from vgdl.competition.progress import SHOWN, Display
from vgdl.competition.tracks.gamebot import tables
from vgdl.competition.tracks.gamebot.arena import Arena, MatchLost
from vgdl.competition.tracks.gamebot.match import MatchOptions
from vgdl.competition.tracks.gamebot.plan import BUILT_IN, KEY_ENV, Entry, Plan
from vgdl.competition.tracks.gamebot.prompts import Variant
from vgdl.competition.tracks.gamebot.results import Results
from vgdl.competition.tracks.gamebot.scores import Options
from vgdl.competition.tracks.gamebot.scripted import MODES
from vgdl.competition.tracks.gamebot.store import GamebotStore
from vgdl.competition.tracks.gamebot.tasks import TASKS

FAILED = 1
"""Exit status if the competition had to be abandoned; finished matches are in the store."""

_DESCRIPTION = """\
Let language models play eight games and show their work.

In every turn a model answers two or three questions about the position, whose true answers a program knows,
and chooses a move. Outcomes (S) and answers (I) are scored; every pair plays every game as either player."""

_EXAMPLES = f"""\
examples:
  vgdl-compete gamebot --models scripted:correct,scripted:mix,random --matches 2
  vgdl-compete gamebot --models big=https://host/v1#big-model,random --games othello,pong --store may.db --max-cost 5
  vgdl-compete gamebot --resume may.db --jobs 8         continue after an interruption; cached replies cost nothing
  vgdl-compete report may.db --out site                 a web site of it, with every match to step through

players, between commas:
  NAME=URL#MODEL     a model behind an OpenAI-compatible endpoint; its key is read from {KEY_ENV}, see --key-env
  {", ".join(BUILT_IN)}
                     uniformly random moves; true answers and a search; a search without answers
  scripted:MODE      for tests: {", ".join(MODES)}, error:N, mix:P"""

_KEPT = (
    "models", "games", "matches", "variant", "reply_tokens", "temperature", "reask", "forfeit", "format_errors",
    "alpha", "simulations", "seed", "key_env", "price",
)  # fmt: skip
"""Options that are kept in a store and so cannot be given again when it is resumed."""


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status: 0, 1 if it failed, 2 for wrong arguments, 130 after Ctrl-C."""
    parser = _parser()
    parser.refuse_word(arguments, ())
    chosen = parser.parse_args(arguments)
    try:
        _check(parser, chosen)
        plan = None if chosen.resume else _plan(chosen)
    except (ValueError, CompetitionError, ChatError) as error:
        parser.error(str(error))
    try:
        with handling(signal.SIGTERM, signal.default_int_handler):
            return _compete(chosen, plan)
    except (CompetitionError, ChatError) as error:
        print(f"vgdl-compete: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _compete(chosen: argparse.Namespace, plan: Plan | None) -> int:
    """Open or create the store, play the remaining matches, and show the results."""
    with contextlib.ExitStack() as stack:
        if plan is None:
            store = stack.enter_context(GamebotStore.open(Path(chosen.resume)))
            _check_games(store.competition)
        else:
            _check_games(plan)
            store = stack.enter_context(GamebotStore.begin(Path(chosen.store) if chosen.store else None, plan))
        cache = stack.enter_context(Cache(store.path, Mode(chosen.cache)))
        limits = Limits(chosen.max_calls, chosen.max_tokens, chosen.max_cost)
        rate = RateLimit(chosen.rate) if chosen.rate else None
        session = ChatSession(cache, Accounts(limits, store.competition.prices()), rate)
        status = _play(chosen, store, session)
        show(store, chosen.json, chosen.csv, beside_published=chosen.published)
    return status


def _check_games(plan: Plan) -> None:
    """Load the games before the first match; raises ``CompetitionError`` if one needs a package that is missing."""
    for game in plan.games:
        TASKS[game]()


def _play(chosen: argparse.Namespace, store: GamebotStore, session: ChatSession) -> int:
    """Play the remaining matches, with a progress display on standard error; returns the exit status."""
    plan, errors = store.competition, Console(stderr=True)
    done = {match.number for match in store.matches()}
    left = [fixture for fixture in plan.fixtures() if fixture.number not in done]
    number = store.begin_session({"jobs": chosen.jobs, "cache": chosen.cache})

    def standings() -> str:
        rows = Results.of(store).table.scores[:SHOWN]
        told = [f"{row.model} {tables.number(row.outcome if row.score is None else row.score)}" for row in rows]
        return "  ".join(f"{place}. {text}" for place, text in enumerate(told, 1))

    display = Display(errors, len(done) + len(left), len(done), standings, quiet=chosen.quiet)
    lost: list[MatchLost] = []
    try:
        with display:
            for outcome in Arena(plan, session).play(left, chosen.jobs):
                if isinstance(outcome, MatchLost):
                    lost.append(outcome)
                    continue
                fixture = outcome.fixture
                store.add_match(fixture, outcome.result, number, outcome.seconds)
                store.keep_usage(number, session.accounts)
                display.add(f"{fixture.game}, {fixture.first} - {fixture.second}", outcome.seconds, 0.0)
    except ChatError as error:
        print(f"vgdl-compete: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        store.keep_usage(number, session.accounts)
    for match in lost[:1]:
        again = f"; {program('compete')} gamebot --resume {store.path} plays them" if store.path else ""
        matches = "1 match" if len(lost) == 1 else f"{len(lost)} matches"
        print(f"vgdl-compete: {matches} failed, the first because of: {match.reason}{again}", file=sys.stderr)
    return FAILED if lost else 0


def show(store: GamebotStore, json_file: str | None, csv_file: str | None, *, beside_published: bool = False) -> None:
    """Print the tables of a store, and write the requested machine-readable files.

    Args:
        store: the store to show.
        json_file: a path, or ``-`` for standard output, in which case no tables are printed there.
        csv_file: a path.
        beside_published: whether the paper's table is printed as well.
    """
    console = Console(stderr=json_file == "-")
    results = Results.of(store)
    total, done = len(results.plan.fixtures()), len(results.seats) // 2
    if done < total:
        again = f"; {program('compete')} gamebot --resume {store.path} continues" if store.path else ""
        console.print(f"{done} of {total} matches are done{again}; the results so far:", highlight=False)
    tables.show(console, results, beside_published=beside_published)
    console.print(f"seed {results.plan.secret}", highlight=False)
    if json_file:
        write_json(json_file, results.facts())
    if csv_file:
        tables.write_csv(Path(csv_file), results)


def show_standings(path: Path, json_file: str | None, csv_file: str | None) -> None:
    """Print a GAMEBoT store for ``vgdl-compete standings``.

    Raises:
        CompetitionError: it cannot be read, or a game of it needs a package that is missing.
    """
    with GamebotStore.open(path, read_only=True) as store:
        show(store, json_file, csv_file)


def _plan(chosen: argparse.Namespace) -> Plan:
    keys = dict(_pairs(chosen.key_env, "--key-env", "NAME=VARIABLE"))
    prices = {name: Price.parse(text) for name, text in _pairs(chosen.price, "--price", "NAME=IN/OUT")}
    entries = []
    for text in filter(None, (part.strip() for part in (chosen.models or "").split(","))):
        plain = Entry.of(text)
        entries.append(Entry.of(text, keys.pop(plain.name, KEY_ENV), prices.pop(plain.name, None)))
    if unknown := [*keys, *prices]:
        raise ValueError(f"--key-env and --price are for players of the field; there is no {unknown[0]!r}")
    return Plan(
        entries=tuple(entries),
        games=tuple(TASKS) if chosen.games in (None, "all") else tuple(chosen.games.split(",")),
        matches=20 if chosen.matches is None else chosen.matches,
        secret=seeds.fresh_secret() if chosen.seed is None else chosen.seed,
        variant=Variant(chosen.variant or Variant.GUIDED),
        sampling=Sampling(chosen.reply_tokens or 4096, chosen.temperature),
        options=MatchOptions(chosen.reask or 0, bool(chosen.forfeit)),
        scoring=Options(chosen.format_errors == "ignore", chosen.alpha),
        simulations=chosen.simulations or 200,
    )


def _pairs(texts: Sequence[str] | None, option: str, form: str) -> list[tuple[str, str]]:
    found = []
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ValueError(f"{option} expects {form}, not {text!r}")
        found.append((name, value))
    return found


def _check(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    if chosen.resume:
        if chosen.store:
            raise ValueError("--resume FILE continues that store; omit --store")
        for name in _KEPT:
            if getattr(chosen, name) != parser.get_default(name):
                raise ValueError(f"--{name.replace('_', '-')} is fixed by the store; omit it with --resume")
    elif not chosen.models:
        raise ValueError("name the players: --models random,NAME=URL#MODEL")
    options.check_files(chosen.json, chosen.csv, chosen.store or chosen.resume)
    for name in ("matches", "jobs", "rate", "reply_tokens", "simulations", "max_calls", "max_tokens"):
        value = getattr(chosen, name)
        if value is not None and value < 1:
            raise ValueError(f"--{name.replace('_', '-')} must be at least 1, not {value}")
    if chosen.alpha == 0:
        raise ValueError("--alpha must be more than 0")


def _parser() -> Parser:
    parser = Parser(
        prog=f"{program('compete')} gamebot",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group("what is played")
    what.add_argument("--models", metavar="LIST", help="the players, see below")
    what.add_argument("--games", metavar="LIST", help=f"some of {', '.join(TASKS)} (default: all)")
    what.add_argument(
        "--matches", type=int, metavar="N", help="per pair and game, half with players swapped (default: 20)"
    )
    what.add_argument("--variant", choices=[*map(str, Variant)], help="of the prompts (default: guided)")
    what.add_argument("--reply-tokens", type=int, metavar="N", help="maximum tokens per reply (default: 4096)")
    what.add_argument("--temperature", type=options.amount, metavar="T", help="default: the provider's")
    what.add_argument("--simulations", type=int, metavar="N", help="per move of players that search (default: 200)")
    what.add_argument("--seed", type=options.seed, metavar="N", help="seed of all random choices (default: a new one)")
    rules = parser.add_argument_group("the rules")
    rules.add_argument(
        "--reask", type=options.count, metavar="N",
        help="ask again up to N times after an unplayable move (default: 0)",
    )  # fmt: skip
    rules.add_argument(
        "--forfeit", action="store_true", help="an unplayable move loses, instead of being replaced at random"
    )
    rules.add_argument(
        "--format-errors",
        choices=["count", "ignore"],
        default="count",
        help="whether unreadable answers count as wrong (default: count)",
    )
    rules.add_argument(
        "--alpha", type=options.amount, metavar="X",
        help="the scale of Hold'em and Bargaining (default: from the field)",
    )  # fmt: skip
    money = parser.add_argument_group("costs and limits")
    money.add_argument(
        "--price", action="append", metavar="NAME=IN/OUT", help="of a player's model, per million tokens"
    )
    money.add_argument("--max-cost", type=options.amount, metavar="X", help="stop before more than this is spent")
    money.add_argument("--max-calls", type=int, metavar="N", help="stop before more calls than this")
    money.add_argument("--max-tokens", type=int, metavar="N", help="stop before more tokens than this")
    money.add_argument("--rate", type=int, metavar="N", help="maximum calls per minute")
    money.add_argument(
        "--key-env", action="append", metavar="NAME=VARIABLE", help=f"where a player's key is (default: {KEY_ENV})"
    )
    money.add_argument(
        "--cache", choices=[*map(str, Mode)], default=Mode.USE,
        help="use earlier replies as answers; refresh: ask again; only: never ask; off: keep none (default: use)",
    )
    where = parser.add_argument_group("where it is played and kept")
    where.add_argument("--store", metavar="FILE", help="keep every match and reply in a new store")
    where.add_argument("--resume", metavar="FILE", help="continue a store")
    where.add_argument("--jobs", type=int, default=1, metavar="N", help="matches in parallel (default: 1)")
    output = parser.add_argument_group("output")
    options.add_output(output)
    output.add_argument("--published", action="store_true", help="print the paper's table below the results")
    output.add_argument("--quiet", action="store_true", help="no progress display")
    return parser
