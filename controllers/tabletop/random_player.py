"""Uniformly random play: the bar that everything has to clear."""

from __future__ import annotations

from random import Random
from typing import Any


class RandomPlayer:
    """Plays uniformly random legal actions.

    >>> from vgdl import tabletop
    >>> from vgdl.controllers.tabletop import RandomPlayer
    >>> state = tabletop.load("othello(size=4)").new_initial_state()
    >>> state.action_to_string(RandomPlayer(seed=1).step(state))
    'a2'
    """

    def __init__(self, *, seed: int | None = None) -> None:
        """Draw from a generator seeded with ``seed``, or from an unpredictable one."""
        self.random = Random(seed)

    def step(self, state: Any) -> int:
        """An action, as a ``pyspiel.Bot`` would answer."""
        return int(self.random.choice(state.legal_actions()))
