"""The state value shared by the sample controllers of 2014."""

from typing import Final

from vgdl import StateObservation

WIN_VALUE: Final = 1e7
LOST: Final = 0
WON: Final = 1

def state_value(state: StateObservation, player: int = 0) -> float: ...
