"""Small helpers for tests that set a scene of a bundled game up and watch what happens."""

from __future__ import annotations

import vgdl
from vgdl import Action, StateObservation


def start(name: str, *rows: str, seed: int = 1) -> StateObservation:
    """A bundled game on a level given by its rows."""
    return vgdl.load(name).start(level="\n".join(rows) + "\n", seed=seed)


def where(state: StateObservation, *names: str) -> list[tuple[float, float]]:
    """The places of all sprites of some types, as (column, row), in drawing order."""
    looks, block = state.game.looks, state.block_size
    return [(x / block, y / block) for kind, x, y, *_ in state._drawing() if looks[kind].name in names]


def play(state: StateObservation, actions: str) -> None:
    """Play actions given by their names, separated by blanks; nothing more once the game is over."""
    for action in actions.split():
        state.advance(Action[action])


def wait(state: StateObservation, most: int = 300) -> None:
    """Do nothing until the game is over, or for a number of ticks."""
    for _ in range(most):
        if state.is_over:
            return
        state.advance(Action.NIL)
