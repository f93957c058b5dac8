"""The searches find known solutions, repeat under a budget of simulations, and refuse unsuitable games."""

from __future__ import annotations

import importlib.util
import random
from typing import Any

import pytest

from vgdl.controllers.tabletop import ISMCTS, MCTS, AlphaBeta, RandomPlayer, make
from vgdl.controllers.tabletop.resampling import CannotSearch, Resampler
from vgdl.play.table import Table
from vgdl.tabletop import load, play, sample_chance
from vgdl.tabletop.game import ChanceMode, Game, GameType, Utility
from vgdl.tabletop.vgdl_game import VgdlTurnGame

needs_spiel = pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed")
SMALL = "othello(size=6)"


class Coins(Game):
    """Three players in turn take 1 to 3 coins of ten; who takes the last one gets what a coin toss says, the others 0.

    Written in plain Python, with chance and general sums.
    """

    type = GameType(
        "coins",
        "Coins",
        chance_mode=ChanceMode.EXPLICIT_STOCHASTIC,
        utility=Utility.GENERAL_SUM,
        min_num_players=3,
        max_num_players=3,
    )

    def new_initial_state(self) -> CoinsState:
        return CoinsState(self, 10, 0, None)

    def num_distinct_actions(self) -> int:
        return 3

    def max_chance_outcomes(self) -> int:
        return 2

    def max_game_length(self) -> int:
        return 10

    def max_utility(self) -> float:
        return 10.0

    def min_utility(self) -> float:
        return 0.0

    def get_parameters(self) -> dict[str, Any]:
        return {}


class CoinsState:
    """A state of `Coins`, with only the methods that a search needs."""

    def __init__(self, game: Coins, left: int, mover: int, prize: int | None) -> None:
        self.game, self.left, self.mover, self.prize = game, left, mover, prize

    def get_game(self) -> Coins:
        return self.game

    def current_player(self) -> int:
        return self.mover if self.left else (-1 if self.prize is None else -4)

    def is_terminal(self) -> bool:
        return self.current_player() == -4

    def legal_actions(self) -> list[int]:
        return list(range(min(3, self.left)))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(0, 0.5), (1, 0.5)]

    def apply_action(self, action: int) -> None:
        if self.left:
            self.left -= action + 1
            self.mover = (self.mover + 1) % 3
        else:
            self.prize = 5 + 5 * action

    def returns(self) -> list[float]:
        last = (self.mover + 2) % 3
        return [float(self.prize or 0) if player == last else 0.0 for player in range(3)]

    def clone(self) -> CoinsState:
        return CoinsState(self.game, self.left, self.mover, self.prize)


def test_mcts_plays_a_stranger_s_game_with_chance_and_three_players() -> None:
    """With three coins left the mover takes them all: every other answer gives the prize away."""
    state = CoinsState(Coins(), 3, 1, None)
    found = MCTS(simulations=300, rollouts=1, seed=1).search(state)
    assert found[0].action == 2
    assert 6.5 < found[0].value < 8.5  # 5 or 10, equally likely
    assert found[0].visits > 200


def test_the_search_leaves_the_state_alone() -> None:
    state = load(SMALL).new_initial_state()
    before = state.serialize(), str(state)
    for search in (MCTS(simulations=50, seed=1), AlphaBeta(nodes=500), ISMCTS(simulations=20, rollouts=1, seed=1)):
        search.search(state)
        assert (state.serialize(), str(state)) == before


@pytest.mark.parametrize("name", ["othello(size=4)", "othello(size=6)", "othello(size=10)", "othello(stage=fewer-6)"])
def test_the_same_seed_and_work_give_the_same_answer(name: str) -> None:
    state = load(name).new_initial_state()
    assert MCTS(simulations=200, seed=3).search(state) == MCTS(simulations=200, seed=3).search(state)
    assert MCTS(simulations=200, seed=3).search(state) != MCTS(simulations=200, seed=4).search(state)
    assert AlphaBeta(nodes=2000).search(state) == AlphaBeta(nodes=2000).search(state)
    once, again = (ISMCTS(simulations=30, rollouts=1, seed=5).search(state) for _ in range(2))
    assert once == again


def test_visits_add_up_to_the_simulations() -> None:
    search = MCTS(simulations=321, seed=2, solve=False)
    found = search.search(load(SMALL).new_initial_state())
    assert sum(candidate.visits for candidate in found) == search.simulations == 321


def test_a_full_tree_goes_on_with_rollouts() -> None:
    search = MCTS(simulations=3000, rollouts=1, seed=2, most_nodes=4096)
    assert sum(candidate.visits for candidate in search.search(load("othello").new_initial_state())) == 3000


@pytest.mark.parametrize(
    "search", [MCTS(milliseconds=20, seed=1), AlphaBeta(milliseconds=20), ISMCTS(milliseconds=20, seed=1)]
)
def test_a_budget_of_time_is_enough_to_answer(search: Any) -> None:
    assert search.step(load(SMALL).new_initial_state()) in load(SMALL).new_initial_state().legal_actions()


VALUES = {  # of the 4×4 board for black (Othello arena, 16), as an outcome
    "othello(size=4)": -1,
    "othello(size=4,fewest_wins=true)": 1,
    "othello(size=4,fewer_pieces_continue=true)": -1,
    "othello(size=4,fewer_pieces_continue=true,fewest_wins=true)": 0,
    "othello(size=4,blocked=a1)": 1,
    "othello(size=4,blocked=b1,ignore_occlusion=true)": -1,
}


@pytest.mark.parametrize("name", VALUES)
def test_alpha_beta_solves_the_smallest_board(name: str) -> None:
    search = AlphaBeta(nodes=200_000)
    assert search.search(load(name).new_initial_state())[0].value == VALUES[name]
    assert search.solved
    assert search.depth <= 24


@pytest.mark.parametrize("name", VALUES)
def test_alpha_beta_in_python_is_the_same_search(name: str) -> None:
    """A value function makes it use the Python path: it finds the same."""
    search = AlphaBeta(nodes=200_000, value=lambda state, player: 0.0)
    assert search.search(load(name).new_initial_state())[0].value == VALUES[name]
    assert search.solved


def test_mcts_proves_positions_searched_to_the_end() -> None:
    """A few plies before the end, both searches know the winner."""
    draws = random.Random(5)
    proved = 0
    for _ in range(30):
        state = load("othello(size=4)").new_initial_state()
        for _ in range(6):
            if not state.is_terminal():
                state.apply_action(draws.choice(state.legal_actions()))
        if state.is_terminal():
            continue
        exact = AlphaBeta(nodes=100_000).search(state)[0].value
        search = MCTS(simulations=50_000, rollouts=1, seed=1)
        found = search.search(state)[0].value
        if exact:  # a draw is proved only when all else is, which takes long
            assert found == exact
            assert search.simulations < 50_000
            proved += 1
    assert proved > 10


def test_a_value_function_replaces_rollouts() -> None:
    """With a value that likes pieces, one simulation for each action finds the greedy move."""

    def pieces(state: Any, player: int) -> float:
        counts = state.counts()
        return float(counts[player] - counts[1 - player]) / 36

    state = load(SMALL).new_initial_state()
    draws = random.Random(2)
    for _ in range(11):
        state.apply_action(draws.choice(state.legal_actions()))
    found = MCTS(simulations=len(state.legal_actions()), value=pieces, solve=False, seed=1).search(state)
    most = max(len(state.captures(action)) for action in state.legal_actions())
    best = max(found, key=lambda candidate: candidate.value)
    assert len(state.captures(best.action)) == most


@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        (lambda seed: MCTS(simulations=60, rollouts=1, seed=seed), lambda seed: RandomPlayer(seed=seed)),
        (lambda seed: AlphaBeta(nodes=500), lambda seed: MCTS(simulations=60, rollouts=1, seed=seed)),
    ],
)
def test_the_ladder(strong: Any, weak: Any) -> None:
    game = load(SMALL)
    points = 0.0
    for seed in range(20):
        players = [strong(seed), weak(seed)]
        first = seed % 2
        returns = play(game, players[::-1] if first else players, random.Random(seed).random).returns()
        points += returns[first]
    assert points >= 10


def test_an_unsuitable_game_is_refused() -> None:
    over = load("othello(size=4)").new_initial_state()
    while not over.is_terminal():
        over.apply_action(over.legal_actions()[0])
    for search in (MCTS(seed=1), AlphaBeta(), ISMCTS(seed=1)):
        with pytest.raises(ValueError, match="turn"):
            search.search(over)
    duel = VgdlTurnGame("snowballs").new_initial_state()
    for search in (MCTS(seed=1), ISMCTS(seed=1)):
        with pytest.raises(ValueError, match="turn"):
            search.search(duel)
    with pytest.raises(ValueError, match="alpha-beta"):
        AlphaBeta().search(VgdlTurnGame("aliens").new_initial_state())


FAULTS: dict[str, Any] = {  #: answers of a faulty game, by method
    "current_player": lambda state: 7,
    "legal_actions": lambda state: [0, 99],
    "returns": lambda state: [1.0],
    "chance_outcomes": lambda state: [],
}


@pytest.mark.parametrize(
    ("search", "method"), [*((MCTS, method) for method in FAULTS), (ISMCTS, "returns"), (ISMCTS, "chance_outcomes")]
)
def test_a_faulty_game_is_a_value_error_and_no_crash(method: str, search: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    state = CoinsState(Coins(), 4, 0, None)
    monkeypatch.setattr(CoinsState, "information_state_string", lambda state, player: str(state.left), raising=False)
    monkeypatch.setattr(CoinsState, "resample_from_infostate", lambda state, *_: state.clone(), raising=False)
    monkeypatch.setattr(CoinsState, "is_chance_node", lambda state: state.current_player() == -1, raising=False)
    monkeypatch.setattr(CoinsState, method, FAULTS[method])
    with pytest.raises((ValueError, IndexError)):
        search(simulations=50, rollouts=1, seed=1).search(state)


def test_inconsistent_chance_outcomes_are_a_value_error(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = iter(range(10**6))
    monkeypatch.setattr(
        CoinsState, "chance_outcomes", lambda state: [(0, 1.0)] if next(calls) % 7 < 6 else [(0, 0.5), (1, 0.5)]
    )
    with pytest.raises(ValueError, match="chance node"):
        MCTS(simulations=500, rollouts=1, seed=1).search(CoinsState(Coins(), 2, 0, None))


@pytest.mark.parametrize("numbers", [{"simulations": 0}, {"milliseconds": 0}, {"rollouts": 0}, {"max_rollout": 0}])
def test_numbers_out_of_range_are_refused(numbers: dict[str, Any]) -> None:
    for make_search in (MCTS, ISMCTS):
        with pytest.raises(ValueError, match=r"not|or more"):
            make_search(**numbers)


def test_mcts_sees_that_a_vgdl_game_is_won_by_the_next_action() -> None:
    state = VgdlTurnGame("aliens", futures=2).new_initial_state()
    found = MCTS(simulations=10, rollouts=1, max_rollout=20, seed=1).search(state)
    assert sum(candidate.visits for candidate in found) == 10


def test_players_by_name() -> None:
    assert isinstance(make("MCTS", milliseconds=5, seed=1), MCTS)
    with pytest.raises(LookupError, match="did you mean 'alphabeta'"):
        make("alphabet")


@needs_spiel
@pytest.mark.parametrize("name", ["leduc_poker", "kuhn_poker"])
def test_ismcts_beats_random_play_at_poker(name: str) -> None:
    game = load(name)
    total = 0.0
    for seed in range(60):
        players: list[Any] = [ISMCTS(simulations=60, rollouts=1, seed=seed), RandomPlayer(seed=seed)]
        first = seed % 2
        total += play(game, players[::-1] if first else players, random.Random(seed).random).returns()[first]
    assert total / 60 > 0.1


@needs_spiel
def test_ismcts_keeps_histories_for_games_without_information_states() -> None:
    """Gin rummy has no information state as text: nodes are distinguished by observations and actions since the root."""
    state = load("gin_rummy").new_initial_state()
    draws = random.Random(3)
    while state.is_chance_node():
        state.apply_action(draws.choice(state.legal_actions()))
    search = ISMCTS(simulations=10, rollouts=1, max_rollout=50, seed=1)
    assert search.step(state) in state.legal_actions()
    assert search.simulations + search.dropped == 10


@needs_spiel
def test_an_inconsistent_sample_is_dropped_and_counted() -> None:
    game = load("kuhn_poker")
    state = game.new_initial_state()
    for action in (0, 1):
        state.apply_action(action)

    def another_card(state: Any, player: int, uniform: Any) -> Any:
        sample = game.new_initial_state()
        for action in (1, 0):
            sample.apply_action(action)
        return sample

    search = ISMCTS(simulations=25, sampler=another_card, seed=1)
    assert search.step(state) in state.legal_actions()
    assert (search.simulations, search.dropped) == (0, 25)


@needs_spiel
def test_alpha_beta_knows_that_tic_tac_toe_is_a_draw() -> None:
    search = AlphaBeta(nodes=100_000)
    assert search.search(load("tic_tac_toe").new_initial_state())[0].value == 0
    assert search.solved


# --------------------------------------------------------------------------------------------------- hidden information


def _sequential_games() -> list[Any]:
    """All sequential games of OpenSpiel that can be loaded without parameters."""
    import pyspiel

    found = []
    for name in pyspiel.registered_names():
        try:
            game = pyspiel.load_game(name)
        except (pyspiel.SpielError, IndexError):  # some need parameters, and say so by the latter
            continue
        if game.get_type().dynamics.name == "SEQUENTIAL":
            found.append(game)
    return found


@needs_spiel
@pytest.mark.costly
def test_every_sequential_game_is_searched_or_refused_by_name() -> None:
    searched, refused = [], []
    for game in _sequential_games():
        name = game.get_type().short_name
        state, draws = game.new_initial_state(), random.Random(1)
        try:
            for _ in range(40):
                if state.is_terminal() or state.current_player() >= 0:
                    break
                sample_chance(state, draws.random)
            if state.is_terminal() or state.current_player() < 0:
                continue
            ISMCTS(simulations=2, rollouts=1, max_rollout=20, seed=1).search(state)
            searched.append(name)
        except CannotSearch as error:
            assert name in str(error)
            refused.append(name)
    assert len(searched) > 60
    assert {"dark_hex", "battleship", "go_fish", "phantom_ttt", "liars_dice"} <= {*searched}
    assert "crossword" not in searched


@needs_spiel
@pytest.mark.parametrize(
    "name", ["dark_hex(num_rows=2,num_cols=2)", "phantom_ttt", "first_sealed_auction", "battleship"]
)
def test_a_game_without_resampling_is_searched_by_rejection(name: str) -> None:
    state, draws = load(name).new_initial_state(), random.Random(2)
    for _ in range(8):
        while state.is_chance_node():
            sample_chance(state, draws.random)
        if state.is_terminal():
            break
        player = state.current_player()
        with pytest.raises(RuntimeError):
            state.resample_from_infostate(player, draws.random)
        search = ISMCTS(simulations=4, rollouts=1, seed=1)
        assert search.search(state)[0].action in state.legal_actions()
        assert (search.simulations, search.dropped) == (4, 0)
        state.apply_action(draws.choice(state.legal_actions()))


@needs_spiel
def test_rejection_samples_what_is_hidden_and_keeps_what_is_known() -> None:
    """In Leduc poker, whose own resampling is the oracle: the other card varies, one's own view does not."""
    state = load("leduc_poker").new_initial_state()
    for action in (0, 3, 1):  # two cards, a call
        state.apply_action(action)
    player = state.current_player()
    resampler = Resampler()
    resampler._rejects = True
    draws = random.Random(3)
    found = [resampler(state, player, draws.random) for _ in range(60)]
    known = state.information_state_string(player)
    assert {sample.information_state_string(player) for sample in found} == {known}
    own = {state.resample_from_infostate(player, draws.random).history()[1 - player] for _ in range(200)}
    assert {sample.history()[1 - player] for sample in found} == own
    assert len(own) > 2


@needs_spiel
@pytest.mark.parametrize("name", ["mcts", "alphabeta"])
def test_a_search_of_the_true_state_does_not_play_with_hidden_cards(name: str) -> None:
    game = load("leduc_poker")
    with pytest.raises(ValueError, match=rf"{name} searches the true state of leduc_poker.*use ismcts"):
        make(name, game=game)
    with pytest.raises(ValueError, match="use ismcts"):
        Table(game, [name, None], milliseconds=1.0, seed=1)
    Table(game, ["ismcts", None], milliseconds=1.0, seed=1)
    Table(load("tic_tac_toe"), ["mcts", None], milliseconds=1.0, seed=1)
