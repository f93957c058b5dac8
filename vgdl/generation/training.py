"""Fresh levels for environments: a board at every reset, drawn from an archive (generation, 8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from vgdl.game import Board, Game
from vgdl.generation.archives import ArchiveInvalid, levels_named


class Drawer(Protocol):
    """An observer, as far as this module needs it."""

    @property
    def space(self) -> Any:
        """The space of its observations."""


D = TypeVar("D", bound=Drawer)


class FreshBoards(Generic[D]):
    """The boards of an archive's levels, each compiled when it is first drawn, with an observer of its own."""

    def __init__(self, source: str, game: Game, observer: Callable[[Board], D]) -> None:
        """Read the archive.

        Args:
            source: ``generated:FILE``, optionally with ``?difficulty=easy``, ``medium`` or ``hard``.
            game: that the levels must be for.
            observer: makes the observer of a board.

        Raises:
            ArchiveInvalid: the archive cannot be used.
        """
        self._levels = levels_named(source, game)
        self._game = game
        self._observer = observer
        self._boards: dict[int, tuple[Board, D]] = {}

    def __len__(self) -> int:
        return len(self._levels)

    def first(self) -> tuple[Board, D]:
        """The first level, for the spaces of an environment."""
        return self._at(0)

    def draw(self, generator: np.random.Generator) -> tuple[Board, D]:
        """A level at random, with its observer."""
        return self._at(int(generator.integers(len(self._levels))))

    def _at(self, number: int) -> tuple[Board, D]:
        made = self._boards.get(number)
        if made is None:
            board = self._game.board(self._levels[number].text)
            made = self._boards[number] = board, self._observer(board)
            if made[1].space != self.first()[1].space:
                raise ArchiveInvalid(
                    "the levels have observations of different shapes: give max_sprites=, or another mode"
                )
        return made
