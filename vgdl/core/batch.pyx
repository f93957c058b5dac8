"""Many states at once, by a pool of threads without the GIL."""

import functools

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from vgdl.core.crew cimport Crew
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

cdef struct Batch:
    Job *jobs
    Work **works  # one per thread
    int depth
    bint at_random


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
    """The states as a list. Each is marked by its stamp, which tells whether it comes twice, and keeps no index any more."""
    cdef list batch = list(states)
    cdef BoardTables tables = None
    cdef StateObservation state
    for given in batch:
        if not isinstance(given, StateObservation):
            raise ValueError(f"expected states, got {given!r}")
        state = given
        if tables is None:
            tables = state.tables
            tables.stamp += 1
        if state.tables is not tables:
            raise ValueError("all states of a batch must be of one board")
        if state.stamp == tables.stamp:
            raise ValueError("a state is in the batch twice")
        state.stamp = tables.stamp
    return batch


def spread(list batch, list given, int depth, int threads, bint at_random):
    """Play the batch. States are played on blocks of their own, which then take the place of theirs."""
    cdef int n = len(batch), k
    cdef BoardTables tables
    cdef StateObservation state
    cdef Batch work
    cdef Job *job
    if threads < 1:
        raise ValueError(f"expected at least one thread, got {threads}")
    if n == 0:
        return []
    tables = (<StateObservation>batch[0]).tables
    threads = min(threads, n)
    work.depth = depth
    work.at_random = at_random
    work.jobs = <Job *>calloc(n, sizeof(Job))
    work.works = <Work **>calloc(threads, sizeof(Work *))
    try:
        if work.jobs == NULL or work.works == NULL:
            raise MemoryError("no memory for a batch")
        for k in range(threads):
            work.works[k] = tables.take_work()
        for k in range(n):
            state = batch[k]
            job = &work.jobs[k]
            if at_random:
                job.draws = scramble(<int64_t>given[k])
            else:
                state.parse(given[k], job.actions)
        for k in range(n):
            state = batch[k]
            job = &work.jobs[k]
            job.block = tables.take_block(state.header().size, &job.capacity)
            memcpy(job.block, state.block, state.header().size)
        crew_of(threads).run(play_job, &work, n)
        for k in range(n):
            state = batch[k]
            job = &work.jobs[k]
            state.block, job.block = job.block, state.block
            state.capacity, job.capacity = job.capacity, state.capacity
            if state.meter is not None:
                state.meter.used += job.played
        return [work.jobs[k].played for k in range(n)]
    finally:
        for k in range(n if work.jobs != NULL else 0):
            tables.give_block(work.jobs[k].block, work.jobs[k].capacity)
        for k in range(threads if work.works != NULL else 0):
            if work.works[k] != NULL:
                tables.give_work(work.works[k])
        free(work.jobs)
        free(work.works)


@functools.cache
def _crew(int threads):
    return Crew(threads)


cdef Crew crew_of(int threads):
    return _crew(threads)


cdef void play_job(void *what, int hand, int64_t k) noexcept nogil:
    cdef Batch *batch = <Batch *>what
    cdef Job *job = &batch.jobs[k]
    cdef Work *w = batch.works[hand]
    attach_block(w, job.block, job.capacity)
    w.record_history = 0
    while job.played < batch.depth and not w.header.ended:
        if batch.at_random:
            draw_actions(w, &job.draws)
        else:
            w.actions[0] = job.actions[0]
            w.actions[1] = job.actions[1]
        run_tick(w)
        job.played += 1
    job.block = w.block
    job.capacity = w.capacity
