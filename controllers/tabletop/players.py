"""Players of turn-based games by name."""

from __future__ import annotations

from collections.abc import Callable

from vgdl.controllers.tabletop.alphabeta import AlphaBeta
from vgdl.controllers.tabletop.ismcts import ISMCTS
from vgdl.controllers.tabletop.mcts import MCTS
from vgdl.controllers.tabletop.random_player import RandomPlayer
from vgdl.language import suggestion
from vgdl.tabletop.protocols import Player, TurnBasedGame

Maker = Callable[[float, int | None], Player]  #: of milliseconds per move and a seed

PLAYERS: dict[str, Maker] = {  #: by name
    "random": lambda milliseconds, seed: RandomPlayer(seed=seed),
    "mcts": lambda milliseconds, seed: MCTS(milliseconds=milliseconds, rollouts=1, seed=seed),
    "ismcts": lambda milliseconds, seed: ISMCTS(milliseconds=milliseconds, rollouts=1, seed=seed),
    "alphabeta": lambda milliseconds, seed: AlphaBeta(milliseconds=milliseconds),
}


SEE_ALL = ("mcts", "alphabeta")
"""Players that search the true state, and so would see what is hidden from them."""


def make(
    name: str, *, milliseconds: float = 1000.0, seed: int | None = None, game: TurnBasedGame | None = None
) -> Player:
    """A player by its name, in any case, that thinks so long per move.

    >>> from vgdl import tabletop
    >>> from vgdl.controllers.tabletop import make
    >>> player = make("random", seed=1)
    >>> player.step(tabletop.load("othello(size=4)").new_initial_state()) in (1, 4, 11, 14)
    True

    Args:
        name: its name.
        milliseconds: CPU time per move.
        seed: of its random numbers.
        game: what it is to play, if that is known.

    Raises:
        LookupError: there is none of this name; with the nearest there is.
        ValueError: it would see the hidden information of the game.
    """
    if name.lower() in SEE_ALL and game is not None and game.get_type().information.name == "IMPERFECT_INFORMATION":
        raise ValueError(
            f"{name.lower()} searches the true state of {game.get_type().short_name}, hidden information included: "
            "use ismcts"
        )
    if name.lower() in PLAYERS:
        return PLAYERS[name.lower()](milliseconds, seed)
    hint = suggestion(name, PLAYERS)
    raise LookupError(f"no player of turn-based games is called {name!r}{hint}. There are {', '.join(PLAYERS)}")
