"""One game: the referee has the board and the rules, and asks each side for its moves (specification 3 and 8)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from vgdl.competition.agents.failure import AgentFailed
from vgdl.competition.tracks.othello.board import BLACK, WHITE, Board, Cell, count, opponent, playable
from vgdl.competition.tracks.othello.games import TIME_FORFEIT, Fault, GameRecord, Move
from vgdl.tabletop.othello import Rules
from vgdl.tabletop.othello_stages import Stage

MAX_EXCEPTIONS = 2
"""Number of exceptions that a strategy may raise in a game; one more forfeits the game."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer of a strategy."""

    cell: Cell | None  #: None for anything that is not a cell
    used_ms: float


class Side(Protocol):
    """One of the two strategies of a game."""

    name: str

    def choose(self, board: Board, player: int, moves: list[Cell], left_ms: float) -> Choice:
        """Ask for a move; raises ``AgentFailed`` if there is no answer."""


@dataclass(slots=True)
class _Account:
    """The time used and the faults of a side so far."""

    side: Side
    used_ms: float = 0.0
    exceptions: int = 0


@dataclass(slots=True)
class _Forfeit(Exception):
    """A side has lost, regardless of the board."""

    player: int
    cause: str


@dataclass(slots=True)
class Game:
    """A game in progress."""

    stage: Stage
    rules: Rules
    limit_ms: float
    chance: random.Random  #: chooses where a strategy does not
    board: Board = ()
    moves: list[Move] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def play(self, black: Side, white: Side, analysis: dict[str, Any] | None = None) -> GameRecord:
        """Play to the end; there is always a result, regardless of the sides' behaviour.

        Args:
            black: the side that moves first.
            white: the other side.
            analysis: data for the log.
        """
        began = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        accounts = {BLACK: _Account(black), WHITE: _Account(white)}
        self.board = self.stage.board()
        forfeit: _Forfeit | None = None
        player = BLACK if self.rules.legal_moves(self.board, BLACK) else self.rules.next_player(self.board, BLACK)
        try:
            while player:
                self._move(player, accounts[player])
                player = self.rules.next_player(self.board, player)
        except _Forfeit as lost:
            forfeit = lost
        black_score, white_score, winner = self._result(forfeit)
        return GameRecord(
            stage_id=self.stage.id,
            stage_name=self.stage.name,
            black=black.name,
            white=white.name,
            initial_board=self.stage.board(),
            moves=tuple(self.moves),
            black_score=black_score,
            white_score=white_score,
            winner=winner,
            forfeit=forfeit.player if forfeit else None,
            forfeit_cause=forfeit.cause if forfeit else "",
            timestamp=began,
            analysis=analysis or {},
            used_ms=(accounts[BLACK].used_ms, accounts[WHITE].used_ms),
            faults=tuple(self.faults),
        )

    def _move(self, player: int, account: _Account) -> None:
        """Ask a side for a move, and play it."""
        legal = self.rules.legal_moves(self.board, player)
        before = account.used_ms
        cell = self._chosen(player, account, legal)
        fallback = cell not in legal
        if cell is None or fallback:
            cell = self.chance.choice(legal)
        played = self.rules.simulate(self.board, player, *cell)
        self.board = played.resulting_board or self.board
        time_ms = account.used_ms - before
        self.moves.append(Move(player, cell, played.captured_count, self.board, time_ms, fallback))

    def _chosen(self, player: int, account: _Account, legal: list[Cell]) -> Cell | None:
        """A side's answer; None if it has to be replaced."""
        number = len(self.moves) + 1
        try:
            choice = account.side.choose(self.board, player, legal, self.limit_ms - account.used_ms)
        except AgentFailed as failure:
            account.used_ms += failure.used
            account.exceptions += 1
            self.faults.append(Fault(player, number, failure.cause, failure.details))
            self._check_time(player, account)
            if failure.is_final:
                raise _Forfeit(player, failure.cause) from None
            if account.exceptions > MAX_EXCEPTIONS:
                raise _Forfeit(player, f"{account.exceptions} exceptions") from None
            return None
        account.used_ms += choice.used_ms
        self._check_time(player, account)
        if choice.cell not in legal:
            details = "no cell" if choice.cell is None else f"{choice.cell} is not a legal move"
            self.faults.append(Fault(player, number, "illegal", details))
        return choice.cell

    def _check_time(self, player: int, account: _Account) -> None:
        if account.used_ms > self.limit_ms:
            raise _Forfeit(player, TIME_FORFEIT)

    def _result(self, forfeit: _Forfeit | None) -> tuple[int, int, int]:
        """Score of black, score of white, and the winner; after a forfeit all playable cells are the winner's."""
        if forfeit is None:
            return count(self.board, BLACK), count(self.board, WHITE), self.rules.winner(self.board) or 0
        winner, all_cells = opponent(forfeit.player), playable(self.board)
        return (all_cells, 0, winner) if winner == BLACK else (0, all_cells, winner)
