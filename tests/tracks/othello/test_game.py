"""The referee's side of a game: every failure of a strategy is a result (specification 8)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from vgdl.competition.agents.failure import AgentFailed, Cause
from vgdl.competition.tracks.othello.board import Board, Cell
from vgdl.competition.tracks.othello.game import Choice, Game
from vgdl.competition.tracks.othello.games import GameRecord
from vgdl.tabletop.othello import Rules
from vgdl.tabletop.othello_stages import STAGES

LIMIT_MS = 10_000.0

Answer = Callable[[int, list[Cell]], Choice]


class Side:
    """Answers by a function of the move's number, from 1, and the legal moves."""

    def __init__(self, name: str, answer: Answer) -> None:
        self.name = name
        self.left: list[float] = []
        self._answer = answer

    def choose(self, board: Board, player: int, moves: list[Cell], left_ms: float) -> Choice:
        self.left.append(left_ms)
        return self._answer(len(self.left), moves)


def first(number: int, moves: list[Cell]) -> Choice:
    return Choice(moves[0], 100.0)


def play(black: Answer, white: Answer = first, stage: str = "stage-0") -> GameRecord:
    game = Game(STAGES[stage], Rules(STAGES[stage]), LIMIT_MS, random.Random(0))
    return game.play(Side("black", black), Side("white", white))


def test_two_honest_strategies_play_to_the_end() -> None:
    record = play(first)
    assert (record.black_score, record.white_score) == (19, 45)
    assert record.winner == 2
    assert record.forfeit is None
    assert record.used_ms == (pytest.approx(100.0 * sum(move.player == 1 for move in record.moves)), pytest.approx(  # type: ignore[comparison-overlap]
        100.0 * sum(move.player == 2 for move in record.moves)
    ))  # fmt: skip


@pytest.mark.parametrize(("stage", "cells"), [("stage-0", 64), ("stage-2", 60)])
def test_exceeding_the_limit_in_total_loses_at_once_and_fills_the_board(stage: str, cells: int) -> None:
    record = play(lambda number, moves: Choice(moves[0], 10_100.0), stage=stage)
    assert (record.black_score, record.white_score) == (0, cells)
    assert (record.forfeit, record.winner, record.forfeit_cause) == (1, 2, "time")
    assert record.moves == ()
    assert record.used_ms[0] == 10_100.0


def test_exactly_the_limit_is_allowed() -> None:
    record = play(lambda number, moves: Choice(moves[0], LIMIT_MS if number == 1 else 0.0))
    assert record.forfeit is None


def test_a_strategy_knows_the_time_left_for_the_game() -> None:
    side = Side("black", first)
    Game(STAGES["stage-1"], Rules(STAGES["stage-1"]), LIMIT_MS, random.Random(0)).play(side, Side("white", first))
    assert side.left[:3] == [LIMIT_MS, LIMIT_MS - 100, LIMIT_MS - 200]


def test_a_forfeit_also_decides_where_fewest_pieces_win() -> None:
    record = play(lambda number, moves: Choice(moves[0], 10_100.0), stage="reverse-8")
    assert (record.black_score, record.white_score, record.winner) == (0, 64, 2)


@pytest.mark.parametrize("answer", [None, (0, 0), (-1, 3), (99, 99)])
def test_an_illegal_answer_is_replaced_and_marked(answer: Cell | None) -> None:
    record = play(lambda number, moves: Choice(answer if number == 1 else moves[0], 0.0))
    assert record.forfeit is None
    assert [move.fallback for move in record.moves[:3]] == [True, False, False]
    assert [(fault.player, fault.move, fault.cause) for fault in record.faults] == [(1, 1, "illegal")]


def raising(times: int, cause: Cause = Cause.EXCEPTION) -> Answer:
    def answer(number: int, moves: list[Cell]) -> Choice:
        if number <= times:
            raise AgentFailed(cause, "ValueError: broken", 5.0)
        return Choice(moves[0], 0.0)

    return answer


def test_a_strategy_that_raises_twice_goes_on() -> None:
    record = play(raising(2))
    assert record.forfeit is None
    assert [move.fallback for move in record.moves if move.player == 1][:3] == [True, True, False]
    assert record.used_ms[0] == 10.0, "what it used until then is charged"


def test_a_strategy_that_raises_thrice_forfeits() -> None:
    record = play(raising(3))
    assert (record.forfeit, record.black_score, record.white_score) == (1, 0, 64)
    assert record.forfeit_cause == "3 exceptions"
    assert [fault.details for fault in record.faults] == ["ValueError: broken"] * 3


@pytest.mark.parametrize("cause", [Cause.EXITED, Cause.HUNG, Cause.NONSENSE, Cause.MEMORY, Cause.PROCESSES])
def test_a_dead_process_forfeits(cause: Cause) -> None:
    record = play(first, raising(1, cause))
    assert (record.forfeit, record.winner) == (2, 1)
    assert record.forfeit_cause == cause
    assert (record.black_score, record.white_score) == (64, 0)
    assert len(record.moves) == 1


def test_a_strategy_without_a_legal_move_is_not_called() -> None:
    def checked(number: int, moves: list[Cell]) -> Choice:
        assert moves
        return Choice(moves[0], 0.0)

    for stage in ("fewer-8", "stage-2"):
        assert play(checked, checked, stage).forfeit is None


def test_the_same_seed_replaces_answers_by_the_same_moves() -> None:
    def nothing(number: int, moves: list[Cell]) -> Choice:
        return Choice(None, 0.0)

    assert [move.cell for move in play(nothing, nothing).moves] == [move.cell for move in play(nothing, nothing).moves]
