"""Observations: one class per mode, each with its space.

Hidden types appear in no mode except ``rgb``, which is the rendered frame. Single environments create observations in
Python, one at a time; vector environments draw the same ones in the compiled core, each over the previous one.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from vgdl import Board, StateObservation, text
from vgdl.core.observer import Observer as Compiled
from vgdl.core.pictures import Pictures
from vgdl.core.planes import Planes
from vgdl.core.sprite_rows import SpriteRows
from vgdl.core.texts import Texts
from vgdl.envs.common import expect_whole
from vgdl.language import suggestion
from vgdl.render import frame, shape
from vgdl.render.pictures import Picture as Drawing
from vgdl.render.pictures import picture

SPARE_SPRITES = 64  #: default number of rows in the mode ``sprites`` for sprites that are created later
PIXELS = 10  #: default width and height of a cell in the mode ``rgb``
_FAR = 1_000_000_000  #: bound of values that games do not limit; larger ones are clipped


Cells = tuple[int, int]  #: rows and columns


class Observer(Protocol):
    """Creates observations; observers with equal arguments create equal ones."""

    @property
    def space(self) -> spaces.Space[Any]:
        """The observation space."""

    def observe(self, state: StateObservation, player: int = 0) -> Any:
        """The observation of a player, in newly allocated memory."""

    def compiled(self) -> Compiled:
        """The drawer of the same observations in the compiled core."""


class Grid:
    """``grid``: planes of zeros and ones, (planes, rows, columns): see `vgdl.core.planes`."""

    def __init__(self, board: Board, view: int | None, size: Cells) -> None:
        self.planes = Planes(board.tables, -1 if view is None else view, size)
        self.space = spaces.Box(0, 1, self.planes.shape, np.uint8)

    def observe(self, state: StateObservation, player: int = 0) -> NDArray[np.uint8]:
        return self.planes.observe(state, player)

    def compiled(self) -> Compiled:
        return self.planes


class Sprites:
    """``sprites``: a row of numbers for each visible sprite, padded with zeros, and a vector for the avatar.

    ``sprites`` has the columns id, type, category, x, y (pixels); ``mask`` is 1 in the rows that are used; ``avatar``
    is x, y, orientation x and y, speed, health, and the amount of every resource of the game, by type; zeros once
    the avatar is gone. If there are more sprites than rows, those farthest from the avatar are left out.
    """

    def __init__(self, board: Board, view: int | None, most: int) -> None:
        self.view = view
        self.tables = board.tables
        self.block = board.start(0).block_size
        self.resources = board.tables.rules.table["resources"].tolist()
        self.most = most
        low, high = np.zeros((self.most, 5), np.int32), np.full((self.most, 5), _FAR, np.int32)
        low[:, 3:] = -_FAR
        self.space = spaces.Dict(
            {
                "sprites": spaces.Box(low, high, dtype=np.int32),
                "mask": spaces.Box(0, 1, (self.most,), np.int8),
                "avatar": spaces.Box(-_FAR, _FAR, (6 + len(self.resources),), np.float64),
            }
        )

    def observe(self, state: StateObservation, player: int = 0) -> dict[str, NDArray[Any]]:
        avatar = np.zeros(6 + len(self.resources))
        own = state.avatars[player]
        if own is not None:
            held = [own.resources.get(kind, 0) for kind in self.resources]
            avatar[:] = (*own.position, *own.orientation, own.speed, own.health, *held)
        seen = state.arrays.view(np.int32).reshape(-1, 5)
        seen = self._cut(seen, None if own is None or state.is_over else own.position)
        sprites, mask = np.zeros((self.most, 5), np.int32), np.zeros(self.most, np.int8)
        np.clip(seen, -_FAR, _FAR, out=sprites[: len(seen)])
        mask[: len(seen)] = 1
        return {"sprites": sprites, "mask": mask, "avatar": avatar.clip(-_FAR, _FAR)}

    def compiled(self) -> Compiled:
        return SpriteRows(self.tables, self.most, -1 if self.view is None else self.view)

    def _cut(self, rows: NDArray[np.int32], centre: tuple[int, int] | None) -> NDArray[np.int32]:
        """The sprites in view, or the nearest of them if there are more than rows."""
        if centre is None:
            return rows[: self.most if self.view is None else 0]
        if self.view is not None:
            cells = np.abs(np.trunc(rows[:, 3:] / self.block) - np.trunc(np.array(centre) / self.block))
            rows = rows[cells.max(axis=1, initial=0) <= self.view]
        if len(rows) <= self.most:
            return rows
        distance = ((rows[:, 3:].astype(np.int64) - centre) ** 2).sum(axis=1)
        return rows[np.sort(np.argsort(distance, kind="stable")[: self.most])]


@dataclass(frozen=True)
class Drawings:
    """The pictures of a board's sprites as in a frame; None for an invisible sprite."""

    board: Board

    def __call__(self, kind: int, width: int, height: int, turns: int | None) -> Drawing | None:
        look = self.board.game.looks[kind]
        if look.invisible:
            return None
        return picture(look, width, height, turns, shape=shape(self.board.tables, kind))


class Picture:
    """``rgb``: the rendered frame, (height, width, 3); black outside the board.

    A cell has ``pixels`` pixels a side, or with ``frame_size``, (height, width) of the whole picture, as many as fit
    for a board of ``largest`` cells; a smaller picture has black margins.
    """

    def __init__(
        self, board: Board, view: int | None, largest: Cells, pixels: int, frame_size: Sequence[int] | None
    ) -> None:
        self.view = view
        self.board = board
        self.block = board.start(0).block_size
        rows, columns = largest if view is None else (2 * view + 1, 2 * view + 1)
        self.pixels = pixels if frame_size is None else min(frame_size[0] // rows, frame_size[1] // columns)
        if self.pixels < 1:
            raise ValueError(f"expected a frame_size of at least {(rows, columns)}, a pixel per cell, got {frame_size}")
        given = (rows * self.pixels, columns * self.pixels) if frame_size is None else (frame_size[0], frame_size[1])
        self.frame_size = given
        if view is None:
            rows, columns = cells_of(board)
        self.corner = (given[0] - rows * self.pixels) // 2, (given[1] - columns * self.pixels) // 2
        self.space = spaces.Box(0, 255, (*self.frame_size, 3), np.uint8)

    def observe(self, state: StateObservation, player: int = 0) -> NDArray[np.uint8]:
        cells = self._cells(state, player)
        if cells.shape == self.space.shape:
            return cells
        (top, left), (height, width, _) = self.corner, cells.shape
        whole = np.zeros((*self.frame_size, 3), np.uint8)
        whole[top : top + height, left : left + width] = cells
        return whole

    def compiled(self) -> Compiled:
        view = -1 if self.view is None else self.view
        return Pictures(self.board.tables, Drawings(self.board), pixels=self.pixels, size=self.frame_size, view=view)

    def _cells(self, state: StateObservation, player: int) -> NDArray[np.uint8]:
        """The visible cells, without the margins."""
        whole = frame(state, self.pixels)
        if self.view is None:
            return whole
        margin = self.view * self.pixels
        own = state.avatars[player]
        if own is None or state.is_over:  # the view has no centre
            return np.zeros((2 * margin + self.pixels, 2 * margin + self.pixels, 3), np.uint8)
        left, top = (
            min(max(place // self.block, 0) * self.pixels, size)
            for place, size in zip(own.position, whole.shape[1::-1], strict=True)
        )
        further = margin + self.pixels
        padded = np.pad(whole, ((margin, further), (margin, further), (0, 0)))
        return padded[top : top + margin + further, left : left + margin + further].copy()


class Words:
    """``text``: a grid of symbols with a legend: see `vgdl.text.read`."""

    MOST = 100_000  #: characters

    def __init__(self, board: Board, view: int | None, front: bool) -> None:
        self.view = view
        self.front = front
        self.board = board
        self.space = spaces.Text(self.MOST, charset=string.printable)

    def observe(self, state: StateObservation, player: int = 0) -> str:
        return text.read(state, player=player, view=self.view, front=self.front)[: self.MOST]

    def compiled(self) -> Compiled:
        view = -1 if self.view is None else self.view
        names, symbols = self.board.game.types, text.symbols(self.board.tables)
        return Texts(self.board.tables, names, symbols, view=view, front=self.front)


MODES = ("grid", "sprites", "rgb", "text")
_ALIASES = {"planes": "grid"}


class Observers:
    """The observers of an environment: one per board, all with the same observation space."""

    def __init__(
        self,
        mode: str,
        view: int | None,
        max_sprites: int | None = None,
        pixels: int = PIXELS,
        frame_size: Sequence[int] | None = None,
        front: bool = False,
    ) -> None:
        """Choose a mode: one of `MODES`, or ``planes``, another name for ``grid``.

        Raises:
            ValueError: an unknown mode, or an invalid number.
        """
        expect_whole("view", view, 0, text.MOST_VIEW, none="the whole board")
        expect_whole("pixels", pixels, 1)
        expect_whole("max_sprites", max_sprites, 1, none=f"{SPARE_SPRITES} more than at the start")
        if frame_size is not None:
            if len(frame_size) != 2:
                raise ValueError(f"expected frame_size to be (height, width), got {frame_size!r}")
            for length in frame_size:
                expect_whole("frame_size", length, 1)
        self.mode = _ALIASES.get(mode, mode)
        if self.mode not in MODES:
            raise ValueError(
                f"no observation mode {mode!r}{suggestion(str(mode), MODES)}; there are {', '.join(MODES)}"
            )
        self._view, self._pixels, self._frame_size, self._front = view, pixels, frame_size, front
        self._max_sprites = max_sprites
        self._largest: Cells = (1, 1)
        self._most = 1

    def learn(self, boards: Sequence[Board]) -> None:
        """Make observations as large as the largest of some boards needs; before the first observer is made."""
        sizes = [cells_of(board) for board in boards]
        self._largest = max(rows for rows, _ in sizes), max(columns for _, columns in sizes)
        if self._max_sprites is None and self.mode == "sprites":
            self._most = max(len(board.start(0).arrays) for board in boards) + SPARE_SPRITES
        else:
            self._most = self._max_sprites or 1

    def of(self, board: Board) -> Observer:
        """The observer of a board.

        Raises:
            ValueError: the board is larger than the largest that the observers know, and there is no ``view``.
        """
        rows, columns = cells_of(board)
        if self._view is None and self.mode in ("grid", "rgb"):
            most_rows, most_columns = self._largest
            if rows > most_rows or columns > most_columns:
                raise ValueError(
                    f"{board.name} has {rows} rows and {columns} columns, and observations have room for {most_rows} "
                    f"and {most_columns}: make the environment with levels= that include it, or with view="
                )
        match self.mode:
            case "grid":
                return Grid(board, self._view, self._largest)
            case "sprites":
                return Sprites(board, self._view, self._most)
            case "rgb":
                return Picture(board, self._view, self._largest, self._pixels, self._frame_size)
        return Words(board, self._view, self._front)


def cells_of(board: Board) -> Cells:
    """Rows and columns of a board."""
    state = board.start(0)
    width, height = state.world_dimension
    return height // state.block_size, width // state.block_size
