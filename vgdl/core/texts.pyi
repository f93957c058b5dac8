"""States as text, for programs that learn from language: as `vgdl.text.read` writes them, without the GIL."""

from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import disjoint_base

from vgdl.core.data.tables import BoardTables
from vgdl.core.observer import Observer

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

@disjoint_base
class Texts(Observer):
    """Writes score and outcome, the board as a grid of symbols, and a legend of the symbols used."""

    def __new__(
        cls,
        tables: BoardTables,
        names: Sequence[str],
        symbols: Mapping[int, str],
        *,
        view: int = -1,
        front: bool = False,
    ) -> Texts:
        """Set up the text.

        Args:
            tables: of the board.
            names: of all types.
            symbols: an ASCII character for each visible type, in the order of the legend.
            view: cells shown to each side of the avatar, -1 for the whole board.
            front: whether to say what is in front of the avatar.
        """

    @property
    def view(self) -> int: ...
    @property
    def front(self) -> bool:
        """Whether the text says what is in front of the avatar."""

    def __reduce__(self) -> tuple[Any, ...]: ...
