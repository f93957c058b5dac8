"""The results of a competition as named tables: for the terminal, JSON, CSV, data frames, notebooks and pages."""

from __future__ import annotations

import csv
import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table as TerminalTable
from rich.text import Text

from vgdl.competition.errors import CompetitionError
from vgdl.competition.files import STANDARD_OUTPUT, replacing, write_json
from vgdl.extras import needs
from vgdl.language import suggestion

Value = str | int | float | bool | None
"""A cell of a table."""

DASH = "–"
"""What is shown for a value that is not known."""


class TableNotFound(CompetitionError, LookupError):
    """Results have no table of this name; the message lists those that there are."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of results.

    >>> from vgdl.competition import Column
    >>> Column("win_rate", form=".0%").text({"win_rate": 0.5})
    '50%'
    """

    name: str  #: in data: a key of the table's rows
    title: str = ""  #: for people; by default the name, with blanks
    form: str = ""  #: how numbers are shown, as in ``format(value, form)``
    show: Callable[[Mapping[str, Value]], str] | None = None  #: makes the text that people see from the whole row
    hidden: bool = False  #: whether it is left out where people read

    @property
    def heading(self) -> str:
        """The title for people."""
        return self.title or self.name.replace("_", " ")

    def text(self, row: Mapping[str, Value]) -> str:
        """A cell for people."""
        if self.show is not None:
            return self.show(row)
        value = row[self.name]
        if value is None:
            return DASH
        if isinstance(value, bool):
            return "yes" if value else "no"
        return format(value, self.form) if self.form and not isinstance(value, str) else str(value)


@dataclass(frozen=True)
class ResultTable:
    """A table: rows of plain values, all with the same columns.

    >>> from vgdl.competition import Column, ResultTable
    >>> rows = [{"name": "b", "points": 25}, {"name": "a", "points": 18}]
    >>> table = ResultTable("ranking", "Ranking", [Column("name"), Column("points")], rows)
    >>> table.records()[0]
    {'name': 'b', 'points': 25}
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Value]]

    def __len__(self) -> int:
        return len(self.rows)

    def only(self, title: str, **equal: Value) -> ResultTable:
        """The rows with some values, without the columns of these values, under a title of their own."""
        columns = [column for column in self.columns if column.name not in equal]
        rows = [row for row in self.rows if all(row[name] == value for name, value in equal.items())]
        return ResultTable(self.name, title, columns, rows)

    def records(self) -> list[dict[str, Value]]:
        """The rows as dictionaries, one key per column."""
        return [{column.name: row[column.name] for column in self.columns} for row in self.rows]

    def to_json(self) -> str:
        """The rows as a JSON list of flat objects, which ``pandas.read_json`` reads."""
        return json.dumps(self.records(), indent=1)

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame.

        Raises:
            ImportError: pandas is not installed; the message says how to get it.
        """
        try:
            pandas: Any = import_module("pandas")
        except ImportError:
            raise ImportError(needs("a data frame", "pandas", "pandas")) from None
        return pandas.DataFrame(self.records(), columns=[column.name for column in self.columns])

    def write_csv(self, path: Path) -> None:
        """Write the rows to a file, which is replaced only once all are complete.

        Raises:
            FileError: it cannot be written.
        """
        with replacing(path) as file:
            writer = csv.writer(file)
            writer.writerow([column.name for column in self.columns])
            writer.writerows([row[column.name] for column in self.columns] for row in self.rows)

    @property
    def shown(self) -> list[Column]:
        """The columns that people see."""
        return [column for column in self.columns if not column.hidden]

    def kinds(self, most: int | None = None) -> list[tuple[str, str]]:
        """The headings that people see, each with its kind as in ``macros/tables.html``: number, rank, or empty.

        Args:
            most: how many rows are looked at; None: all.
        """
        rows = self.rows[:most]
        return [(column.heading, _kind([row[column.name] for row in rows], column)) for column in self.shown]

    def texts(self) -> list[list[str]]:
        """The cells that people see, as text, row by row."""
        return [[column.text(row) for column in self.shown] for row in self.rows]

    def __rich__(self) -> TerminalTable:
        table = TerminalTable(title=Text(self.title), title_justify="left")
        for column in self.shown:
            is_text = any(isinstance(row[column.name], str) for row in self.rows) and column.show is None
            table.add_column(Text(column.heading), justify="left" if is_text else "right", no_wrap=is_text)
        for row in self.texts():
            table.add_row(*map(Text, row))
        return table

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(column.heading)}</th>" for column in self.shown)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(column.text(row))}</td>" for column in self.shown) + "</tr>"
            for row in self.rows
        )
        caption = html.escape(self.title)
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True)
class Results:
    """Everything that is known about a competition, finished or not.

    >>> from vgdl.competition import Column, Results, ResultTable
    >>> ranking = ResultTable("ranking", "Ranking", [Column("name")], [{"name": "b"}, {"name": "a"}])
    >>> results = Results("mine", complete=True, tables=[ranking])
    >>> [row["name"] for row in results.table("ranking").records()]
    ['b', 'a']

    Attributes:
        track: name of the track.
        complete: whether all its results are there.
        done: number of results.
        total: number of results that there are to be; 0 if that is not known.
        tables: the tables; the first one is the ranking.
        facts: further facts, as JSON-compatible values.
        shown: what a terminal shows, in this order: tables, lines of text, anything that rich can print.
        csv: name of the table that ``--csv`` writes.
    """

    track: str
    complete: bool
    tables: Sequence[ResultTable]
    facts: Mapping[str, Any] = field(default_factory=dict)
    shown: Sequence[RenderableType | ResultTable] = ()
    csv: str = ""
    done: int = 0
    total: int = 0

    def table(self, name: str = "") -> ResultTable:
        """A table by its name; the ranking if no name is given.

        Raises:
            TableNotFound: there is no such table.
        """
        by_name = {table.name: table for table in self.tables}
        if not name:
            return self.tables[0]
        if name not in by_name:
            there = ", ".join(by_name)
            raise TableNotFound(f"there is no table {name!r}{suggestion(name, by_name)}: choose from {there}")
        return by_name[name]

    def to_pandas(self, name: str = "") -> Any:
        """A table as a pandas data frame; the ranking if no name is given."""
        return self.table(name).to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-compatible values: the facts, and the rows of all tables by name."""
        tables = {table.name: table.records() for table in self.tables}
        return {"track": self.track, "complete": self.complete, "tables": tables, **self.facts}

    def to_json(self) -> str:
        """Everything, as JSON."""
        return json.dumps(self.to_dict(), indent=1)

    def write(self, json_file: str | None = None, csv_file: str | None = None) -> None:
        """Write the files that a command line asks for.

        Args:
            json_file: a path, or ``-`` for standard output.
            csv_file: a path.

        Raises:
            FileError: a file cannot be written.
        """
        if json_file:
            write_json(json_file, self.to_dict())
        if csv_file:
            self.table(self.csv).write_csv(Path(csv_file))

    def print(self, console: Console) -> None:
        """Print everything that is shown."""
        for part in self.shown:
            console.print(part, markup=False, highlight=False)

    def _repr_html_(self) -> str:
        shown = [part for part in self.shown if isinstance(part, ResultTable)]
        return "".join(part._repr_html_() for part in shown or self.tables)


def rows_of(columns: Sequence[Column], values: Iterable[Sequence[Value]]) -> list[dict[str, Value]]:
    """Rows from sequences of values in the order of the columns."""
    return [dict(zip((column.name for column in columns), each, strict=True)) for each in values]


def _kind(values: Iterable[Value], column: Column) -> str:
    known = [value for value in values if value is not None]
    if column.name in ("rank", "place"):
        return "rank"
    is_number = all(type(value) in (int, float) for value in known) if known else bool(column.form)
    return "number" if is_number else ""


def console_for(json_file: str | None) -> Console:
    """Where tables are printed: standard error if standard output takes the JSON."""
    return Console(stderr=json_file == STANDARD_OUTPUT)
