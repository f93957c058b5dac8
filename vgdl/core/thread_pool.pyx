"""Threads that share the work of one call, without the GIL.

One step of a thousand plays takes some hundred microseconds: too little for an executor of Python's, whose threads take the
GIL at both ends of every piece. These are asleep between calls, or look for the next one for as long as waking up takes. Each begins with a
share of its own, the same one in every call, whose memory its core has at worker; whoever is done takes from the others' shares. A thread
that wakes up too late finds nothing left, and nobody waits for it.
"""

import os

from cpython.pythread cimport (
    NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_start_new_thread, PyThread_type_lock,
)
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

cdef enum:
    GLANCES = 20_000  # at a lock before a thread goes to sleep on it: some 200 microseconds, what waking up takes on a virtual machine
    PIECES = 8  # that a share is taken in, so that none has to wait long for the last one


def cores():
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


cdef class ThreadPool:
    """``workers`` threads, the calling one among them; for one call at a time, others wait."""

    def __cinit__(self, int workers):
        if workers < 1:
            raise ValueError(f"expected at least one thread, got {workers}")
        self.assemble(workers)

    def __dealloc__(self):
        if self.process == os.getpid():
            dismiss(self.team)

    cdef int assemble(self, int workers) except -1:
        """Start the threads."""
        cdef int k
        self.process = os.getpid()
        self.team = <Team *>calloc(1, sizeof(Team))
        if self.team == NULL:
            raise MemoryError("no memory for threads")
        self.team.busy = new_lock()
        self.team.glances = GLANCES if workers <= cores() else 0  # who has no core of its own would hold up those that work
        self.team.table = new_lock()
        self.team.done = new_lock()
        PyThread_acquire_lock(self.team.done, WAIT_LOCK)
        self.team.workers = <Worker *>calloc(workers, sizeof(Worker))
        if self.team.workers == NULL:
            raise MemoryError("no memory for threads")
        for k in range(workers):
            self.team.workers[k].team = self.team
            self.team.workers[k].number = k
            if k > 0:
                hire(&self.team.workers[k])
            self.team.n_workers = k + 1
        return 0

    cdef int take_turn(self) except -1:
        """Wait until no other thread of Python's has a call going on. Others run meanwhile."""
        if self.process != os.getpid():  # a fork takes no threads along, and leaves locks as they were: begin anew
            self.assemble(self.team.n_workers)
        if not PyThread_acquire_lock(self.team.busy, NOWAIT_LOCK):
            with nogil:
                PyThread_acquire_lock(self.team.busy, WAIT_LOCK)
        return 0

    cdef void give_turn(self) noexcept:
        PyThread_release_lock(self.team.busy)

    cdef void run(self, Task task, void *what, int64_t n, bint keep_gil) noexcept:
        """Call ``task(what, worker, k)`` for every k below n; in no order, and no worker twice at a time. For whoever has the turn."""
        if keep_gil:
            work(self.team, task, what, n)
        else:
            with nogil:
                work(self.team, task, what, n)


cdef void dismiss(Team *team) noexcept:
    """End the threads, and give back what is theirs."""
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
    forget(team.busy)
    forget(team.table)
    forget(team.done)
    free(team.workers)
    free(team)


cdef PyThread_type_lock new_lock() except NULL:
    cdef PyThread_type_lock lock = PyThread_allocate_lock()
    if lock == NULL:
        raise MemoryError("no memory for threads")
    return lock


cdef void forget(PyThread_type_lock lock) noexcept:
    if lock != NULL:
        PyThread_free_lock(lock)


cdef int hire(Worker *worker) except -1:
    """Start a thread that waits for its first call."""
    worker.go = new_lock()
    worker.gone = new_lock()
    PyThread_acquire_lock(worker.go, WAIT_LOCK)
    PyThread_acquire_lock(worker.gone, WAIT_LOCK)
    if <unsigned long>PyThread_start_new_thread(serve, worker) == <unsigned long>-1:
        PyThread_free_lock(worker.go)
        PyThread_free_lock(worker.gone)
        raise RuntimeError("the system starts no more threads")
    return 0


cdef void work(Team *team, Task task, void *what, int64_t n) noexcept nogil:
    """Let everybody who is awake in time share the work, and return when it is done."""
    cdef Worker *worker
    cdef bint left
    cdef int k
    PyThread_acquire_lock(team.table, WAIT_LOCK)
    team.task = task
    team.what = what
    team.step = n // (PIECES * team.n_workers) + 1
    for k in range(team.n_workers):
        worker = &team.workers[k]
        worker.next = n * k // team.n_workers
        worker.end = n * (k + 1) // team.n_workers
        if k > 0 and not worker.called:
            worker.called = True
            PyThread_release_lock(worker.go)
    PyThread_release_lock(team.table)
    take(&team.workers[0])
    PyThread_acquire_lock(team.table, WAIT_LOCK)
    left = team.awaited = team.n_at_work > 0
    PyThread_release_lock(team.table)
    if left:
        wait(team.done, team.glances)


cdef void serve(void *argument) noexcept nogil:
    """A thread's life. It never touches a Python object."""
    cdef Worker *worker = <Worker *>argument
    while True:
        wait(worker.go, worker.team.glances)
        if worker.team.over:
            break
        take(worker)
    PyThread_release_lock(worker.gone)


cdef void take(Worker *worker) noexcept nogil:
    """Scratch until nothing is left to take."""
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
    """The next piece, as its first index and the one behind its last: of the worker's own share, then of what others have not come to."""
    cdef Team *team = worker.team
    cdef Worker *other = worker
    cdef int turn = 0
    cdef bint found
    while other.next == other.end and turn < team.n_workers - 1:
        turn += 1
        other = &team.workers[(worker.number + turn) % team.n_workers]
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


cdef void wait(PyThread_type_lock lock, int glances) noexcept nogil:
    """Until somebody releases it."""
    cdef int k
    for k in range(glances):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return
    PyThread_acquire_lock(lock, WAIT_LOCK)
