"""The command ``vgdl-compete arc serve``."""

from __future__ import annotations

import argparse
import contextlib
import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.interrupts import handling
from vgdl.competition.listening import listening
from vgdl.competition.store import StoreError
from vgdl.competition.tracks.arc import game_options
from vgdl.competition.tracks.arc.scoring import Scoring
from vgdl.competition.tracks.arc.store import Ledger
from vgdl.extras import needs

FAILED = 1
PORT = 8001

_EPILOG = """\
examples:
  vgdl-compete arc serve                              the bundled games at http://127.0.0.1:8001/
  vgdl-compete arc serve --games my_games/ --undo     VGDL games of your own, with ACTION7
  vgdl-compete arc serve --host 0.0.0.0 --keys keys.txt --rpm 600 --competition

A client of the official toolkit is pointed here by its environment:
  ARC_BASE_URL=http://127.0.0.1:8001/ ARC_API_KEY=anything OPERATION_MODE=online"""


def main(arguments: Sequence[str]) -> int:
    """Run the command until it is stopped; returns its exit status.

    The status is 0 after Ctrl-C or SIGTERM, 1 if the server could not go on, and 2 for wrong arguments.
    """
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        from vgdl.competition.tracks.arc import server
    except ImportError as missing:
        parser.error(needs("the server", str(missing.name), "web"))
    logging.basicConfig(format="%(levelname)s: %(message)s", stream=sys.stderr)
    try:
        settings = server.ServerSettings(
            host=chosen.host,
            port=chosen.port,
            store=None if chosen.store == "none" else Path(chosen.store),
            keys=_keys(chosen.keys),
            rpm=chosen.rpm,
            recordings=Path(chosen.recordings) if chosen.recordings else None,
            competition=chosen.competition,
            stale_minutes=chosen.stale_minutes,
            most_hours=chosen.max_hours,
            show_baselines=chosen.show_baselines,
            scoring=Scoring(chosen.scoring),
            baselines=game_options.baselines_of(chosen),
        )
        _check(chosen)
        games = game_options.games_of(chosen)
        with (
            listening(settings.host, settings.port) as opened,
            contextlib.closing(Ledger(settings.store)) as ledger,
            handling(signal.SIGTERM, signal.default_int_handler),  # uvicorn re-raises the signal that stopped it
        ):
            server.prepare(track(games, "preparing the games", console=Console(stderr=True), transient=True))
            url = server.url_of(opened)
            server.run(games, settings, ledger, opened, lambda: _announce(url, len(games), settings.store))
    except StoreError as error:
        print(f"{program('compete')}: {error}", file=sys.stderr)
        return FAILED
    except CompetitionError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        pass
    return 0


def _announce(url: str, games: int, store: Path | None) -> None:
    kept = f"cards in {store}" if store else "cards in memory only"
    print(f"{games} games at {url}/ · {kept} · Ctrl-C stops", flush=True)


def _keys(file: str | None) -> frozenset[str] | None:
    """The API keys of a file, one per line; lines that begin with # are comments."""
    if file is None:
        return None
    with using(file):
        lines = [line.strip() for line in Path(file).read_text(encoding="utf-8").splitlines()]
    keys = frozenset(line for line in lines if line and not line.startswith("#"))
    if not keys:
        raise options.OptionError(f"{file} contains no API keys, which are expected one per line")
    return keys


def _check(chosen: argparse.Namespace) -> None:
    for name in ("stale_minutes", "max_hours"):
        value = getattr(chosen, name)
        if value == 0:
            raise options.OptionError(f"--{name.replace('_', '-')} must be more than 0")
    if chosen.competition and chosen.undo:
        raise options.OptionError("--undo is not allowed with --competition")


def _parser() -> argparse.ArgumentParser:
    parser = options.Parser(
        prog=f"{program('compete')} arc serve",
        description="Offer VGDL games as ARC-AGI-3 games over HTTP, and to people in the browser.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    game_options.add_games(parser.add_argument_group("the games"))
    where = parser.add_argument_group("where")
    where.add_argument("--host", default="127.0.0.1", metavar="NAME", help="to listen on (default: 127.0.0.1)")
    where.add_argument("--port", type=options.port, default=PORT, metavar="N", help=f"0 for any (default: {PORT})")
    where.add_argument(
        "--store", default="arc.db", metavar="FILE",
        help="scorecards with every command; continued if it exists; none: keep them in memory (default: arc.db)",
    )  # fmt: skip
    where.add_argument("--recordings", metavar="DIR", help="write a recording of every play into a folder")
    who = parser.add_argument_group("who may play, and how")
    who.add_argument("--keys", metavar="FILE", help="accept the API keys of a file only, one per line")
    who.add_argument(
        "--rpm", type=options.positive, metavar="N", help="maximum requests per minute and key (default: no limit)"
    )
    who.add_argument(
        "--competition", action="store_true",
        help="competition mode on every card: one play per game, no full resets, one open card per key, no replays",
    )  # fmt: skip
    who.add_argument(
        "--stale-minutes", type=options.amount, default=15.0, metavar="N",
        help="close a card after N minutes without a command (default: 15)",
    )  # fmt: skip
    who.add_argument(
        "--max-hours", type=options.amount, default=24.0, metavar="N",
        help="close a card N hours after it was opened (default: 24)",
    )  # fmt: skip
    scores = parser.add_argument_group("scores")
    game_options.add_scoring(scores)
    scores.add_argument("--show-baselines", action="store_true", help="show clients the baselines of the games")
    return parser
