"""Quadranto: players see only each other's quadrant, and win by moving onto the other (code world models, 9.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from vgdl.tabletop.game import ChanceMode, GameType, Information
from vgdl.tabletop.plain import PlainGame, PlainState
from vgdl.tabletop.protocols import CHANCE, TERMINAL, Uniform

SIDE = 4
MOST_MOVES = 20
NAMES = ("Left", "Right", "Up", "Down", "Stay")
STEPS = ((0, -1), (0, 1), (-1, 0), (1, 0), (0, 0))  #: row and column offsets of the actions
STARTS = tuple(  #: of players 0 and 1: the cells of the first and of the last quadrant, by outcome of chance
    tuple(SIDE * (first + outcome // 2) + first + outcome % 2 for outcome in range(4)) for first in (0, 2)
)
QUADRANTS = ("top left", "top right", "bottom left", "bottom right")


class Quadranto(PlainGame):
    """The game. Chance places player 0 in the top left quadrant, then player 1 in the bottom right one."""

    type = GameType(
        "quadranto",
        "Quadranto",
        chance_mode=ChanceMode.EXPLICIT_STOCHASTIC,
        information=Information.IMPERFECT_INFORMATION,
        provides_observation_tensor=False,
    )

    def __init__(self, *, bump: bool = False) -> None:
        """With ``bump``, moves off the board are legal but have no effect."""
        self.bump = bump

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Quadranto:
        """The game with parameters as in ``quadranto(bump=true)``.

        Raises:
            ValueError: other parameters were given, or the value is neither true nor false.
        """
        if set(parameters) - {"bump"} or parameters.get("bump", "true").lower() not in ("true", "false"):
            raise ValueError("quadranto has one parameter, bump=true or bump=false")
        return cls(bump=parameters.get("bump", "false").lower() == "true")

    def new_initial_state(self) -> QuadrantoState:
        return QuadrantoState(self)

    def num_distinct_actions(self) -> int:
        return len(NAMES)

    def max_chance_outcomes(self) -> int:
        return 4

    def max_game_length(self) -> int:
        return MOST_MOVES

    def get_parameters(self) -> dict[str, Any]:
        return {"bump": True} if self.bump else {}

    def moves(self, cell: int) -> list[tuple[int, int]]:
        """The legal actions from a cell, each with the cell to which it leads."""
        found = []
        for action, (down, right) in enumerate(STEPS):
            row, column = cell // SIDE + down, cell % SIDE + right
            if 0 <= row < SIDE and 0 <= column < SIDE:
                found.append((action, SIDE * row + column))
            elif self.bump:
                found.append((action, cell))
        return found


class QuadrantoState(PlainState):
    """A position of Quadranto."""

    def __init__(self, game: Quadranto) -> None:
        super().__init__(game)
        self._rules = game
        self._paths: tuple[tuple[int, ...], ...] = ((), ())  # the cells that each player has visited

    @property
    def _n_moves(self) -> int:
        """Number of moves made so far."""
        return sum(map(len, self._paths)) - 2

    def current_player(self) -> int:
        first, second = self._paths
        if not second:
            return CHANCE
        if first[-1] == second[-1] or self._n_moves >= MOST_MOVES:
            return TERMINAL
        return self._n_moves % 2

    def returns(self) -> list[float]:
        first, second = self._paths
        if not second or first[-1] != second[-1]:
            return [0.0, 0.0]
        winner = (self._n_moves - 1) % 2
        return [1.0 - 2.0 * winner, 2.0 * winner - 1.0]

    def _moves(self, player: int) -> list[int]:
        return [action for action, _ in self._rules.moves(self._paths[player][-1])]

    def _chances(self) -> list[tuple[int, float]]:
        return [(outcome, 0.25) for outcome in range(4)]

    def _play(self, actions: Sequence[int]) -> None:
        first, second = self._paths
        if not second:
            player = 1 if first else 0
            cell = STARTS[player][actions[0]]
        else:
            player = self._n_moves % 2
            cell = dict(self._rules.moves(self._paths[player][-1]))[actions[0]]
        self._paths = (*first, cell) if player == 0 else first, (*second, cell) if player == 1 else second

    def _words(self, player: int, action: int) -> str:
        return f"cell {action}" if player == CHANCE else NAMES[action]

    def observation_string(self, player: int) -> str:
        """The player's own cell, the other's quadrant, and the number of moves made."""
        if not self._paths[1]:
            return "not placed yet"
        own, other = self._paths[player][-1], self._paths[1 - player][-1]
        where = f"you are in row {own // SIDE + 1}, column {own % SIDE + 1}"
        return f"{where}; the other is {QUADRANTS[_quadrant(other)]}; {self._n_moves} moves made"

    def to_struct(self) -> dict[str, Any]:
        """The position as JSON values: cells as [row, column] from 0, None before they are drawn."""
        cells = [_place(path) for path in self._paths]
        return {"cells": cells, "moves": max(0, self._n_moves), "current_player": self.current_player()}

    def to_observation_struct(self, player: int) -> dict[str, Any]:
        """What a player sees, as JSON values."""
        placed = bool(self._paths[1])
        return {
            "own_cell": _place(self._paths[player]) if placed else None,
            "other_quadrant": QUADRANTS[_quadrant(self._paths[1 - player][-1])] if placed else None,
            "moves": max(0, self._n_moves),
            "met": placed and self._paths[0][-1] == self._paths[1][-1],
            "current_player": self.current_player(),
        }

    def information_state_string(self, player: int) -> str:
        """All of the player's own cells and actions, and all observed quadrants of the other."""
        if not self._paths[1]:
            return f"{player}: {self._paths[player] if player == 0 else ()}"
        actions = [action for turn in self._turns for who, action in turn if who == player]
        quadrants = [_quadrant(cell) for cell in self._paths[1 - player]]
        return f"{player}: cells {list(self._paths[player])} actions {actions} quadrants {quadrants}"

    def _resample(self, player: int, uniform: Uniform) -> Self:
        """Another path of the opponent through the observed quadrants, distributed as under uniformly random play."""
        if not self._paths[1] or self.is_terminal():
            return self.clone()
        seen = [_quadrant(cell) for cell in self._paths[1 - player]]
        weights: list[dict[int, float]] = [dict.fromkeys(STARTS[1 - player], 1.0)]
        for step in range(1, len(seen)):
            reached: dict[int, float] = {}
            for cell, weight in weights[-1].items():
                legal = self._rules.moves(cell)
                for _, target in legal:
                    if _quadrant(target) == seen[step] and self._apart(player, cell, target, step):
                        reached[target] = reached.get(target, 0.0) + weight / len(legal)
            weights.append(reached)
        weights[-1] = {cell: weight for cell, weight in weights[-1].items() if cell != self._paths[player][-1]}
        path = [_drawn(weights[-1], uniform)]
        for step in range(len(seen) - 1, 0, -1):
            ways = {
                cell: weight / len(self._rules.moves(cell))
                for cell, weight in weights[step - 1].items()
                if path[0] in [target for _, target in self._rules.moves(cell)]
                and self._apart(player, cell, path[0], step)
            }
            path.insert(0, _drawn(ways, uniform))
        return self._with_path(player, path, uniform)

    def _apart(self, player: int, before: int, after: int, step: int) -> bool:
        """Whether the other's move number ``step`` neither started nor ended on the player's cell."""
        own = self._paths[player]
        mine = step if player == 0 else step - 1  # moves that the player had made by then
        return own[mine] not in (before, after)

    def _with_path(self, player: int, path: list[int], uniform: Uniform) -> Self:
        """The same game with another path of the opponent."""
        made = self.clone()
        made._paths = (self._paths[0], tuple(path)) if player == 0 else (tuple(path), self._paths[1])
        turns: list[tuple[tuple[int, int], ...]] = []
        step = 0
        for number, ((who, action),) in enumerate(self._turns):
            if number == 1 - player:
                turns.append(((CHANCE, STARTS[1 - player].index(path[0])),))
            elif who == 1 - player:
                ways = [way for way, target in self._rules.moves(path[step]) if target == path[step + 1]]
                turns.append(((who, ways[int(uniform() * len(ways))]),))
                step += 1
            else:
                turns.append(((who, action),))
        made._turns = turns
        return made

    def __str__(self) -> str:
        cells = ["."] * SIDE * SIDE
        for player, path in enumerate(self._paths):
            if path:
                cells[path[-1]] = str(player) if cells[path[-1]] == "." else "*"
        rows = [" ".join(cells[SIDE * row : SIDE * (row + 1)]) for row in range(SIDE)]
        return "\n".join([*rows, f"{max(0, self._n_moves)} moves made"])


def _place(path: tuple[int, ...]) -> list[int] | None:
    """Row and column of the last cell of a path."""
    return list(divmod(path[-1], SIDE)) if path else None


def _quadrant(cell: int) -> int:
    return 2 * (cell // SIDE // 2) + cell % SIDE // 2


def _drawn(weights: dict[int, float], uniform: Uniform) -> int:
    """Draw a cell with probability proportional to its weight."""
    rest = uniform() * sum(weights.values())
    for cell, weight in weights.items():
        rest -= weight
        if rest < 0:
            return cell
    return next(reversed(weights))
