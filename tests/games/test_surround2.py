"""Surround for two, played, and compared with the tabletop game of the same rules."""

from __future__ import annotations

import random

import pytest

import vgdl
from plays import levels, place, start, where
from vgdl import Action, StateObservation
from vgdl.tabletop.surround import COLUMNS, DIRECTIONS, EMPTY, NAMES, ROWS, STARTS, Surround, SurroundState

MOVES = [Action[name.removeprefix("Move ").upper()] for name in NAMES]  #: by the actions of the board game


def ride(state: StateObservation, moves: str) -> StateObservation:
    """The same state after some pairs of actions, written like ``LEFT/NIL``."""
    for pair in moves.split():
        state.advance([Action[name] for name in pair.split("/")])
    return state


def field(*rows: str) -> list[str]:
    return ["x" * len(rows[0]), *rows, "x" * len(rows[0])]


OPEN = field("x........x", "x.B....A.x", "x........x")


def test_riders_keep_moving_without_a_key_and_start_towards_each_other() -> None:
    state = ride(start("surround2", OPEN), "NIL/NIL NIL/NIL")
    assert (where(state, "blue"), where(state, "red")) == ([(4, 2)], [(5, 2)])


def test_every_cell_that_was_visited_stays_a_trail() -> None:
    state = ride(start("surround2", OPEN), "UP/DOWN LEFT/RIGHT NIL/NIL")
    assert set(where(state, "redtrail")) == {(7, 2), (7, 1), (6, 1), (5, 1)}
    assert set(where(state, "bluetrail")) == {(2, 2), (2, 3), (3, 3), (4, 3)}
    assert not state.is_over


@pytest.mark.parametrize(
    ("moves", "winners", "scores"),
    [
        ("UP/UP UP/RIGHT", (0, 1), (0, 1)),  # into the wall
        ("UP/UP RIGHT/UP", (1, 0), (1, 0)),
        ("UP/RIGHT DOWN/RIGHT", (0, 1), (0, 1)),  # back onto its own trail
        ("LEFT/RIGHT LEFT/UP LEFT/RIGHT LEFT/NIL", (0, 1), (0, 1)),  # onto the other one's
        ("UP/DOWN UP/DOWN", (0, 0), (1, 1)),  # both into the wall
        ("NIL/NIL NIL/NIL NIL/NIL", (0, 0), (1, 1)),  # swapping places
    ],
)
def test_a_lone_crash_loses_and_a_double_crash_draws(
    moves: str, winners: tuple[int, int], scores: tuple[int, int]
) -> None:
    state = ride(start("surround2", OPEN), moves)
    assert (state.is_over, state.winners, state.scores) == (True, winners, scores)


def test_two_riders_in_one_cell_draw() -> None:
    state = ride(start("surround2", field("xB.Ax")), "NIL/NIL")
    assert (state.winners, state.scores) == ((0, 0), (1, 1))


def test_level_0_is_the_field_of_the_tabletop_game() -> None:
    rows = levels("surround2")[0]
    assert (len(rows), len(rows[0])) == (ROWS, COLUMNS)
    assert [place(rows, letter)[::-1] for letter in "AB"] == list(STARTS)


@pytest.mark.costly
@pytest.mark.parametrize("careless", [1.0, 0.2, 0.02])
def test_the_vgdl_game_equals_the_tabletop_game(careless: float) -> None:
    """Tick by tick, in plays of riders who avoid crashes except for a share of careless moves."""
    outcomes = set()
    for seed in range(40):
        draw = random.Random(seed)
        board, state = Surround().new_initial_state(), vgdl.load("surround2").start(level=0, seed=seed)
        while not board.is_terminal():
            assert not state.is_over
            assert trails(state) == [set(board.trace(player)) for player in range(2)]
            actions = [move(board, player, draw, careless) for player in range(2)]
            board.apply_actions(actions)
            state.advance([MOVES[action] for action in actions])
        returns = board.returns()
        assert state.is_over
        assert state.winners == tuple(int(value > 0) for value in returns)
        outcomes.add(tuple(returns))
    assert outcomes == {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}


def trails(state: StateObservation) -> list[set[tuple[int, int]]]:
    """The cells of both trails, as (row, column)."""
    return [{(int(y), int(x)) for x, y in where(state, name)} for name in ("redtrail", "bluetrail")]


def move(board: SurroundState, player: int, draw: random.Random, careless: float) -> int:
    row, column = board.trace(player)[-1]
    free = [action for action, (down, right) in DIRECTIONS.items() if board.cell(row + down, column + right) == EMPTY]
    return draw.choice(free if free and draw.random() >= careless else list(DIRECTIONS))


@pytest.mark.parametrize("number", range(1, 5))
def test_every_level_after_the_first_is_symmetric_under_half_a_turn(number: int) -> None:
    rows = levels("surround2")[number]
    assert [row[::-1].translate(str.maketrans("AB", "BA")) for row in rows[::-1]] == rows
