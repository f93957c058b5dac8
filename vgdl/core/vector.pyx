"""Many plays of one board at once, for programs that learn: actions in; observations, rewards and ends out, all in
arrays that are made once. Ticks are played and observations drawn without the GIL; a play that has ended is restarted.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from vgdl.core.thread_pool cimport ThreadPool, pool_for, usable
from vgdl.core.api cimport restart
from vgdl.core.data.layout cimport NIL, Header
from vgdl.core.planes cimport Planes
from vgdl.core.data.random cimport scramble
from vgdl.core.state cimport StateObservation, attach_block
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.rules.tick cimport run_tick
from vgdl.core.data.scratch cimport Scratch

TOLD = ("observations", "rewards", "terminated", "truncated", "scores", "winners", "ticks")  # arrays of a `Vector`

cdef struct Play:  # one of the plays
    char *block
    int64_t capacity
    int32_t played  # ticks since its start


cdef class Vector:
    """``n`` plays of a board that are advanced together.

    After `step` or `restart_all`, the arrays tell of each play: ``observations`` what `Planes.write` draws, ``rewards``
    by how much the score of player 0 rose, ``terminated`` whether the game is over, ``truncated`` whether it was
    cut off after ``limit`` ticks; ``scores``, ``winners`` and ``ticks`` what a state tells under these names. They are the same arrays every
    time.
    """

    cdef readonly Planes planes
    cdef readonly object observations, rewards, terminated, truncated, scores, winners, ticks
    cdef readonly int n, limit
    cdef ThreadPool pool
    cdef BoardTables tables
    cdef Play *plays
    cdef Scratch **scratches  # one per thread
    cdef int n_threads
    cdef int32_t[::1] choices
    cdef uint8_t[:, :, :, ::1] seen
    cdef double[::1] gained, total
    cdef uint8_t[::1] over, cut
    cdef int32_t[::1] won, at
    cdef const int64_t[::1] actions, seeds  # of the step that is running

    def __cinit__(self, Planes planes not None, int n, choices, *, int threads=1, int limit=0):
        """``choices``: the action of player 0 behind each number that `step` takes; ``limit``: 0 for none."""
        cdef int k
        if n < 1 or threads < 1 or limit < 0:
            raise ValueError(f"expected plays and threads of at least 1 and no negative limit, got {n}, {threads}, {limit}")
        if planes.tables.rules.rules.n_players != 1:
            raise ValueError(f"expected a game of one player, got one of {planes.tables.rules.rules.n_players}")
        self.planes = planes
        self.tables = planes.tables
        self.n = n
        self.limit = limit
        self.n_threads = min(usable(threads), n)
        self.pool = pool_for(self.n_threads)
        self.choices = np.array(choices, np.int32)
        self.observations = np.zeros((n, *planes.shape), np.uint8)
        self.rewards = np.zeros(n)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.scores = np.zeros(n)
        self.winners = np.zeros(n, np.int32)
        self.ticks = np.zeros(n, np.int32)
        self.seen = self.observations
        self.gained = self.rewards
        self.total = self.scores
        self.over = self.terminated.view(np.uint8)
        self.cut = self.truncated.view(np.uint8)
        self.won = self.winners
        self.at = self.ticks
        self.plays = <Play *>calloc(n, sizeof(Play))
        self.scratches = <Scratch **>calloc(self.n_threads, sizeof(Scratch *))
        if self.plays == NULL or self.scratches == NULL:
            raise MemoryError("no memory for a vector of plays")
        for k in range(n):
            self.plays[k].block = self.tables.take_block(self.tables.level.initial_size, &self.plays[k].capacity)
            begin(self, k, 0)
        for k in range(self.n_threads):
            self.scratches[k] = self.tables.take_scratch()

    def __dealloc__(self):
        cdef int k
        if self.plays != NULL:
            for k in range(self.n):
                self.tables.give_block(self.plays[k].block, self.plays[k].capacity)
        if self.scratches != NULL:
            for k in range(self.n_threads):
                if self.scratches[k] != NULL:
                    self.tables.give_scratch(self.scratches[k])
        free(self.plays)
        free(self.scratches)

    def restart_all(self, const int64_t[::1] seeds not None):
        """Restart every play, the k-th with ``seeds[k]``, of which the low 32 bits count."""
        self.expect(seeds, "seeds")
        self.play_all(None, seeds)

    def step(self, const int64_t[::1] actions not None, const int64_t[::1] seeds not None):
        """Play one tick of every running play, ``actions[k]`` being a place in ``choices``. Those that ended in the last
        step restart instead, with ``seeds[k]``; their action is ignored, and their reward is 0.
        """
        cdef int k
        self.expect(actions, "actions")
        self.expect(seeds, "seeds")
        for k in range(self.n):
            if not 0 <= actions[k] < self.choices.shape[0]:
                raise ValueError(f"expected actions from 0 to {self.choices.shape[0] - 1}, got {actions[k]} for play {k}")
        self.play_all(actions, seeds)

    cdef int play_all(self, const int64_t[::1] actions, const int64_t[::1] seeds) except -1:
        """One step. Its arguments are written only when it is this call's turn: the step of another thread may be running."""
        self.pool.take_turn(self.n_threads)
        self.actions = actions
        self.seeds = seeds
        self.pool.run(run_play, NULL, <void *>self, self.n, self.n_threads, False)
        self.actions = self.seeds = None
        self.pool.give_turn()
        return 0

    def state(self, int k):
        """A copy of a play's state."""
        cdef StateObservation state
        if not 0 <= k < self.n:
            raise IndexError(f"there is no play {k}; there are {self.n}")
        state = StateObservation.initial(self.tables, 0)
        self.pool.take_turn(1)  # another thread's step may be running
        try:
            restart(state, self.plays[k].block, 0)
            state.header().rng = (<Header *>self.plays[k].block).rng
        finally:
            self.pool.give_turn()
        return state

    def __reduce__(self):
        """A copy is at the same point of the same plays, in arrays of its own."""
        played = [self.plays[k].played for k in range(self.n)]
        told = {name: getattr(self, name) for name in TOLD}
        states = [self.state(k) for k in range(self.n)]
        return _restore, (self.planes, np.asarray(self.choices), self.n_threads, self.limit, states, played, told)

    cdef int put(self, int k, StateObservation state, int32_t played) except -1:
        """Go on with a state as the k-th play."""
        cdef Play *play = &self.plays[k]
        cdef int64_t capacity, size = state.header().size
        cdef char *block
        if state.tables is not self.tables:
            raise ValueError("this state is of another board")
        if play.capacity < size:
            block = self.tables.take_block(size, &capacity)
            self.tables.give_block(play.block, play.capacity)
            play.block = block
            play.capacity = capacity
        memcpy(play.block, state.block, size)
        play.played = played
        return 0

    cdef int expect(self, const int64_t[::1] given, str what) except -1:
        if given.shape[0] != self.n:
            raise ValueError(f"expected {self.n} {what}, one per play, got {given.shape[0]}")
        return 0


def _restore(Planes planes, choices, int threads, int limit, states, played, told):
    """The vector that was pickled."""
    cdef Vector vector = Vector(planes, len(states), choices, threads=threads, limit=limit)
    cdef int k
    for k in range(vector.n):
        vector.put(k, states[k], played[k])
    for name in TOLD:
        getattr(vector, name)[...] = told[name]
    return vector


cdef void run_play(void *vector, int worker, int64_t k) noexcept nogil:
    play_on(<Vector>vector, (<Vector>vector).scratches[worker], k)


cdef void play_on(Vector vector, Scratch *w, int64_t k) noexcept nogil:
    """One play's part of a step: a tick or a new start, and what is to be seen and told of it."""
    cdef Play *play = &vector.plays[k]
    cdef double before
    cdef int64_t choice
    if vector.actions is None or vector.over[k] or vector.cut[k]:
        begin(vector, k, vector.seeds[k])
        attach_block(w, play.block, play.capacity)
        before = w.header.score[0]
    else:
        attach_block(w, play.block, play.capacity)
        before = w.header.score[0]
        w.record_history = 0
        choice = vector.actions[k]  # checked, but the array is the caller's and may have been written since
        w.actions[0] = vector.choices[choice] if 0 <= choice < vector.choices.shape[0] else <int>NIL
        w.actions[1] = NIL
        run_tick(w)
        play.block = w.block
        play.capacity = w.capacity
        play.played += 1
    vector.gained[k] = w.header.score[0] - before
    vector.over[k] = w.header.ended != 0
    vector.cut[k] = not w.header.ended and 0 < vector.limit <= play.played
    vector.total[k] = w.header.score[0]
    vector.won[k] = w.header.winner[0]
    vector.at[k] = w.header.tick
    vector.planes.draw(w, 0, &vector.seen[k, 0, 0, 0])


cdef void begin(Vector vector, int64_t k, int64_t seed) noexcept nogil:
    """The state before the first tick, its generator seeded (engine, 6)."""
    cdef Play *play = &vector.plays[k]
    memcpy(play.block, vector.tables.level.initial, vector.tables.level.initial_size)
    (<Header *>play.block).rng = scramble(<int32_t>seed)
    play.played = 0
