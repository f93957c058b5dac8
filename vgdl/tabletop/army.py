"""Army chess on 5×5 cells, ``army5x5a`` of the code world model paper (code world models, 9.3).

Every move is a leap by one of a piece's offsets, onto an empty cell or an opponent's piece, which is captured. The
player who captures the general wins. The start, mirrored offsets, when to pass, and the limit of 100 plies are not in
the paper; they are the specification's choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vgdl.tabletop.game import GameType
from vgdl.tabletop.plain import PlainGame, PlainState
from vgdl.tabletop.protocols import TERMINAL

SIDE = 5
CELLS = SIDE * SIDE
PASS = CELLS * CELLS  #: other actions are 25 times the cell of origin plus the target cell
MOST_PLIES = 100
START = "VIXIV" + "." * 15 + "vixiv"  #: row A first; player 0 has upper case
OFFSETS = {  #: rows and columns of a leap, for player 0; player 1's rows are negated
    "X": ((1, 0), (-1, 0), (0, 1), (0, -1), (0, -2), (0, 2)),
    "I": ((1, 0), (2, 0), (1, -1), (1, 1), (-1, 0)),
    "V": ((0, 3), (1, 2), (2, 1), (3, 0)),
}


class Army(PlainGame):
    """Army chess for two players."""

    type = GameType("army5x5a", "Army chess 5x5", provides_observation_tensor=False)

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Army:
        """The game; it has no parameters.

        Raises:
            ValueError: parameters were given.
        """
        if parameters:
            raise ValueError("army5x5a has no parameters")
        return cls()

    def new_initial_state(self) -> ArmyState:
        return ArmyState(self)

    def num_distinct_actions(self) -> int:
        return PASS + 1

    def max_game_length(self) -> int:
        return MOST_PLIES

    def get_parameters(self) -> dict[str, Any]:
        return {}


class ArmyState(PlainState):
    """A position of army chess."""

    def __init__(self, game: Army) -> None:
        super().__init__(game)
        self._cells = START
        self._plies = 0
        self._winner: int | None = None

    def current_player(self) -> int:
        over = self._winner is not None or self._plies >= MOST_PLIES
        return TERMINAL if over else self._plies % 2

    def returns(self) -> list[float]:
        return [0.0, 0.0] if self._winner is None else [1.0 - 2.0 * self._winner, 2.0 * self._winner - 1.0]

    def _moves(self, player: int) -> list[int]:
        """Leaps of the player's pieces; passing is legal only if there are none."""
        forward = 1 - 2 * player
        found = []
        for cell, piece in enumerate(self._cells):
            if not _belongs(piece, player):
                continue
            for down, right in OFFSETS[piece.upper()]:
                row, column = cell // SIDE + forward * down, cell % SIDE + right
                target = SIDE * row + column
                inside = 0 <= row < SIDE and 0 <= column < SIDE
                if inside and not _belongs(self._cells[target], player):
                    found.append(CELLS * cell + target)
        return sorted(found) or [PASS]

    def _play(self, actions: Sequence[int]) -> None:
        if actions[0] != PASS:
            origin, target = divmod(actions[0], CELLS)
            if self._cells[target].upper() == "X":
                self._winner = self._plies % 2
            cells = list(self._cells)
            cells[target], cells[origin] = cells[origin], "."
            self._cells = "".join(cells)
        self._plies += 1

    def _words(self, player: int, action: int) -> str:
        """Such as ``A2_to_C2``, or ``PASS``."""
        if action == PASS:
            return "PASS"
        return "_to_".join(f"{chr(ord('A') + cell // SIDE)}{cell % SIDE + 1}" for cell in divmod(action, CELLS))

    def observation_string(self, player: int) -> str:
        return str(self)

    def to_struct(self) -> dict[str, Any]:
        """The position as JSON values; each player sees all of it."""
        rows = [self._cells[SIDE * row : SIDE * (row + 1)] for row in range(SIDE)]
        return {"board": rows, "ply": self._plies, "current_player": self.current_player()}

    def to_observation_struct(self, player: int) -> dict[str, Any]:
        """Same as `to_struct`."""
        return self.to_struct()

    def __str__(self) -> str:
        rows = [f"{chr(ord('A') + row)} {' '.join(self._cells[SIDE * row : SIDE * (row + 1)])}" for row in range(SIDE)]
        return "\n".join(["  1 2 3 4 5", *rows, f"ply {self._plies}"])


def _belongs(piece: str, player: int) -> bool:
    """Whether a cell contains a piece of a player."""
    return piece != "." and piece.isupper() == (player == 0)
