"""Threads that share the work of one call, without the GIL.

One step of a thousand plays takes a few hundred microseconds: too little for a Python executor, whose threads acquire
the GIL before and after every piece. These threads sleep between calls, or spin for about as long as waking up would
take. Each starts with its own share, the same one in every call, whose memory is in its core's cache; a thread that is
done takes pieces of the others' shares. A thread that wakes up too late finds nothing left, and the call does not wait
for it.
"""

import os

from cpython.pythread cimport (
    NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_start_new_thread, PyThread_type_lock,
)
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

cdef extern from "Python.h" nogil:  # not declared in cpython.pythread
    int PyThread_acquire_lock_timed(PyThread_type_lock lock, long long microseconds, int interruptible)
    int PY_LOCK_ACQUIRED

cdef enum:
    # attempts to acquire a lock before sleeping on it: about 200 µs, as long as waking up takes on a virtual machine
    GLANCES = 20_000
    PIECES = 8  # per share: small enough that no thread waits long for the last one
    MOST_WORKERS = 256
    POLL_US = 50_000  # microseconds between two polls while the calling thread waits


def cores():
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


cdef class ThreadPool:
    """Up to `MOST_WORKERS` threads, the calling one among them, started when first needed; for one call at a time."""

    def __cinit__(self):
        self.start(1)

    def __dealloc__(self):
        if self.process == os.getpid():
            stop(self.team)

    @property
    def started(self):
        """Threads started so far, the calling one included."""
        return self.team.n_workers if self.process == os.getpid() else 1

    cdef int start(self, int workers) except -1:
        """Start threads until there are ``workers``."""
        cdef int k
        # a forked process has no threads, and its locks keep their state
        if self.team == NULL or self.process != os.getpid():
            self.team = new_team()
            self.process = os.getpid()
        for k in range(self.team.n_workers, workers):
            self.team.workers[k].team = self.team
            self.team.workers[k].number = k
            start_worker(&self.team.workers[k])
            self.team.n_workers = k + 1
        self.team.glances = GLANCES if self.team.n_workers <= cores() else 0  # a thread without a core slows down the others
        return 0

    cdef int take_turn(self, int workers) except -1:
        """Wait, without the GIL, until no other Python thread has a call under way; then start missing threads."""
        if self.process != os.getpid():
            self.start(1)
        if not PyThread_acquire_lock(self.team.busy, NOWAIT_LOCK):
            with nogil:
                PyThread_acquire_lock(self.team.busy, WAIT_LOCK)
        if workers > self.team.n_workers:
            try:
                self.start(workers)
            except BaseException:
                self.give_turn()
                raise
        return 0

    cdef void give_turn(self) noexcept:
        PyThread_release_lock(self.team.busy)

    cdef void run(self, Task task, Poll poll, void *what, int64_t n, int workers, bint keep_gil) noexcept:
        """Call ``task(what, worker, k)`` for every k below n, in no order, and never twice at a time for a worker.

        The caller must have the turn. ``poll(what)`` is called every 50 ms while the calling thread waits for others,
        but never if the GIL is kept.
        """
        self.team.n_called = workers
        if keep_gil:
            work(self.team, task, NULL, what, n)
        else:
            with nogil:
                work(self.team, task, poll, what, n)


cdef ThreadPool _shared = ThreadPool()


cdef ThreadPool pool_for(int workers):
    """The pool that all calls with several threads share. A single thread gets its own pool, and waits for no turn."""
    return _shared if workers > 1 else ThreadPool()


cdef int usable(Py_ssize_t workers) except -1:
    """A number of threads, limited to `MOST_WORKERS`; ValueError if it is not positive."""
    if workers < 1:
        raise ValueError(f"expected at least one thread, got {workers}")
    return min(workers, MOST_WORKERS)


def shared_pool():
    """For tests: the pool that all calls with several threads share."""
    return _shared


cdef Team *new_team() except NULL:
    cdef Team *team = <Team *>calloc(1, sizeof(Team))
    if team == NULL:
        raise MemoryError("no memory for threads")
    try:
        team.busy = new_lock()
        team.table = new_lock()
        team.done = new_lock()
        PyThread_acquire_lock(team.done, WAIT_LOCK)
        team.workers = <Worker *>calloc(MOST_WORKERS, sizeof(Worker))
        if team.workers == NULL:
            raise MemoryError("no memory for threads")
    except BaseException:
        stop(team)
        raise
    return team


cdef void stop(Team *team) noexcept:
    """End the threads and free their memory."""
    cdef int k
    if team == NULL:
        return
    team.over = True
    for k in range(1, team.n_workers):
        PyThread_release_lock(team.workers[k].go)
    for k in range(1, team.n_workers):
        wait(team.workers[k].gone, team.glances)
        PyThread_free_lock(team.workers[k].go)
        PyThread_free_lock(team.workers[k].gone)
    free_lock(team.busy)
    free_lock(team.table)
    free_lock(team.done)
    free(team.workers)
    free(team)


cdef PyThread_type_lock new_lock() except NULL:
    cdef PyThread_type_lock lock = PyThread_allocate_lock()
    if lock == NULL:
        raise MemoryError("no memory for threads")
    return lock


cdef void free_lock(PyThread_type_lock lock) noexcept:
    if lock != NULL:
        PyThread_free_lock(lock)


cdef int start_worker(Worker *worker) except -1:
    """Start a thread that waits for its first call; worker 0 is the calling thread."""
    if worker.number == 0:
        return 0
    worker.go = new_lock()
    worker.gone = new_lock()
    PyThread_acquire_lock(worker.go, WAIT_LOCK)
    PyThread_acquire_lock(worker.gone, WAIT_LOCK)
    if <unsigned long>PyThread_start_new_thread(serve, worker) == <unsigned long>-1:
        PyThread_free_lock(worker.go)
        PyThread_free_lock(worker.gone)
        raise RuntimeError("the system starts no more threads")
    return 0


cdef void work(Team *team, Task task, Poll poll, void *what, int64_t n) noexcept nogil:
    """Share the work among the threads that wake up in time, and return when it is done."""
    cdef Worker *worker
    cdef bint left
    cdef int k
    PyThread_acquire_lock(team.table, WAIT_LOCK)
    team.task = task
    team.what = what
    team.step = n // (PIECES * team.n_called) + 1
    for k in range(team.n_called):
        worker = &team.workers[k]
        worker.next = n * k // team.n_called
        worker.end = n * (k + 1) // team.n_called
        if k > 0 and not worker.called:
            worker.called = True
            PyThread_release_lock(worker.go)
    PyThread_release_lock(team.table)
    take(&team.workers[0])
    PyThread_acquire_lock(team.table, WAIT_LOCK)
    left = team.awaited = team.n_at_work > 0
    PyThread_release_lock(team.table)
    if left:
        wait_and_poll(team.done, team.glances, poll, what)


cdef void serve(void *argument) noexcept nogil:
    """The main function of a worker thread. It never touches a Python object."""
    cdef Worker *worker = <Worker *>argument
    while True:
        wait(worker.go, worker.team.glances)
        if worker.team.over:
            break
        take(worker)
    PyThread_release_lock(worker.gone)


cdef void take(Worker *worker) noexcept nogil:
    """Do pieces of the work until none is left."""
    cdef Team *team = worker.team
    cdef Task task
    cdef void *what
    cdef int64_t first, last, k
    while True:
        PyThread_acquire_lock(team.table, WAIT_LOCK)
        last = claim(worker, &first)
        task = team.task
        what = team.what
        PyThread_release_lock(team.table)
        if first == last:
            return
        for k in range(first, last):
            task(what, worker.number, k)


cdef int64_t claim(Worker *worker, int64_t *first) noexcept nogil:
    """Claim the next piece, of the worker's own share or else of the others'; return the index after its last.

    A worker that an earlier call woke up and that the running one does not use gets nothing.
    """
    cdef Team *team = worker.team
    cdef Worker *other = worker
    cdef int turn = 0
    cdef bint found
    while other.next == other.end and turn < team.n_called - 1:
        turn += 1
        other = &team.workers[(worker.number + turn) % team.n_called]
    if worker.number >= team.n_called:
        other = worker
        other.end = other.next
    first[0] = other.next
    other.next = first[0] + team.step if first[0] + team.step < other.end else other.end
    found = first[0] < other.next
    worker.called = False
    if worker.number > 0 and found != worker.at_work:
        worker.at_work = found
        team.n_at_work += 1 if found else -1
        if team.awaited and team.n_at_work == 0:
            team.awaited = False
            PyThread_release_lock(team.done)
    return other.next


cdef inline bint spin(PyThread_type_lock lock, int glances) noexcept nogil:
    """Try to acquire a lock without sleeping; return whether that succeeded."""
    cdef int _k
    for _k in range(glances):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return True
    return False


cdef void wait(PyThread_type_lock lock, int glances) noexcept nogil:
    """Wait until another thread releases a lock, and acquire it."""
    if not spin(lock, glances):
        PyThread_acquire_lock(lock, WAIT_LOCK)


cdef void wait_and_poll(PyThread_type_lock lock, int glances, Poll poll, void *what) noexcept nogil:
    """`wait`, calling ``poll`` now and then."""
    if poll == NULL:
        wait(lock, glances)
    elif not spin(lock, glances):
        while PyThread_acquire_lock_timed(lock, POLL_US, 0) != PY_LOCK_ACQUIRED:
            poll(what)
