"""Othello as a loadable game, with sizes, blocked cells, starts and rule variants as parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vgdl.language import suggestion
from vgdl.tabletop import othello_stages
from vgdl.tabletop.game import Game, GameType
from vgdl.tabletop.othello import OthelloState, Rules
from vgdl.tabletop.othello_stages import Cell, Stage, usual

FLAGS = ("ignore_occlusion", "fewer_pieces_continue", "fewest_wins")
_CELLS = {"blocked": "initial_blocked", "black": "initial_black", "white": "initial_white"}
_PARAMETERS = ("stage", "size", *_CELLS, *FLAGS)


class Othello(Game):
    """Othello on a stage. Returns are 1 for the winner, -1 for the loser, 0 for a tie."""

    type = GameType("othello", "Othello", provides_observation_tensor=True)

    def __init__(self, stage: Stage = othello_stages.PUBLIC[0]) -> None:
        """Play on ``stage``."""
        self.stage = stage
        self.rules = Rules(stage)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.stage,)

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Othello:
        """The game with parameters as in ``othello(stage=csquares,ignore_occlusion=true)``.

        ``stage`` is the id of a named stage, ``size`` the number of rows of an empty one; ``blocked``, ``black`` and
        ``white`` are cells as in ``blocked=a1;h8``, the three flags are true or false. Parameters that are not given
        are as in the stage, or as in standard Othello.

        Raises:
            ValueError: an unknown parameter, or a wrong value.
        """
        for key in parameters:
            if key not in _PARAMETERS:
                hint = suggestion(key, _PARAMETERS)
                raise ValueError(f"othello has no parameter {key!r}{hint}; it has {', '.join(_PARAMETERS)}")
        if "stage" in parameters and "size" in parameters:
            raise ValueError("othello: a stage has its size; give stage= or size=, not both")
        stage = (
            othello_stages.find(parameters["stage"]) if "stage" in parameters else _sized(parameters.get("size", "8"))
        )
        changes: dict[str, Any] = {field: _cells(parameters[key]) for key, field in _CELLS.items() if key in parameters}
        changes |= {flag: _truth(flag, parameters[flag]) for flag in FLAGS if flag in parameters}
        return cls(replace(stage, **changes))

    def new_initial_state(self) -> OthelloState:
        """The start, black to move (or white, if black cannot)."""
        return OthelloState(self, self.rules)

    def num_distinct_actions(self) -> int:
        """One for each cell, and one for passing."""
        return self.stage.board_size**2 + 1

    def max_game_length(self) -> int:
        """A move for every cell and a pass after each, as in OpenSpiel."""
        return 2 * self.stage.board_size**2

    def observation_tensor_shape(self) -> list[int]:
        """Three planes, or four if there are blocked cells."""
        return [4 if self.stage.initial_blocked else 3, self.stage.board_size, self.stage.board_size]

    def get_parameters(self) -> dict[str, Any]:
        """The parameters that recreate this game: the id of a named stage or else the board, and flags that differ."""
        stage = self.stage
        given: dict[str, Any] = {}
        base = next((known for known in othello_stages.STAGES.values() if _same_rules(known, stage)), None)
        base = base or next((known for known in othello_stages.STAGES.values() if _same_board(known, stage)), None)
        if base is None:
            base = usual("", "", stage.board_size)
            given["size"] = stage.board_size
            for key, field in _CELLS.items():
                if getattr(stage, field) != getattr(base, field):
                    given[key] = ";".join(_name(cell) for cell in getattr(stage, field))
        elif base is not othello_stages.PUBLIC[0]:
            given["stage"] = base.id
        return given | {flag: getattr(stage, flag) for flag in FLAGS if getattr(stage, flag) != getattr(base, flag)}


def _same_board(one: Stage, other: Stage) -> bool:
    return one.board() == other.board()


def _same_rules(one: Stage, other: Stage) -> bool:
    return _same_board(one, other) and all(getattr(one, flag) == getattr(other, flag) for flag in FLAGS)


def _sized(text: str) -> Stage:
    if not text.isdecimal():
        raise ValueError(f"othello: size= is a number of rows, not {text!r}")
    n = int(text)
    named = next((stage for stage in othello_stages.PUBLIC if n == stage.board_size), None)
    return named or usual(f"usual-{n}", f"{n}x{n}", n)


def _truth(key: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"othello: {key}= is true or false, not {text!r}")
    return text.lower() == "true"


def _cells(text: str) -> tuple[Cell, ...]:
    return tuple(_cell(name) for name in text.split(";") if name)


def _cell(name: str) -> Cell:
    """Row and column of a cell such as ``d3``."""
    column, row = ord(name[0]) - ord("a"), name[1:]
    if not (0 <= column < othello_stages.LARGEST and row.isdecimal() and int(row) > 0):
        raise ValueError(f"othello: a cell is a letter and a number, such as d3, not {name!r}")
    return int(row) - 1, column


def _name(cell: Cell) -> str:
    return f"{chr(ord('a') + cell[1])}{cell[0] + 1}"
