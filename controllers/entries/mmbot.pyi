"""MMbot: MCTS over macro-actions, with friends and foes (The 2014 GVGP Competition, section V)."""

from typing import Unpack

from typing_extensions import disjoint_base

from vgdl import Action, StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import TreeController, TreeOptions
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.sprite_distances import TypeValues
from vgdl.controllers.search.tree import OpenLoopUCT

@disjoint_base
class MacroUCT(OpenLoopUCT):
    """Open-loop UCT over actions held for several ticks."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        exploration: float,
        proximity_weight: float,
        type_values: TypeValues,
    ) -> None: ...
    def prepare(self, length: int, rest: int, under_way: int) -> None: ...

class MMbot(TreeController):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        longest: int = ...,
        proximity_weight: float = ...,
        rate: float = ...,
        **options: Unpack[TreeOptions],
    ) -> None: ...
    def act(self, state: StateObservation, timer: Timer) -> Action: ...
