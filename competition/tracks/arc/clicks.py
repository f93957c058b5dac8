"""What a click does (spec, 6.5): plain VGDL avatars know keys only."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import NamedTuple

from vgdl import Action, StateObservation

Cell = tuple[int, int]  #: column, row

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


def path_to(state: StateObservation, cell: Cell, keys: Collection[Action]) -> list[Action]:
    """The keys that bring the avatar to a cell, on a shortest path over cells that it can enter as things are now.

    A step that changes anything but the avatar is taken only as the last one; onto a neighbouring cell it may even push
    something, elsewhere it must not.

    Returns:
        The keys, at most `MOST_TICKS`; empty if there is no way.
    """
    here = avatar_cell(state)
    if here is None or here == cell:
        return []
    adjacent = abs(here[0] - cell[0]) + abs(here[1] - cell[1]) == 1
    if adjacent:
        return _presses(state, here, cell, keys)
    others = _others(state)
    queue = deque([_Reached(state, here, [])])
    seen = {here}
    while queue:
        reached = queue.popleft()
        for action, (right, down) in _WAYS:
            there = reached.cell[0] + right, reached.cell[1] + down
            if action not in keys or there in seen:
                continue
            after, presses = _step(reached.state, reached.cell, there, action)
            if after is None or len(reached.path) + presses > MOST_TICKS:
                continue
            path = reached.path + [action] * presses
            if there == cell and (after.is_over or _moved_nothing(after, others)):
                return path
            if after.is_over or _others(after) != others:
                continue
            seen.add(there)
            queue.append(_Reached(after, there, path))
    return []


class _Reached(NamedTuple):
    state: StateObservation
    cell: Cell
    path: list[Action]


def avatar_cell(state: StateObservation) -> Cell | None:
    """Column and row of the avatar's cell; None if it is gone or the game is over."""
    avatar = state.avatar
    if avatar is None or state.is_over or not avatar.is_alive:
        return None
    x, y = avatar.position
    return x // state.block_size, y // state.block_size


def _presses(state: StateObservation, here: Cell, there: Cell, keys: Collection[Action]) -> list[Action]:
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
        if now != here or after.avatar._replace(last_action=action) == before._replace(last_action=action):
            break
    return None, 0


def _others(state: StateObservation) -> set[tuple[int, int, int]]:
    """Type and place of every visible sprite but the avatar."""
    avatar = state.avatar
    own = avatar.id if avatar else -1
    rows = state.arrays
    kept = rows[rows["id"] != own]
    return set(zip(kept["type"].tolist(), kept["x"].tolist(), kept["y"].tolist(), strict=True))


def _moved_nothing(after: StateObservation, others: set[tuple[int, int, int]]) -> bool:
    """Whether sprites have only vanished."""
    return _others(after) <= others
