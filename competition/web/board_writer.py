"""Writes what a site shows of a track's store, in a process of its own: no page waits for it, or fails with it.

``python -m vgdl.competition.web.board_writer STORE FOLDER`` writes ``FOLDER/board.json``, and the pages of
``vgdl-compete report`` into ``FOLDER/report``. Nothing here knows a particular track.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vgdl.competition.agents.plain_data import printable
from vgdl.competition.errors import CompetitionError
from vgdl.competition.report.site import PageOptions, Site, SiteError
from vgdl.competition.results import Results, ResultTable, Value
from vgdl.competition.track import OpenStore

BOARD, REPORT = "board.json", "report"
"""Names of what is written into the folder."""

MOST_ROWS = 300
"""Maximum number of rows of a table on its board; the report and the command line have all of them."""

_LAYOUT = Path(__file__).parent / "templates" / "board"
"""Templates that replace those of the report."""

NICE = 10
"""Added to the priority of the process: pages and plays come first."""


def main(arguments: Sequence[str]) -> int:
    """Write the board of a store into an existing folder; a store that cannot be read makes a board that says so."""
    store, folder = map(Path, arguments)
    os.nice(NICE)
    try:
        with OpenStore.open(store) as opened:
            board = facts(opened)
            try:
                _write_report(opened, folder / REPORT)
                board["has_report"] = True
            except SiteError as error:  # the tables are shown nevertheless
                board["notes"].append(printable(f"the pages of this track cannot be written: {error}"))
    except CompetitionError as error:
        board = {"problem": printable(str(error))}
    (folder / BOARD).write_text(json.dumps(board), encoding="utf-8")
    return 0


def facts(opened: OpenStore) -> dict[str, Any]:
    """What a board shows of a store, as JSON-compatible values.

    Raises:
        StoreError: the store is damaged.
    """
    track = opened.track
    results = track.results_in(opened.store)
    shown, others = _in_order(results)
    notes = [printable(part) for part in results.shown if isinstance(part, str)]  # the seed among them
    return {
        "problem": "",
        "track": track.name,
        "noun": track.noun,
        "complete": results.complete,
        "done": results.done,
        "total": results.total,
        "tables": [_table(table, is_detail=table not in shown) for table in [*shown, *others]],
        "notes": notes if results.complete else [],
    }


def _in_order(results: Results) -> tuple[list[ResultTable], list[ResultTable]]:
    """The tables that have rows: the ranking and those of the terminal in its order; the others."""
    ranking, *others = results.tables
    shown = [part for part in results.shown if isinstance(part, ResultTable) and part.name != ranking.name]
    names = {table.name for table in shown}
    first, rest = [ranking, *shown], [table for table in others if table.name not in names]
    return [table for table in first if table.rows and table.shown], [
        table for table in rest if table.rows and table.shown
    ]


def _table(table: ResultTable, *, is_detail: bool) -> dict[str, Any]:
    """A table as headings with the kinds of their columns, and rows of cells: what is shown, and what sorts it."""
    rows = table.rows[:MOST_ROWS]
    return {
        "name": table.name,
        "title": table.title,
        "columns": table.kinds(MOST_ROWS),
        "rows": [[[_cell(column.text(row)), _key(row[column.name])] for column in table.shown] for row in rows],
        "left_out": len(table.rows) - len(rows),
        "is_detail": is_detail,
    }


def _cell(text: str) -> str:
    """A cell as it is shown; no-break spaces stay."""
    return "\u00a0".join(map(printable, text.split("\u00a0")))


def _key(value: Value) -> float | int | None:
    """What a cell with a number is sorted by."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _write_report(opened: OpenStore, folder: Path) -> None:
    """Write the pages of a store."""
    with Site(folder, opened.track.templates, templates=_LAYOUT) as site:
        opened.track.write_pages(opened.store, site, PageOptions())
        site.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
