"""Owners of the immutable tables and of the memory for states and ticks."""

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
        """Fingerprint of the rules."""

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
        """Fingerprint of the board, its rules included."""

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
        """For tests: cost of all event phases on this board, in sprites looked at, hits listed and effects executed."""

    @property
    def visible_types(self) -> tuple[int, ...]:
        """Numbers of the types that observations show, in the order of the types."""

    @property
    def drawing_order(self) -> tuple[int, ...]:
        """Numbers of the types from back to front."""

    def anonymous(self, salt: bytes = b"") -> BoardTables:
        """A copy of the board with only what the forward model needs: no names, texts, line numbers or hashes of names.

        Digests depend on ``salt`` as well, so they do not match between salts. States of the copy are made by
        ``StateObservation.transfer``. Unpickled, the copy is sealed: it serves the forward model but does not show
        its tables.
        """
