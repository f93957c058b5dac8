"""How good a state is, in the measure that the sample controllers of 2014 share."""

from typing import Final

from vgdl import StateObservation

WIN_VALUE: Final = 1e7
LOST: Final = 0
WON: Final = 1

def state_value(state: StateObservation, player: int = 0) -> float: ...
