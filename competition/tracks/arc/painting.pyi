"""Draws states as layers of an ARC frame (spec, 6.3): 64 by 64 pixels, integers only."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.core.data.tables import BoardTables
from vgdl.core.state import StateObservation

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

HEALTH: Final[int]
INVISIBLE: Final[int]

@disjoint_base
class Painter:
    """Draws the states of one board; immutable."""

    def __new__(
        cls,
        tables: BoardTables,
        scale: tuple[int, int],
        corner: tuple[int, int],
        colors: tuple[int, int, int],
        types: Sequence[int],
        corners: Sequence[int],
        hud: Sequence[int] = (),
    ) -> Painter: ...
    @property
    def tables(self) -> BoardTables: ...
    @property
    def pixels(self) -> int:
        """Number of pixels that `cells` cells take in a row."""

    @property
    def cells(self) -> int: ...
    @property
    def left(self) -> int:
        """Column of the playfield's left upper corner."""

    @property
    def top(self) -> int:
        """Row of the playfield's left upper corner."""

    def paint(self, state: StateObservation) -> NDArray[np.uint8]:
        """Draw a state as a new, read-only uint8 array (64, 64). Raises ValueError for a state of another board."""
