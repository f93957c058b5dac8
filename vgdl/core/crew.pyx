"""Threads that share the work of one call, without the GIL.

One step of a thousand plays takes some hundred microseconds: too little for an executor of Python's, whose threads take the
GIL at both ends of every piece. These are asleep between calls, or look for the next one for a few microseconds. Each begins with a
share of its own, the same one in every call, whose memory its core has at hand; whoever is done takes from the others' shares.
"""

import os

from cpython.pythread cimport (
    NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_start_new_thread, PyThread_type_lock,
)
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

cdef enum:
    GLANCES = 2000  # at a lock before a thread goes to sleep on it: some 20 microseconds, what waking up would take
    PIECES = 8  # that a share is taken in, so that none has to wait long for the last one


cdef class Crew:
    """``hands`` threads, the calling one among them; for one call at a time, others wait."""

    def __cinit__(self, int hands):
        if hands < 1:
            raise ValueError(f"expected at least one thread, got {hands}")
        self.assemble(hands)

    def __dealloc__(self):
        if self.process == os.getpid():
            dismiss(self.gang)

    cdef int assemble(self, int hands) except -1:
        """Start the threads."""
        cdef int k
        self.process = os.getpid()
        self.gang = <Gang *>calloc(1, sizeof(Gang))
        if self.gang == NULL:
            raise MemoryError("no memory for threads")
        self.gang.busy = new_lock()
        self.gang.counting = new_lock()
        self.gang.hands = <Hand *>calloc(hands, sizeof(Hand))
        if self.gang.hands == NULL:
            raise MemoryError("no memory for threads")
        for k in range(hands):
            self.gang.hands[k].gang = self.gang
            self.gang.hands[k].number = k
            if k > 0:
                hire(&self.gang.hands[k])
            self.gang.n_hands = k + 1
        return 0

    cdef int run(self, Task task, void *what, int64_t n) except -1:
        """Call ``task(what, hand, k)`` for every k below n; in no order, and no hand twice at a time."""
        if self.process != os.getpid():  # a fork takes no threads along, and leaves locks as they were: begin anew
            self.assemble(self.gang.n_hands)
        with nogil:
            PyThread_acquire_lock(self.gang.busy, WAIT_LOCK)
            work(self.gang, task, what, n)
            PyThread_release_lock(self.gang.busy)
        return 0


cdef void dismiss(Gang *gang) noexcept:
    """End the threads, and give back what is theirs."""
    cdef int k
    if gang == NULL:
        return
    gang.over = True
    for k in range(1, gang.n_hands):
        PyThread_release_lock(gang.hands[k].go)
    for k in range(1, gang.n_hands):
        wait(gang.hands[k].done)
        PyThread_free_lock(gang.hands[k].go)
        PyThread_free_lock(gang.hands[k].done)
    if gang.counting != NULL:
        PyThread_free_lock(gang.counting)
    if gang.busy != NULL:
        PyThread_free_lock(gang.busy)
    free(gang.hands)
    free(gang)


cdef PyThread_type_lock new_lock() except NULL:
    cdef PyThread_type_lock lock = PyThread_allocate_lock()
    if lock == NULL:
        raise MemoryError("no memory for threads")
    return lock


cdef int hire(Hand *hand) except -1:
    """Start a thread that waits for its first call."""
    hand.go = new_lock()
    hand.done = new_lock()
    PyThread_acquire_lock(hand.go, WAIT_LOCK)
    PyThread_acquire_lock(hand.done, WAIT_LOCK)
    if <unsigned long>PyThread_start_new_thread(serve, hand) == <unsigned long>-1:
        PyThread_free_lock(hand.go)
        PyThread_free_lock(hand.done)
        raise RuntimeError("the system starts no more threads")
    return 0


cdef void work(Gang *gang, Task task, void *what, int64_t n) noexcept nogil:
    cdef int k
    gang.task = task
    gang.what = what
    gang.step = n // (PIECES * gang.n_hands) + 1
    for k in range(gang.n_hands):
        gang.hands[k].next = n * k // gang.n_hands
        gang.hands[k].end = n * (k + 1) // gang.n_hands
    for k in range(1, gang.n_hands):
        PyThread_release_lock(gang.hands[k].go)
    take(&gang.hands[0])
    for k in range(1, gang.n_hands):
        wait(gang.hands[k].done)


cdef void serve(void *argument) noexcept nogil:
    """A thread's life. It never touches a Python object."""
    cdef Hand *hand = <Hand *>argument
    while True:
        wait(hand.go)
        if hand.gang.over:
            break
        take(hand)
        PyThread_release_lock(hand.done)
    PyThread_release_lock(hand.done)


cdef void take(Hand *hand) noexcept nogil:
    """Work until nothing is left: its own share, then what the others have not come to."""
    cdef Gang *gang = hand.gang
    cdef Hand *other
    cdef int64_t first, last, k
    cdef int turn
    for turn in range(gang.n_hands):
        other = &gang.hands[(hand.number + turn) % gang.n_hands]
        while True:
            PyThread_acquire_lock(gang.counting, WAIT_LOCK)
            first = other.next
            last = first + gang.step if first + gang.step < other.end else other.end
            other.next = last
            PyThread_release_lock(gang.counting)
            if first >= last:
                break
            for k in range(first, last):
                gang.task(gang.what, hand.number, k)


cdef void wait(PyThread_type_lock lock) noexcept nogil:
    """Until somebody releases it."""
    cdef int k
    for k in range(GLANCES):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return
    PyThread_acquire_lock(lock, WAIT_LOCK)
