"""Many states at once, by a pool of threads without the GIL."""

import concurrent.futures
import functools

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from vgdl.core.random cimport scramble
from vgdl.core.state cimport StateObservation, attach_block, draw_actions
from vgdl.core.tables cimport BoardTables
from vgdl.core.tick cimport run_tick
from vgdl.core.work cimport Work

cdef struct Job:  # one state's share of a batch
    char *block
    int64_t capacity
    int32_t[2] actions
    uint64_t draws
    int32_t played


def advance_many(states, actions, *, int threads=1):
    """Advance every state by one tick, in place: ``actions[k]`` for ``states[k]``, each entry as `advance` takes it.

    All states must be of one board and different from each other. Avatar events are not recorded.
    Raises ValueError otherwise.
    """
    cdef list batch = checked(states)
    given = list(actions)
    if len(given) != len(batch):
        raise ValueError(f"expected {len(batch)} actions, one per state, got {len(given)}")
    spread(batch, given, 1, threads, False)


def random_rollouts(states, int depth, seeds, *, int threads=1):
    """Play up to ``depth`` random ticks of every state, in place; the numbers of ticks played.

    ``seeds[k]`` is that of the generator which draws the actions for ``states[k]``. All states must be of one board and
    different from each other. Avatar events are not recorded. Raises ValueError otherwise.
    """
    cdef list batch = checked(states)
    given = list(seeds)
    if len(given) != len(batch):
        raise ValueError(f"expected {len(batch)} seeds, one per state, got {len(given)}")
    return spread(batch, given, depth, threads, True)


cdef list checked(states):
    batch = list(states)
    for state in batch:
        if not isinstance(state, StateObservation):
            raise ValueError(f"expected states, got {state!r}")
        if (<StateObservation>state).tables is not (<StateObservation>batch[0]).tables:
            raise ValueError("all states of a batch must be of one board")
    if len({id(state) for state in batch}) != len(batch):
        raise ValueError("a state is in the batch twice")
    return batch


@functools.cache
def _pool(int threads):
    return concurrent.futures.ThreadPoolExecutor(threads, thread_name_prefix="vgdl-batch")


def spread(list batch, list given, int depth, int threads, bint at_random):
    """Give each thread a slice of the batch."""
    if threads < 1:
        raise ValueError(f"expected at least one thread, got {threads}")
    if threads == 1 or len(batch) < 2 * threads:
        return play_slice(batch, given, depth, at_random)
    bounds = [len(batch) * k // threads for k in range(threads + 1)]
    futures = [
        _pool(threads).submit(play_slice, batch[a:b], given[a:b], depth, at_random)
        for a, b in zip(bounds, bounds[1:])
    ]
    return [played for future in futures for played in future.result()]


def play_slice(list batch, list given, int depth, bint at_random):
    """One thread's part. States are played on blocks of their own, which then take the place of theirs."""
    cdef int n = len(batch), k
    cdef BoardTables tables
    cdef StateObservation state
    cdef Job *jobs
    cdef Work *w
    if n == 0:
        return []
    tables = (<StateObservation>batch[0]).tables
    jobs = <Job *>malloc(n * sizeof(Job))
    if jobs == NULL:
        raise MemoryError("no memory for a batch")
    try:
        for k in range(n):
            state = batch[k]
            if at_random:
                jobs[k].draws = scramble(<int64_t>given[k])
            else:
                state.parse(given[k], jobs[k].actions)
        w = tables.take_work()
        for k in range(n):
            state = batch[k]
            jobs[k].played = 0
            jobs[k].block = tables.take_block(state.header().size, &jobs[k].capacity)
            memcpy(jobs[k].block, state.block, state.header().size)
        with nogil:
            for k in range(n):
                play_job(w, &jobs[k], depth, at_random)
        for k in range(n):
            state = batch[k]
            tables.give_block(state.block, state.capacity)
            state.block = jobs[k].block
            state.capacity = jobs[k].capacity
            state.stamp = 0
            if state.meter is not None:
                state.meter.used += jobs[k].played
        tables.give_work(w)
        return [jobs[k].played for k in range(n)]
    finally:
        free(jobs)


cdef void play_job(Work *w, Job *job, int depth, bint at_random) noexcept nogil:
    attach_block(w, job.block, job.capacity)
    w.record_history = 0
    while job.played < depth and not w.header.ended:
        if at_random:
            draw_actions(w, &job.draws)
        else:
            w.actions[0] = job.actions[0]
            w.actions[1] = job.actions[1]
        run_tick(w)
        job.played += 1
    job.block = w.block
    job.capacity = w.capacity
