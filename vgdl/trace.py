"""Tick-by-tick records of plays, in the format used to compare engines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from vgdl.core.data.layout import Action
from vgdl.core.observation import record_tuples
from vgdl.core.state import StateObservation
from vgdl.game import load


def record(state: StateObservation, *, final: bool = False) -> dict[str, Any]:
    """Everything about a state by which engines are compared.

    Keys: ``t`` (tick), ``rng`` (48-bit state of the generator), ``score`` and ``win`` (per player, None if its
    avatar is gone), ``counters``, ``sprites``: tuples (id, type, x, y, w, h, orientation_x, orientation_y, speed,
    health, disabled, {resource type: amount}).
    ``final`` applies the final scores: a winner has at least 1 (engine, 7.10).
    """
    present = state.present
    scores = [score if here else None for score, here in zip(state.scores, present, strict=True)]
    winners = [int(winner) if here else None for winner, here in zip(state.winners, present, strict=True)]
    if final:
        scores = list(state.final_scores)
    return {
        "t": state.tick,
        "rng": state.generator,
        "score": scores,
        "win": winners,
        "counters": list(state.counters),
        "sprites": record_tuples(state),
    }


def replay(
    game_path: str | os.PathLike[str],
    level_path: str | os.PathLike[str],
    seed: int,
    actions: Sequence[Sequence[str | None]],
) -> Iterator[dict[str, Any]]:
    """Play a list of actions and yield the record of every state, the final one last.

    ``actions`` has, per tick, the action name of each player, None for a player who was not asked. Raises
    VGDLRuntimeError if the game cannot continue, VGDLError if it cannot be read.
    """
    game = load(game_path)
    state = game.start(level=level_path, seed=seed)
    for names in actions:
        yield record(state)
        state.advance(tuple(Action.NIL if name is None else Action[name] for name in names))
        error = game.runtime_error(state)
        if error is not None:
            raise error
        if state.is_over:
            break
    yield record(state, final=state.is_over)
