"""levis501: two plies, and a chance of random moves that grows."""

from __future__ import annotations

from collections import Counter

from small_games import calls, small_game, unlimited
from vgdl import Action
from vgdl.controllers.entries.levis501 import Levis501

PLACE = ("..w...", ".fA.o.", "..w...")


def answers(growth: float, turns: int, seed: int = 4) -> list[Action]:
    """Repeated answers in one state: a point two steps to the right, death to the left."""
    state = small_game(*PLACE)
    controller = Levis501(state, unlimited(), growth=growth, seed=seed)
    return [controller.act(state, calls(state, 120)) for _ in range(turns)]


def test_without_chance_it_plays_the_best_move() -> None:
    assert set(answers(0.0, 20)) == {Action.RIGHT}


def test_the_chance_of_a_random_move_grows_every_turn() -> None:
    taken = answers(1 / 120, 120)
    others = [action is not Action.RIGHT for action in taken]
    assert sum(others[:20]) <= 4
    assert sum(others[-40:]) >= 15


def test_random_moves_do_not_lose() -> None:
    taken = Counter(answers(1.0, 100)[1:])
    assert taken[Action.LEFT] == 0
    assert min(taken[action] for action in (Action.UP, Action.DOWN, Action.RIGHT)) > 15


def test_a_point_two_steps_away_is_seen_and_three_steps_are_not() -> None:
    near, far = small_game("...A.o."), small_game("...A..o")
    seen = {Levis501(near, unlimited(), seed=seed).act(near, calls(near, 400)) for seed in range(15)}
    unseen = {Levis501(far, unlimited(), seed=seed).act(far, calls(far, 400)) for seed in range(15)}
    assert seen == {Action.RIGHT}
    assert len(unseen) > 1


def test_a_second_step_that_loses_is_no_reason_to_avoid_the_first() -> None:
    """The value of a move is that of its best continuation."""
    state = small_game(".wwww", "Aw.fo", "...fw")
    between = {Levis501(state, unlimited(), seed=seed).act(state, calls(state, 200)) for seed in range(15)}
    assert Action.DOWN in between
