"""Observations for controllers, as bytes: a state with its history of events, and rules in numbers only.

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
    """The board as shown to a controller: no names, texts or paths; another ``seed`` makes it look like a new one."""
    return state.tables.anonymous(seed.to_bytes(8, "big"))


def encode_board(board: BoardTables) -> bytes:
    """Encode a board made by ``shown_board``."""
    return pickle.dumps(board)


def decode_board(data: bytes) -> BoardTables:
    """Decode the result of ``encode_board``; for data from the runner only."""
    board: BoardTables = pickle.loads(data)
    return board


def encode(state: StateObservation, board: BoardTables, seed: int) -> bytes:
    """Encode a state on the anonymous board. Its random numbers continue from ``seed``, to hide the real future."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(state.transfer(board, seed=seed))
    return buffer.getvalue()


def decode(data: bytes, board: BoardTables) -> StateObservation:
    """Decode the result of ``encode``; for data from the runner only."""
    state: StateObservation = _Unpickler(data, board).load()
    return state
