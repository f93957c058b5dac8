"""General video game playing: games written in VGDL, a fast copyable forward model, controllers, a competition.

>>> import vgdl
>>> state = vgdl.load("aliens").start(level=0, seed=7)
>>> while not state.is_over:
...     state.advance(vgdl.Action.USE)
>>> state.tick, state.score, state.winner
(163, 7.0, <Winner.PLAYER_LOSES: 0>)
>>> vgdl.__version__.count(".")
2
"""

from vgdl.core.batch import advance_many, random_rollouts
from vgdl.core.data.layout import Action, Category, Winner
from vgdl.core.observation import Avatar, AvatarEvent, Observation
from vgdl.core.planes import Planes
from vgdl.core.state import Meter, StateObservation
from vgdl.game import Board, Game, load, loads
from vgdl.language import TruncatedGameWarning, VGDLError, VGDLRuntimeError, VGDLWarning

__version__ = "1.0.0rc1"

__all__ = [
    "Action",
    "Avatar",
    "AvatarEvent",
    "Board",
    "Category",
    "Game",
    "Meter",
    "Observation",
    "Planes",
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
