"""Threads that share the work of one call, without the GIL."""

from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport int64_t

ctypedef void (*Task)(void *what, int worker, int64_t index) noexcept nogil  # ``worker``: which thread does it, from 0

cdef struct Worker:  # one of the threads
    Team *team
    int number
    PyThread_type_lock go  # released to wake it up
    PyThread_type_lock gone  # released when its life is over
    bint called  # and has not looked for work since
    bint at_work  # has a piece that is not done
    int64_t next, end  # of its own share: what nobody has taken yet

cdef struct Team:  # what the threads have in common
    PyThread_type_lock busy  # held during a call
    PyThread_type_lock table  # held by whoever reads or writes what follows, and the same in `Worker`
    PyThread_type_lock done  # released by the last one at work if the caller waits for it
    Worker *workers
    int n_workers
    int glances  # at a lock before going to sleep on it
    int n_at_work
    bint awaited  # the caller waits for those at work
    bint over
    Task task
    void *what
    int64_t step  # indices taken at once

cdef class ThreadPool:
    cdef Team *team
    cdef object process  # in which the threads are

    cdef int assemble(self, int workers) except -1
    cdef int take_turn(self) except -1
    cdef void give_turn(self) noexcept
    cdef void run(self, Task task, void *what, int64_t n, bint keep_gil) noexcept
