"""How the tree searches differ, seen in their actions."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import vgdl
from small_games import calls, duel, small_game, unlimited
from vgdl import Action, Meter, StateObservation
from vgdl.controllers import Controller
from vgdl.controllers.entries.mmbot import MMbot
from vgdl.controllers.entries.mn_mcts import MnMCTS
from vgdl.controllers.entries.normal_mcts import NormalMCTS
from vgdl.controllers.entries.olets import OLETS
from vgdl.controllers.entries.sample_ga import SampleGA
from vgdl.controllers.entries.sample_mcts import OpenLoopMCTS, SampleMCTS

SEEDS = 30

CHESTS = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        wall > Immovable
        chest > Immovable
        content > Immovable
            prize > Immovable
            bomb > Immovable
        avatar > MovingAvatar
    LevelMapping
        . > floor
        w > wall
        c > chest
        A > avatar
    InteractionSet
        avatar wall > stepBack
        chest avatar > transformToRandomChild stype=content
        prize avatar > killSprite scoreChange=1
        avatar bomb > killSprite
    TerminationSet
        SpriteCounter stype=avatar limit=0 win=False
        Timeout limit=2000 win=False
"""


def chest_to_the_right() -> StateObservation:
    """Half of the chests hold a point; the others kill the avatar that opens them."""
    state = vgdl.loads(CHESTS).start(level="wwwwww\nw..Acw\nwwwwww", seed=3)
    state.meter = Meter()
    return state


def answers(controller: type[Controller], state: StateObservation, budget: int, **options: Any) -> Counter[Action]:
    """The answers of a controller to a state, over seeds."""
    make: Any = controller
    players = [make(state, unlimited(), seed=seed, **options) for seed in range(SEEDS)]
    return Counter(player.act(state, calls(state, budget)) for player in players)


def answers_after(
    controller: type[Controller], first: StateObservation, then: StateObservation, budget: int, **options: Any
) -> Counter[Action]:
    """The answers of a controller that has searched one state to another state of the same game, over seeds."""
    taken: Counter[Action] = Counter()
    make: Any = controller
    for seed in range(SEEDS):
        player = make(first, unlimited(), seed=seed, **options)
        player.act(first, calls(first, 900))
        taken[player.act(then, calls(then, budget))] += 1
    return taken


def after(state: StateObservation, action: Action) -> StateObservation:
    """The next state, with a meter of its own."""
    future = state.copy()
    future.advance(action)
    future.meter = Meter()
    return future


# ---------------------------------------------------------------------------------------------------------------- OLETS


def test_olets_leaves_the_cells_it_has_visited() -> None:
    state = small_game("....A....")
    came_from_the_left = after(state, Action.RIGHT)
    assert answers_after(OLETS, state, came_from_the_left, 300)[Action.RIGHT] > 0.8 * SEEDS
    assert answers_after(OLETS, state, came_from_the_left, 300, taboo_penalty=0)[Action.RIGHT] < 0.5 * SEEDS


def test_olets_forgets_visits_after_its_taboo_ticks() -> None:
    state = small_game("....A....")
    came_from_the_left = after(state, Action.RIGHT)
    remembers_the_present_only = answers_after(OLETS, state, came_from_the_left, 300, taboo_ticks=1)
    assert remembers_the_present_only[Action.LEFT] > 0.2 * SEEDS
    assert remembers_the_present_only[Action.LEFT] + remembers_the_present_only[Action.RIGHT] > 0.8 * SEEDS


def test_olets_counts_the_simulations_that_ended_on_the_way() -> None:
    """Behind the chest there is nothing but its point; half of the simulations that open it end the game."""
    assert answers(OLETS, chest_to_the_right(), 900)[Action.RIGHT] == 0
    assert answers(OLETS, small_game("..Ao"), 900)[Action.RIGHT] > 0.9 * SEEDS


# ------------------------------------------------------------------------------------------------ SampleMCTS, open loop


def test_a_closed_loop_trusts_a_single_sample_and_an_open_loop_does_not() -> None:
    state = chest_to_the_right()
    assert answers(SampleMCTS, state, 900)[Action.RIGHT] > 0.3 * SEEDS
    assert answers(OpenLoopMCTS, state, 900)[Action.RIGHT] < 0.1 * SEEDS


def test_exploration_of_nothing_repeats_the_first_success() -> None:
    state = small_game("oA.ooooo")
    assert answers(SampleMCTS, state, 900)[Action.RIGHT] > 0.7 * SEEDS
    assert answers(SampleMCTS, state, 900, exploration=0.01)[Action.RIGHT] < 0.7 * SEEDS


# ------------------------------------------------------------------------------------------------- Normal_MCTS, MnMCTS


def test_the_third_term_of_normal_mcts_favours_the_largest_total_reward() -> None:
    """One point is at hand to the left, five are a little further to the right."""
    state = small_game("oA.ooooo")
    assert answers(NormalMCTS, state, 900, weight=0)[Action.RIGHT] > 0.7 * SEEDS
    assert answers(NormalMCTS, state, 900)[Action.RIGHT] < 0.65 * SEEDS


def test_the_linear_model_of_mn_mcts_leads_to_gold_beyond_the_rollouts() -> None:
    near, far = small_game("...Ao............"), small_game("...A......o......")
    biased = answers_after(MnMCTS, near, far, 60, depth=1, bias=2)
    assert biased[Action.RIGHT] > 0.9 * SEEDS
    assert answers_after(MnMCTS, near, far, 60, depth=1, bias=0)[Action.RIGHT] < 0.5 * SEEDS


def test_the_linear_model_of_mn_mcts_learns_from_penalties() -> None:
    near, far = small_game("...Ap............"), small_game("...A......p......")
    assert answers_after(MnMCTS, near, far, 60, depth=1, bias=2)[Action.RIGHT] == 0


def test_mn_mcts_prefers_the_earlier_of_two_equal_rewards() -> None:
    state = small_game("www...", "..oAoo", "www...")
    assert answers(MnMCTS, state, 2000, discount=0.3)[Action.RIGHT] > 0.7 * SEEDS


# ---------------------------------------------------------------------------------------------------------------- MMbot


def test_mmbot_plays_macro_actions_of_one_to_five_ticks_by_turns() -> None:
    state = small_game(*["." * 12] * 4, "......A.....", *["." * 12] * 4)
    for seed in range(5):
        player = MMbot(state, unlimited(), seed=seed)
        taken = [player.act(state.copy(seed=tick), calls(state, 200)) for tick in range(30)]
        start = 0
        for length in (1, 2, 3, 4, 5, 1, 2, 3, 4, 5):
            assert len(set(taken[start : start + length])) == 1
            start += length
        assert len(set(taken)) > 1


def test_mmbot_with_macro_actions_of_one_tick_may_turn_in_every_tick() -> None:
    state = small_game(*["." * 12] * 4, "......A.....", *["." * 12] * 4)
    player = MMbot(state, unlimited(), seed=1, longest=1)
    taken = [player.act(state.copy(seed=tick), calls(state, 200)) for tick in range(30)]
    assert any(len(set(taken[start : start + 5])) > 1 for start in (10, 25))


def test_mmbot_avoids_known_foes() -> None:
    near, far = small_game("......Af"), small_game(".......A....f")
    assert answers_after(MMbot, near, far, 600)[Action.LEFT] > 0.9 * SEEDS
    assert answers_after(MMbot, near, far, 600, proximity_weight=0)[Action.LEFT] < 0.8 * SEEDS


# --------------------------------------------------------------------------------------------------------- two players


@pytest.mark.parametrize("controller", [SampleMCTS, OpenLoopMCTS, OLETS, SampleGA])
@pytest.mark.parametrize(("rows", "player"), [("wwwwAB....", 1), ("....ABwwww", 0)])
def test_for_two_each_search_judges_the_end_for_its_own_player(
    controller: type[Controller], rows: str, player: int
) -> None:
    """Where they meet, A wins and B loses: A goes for B, who cannot get away, and B runs."""
    state = duel(rows)
    make: Any = controller
    taken = Counter(make(state, unlimited(), player, seed=seed).act(state, calls(state, 2000)) for seed in range(SEEDS))
    assert taken[Action.RIGHT] > 0.5 * SEEDS


@pytest.mark.parametrize("controller", [OpenLoopMCTS, OLETS, SampleGA])
def test_for_two_no_search_walks_into_a_trap(controller: type[Controller]) -> None:
    state = duel("wxwwwxw", "xA...Bx", "wxwwwxw")
    make: Any = controller
    options = {} if controller is OLETS else {"depth": 1}  # in longer random play, both would walk into one anyway
    for seed in range(10):
        for player, away in ((0, Action.RIGHT), (1, Action.LEFT)):
            searcher = make(state, unlimited(), player, seed=seed, **options)
            assert searcher.act(state, calls(state, 3000)) in (away, Action.NIL)
