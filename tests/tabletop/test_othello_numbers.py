"""The numbers of the Othello arena's specification, section 16: perft, captures, whole games, exact values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from vgdl.tabletop import load
from vgdl.tabletop.othello import OthelloState
from vgdl.tabletop.othello_game import Othello

STANDARD = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]
PERFT = {
    "othello": STANDARD,
    "othello(stage=stage-1)": [4, 12, 56, 244, 1364, 7604, 47740, 308716],
    "othello(stage=stage-2)": [4, 12, 56, 244, 1394, 8104, 54208, 378944],
    "othello(stage=occlusion-cw)": [4, 12, 56, 244, 1394, 8104, 54208, 378976],
    "othello(stage=csquares)": [4, 12, 56, 244, 1392, 8008, 53324, 367816],
    "othello(stage=csquares-occ)": [4, 12, 56, 244, 1392, 8008, 53324, 367880],
    "othello(stage=csquares,ignore_occlusion=true)": [4, 12, 56, 244, 1392, 8008, 53324, 367880],
    "othello(stage=large-10)": [4, 12, 56, 244, 1396, 8200, 55180],
    "othello(stage=fewer-8)": [4, 12, 56, 244, 1412, 8432, 57464],
    "othello(stage=fewer-6)": [4, 12, 56, 244, 1380, 7812, 49748],
    "othello(stage=stage-2,fewer_pieces_continue=true)": [4, 12, 56, 244, 1410, 8336, 56514],
    "othello(stage=parallel-8)": [4, 14, 68, 292, 1690, 9696, 64794],
    "othello(stage=pairs-8)": [7, 49, 346, 2491, 18260, 148789, 1236893],
    "othello(blocked=c5)": [4, 10, 44, 171, 915, 4883, 30497],
    "othello(blocked=c5,ignore_occlusion=true)": [4, 12, 55, 235, 1341, 7662, 51079],
    "othello(size=4)": [4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540, 50704, 57436],
}


def start(name: str) -> OthelloState:
    state = load(name).new_initial_state()
    assert isinstance(state, OthelloState)
    return state


@pytest.mark.parametrize("name", PERFT)
def test_the_tree_of_games_has_the_known_number_of_leaves(name: str) -> None:
    state = start(name)
    assert [state.perft(depth)[0] for depth in range(1, len(PERFT[name]) + 1)] == PERFT[name]


def test_the_goal_changes_no_moves() -> None:
    assert start("othello(stage=reverse-8)").perft(7)[0] == STANDARD[6]
    assert start("othello(stage=reverse-6)").perft(7)[0] == PERFT["othello(stage=stage-1)"][6]


def test_perft_counts_passes_as_plies() -> None:
    """Of the leaves at depth 9, 24 are passes: the moves of the last ply are the others."""
    nine, eight = start("othello").perft(9), start("othello").perft(8)
    assert nine[1] - eight[1] == STANDARD[8] - 24


def empty(n: int, **cells: int) -> list[list[int]]:
    """A board with some cells set: ``d4=2``."""
    board = [[0] * n for _ in range(n)]
    for name, code in cells.items():
        board[int(name[1:]) - 1][ord(name[0]) - ord("a")] = code
    return board


def rules(name: str):  # type: ignore[no-untyped-def]
    game = load(name)
    assert isinstance(game, Othello)
    return game.rules


def test_the_first_move_turns_one_piece_and_leaves_three_replies() -> None:
    law = rules("othello")
    board = start("othello").rows()
    assert law.legal_moves(board, 1) == [(2, 3), (3, 2), (4, 5), (5, 4)]
    assert law.captures(board, 1, 2, 3) == [(3, 3)]
    after = law.simulate(board, 1, 2, 3)
    assert (after.valid, after.captured_count) == (True, 1)
    assert law.legal_moves(after.resulting_board, 2) == [(2, 2), (2, 4), (4, 2)]
    assert law.evaluate(after.resulting_board, 1) == (3, 0, 0, 0, 3.0)
    assert law.evaluate(after.resulting_board, 2) == (-3, 0, 0, 0, -3.0)


def test_the_first_moves_on_the_small_board() -> None:
    assert start("othello(stage=stage-1)").legal_actions() == [
        6 * row + column for row, column in [(1, 2), (2, 1), (3, 4), (4, 3)]
    ]


def test_figure_5_of_the_paper() -> None:
    board = empty(8, b1=3, h2=3, g8=3, a7=3, a1=1, c1=2, d1=2)
    standard, ignoring = rules("othello(stage=stage-2)"), rules("othello(stage=occlusion-cw)")
    assert standard.legal_moves(board, 1) == []
    assert standard.simulate(board, 1, 0, 4) == (False, None, 0)
    assert standard.evaluate(board, 1) == (-1, 0, 100, 0, 99.0)
    assert ignoring.captures(board, 1, 0, 4) == [(0, 2), (0, 3)]
    assert ignoring.evaluate(board, 1) == (-1, 1, 100, 0, 101.0)


def test_a_capture_across_a_blocked_cell_in_the_middle() -> None:
    board = empty(8, d4=2, e4=3, f4=2, g4=1, c5=2, c6=1)
    assert rules("othello").captures(board, 1, 3, 2) == [(4, 2)]
    assert rules("othello(ignore_occlusion=true)").captures(board, 1, 3, 2) == [(3, 3), (3, 5), (4, 2)]


LINES = [  # from the played cell outwards; captures under the standard rule, and under ignore occlusion (3.3)
    ("WB", 1, 1),
    ("W#B", 0, 1),
    ("#WB", 0, 1),
    ("#B", 0, 0),
    ("W#WB", 0, 2),
    ("WW#B", 0, 2),
    ("W##B", 0, 1),
    ("W#.B", 0, 0),
    ("WW#", 0, 0),
]
DIRECTIONS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]


@pytest.mark.parametrize("n", [5, 6, 8, 9, 11, 12])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("line", "standard", "ignoring"), LINES)
def test_lines_with_blocked_cells(n: int, direction: tuple[int, int], line: str, standard: int, ignoring: int) -> None:
    """In every direction, from a cell where the line just reaches the edge; the far edges of all sizes included."""
    down, right = direction
    row = {1: n - 1 - len(line), 0: n // 2, -1: len(line)}[down]
    column = {1: n - 1 - len(line), 0: n - 1, -1: len(line)}[right]
    board = [[0] * n for _ in range(n)]
    for place, sign in enumerate(line, 1):
        board[row + down * place][column + right * place] = ".BW#".index(sign)
    for law, captured in ((rules("othello"), standard), (rules("othello(ignore_occlusion=true)"), ignoring)):
        assert len(law.captures(board, 1, row, column)) == captured
        assert ((row, column) in law.legal_moves(board, 1)) == bool(captured)


def test_fewer_pieces_continue_move_by_move() -> None:
    """The greedy game of the specification: mover, cell, pieces flipped, next player."""
    told = (
        "B d3 1 4-1 W; W c3 1 3-3 B; B b3 1 5-2 W; W b2 1 4-4 B; B b1 1 6-3 W; W e3 2 4-6 B; B f3 4 9-2 W; W a1 2 7-5 W; "
        "W g3 3 4-9 B; B h3 5 10-4 W; W e2 2 8-7 W; W a3 3 5-11 B"
    )
    state = start("othello(stage=fewer-8)")
    for entry in told.split("; "):
        mover, cell, turned, counts, following = entry.split()
        assert "BW"[state.current_player()] == mover
        action = greedy(state)
        assert (state.action_to_string(action), len(state.captures(action))) == (cell, int(turned))
        state.apply_action(action)
        assert "{}-{}".format(*state.counts()) == counts
        assert "BW"[state.current_player()] == following


Chooser = Callable[[OthelloState], int]
QUADRANT = [[120, -20, 20, 5], [-20, -40, -5, -5], [20, -5, 15, 3], [5, -5, 3, 3]]  # W8 of section 9


def first(state: OthelloState) -> int:
    return state.legal_actions()[0]


def greedy(state: OthelloState) -> int:
    return max(state.legal_actions(), key=lambda action: len(state.captures(action)))


def positional(state: OthelloState) -> int:
    if len(state.rows()) != 8:
        return greedy(state)

    def weight(action: int) -> int:
        row, column = divmod(action, 8)
        return QUADRANT[min(row, 7 - row)][min(column, 7 - column)]

    return max(state.legal_actions(), key=weight)


PAIRS: dict[str, tuple[Chooser, Chooser]] = {
    "greedy-greedy": (greedy, greedy),
    "positional-greedy": (positional, greedy),
    "greedy-positional": (greedy, positional),
    "first-first": (first, first),
}
GAMES = [  # stage, players, final counts, moves, passes, extra turns
    ("stage-0", "greedy-greedy", (19, 45), 60, 0, 0),
    ("stage-0", "positional-greedy", (38, 26), 60, 0, 0),
    ("stage-0", "greedy-positional", (13, 0), 9, 0, 0),
    ("stage-0", "first-first", (19, 45), 60, 4, 0),
    ("stage-1", "greedy-greedy", (14, 22), 32, 3, 0),
    ("stage-1", "positional-greedy", (14, 22), 32, 3, 0),
    ("stage-1", "greedy-positional", (14, 22), 32, 3, 0),
    ("stage-1", "first-first", (18, 18), 32, 0, 0),
    ("stage-2", "greedy-greedy", (27, 33), 56, 1, 0),
    ("stage-2", "positional-greedy", (27, 33), 56, 0, 0),
    ("stage-2", "greedy-positional", (13, 0), 9, 0, 0),
    ("stage-2", "first-first", (33, 27), 56, 3, 0),
    ("occlusion-cw", "greedy-greedy", (53, 7), 56, 3, 0),
    ("occlusion-cw", "first-first", (49, 11), 56, 4, 0),
    ("fewer-8", "greedy-greedy", (29, 35), 60, 1, 7),
    ("fewer-8", "positional-greedy", (27, 37), 60, 1, 11),
    ("fewer-8", "greedy-positional", (30, 34), 60, 0, 16),
    ("fewer-8", "first-first", (24, 40), 60, 17, 25),
    ("fewer-6", "greedy-greedy", (5, 31), 32, 3, 7),
    ("large-10", "greedy-greedy", (25, 75), 96, 1, 0),
]


@pytest.mark.parametrize(("stage", "pair", "counts", "moves", "passes", "extra"), GAMES)
def test_whole_games(stage: str, pair: str, counts: tuple[int, int], moves: int, passes: int, extra: int) -> None:
    state = start(f"othello(stage={stage})")
    passing = len(state.rows()) ** 2
    made = passed = given = 0  # moves, passes, turns given to the mover by the counts, also after the last move
    while not state.is_terminal():
        mover = state.current_player()
        action = PAIRS[pair][mover](state)
        state.apply_action(action)
        if action == passing:
            passed += 1
        else:
            made += 1
            given += "fewer" in stage and state.counts()[mover] < state.counts()[1 - mover]
    assert (state.counts(), made, passed, given) == (counts, moves, passes, extra)


def test_the_game_that_ends_without_white_pieces() -> None:
    state = start("othello")
    for cell in ["d3", "c3", "b3", "e3", "f3", "f4", "f5", "f6", "g7"]:
        state.apply_action(state.string_to_action(cell))
    assert state.is_terminal()
    assert state.counts() == (13, 0)
    assert state.returns() == [1.0, -1.0]


def test_the_paper_s_sixty_moves() -> None:
    moves = (
        "d3 c3 b3 b2 b1 e3 f3 a1 c4 g3 h3 e2 d1 a3 a2 b4 a4 a5 b5 c5 a6 c2 c1 e1 f1 d2 e6 e7 f4 g4 g2 g1 h1 f2 e8 f5 g5 h5 c6 h2 "
        "h4 b7 a8 d7 h6 h7 h8 g6 c8 f6 d6 d8 f7 f8 g8 g7 c7 b8 b6 a7"
    )
    state = start("othello")
    for cell in moves.split():
        state.apply_action(state.string_to_action(cell))
    assert state.is_terminal()
    assert state.counts() == (27, 37)


def solved(name: str) -> int:
    """Exact value for black: the difference at the end under the stage's goal."""
    game = load(name)
    assert isinstance(game, Othello)
    sign = -1 if game.stage.fewest_wins else 1

    @cache
    def value(key: bytes) -> int:
        state = known[key]
        if state.is_terminal():
            black, white = state.counts()
            return sign * (black - white)
        values = []
        for action in state.legal_actions():
            after = state.child(action)
            known.setdefault(after.key(), after)
            values.append(value(after.key()))
        return max(values) if state.current_player() == 0 else min(values)

    root = game.new_initial_state()
    known = {root.key(): root}
    return value(root.key())


EXACT = {
    "othello(size=4)": -8,
    "othello(size=4,fewest_wins=true)": 3,
    "othello(size=4,fewer_pieces_continue=true)": -6,
    "othello(size=4,fewer_pieces_continue=true,fewest_wins=true)": 0,
    "othello(size=4,blocked=a1)": 13,
    "othello(size=4,blocked=a1,ignore_occlusion=true)": 13,
    "othello(size=4,blocked=b1)": -9,
    "othello(size=4,blocked=b1,ignore_occlusion=true)": -3,
}


@pytest.mark.one_case
@pytest.mark.parametrize("name", EXACT)
def test_exact_values_of_the_smallest_board(name: str) -> None:
    assert solved(name) == EXACT[name]


def test_stages_with_the_same_rules_are_the_same_game() -> None:
    named, spelled = load("othello(stage=csquares-occ)"), load("othello(stage=csquares,ignore_occlusion=true)")
    assert isinstance(named, Othello)
    assert isinstance(spelled, Othello)
    assert replace(named.stage, id="", name="") == replace(spelled.stage, id="", name="")
    assert named == spelled
