"""Many plays of one game at once, on one board or on several, for programs that learn.

A step takes actions, and writes observations, rewards and ends of plays into arrays that are made once, or that the
caller owns. Ticks are played and observations drawn without the GIL; a play that has ended is restarted.
"""

cimport cython
import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from vgdl.core.thread_pool cimport pool_for, usable
from vgdl.core.api cimport restart
from vgdl.core.data.layout cimport NIL, Header, LevelTables, TypeRow
from vgdl.core.data.machine cimport fetch_ahead
from vgdl.core.data.random cimport seed_generators
from vgdl.core.observer cimport Drawn, Observer, Space, close_drawn, open_drawn
from vgdl.core.state cimport PACE, StateObservation, attach_block
from vgdl.core.rules.tick cimport run_tick
from vgdl.core.data.scratch cimport Scratch, record
from vgdl.core.data.tables cimport BoardTables

cdef enum:
    LINE = 64  # bytes of a cache line
    MOST_AHEAD = 2048  # bytes of the next play that are prefetched while one is played

#: dtypes that the arrays of every vector can have, by name; the vector itself makes the first one
DTYPES = {
    "rewards": (np.dtype(np.float64), np.dtype(np.float32)),
    "terminations": (np.dtype(np.bool_), np.dtype(np.uint8)),
    "truncations": (np.dtype(np.bool_), np.dtype(np.uint8)),
    "restarted": (np.dtype(np.bool_), np.dtype(np.uint8)),
    "scores": (np.dtype(np.float64),),
    "winners": (np.dtype(np.int32),),
    "ticks": (np.dtype(np.int32),),
    "boards": (np.dtype(np.int32),),
}
#: those of the additional arrays of a vector that restarts plays in the step that ends them
FINAL_DTYPES = {f"final_{name}": DTYPES[name] for name in ("scores", "winners", "ticks", "boards")}


@cython.no_gc_clear  # `__dealloc__` needs the observers
cdef class Vector:
    """Plays of a game that are advanced together, each on one of the vector's boards.

    After `step` or `restart_all`, the ``arrays`` have an entry for each play. Observations are under the names of the
    observer's parts (``observations`` for `Planes`). ``rewards``: increase of player 0's score; ``terminations``:
    whether the game is over; ``truncations``: whether ``limit`` ticks have been played; ``restarted``: whether the play
    took a seed; ``scores``, ``winners`` and ``ticks``: ``score``, ``winner`` and ``tick`` of the state; ``boards``: the
    number of the play's board. The arrays are the same every time, and a step writes only differences: after writing
    into them, call `forget`.
    """

    def __cinit__(
        self, observers not None, int plays, choices, *, int threads=1, int limit=0, bint same_step=False, bint manual=False,
        out=None
    ):
        """Set up the plays; `restart_all` starts them.

        ``observers``: one, or several for as many boards of one game. ``choices`` lists the action of player 0 for each
        number given to `step`. With ``limit``, plays are truncated after as many ticks; with ``same_step``, a play
        restarts in the step that ends it, and with ``manual`` only by `restart_some`; ``out`` gives arrays by name.
        """
        cdef int k
        boards = [observers] if isinstance(observers, Observer) else list(observers)
        if not boards or not all(isinstance(one, Observer) for one in boards):
            raise TypeError(f"expected an observer, or several, got {observers!r:.60}")
        observer = boards[0]
        if plays < 1 or threads < 1 or limit < 0:
            raise ValueError(
                f"expected plays and threads of at least 1 and no negative limit, got {plays}, {threads}, {limit}")
        if same_step and manual:
            raise ValueError("plays are restarted in the step that ends them, or by hand, not both")
        if (<Observer>observer).tables.rules.rules.n_players != 1:
            raise ValueError(f"expected a game of one player, got one of {(<Observer>observer).tables.rules.rules.n_players}")
        self.n = plays
        self.limit = limit
        self.same_step = same_step
        self.manual = manual
        self.n_threads = min(usable(threads), plays)
        self.pool = pool_for(self.n_threads)
        self.choices = np.array(choices, np.int32)
        self.arrays = _arrays(observer, plays, same_step, {} if out is None else dict(out))
        point(self, observer)
        self.plays = <Play *>calloc(plays, sizeof(Play))
        self.drawn = <Drawn *>calloc(plays, sizeof(Drawn))
        self.drawn_last = <Drawn *>calloc(plays, sizeof(Drawn))
        self.spaces = <Space *>calloc(self.n_threads, sizeof(Space))
        if self.plays == NULL or self.drawn == NULL or self.drawn_last == NULL or self.spaces == NULL:
            raise MemoryError("no memory for a vector of plays")
        self.observers = []
        for one in boards:
            self.set_stage(self.n_stages, one)
        self.n_first = self.n_stages
        for k in range(plays):
            open_drawn(&self.drawn[k], (<Observer>observer).tables)
            open_drawn(&self.drawn_last[k], (<Observer>observer).tables)
            self.plays[k].block = (<Observer>observer).tables.take_block(
                self.stages[0].level.initial_size, &self.plays[k].capacity)
            begin(self, k, 0)

    def __dealloc__(self):
        cdef int k
        if self.plays != NULL:
            for k in range(self.n):
                if self.plays[k].block != NULL:
                    (<Observer>self.observers[0]).tables.give_block(self.plays[k].block, self.plays[k].capacity)
        if self.drawn != NULL:
            for k in range(self.n):
                close_drawn(&self.drawn[k])
                if self.drawn_last != NULL:
                    close_drawn(&self.drawn_last[k])
        for k in range(self.n_stages):
            close_stage(self, k)
        if self.spaces != NULL:
            for k in range(self.n_threads):
                free(self.spaces[k].data)
        free(self.plays)
        free(self.drawn)
        free(self.drawn_last)
        free(self.stages)
        free(self.spaces)

    cdef int set_stage(self, int number, Observer observer) except -1:
        """Use a board as the one with a number; the next free number adds one."""
        cdef Stage *grown
        cdef Stage *stage
        cdef int k
        if self.observers:
            first = <Observer>self.observers[0]
            if observer.tables.rules is not first.tables.rules:
                raise ValueError("expected boards of one game")
            if observer.parts != first.parts:
                raise ValueError(f"expected observations like {first.parts}, got {observer.parts}")
        if number == self.n_stages:
            grown = <Stage *>realloc(self.stages, (number + 1) * sizeof(Stage))
            if grown == NULL:
                raise MemoryError("no memory for another board")
            self.stages = grown
            self.stages[number].observer = NULL
            self.stages[number].scratches = <Scratch **>calloc(self.n_threads, sizeof(Scratch *))
            if self.stages[number].scratches == NULL:
                raise MemoryError("no memory for another board")
            self.n_stages += 1
            self.observers.append(None)
        stage = &self.stages[number]
        stage.observer = <void *>observer
        self.observers[number] = observer
        stage.level = &observer.tables.level
        for k in range(self.n_threads):
            stage.scratches[k] = observer.tables.take_scratch()
            stage.scratches[k].one_tick = 1
        return 0

    def add(self, Observer observer not None):
        """Add a board, in place of an added one that no play is on; return its number."""
        cdef int k, number = self.n_stages
        self.pool.take_turn(self.n_threads)
        try:
            used = {self.plays[k].stage for k in range(self.n)} | {self.plays[k].next_stage for k in range(self.n)}
            for k in range(self.n_first, self.n_stages):
                if k not in used:
                    if self.stages[k].observer != NULL:
                        give_scratches(self, k)
                    number = k
                    break
            self.set_stage(number, observer)
        finally:
            self.pool.give_turn()
        return number

    def assign(self, int number, int board):
        """Let the play with a number be on a board from its next start on.

        Raises:
            IndexError: no such play or board.
        """
        cdef Play *play
        cdef BoardTables tables
        cdef char *block
        if not (0 <= number < self.n and 0 <= board < self.n_stages):
            raise IndexError(
                f"expected a play below {self.n} and a board below {self.n_stages}, got {number} and {board}")
        play = &self.plays[number]
        if play.next_stage == board:
            return
        self.pool.take_turn(self.n_threads)
        try:
            tables = (<Observer>self.observers[board]).tables
            if play.capacity < tables.level.initial_size:
                block = <char *>realloc(play.block, tables.level.initial_size)
                if block == NULL:
                    raise MemoryError("no memory for a game state")
                play.block = block
                play.capacity = tables.level.initial_size
            grow_drawn(&self.drawn[number], tables)
            grow_drawn(&self.drawn_last[number], tables)
            play.next_stage = board
        finally:
            self.pool.give_turn()

    @property
    def threads(self):
        """Threads that share the plays."""
        return self.n_threads

    @property
    def is_torn(self):
        """Whether an exception stopped the last step, so that some plays are a tick ahead of others: call `restart_all`."""
        return self.torn

    def restart_all(self, const int64_t[::1] seeds not None):
        """Restart every play, the k-th with the low 32 bits of ``seeds[k]``."""
        expect(self, seeds, "seeds")
        self.step_all(NULL, &seeds[0])

    def restart_some(self, const uint8_t[::1] mask not None, const int64_t[::1] seeds not None):
        """Restart the plays whose entry in ``mask`` is not 0; nothing of the others changes, except ``restarted``.

        Raises:
            ValueError: not one entry and one seed per play.
            RuntimeError: the vector is torn, see `is_torn`.
        """
        expect(self, seeds, "seeds")
        if mask.shape[0] != self.n:
            raise ValueError(f"expected {self.n} entries of a mask, one per play, got {mask.shape[0]}")
        self.step_all(NULL, &seeds[0], &mask[0])

    def allowed(self):
        """Whether each play's avatar has each of ``choices``: a new array of bool, (n, choices).

        NIL is always among them, and nothing else once the avatar is gone or the game is over.
        """
        cdef Scratch *w
        cdef Play *play
        cdef TypeRow *t
        cdef int k, j, i, action
        found = np.zeros((self.n, self.choices.shape[0]), np.bool_)
        cdef uint8_t[:, ::1] into = found.view(np.uint8)
        self.pool.take_turn(1)
        try:
            for k in range(self.n):
                play = &self.plays[k]
                w = self.stages[play.stage].scratches[0]
                attach_block(w, play.block, play.capacity)
                t = NULL
                if not w.header.ended and w.header.avatar[0] >= 0:
                    t = &w.rules.types[record(w, w.header.avatar[0]).type]
                for j in range(self.choices.shape[0]):
                    action = self.choices[j]
                    into[k, j] = action == NIL
                    for i in range(0 if t == NULL else t.actions_len):
                        if w.rules.pool[t.actions_start + i] == action:
                            into[k, j] = 1
        finally:
            self.pool.give_turn()
        return found

    def step(self, const int64_t[::1] actions not None, const int64_t[::1] seeds not None):
        """Play one tick of every running play; ``actions[k]`` is an index into ``choices``.

        Plays that ended in the last step restart instead, with ``seeds[k]``; their action is ignored, and their reward
        is 0. With ``manual``, they are not restarted, and stay as they are. With ``same_step``, plays that end restart
        at once: observation, score, winner and tick are those of the new play, and those of the end are in the arrays
        whose names begin with ``final_``. If a signal handler raises an exception, as that of Ctrl-C does, the vector
        is torn: see `is_torn`.

        Raises:
            ValueError: not one valid action and one seed per play.
            RuntimeError: the vector is torn.
        """
        cdef int k
        expect(self, actions, "actions")
        expect(self, seeds, "seeds")
        for k in range(self.n):
            if not 0 <= actions[k] < self.choices.shape[0]:
                raise ValueError(f"expected actions from 0 to {self.choices.shape[0] - 1}, got {actions[k]} for play {k}")
        self.step_all(&actions[0], &seeds[0])

    def text(self, int number, *, bint last=False):
        """A play's observation, for an observer of texts; with ``last``, the final one of the play before.

        Raises:
            IndexError: there is no such play.
            ValueError: observations are arrays.
        """
        cdef Drawn *drawn
        if self.n_parts:
            raise ValueError("observations are arrays: see `arrays`")
        if not 0 <= number < self.n:
            raise IndexError(f"there is no play {number}; there are {self.n}")
        drawn = &self.drawn_last[number] if last else &self.drawn[number]
        return (<char *>drawn.marks)[:drawn.n].decode() if drawn.n else ""

    def forget(self):
        """Make the next step write every observation in full, after a caller has written into the arrays."""
        cdef int k
        for k in range(self.n):
            self.drawn[k].known = 0

    cdef int step_all(self, const int64_t *actions, const int64_t *seeds, const uint8_t *mask=NULL) except -1:
        """One step of all plays on all threads; without actions they, or those of a mask, restart.

        Needs the GIL, and releases it.

        The fields of the running step are written only in this call's turn, since another thread's step may be running.
        """
        self.pool.take_turn(self.n_threads)
        try:
            if self.torn and (actions != NULL or mask != NULL):
                raise RuntimeError("an interrupted step has left the plays at different ticks: restart them")
            self.raised = []
            self.stopped = self.torn = False
            self.actions = actions
            self.seeds = seeds
            self.mask = mask
            self.pool.run(run_play, look_at_signals, <void *>self, self.n, self.n_threads, False)
            self.settle()
        except BaseException:
            self.torn = True
            raise
        finally:
            self.pool.give_turn()
        return 0

    cdef int settle(self) except -1:
        """Finish what `step_some` or the threads could not do without the GIL; raise what stopped them."""
        cdef Play *play
        cdef Scratch *w
        cdef uint8_t *restarted = self.restarted
        cdef int k, n_restarted = 0
        if self.stopped:
            raise self.raised[0]
        if self.some_wait:
            self.some_wait = False
            for k in range(self.n):
                play = &self.plays[k]
                while play.waiting:
                    w = self.stages[play.stage].scratches[0]
                    attach_block(w, play.block, play.capacity)
                    conclude(self, 0, w, k)  # what is missing may have been made for another play
                    if play.waiting:
                        w = self.stages[play.stage].scratches[0]  # the play may be on another board now
                        (<Observer>self.stages[play.stage].observer).prepare(w)
        for k in range(self.n):
            n_restarted += restarted[k]
        self.n_restarted = n_restarted
        return 0

    cdef int step_some(self, const int64_t *actions, const int64_t *seeds, int first, int end) noexcept nogil:
        """One step of plays ``first`` to before ``end`` on the calling thread; return how many wait for `settle`.

        For one thread at a time. ``actions`` and ``seeds`` are those of all ``n`` plays; signals are not polled.
        """
        cdef int k, waiting = 0
        self.actions = actions
        self.seeds = seeds
        self.mask = NULL
        for k in range(first, end):
            play_on(self, 0, k)
            waiting += self.plays[k].waiting
        return waiting

    def state(self, int number):
        """A copy of a play's state."""
        cdef StateObservation state
        if not 0 <= number < self.n:
            raise IndexError(f"there is no play {number}; there are {self.n}")
        state = StateObservation.initial((<Observer>self.observers[self.plays[number].stage]).tables, 0)
        self.pool.take_turn(1)  # another thread's step may be running
        try:
            restart(state, self.plays[number].block, 0)
            state.header().rng = (<Header *>self.plays[number].block).rng
            state.header().side_rng = (<Header *>self.plays[number].block).side_rng
        finally:
            self.pool.give_turn()
        return state

    def __reduce__(self):
        """A copy is at the same point of the same plays, with its own arrays."""
        cdef int k
        options = {"threads": self.n_threads, "limit": self.limit, "same_step": self.same_step, "manual": self.manual}
        played = [(self.plays[k].stage, self.plays[k].next_stage, self.plays[k].played) for k in range(self.n)]
        states = [self.state(k) for k in range(self.n)]
        arrays = {name: np.array(array) for name, array in self.arrays.items()}
        choices = np.asarray(self.choices)
        return _restore, (self.observers, self.n_first, choices, options, states, played, arrays, self.torn)

    cdef int put(self, int k, StateObservation state, int32_t stage, int32_t played) except -1:
        """Continue the k-th play from a state."""
        cdef Play *play = &self.plays[k]
        cdef int64_t size = state.header().size
        cdef char *block
        if state.tables is not (<Observer>self.observers[stage]).tables:
            raise ValueError("this state is of another board")
        self.assign(k, stage)
        if play.capacity < size:
            block = <char *>realloc(play.block, size)
            if block == NULL:
                raise MemoryError("no memory for a game state")
            play.block = block
            play.capacity = size
        memcpy(play.block, state.block, size)
        play.stage = stage
        play.played = played
        play.settled = 0
        return 0


def _restore(observers, n_first, choices, options, states, played, arrays, torn):
    """Unpickle a vector."""
    cdef Vector vector = Vector(observers, len(states), choices, out=arrays, **options)
    cdef int k
    vector.n_first = n_first
    for k, (stage, following, ticks) in enumerate(played):
        vector.put(k, states[k], stage, ticks)
        vector.assign(k, following)
    vector.torn = torn
    return vector


cdef void give_scratches(Vector vector, int number) noexcept:
    """Give a board's scratch memory back."""
    cdef Stage *stage = &vector.stages[number]
    cdef int k
    for k in range(vector.n_threads):
        if stage.scratches[k] != NULL:
            stage.scratches[k].one_tick = 0
            (<Observer>vector.observers[number]).tables.give_scratch(stage.scratches[k])
            stage.scratches[k] = NULL


cdef void close_stage(Vector vector, int number) noexcept:
    if vector.stages[number].observer != NULL:
        give_scratches(vector, number)
    free(vector.stages[number].scratches)


cdef int grow_drawn(Drawn *drawn, BoardTables tables) except -1:
    """Make room for the level sprites of another board."""
    cdef void *grown = realloc(drawn.alive, (((tables.level.n_vanishing + 63) >> 6) + 1) * sizeof(uint64_t))
    if grown == NULL:
        raise MemoryError("no memory for an observation")
    drawn.alive = <uint64_t *>grown
    return 0


# --------------------------------------------------------------------------------------------------------- the arrays

def _arrays(Observer observer, int n, bint same_step, given):
    """All arrays of a vector by name: those given, and new ones. ValueError for one that does not fit."""
    parts = {name: ((n, *shape), (dtype,)) for name, shape, dtype in observer.parts}
    wanted = parts | {name: ((n,), dtypes) for name, dtypes in DTYPES.items()}
    if same_step:
        wanted |= {f"final_{name}": spec for name, spec in parts.items()}
        wanted |= {name: ((n,), dtypes) for name, dtypes in FINAL_DTYPES.items()}
    for name, array in given.items():
        if name not in wanted:
            raise ValueError(f"there is no array {name!r}; there are {', '.join(wanted)}")
        _expect_array(name, array, *wanted[name])
    names = list(given)
    for k, name in enumerate(names):
        for other in names[:k]:
            if np.may_share_memory(given[name], given[other]):
                raise ValueError(f"expected arrays that share no memory, but {other} and {name} do")
    return {name: given[name] if name in given else np.zeros(shape, dtypes[0]) for name, (shape, dtypes) in wanted.items()}


def _expect_array(name, array, shape, dtypes):
    """ValueError unless an array has this shape, one of these dtypes, and can be written from front to back."""
    if not isinstance(array, np.ndarray):
        raise ValueError(f"expected a numpy array as {name}, got {type(array).__name__}")
    if array.shape != shape or array.dtype not in dtypes:
        wanted = " or ".join(str(dtype) for dtype in dtypes)
        raise ValueError(f"expected {name} of shape {shape} and dtype {wanted}, got {array.shape} and {array.dtype}")
    if not (array.flags.c_contiguous and array.flags.writeable and array.flags.aligned):
        raise ValueError(f"expected a contiguous, aligned and writeable array as {name}")


cdef char *address(object array) except NULL:
    """Address of an array's first entry; empty arrays have one as well."""
    return <char *><size_t>array.ctypes.data


cdef int point(Vector vector, Observer observer) except -1:
    """Set the pointers to the arrays."""
    cdef dict arrays = vector.arrays
    for k, (name, _, _) in enumerate(observer.parts):
        vector.seen[k] = address(arrays[name])
        vector.seen_size[k] = arrays[name].nbytes // vector.n
        if vector.same_step:
            vector.seen_last[k] = address(arrays[f"final_{name}"])
    vector.n_parts = len(observer.parts)
    if arrays["rewards"].dtype == np.float32:
        vector.gained_single = <float *>address(arrays["rewards"])
    else:
        vector.gained = <double *>address(arrays["rewards"])
    vector.over = <uint8_t *>address(arrays["terminations"])
    vector.cut = <uint8_t *>address(arrays["truncations"])
    vector.restarted = <uint8_t *>address(arrays["restarted"])
    vector.total = <double *>address(arrays["scores"])
    vector.won = <int32_t *>address(arrays["winners"])
    vector.at = <int32_t *>address(arrays["ticks"])
    vector.on = <int32_t *>address(arrays["boards"])
    if vector.same_step:
        vector.total_last = <double *>address(arrays["final_scores"])
        vector.won_last = <int32_t *>address(arrays["final_winners"])
        vector.at_last = <int32_t *>address(arrays["final_ticks"])
        vector.on_last = <int32_t *>address(arrays["final_boards"])
    return 0


cdef int expect(Vector vector, const int64_t[::1] given, str what) except -1:
    if given.shape[0] != vector.n:
        raise ValueError(f"expected {vector.n} {what}, one per play, got {given.shape[0]}")
    return 0


# ----------------------------------------------------------------------------------------------------------- one play

cdef void look_at_signals(void *what) noexcept nogil:
    """Stop the step if a signal handler raises an exception, as that of Ctrl-C does. For the calling thread only."""
    with gil:
        check_signals(<Vector>what)


cdef void check_signals(Vector vector) noexcept:
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        vector.raised.append(error)
        vector.stopped = True


cdef void run_play(void *vector, int worker, int64_t k) noexcept nogil:
    run(<Vector>vector, worker, k)


cdef inline void run(Vector vector, int worker, int64_t k) noexcept nogil:
    """A play's part of a step; the calling thread polls for signals now and then."""
    cdef int64_t work
    cdef Scratch *first
    if vector.stopped:
        return
    work = play_on(vector, worker, k)
    if worker == 0:
        first = vector.stages[0].scratches[0]  # not in the vector, whose fields all threads read
        first.unwatched += work
        if first.unwatched >= PACE:
            first.unwatched = 0
            look_at_signals(<void *>vector)


cdef int64_t play_on(Vector vector, int worker, int64_t k) noexcept nogil:
    """One play's part of a step: a tick or a restart, and its entries in the arrays; return how much work it was."""
    cdef Play *play = &vector.plays[k]
    cdef Scratch *w
    cdef double before = 0.0
    cdef int64_t choice, steps
    cdef bint ended = vector.over[k] or vector.cut[k]
    cdef bint anew = vector.actions == NULL or (ended and not vector.same_step and not vector.manual)
    if vector.actions == NULL and vector.mask != NULL and not vector.mask[k]:
        vector.restarted[k] = 0
        return 1
    if anew and play.stage != play.next_stage:
        play.stage = play.next_stage
        vector.drawn[k].known = 0
    w = vector.stages[play.stage].scratches[worker]
    steps = w.steps
    if k + 2 < vector.n:
        fetch_ahead(vector.drawn[k + 2].marks)
        fetch_ahead(vector.drawn[k + 2].alive)
    if k + 1 < vector.n:
        load_ahead(vector, k + 1, (<Header *>play.block).size)
    vector.restarted[k] = anew
    if anew:
        begin(vector, k, vector.seeds[k])
        attach_block(w, play.block, play.capacity)
    else:
        attach_block(w, play.block, play.capacity)
        w.settled = play.settled
        before = w.header.score[0]
        w.record_history = 0
        choice = vector.actions[k]  # checked, but the caller may have written into the array since
        w.actions[0] = vector.choices[choice] if 0 <= choice < vector.choices.shape[0] else <int>NIL
        w.actions[1] = NIL
        run_tick(w)
        play.block = w.block
        play.capacity = w.capacity
        play.settled = w.settled if w.n_loose == 0 else 0
        play.played += 1
        before = w.header.score[0] - before
    if vector.gained != NULL:
        vector.gained[k] = before
    else:
        vector.gained_single[k] = <float>before
    vector.over[k] = not anew and w.header.ended != 0
    vector.cut[k] = not anew and 0 < vector.limit <= play.played  # also of a game that is over: as Gymnasium's TimeLimit has it
    conclude(vector, worker, w, k)
    w = vector.stages[play.stage].scratches[worker]  # the play may be on another board now
    return w.header.n_sprites + 16 + w.steps - steps if w.steps >= steps else 16


cdef void conclude(Vector vector, int worker, Scratch *w, int64_t k) noexcept nogil:
    """Draw the observation of a play after its tick; with `same_step`, restart a play that has ended.

    If the observer cannot draw it yet, the play waits, and this is called again.
    """
    cdef Play *play = &vector.plays[k]
    cdef Drawn *drawn = &vector.drawn[k]
    cdef Stage *stage = &vector.stages[play.stage]
    cdef Space *space = &vector.spaces[worker]
    cdef int part
    play.waiting = 0
    for part in range(vector.n_parts):
        drawn.into[part] = vector.seen[part] + k * vector.seen_size[part]
    if vector.same_step and (vector.over[k] or vector.cut[k]) and not vector.restarted[k]:
        if not (<Observer>stage.observer).draw(w, 0, drawn, space):
            play.waiting = 1
            vector.some_wait = True
            return
        for part in range(vector.n_parts):
            memcpy(vector.seen_last[part] + k * vector.seen_size[part], drawn.into[part], vector.seen_size[part])
        if vector.n_parts == 0:
            vector.drawn_last[k], vector.drawn[k] = vector.drawn[k], vector.drawn_last[k]
        vector.total_last[k] = w.header.score[0]
        vector.won_last[k] = w.header.winner[0]
        vector.at_last[k] = w.header.tick
        vector.on_last[k] = play.stage
        if play.stage != play.next_stage:
            play.stage = play.next_stage
            stage = &vector.stages[play.stage]
            drawn.known = 0
            w = stage.scratches[worker]
        begin(vector, k, vector.seeds[k])
        attach_block(w, play.block, play.capacity)
        vector.restarted[k] = 1
    vector.total[k] = w.header.score[0]
    vector.won[k] = w.header.winner[0]
    vector.at[k] = w.header.tick
    vector.on[k] = play.stage
    if not (<Observer>stage.observer).draw(w, 0, drawn, space):
        play.waiting = 1
        vector.some_wait = True


cdef void begin(Vector vector, int64_t k, int64_t seed) noexcept nogil:
    """Reset a play to the state before the first tick, its generator seeded (engine, 6)."""
    cdef Play *play = &vector.plays[k]
    cdef LevelTables *level = vector.stages[play.stage].level
    memcpy(play.block, level.initial, level.initial_size)
    seed_generators(<Header *>play.block, <int32_t>seed)
    play.played = play.settled = 0


cdef inline void load_ahead(Vector vector, int64_t k, int64_t size) noexcept nogil:
    """Prefetch a play that comes soon, of about this one's size: with many plays, none is in the cache."""
    cdef char *block = vector.plays[k].block
    cdef int64_t at = 0
    if size > MOST_AHEAD:
        size = MOST_AHEAD
    while at < size:
        fetch_ahead(block + at)
        at += LINE
    if vector.n_threads == 1:  # else another thread may be working on that play and moving its marks
        (<Observer>vector.stages[vector.plays[k].stage].observer).load_ahead(&vector.drawn[k])
