"""The command ``vgdl-compete standings``: the contents of a store, during a competition or after it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from vgdl.cli import counted, program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError
from vgdl.competition.report.registry import kind_of
from vgdl.competition.results import tables
from vgdl.competition.results.files import write_json
from vgdl.competition.results.records import PlayResult
from vgdl.competition.results.scoring import missing
from vgdl.competition.results.store import Store
from vgdl.competition.results.summary import summary, write_csv


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status: 0, or 2 if there is no such store."""
    parser = options.Parser(
        prog=f"{program('compete')} standings",
        description="Show what a results store contains, even while a competition is writing it.",
    )
    parser.add_argument("store", metavar="FILE", help="the store")
    options.add_output(parser)
    chosen = parser.parse_args(arguments)
    path = Path(chosen.store)
    kind = kind_of(path)
    try:
        options.check_files(chosen.json, chosen.csv, chosen.store)
        if kind.standings:
            importlib.import_module(kind.standings).show_standings(path, chosen.json, chosen.csv)
            return 0
        with Store.open(path, read_only=True) as store:
            show(store, chosen.json, chosen.csv)
    except CompetitionError as error:
        parser.error(str(error))
    return 0


def show(store: Store, json_file: str | None, csv_file: str | None) -> None:
    """Print the tables of a store, and write the requested machine-readable files.

    Args:
        store: the store to show.
        json_file: a path, or ``-`` for standard output, in which case no tables are printed there.
        csv_file: a path.
    """
    console = Console(stderr=json_file == "-")
    plays = store.results()
    if len(plays) < store.total:
        again = f"; vgdl-compete --resume {store.path} continues" if store.path else ""
        console.print(f"{len(plays)} of {store.total} plays are done{again}; the standings so far:", highlight=False)
        console.print(tables.missing_line(missing(store.plan, store.games, plays)), highlight=False, markup=False)
    tables.show(console, store.plan, plays)
    for name, count in store.isolation().items():
        console.print(f"{counted(count, 'play')} isolated by {name}", highlight=False)
    if void := store.void_plays():
        console.print(
            f"{counted(void, 'play')} void at first, since this machine was too busy to judge, and played again",
            highlight=False,
        )
    console.print(f"seed {store.plan.secret}", highlight=False)
    if json_file:
        write_json(json_file, everything(store, plays))
    if csv_file:
        write_csv(Path(csv_file), plays)


def everything(store: Store, plays: Sequence[PlayResult]) -> dict[str, Any]:
    """Everything known about a competition, as JSON-compatible values."""
    known = summary(store.plan, store.games, plays)
    complete = len(plays) == store.total
    kept = {"isolation": store.isolation(), "void": store.void_plays()}
    return {**known, "sessions": store.sessions(), **kept, "complete": complete}
