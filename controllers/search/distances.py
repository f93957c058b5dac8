"""Distances on the observation grid: Manhattan distances, and walking distances around obstacles."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable

from vgdl import StateObservation
from vgdl.core.observation import Observation

Cell = tuple[int, int]
"""Column and row."""

Position = tuple[int, int]
"""Pixels from the left and from the top."""

ObservationLists = tuple[tuple[Observation, ...], ...]
"""The observations of one category, grouped by type."""

NEIGHBOURS = ((0, -1), (0, 1), (-1, 0), (1, 0))
NOWHERE = (-1, -1)


def avatar_position(state: StateObservation) -> Position:
    """The avatar's position in pixels; (-1, -1) if there is none, as after the end of a game."""
    avatar = state.avatar
    return NOWHERE if avatar is None else avatar.position


def cell_of(position: Position, block: int) -> Cell:
    """The cell that contains a sprite's top left corner.

    Args:
        position: the corner in pixels.
        block: pixels per cell.
    """
    return position[0] // block, position[1] // block


def grid_size(state: StateObservation) -> tuple[int, int]:
    """Columns and rows."""
    width, height = state.world_dimension
    return width // state.block_size, height // state.block_size


def manhattan(one: Position, other: Position, block: int) -> float:
    """Manhattan distance between two positions, in cells of ``block`` pixels."""
    return (abs(one[0] - other[0]) + abs(one[1] - other[1])) / block


def nearest(sprites: Iterable[Observation], position: Position) -> Observation | None:
    """The sprite with the smallest Manhattan distance to a position, ties to the first; None without sprites."""
    x, y = position
    return min(sprites, key=lambda sprite: abs(sprite.x - x) + abs(sprite.y - y), default=None)


def nearest_distance(sprites: Iterable[Observation], position: Position, block: int) -> float:
    """Manhattan distance in cells from a position to the nearest of the sprites; 0 if there are none."""
    x, y = position
    return min((abs(sprite.x - x) + abs(sprite.y - y) for sprite in sprites), default=0) / block


def obstacles(state: StateObservation, passable: Container[int] = ()) -> set[Cell]:
    """Cells with a static sprite, which may block the way.

    Args:
        state: the current state.
        passable: types known not to block.
    """
    block = state.block_size
    return {
        (sprite.x // block, sprite.y // block)
        for sprites in state.immovables
        if sprites[0].type not in passable
        for sprite in sprites
    }


def walking_distances(size: tuple[int, int], start: Cell, blocked: Container[Cell]) -> dict[Cell, int]:
    """Steps from ``start`` to every reachable cell; ``start`` itself may be blocked.

    Args:
        size: columns and rows of the grid.
        start: the cell to measure from.
        blocked: cells that cannot be entered.
    """
    columns, rows = size
    distances = {start: 0}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        steps = distances[here] + 1
        for dx, dy in NEIGHBOURS:
            there = here[0] + dx, here[1] + dy
            inside = 0 <= there[0] < columns and 0 <= there[1] < rows
            if inside and there not in distances and there not in blocked:
                distances[there] = steps
                waiting.append(there)
    return distances
