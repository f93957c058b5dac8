"""Observations: one class per mode, each with its space.

Hidden types appear in no mode except ``rgb``, which is the rendered frame.
"""

from __future__ import annotations

import string
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from vgdl import Board, StateObservation, text
from vgdl.core.planes import Planes
from vgdl.envs.common import expect_whole
from vgdl.language import nearest
from vgdl.render import frame

SPARE_SPRITES = 64  #: default number of rows in the mode ``sprites`` for sprites that are created later
PIXELS = 10  #: of a cell in the mode ``rgb``
_FAR = 1_000_000_000  #: bound of numbers that games do not limit; larger ones are clipped


class Observer(Protocol):
    """Makes observations; two observers of equal arguments make equal ones."""

    @property
    def space(self) -> spaces.Space[Any]:
        """The observation space."""

    def observe(self, state: StateObservation, player: int = 0) -> Any:
        """The observation of a player, in newly allocated memory."""


class Grid:
    """``grid``: planes of zeros and ones, (planes, rows, columns): see `vgdl.core.planes`."""

    def __init__(self, board: Board, view: int | None) -> None:
        self.planes = Planes(board.tables, -1 if view is None else view)
        self.space = spaces.Box(0, 1, self.planes.shape, np.uint8)

    def observe(self, state: StateObservation, player: int = 0) -> NDArray[np.uint8]:
        planes = np.empty(self.planes.shape, np.uint8)
        self.planes.write(state, planes, player)
        return planes


class Sprites:
    """``sprites``: a row of numbers for each visible sprite, padded with zeros, and a vector for the avatar.

    ``sprites`` has the columns id, type, category, x, y (pixels); ``mask`` is 1 in the rows that are used; ``avatar``
    is x, y, orientation x and y, speed, health, and the amount of every resource of the game, by type; zeros once
    the avatar is gone. If there are more sprites than rows, those farthest from the avatar are left out.
    """

    def __init__(self, board: Board, view: int | None, most: int | None) -> None:
        self.view = view
        self.block = board.start(0).block_size
        self.resources = board.tables.rules.table["resources"].tolist()
        expect_whole("max_sprites", most, 1, none=f"{SPARE_SPRITES} more than at the start")
        self.most = len(board.start(0).arrays) + SPARE_SPRITES if most is None else most
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

    def _cut(self, seen: NDArray[np.int32], centre: tuple[int, int] | None) -> NDArray[np.int32]:
        """The sprites in view, reduced to the nearest ones if there are more than rows."""
        if centre is None:
            return seen[: self.most if self.view is None else 0]
        if self.view is not None:
            cells = np.abs(np.trunc(seen[:, 3:] / self.block) - np.trunc(np.array(centre) / self.block))
            seen = seen[cells.max(axis=1, initial=0) <= self.view]
        if len(seen) <= self.most:
            return seen
        distance = ((seen[:, 3:].astype(np.int64) - centre) ** 2).sum(axis=1)
        return seen[np.sort(np.argsort(distance, kind="stable")[: self.most])]


class Picture:
    """``rgb``: the rendered frame, (height, width, 3); black outside the board."""

    def __init__(self, board: Board, view: int | None) -> None:
        self.view = view
        width, height = board.start(0).world_dimension
        self.block = board.start(0).block_size
        columns, rows = (width // self.block, height // self.block) if view is None else (2 * view + 1, 2 * view + 1)
        self.space = spaces.Box(0, 255, (rows * PIXELS, columns * PIXELS, 3), np.uint8)

    def observe(self, state: StateObservation, player: int = 0) -> NDArray[np.uint8]:
        whole = frame(state, PIXELS)
        if self.view is None:
            return whole
        margin = self.view * PIXELS
        own = state.avatars[player]
        if own is None or state.is_over:  # the view has no centre
            return np.zeros((2 * margin + PIXELS, 2 * margin + PIXELS, 3), np.uint8)
        left, top = (
            min(max(place // self.block, 0) * PIXELS, size)
            for place, size in zip(own.position, whole.shape[1::-1], strict=True)
        )
        padded = np.pad(whole, ((margin, margin + PIXELS), (margin, margin + PIXELS), (0, 0)))
        return padded[top : top + 2 * margin + PIXELS, left : left + 2 * margin + PIXELS].copy()


class Words:
    """``text``: a grid of symbols with a legend: see `vgdl.text.read`."""

    MOST = 100_000  #: characters

    def __init__(self, board: Board, view: int | None) -> None:
        self.view = view
        self.space = spaces.Text(self.MOST, charset=string.printable)

    def observe(self, state: StateObservation, player: int = 0) -> str:
        return text.read(state, player=player, view=self.view)[: self.MOST]


MODES = ("grid", "sprites", "rgb", "text")


def observer(mode: str, board: Board, view: int | None, max_sprites: int | None = None) -> Observer:
    """The observer of a mode, one of `MODES`. ValueError for another mode, or an invalid ``view``."""
    expect_whole("view", view, 0, none="the whole board")
    match mode:
        case "grid":
            return Grid(board, view)
        case "sprites":
            return Sprites(board, view, max_sprites)
        case "rgb":
            return Picture(board, view)
        case "text":
            return Words(board, view)
    close = nearest(str(mode), MODES)
    raise ValueError(
        f"no observation mode {mode!r}; there are {', '.join(MODES)}" + (f"; did you mean {close!r}?" if close else "")
    )
