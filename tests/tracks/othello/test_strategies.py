"""The built-in strategies, by the whole games in the specification (9 and 16)."""

from __future__ import annotations

import itertools
import random
import time
from typing import Any

import pytest

from vgdl.competition.tracks.othello.board import Board, Cell, notation
from vgdl.competition.tracks.othello.game import Choice, Game
from vgdl.competition.tracks.othello.games import GameRecord
from vgdl.competition.tracks.othello.players import simple, template
from vgdl.competition.tracks.othello.stages import shown
from vgdl.competition.tracks.othello.systems import Strategy, System
from vgdl.tabletop.othello import ObservableApi, PaperApi, Rules
from vgdl.tabletop.othello_stages import STAGES


class FixedTimer:
    """As much time as is needed."""

    remaining_ms = 1e9
    game_ms = 1e9
    clock = staticmethod(time.process_time)


class Side:
    """A strategy in this process."""

    def __init__(self, name: str, strategy: Strategy) -> None:
        self.name = name
        self._strategy = strategy

    def choose(self, board: Board, player: int, moves: list[Cell], left_ms: float) -> Choice:
        return Choice(self._strategy(board, player, moves), 0.0)


def strategy(system: System, stage_id: str) -> Strategy:
    stage = STAGES[stage_id]
    rules = Rules(stage)
    moves = rules.legal_moves(stage.board(), 1)
    return system.analyze_stage(shown(stage, 9), stage.board(), moves, ObservableApi(rules), FixedTimer())


def game(stage_id: str, black: System, white: System) -> GameRecord:
    stage = STAGES[stage_id]
    sides = [Side(type(system).__name__, strategy(system, stage_id)) for system in (black, white)]
    return Game(stage, Rules(stage), 1000.0, random.Random(0)).play(*sides)  # type: ignore[arg-type]


GREEDY, POSITIONAL = simple.Greedy(), simple.Positional()


@pytest.mark.parametrize(
    ("stage", "black", "white", "score", "moves"),
    [
        ("stage-0", GREEDY, GREEDY, (19, 45), 60),
        ("stage-0", POSITIONAL, GREEDY, (38, 26), 60),
        ("stage-0", GREEDY, POSITIONAL, (13, 0), 9),
        ("stage-1", GREEDY, GREEDY, (14, 22), 32),
        ("stage-1", POSITIONAL, GREEDY, (14, 22), 32),
        ("stage-2", GREEDY, GREEDY, (27, 33), 56),
        ("stage-2", POSITIONAL, GREEDY, (27, 33), 56),
        ("stage-2", GREEDY, POSITIONAL, (13, 0), 9),
        ("occlusion-cw", GREEDY, GREEDY, (53, 7), 56),
        ("fewer-8", GREEDY, GREEDY, (29, 35), 60),
        ("fewer-8", POSITIONAL, GREEDY, (27, 37), 60),
        ("fewer-8", GREEDY, POSITIONAL, (30, 34), 60),
        ("fewer-6", GREEDY, GREEDY, (5, 31), 32),
        ("large-10", GREEDY, GREEDY, (25, 75), 96),
    ],
)
def test_whole_games(stage: str, black: System, white: System, score: tuple[int, int], moves: int) -> None:
    record = game(stage, black, white)
    assert (record.black_score, record.white_score) == score
    assert len(record.moves) == moves
    assert record.forfeit is None
    assert not record.faults


def test_the_game_that_leaves_white_without_pieces() -> None:
    record = game("stage-0", GREEDY, POSITIONAL)
    assert " ".join(notation(move.cell) for move in record.moves) == "d3 c3 b3 e3 f3 f4 f5 f6 g7"
    assert record.winner == 1


def test_fewest_pieces_win_reversed() -> None:
    assert game("reverse-8", GREEDY, GREEDY).winner == 1, "with 19 to 45"


def test_greedy_counts_true_captures_and_greedy_standard_those_of_the_standard_rule() -> None:
    rows = [[0] * 8 for _ in range(8)]
    rows[0][:4] = [0, 2, 3, 1]  # a1 captures across the blocked cell only
    rows[5][:4] = [0, 2, 1, 0]  # a6 captures one piece under both rules
    rows[7][:5] = [0, 2, 3, 2, 1]
    board = tuple(map(tuple, rows))
    moves = [(0, 0), (5, 0), (7, 0)]
    assert strategy(simple.Greedy(), "occlusion-cw")(board, 1, moves) == (7, 0)
    assert strategy(simple.GreedyStandard(), "occlusion-cw")(board, 1, moves) == (5, 0)


def test_corners_takes_a_corner_then_an_edge_then_is_greedy() -> None:
    play = strategy(simple.Corners(), "stage-0")
    board = STAGES["stage-0"].board()
    assert play(board, 1, [(2, 3), (0, 7), (7, 0), (0, 3)]) == (0, 7)
    assert {play(board, 1, [(2, 3), (0, 3), (4, 7)]) for _ in range(50)} == {(0, 3), (4, 7)}
    assert play(board, 1, [(2, 3), (3, 2)]) == (2, 3)


def test_random_plays_any_move() -> None:
    play = strategy(simple.Random(), "stage-0")
    assert {play(STAGES["stage-0"].board(), 1, [(2, 3), (3, 2)]) for _ in range(50)} == {(2, 3), (3, 2)}


def test_cell_values_are_the_published_ones_and_mirrored() -> None:
    eight, six, ten = map(simple.cell_values, (8, 6, 10))
    assert eight[0] == (120, -20, 20, 5, 5, 20, -20, 120)
    assert six[1] == (-10, -20, -5, -5, -20, -10)
    assert ten[0] == (120, -20, 20, 5, 5, 5, 5, 20, -20, 120)
    assert all(tuple(zip(*values, strict=True)) == values for values in (eight, six, ten))


@pytest.mark.parametrize(
    ("base", "plays", "wins", "value"),
    [
        (120, 2, 2, 120),  # too few plays
        (120, 10, 10, 99),  # 84 + 15
        (120, 10, 0, 69),
        (-20, 5, 5, -6),  # -14 + 7.5 = -6.5, halves up
        (5, 20, 10, 4),  # 3.5, halves up
    ],
)
def test_the_template_mixes_base_values_with_winning_moves(base: int, plays: int, wins: int, value: int) -> None:
    assert template.learnt_value(base, plays, wins) == value


def game_of(moves: int, winner: int) -> template.Game:
    return template.Game(tuple((1 + number % 2, (0, number)) for number in range(moves)), winner, {1: 30, 2: 34})


def test_the_templates_book_keeps_winning_openings_of_black() -> None:
    assert template.book([game_of(8, 1), game_of(9, 1)]) == [game_of(6, 1).moves]
    assert template.book([game_of(8, 1)]) == [], "seen once"
    assert template.book([game_of(8, 1), game_of(8, 2)]) == [], "won half of the time"
    assert template.book([game_of(3, 1), game_of(3, 1)]) == [], "too short"


class OneGame(FixedTimer):
    """A timer that leaves the template no time for self-play."""

    remaining_ms = 0.0


def test_the_template_values_replies_with_a_wrong_sign_and_its_fix_with_the_right_one() -> None:
    stage = STAGES["stage-0"]
    rules = Rules(stage)
    differing = 0
    chance = random.Random(1)
    for _ in range(5):
        board, player = stage.board(), 1
        plays = {
            kind: kind(seed=1).analyze_stage(shown(stage, 9), board, [], ObservableApi(rules), OneGame())
            for kind in (template.Template, template.TemplateFixed)
        }
        while player:
            moves = rules.legal_moves(board, player)
            chosen = {kind: play(board, player, moves) for kind, play in plays.items()}
            differing += len(set(chosen.values())) > 1
            board = rules.simulate(board, player, *chance.choice(moves)).resulting_board or board
            player = rules.next_player(board, player)
    assert differing > 10


class Few(FixedTimer):
    """Time for twenty games."""

    left = 40

    @property
    def remaining_ms(self) -> float:  # type: ignore[override]
        self.left -= 1
        return float(self.left)


@pytest.mark.parametrize(("name", "is_reversed"), [("reverse-6", True), ("stage-1", False)])
def test_only_the_fixed_template_finds_out_that_the_fewest_pieces_win(name: str, is_reversed: bool) -> None:
    stage = STAGES[name]
    rules = Rules(stage)
    found = {}
    for kind, api in itertools.product(
        (template.Template, template.TemplateFixed), (ObservableApi(rules), PaperApi(rules))
    ):
        play: Any = kind(seed=3).analyze_stage(shown(stage, 9), stage.board(), [], api, Few())
        found[kind, type(api)] = play.goal, play.mobility_weight, play.values[0][0] < 0
    asking = found.pop((template.TemplateFixed, ObservableApi))
    assert asking == ((-1, -5, True) if is_reversed else (1, 10, False))
    assert set(found.values()) == {(1, 10, False)}


def reversed_games_won(kind: type[template.Template]) -> int:
    """Of 16 games in which the fewest pieces win, those that a template wins against systems that analyse nothing."""
    won = 0
    rivals: tuple[System, ...] = (simple.FirstLegal(), simple.Greedy(), simple.Positional(), simple.GreedyStandard())
    for name, side, rival in itertools.product(("reverse-6", "reverse-8"), (1, 2), rivals):
        stage = STAGES[name]
        rules = Rules(stage)
        api = ObservableApi(rules)
        systems: list[System] = [kind(seed=3), rival]
        plays = [system.analyze_stage(shown(stage, 9), stage.board(), [], api, Few()) for system in systems]
        board, player = stage.board(), 1
        while player:
            cell = plays[player != side](board, player, rules.legal_moves(board, player))
            board = rules.simulate(board, player, *cell).resulting_board or board
            player = rules.next_player(board, player)
        won += rules.winner(board) == side
    return won


def test_the_fixed_template_wins_where_the_fewest_pieces_win() -> None:
    assert reversed_games_won(template.TemplateFixed) > 8 > reversed_games_won(template.Template)


def test_the_template_is_repeatable() -> None:
    stage = STAGES["stage-1"]

    def values() -> list[list[int]]:
        rules = Rules(stage)
        play = template.Template(seed=3).analyze_stage(shown(stage, 9), stage.board(), [], ObservableApi(rules), Few())
        return play.values  # type: ignore[attr-defined, no-any-return]

    assert values() == values()
