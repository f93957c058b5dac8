"""The command ``vgdl-compete standings``: the contents of a store of any track, during a competition or after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.commands import failing
from vgdl.competition.running import show
from vgdl.competition.track import OpenStore

SUMMARY = "what a store contains so far, in tables"


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status: 0, 1 if the store is faulty, 2 if there is none."""
    parser = options.Parser(
        prog=f"{program('compete')} standings",
        description="Show what a results store contains, even while a competition is writing it.",
    )
    parser.add_argument("store", metavar="FILE", help="the store")
    options.add_output(parser)
    chosen = parser.parse_args(arguments)
    with failing(parser):
        options.check_store(chosen.store)
        options.check_files(chosen.json, chosen.csv, chosen.store)
        with OpenStore.open(Path(chosen.store)) as opened:
            show(opened.track, opened.store, vars(chosen))
    return 0
