"""The command ``vgdl-compete report``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

from vgdl.competition.interrupts import INTERRUPTED
from vgdl.competition.report.site import Choice, Site, SiteError
from vgdl.competition.results.store import Store, StoreError


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, 2 if there is no such store or folder, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="vgdl-compete report",
        description="Write a static site of what a results store holds: rankings, a page per game and controller, and "
        "replays in the browser. It needs no server: open its index.html. It may be written anew at any time, even "
        "while the competition goes on.",
    )
    parser.add_argument("store", metavar="STORE", help="the store")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder of the site; a site in it is replaced")
    parser.add_argument("--title", metavar="TEXT", help="of the site (default: after the set of games)")
    parser.add_argument(
        "--replays", type=_choice, default=Choice(None), metavar="N|all|none",
        help="plays that can be watched: all, none, or the first N of each controller in each game (default: all)",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    chosen = parser.parse_args(arguments)
    errors = Console(stderr=True)
    try:
        with (
            Store.open(Path(chosen.store), read_only=True) as store,
            Site(store, Path(chosen.out), chosen.title) as site,
        ):
            todo, silent = site.begin(chosen.replays), chosen.quiet or not errors.is_terminal
            for fixture in track(todo, "replaying", console=errors, transient=True, disable=silent):
                site.film(fixture)
            site.finish()
    except (StoreError, SiteError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    for game, reason in site.facts.failures.items():
        errors.print(f"no replays of {game}: {reason}", style="yellow", markup=False, highlight=False)
    print(site.folder / "index.html")
    return 0


def _choice(text: str) -> Choice:
    if text in ("all", "none"):
        return Choice(None if text == "all" else 0)
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor one of all, none")
    return Choice(int(text))
