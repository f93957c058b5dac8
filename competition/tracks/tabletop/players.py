"""Players of turn-based games by name, and the adapter that calls one in its isolated process."""

from __future__ import annotations

import inspect
from typing import Any

from vgdl.competition.agents.plain_data import MAX_INTEGER
from vgdl.competition.agents.service import Method, Service, integer
from vgdl.controllers.tabletop import ISMCTS, MCTS, AlphaBeta
from vgdl.registry import Entry, Registry
from vgdl.tabletop import Player, load

_MODULE = "vgdl.controllers.tabletop"

PLAYERS: Registry[Player] = Registry(
    "player",
    [
        Entry("mcts", "MCTS", _MODULE, "MCTS"),
        Entry("alphabeta", "AlphaBeta", _MODULE, "AlphaBeta"),
        Entry("ismcts", "ISMCTS", _MODULE, "ISMCTS"),
        Entry("random", "Random", _MODULE, "RandomPlayer"),
    ],
    base=Player,
    methods=("step(self, state)",),
    group="vgdl.tabletop.players",
    example="my_player.py:MyPlayer",
    needs_base=False,
)


def service(milliseconds: float) -> Service:
    """What can be called: one method, whose answer is an action.

    Args:
        milliseconds: of CPU time per move.
    """
    step = Method(milliseconds, integer(0, MAX_INTEGER), ("state",))
    return Service(adapter=f"{__name__}:Adapter", methods={"step": step})


class Adapter:
    """Runs in the isolated process, where it imports the game and the player."""

    def __init__(self, entry: Entry, meter: object, *, game: str, simulations: int, seed: int) -> None:
        self._game: Any = load(game)
        self._player = player(entry, simulations, seed)

    def step(self, *, state: str, timer: object) -> int:
        """The player's action in a state, given as ``State.serialize`` writes it."""
        return int(self._player.step(self._game.deserialize_state(state)))


def player(entry: Entry, simulations: int, seed: int) -> Player:
    """Construct a player: a search of this package with a budget, any other with the seed if it takes one."""
    found: Any = PLAYERS.load(entry)
    if found is AlphaBeta:
        return AlphaBeta(nodes=simulations)
    if found in (MCTS, ISMCTS):
        search: Player = found(simulations=simulations, rollouts=1, seed=seed)
        return search
    takes_seed = "seed" in inspect.signature(found).parameters
    constructed: Player = found(seed=seed) if takes_seed else found()
    return constructed
