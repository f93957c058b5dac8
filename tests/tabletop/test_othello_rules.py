"""The rules of a stage as used by referees and analysing players: answers, errors, and hidden flags."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vgdl.tabletop import load
from vgdl.tabletop.othello import ObservableApi, OthelloState, PaperApi, Rules
from vgdl.tabletop.othello_stages import STAGES, Stage

FLAGS = ("occlusion", "fewer", "fewest", "reverse")


def positions(stage: str, games: int = 3) -> list[OthelloState]:
    """All states of some random games."""
    draws = random.Random(stage)
    seen = []
    for _ in range(games):
        state = load(f"othello(stage={stage})").new_initial_state()
        while not state.is_terminal():
            seen.append(state.clone())
            state.apply_action(draws.choice(state.legal_actions()))
        seen.append(state)
    return seen


@pytest.mark.parametrize("stage", STAGES)
def test_rules_of_boards_agree_with_the_game(stage: str) -> None:
    rules = Rules(STAGES[stage])
    n = STAGES[stage].board_size
    for state in positions(stage):
        if state.is_terminal():
            black, white = state.returns()
            assert rules.winner(state.rows()) == (1 if black > white else 2 if white > black else 0)
            continue
        assert rules.winner(state.rows()) is None
        player = state.current_player() + 1
        legal = [divmod(action, n) for action in state.legal_actions() if action < n * n]
        assert rules.legal_moves(state.rows(), player) == legal
        for row, col in legal:
            after = state.child(row * n + col)
            answer = rules.simulate(state.rows(), player, row, col)
            assert answer.resulting_board == after.rows()
            assert answer.captured_count == len(rules.captures(state.rows(), player, row, col)) > 0
            if not after.is_terminal() and after.legal_actions() == [n * n]:
                after.apply_action(n * n)
            following = 0 if after.is_terminal() else after.current_player() + 1
            assert rules.next_player(after.rows(), player) == following


def slow_captures(board: list[list[int]], player: int, row: int, col: int, ignoring: bool) -> set[tuple[int, int]]:
    """The rule of 3.2 and 3.3 word by word."""
    n = len(board)
    turned: set[tuple[int, int]] = set()
    for down, right in [(d, r) for d in (-1, 0, 1) for r in (-1, 0, 1) if d or r]:
        collected = set()
        y, x = row + down, col + right
        while 0 <= y < n and 0 <= x < n:
            if board[y][x] == 3 - player:
                collected.add((y, x))
            elif not (board[y][x] == 3 and ignoring):
                break
            y, x = y + down, x + right
        if 0 <= y < n and 0 <= x < n and board[y][x] == player:
            turned |= collected
    return turned


@pytest.mark.parametrize("n", range(4, 13))
@pytest.mark.parametrize("ignoring", [False, True])
def test_captures_on_any_board_are_those_of_the_rule_walked_cell_by_cell(n: int, ignoring: bool) -> None:
    """Boards that cannot arise in a game, of every size."""
    rules = Rules(Stage("", "", n, ignore_occlusion=ignoring))
    draws = random.Random(n)
    for _ in range(20):
        weights = (draws.random(), 1, 1, draws.random())
        board = [draws.choices(range(4), weights, k=n) for _ in range(n)]
        for player in (1, 2):
            legal = []
            for row, col in [(row, col) for row in range(n) for col in range(n)]:
                expected = slow_captures(board, player, row, col, ignoring) if board[row][col] == 0 else set()
                assert rules.captures(board, player, row, col) == sorted(expected)
                if expected:
                    legal.append((row, col))
            assert rules.legal_moves(board, player) == legal


START = STAGES["stage-0"].board()
BAD_BOARDS: list[Any] = [
    START[:3],
    START[:7],
    START + START,
    (*START[:7], START[7][:7]),
    (*START[:7], "00000000"),
    (*START[:7], (0,) * 7 + (4,)),
    (*START[:7], (0,) * 7 + (-1,)),
    (*START[:7], (0,) * 7 + (2**70,)),
    (*START[:7], (0,) * 7 + (1.0,)),
    (*START[:7], None),
    7,
    "board",
    None,
]
CALLS: list[Callable[[Rules, Any, int], object]] = [
    lambda rules, board, player: rules.legal_moves(board, player),
    lambda rules, board, player: rules.captures(board, player, 2, 3),
    lambda rules, board, player: rules.simulate(board, player, 2, 3),
    lambda rules, board, player: rules.simulate_moves([board], [player], [2], [3]),
    lambda rules, board, player: rules.next_player(board, player),
    lambda rules, board, player: rules.evaluate(board, player),
    lambda rules, board, player: rules.random_playouts(board, player, 1, 0),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("board", BAD_BOARDS, ids=lambda board: str(board)[:30])
def test_an_invalid_board_is_refused(call: Callable[[Rules, Any, int], object], board: Any) -> None:
    with pytest.raises(ValueError, match=r"board|cells"):
        call(Rules(STAGES["stage-0"]), board, 1)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("player", [0, 3, -1])
def test_an_invalid_player_is_refused(call: Callable[[Rules, Any, int], object], player: int) -> None:
    with pytest.raises(ValueError, match="player"):
        call(Rules(STAGES["stage-0"]), START, player)


def test_boards_may_be_lists_tuples_or_arrays() -> None:
    rules = Rules(STAGES["stage-0"])
    expected = rules.legal_moves(START, 1)
    assert rules.legal_moves([list(row) for row in START], 1) == expected
    array: Any = np.array(START, dtype=np.int8)
    assert rules.legal_moves(array, 1) == expected


@pytest.mark.parametrize("cell", [(0, 0), (3, 3), (-1, 0), (8, 8), (0, 100)])
def test_an_illegal_move_is_reported_as_such(cell: tuple[int, int]) -> None:
    assert Rules(STAGES["stage-0"]).simulate(START, 1, *cell) == (False, None, 0)


def test_lists_of_moves_must_have_equal_lengths() -> None:
    rules = Rules(STAGES["stage-0"])
    assert rules.simulate_moves([START, START], [1, 2], [2, 2], [3, 4])[1] == rules.simulate(START, 2, 2, 4)
    with pytest.raises(ValueError, match="argument"):
        rules.simulate_moves([START, START], [1], [2, 2], [3, 4])


def test_changing_a_board_while_it_is_read_does_no_harm() -> None:
    row: list[Any] = [0] * 8

    class Vanishing:
        def __index__(self) -> int:
            row.clear()
            return 0

    row[0] = Vanishing()
    board: list[Any] = [row, *([0] * 8 for _ in range(7))]
    assert Rules(STAGES["stage-0"]).legal_moves(board, 1) == []
    with pytest.raises(ValueError, match="row 0 has 0 cells"):
        Rules(STAGES["stage-0"]).legal_moves(board, 1)


def test_queries_change_nothing() -> None:
    rules, board = Rules(STAGES["stage-0"]), [list(row) for row in START]
    rules.simulate(board, 1, 2, 3)
    rules.random_playouts(board, 1, 3, 5)
    assert board == [list(row) for row in START]


def test_playouts_repeat_with_their_seed_and_end_in_boards_that_are_over() -> None:
    rules = Rules(STAGES["stage-0"])
    once = rules.random_playouts(START, 1, 50, 7, boards=True)
    assert once == rules.random_playouts(START, 1, 50, 7, boards=True)
    assert once != rules.random_playouts(START, 1, 50, 8, boards=True)
    winners = [rules.winner(board) for board in once.boards]
    assert (winners.count(1), winners.count(2), winners.count(0)) == once[:3]


@pytest.mark.parametrize("stage", ["occlusion-cw", "fewer-8", "reverse-8"])
def test_a_player_cannot_read_a_flag_from_its_objects(stage: str) -> None:
    """All attributes of the objects are the same for a stage with a flag and for the standard one."""
    shown = []
    for rules in (Rules(STAGES[stage]), Rules(STAGES["stage-0"])):
        views: list[object] = []
        for thing in (rules, PaperApi(rules), ObservableApi(rules)):
            names = dir(thing)
            assert not [name for name in names if any(flag in name for flag in FLAGS)]
            assert not hasattr(thing, "__dict__")
            views.append((names, repr(thing).split(" at ")[0]))
            for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
                with pytest.raises(TypeError) as raised:
                    attempt(thing)
                views.append(str(raised.value))
            with pytest.raises(ValueError, match="rows") as refused:
                (thing.legal_moves if isinstance(thing, Rules) else thing.get_valid_moves)((), 1)
            views.append(str(refused.value))
        shown.append(views)
    assert shown[0] == shown[1]


def test_the_api_of_the_paper_reveals_neither_turn_nor_winner() -> None:
    names = {name for name in dir(PaperApi(Rules(STAGES["stage-0"]))) if not name.startswith("_")}
    assert names == {"get_valid_moves", "simulate_move", "simulate_moves", "evaluate_board"}
    observable = {name for name in dir(ObservableApi(Rules(STAGES["stage-0"]))) if not name.startswith("_")}
    assert observable - names == {"next_player", "winner", "random_playouts"}
