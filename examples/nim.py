"""Nim, a turn-based game of one's own.

    vgdl-play examples/nim.py:Nim --controller mcts
    vgdl-play "examples/nim.py:Nim(heaps=4)"

Two players take turns; each removes one or more objects from one heap. The player who takes the last object wins.
"""

from collections.abc import Sequence
from typing import Any

from vgdl.tabletop import TERMINAL, GameType, PlainGame, PlainState


class Nim(PlainGame):
    """Heaps of 1, 3, 5, ... objects."""

    type = GameType("nim", "Nim")  # two players, zero-sum, perfect information, no chance

    def __init__(self, heaps: int = 3) -> None:
        if heaps < 1:
            raise ValueError("Nim has one heap or more")
        self.sizes = tuple(range(1, 2 * heaps, 2))
        self.largest = self.sizes[-1]

    def new_initial_state(self) -> "NimState":
        return NimState(self)

    def num_distinct_actions(self) -> int:
        return len(self.sizes) * self.largest

    def max_game_length(self) -> int:
        return sum(self.sizes)

    def get_parameters(self) -> dict[str, Any]:
        return {"heaps": len(self.sizes)}


class NimState(PlainState):
    """The heaps, and whose turn it is."""

    def __init__(self, game: Nim) -> None:
        super().__init__(game)
        self.largest = game.largest
        self.heaps = list(game.sizes)
        self.mover = 0

    def current_player(self) -> int:
        return self.mover if any(self.heaps) else TERMINAL

    def returns(self) -> list[float]:
        if any(self.heaps):
            return [0.0, 0.0]
        return [-1.0, 1.0] if self.mover == 0 else [1.0, -1.0]  # the player who would be next has lost

    def _moves(self, player: int) -> list[int]:
        """Actions are numbered by heap and count: heap * largest + count - 1."""
        return [heap * self.largest + count for heap, size in enumerate(self.heaps) for count in range(size)]

    def _play(self, actions: Sequence[int]) -> None:
        heap, count = divmod(actions[0], self.largest)
        self.heaps[heap] -= count + 1
        self.mover = 1 - self.mover

    def _words(self, player: int, action: int) -> str:
        heap, count = divmod(action, self.largest)
        return f"{count + 1} from heap {heap + 1}"

    def __str__(self) -> str:
        turn = "is to move" if any(self.heaps) else "has lost"
        return f"heaps: {' '.join(map(str, self.heaps))}; player {self.mover + 1} {turn}"
