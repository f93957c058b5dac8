"""The effect of clicks (spec, 6.5): plain VGDL avatars understand only keys."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vgdl import Action, StateObservation

Cell = tuple[int, int]  #: column, row
Path = list[Action]

MOST_TICKS = 100  #: maximum length of a walk
MOST_PLACES = 2000  #: maximum number of places whose steps are cached
MOST_PRESSES = 4  #: maximum presses of a key per cell: some avatars turn first, and some are slow

_WAYS: tuple[tuple[Action, Cell], ...] = (
    (Action.RIGHT, (1, 0)),
    (Action.LEFT, (-1, 0)),
    (Action.DOWN, (0, 1)),
    (Action.UP, (0, -1)),
)


def key_towards(state: StateObservation, cell: Cell, keys: Collection[Action]) -> Action:
    """The key for a click of one tick: towards the cell, USE on the avatar's own cell, NIL if there is none.

    Axes for which the avatar has no key are ignored.

    Args:
        state: a state of a running game.
        cell: the clicked cell.
        keys: keys of the game.
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


class Walks:
    """The cells that the avatar of a game can reach. The effect of a key in a state is simulated once."""

    def __init__(self, keys: Collection[Action]) -> None:
        """Remember the keys of the game."""
        self._keys = keys
        self._places: dict[int, _Place] = {}
        self._ways: dict[int, dict[Cell, Path]] = {}

    def clear(self) -> None:
        """Clear the cache of simulated steps."""
        self._places.clear()
        self._ways.clear()

    def path(self, state: StateObservation, cell: Cell) -> Path:
        """The keys that take the avatar to a cell; empty if there is no path.

        If the avatar has to push something to move to a neighbouring cell, the click does only that.

        Args:
            state: a state of a running game.
            cell: the clicked cell.
        """
        here = avatar_cell(state)
        if here is not None and abs(here[0] - cell[0]) + abs(here[1] - cell[1]) == 1:
            return self._push(state, here, cell)
        return self.ways(state).get(cell, [])

    def ways(self, state: StateObservation) -> Mapping[Cell, Path]:
        """The shortest path to every cell that the avatar can reach from this state.

        On a path, nothing but the avatar may change. A step that makes other sprites vanish, or wins, ends the path; a
        step that moves or creates other sprites is not allowed. Paths have at most `MOST_TICKS` keys.
        """
        key = state.key()
        known = self._ways.get(key)
        if known is None:
            if len(self._places) >= MOST_PLACES:
                self.clear()
            known = self._ways[key] = self._explore(state, key)
        return known

    def _explore(self, state: StateObservation, key: int) -> dict[Cell, Path]:
        here = avatar_cell(state)
        if here is None:
            return {}
        ways: dict[Cell, Path] = {here: []}
        queue = deque([self._place(state.copy(history=False), here, key, _others(state))])
        while queue:
            place = queue.popleft()
            path = ways[place.cell]
            for action, (right, down) in _WAYS:
                there = place.cell[0] + right, place.cell[1] + down
                if action not in self._keys or there in ways:
                    continue
                step = place.steps.get(action)
                if step is None:
                    step = place.steps[action] = self._try(place, there, action)
                if not step.presses or len(path) + step.presses > MOST_TICKS:
                    continue
                if step.place is not None:
                    queue.append(step.place)
                ways[there] = path + [action] * step.presses
        return ways

    def _place(self, state: StateObservation, cell: Cell, key: int, others: NDArray[np.void]) -> _Place:
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = _Place(state, cell, others, {})
        return place

    def _try(self, place: _Place, there: Cell, action: Action) -> _Step:
        """Simulate a key in a place."""
        after, presses = _step(place.state, place.cell, there, action)
        if after is None:
            return _Step(0, None)
        if after.is_over:
            return _Step(presses, None)
        others = _others(after)
        if others.tobytes() == place.others.tobytes():
            return _Step(presses, self._place(after, there, after.key(), place.others))
        return _Step(presses if _only_vanished(others, place.others) else 0, None)

    def _push(self, state: StateObservation, here: Cell, there: Cell) -> Path:
        """One push towards a neighbouring cell: the key once, or until an avatar that turns or is slow has moved."""
        action = next(action for action, (x, y) in _WAYS if (here[0] + x, here[1] + y) == there)
        if action not in self._keys:
            return []
        after, presses = _step(state, here, there, action)
        return [action] * (presses if after is not None else 1)


class _Place(NamedTuple):
    """A state in which the avatar is about to make a step."""

    state: StateObservation
    cell: Cell
    others: NDArray[np.void]  #: the visible sprites but the avatar
    steps: dict[Action, _Step]  #: the steps tried so far


class _Step(NamedTuple):
    """The effect of a key in a place."""

    presses: int  #: presses of the key until the avatar is in the next cell; 0 if it does not get there
    place: _Place | None  #: None if a path ends with it


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
    """Whether all present sprites were at the same positions before."""
    places = zip(before["type"].tolist(), before["x"].tolist(), before["y"].tolist(), strict=True)
    return set(places).issuperset(zip(after["type"].tolist(), after["x"].tolist(), after["y"].tolist(), strict=True))
