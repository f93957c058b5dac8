"""Owners of the immutable tables, and of the memory that states and ticks are made in."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.game import Board

__test__: dict[str, str]

RULES: dict[str, np.dtype[Any]]
BOARD: dict[str, np.dtype[Any]]

@disjoint_base
class RulesTables:
    """The rules of a game as numbers; immutable, shared by all its boards and states."""

    def __new__(
        cls, arrays: dict[str, NDArray[Any]], numbers: dict[str, int], digest: bytes | None = None
    ) -> RulesTables: ...
    @property
    def digest(self) -> bytes:
        """Tells rules apart."""

    @property
    def table(self) -> dict[str, NDArray[Any]]:
        """The arrays by name; read only. ``AttributeError`` where the rules are withheld."""

    @property
    def number(self) -> dict[str, int]:
        """The numbers by name. ``AttributeError`` where the rules are withheld."""

@disjoint_base
class BoardTables:
    """The rules on one level as numbers; immutable. It also keeps the free memory of its states."""

    def __new__(
        cls,
        rules: RulesTables,
        arrays: dict[str, NDArray[Any]],
        numbers: dict[str, int],
        owner: Board | None = None,
        digest: int | None = None,
    ) -> BoardTables: ...
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
        """The arrays by name; read only. ``AttributeError`` where the rules are withheld."""

    @property
    def number(self) -> dict[str, int]:
        """The numbers by name. ``AttributeError`` where the rules are withheld."""

    @property
    def steps(self) -> int:
        """For tests: what the event phases of all ticks here took, in sprites looked at and effects executed."""

    @property
    def visible_types(self) -> tuple[int, ...]:
        """Numbers of the types that observations show, in the order of the types."""

    @property
    def drawing_order(self) -> tuple[int, ...]:
        """Numbers of the types from back to front."""

    def anonymous(self, salt: bytes = b"") -> BoardTables:
        """The same board with what the forward model needs and no more: no names, texts, lines or hashes of names.

        Digests depend on ``salt`` as well, so another salt makes a board that they do not identify. Its states
        are made by ``StateObservation.transfer``. A pickled copy of it is sealed: it serves the forward model, and
        shows no rows.
        """
