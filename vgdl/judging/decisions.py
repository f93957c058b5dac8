"""How often a winning play had to decide: one action keeps the win, another one loses it (generation, 3)."""

from __future__ import annotations

from vgdl import Action
from vgdl.core.state import StateObservation
from vgdl.game import Board
from vgdl.judging.exploring import Exploration
from vgdl.judging.plays import Played, outcome_of, seed_of

FUTURES = 25
HORIZON = 30  #: ticks
MOST_TICKS = 40  #: of a play, evenly spaced, are looked at


def decisions(board: Board, played: Played, exploration: Exploration) -> float:
    """The share of ticks at which at least one action keeps the win and at least one loses it.

    In a certain game whose states were all explored, an action loses the win if no win can be reached any more. In
    other games, it does if most of 25 random futures are lost within 30 ticks.

    Args:
        board: the level.
        played: a winning play on it.
        exploration: of the level's first state.
    """
    step = max(1, len(played.actions) // MOST_TICKS)
    state = board.start(played.seed)
    looked_at = deciding = 0
    for tick, actions in enumerate(played.actions):
        if tick % step == 0 and not state.is_over:
            looked_at += 1
            kept = [_keeps(state, action, exploration) for action in (*state.available_actions, Action.NIL)]
            deciding += any(kept) and not all(kept)
        state.advance(actions)
    return deciding / looked_at if looked_at else 0.0


def _keeps(state: StateObservation, action: Action, exploration: Exploration) -> bool:
    """Whether the win is still within reach after an action."""
    if exploration.exhausted:
        child = state.copy(history=False)
        child.advance(action)
        return child.key() in exploration.winning
    lost = 0
    for number in range(FUTURES):
        future = state.copy(seed=seed_of("future", state.tick, int(action), number), history=False)
        future.advance(action)
        future.random_rollout(HORIZON, seed_of("rollout", state.tick, int(action), number))
        lost += outcome_of(future) == "lost"
    return 2 * lost <= FUTURES
