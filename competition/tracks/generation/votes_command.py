"""``vgdl-compete generate votes``: strengths of generators from a file of votes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from vgdl.cli import Parser, program
from vgdl.competition.results import Column, ResultTable, Value, rows_of
from vgdl.competition.tracks.generation.votes import VoteInvalid, read, strengths

_COLUMNS = (
    Column("generator"), Column("points", "Elo", "+.0f"), Column("low", "95 % from", "+.0f"),
    Column("high", "to", "+.0f"), Column("votes"), Column("preferred", form=".0%"),
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status, or raises `SystemExit` for a wrong command line."""
    parser = Parser(
        prog=f"{program('compete')} generate votes",
        description="Strengths of generators (Bradley–Terry) from the votes of people, exported by the site as CSV.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="votes, with the columns that the export has")
    options = parser.parse_args(arguments)
    try:
        found = strengths(read(options.file))
    except VoteInvalid as error:
        parser.error(str(error))
    rows: list[list[Value]] = [
        [row.generator, row.points, row.low, row.high, row.votes, row.preferred] for row in found
    ]
    Console().print(ResultTable("strengths", "Preferred by people", _COLUMNS, rows_of(_COLUMNS, rows)))
    return 0
