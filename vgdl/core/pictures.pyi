"""The rendered frame, for programs that learn from pixels, drawn over the frame before."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.core.data.tables import BoardTables
from vgdl.core.observer import Observer

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

_Drawing = tuple[NDArray[np.uint8], NDArray[np.bool_] | None, int, int]

@disjoint_base
class Pictures(Observer):
    """The frame as (height, width, 3) bytes: red, green, blue; black outside of the board."""

    def __new__(
        cls,
        tables: BoardTables,
        make: Callable[[int, int, int, int | None], _Drawing | None],
        *,
        pixels: int | None = None,
        size: Sequence[int] | None = None,
        view: int = -1,
    ) -> Pictures:
        """Set up the frame.

        Args:
            tables: of the board.
            make: function of a sprite's type, the width and height of its rectangle in pixels of the frame, and its
                quarter turns (None without a direction); returns the sprite's picture, None for an invisible one.
            pixels: width and height of a cell; 10 if neither this nor ``size`` is given.
            size: height and width of the whole frame, with black margins; cells have ``pixels`` pixels, or as many as
                fit.
            view: cells shown to each side of the avatar, -1 for the whole board.
        """

    @property
    def view(self) -> int: ...
    @property
    def pixels(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
