"""Surround: two walls grow on a grid, and a player who runs into one loses (GAMEBoT specification, 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vgdl.tabletop.game import ChanceMode, Dynamics, GameType
from vgdl.tabletop.plain import PlainGame, PlainState
from vgdl.tabletop.protocols import SIMULTANEOUS, TERMINAL

ROWS, COLUMNS = 20, 40
STARTS = ((10, 30), (10, 10))  #: row and column of players 0 and 1
UP, DOWN, LEFT, RIGHT = range(4)
DIRECTIONS = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}
NAMES = ("Move Up", "Move Down", "Move Left", "Move Right")
EMPTY, WALL = 0, 1
LAST = (4, 2)  #: values of the cells that players 0 and 1 have just left
CURRENT = (5, 3)  #: values of the cells that players 0 and 1 are in
FIRST_DIRECTIONS = (LEFT, RIGHT)  #: directions that players 0 and 1 face at the start


class Surround(PlainGame):
    """Surround on 20 by 40 cells with a border of walls. Both players move at once."""

    type = GameType(
        "surround",
        "Surround",
        dynamics=Dynamics.SIMULTANEOUS,
        chance_mode=ChanceMode.DETERMINISTIC,
        provides_observation_tensor=False,
    )

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Surround:
        """The game; it has no parameters.

        Raises:
            ValueError: parameters were given.
        """
        if parameters:
            raise ValueError("surround has no parameters")
        return cls()

    def new_initial_state(self) -> SurroundState:
        return SurroundState(self)

    def num_distinct_actions(self) -> int:
        return len(DIRECTIONS)

    def max_game_length(self) -> int:
        return (ROWS - 2) * (COLUMNS - 2) // 2

    def get_parameters(self) -> dict[str, Any]:
        return {}


class SurroundState(PlainState):
    """A position of Surround.

    Every visited cell becomes a wall. A player who moves into a non-empty cell loses; if both do, if both move into the
    same cell, or if they swap places, it is a draw.
    """

    def __init__(self, game: Surround) -> None:
        super().__init__(game)
        self._cells = [
            WALL if row in (0, ROWS - 1) or column in (0, COLUMNS - 1) else EMPTY
            for row in range(ROWS)
            for column in range(COLUMNS)
        ]
        self._traces: list[tuple[tuple[int, int], ...]] = [(start,) for start in STARTS]
        self._facing = list(FIRST_DIRECTIONS)
        self._returns: tuple[float, float] | None = None
        for player, (row, column) in enumerate(STARTS):
            self._cells[row * COLUMNS + column] = CURRENT[player]

    def current_player(self) -> int:
        return SIMULTANEOUS if self._returns is None else TERMINAL

    def returns(self) -> list[float]:
        return list(self._returns or (0.0, 0.0))

    def cell(self, row: int, column: int) -> int:
        """The value of a cell; -1 outside the grid."""
        return self._cells[row * COLUMNS + column] if 0 <= row < ROWS and 0 <= column < COLUMNS else -1

    def grid(self) -> list[list[int]]:
        """The values of all cells, row by row."""
        return [self._cells[row * COLUMNS : (row + 1) * COLUMNS] for row in range(ROWS)]

    def trace(self, player: int) -> tuple[tuple[int, int], ...]:
        """The cells that a player has visited, in order, up to its current one."""
        return self._traces[player]

    def facing(self, player: int) -> int:
        """The direction of a player's last move; at the start, towards the opponent."""
        return self._facing[player]

    def _moves(self, player: int) -> list[int]:
        return list(DIRECTIONS)

    def _play(self, actions: Sequence[int]) -> None:
        targets = []
        for player, action in enumerate(actions):
            row, column = self._traces[player][-1]
            down, right = DIRECTIONS[action]
            targets.append((row + down, column + right))
        self._facing = list(actions)
        crashed = [self.cell(*target) != EMPTY for target in targets]
        if targets[0] == targets[1] or all(crashed):  # if they swap places, both move into a non-empty cell
            self._returns = (0.0, 0.0)
        elif any(crashed):
            self._returns = (-1.0, 1.0) if crashed[0] else (1.0, -1.0)
        else:
            for player, target in enumerate(targets):
                self._advance(player, target)

    def _advance(self, player: int, target: tuple[int, int]) -> None:
        trace = self._traces[player]
        if len(trace) > 1:
            self._cells[trace[-2][0] * COLUMNS + trace[-2][1]] = WALL
        self._cells[trace[-1][0] * COLUMNS + trace[-1][1]] = LAST[player]
        self._cells[target[0] * COLUMNS + target[1]] = CURRENT[player]
        self._traces[player] = (*trace, target)

    def _words(self, player: int, action: int) -> str:
        return NAMES[action]

    def observation_string(self, player: int) -> str:
        return str(self)

    def __str__(self) -> str:
        return "\n".join("".join(".#bBaA"[value] for value in row) for row in self.grid())
