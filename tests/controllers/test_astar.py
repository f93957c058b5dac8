"""A* over the forward model finds shortest ways, sees each state once, and can be interrupted."""

from __future__ import annotations

import gc
import random

import pytest

from small_games import calls, small_game
from vgdl import StateObservation
from vgdl.controllers.entries.astar import AStar, Estimate
from vgdl.controllers.search.distances import avatar_position, manhattan

DETOUR = ("A.w..", "..w.d", "..w..", ".....")
STEPS_OF_DETOUR = 4 + 3 + 2


def search(state: StateObservation, estimate: Estimate = lambda state: 0.0, max_nodes: float = float("inf")) -> AStar:
    return AStar(
        state,
        is_goal=lambda state: state.winner == 1,
        estimate=estimate,
        generator=random.Random(1),
        max_nodes=max_nodes,
    )


def to_the_door(state: StateObservation) -> float:
    door = state.portals[0][0] if state.portals else None
    return 0.0 if door is None or state.is_over else manhattan(avatar_position(state), door.position, state.block_size)


@pytest.mark.parametrize("estimate", [lambda state: 0.0, to_the_door])
def test_the_path_found_is_a_shortest_one(estimate: Estimate) -> None:
    state = small_game(*DETOUR)
    astar = search(state, estimate)
    astar.run(calls(state, 2000))
    assert astar.goal is not None
    path = astar.path()
    assert len(path) == STEPS_OF_DETOUR
    state.rollout(path)
    assert state.winner == 1


def test_an_estimate_saves_calls() -> None:
    used = []
    for estimate in (lambda state: 0.0, to_the_door):
        state = small_game(".........", ".A.....d.", ".........")
        timer = calls(state, 2000)
        search(state, estimate).run(timer)
        used.append(timer.calls_used)
    assert used[1] < used[0] / 2


def test_states_that_differ_only_in_their_history_are_expanded_once() -> None:
    state = small_game("A....", ".....", ".....")
    timer = calls(state, 10_000)
    astar = search(state)
    astar.run(timer)
    assert astar.is_finished
    assert astar.goal is None
    assert timer.calls_used <= 3 * 5 * 4 * 5  # cells, actions, and the action that led there, which states keep


def test_paths_do_not_lead_through_defeat() -> None:
    state = small_game("A.f.d", "..w..", ".....")
    astar = search(state)
    astar.run(calls(state, 5000))
    assert astar.goal is not None
    assert len(astar.path()) == 8


def test_a_search_resumes_where_it_was_interrupted() -> None:
    state = small_game(*DETOUR)
    astar = search(state)
    rounds = 0
    while not astar.is_finished:
        timer = calls(state, 12)
        astar.run(timer)
        assert not timer.exceeded
        rounds += 1
    assert rounds > 3
    assert astar.goal is not None
    assert len(astar.path()) == STEPS_OF_DETOUR


def test_a_search_stops_at_its_limit_of_places() -> None:
    state = small_game(*DETOUR)
    timer = calls(state, 5000)
    astar = search(state, max_nodes=5)
    astar.run(timer)
    assert astar.is_finished
    assert timer.calls_used <= 20


def test_the_closest_place_is_known_when_there_is_no_goal() -> None:
    state = small_game("A....wd")
    astar = search(state, to_the_door)
    astar.run(calls(state, 2000))
    assert astar.goal is None
    assert len(astar.path()) == 4


def test_the_state_searched_from_stays_as_it_is() -> None:
    state = small_game(*DETOUR)
    before = state.to_bytes()
    search(state).run(calls(state, 500))
    assert state.to_bytes() == before


def test_searches_leave_little_to_the_garbage_collector() -> None:
    """However many places there are: a long collection could exceed the time budget."""
    state = small_game(*["." * 20] * 10, "A")
    astar = search(state)
    gc.collect()
    before = len(gc.get_objects())
    timer = calls(state, 2000)
    astar.run(timer)
    gc.collect()
    assert timer.calls_used > 500
    assert len(gc.get_objects()) - before < 50
