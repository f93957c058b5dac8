"""The strong players: search, inference, learning (specification 15)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from vgdl.competition.tracks.othello.board import EMPTY, Board, Cell, count
from vgdl.competition.tracks.othello.players.alphabeta import AlphaBeta
from vgdl.competition.tracks.othello.players.evaluation import NTuples
from vgdl.competition.tracks.othello.players.inference import Inferred, agrees, infer
from vgdl.competition.tracks.othello.players.strong import MCTS, AdaptiveAB, MobilityAB, Timed, move_time_s
from vgdl.competition.tracks.othello.players.uct import UCT
from vgdl.competition.tracks.othello.stages import shown
from vgdl.competition.tracks.othello.systems import System
from vgdl.tabletop.othello import ObservableApi, PaperApi, Rules
from vgdl.tabletop.othello_answers import MoveResult
from vgdl.tabletop.othello_stages import STAGES, Stage, usual

pytestmark = pytest.mark.one_case

SMALLEST = usual("smallest", "4x4", 4)


class ShortTimer:
    """A little time, in which each look at the clock takes 0.1 ms: searches end at the same node in every run."""

    game_ms = 200.0
    remaining_ms = 100.0

    def __init__(self) -> None:
        self._looks = 0

    def clock(self) -> float:
        self._looks += 1
        return self._looks / 10_000


def api_of(stage: Stage) -> ObservableApi:
    return ObservableApi(Rules(stage))


@pytest.mark.parametrize(
    ("changes", "value"),
    [
        ({}, -8),
        ({"fewest_wins": True}, 3),
        ({"fewer_pieces_continue": True}, -6),
        ({"fewer_pieces_continue": True, "fewest_wins": True}, 0),
        ({"initial_blocked": ((0, 0),)}, 13),
        ({"initial_blocked": ((0, 0),), "ignore_occlusion": True}, 13),
        ({"initial_blocked": ((0, 1),)}, -9),
        ({"initial_blocked": ((0, 1),), "ignore_occlusion": True}, -3),
    ],
)
def test_perfect_play_on_the_smallest_board(changes: dict[str, object], value: int) -> None:
    stage = replace(SMALLEST, **changes)  # type: ignore[arg-type]
    search = AlphaBeta(Rules(stage))
    assert search.margin(stage.board(), 1) == value
    solved = AlphaBeta(Rules(stage)).solve(stage.board(), 1, seconds=60)
    assert solved is not None
    assert solved[1] == (value > 0) - (value < 0)


@pytest.mark.parametrize("changes", [{}, {"fewer_pieces_continue": True}, {"fewest_wins": True}])
def test_exact_values_are_those_of_plain_minimax(changes: dict[str, bool]) -> None:
    stage = replace(STAGES["stage-1"], **changes)  # type: ignore[arg-type]
    rules = Rules(stage)
    chance = random.Random(4)
    for _ in range(3):
        board, player = stage.board(), 1
        while player and count(board, EMPTY) > 6:
            board = (
                rules.simulate(board, player, *chance.choice(rules.legal_moves(board, player))).resulting_board or board
            )
            player = rules.next_player(board, player)
        if player:
            assert AlphaBeta(rules).margin(board, player) == minimax(rules, stage, board, player)


def minimax(rules: Rules, stage: Stage, board: Board, player: int) -> int:
    values = []
    for row, column in rules.legal_moves(board, player):
        after = rules.simulate(board, player, row, column).resulting_board
        assert after is not None
        following = rules.next_player(after, player)
        if following:
            value = minimax(rules, stage, after, following)
            values.append(value if following == player else -value)
        else:
            difference = count(after, player) - count(after, 3 - player)
            values.append(-difference if stage.fewest_wins else difference)
    return max(values)


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_the_rules_of_every_stage_are_inferred(stage: Stage) -> None:
    found = infer(api_of(stage), stage.board())
    assert found == Inferred(stage.ignore_occlusion, stage.fewer_pieces_continue, stage.fewest_wins)
    assert agrees(found.rules(stage.board()), api_of(stage), stage.board())


def test_under_the_paper_s_api_turn_order_and_goal_are_taken_for_standard() -> None:
    stage = replace(STAGES["occlusion-cw"], fewer_pieces_continue=True, fewest_wins=True)
    assert infer(PaperApi(Rules(stage)), stage.board()) == Inferred(True, False, False)


def test_a_wrong_model_disagrees_with_the_api() -> None:
    stage = STAGES["occlusion-cw"]
    wrong = Inferred(ignore_occlusion=False, fewer_continue=False, fewest_wins=False).rules(stage.board())
    assert not agrees(wrong, api_of(stage), stage.board())
    turns = STAGES["fewer-8"]
    assert not agrees(Rules(STAGES["stage-0"]), api_of(turns), turns.board())


class OddApi:
    """The API of a game with an unforeseen rule: a1 cannot be played."""

    def __init__(self, api: ObservableApi) -> None:
        self._api = api

    def __getattr__(self, name: str) -> object:
        return getattr(self._api, name)

    def get_valid_moves(self, board: Board, player: int) -> list[Cell]:
        return [cell for cell in self._api.get_valid_moves(board, player) if cell != (0, 0)]

    def simulate_move(self, board: Board, player: int, row: int, col: int) -> MoveResult:
        return MoveResult(False, None, 0) if (row, col) == (0, 0) else self._api.simulate_move(board, player, row, col)


@pytest.mark.costly
def test_the_anchor_falls_back_to_the_api_where_its_model_is_wrong() -> None:
    stage = STAGES["stage-0"]
    odd = OddApi(api_of(stage))
    play = AdaptiveAB().analyze_stage(shown(stage, 9), stage.board(), [], odd, ShortTimer())  # type: ignore[arg-type]
    moves = odd.get_valid_moves(stage.board(), 1)
    assert play(stage.board(), 1, moves) in moves


@pytest.mark.parametrize("system", [MobilityAB(), MCTS(seed=1), AdaptiveAB(seed=1)])
@pytest.mark.parametrize("stage_id", ["stage-1", "fewer-6", "reverse-6", "occlusion-cw", "large-10"])
@pytest.mark.parametrize("api", [ObservableApi, PaperApi])
def test_strong_players_make_legal_moves_on_every_kind_of_stage(
    system: System, stage_id: str, api: type[PaperApi]
) -> None:
    stage = STAGES[stage_id]
    rules = Rules(stage)
    play = system.analyze_stage(shown(stage, 9), stage.board(), [], api(rules), ShortTimer())
    board, player, chance = stage.board(), 1, random.Random(2)
    while player:
        moves = rules.legal_moves(board, player)
        cell = play(board, player, moves) if player == 1 else chance.choice(moves)
        assert cell in moves
        board = rules.simulate(board, player, *cell).resulting_board or board
        player = rules.next_player(board, player)


@pytest.mark.parametrize("seed", range(3))
def test_an_extra_turn_is_noticed_under_the_paper_s_api(seed: int) -> None:
    stage = STAGES["fewer-8"]
    play = AdaptiveAB().analyze_stage(shown(stage, 9), stage.board(), [], PaperApi(Rules(stage)), ShortTimer())
    rules, board, player, chance = Rules(stage), stage.board(), 1, random.Random(seed)
    left = None  # the board after its last move
    while player:
        moves = rules.legal_moves(board, player)
        cell = chance.choice(moves)
        if player == 1:
            cell = play(board, player, moves)
            assert play.chooser.inferred.fewer_continue == (left == board)  # type: ignore[attr-defined]
            if left == board:
                return
        board = rules.simulate(board, player, *cell).resulting_board or board
        left = board if player == 1 and rules.legal_moves(board, 2) else left
        player = rules.next_player(board, player)
    raise AssertionError("no turn was an extra one: choose another seed")


@pytest.mark.parametrize("stage_id", ["stage-1", "reverse-6", "fewer-6"])
def test_learnt_weights_beat_untrained_ones(stage_id: str) -> None:
    """A thousand games of self-play against weights of 0, one ply deep; the seeds fix the outcome."""
    stage = STAGES[stage_id]
    values = NTuples(Rules(stage), stage.board())
    nothing = values.snapshot()
    assert values.train(stage.board(), 1, seconds=1e9, games=1000, rate=0.3, seed=1) == 1000
    won = values.match(stage.board(), 1, values.snapshot(), nothing, seconds=1e9, games=100, seed=2)
    assert won > 50, "of 100 games, less those lost"


def test_equivalent_positions_have_the_same_value() -> None:
    stage = STAGES["stage-0"]
    values = NTuples(Rules(stage), stage.board())
    values.train(stage.board(), 1, seconds=1e9, games=20, rate=0.3, seed=1)
    board = Rules(stage).simulate(stage.board(), 1, 2, 3).resulting_board
    assert board is not None
    turned = tuple(zip(*board[::-1], strict=True))
    swapped = tuple(tuple({1: 2, 2: 1}.get(code, code) for code in row) for row in board)
    assert values.value(board, 2) == pytest.approx(values.value(turned, 2), abs=1e-6)
    assert values.value(board, 2) == pytest.approx(values.value(swapped, 1), abs=1e-6)
    assert values.value(board, 2) != values.value(board, 1)


def test_playouts_find_the_move_that_wins() -> None:
    rows = [[0] * 4 for _ in range(4)]
    rows[0] = [1, 2, 2, 0]
    rows[3] = [2, 1, 0, 0]
    board = tuple(map(tuple, rows))
    cell, playouts = UCT(Rules(SMALLEST), seed=1).search(board, 1, seconds=1e9, playouts=2000)
    assert cell == AlphaBeta(Rules(SMALLEST)).solve(board, 1, seconds=60)[0]  # type: ignore[index]
    assert playouts >= 2000


def test_a_search_is_repeatable_under_a_budget_of_playouts() -> None:
    stage = STAGES["stage-0"]
    found = {UCT(Rules(stage), seed=5).search(stage.board(), 1, seconds=1e9, playouts=320) for _ in range(3)}
    assert len(found) == 1


def test_a_player_without_a_move_is_answered_with_none() -> None:
    board = tuple(tuple(0 for _ in range(8)) for _ in range(8))
    rules = Rules(STAGES["stage-0"])
    assert AlphaBeta(rules).search(board, 1, seconds=1) == (None, 0)
    assert AlphaBeta(rules).solve(board, 1, seconds=1) is None
    assert UCT(rules).search(board, 1, seconds=1) == (None, 0)


def test_the_time_budget_restarts_with_every_game() -> None:
    now, left = [0.0], []

    class FourSeconds(ShortTimer):
        game_ms = 10_000.0

        @staticmethod
        def clock() -> float:
            return now[0]

    def choose(board: Board, player: int, empties: int, left_s: float) -> Cell:
        now[0] += 4.0
        left.append(left_s)
        return (0, 0)

    play = Timed(choose, FourSeconds())
    start = STAGES["stage-0"].board()
    later = Rules(STAGES["stage-0"]).simulate(start, 1, 2, 3).resulting_board
    assert later is not None
    for board in (start, later, start):
        assert play(board, 1, [(2, 3)]) == (2, 3), "what is not legal is replaced"
    assert left == [pytest.approx(9.7), pytest.approx(5.7), pytest.approx(9.7)]


def test_time_is_spread_over_the_remaining_moves() -> None:
    assert move_time_s(10, 60, 12) == pytest.approx(10 / 26)
    assert move_time_s(10, 10, 12) == 5
    assert move_time_s(0, 10, 12) > 0
