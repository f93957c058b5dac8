"""JinJerry: each term of its value moves it."""

from __future__ import annotations

from collections import Counter

import pytest

from small_games import calls, small_game, unlimited
from vgdl import Action, StateObservation
from vgdl.controllers.entries.jinjerry import JinJerry

SEEDS = range(12)


def answers(state: StateObservation) -> Counter[Action]:
    """The answers of controllers that differ only in their seeds."""
    return Counter(JinJerry(state, unlimited(), depth=2, seed=seed).act(state, calls(state, 200)) for seed in SEEDS)


def walk_to_the_left_and_back(explore: float, seed: int) -> Action:
    """The answer in the middle of a corridor of which the left half has been walked through."""
    state = small_game("....A....")
    controller = JinJerry(state, unlimited(), depth=2, explore=explore, seed=seed)
    for action in [Action.LEFT] * 4 + [Action.RIGHT] * 4:
        controller.act(state.copy(seed=1), calls(state, 4))
        state.advance(action)
    return controller.act(state, calls(state, 200))


def test_explore_leads_to_unvisited_cells() -> None:
    assert {walk_to_the_left_and_back(5.0, seed) for seed in SEEDS} == {Action.RIGHT}
    assert {walk_to_the_left_and_back(0.0, seed) for seed in SEEDS} > {Action.RIGHT}


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param("......A...g", id="resource"),
        pytest.param("......A...d", id="portal"),
        pytest.param("......A...r", id="NPC to chase"),
        pytest.param("a.....A....", id="movable to keep away from"),
    ],
)
def test_sprites_beyond_the_rollouts_guide_it(rows: str) -> None:
    assert answers(small_game(rows)) == {Action.RIGHT: len(SEEDS)}


def test_npcs_are_chased_until_one_proves_fatal() -> None:
    far, near = small_game("......A...f"), small_game(".....Af....")
    chasing = JinJerry(far, unlimited(), depth=2, seed=1)
    assert chasing.act(far, calls(far, 200)) is Action.RIGHT
    warned = JinJerry(far, unlimited(), depth=2, explore=0, seed=1)
    warned.act(near, calls(near, 200))
    assert warned.act(far, calls(far, 200)) is Action.LEFT


@pytest.mark.parametrize(("depth", "finds_it"), [(2, True), (0, False)])
def test_a_better_and_safe_rollout_counts(depth: int, finds_it: bool) -> None:
    """The point is three steps away, and nothing but points is valued."""
    state = small_game("o..A...")
    controllers = [JinJerry(state, unlimited(), depth=depth, explore=0, resource=0, seed=seed) for seed in SEEDS]
    taken = {controller.act(state, calls(state, 1800)) for controller in controllers}
    assert (taken == {Action.LEFT}) == finds_it


def test_rollouts_into_defeat_do_not_count_but_a_lost_step_does() -> None:
    state = small_game("...fA..", ".......")
    assert Action.LEFT not in answers(state)
