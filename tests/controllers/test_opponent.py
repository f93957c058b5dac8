"""The model of the other player: what it learns from actions, what it foresees, and what a search does with it."""

from __future__ import annotations

import pytest

from small_games import calls, duel, small_game
from vgdl import Action, StateObservation
from vgdl.controllers.search.budget import Budget
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.opponent import Opponent
from vgdl.controllers.search.outlook import Outlook
from vgdl.controllers.search.plan_pool import PlanPool

UNIFORM, FREQUENCY, HABIT, LOOK_AHEAD = range(4)


def watch(opponent: Opponent, state: StateObservation, moves: list[Action]) -> None:
    """Show the model a play in which player 1 takes these actions and player 0 none."""
    opponent.observe(state)
    for move in moves:
        state.advance((Action.NIL, move))
        opponent.observe(state)


def test_before_the_first_action_all_are_equally_likely() -> None:
    state = duel("A........B")
    opponent = Opponent(state, 0)
    opponent.observe(state)
    assert set(opponent.prediction()) == set(state.actions_of(1, nil=True))
    assert all(share == pytest.approx(0.2) for share in opponent.prediction().values())


def test_an_action_that_is_repeated_is_expected_again() -> None:
    state = duel("A........B")
    opponent = Opponent(state, 0)
    watch(opponent, state, [Action.UP] * 30)
    assert opponent.prediction()[Action.UP] > 0.8
    assert sum(opponent.prediction().values()) == pytest.approx(1.0)


def test_an_alternation_is_a_habit_that_the_mixture_comes_to_trust() -> None:
    state = duel("A........B")
    opponent = Opponent(state, 0)
    watch(opponent, state, [Action.LEFT, Action.RIGHT] * 20)
    assert opponent.trusted[HABIT] == max(opponent.trusted)
    assert opponent.prediction()[Action.LEFT] > 0.6
    assert sum(opponent.trusted) == pytest.approx(1.0)


def test_a_step_onto_gold_and_one_into_a_trap_are_told_apart_by_looking_ahead() -> None:
    state = duel("A......oBx")
    opponent = Opponent(state, 0)
    opponent.observe(state)
    assert opponent.look_ahead(state, Generator(1), Budget(calls(state, 5000), 1)) > 0
    expected = opponent.prediction()
    assert expected[Action.LEFT] > expected[Action.UP] >= expected[Action.RIGHT]


def test_looking_ahead_ends_with_its_budget() -> None:
    state = duel("A......oBx")
    opponent = Opponent(state, 0)
    opponent.observe(state)
    opponent.look_ahead(state, Generator(1), Budget(calls(state, 200), 1))
    assert state.meter is not None
    assert state.meter.used <= 200


def test_an_opponent_who_takes_what_is_best_earns_look_ahead_trust() -> None:
    state = duel("Aw........", "wwooooooooB")
    opponent = Opponent(state, 0)
    generator = Generator(1)
    opponent.observe(state)
    for _ in range(8):
        opponent.look_ahead(state, generator, Budget(calls(state, 100_000), 1))
        state.advance((Action.NIL, Action.LEFT))
        opponent.observe(state)
    assert opponent.trusted[LOOK_AHEAD] > opponent.trusted[UNIFORM]


def test_switched_off_it_takes_every_action_for_equally_likely() -> None:
    def first_steps(learns: bool) -> float:
        state = duel("A.B......", ".........", seed=5)
        outlook = Outlook(state, 0)
        outlook.opponent.learns = learns
        watch(outlook.opponent, state, [Action.DOWN] + [Action.UP] * 20)
        pool = PlanPool(state, outlook, Generator(1))
        pool.begin(state)
        pool.propose(bytes([Action.RIGHT, Action.RIGHT]))
        pool.race(Budget(calls(state, 3000), 48))
        return pool.best_by_action()[Action.RIGHT]

    # B keeps running against the wall and never steps aside, so it is met and a search that knows it wins.
    assert first_steps(True) > first_steps(False)


def test_in_a_game_for_one_there_is_nothing_to_learn() -> None:
    state = small_game("A...")
    opponent = Opponent(state, 0)
    assert opponent.observe(state) == 0
    assert opponent.look_ahead(state, Generator(1), Budget(calls(state, 100), 1)) == 0
    assert opponent.prediction() == {}
