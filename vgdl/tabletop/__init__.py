"""Turn-based games in addition to VGDL: Othello with its variants, and every game of OpenSpiel.

>>> from vgdl import tabletop
>>> game = tabletop.load("othello(stage=csquares,ignore_occlusion=true)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.legal_actions()[0])
>>> state.action_to_string(state.legal_actions()[0])
'c3'
>>> state.current_player() in (tabletop.CHANCE, tabletop.SIMULTANEOUS, tabletop.INVALID, tabletop.TERMINAL)
False

Games and states have OpenSpiel's methods, which `TurnBasedGame` and `State` declare. `vgdl.controllers.tabletop`
contains searches that play any of them.
"""

from vgdl.tabletop.functions import apply, apply_all, ground_truth, key, observe, play, sample_chance
from vgdl.tabletop.game import ChanceMode, Dynamics, GameType, Information, RewardModel, Utility
from vgdl.tabletop.loading import UnknownGame, load, names
from vgdl.tabletop.plain import PlainGame, PlainState
from vgdl.tabletop.protocols import (
    CHANCE,
    INVALID,
    SIMULTANEOUS,
    TERMINAL,
    IllegalAction,
    Player,
    State,
    TurnBasedGame,
)  # fmt: skip

__all__ = [
    "CHANCE",
    "INVALID",
    "SIMULTANEOUS",
    "TERMINAL",
    "ChanceMode",
    "Dynamics",
    "GameType",
    "IllegalAction",
    "Information",
    "PlainGame",
    "PlainState",
    "Player",
    "RewardModel",
    "State",
    "TurnBasedGame",
    "UnknownGame",
    "Utility",
    "apply",
    "apply_all",
    "ground_truth",
    "key",
    "load",
    "names",
    "observe",
    "play",
    "sample_chance",
]
