"""IdealStandard: learns which types are bad and which are good, and walks accordingly."""

from __future__ import annotations

from small_games import calls, small_game, unlimited
from vgdl import Action, StateObservation
from vgdl.controllers.entries.ideal_standard import IdealStandard

PILL_NEAR_GEM_FAR = "p...A.....g"


def play(controller: IdealStandard, state: StateObservation, ticks: int, budget: int = 300) -> list[Action]:
    """The actions taken in as many ticks."""
    taken = []
    for _ in range(ticks):
        taken.append(controller.act(state.copy(seed=state.tick), calls(state, budget)))
        state.advance(taken[-1])
    return taken


def held(state: StateObservation) -> int:
    return sum(state.avatar.resources.values()) if state.avatar else 0


def test_the_nearest_resource_attracts_until_it_proves_bad() -> None:
    state = small_game(PILL_NEAR_GEM_FAR)
    controller = IdealStandard(state, unlimited(), seed=1)
    taken = play(controller, state, 12)
    assert taken[0] is Action.LEFT  # to the pill, which is nearer
    assert (state.score, held(state)) == (0, 1)  # it was not taken, the gem was
    again = small_game(PILL_NEAR_GEM_FAR)
    assert controller.act(again, calls(again, 300)) is Action.RIGHT


def test_a_type_that_proves_good_attracts_more_than_a_resource() -> None:
    far, near = small_game("g...A" + "." * 20 + "r"), small_game("...Ar..")
    controller = IdealStandard(far, unlimited(), seed=1)
    assert controller.act(far, calls(far, 100)) is Action.LEFT
    controller.act(near, calls(near, 100))
    assert controller.act(far, calls(far, 100)) is Action.RIGHT


def test_it_walks_around_walls_and_death_to_a_resource_and_then_to_the_portal() -> None:
    state = small_game("A.w..", "..w.g", "..f..", "....d")
    controller = IdealStandard(state, unlimited(), seed=1)
    state_before = state.copy()
    play(controller, state, 30)
    assert state.winner == 1
    assert state.tick < 15
    assert state_before.tick == 0


def test_a_step_that_may_lose_is_not_taken() -> None:
    state = small_game("...Afg.")
    for seed in range(10):
        controller = IdealStandard(state, unlimited(), seed=seed)
        assert controller.act(state, calls(state, 200)) is not Action.RIGHT
