"""The board as planes of zeros and ones, for programs that learn."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.core.data.tables import BoardTables
from vgdl.core.observer import Observer
from vgdl.core.state import StateObservation

AVATAR_PLANES: Final[tuple[str, ...]]

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

@disjoint_base
class Planes(Observer):
    """Draws a board as planes of zeros and ones; immutable."""

    def __new__(cls, tables: BoardTables, view: int = -1, size: Sequence[int] | None = None) -> Planes:
        """Set up the planes.

        Args:
            tables: of the board.
            view: cells shown to each side of the avatar, -1 for the whole board.
            size: rows and columns of the planes without a view, those of the board if None. Cells beyond the board,
                which is at the upper left, are 0.

        Raises:
            ValueError: a view below -1, or a size below that of the board.
        """

    @property
    def view(self) -> int:
        """Cells shown to each side of the avatar, -1 for the whole board."""

    @property
    def types(self) -> tuple[int, ...]:
        """Type shown by each of the first planes; `AVATAR_PLANES` follow them."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of planes, rows and columns."""

    def observe(self, state: StateObservation, player: int = 0) -> NDArray[np.uint8]:
        """Draw what a player sees into a new array.

        Raises:
            ValueError: a state of another board, or no such player.
        """

    def write(self, state: StateObservation, into: NDArray[np.uint8], player: int = 0) -> None:
        """Draw what a player sees into an array of the right shape.

        Raises:
            ValueError: an array of another shape, a state of another board, or no such player.
        """
