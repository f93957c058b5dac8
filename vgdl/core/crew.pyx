"""Threads that share the work of one call, without the GIL.

One step of a thousand plays takes some hundred microseconds: too little for an executor of Python's, whose threads take the
GIL at both ends of every piece. These are asleep between calls, or look for the next one for as long as waking up takes. Each begins with a
share of its own, the same one in every call, whose memory its core has at hand; whoever is done takes from the others' shares. A thread
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
        self.gang.glances = GLANCES if hands <= cores() else 0  # who has no core of its own would hold up those that work
        self.gang.table = new_lock()
        self.gang.done = new_lock()
        PyThread_acquire_lock(self.gang.done, WAIT_LOCK)
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

    cdef int take_turn(self) except -1:
        """Wait until no other thread of Python's has a call going on. Others run meanwhile."""
        if self.process != os.getpid():  # a fork takes no threads along, and leaves locks as they were: begin anew
            self.assemble(self.gang.n_hands)
        if not PyThread_acquire_lock(self.gang.busy, NOWAIT_LOCK):
            with nogil:
                PyThread_acquire_lock(self.gang.busy, WAIT_LOCK)
        return 0

    cdef void give_turn(self) noexcept:
        PyThread_release_lock(self.gang.busy)

    cdef void run(self, Task task, void *what, int64_t n, bint keep_gil) noexcept:
        """Call ``task(what, hand, k)`` for every k below n; in no order, and no hand twice at a time. For whoever has the turn."""
        if keep_gil:
            work(self.gang, task, what, n)
        else:
            with nogil:
                work(self.gang, task, what, n)


cdef void dismiss(Gang *gang) noexcept:
    """End the threads, and give back what is theirs."""
    cdef int k
    if gang == NULL:
        return
    gang.over = True
    for k in range(1, gang.n_hands):
        PyThread_release_lock(gang.hands[k].go)
    for k in range(1, gang.n_hands):
        wait(gang.hands[k].gone, gang.glances)
        PyThread_free_lock(gang.hands[k].go)
        PyThread_free_lock(gang.hands[k].gone)
    forget(gang.busy)
    forget(gang.table)
    forget(gang.done)
    free(gang.hands)
    free(gang)


cdef PyThread_type_lock new_lock() except NULL:
    cdef PyThread_type_lock lock = PyThread_allocate_lock()
    if lock == NULL:
        raise MemoryError("no memory for threads")
    return lock


cdef void forget(PyThread_type_lock lock) noexcept:
    if lock != NULL:
        PyThread_free_lock(lock)


cdef int hire(Hand *hand) except -1:
    """Start a thread that waits for its first call."""
    hand.go = new_lock()
    hand.gone = new_lock()
    PyThread_acquire_lock(hand.go, WAIT_LOCK)
    PyThread_acquire_lock(hand.gone, WAIT_LOCK)
    if <unsigned long>PyThread_start_new_thread(serve, hand) == <unsigned long>-1:
        PyThread_free_lock(hand.go)
        PyThread_free_lock(hand.gone)
        raise RuntimeError("the system starts no more threads")
    return 0


cdef void work(Gang *gang, Task task, void *what, int64_t n) noexcept nogil:
    """Let everybody who is awake in time share the work, and return when it is done."""
    cdef Hand *hand
    cdef bint left
    cdef int k
    PyThread_acquire_lock(gang.table, WAIT_LOCK)
    gang.task = task
    gang.what = what
    gang.step = n // (PIECES * gang.n_hands) + 1
    for k in range(gang.n_hands):
        hand = &gang.hands[k]
        hand.next = n * k // gang.n_hands
        hand.end = n * (k + 1) // gang.n_hands
        if k > 0 and not hand.called:
            hand.called = True
            PyThread_release_lock(hand.go)
    PyThread_release_lock(gang.table)
    take(&gang.hands[0])
    PyThread_acquire_lock(gang.table, WAIT_LOCK)
    left = gang.awaited = gang.n_at_work > 0
    PyThread_release_lock(gang.table)
    if left:
        wait(gang.done, gang.glances)


cdef void serve(void *argument) noexcept nogil:
    """A thread's life. It never touches a Python object."""
    cdef Hand *hand = <Hand *>argument
    while True:
        wait(hand.go, hand.gang.glances)
        if hand.gang.over:
            break
        take(hand)
    PyThread_release_lock(hand.gone)


cdef void take(Hand *hand) noexcept nogil:
    """Work until nothing is left to take."""
    cdef Gang *gang = hand.gang
    cdef Task task
    cdef void *what
    cdef int64_t first, last, k
    while True:
        PyThread_acquire_lock(gang.table, WAIT_LOCK)
        last = claim(hand, &first)
        task = gang.task
        what = gang.what
        PyThread_release_lock(gang.table)
        if first == last:
            return
        for k in range(first, last):
            task(what, hand.number, k)


cdef int64_t claim(Hand *hand, int64_t *first) noexcept nogil:
    """The next piece, as its first index and the one behind its last: of the hand's own share, then of what others have not come to."""
    cdef Gang *gang = hand.gang
    cdef Hand *other = hand
    cdef int turn = 0
    cdef bint found
    while other.next == other.end and turn < gang.n_hands - 1:
        turn += 1
        other = &gang.hands[(hand.number + turn) % gang.n_hands]
    first[0] = other.next
    other.next = first[0] + gang.step if first[0] + gang.step < other.end else other.end
    found = first[0] < other.next
    hand.called = False
    if hand.number > 0 and found != hand.at_work:
        hand.at_work = found
        gang.n_at_work += 1 if found else -1
        if gang.awaited and gang.n_at_work == 0:
            gang.awaited = False
            PyThread_release_lock(gang.done)
    return other.next


cdef void wait(PyThread_type_lock lock, int glances) noexcept nogil:
    """Until somebody releases it."""
    cdef int k
    for k in range(glances):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return
    PyThread_acquire_lock(lock, WAIT_LOCK)
