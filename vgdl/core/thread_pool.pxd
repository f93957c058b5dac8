"""Threads that share the work of one call, without the GIL."""

from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport int64_t

ctypedef void (*Task)(void *what, int worker, int64_t index) noexcept nogil  # ``worker``: number of the thread, from 0
ctypedef void (*Poll)(void *what) noexcept nogil

cdef struct Worker:  # one of the threads
    Team *team
    int number
    PyThread_type_lock go  # released to wake the thread
    PyThread_type_lock gone  # released when the thread ends
    bint called  # and has not looked for work since
    bint at_work  # has a piece that is not done
    int64_t next, end  # of its own share: what is not taken yet

cdef struct Team:  # shared by the threads
    PyThread_type_lock busy  # held during a call
    PyThread_type_lock table  # guards the fields below and those of `Worker`
    PyThread_type_lock done  # released by the last thread at work if the caller waits for it
    Worker *workers
    int n_workers  # started so far
    int n_called  # that share the running call
    int glances  # attempts to acquire a lock before sleeping on it
    int n_at_work
    bint awaited  # the caller waits for those at work
    bint over
    Task task
    void *what
    int64_t step  # indices taken at once

cdef class ThreadPool:
    cdef Team *team
    cdef object process  # that the threads belong to

    cdef int start(self, int workers) except -1
    cdef int take_turn(self, int workers) except -1
    cdef void give_turn(self) noexcept
    cdef void run(self, Task task, Poll poll, void *what, int64_t n, int workers, bint keep_gil) noexcept

cdef ThreadPool pool_for(int workers)
cdef int usable(Py_ssize_t workers) except -1
