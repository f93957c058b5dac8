"""Re-creates a state from what a player observes of it (the counterpart of `observation`)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vgdl.core.data.tables import BoardTables
from vgdl.core.observation import Avatar
from vgdl.core.state import StateObservation

__test__: dict[str, str]

def place(
    tables: BoardTables,
    sprites: NDArray[np.void],
    *,
    before: StateObservation | None = None,
    last: NDArray[np.void] | None = None,
    tick: int = 0,
    score: float = 0.0,
    winner: int = -1,
    ended: bool = False,
    avatar: Avatar | Any | None = None,
    seed: int | None = None,
    recording: bool = True,
    born: dict[int, int] | None = None,
    moved: dict[int, tuple[int, int, int]] | None = None,
) -> StateObservation:
    """A state of a board with the given sprites: see `vgdl.placing.place`."""
