"""Many states at once, on a thread pool."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.limits cimport INT_MAX
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from vgdl.core.thread_pool cimport ThreadPool, pool_for, usable
from vgdl.core.data.random cimport low_bits, scramble
from vgdl.core.state cimport PACE, StateObservation, attach_block, play_many
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.data.scratch cimport Scratch

cdef enum:
    IN_PLACE = 100_000  # sprite updates per thread: about 5 ms, Python's thread switch interval

cdef struct Job:  # one state's share of a batch
    char *block
    int64_t capacity
    uint64_t draws  # generator of random actions
    char[2] actions  # the given actions, unless they are random
    int32_t played

cdef struct Batch:
    Job *jobs
    Scratch **scratches  # one per thread
    int depth
    bint at_random
    bint metered  # a state has a meter
    bint moved  # a block became too small and was replaced
    bint apart  # the ticks are played on copies of the states' blocks, without the GIL
    bint stopped  # by a signal whose handler raised an exception
    void *raised  # list that receives the exception


def advance_many(states, actions, *, Py_ssize_t threads=1):
    """Advance every state by one tick, in place: ``actions[k]`` for ``states[k]``, each entry as `advance` takes it.

    All states must be of one board and different from each other. Avatar events are not recorded.

    >>> board = vgdl.load("sokoban").board(level=0)
    >>> states = [board.start(seed) for seed in range(3)]
    >>> vgdl.advance_many(states, [vgdl.Action.UP, vgdl.Action.LEFT, vgdl.Action.NIL])
    >>> [state.tick for state in states]
    [1, 1, 1]

    Raises:
        ValueError: states of different boards, a state that occurs twice, or another number of actions.
    """
    batch, given = list(states), list(actions)
    if len(given) != len(batch):
        raise ValueError(f"expected {len(batch)} actions, one per state, got {len(given)}")
    spread(batch, given, 1, threads, False)


def random_rollouts(states, Py_ssize_t depth, seeds, *, Py_ssize_t threads=1):
    """Play up to ``depth`` random ticks of every state, in place.

    ``seeds[k]`` seeds the generator that draws the actions for ``states[k]``. All states must be of one board and
    different from each other. Avatar events are not recorded. If a signal interrupts the call, the states remain
    unchanged.

    >>> board = vgdl.load("sokoban").board(level=0)
    >>> vgdl.random_rollouts([board.start(seed) for seed in range(3)], depth=10, seeds=[1, 2, 3])
    [10, 10, 10]

    Returns:
        The number of ticks played in each state.

    Raises:
        ValueError: states of different boards, a state that occurs twice, or another number of seeds.
    """
    batch, given = list(states), list(seeds)
    if len(given) != len(batch):
        raise ValueError(f"expected {len(batch)} seeds, one per state, got {len(given)}")
    return spread(batch, given, <int>min(depth, INT_MAX), threads, True)


cdef list spread(list states, list given, int depth, Py_ssize_t threads, bint at_random):
    """Play a batch; return the number of ticks played in each state for random rollouts, else None.

    A batch shorter than Python's thread switch interval is played in place and holds the GIL. A longer one releases the
    GIL: its ticks are played on copies of the blocks, so other threads see the states unchanged, and the blocks are
    exchanged at the end.
    """
    cdef int n = len(states), k
    cdef ThreadPool pool
    cdef BoardTables tables = None
    cdef StateObservation state
    cdef Batch batch
    cdef list raised = []
    threads = usable(threads)
    if n == 0:
        return []
    threads = min(threads, n)
    pool = pool_for(threads)
    memset(&batch, 0, sizeof(Batch))
    batch.depth = depth
    batch.at_random = at_random
    batch.raised = <void *>raised
    batch.jobs = <Job *>calloc(n, sizeof(Job))
    batch.scratches = <Scratch **>calloc(threads, sizeof(Scratch *))
    try:
        if batch.jobs == NULL or batch.scratches == NULL:
            raise MemoryError("no memory for a batch")
        tables = describe(&batch, states, given)
        for k in range(threads):
            batch.scratches[k] = tables.take_scratch()
        pool.take_turn(threads)
        try:
            enlist(&batch, states)
            state = states[0]
            if <int64_t>n * depth * (state.header().n_sprites + 8) > <int64_t>threads * IN_PLACE:
                batch.apart = True
                move_out(&batch, states)
            pool.run(play_job, poll_signals, &batch, n, threads, not batch.apart)
        finally:
            pool.give_turn()
        if raised:
            raise raised[0]
        if batch.apart or batch.moved:
            move_in(&batch, states)
        if batch.metered:
            for k in range(n):
                state = states[k]
                if state.meter is not None:
                    state.meter.used += batch.jobs[k].played
        return [batch.jobs[k].played for k in range(n)] if at_random else None
    finally:
        for k in range(n if batch.apart else 0):
            tables.give_block(batch.jobs[k].block, batch.jobs[k].capacity)
        for k in range(threads if batch.scratches != NULL else 0):
            if batch.scratches[k] != NULL:
                tables.give_scratch(batch.scratches[k])
        free(batch.jobs)
        free(batch.scratches)


@cython.boundscheck(False)
@cython.wraparound(False)
cdef BoardTables describe(Batch *batch, list states, list given):
    """Fill in the actions or seeds of all jobs; return the board, which all states must share.

    Actions and seeds may be the caller's own objects, whose methods can change the states. Hence the blocks are not
    read yet.
    """
    cdef BoardTables tables = None
    cdef StateObservation state
    cdef Job *job
    cdef Py_ssize_t k
    for k in range(len(states)):
        job = &batch.jobs[k]
        if not isinstance(states[k], StateObservation):
            raise ValueError(f"expected states, got {states[k]!r}")
        state = <StateObservation>states[k]
        if tables is None:
            tables = state.tables
        if state.tables is not tables:
            raise ValueError("all states of a batch must be of one board")
        if state.meter is not None:
            batch.metered = True
        if batch.at_random:
            job.draws = scramble(low_bits(given[k]))
        else:
            state.parse(given[k], job.actions)
    return tables


@cython.boundscheck(False)
@cython.wraparound(False)
cdef int enlist(Batch *batch, list states) except -1:
    """Fill in the states' blocks. A stamp on each state detects duplicates and invalidates its index."""
    cdef StateObservation state = states[0]
    cdef uint64_t stamp = state.tables.stamp + 1
    cdef Py_ssize_t k
    state.tables.stamp = stamp
    for k in range(len(states)):
        state = <StateObservation>states[k]
        if state.stamp == stamp:
            raise ValueError("a state is in the batch twice")
        state.stamp = stamp
        batch.jobs[k].block = state.block
        batch.jobs[k].capacity = state.capacity
    return 0


cdef int move_out(Batch *batch, list states) except -1:
    """Give the jobs copies of the states' blocks."""
    cdef StateObservation state
    cdef Job *job
    cdef int k
    for k in range(len(states)):
        batch.jobs[k].block = NULL
    for k in range(len(states)):
        state = states[k]
        job = &batch.jobs[k]
        job.block = state.tables.take_block(state.header().size, &job.capacity)
        memcpy(job.block, state.block, state.header().size)
    return 0


cdef int move_in(Batch *batch, list states) except -1:
    """Exchange the blocks of states and jobs."""
    cdef StateObservation state
    cdef Job *job
    cdef int k
    for k in range(len(states)):
        state = states[k]
        job = &batch.jobs[k]
        state.block, job.block = job.block, state.block
        state.capacity, job.capacity = job.capacity, state.capacity
        state.stamp = 0
    return 0


cdef void poll_signals(void *what) noexcept nogil:
    """Stop the batch if a signal handler raises an exception, as that of Ctrl-C does. For the calling thread only."""
    cdef Batch *batch = <Batch *>what
    with gil:
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            (<list>batch.raised).append(error)
            batch.stopped = True


cdef void play_job(void *what, int worker, int64_t k) noexcept nogil:
    cdef Batch *batch = <Batch *>what
    cdef Job *job = &batch.jobs[k]
    cdef Scratch *w = batch.scratches[worker]
    cdef int64_t steps = 0
    if batch.stopped:
        return
    attach_block(w, job.block, job.capacity)
    w.record_history = 0
    while True:
        job.played += play_many(w, NULL if batch.at_random else job.actions, batch.depth - job.played, &job.draws, &steps)
        if worker == 0 and batch.apart:
            w.unwatched += steps  # not in the batch, whose fields all threads read
            if w.unwatched >= PACE:
                w.unwatched = 0
                poll_signals(batch)
        if batch.stopped or w.header.ended or job.played >= batch.depth:
            break
        steps = 0
    if w.block != job.block:
        job.block = w.block
        job.capacity = w.capacity
        batch.moved = True
