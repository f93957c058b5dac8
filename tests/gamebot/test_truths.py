"""The worked examples of GAMEBoT's specification: ground truths of positions."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from vgdl.competition.tracks.gamebot.tasks import TASKS, checkers, grids, holdem, othello, pong, surround

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')


# -------------------------------------------------------------------------------------------------------------- Othello


def othello_board(text: str) -> list[list[int]]:
    rows = ["________" if row == "-" else row for row in text.split()]
    return [["_BW".index(symbol) for symbol in row] for row in rows]


def squares(text: str) -> set[tuple[int, int]]:
    return {(int(name[1]) - 1, ord(name[0]) - ord("A")) for name in text.split()}


@pytest.mark.parametrize(
    ("board", "side", "legal", "corner", "wedge", "odd"),
    [
        ("- - - ___BW___ ___WB___ - - -", 1, "E3 F4 C5 D6", False, "", ""),
        ("__B_B___ ___B____ ___W____ ___BW___ ___WB___ - - -", 2, "D1 C4 F5 E6", False, "D1", "D1"),
        ("_BW_____ - - ___BW___ ___WB___ - W_______ B_______", 2, "A1 D3 C4 F5 E6", True, "", ""),
        ("__B___B_ ___BBB__ ___WWW__ ___BW___ ___WB___ - - -", 2, "D1 E1 F1 C4 C5 F5 E6", False, "", "D1 E1 F1"),
    ],
)
def test_othello(board: str, side: int, legal: str, corner: bool, wedge: str, odd: str) -> None:
    rows, moves = othello_board(board), squares(legal)
    assert (not othello.CORNERS.isdisjoint(moves)) == corner
    assert othello.wedges(rows, side, moves) == squares(wedge)
    assert othello.wedges(rows, side, moves, (1, 3, 5)) == squares(odd)


def test_othello_starts_with_black_on_d4_and_e5() -> None:
    task = TASKS["othello"]()
    state = task.start()
    assert state.rows()[3][3] == state.rows()[4][4] == othello.BLACK
    assert set(task.moves(state, 0)) == squares("E3 F4 C5 D6")


def test_othello_is_openspiels_mirrored() -> None:
    import pyspiel

    task, draws = TASKS["othello"](), random.Random(1)
    for _ in range(60):
        ours, theirs = task.start(), pyspiel.load_game("othello").new_initial_state()
        while not ours.is_terminal():
            assert ours.current_player() == theirs.current_player()
            mirrored = {
                action if action == 64 else action + 7 - 2 * (action % 8): action for action in ours.legal_actions()
            }
            assert sorted(mirrored) == theirs.legal_actions()
            other = draws.choice(sorted(mirrored))
            ours.apply_action(mirrored[other])
            theirs.apply_action(other)
        assert theirs.is_terminal()
        assert list(ours.returns()) == list(theirs.returns())


# ----------------------------------------------------------------------------------------------------------------- Pong


@pytest.mark.parametrize(
    ("before", "now", "way", "height"),
    [
        ((75, 144), (79, 152), "Right Up", 78),
        ((60, 100), (64, 97), "Right Down", 40),
        ((90, 30), (94, 22), "Right Down", 102),
        ((60, 20), (61, 28), "Right Up", 20),
        ((20, 170), (22, 160), "Right Down", 142),
        ((79, 152), (75, 144), "Left Down", None),
        ((75, 144), (75, 152), None, None),
        ((75, 144), (79, 144), None, 144),
    ],
)
def test_pong(before: Any, now: Any, way: str | None, height: float | None) -> None:
    assert pong.direction(before, now) == way
    assert pong.arrival(before, now) == height


# ------------------------------------------------------------------------------------------------------------- Surround


def test_surround_in_a_narrow_place() -> None:
    empty = {(1, 23), (2, 23), (3, 23), (4, 23), (1, 25), (2, 25), (2, 26), (3, 25)}
    values = {**dict.fromkeys(empty, 0), (1, 24): 5, (2, 24): 4}

    def look(row: int, column: int) -> int:
        return values.get((row, column), 1) if 0 <= row < 20 and 0 <= column < 40 else -1

    assert surround.neighbours(look, (1, 24)) == {0: 1, 1: 4, 2: 0, 3: 0}
    assert surround.valid(look, (1, 24)) == {2, 3}
    assert [len(surround.region(look, cell)) for cell in ((1, 23), (1, 25))] == [4, 4]
    assert surround.safety(look, (1, 24)) == {(2, False), (3, False)}


@pytest.mark.parametrize("player", [0, 1])
def test_surround_at_the_start(player: int) -> None:
    state = TASKS["surround"]().start()
    at = state.trace(player)[-1]
    assert set(surround.neighbours(state.cell, at).values()) == {0}
    assert surround.valid(state.cell, at) == {0, 1, 2, 3}
    assert len(surround.region(state.cell, (at[0] + 1, at[1]))) == 682
    assert surround.safety(state.cell, at) == {(direction, True) for direction in range(4)}


# ------------------------------------------------------------------------------------------------------------- Checkers


def pieces(text: str) -> dict[tuple[int, int], str]:
    return {(int(word[1]), int(word[3])): word[5] for word in text.split()}


def steps(text: str) -> set[tuple[int, ...]]:
    return {tuple(int(word[place]) for place in (1, 3, 8, 10)) for word in text.split()}


@pytest.mark.parametrize(
    ("board", "side", "king", "die", "two"),
    [
        ("(1,4)w (3,2)b", "w", "", "(1,4)->(2,3)", ""),
        ("(1,4)w (0,5)w (3,2)b", "w", "", "", ""),
        ("(1,4)w (3,4)w (3,6)w (5,4)b (5,6)b (6,7)b", "b", "", "(5,4)->(4,5) (5,4)->(4,3)", "(5,6)->(4,5)"),
        ("(0,5)w (1,2)w (3,2)b (4,1)b (4,3)b (5,0)W", "w", "", "", "(1,2)->(2,3) (1,2)->(2,1)"),
        ("(1,2)b (1,6)b (0,5)w (5,0)w", "b", "(1,2)->(0,3) (1,2)->(0,1) (1,6)->(0,7)", "", ""),
        ("(5,2)w (6,3)b (6,5)b", "w", "(5,2)->(7,4)", "", ""),
    ],
)
def test_checkers(board: str, side: str, king: str, die: str, two: str) -> None:
    position = pieces(board)
    assert checkers.new_kings(position, checkers.legal(position, side)) == steps(king)
    assert checkers.worthless_dies(position, side) == steps(die)
    assert checkers.two_for_ones(position, side) == steps(two)


def test_a_new_king_jumps_no_further() -> None:
    position = pieces("(5,2)w (6,3)b (6,5)b")
    assert checkers.legal(position, "w") == [(5, 2, 7, 4)]
    assert [len(sequence.captured) for sequence in checkers.sequences(position, "w")] == [1]


def test_checkers_has_no_truth_at_the_start() -> None:
    board = checkers.board_of(TASKS["checkers"]().start())
    for side in "wb":
        assert checkers.new_kings(board, checkers.legal(board, side)) == set()
        assert checkers.worthless_dies(board, side) == checkers.two_for_ones(board, side) == set()


def test_the_rules_of_the_truths_are_the_games() -> None:
    """Legal moves, and positions after them, in random games."""
    task, draws = TASKS["checkers"](), random.Random(2)
    for _ in range(60):
        state = task.start()
        while not state.is_terminal():
            player = state.current_player()
            side, moves = checkers.SIDES[player], task.moves(state, player)
            board = checkers.board_of(state)
            if not state.in_turn:
                assert set(checkers.legal(board, side)) == set(moves)
            move = draws.choice(moves)
            state.apply_action(task.action(state, player, move))
            assert checkers.board_of(state) == checkers.after(board, move)


def test_the_third_occurrence_of_a_position_is_a_draw() -> None:
    task, draws, seen = TASKS["checkers"](), random.Random(8), 0
    for _ in range(200):
        state = task.start()
        while not state.is_terminal():
            player = state.current_player()
            state.apply_action(task.action(state, player, draws.choice(task.moves(state, player))))
        seen += state.is_repeated
        if state.is_repeated:
            assert state.returns() == [0.0, 0.0]
            assert state.legal_actions() == []
    assert seen > 0


# ---------------------------------------------------------------------------------------- Tic-tac-toe and Connect four


@pytest.mark.parametrize(
    ("board", "own", "others", "side"),
    [("_OX XOX OX_", "", "22", "O"), ("XX_ OO_ X__", "02", "12", "X"), ("X_O _X_ O__", "22", "", "X")],
)
def test_tic_tac_toe(board: str, own: str, others: str, side: str) -> None:
    rows = board.split()
    empty = [(row, column) for row, column in product(range(3), range(3)) if rows[row][column] == "_"]
    for symbol, expected in ((side, own), ("XO"["OX".index(side)], others)):
        assert grids.wins(rows, empty, symbol, 3) == {(int(at[0]), int(at[1])) for at in expected.split()}


@pytest.mark.parametrize(
    ("board", "drops", "own", "others"),
    [
        (
            "___O___ ___X___ _O_OOX_ _OXXXO_ XXXOXO_ XOXXOO_",
            {(2, 0), (4, 1), (3, 2), (4, 4), (4, 5), (0, 6)},
            {(3, 2)},
            {(3, 2)},
        ),
        (
            "_______ _______ _______ ___O___ __XO___ _XXXO__",
            {(0, 0), (1, 1), (2, 2), (3, 3), (1, 4), (0, 5), (0, 6)},
            {(0, 0)},
            set(),
        ),
    ],
)
def test_connect_four(board: str, drops: set[Any], own: set[Any], others: set[Any]) -> None:
    rows = board.split()[::-1]
    squares = TASKS["connect_four"]().squares(rows)  # type: ignore[attr-defined]
    assert set(squares) == drops
    assert grids.wins(rows, squares, "X", 4) == own
    assert grids.wins(rows, squares, "O", 4) == others


# -------------------------------------------------------------------------------------------------------- Texas Hold'em


@pytest.mark.parametrize(
    ("cards", "percent"),
    [
        ("Diamonds 3, Diamonds 4", 35.7),
        ("Spades Q, Clubs 4", 47.7),
        ("Hearts 7, Hearts 2", 32.6),
        ("Hearts 7, Clubs 2", 31.7),
        ("Hearts A, Clubs A", 84.9),
        ("Hearts A, Hearts K", 66.2),
        ("Hearts 10, Clubs J", 53.8),
    ],
)
def test_the_probability_before_the_flop(cards: str, percent: float) -> None:
    assert holdem.preflop([holdem.card(card) for card in cards.split(", ")]) == percent


def hand(text: str) -> list[holdem.Card]:
    suits = {suit[0]: suit for suit in holdem.SUITS}
    return [holdem.card(f"{suits[word[-1].upper()]} {word[:-1]}") for word in text.split()]


@pytest.mark.parametrize(
    ("cards", "rank"),
    [
        ("As Ks Qs Js 10s", 1),
        ("9h 10h Jh Qh Kh Ad", 2),
        ("Ah 2h 3h 4h 5h", 2),
        ("9s 9h 9d 9c Kd Kc", 3),
        ("9s 9h 9d Kd Kc", 4),
        ("9s 9h 9d Kd Kc Kh", 4),
        ("2h 9h Jh Kh 3h 3c", 5),
        ("As 2h 3d 4c 5s", 6),
        ("10s Jh Qd Kc As 2h", 6),
        ("9s 9h 9d Kd 2c", 7),
        ("9s 9h Kd Kc 2s", 8),
        ("9s 9h Kd Kc 2s 2h", 8),
        ("9s 9h Kd 3c 2s", 9),
        ("9s 8h Kd 3c 2s", 10),
        ("Ks Ah 2d 3c 4s", 10),
    ],
)
def test_the_rank_of_a_hand(cards: str, rank: int) -> None:
    assert holdem.hand_rank(hand(cards)) == rank


def test_the_table_covers_all_hands() -> None:
    ranks, suits = range(2, 15), holdem.SUITS
    cards = [holdem.Card(rank, suit) for rank in ranks for suit in suits]
    assert {holdem.preflop([one, other]) > 28 for one, other in product(cards, cards) if one != other} == {True}


def test_cards_are_shown_in_the_order_in_which_they_were_dealt() -> None:
    state = TASKS["holdem"]().start()
    for outcome in (0, 5, 51, 48):
        state.apply_action(outcome)
    assert [str(card) for cards in holdem.deal(state).hands for card in cards] == [
        "Clubs 2",
        "Diamonds 3",
        "Spades A",
        "Clubs A",
    ]
