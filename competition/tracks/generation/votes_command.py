"""``vgdl-compete generate votes``: strengths of generators from a file of votes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from vgdl.cli import Parser, program
from vgdl.competition.tracks.generation.votes import VoteInvalid, read, strengths_table


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status, or raises `SystemExit` for a wrong command line."""
    parser = Parser(
        prog=f"{program('compete')} generate votes",
        description="Strengths of generators (Bradley–Terry) from the votes of people, exported by the site as CSV.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="votes, with the columns that the export has")
    options = parser.parse_args(arguments)
    try:
        found = strengths_table(read(options.file))
    except VoteInvalid as error:
        parser.error(str(error))
    Console().print(found)
    return 0
