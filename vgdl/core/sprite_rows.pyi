"""The visible sprites as rows of numbers, padded with zeros, for programs that learn."""

from typing import Any, Final

from typing_extensions import disjoint_base

from vgdl.core.data.tables import BoardTables
from vgdl.core.observer import Observer

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

FAR: Final[int]

@disjoint_base
class SpriteRows(Observer):
    """A row per visible sprite (id, type, category, x, y), a mask of the rows in use, and numbers about the avatar."""

    def __new__(cls, tables: BoardTables, most: int, view: int = -1) -> SpriteRows:
        """Set up the rows.

        Args:
            tables: of the board.
            most: number of rows.
            view: show only sprites within that many cells of the avatar, all if -1.
        """

    @property
    def most(self) -> int:
        """Number of rows."""

    @property
    def view(self) -> int:
        """Cells to each side of the avatar, -1 for the whole board."""

    def __reduce__(self) -> tuple[Any, ...]: ...
