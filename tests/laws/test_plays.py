"""Random plays of every game and level with all invariants checked, and laws of continued play."""

from __future__ import annotations

import math
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws import runs
from vgdl import Action, StateObservation
from vgdl.core.data.layout import Category
from vgdl.trace import record

TICKS = 120
THREADS = 4


def check(state: StateObservation) -> None:
    """Invariants of every state of every bundled game."""
    width, height = state.world_dimension
    assert width % state.block_size == 0
    assert height % state.block_size == 0
    shown = record(state)
    ids = [sprite[0] for sprite in shown["sprites"]]
    assert len(set(ids)) == len(ids)
    assert 0 <= shown["rng"] < 1 << 48
    for _, kind, _, _, w, h, *orientation, speed, _, _, held in shown["sprites"]:
        assert 0 <= kind < len(state.game.types)
        assert w > 0
        assert h > 0
        assert all(map(math.isfinite, (*orientation, speed)))
        assert all(amount >= 0 for amount in held.values())
    assert all(map(math.isfinite, state.scores))
    assert state.error is None
    assert state.messages == 0
    check_observations(state, set(ids))
    check_actions(state)


def check_observations(state: StateObservation, ids: set[int]) -> None:
    """Lists, grid and arrays agree, and show only existing sprites."""
    array = state.arrays
    assert set(array["id"]) <= ids
    listed = [seen.id for category in Category for group in state.observations(category) for seen in group]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(array["id"])
    grid = state.grid
    width, height = state.world_dimension
    assert (len(grid), len(grid[0])) == (width // state.block_size, height // state.block_size)
    standing = {seen.id for column in grid for cell in column for seen in cell}
    assert standing <= set(array["id"])


def check_actions(state: StateObservation) -> None:
    for player in range(state.n_players):
        actions = state.actions_of(player)
        assert len(set(actions)) == len(actions)
        assert (actions == ()) == (state.is_over or not state.present[player])


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "level"), runs.BOARDS, ids=runs.IDS)
def test_random_play(name: str, level: int) -> None:
    """A play in which every state is checked; the same again from the seed; the same again in one call."""
    state, draws, actions = runs.start(name, level), random.Random(level), []
    while not state.is_over and state.tick < TICKS:
        check(state)
        actions.append(runs.moves(state, draws))
        tick = state.tick
        state.advance(actions[-1])
        assert state.is_over or state.tick == tick + 1
    check(state)
    ended = state.to_bytes()
    if state.is_over:
        state.advance(Action.NIL if state.n_players == 1 else (Action.NIL, Action.NIL))
        assert state.to_bytes() == ended
    again = runs.start(name, level)
    assert again.rollout(actions) == len(actions)
    assert again.to_bytes() == ended
    assert again.events == state.events


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "level"), runs.BOARDS, ids=runs.IDS)
def test_random_rollouts_depend_on_their_seeds_alone(name: str, level: int) -> None:
    state = runs.start(name, level)

    def end(seed: int) -> StateObservation:
        future = state.copy(seed=5)
        played = future.random_rollout(60, seed)
        assert played == 60 or future.is_over
        return future

    ends = [end(seed) for seed in range(10)]
    assert [end(seed) for seed in range(10)] == ends


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "level"), runs.BOARDS, ids=runs.IDS)
def test_threads_change_nothing(name: str, level: int) -> None:
    """Many states of one board advanced at once, without the GIL, and one after the other."""

    def play(seed: int) -> list[bytes]:
        future, seen = state.copy(seed=seed), []
        for part in range(8):
            future.random_rollout(15, seed + part)
            seen.append(future.to_bytes())
        return seen

    state = runs.start(name, level)
    alone = [play(seed) for seed in range(2 * THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(play, range(2 * THREADS))) == alone


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(runs.BOARDS), st.integers(), st.lists(st.sampled_from(list(Action)), max_size=60), st.data())
def test_a_play_can_be_cut_anywhere(
    board: tuple[str, int], seed: int, actions: list[Action], data: st.DataObject
) -> None:
    """Any actions from any seed: in one call, tick by tick, or with the state saved in between."""
    whole = runs.start(*board, seed=seed)
    moves = [(action,) * whole.n_players for action in actions]
    cut = data.draw(st.integers(0, len(moves)))
    played = whole.rollout(moves)
    steps = runs.start(*board, seed=seed)
    for move in moves[:cut]:
        steps.advance(move)
    restored = StateObservation.from_bytes(steps.tables, steps.to_bytes())
    for move in moves[cut:]:
        steps.advance(move)
    restored.rollout(moves[cut:])
    assert whole == steps == restored
    assert whole.events == steps.events
    assert played == len(moves) or whole.is_over


@pytest.mark.sampled(20)
@pytest.mark.parametrize(("name", "level"), runs.BOARDS, ids=runs.IDS)
def test_states_with_one_key_show_the_same(name: str, level: int) -> None:
    """All but generator, tick and ids."""

    def without_identity(state: StateObservation) -> object:
        shown = record(state)
        sprites = [sprite[1:] for sprite in shown["sprites"]]
        return shown["score"], shown["win"], shown["counters"], sprites, state.is_over

    seen: dict[int, object] = {}
    for seed in range(4):
        state, draws = runs.start(name, level), random.Random(seed)
        for _ in range(TICKS // 2):
            shown = without_identity(state)
            assert seen.setdefault(state.key(), shown) == shown
            state.advance(runs.moves(state, draws))
    assert len(seen) > 1
