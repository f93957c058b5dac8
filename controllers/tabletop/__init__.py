"""Searches for turn-based games, written once for all of them: MCTS, information set MCTS, alpha-beta.

Each is a ``pyspiel.Bot`` in that it has ``step(state)``; ``search(state)`` returns details. They play any game that
keeps the protocol of `vgdl.tabletop`, under a budget of time or, repeatably, of work.

>>> from vgdl.controllers.tabletop import PLAYERS
>>> list(PLAYERS)
['random', 'mcts', 'ismcts', 'alphabeta']
"""

from vgdl.controllers.tabletop.alphabeta import AlphaBeta
from vgdl.controllers.tabletop.answers import Candidate
from vgdl.controllers.tabletop.ismcts import ISMCTS
from vgdl.controllers.tabletop.mcts import MCTS
from vgdl.controllers.tabletop.players import PLAYERS, make
from vgdl.controllers.tabletop.random_player import RandomPlayer

__all__ = ["ISMCTS", "MCTS", "PLAYERS", "AlphaBeta", "Candidate", "RandomPlayer", "make"]
