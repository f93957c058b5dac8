"""Short plays of the bundled games, for the tests of their rules.

A test draws a small level in the letters of the game, plays a few actions, and looks where the sprites are::

    state = play("sokoban", ["xxxxxx", "xA$.ox", "xxxxxx"], "RIGHT")
    assert where(state, "box") == [(3, 1)]
"""

from __future__ import annotations

from collections.abc import Sequence

import vgdl
from vgdl import Action, StateObservation, render


def start(game: str, rows: Sequence[str], seed: int = 1) -> StateObservation:
    """The first state of a bundled game on a level of ``rows``."""
    return vgdl.load(game).start(level="\n".join(rows) + "\n", seed=seed)


def play(game: str, rows: Sequence[str], actions: str = "", seed: int = 1) -> StateObservation:
    """The state after some actions, given by their names, separated by blanks."""
    return go(start(game, rows, seed), actions)


def go(state: StateObservation, actions: str) -> StateObservation:
    """Advance a state by some actions; returns the same state."""
    for name in actions.split():
        state.advance(Action[name])
    return state


def wait(state: StateObservation, most: int = 300) -> StateObservation:
    """The same state after doing nothing for a number of ticks, or until the game is over."""
    state.rollout([Action.NIL] * most)
    return state


def where(state: StateObservation, *names: str) -> list[tuple[float, float]]:
    """The places of all sprites of some types, as (column, row), in drawing order; the dead avatar is not drawn."""
    looks, block = state.game.looks, state.block_size
    return [(x / block, y / block) for kind, x, y, *_ in render.sprites(state) if looks[kind].name in names]


def distances(rows: Sequence[str], start: tuple[int, int], walls: str) -> dict[tuple[int, int], int]:
    """The steps to every cell of a level, as (column, row), that can be walked to; ``walls``: letters in the way."""
    found = {start: 0}
    todo = [start]
    for column, row in todo:  # grows while it is walked
        for cell in ((column, row - 1), (column - 1, row), (column, row + 1), (column + 1, row)):
            if cell not in found and rows[cell[1]][cell[0]] not in walls:
                found[cell] = found[column, row] + 1
                todo.append(cell)
    return found


def place(rows: Sequence[str], letter: str) -> tuple[int, int]:
    """The first place of a letter in a level, as (column, row)."""
    return next((row.index(letter), number) for number, row in enumerate(rows) if letter in row)


def levels(game: str) -> list[list[str]]:
    """The rows of every level of a bundled game."""
    return [file.read_text(encoding="ascii").splitlines() for file in vgdl.load(game).levels]
