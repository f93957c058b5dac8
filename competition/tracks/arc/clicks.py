"""What a click does (spec, 6.5): plain VGDL avatars know keys only."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, StateObservation

Cell = tuple[int, int]  #: column, row
Path = list[Action]

MOST_TICKS = 100  #: of one walk
MOST_PRESSES = 4  #: of a key, to get to the next cell: some avatars turn first, and some are slow

_WAYS: tuple[tuple[Action, Cell], ...] = (
    (Action.RIGHT, (1, 0)),
    (Action.LEFT, (-1, 0)),
    (Action.DOWN, (0, 1)),
    (Action.UP, (0, -1)),
)


def key_towards(state: StateObservation, cell: Cell, keys: Collection[Action]) -> Action:
    """The key of a click that means one tick: towards the cell, USE on the avatar's own cell, NIL where there is none.

    Axes that the avatar has no key for are disregarded.

    Args:
        state: of a running game.
        cell: that was clicked.
        keys: of the game.
    """
    here = avatar_cell(state)
    if here is None:
        return Action.NIL
    column, row = cell[0] - here[0], cell[1] - here[1]
    across = Action.RIGHT if column > 0 else Action.LEFT
    along = Action.DOWN if row > 0 else Action.UP
    if column and across in keys and (abs(column) >= abs(row) or along not in keys):
        return across
    if row and along in keys:
        return along
    return Action.USE if Action.USE in keys else Action.NIL


def path_to(state: StateObservation, cell: Cell, keys: Collection[Action], ways: Mapping[Cell, Path]) -> Path:
    """The keys that bring the avatar to a cell; empty if there is no way.

    Onto a neighbouring cell it may push something, which is then all that the click does.

    Args:
        state: of a running game.
        cell: that was clicked.
        keys: of the game.
        ways: `reachable` of this state.
    """
    here = avatar_cell(state)
    if here is not None and abs(here[0] - cell[0]) + abs(here[1] - cell[1]) == 1:
        return _push(state, here, cell, keys)
    return ways.get(cell, [])


def reachable(state: StateObservation, keys: Collection[Action]) -> dict[Cell, Path]:
    """The shortest path to every cell that the avatar can walk to as things are now, by simulation.

    On the way, nothing but the avatar may change. A step that makes other sprites vanish, or wins, ends a path; a step
    that moves or makes one does not count. Paths have at most `MOST_TICKS` keys.
    """
    here = avatar_cell(state)
    if here is None:
        return {}
    others = _others(state)
    known = others.tobytes()
    ways: dict[Cell, Path] = {here: []}
    queue = deque([_Reached(state, here)])
    while queue:
        reached = queue.popleft()
        path = ways[reached.cell]
        for action, (right, down) in _WAYS:
            there = reached.cell[0] + right, reached.cell[1] + down
            if action not in keys or there in ways:
                continue
            after, presses = _step(reached.state, reached.cell, there, action)
            if after is None or len(path) + presses > MOST_TICKS:
                continue
            if not after.is_over and (seen := _others(after)).tobytes() == known:
                queue.append(_Reached(after, there))
            elif not after.is_over and not _only_vanished(seen, others):
                continue
            ways[there] = path + [action] * presses
    return ways


class _Reached(NamedTuple):
    state: StateObservation
    cell: Cell


def avatar_cell(state: StateObservation) -> Cell | None:
    """Column and row of the avatar's cell; None if it is gone or the game is over."""
    avatar = state.avatar
    if avatar is None or state.is_over or not avatar.is_alive:
        return None
    x, y = avatar.position
    return x // state.block_size, y // state.block_size


def target_of(state: StateObservation, key: Action) -> Cell | None:
    """The cell that a key leads to; None for a key that is no direction, or if the avatar is gone."""
    here = avatar_cell(state)
    step = dict(_WAYS).get(key)
    return (here[0] + step[0], here[1] + step[1]) if here and step else None


def _push(state: StateObservation, here: Cell, there: Cell, keys: Collection[Action]) -> Path:
    """One push towards a neighbouring cell: the key once, or until an avatar that turns or is slow has moved."""
    action = next(action for action, (x, y) in _WAYS if (here[0] + x, here[1] + y) == there)
    if action not in keys:
        return []
    after, presses = _step(state, here, there, action)
    return [action] * (presses if after is not None else 1)


def _step(state: StateObservation, here: Cell, there: Cell, action: Action) -> tuple[StateObservation | None, int]:
    """Press a key until the avatar is in the next cell or the game is won; None if it does not get there."""
    after = state.copy(history=False)
    for presses in range(1, MOST_PRESSES + 1):
        before = after.avatar
        after.advance(action)
        if after.is_over:
            return (after if after.winner == 1 else None), presses
        now = avatar_cell(after)
        if now == there:
            return after, presses
        avatar = after.avatar
        if now != here or avatar is None or before is None:
            break
        if avatar._replace(last_action=action) == before._replace(last_action=action):  # it did not even turn
            break
    return None, 0


def _others(state: StateObservation) -> NDArray[np.void]:
    """The visible sprites but the avatar."""
    avatar = state.avatar
    rows = state.arrays
    kept: NDArray[np.void] = rows[rows["id"] != avatar.id] if avatar else rows
    return kept


def _only_vanished(after: NDArray[np.void], before: NDArray[np.void]) -> bool:
    """Whether all sprites that are there now were there before, at the same places."""
    places = zip(before["type"].tolist(), before["x"].tolist(), before["y"].tolist(), strict=True)
    return set(places).issuperset(zip(after["type"].tolist(), after["x"].tolist(), after["y"].tolist(), strict=True))
