"""Army chess and Quadranto: the numbers of the specification (code world models, 9.3 and 9.4), and hidden information."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from vgdl.controllers.tabletop import ISMCTS, MCTS, RandomPlayer
from vgdl.tabletop import laws, load, play

FIRST = "A1_to_B3 A1_to_C2 A1_to_D1 A2_to_B1 A2_to_B2 A2_to_B3 A2_to_C2 A3_to_B3 A4_to_B3 A4_to_B4 A4_to_B5 A4_to_C4 A5_to_D5"


def shares(name: str, games: int) -> tuple[list[float], float]:
    """How uniformly random games end: shares of player 0's and player 1's wins and of draws, and the mean of plies."""
    game, draws = load(name), random.Random(1)
    ends: Counter[float] = Counter()
    plies = 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            plies += not state.is_chance_node()
            state.apply_action(draws.choice(state.legal_actions()))
        ends[state.returns()[0]] += 1
    return [ends[value] / games for value in (1.0, -1.0, 0.0)], plies / games


@pytest.mark.parametrize(
    ("name", "expected", "games"),
    [
        ("army5x5a", (0.472, 0.478, 0.050), 300),
        ("quadranto", (0.188, 0.202, 0.610), 1000),
        ("quadranto(bump=true)", (0.143, 0.151, 0.706), 1000),
    ],
)
def test_random_play_ends_as_measured(name: str, expected: tuple[float, ...], games: int) -> None:
    """Within four standard errors of the specification's shares."""
    found, plies = shares(name, games)
    for share, wanted in zip(found, expected, strict=True):
        assert abs(share - wanted) < 4 * (wanted * (1 - wanted) / games) ** 0.5 + 0.005
    if name == "army5x5a":
        assert abs(plies - 32.6) < 4


def test_army_chess_begins_with_thirteen_moves_for_each_side() -> None:
    state = load("army5x5a").new_initial_state()
    assert [state.action_to_string(action) for action in state.legal_actions()] == FIRST.split()
    state.apply_action(state.string_to_action("A2_to_B2"))
    mirrored = {
        f"{'EDCBA'['ABCDE'.index(move[0])]}{move[1:6]}{'EDCBA'['ABCDE'.index(move[6])]}{move[7]}"
        for move in FIRST.split()
    }
    assert {state.action_to_string(action) for action in state.legal_actions()} == mirrored


def test_capturing_the_general_wins() -> None:
    state = load("army5x5a").new_initial_state()
    for move in ["A2_to_C2", "E1_to_B1", "C2_to_D3", "E5_to_B5", "D3_to_E3"]:
        state.apply_action(state.string_to_action(move))
    assert state.returns() == [1.0, -1.0]
    assert state.is_terminal()


def test_mcts_captures_a_general_within_reach() -> None:
    state = load("army5x5a").new_initial_state()
    for move in ["A2_to_C2", "E1_to_B1", "C2_to_D3", "E5_to_B5"]:
        state.apply_action(state.string_to_action(move))
    assert state.action_to_string(MCTS(simulations=20, rollouts=1, seed=1).step(state)) == "D3_to_E3"


def placed(first: int, second: int, *actions: str, name: str = "quadranto") -> Any:
    state = load(name).new_initial_state()
    state.apply_action(first)
    state.apply_action(second)
    for action in actions:
        state.apply_action(state.string_to_action(action))
    return state


def test_quadranto_shows_a_player_its_own_cell_and_the_opponents_quadrant() -> None:
    one, other = placed(0, 0), placed(0, 3)
    assert one.observation_string(0) == other.observation_string(0)
    assert one.observation_string(1) != other.observation_string(1)
    assert "bottom right" in one.observation_string(0)
    after = placed(3, 0, "Right", "Up")
    assert "row 2, column 3" in after.observation_string(0)
    assert "the other is top right" in after.observation_string(0)
    assert "the other is top right" in after.observation_string(1)


def test_moves_off_the_board_are_illegal_or_bump() -> None:
    assert [placed(0, 3).action_to_string(0, action) for action in placed(0, 3).legal_actions()] == [
        "Right",
        "Down",
        "Stay",
    ]
    bumping = placed(0, 3, "Left", name="quadranto(bump=true)")
    assert "row 1, column 1" in bumping.observation_string(0)


def test_moving_onto_the_opponent_wins() -> None:
    state = placed(3, 0, "Right", "Up")
    assert state.returns() == [-1.0, 1.0]
    assert state.is_terminal()


@pytest.mark.parametrize("name", ["army5x5a", "quadranto", "quadranto(bump=true)"])
def test_the_games_keep_the_protocol(name: str) -> None:
    assert laws.check(load(name), plays=30) > 200


def test_every_path_that_fits_is_resampled() -> None:
    """At the start, every cell of the opponent's quadrant is about equally likely."""
    state, draws = placed(0, 2), random.Random(4)
    cells = Counter(state.resample_from_infostate(0, draws.random).history()[1] for _ in range(400))
    assert set(cells) == {0, 1, 2, 3}
    assert min(cells.values()) > 60


@pytest.mark.costly
def test_ismcts_beats_random_play_at_quadranto() -> None:
    game = load("quadranto")
    total = 0.0
    for seed in range(30):
        players: list[Any] = [ISMCTS(simulations=60, rollouts=1, seed=seed), RandomPlayer(seed=seed)]
        first = seed % 2
        total += play(game, players[::-1] if first else players, random.Random(seed).random).returns()[first]
    assert total > 0
