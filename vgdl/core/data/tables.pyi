"""Owners of the immutable tables, and of the memory that states and ticks are made in."""

from typing import Any

from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.game import Board

__test__: dict[str, str]

@disjoint_base
class RulesTables:
    """The rules of a game as numbers; immutable, shared by all its boards and states."""

    def __init__(self, arrays: dict[str, NDArray[Any]], numbers: dict[str, int]) -> None: ...
    @property
    def digest(self) -> bytes:
        """Tells rules apart."""

    @property
    def table(self) -> dict[str, NDArray[Any]]:
        """The arrays by name; read only."""

    @property
    def number(self) -> dict[str, int]:
        """The numbers by name."""

@disjoint_base
class BoardTables:
    """The rules on one level as numbers; immutable. It also keeps the free memory of its states."""

    def __init__(
        self, rules: RulesTables, arrays: dict[str, NDArray[Any]], numbers: dict[str, int], owner: Board | None = None
    ) -> None: ...
    @property
    def rules(self) -> RulesTables: ...
    @property
    def digest(self) -> int:
        """Tells boards apart, the rules included."""

    @property
    def owner(self) -> Board | None:
        """The Board with names and texts, None where those are withheld."""

    @property
    def table(self) -> dict[str, NDArray[Any]]:
        """The arrays by name; read only."""

    @property
    def number(self) -> dict[str, int]:
        """The numbers by name."""

    def anonymous(self) -> BoardTables:
        """The same board without its owner: numbers only, no names, no texts."""
