"""Observations that are written into given memory, play after play and tick after tick."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.core.data.tables import BoardTables
from vgdl.core.state import StateObservation

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

@disjoint_base
class Observer:
    """Draws observations of a board; immutable. `vgdl.core.planes.Planes` and others are observers."""

    @property
    def tables(self) -> BoardTables: ...
    @property
    def parts(self) -> tuple[tuple[str, tuple[int, ...], np.dtype[Any]], ...]:
        """Name, shape and dtype of each array of an observation."""

    def write_parts(self, state: StateObservation, arrays: Iterable[NDArray[Any]], player: int = 0) -> None:
        """Draw what a player sees into arrays, one per part.

        Raises:
            ValueError: arrays of another shape or type, a state of another board, or no such player.
        """
