"""The state value shared by the sample controllers of 2014."""

import cython
from cython.cimports.vgdl.core.api import score, winner
from cython.cimports.vgdl.core.data.layout import PLAYER_LOSES, PLAYER_WINS
from cython.cimports.vgdl.core.state import StateObservation

WIN_VALUE = 1e7
"""Value of a won game; a lost one has the negative value. Exceeds any score."""

LOST, WON = 0, 1  # winners

_WIN_VALUE = cython.declare(cython.double, WIN_VALUE)


def state_value(state: StateObservation, player: cython.int = 0) -> cython.double:
    """Value of a state to a player: ±``WIN_VALUE`` once the game is won or lost, otherwise the score (paper, V)."""
    decided: cython.int = winner(state, player)
    if decided == PLAYER_WINS:
        return _WIN_VALUE
    if decided == PLAYER_LOSES:
        return -_WIN_VALUE
    return score(state, player)
