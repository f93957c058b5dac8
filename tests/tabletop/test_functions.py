"""Loading games by name, and functions for any state."""

from __future__ import annotations

import copy
import importlib.util
import json
import pickle
import random
import subprocess
import sys
from typing import Any

import pytest

from vgdl import tabletop
from vgdl.controllers.tabletop import RandomPlayer
from vgdl.tabletop import IllegalAction, UnknownGame, load
from vgdl.tabletop.othello import OthelloState
from vgdl.tabletop.othello_game import Othello
from vgdl.tabletop.othello_stages import STAGES, Stage

needs_spiel = pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("othello", "othello()"),
        (" othello( size = 8 ) ", "othello()"),
        ("othello(size=6)", "othello(stage=stage-1)"),
        ("othello(stage=stage-1,fewest_wins=true)", "othello(stage=reverse-6)"),
        ("othello(stage=csquares,ignore_occlusion=TRUE)", "othello(stage=csquares-occ)"),
        ("othello(stage=csquares,fewest_wins=true)", "othello(stage=csquares,fewest_wins=true)"),
        ("othello(size=5,blocked=a1;e5)", "othello(size=5,blocked=a1;e5)"),
        ("othello(black=a1;b1,white=c1)", "othello(size=8,black=a1;b1,white=c1)"),
    ],
)
def test_a_game_has_a_name_that_loads_it_again(name: str, written: str) -> None:
    game = load(name)
    assert game.to_string() == written
    assert load(written) == game


def test_any_stage_is_a_game_with_a_name() -> None:
    stage = Stage("mine", "Mine", 12, ((11, 11),), ((0, 0), (5, 6)), ((0, 1),), fewer_pieces_continue=True)
    game = Othello(stage)
    again = load(game.to_string())
    assert isinstance(again, Othello)
    assert again.stage.board() == stage.board()
    assert str(again.new_initial_state()) == str(game.new_initial_state())


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("otello", UnknownGame, "did you mean 'othello'"),
        ("othello(stage=stage-9)", LookupError, "did you mean 'stage-"),
        ("othello(stag=stage-0)", ValueError, "did you mean 'stage'"),
        ("othello(size=3)", ValueError, "4 to 12 rows"),
        ("othello(size=13)", ValueError, "4 to 12 rows"),
        ("othello(size=big)", ValueError, "number of rows"),
        ("othello(size=6,stage=stage-0)", ValueError, "not both"),
        ("othello(fewest_wins=yes)", ValueError, "true or false"),
        ("othello(blocked=11)", ValueError, "such as d3"),
        ("othello(blocked=i1)", ValueError, "off a board"),
        ("othello(size)", ValueError, "key=value"),
        ("othello(", ValueError, "NAME"),
        ("", ValueError, "NAME"),
    ],
)
def test_an_unknown_game_is_reported(name: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        load(name)


def test_without_open_spiel_its_games_say_what_to_install() -> None:
    """In a process in which it cannot be imported; our games do not need it."""
    program = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "from vgdl import tabletop\n"
        "tabletop.load('othello').new_initial_state()\n"
        "try: tabletop.load('connect_four')\n"
        "except LookupError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert 'pip install "vgdl[tabletop]"' in done.stdout


def midway(name: str = "othello", moves: int = 20) -> OthelloState:
    state = load(name).new_initial_state()
    draws = random.Random(1)
    for _ in range(moves):
        state.apply_action(draws.choice(state.legal_actions()))
    assert isinstance(state, OthelloState)
    return state


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))])
def test_states_can_be_copied_and_pickled(copied: Any) -> None:
    state = midway("othello(stage=fewer-6)")
    other = copied(state)
    assert (str(other), other.history(), other.get_game()) == (str(state), state.history(), state.get_game())
    other.apply_action(other.legal_actions()[0])
    assert len(state.history()) == 20


@pytest.mark.parametrize("action", [0, 27, 64, 65, 1000, -1])
def test_an_illegal_action_is_refused_with_the_legal_ones(action: int) -> None:
    state = load("othello").new_initial_state()
    for attempt in (state.apply_action, state.child, lambda a: tabletop.apply(state, a)):
        with pytest.raises(IllegalAction, match=r"19 \(d3\), 26 \(c4\)"):
            attempt(action)
    assert state.history() == []


def test_nothing_is_legal_when_it_is_over() -> None:
    state = load("othello(size=4)").new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(IllegalAction, match="the game is over"):
        state.apply_action(0)
    with pytest.raises(IllegalAction, match="the game is over"):
        tabletop.apply(state, 0)


def test_a_text_that_is_not_a_state_is_refused() -> None:
    with pytest.raises(ValueError, match="written as action numbers; 'd3' is not"):
        load("othello").deserialize_state("19\nd3")
    with pytest.raises(IllegalAction, match="illegal"):
        load("othello").deserialize_state("19\n19")


def test_play_passes_copies_to_players_and_names_the_one_at_fault() -> None:
    def meddler(state: Any) -> int:
        legal = list(state.legal_actions())
        state.apply_action(legal[0])
        return int(legal[-1])

    game = load("othello(size=4)")
    end = tabletop.play(game, [meddler, RandomPlayer(seed=1)], random.Random(1).random)
    assert end.is_terminal()
    with pytest.raises(IllegalAction, match=r"^player 1: action 99"):
        tabletop.play(game, [RandomPlayer(seed=1), lambda state: 99], random.Random(1).random)
    with pytest.raises(ValueError, match="2 players, not 1"):
        tabletop.play(game, [meddler], random.Random(1).random)


@pytest.mark.parametrize("name", [f"othello(stage={stage})" for stage in STAGES])
def test_observations_are_json(name: str) -> None:
    state = midway(name, 8)
    for seen in (tabletop.observe(state, 0), tabletop.ground_truth(state)):
        assert json.loads(json.dumps(seen)) == seen
    assert tabletop.observe(state, 0) == {"text": str(state)}


def test_keys_are_equal_if_boards_and_movers_are() -> None:
    """Two orders of the same moves lead to the same position."""
    one, other = load("othello").new_initial_state(), load("othello").new_initial_state()
    for cell in ["d3", "c3", "c4"]:
        one.apply_action(one.string_to_action(cell))
    for cell in ["c4", "c3", "d3"]:
        other.apply_action(other.string_to_action(cell))
    assert one.history() != other.history()
    assert (tabletop.key(one) == tabletop.key(other)) == (str(one) == str(other))
    assert tabletop.key(one) != tabletop.key(one.child(one.legal_actions()[0]))


@needs_spiel
def test_othello_is_open_spiel_s_othello() -> None:
    """Strings, tensors, actions, returns, along random games."""
    ours, theirs = load("othello"), __import__("pyspiel").load_game("othello")
    assert ours.num_distinct_actions() == theirs.num_distinct_actions()
    assert ours.max_game_length() == theirs.max_game_length()
    assert list(ours.observation_tensor_shape()) == list(theirs.observation_tensor_shape())
    for seed in range(20):
        draws = random.Random(seed)
        state, other = ours.new_initial_state(), theirs.new_initial_state()
        while True:
            assert str(state) == str(other)
            assert state.legal_actions() == other.legal_actions()
            assert state.current_player() == other.current_player()
            assert state.returns() == other.returns()
            assert state.serialize().split() == other.serialize().split()
            for player in range(2):
                assert state.observation_tensor(player) == other.observation_tensor(player)
                assert state.observation_string(player) == other.observation_string(player)
                assert state.information_state_string(player) == other.information_state_string(player)
                assert state.legal_actions_mask(player) == other.legal_actions_mask(player)
            if state.is_terminal():
                break
            action = draws.choice(state.legal_actions())
            assert state.action_to_string(action) == other.action_to_string(action)
            state.apply_action(action)
            other.apply_action(action)


@needs_spiel
def test_open_spiel_s_errors_become_ours(capfd: pytest.CaptureFixture[str]) -> None:
    state = load("tic_tac_toe").new_initial_state()
    with pytest.raises(IllegalAction, match="action 9 is illegal"):
        tabletop.apply(state, 9)
    with pytest.raises(IllegalAction, match="chance"):
        tabletop.sample_chance(state, random.random)
    with pytest.raises(UnknownGame, match="did you mean 'tic_tac_toe'"):
        load("tictactoe")
    assert capfd.readouterr().err == ""  # OpenSpiel was not called
    with pytest.raises(ValueError, match="rows"):
        load("tic_tac_toe(rows=2)")


@needs_spiel
def test_observations_of_open_spiel_s_games_are_json_where_they_have_it() -> None:
    state = load("tic_tac_toe").new_initial_state()
    assert tabletop.observe(state, 0)["current_player"] == "x"
    leduc = load("leduc_poker").new_initial_state()
    for action in (0, 1):
        leduc.apply_action(action)
    assert tabletop.observe(leduc, 0) == {"text": leduc.observation_string(0)}
    assert tabletop.ground_truth(leduc) == {"text": str(leduc), "history": [0, 1]}


@pytest.mark.parametrize("action", [19.0, 19.7, "19", None])
def test_an_action_that_is_not_a_whole_number_is_not_rounded(action: Any) -> None:
    state = load("othello").new_initial_state()
    before = str(state)
    for act in (state.apply_action, state.child):
        with pytest.raises(TypeError):
            act(action)
    assert str(state) == before
