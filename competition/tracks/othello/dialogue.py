"""A function that asks questions while it runs, so that a submitted system can use an API in the referee's process.

The connection of an agent process carries requests of the runner and their answers, never the reverse. So the function
runs in a thread; a question from it is returned as the answer to the runner's request, and the runner's next request
contains the reply.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from vgdl.competition.tracks.othello.board import Board, Cell
from vgdl.tabletop.othello_answers import Evaluation, MoveResult, Playouts

MAX_PLAYOUTS = 1000
"""Maximum number of random games per question: they take the referee's time."""

ASK, DONE, RAISED = "ask", "done", "raised"


class Dialogue:
    """Runs one function at a time, and passes on its questions."""

    def __init__(self) -> None:
        self._out: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._replies: SimpleQueue[Any] = SimpleQueue()

    def start(self, function: Callable[[], Any]) -> tuple[str, Any]:
        """Run a function until it asks (``ASK`` and the question) or returns (``DONE`` and its value).

        Raises:
            BaseException: any exception of the function.
        """
        threading.Thread(target=self._run, args=(function,), daemon=True).start()
        return self._next()

    def go_on(self, reply: Any) -> tuple[str, Any]:
        """Reply to the question, and continue in the same way."""
        self._replies.put(reply)
        return self._next()

    def ask(self, question: Any) -> Any:
        """Ask a question and wait for the reply; called by the function."""
        self._out.put((ASK, question))
        return self._replies.get()

    def _next(self) -> tuple[str, Any]:
        kind, value = self._out.get()
        if kind == RAISED:
            raise value
        return kind, value

    def _run(self, function: Callable[[], Any]) -> None:
        try:
            self._out.put((DONE, function()))
        except BaseException as error:  # re-raised where the runner's request is answered
            self._out.put((RAISED, error))


class RemotePaperApi:
    """The API of a stage whose rules are in another process."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue

    def get_valid_moves(self, board: Board, player: int) -> list[Cell]:
        """As ``Api.get_valid_moves``."""
        return [(row, column) for row, column in self._ask("get_valid_moves", board, player)]

    def simulate_move(self, board: Board, player: int, row: int, col: int) -> MoveResult:
        """As ``Api.simulate_move``."""
        return _move_result(self._ask("simulate_move", board, player, row, col))

    def simulate_moves(self, boards: Any, players: Any, rows: Any, cols: Any) -> list[MoveResult]:
        """As ``Api.simulate_moves``; one round trip for all."""
        return [_move_result(result) for result in self._ask("simulate_moves", boards, players, rows, cols)]

    def evaluate_board(self, board: Board, player: int) -> Evaluation:
        """As ``Api.evaluate_board``."""
        return Evaluation(*self._ask("evaluate_board", board, player))

    def _ask(self, call: str, *arguments: Any) -> Any:
        reply = self._dialogue.ask([call, *arguments])
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply["value"]


class RemoteObservableApi(RemotePaperApi):
    """The same API with calls for turn order and result."""

    def next_player(self, board: Board, mover: int) -> int:
        """As ``ObservableApi.next_player``."""
        return int(self._ask("next_player", board, mover))

    def winner(self, board: Board) -> int | None:
        """As ``ObservableApi.winner``."""
        found = self._ask("winner", board)
        return None if found is None else int(found)

    def random_playouts(self, board: Board, player: int, count: int, seed: int, boards: bool = False) -> Any:
        """As ``ObservableApi.random_playouts``."""
        black, white, ties, finals = self._ask("random_playouts", board, player, count, seed, boards)
        return Playouts(black, white, ties, tuple(map(_as_tuples, finals)))


def reply(api: Any, question: Any) -> dict[str, Any]:
    """The referee's reply to a question, which may be any plain data; the reply to an invalid one is an error."""
    try:
        call, *arguments = question
        if call not in _CALLS or not hasattr(api, call):
            raise ValueError(f"the API has no call {call!r:.50}")
        if call == "random_playouts" and not 0 <= arguments[2] <= MAX_PLAYOUTS:
            raise ValueError(f"the referee plays at most {MAX_PLAYOUTS} games per call")
        return {"value": getattr(api, call)(*arguments)}
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        return {"error": str(error)[:200]}


_CALLS = (
    "get_valid_moves",
    "simulate_move",
    "simulate_moves",
    "evaluate_board",
    "next_player",
    "winner",
    "random_playouts",
)


def _move_result(facts: Any) -> MoveResult:
    valid, board, captured = facts
    return MoveResult(valid, None if board is None else _as_tuples(board), captured)


def _as_tuples(rows: Any) -> Board:
    return tuple(map(tuple, rows))
