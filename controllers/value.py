"""How good a state is, in the measure that the sample controllers of 2014 share."""

from __future__ import annotations

from vgdl import StateObservation

WIN_VALUE = 1e7
"""Value of a won game, and with the sign turned of a lost one: beyond any score."""

LOST, WON = 0, 1


def state_value(state: StateObservation, player: int = 0) -> float:
    """Value of a state to a player: ±``WIN_VALUE`` once the game is won or lost, otherwise the score (paper, V)."""
    winner = state.winners[player]
    if winner == WON:
        return WIN_VALUE
    if winner == LOST:
        return -WIN_VALUE
    return state.scores[player]
