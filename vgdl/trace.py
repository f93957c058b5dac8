"""Tick-by-tick records of plays, in the format for comparing engines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from vgdl import Action
from vgdl.core.observation import record_tuples
from vgdl.core.state import StateObservation
from vgdl.game import load


def record(state: StateObservation, *, final: bool = False) -> dict[str, Any]:
    """A record of a state, with everything that is compared between engines.

    Args:
        state: the state to record.
        final: use the final scores: at least 1 for a winner, -1000 without an avatar (engine, 7.10).

    Returns:
        A dictionary with the keys ``t`` (tick), ``rng`` (48-bit state of the generator), ``score`` and ``win`` (per
        player, None if its avatar is gone), ``counters`` and ``sprites``: tuples (id, type, x, y, w, h, orientation_x,
        orientation_y, speed, health, disabled, {resource type: amount}), positions and sizes in pixels.
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

    Args:
        game_path: path of the game file.
        level_path: path of the level file.
        seed: seed of the play.
        actions: per tick, the action name of each player; None for a player that was not asked for one.

    Raises:
        VGDLError: the game or level cannot be read.
        VGDLRuntimeError: the game cannot continue.
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
