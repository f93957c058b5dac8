"""General video game playing: games written in VGDL, a fast copyable forward model, controllers, a competition."""

from vgdl.core.batch import advance_many, random_rollouts
from vgdl.core.data.layout import Action, Category, Winner
from vgdl.core.state import Meter, StateObservation
from vgdl.game import Board, Game, load, loads
from vgdl.language import TruncatedGameWarning, VGDLError, VGDLRuntimeError, VGDLWarning

__version__ = "0.2.0"

__all__ = [
    "Action",
    "Board",
    "Category",
    "Game",
    "Meter",
    "StateObservation",
    "TruncatedGameWarning",
    "VGDLError",
    "VGDLRuntimeError",
    "VGDLWarning",
    "Winner",
    "__version__",
    "advance_many",
    "load",
    "loads",
    "random_rollouts",
]
