"""Observations of controllers, as bytes: a state with its history of events, on rules that are numbers only.

The board, which never changes, is sent once per play; every observation refers to it.
"""

from __future__ import annotations

import io
import pickle

from vgdl import StateObservation
from vgdl.core.data.tables import BoardTables

_BOARD = "board"


class _Pickler(pickle.Pickler):
    """Leaves the board out."""

    def persistent_id(self, thing: object) -> str | None:
        return _BOARD if isinstance(thing, BoardTables) else None


class _Unpickler(pickle.Unpickler):
    """Puts a board in its place."""

    def __init__(self, data: bytes, board: BoardTables) -> None:
        super().__init__(io.BytesIO(data))
        self._board = board

    def persistent_load(self, pid: object) -> BoardTables:
        if pid != _BOARD:
            raise pickle.UnpicklingError(f"unknown reference {pid!r}")
        return self._board


def shown_board(state: StateObservation, seed: int) -> BoardTables:
    """The board of a state as a controller gets it: no names, texts or paths; with another ``seed`` it looks new."""
    return state.tables.anonymous(seed.to_bytes(8, "big"))


def encode_board(board: BoardTables) -> bytes:
    """A board that ``shown_board`` has made."""
    return pickle.dumps(board)


def decode_board(data: bytes) -> BoardTables:
    """The board that ``encode_board`` has encoded; to be used on what the runner sends only."""
    board: BoardTables = pickle.loads(data)
    return board


def encode(state: StateObservation, board: BoardTables, seed: int) -> bytes:
    """A state on the anonymous board whose chance continues from ``seed``: the real future is not shown."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(state.transfer(board, seed=seed))
    return buffer.getvalue()


def decode(data: bytes, board: BoardTables) -> StateObservation:
    """The state that ``encode`` has encoded; to be used on what the runner sends only."""
    state: StateObservation = _Unpickler(data, board).load()
    return state
