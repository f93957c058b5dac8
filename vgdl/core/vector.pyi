"""Many plays of one board at once, for programs that learn: everything in arrays that are made once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.core.planes import Planes
from vgdl.core.state import StateObservation

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

TOLD: tuple[str, ...]
"""Names of the arrays."""

@disjoint_base
class Vector:
    """``n`` plays of a board that are advanced together; its arrays are the same ones every time."""

    def __new__(cls, planes: Planes, n: int, choices: Sequence[int], *, threads: int = 1, limit: int = 0) -> Vector:
        """``choices``: the action of player 0 behind each number that `step` takes; ``limit``: ticks, 0 for none."""

    @property
    def planes(self) -> Planes: ...
    @property
    def n(self) -> int: ...
    @property
    def limit(self) -> int: ...
    @property
    def observations(self) -> NDArray[np.uint8]:
        """What `Planes.write` draws, of each play."""

    @property
    def rewards(self) -> NDArray[np.float64]:
        """By how much the score of player 0 rose."""

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the game is over."""

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the play was cut off after ``limit`` ticks."""

    @property
    def scores(self) -> NDArray[np.float64]: ...
    @property
    def winners(self) -> NDArray[np.int32]: ...
    @property
    def ticks(self) -> NDArray[np.int32]: ...
    def restart_all(self, seeds: NDArray[np.int64]) -> None:
        """Restart every play, the k-th with ``seeds[k]``, of which the low 32 bits count."""

    def step(self, actions: NDArray[np.int64], seeds: NDArray[np.int64]) -> None:
        """Play one tick of every running play; those that ended in the last step restart, with ``seeds[k]``."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    def state(self, k: int) -> StateObservation:
        """A copy of a play's state."""
