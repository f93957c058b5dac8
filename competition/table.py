"""Tables of a results store: which columns keep the fields of a dataclass, and how a cell is checked."""

from __future__ import annotations

import enum
import json
import types
import typing
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, fields, is_dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar

from vgdl.competition import typed
from vgdl.competition.agents.plain_data import printable

Row = TypeVar("Row")
Value = TypeVar("Value")

PACKED = object()
"""Marks a field, as ``Annotated[X, PACKED]``, whose column is compressed JSON; see `Packed`."""

Packed = Annotated[Value, PACKED]
"""The type of a field that is stored compressed and read only by `Store.one`: elsewhere it has its default."""

MAX_PACKED = 1 << 26
"""Maximum size of a column with JSON in bytes, after decompression."""

SEALED = object()
"""Marks a field, as ``Annotated[X, SEALED]``, that must not be read before the end; see `Sealed`."""

Sealed = Annotated[Value, SEALED]
"""The type of a field that is encrypted in the file until the competition is over; see ``sealing``."""

VERBATIM = object()
"""Marks a field, as ``Annotated[X, VERBATIM]``, whose text is returned as it was written, printable or not."""

COLUMN = "column"
"""Key of a field's ``metadata``: the name of its column, if that differs, as after a field has been renamed.

Fields of the key and of indices are called like their columns.
"""

STAMPS = {"session": "INTEGER NOT NULL REFERENCES sessions", "finished": "TEXT NOT NULL"}
"""Columns of every table, unless the dataclass has its own: the session that wrote a row, and the time."""


class Form(enum.StrEnum):
    """How a field is stored."""

    INTEGER = "INTEGER"
    REAL = "REAL"
    TEXT = "TEXT"
    JSON = "JSON"  #: as TEXT
    PACKED = "BLOB"  #: compressed JSON


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, made from a field of a dataclass."""

    name: str
    field: str  #: the field's name
    hint: Any  #: the field's type
    form: Form
    default: Callable[[], Any] | None  #: of the field; None if it has none
    verbatim: bool = False  #: whether text is returned as it was written
    sealed: bool = False  #: whether it is encrypted until the competition is over

    @classmethod
    def of(cls, field: Field[Any], hint: Any) -> Column:
        """The column of a field with a type."""
        marks = hint.__metadata__ if typing.get_origin(hint) is Annotated else ()
        inner = typing.get_args(hint)[0] if marks else hint
        default: Callable[[], Any] | None = None
        if field.default_factory is not MISSING:
            default = field.default_factory
        elif field.default is not MISSING:
            value = field.default
            default = lambda: value  # noqa: E731
        form = Form.PACKED if PACKED in marks else _form(inner)
        name = field.metadata.get(COLUMN, field.name)
        return cls(name, field.name, inner, form, default, VERBATIM in marks, SEALED in marks)

    @property
    def may_be_missing(self) -> bool:
        """Whether files of earlier versions may lack it; the default of a packed field only says that it is unread."""
        return self.default is not None and self.form is not Form.PACKED

    @property
    def declaration(self) -> str:
        """The column in a statement that creates the table."""
        kind = Form.TEXT if self.form is Form.JSON else self.form
        return f'"{self.name}" {kind}{"" if _optional(self.hint) else " NOT NULL"}'

    def encoded(self, value: Any) -> Any:
        """The value of a cell for a value of the field."""
        if value is None and _optional(self.hint):
            return None
        if self.form is Form.JSON:
            return json.dumps(value, default=_plain)
        if self.form is Form.PACKED:
            return zlib.compress(json.dumps(value, default=_plain, separators=(",", ":")).encode())
        return str(value) if isinstance(value, enum.StrEnum) else value

    def decoded(self, cell: Any) -> Any:
        """The value of the field for the value of a cell, checked against the field's type; text is printable.

        Raises:
            ValueError: the cell does not hold such a value.
        """
        if cell is None and _optional(self.hint):
            return None
        if self.form is Form.PACKED:
            cell = _unpacked(cell)
        elif self.form is Form.JSON:
            cell = json.loads(typed.read(str, cell, self.name))
        elif self.hint is bool and cell in (0, 1):
            cell = bool(cell)
        return typed.read(self.hint, cell if self.verbatim else _printable(cell), self.name)


class Table(Generic[Row]):
    """A table of a track: its rows are instances of a dataclass.

    Fields of the types bool, int, float and str (also enumerations of text) become plain columns, fields marked as
    `Packed` compressed ones, and all others JSON. Except for packed ones, a field with a default may be missing in
    files of earlier versions.
    """

    def __init__(self, name: str, row: type[Row], *key: str, index: Sequence[str] = (), optional: bool = False) -> None:
        """Declare a table.

        Args:
            name: its name in the file.
            row: the dataclass of its rows.
            *key: the fields that identify a row, by which rows are ordered. A single one of the type ``int | None`` is
                counted up where it is None.
            index: fields by which rows are looked up as well.
            optional: whether files of earlier versions may lack it.
        """
        self.name, self.row, self.key, self.index = name, row, key, tuple(index)
        self.optional = optional

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns, in the order of the fields."""
        hints = typing.get_type_hints(self.row, include_extras=True)
        return tuple(Column.of(field, hints[field.name]) for field in fields(typing.cast(Any, self.row)))

    def facts(self, row: Row) -> dict[str, Any]:
        """A row as JSON-compatible values, by field."""
        return {one.field: json.loads(json.dumps(getattr(row, one.field), default=_plain)) for one in self.columns}

    def of_facts(self, facts: dict[str, Any]) -> Row:
        """The row that ``facts`` describes; text is printable.

        Raises:
            ValueError, KeyError: it describes none.
        """
        values = {
            one.field: typed.read(
                one.hint, facts[one.field] if one.verbatim else _printable(facts[one.field]), one.field
            )
            for one in self.columns
        }
        return self.row(**values)

    @property
    def statements(self) -> list[str]:
        """The statements that create the table, unless it exists."""
        columns = [column.declaration for column in self.columns]
        own = {column.name for column in self.columns}
        columns += [f"{name} {kind}" for name, kind in STAMPS.items() if name not in own]
        key = ", ".join(f'"{name}"' for name in self.key)
        made = [f'CREATE TABLE IF NOT EXISTS "{self.name}" ({", ".join(columns)}, PRIMARY KEY ({key}))']
        for name in self.index:
            made.append(f'CREATE INDEX IF NOT EXISTS "{self.name}_{name}" ON "{self.name}" ("{name}")')
        return made


def _optional(hint: Any) -> bool:
    return typing.get_origin(hint) in (types.UnionType, typing.Union) and types.NoneType in typing.get_args(hint)


def _form(hint: Any) -> Form:
    if _optional(hint):
        (hint,) = (option for option in typing.get_args(hint) if option is not types.NoneType)
    if isinstance(hint, type):
        for kind, form in ((int, Form.INTEGER), (float, Form.REAL), (str, Form.TEXT)):
            if issubclass(hint, kind):
                return form
    return Form.JSON


def _plain(value: Any) -> Any:
    """Convert what JSON does not know."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Collection):
        return list(value)
    return str(value)


def _unpacked(data: Any) -> Any:
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(typed.read(bytes, data, "packed data"), MAX_PACKED)
    if not unpacking.eof:
        raise ValueError("cut off, or larger than it can be")
    return json.loads(text)


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(name): _printable(item) for name, item in value.items()}
    return [_printable(item) for item in value] if isinstance(value, list) else value
