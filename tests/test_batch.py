"""Batches: many states advanced by threads equal those advanced one by one."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import vgdl
from vgdl import Action, Meter, StateObservation

NEST = """
BasicGame
    SpriteSet
        nest > SpawnPoint stype=bird cooldown=1
        bird > RandomNPC
        player > MovingAvatar
    LevelMapping
        n > nest
        A > player
    InteractionSet
    TerminationSet
        Timeout limit=2000
"""


def futures(count: int) -> list[StateObservation]:
    state = vgdl.load("butterflies").start(level=0, seed=3)
    return [state.copy(seed=k, history=False) for k in range(count)]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_batch_advances_like_its_states(threads: int) -> None:
    batch, single = futures(37), futures(37)
    actions = [list(Action)[k % 6] for k in range(37)]
    for _ in range(20):
        vgdl.advance_many(batch, actions, threads=threads)
        for state, action in zip(single, actions, strict=True):
            state.advance(action)
    assert batch == single


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("count", "depth"), [(25, 40), (200, 200)])  # in place, and on newly allocated blocks
def test_random_rollouts_of_a_batch_are_those_of_its_states(count: int, depth: int, threads: int) -> None:
    batch, single = futures(count), futures(count)
    played = vgdl.random_rollouts(batch, depth, range(count), threads=threads)
    assert played == [state.random_rollout(depth, seed) for seed, state in enumerate(single)]
    assert batch == single


def test_states_whose_blocks_grow_in_a_batch() -> None:
    start = vgdl.loads(NEST).start("An...", seed=1)
    batch, single = ([start.copy(seed=k, history=False) for k in range(10)] for _ in range(2))
    for _ in range(100):
        vgdl.advance_many(batch, [Action.NIL] * 10, threads=2)
        for state in single:
            state.advance(Action.NIL)
    assert batch == single
    assert batch[0].n_bytes > 3 * start.n_bytes


def test_actions_that_advance_a_state_of_the_batch_themselves() -> None:
    start = vgdl.loads(NEST).start("An...", seed=1)
    first, second = start.copy(), start.copy()

    class Meddling:
        def __iter__(self) -> Iterator[Action]:
            first.random_rollout(50, 1)
            return iter([Action.NIL])

    meddling: Any = Meddling()
    vgdl.advance_many([first, second], [Action.NIL, meddling])
    assert (first.tick, second.tick) == (51, 1)
    with pytest.raises(ValueError, match="twice"):
        vgdl.advance_many([first, first], [Action.NIL, meddling])


def test_during_long_work_other_threads_see_the_states_from_before() -> None:
    batch = futures(300)
    begun = threading.Event()
    seen: set[int] = set()

    def play() -> None:
        begun.set()
        vgdl.random_rollouts(batch, 2000, range(300), threads=2)

    playing = threading.Thread(target=play)
    playing.start()
    begun.wait()
    while playing.is_alive():
        seen.update(state.tick for state in batch)
    assert seen - {state.tick for state in batch} == {0}


def test_threads_keep_up_with_many_short_calls() -> None:
    """Workers still asleep when the work is done join later, or not at all."""
    batch, single = futures(5), futures(5)
    for tick in range(1000):
        action = list(Action)[tick % 5]
        vgdl.advance_many(batch, [action] * 5, threads=4)
        for state in single:
            state.advance(action)
    assert batch == single


def test_one_thread_pool_serves_many_callers() -> None:
    """Batches given to the same threads at the same time wait for each other."""
    batches = [futures(40) for _ in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as callers:
        played = list(callers.map(lambda batch: vgdl.random_rollouts(batch, 30, range(40), threads=3), batches))
    assert played[1:] == played[:-1]
    assert batches[1:] == batches[:-1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    expected, batch = futures(20), futures(20)
    vgdl.random_rollouts(expected, 10, range(20), threads=3)
    pool = multiprocessing.get_context("fork").Pool(1)
    try:
        assert pool.apply(vgdl.random_rollouts, (batch, 10, range(20)), {"threads": 3}) == [s.tick for s in expected]
    finally:  # not `terminate`: with an inherited handler, a signal that comes just before the child waits is lost
        pool.close()
        pool.join()


def test_a_batch_counts_every_tick() -> None:
    state = vgdl.load("sokoban").start(level=0, seed=1)
    state.meter = Meter()
    batch = [state.copy(seed=k) for k in range(8)]
    vgdl.random_rollouts(batch, 5, range(8), threads=2)
    assert state.meter.used == 40


def test_ended_states_stay_as_they_are() -> None:
    batch = futures(2)
    batch[0].advance(Action.ESCAPE)
    before = batch[0].to_bytes()
    vgdl.advance_many(batch, [Action.LEFT, Action.LEFT])
    assert batch[0].to_bytes() == before
    assert batch[1].tick == 1


def test_wrong_batches_are_refused() -> None:
    states = futures(2)
    other = vgdl.load("sokoban").start(level=0, seed=1)
    for batch, actions, why in [
        (states, [Action.LEFT], "expected 2 actions"),
        ([states[0], states[0]], [0, 0], "twice"),
        ([states[0], other], [0, 0], "one board"),
        ([states[0], "state"], [0, 0], "expected states"),
        (states, [0, 9], "expected an Action"),
    ]:
        with pytest.raises(ValueError, match=why):
            vgdl.advance_many(batch, actions)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one thread"):
        vgdl.advance_many(states, [0, 0], threads=0)
    assert vgdl.random_rollouts([], 3, []) == []
