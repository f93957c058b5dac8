"""Many plays of one board at once, for programs that learn, in arrays that are made once or belong to the caller."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.core.observer import Observer
from vgdl.core.state import StateObservation

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

TOLD: Final[dict[str, tuple[np.dtype[Any], ...]]]
"""Arrays of every vector, besides the observations: dtypes that they can have."""
TOLD_LAST: Final[dict[str, tuple[np.dtype[Any], ...]]]
"""Those of a vector that restarts plays in the step that ends them."""

@disjoint_base
class Vector:
    """``n`` plays of a board that are advanced together.

    After `step` or `restart_all`, ``arrays`` tell of each play, under the name of each part of the observer
    (``observations`` of `Planes`), what it draws; ``rewards``: by how much the score of player 0 rose;
    ``terminations``: whether the game is over; ``truncations``: whether ``limit`` ticks have been played;
    ``restarted``: whether it took a seed; ``scores``, ``winners`` and ``ticks``: what a state tells under these names.
    They are the same arrays every time, and a step writes only what differs: after writing into them, call `forget`.
    """

    def __new__(
        cls,
        observer: Observer,
        n: int,
        choices: Sequence[int],
        *,
        threads: int = 1,
        limit: int = 0,
        same_step: bool = False,
        out: Mapping[str, NDArray[Any]] | None = None,
    ) -> Vector:
        """Set up the plays; `restart_all` starts them.

        Args:
            observer: draws the observations.
            n: number of plays.
            choices: the action of player 0 behind each number that `step` takes.
            threads: that share the plays.
            limit: truncate plays after this many ticks; 0 for none.
            same_step: restart a play in the step that ends it; observation, score, winner and tick of the end are then
                in arrays whose names begin with ``final_``.
            out: arrays to be used, by name, instead of new ones.

        Raises:
            ValueError: an invalid number, a game for two, or an array of another shape or dtype.
        """

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""

    @property
    def observer(self) -> Observer: ...
    @property
    def n(self) -> int: ...
    @property
    def limit(self) -> int: ...
    @property
    def same_step(self) -> bool: ...
    @property
    def threads(self) -> int: ...
    @property
    def n_restarted(self) -> int:
        """Plays that took a seed in the last step."""

    @property
    def is_torn(self) -> bool:
        """Whether an exception stopped the last step, so that some plays are a tick ahead of others."""

    def restart_all(self, seeds: NDArray[np.int64]) -> None:
        """Restart every play, the k-th with ``seeds[k]``, of which the low 32 bits count."""

    def step(self, actions: NDArray[np.int64], seeds: NDArray[np.int64]) -> None:
        """Play one tick of every running play; those that ended in the last step restart, with ``seeds[k]``.

        With ``same_step``, those that end in this step restart at once.

        Raises:
            ValueError: not one valid action and one seed per play.
            RuntimeError: the vector is torn, see `is_torn`.
        """

    def text(self, k: int, *, last: bool = False) -> str:
        """A play's observation if that is a text; with ``last``, the one at the end of the play before.

        Raises:
            IndexError: there is no such play.
            ValueError: observations are arrays.
        """

    def forget(self) -> None:
        """See that the next step writes all of every observation: for a caller that has written into the arrays."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    def state(self, k: int) -> StateObservation:
        """A copy of a play's state."""
