"""Many plays of one game at once, on one board or on several, in arrays made once or given by the caller."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.core.observer import Observer
from vgdl.core.state import StateObservation

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

DTYPES: Final[dict[str, tuple[np.dtype[Any], ...]]]
"""Dtypes that the arrays of every vector, besides the observations, can have."""
FINAL_DTYPES: Final[dict[str, tuple[np.dtype[Any], ...]]]
"""Those of the additional arrays of a vector that restarts plays in the step that ends them."""

@disjoint_base
class Vector:
    """Plays of a game that are advanced together, each on one of the vector's boards.

    After `step` or `restart_all`, the ``arrays`` have an entry for each play. Observations are under the names of the
    observer's parts (``observations`` for `Planes`). ``rewards``: increase of player 0's score; ``terminations``:
    whether the game is over; ``truncations``: whether ``limit`` ticks have been played; ``restarted``: whether the play
    took a seed; ``scores``, ``winners`` and ``ticks``: ``score``, ``winner`` and ``tick`` of the state; ``boards``: the
    number of the play's board. The arrays are the same every time, and a step writes only differences: after writing
    into them, call `forget`.
    """

    def __new__(
        cls,
        observers: Observer | Sequence[Observer],
        plays: int,
        choices: Sequence[int],
        *,
        threads: int = 1,
        limit: int = 0,
        same_step: bool = False,
        manual: bool = False,
        out: Mapping[str, NDArray[Any]] | None = None,
    ) -> Vector:
        """Set up the plays; `restart_all` starts them.

        Args:
            observers: draws the observations; several for as many boards of one game, with observations of one shape.
            plays: number of plays.
            choices: the action of player 0 that each number given to `step` stands for.
            threads: number of threads that share the plays.
            limit: truncate plays after this many ticks; 0 for none.
            same_step: restart a play in the step that ends it; observation, score, winner and tick of the end are then
                in arrays whose names begin with ``final_``.
            manual: restart plays only in `restart_some` and `restart_all`.
            out: arrays to be used, by name, instead of new ones.

        Raises:
            ValueError: an invalid number, a game for two players, boards of several games, or an array of another shape
                or dtype.
        """

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""

    @property
    def observers(self) -> list[Observer]:
        """The observers, by the number of their board."""

    @property
    def n(self) -> int: ...
    @property
    def limit(self) -> int: ...
    @property
    def same_step(self) -> bool: ...
    @property
    def manual(self) -> bool: ...
    @property
    def threads(self) -> int: ...
    @property
    def n_restarted(self) -> int:
        """Plays that took a seed in the last step."""

    @property
    def is_torn(self) -> bool:
        """Whether an exception stopped the last step, so that some plays are a tick ahead of others."""

    def restart_all(self, seeds: NDArray[np.int64]) -> None:
        """Restart every play, the k-th with the low 32 bits of ``seeds[k]``."""

    def restart_some(self, mask: NDArray[np.uint8], seeds: NDArray[np.int64]) -> None:
        """Restart the plays whose entry in ``mask`` is not 0; nothing of the others changes, except ``restarted``.

        Raises:
            ValueError: not one entry and one seed per play.
            RuntimeError: the vector is torn, see `is_torn`.
        """

    def add(self, observer: Observer) -> int:
        """Add a board, in place of an added one that no play is on; return its number.

        Raises:
            ValueError: a board of another game, or observations of another shape.
        """

    def assign(self, number: int, board: int) -> None:
        """Let the play with a number be on a board from its next start on.

        Raises:
            IndexError: no such play or board.
        """

    def allowed(self) -> NDArray[np.bool_]:
        """Whether each play's avatar has each of ``choices``: a new array of bool, (n, choices).

        NIL is always among them, and nothing else once the avatar is gone or the game is over.
        """

    def step(self, actions: NDArray[np.int64], seeds: NDArray[np.int64]) -> None:
        """Play one tick of every running play; those that ended in the last step restart with ``seeds[k]``.

        With ``same_step``, those that end in this step restart at once.

        Raises:
            ValueError: not one valid action and one seed per play.
            RuntimeError: the vector is torn, see `is_torn`.
        """

    def text(self, number: int, *, last: bool = False) -> str:
        """A play's observation, for an observer of texts; with ``last``, the final one of the play before.

        Raises:
            IndexError: there is no such play.
            ValueError: observations are arrays.
        """

    def forget(self) -> None:
        """Make the next step write every observation in full, after a caller has written into the arrays."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    def state(self, number: int) -> StateObservation:
        """A copy of a play's state."""
