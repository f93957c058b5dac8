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

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vgdl.core.batch import advance_many, random_rollouts
from vgdl.core.data.layout import Action, Category, Winner
from vgdl.core.observation import Avatar, AvatarEvent, Observation
from vgdl.core.planes import Planes
from vgdl.core.state import Meter, StateObservation
from vgdl.language.errors import TruncatedGameWarning, VGDLError, VGDLRuntimeError, VGDLWarning

if TYPE_CHECKING:
    from vgdl.game import Board, Game, load, loads

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

_READS_GAMES = frozenset(("Board", "Game", "load", "loads"))
"""Names of the module with the compiler, which is imported when one is used: processes of controllers need none."""


def __getattr__(name: str) -> Any:
    if name in _READS_GAMES:
        value = getattr(import_module("vgdl.game"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
