"""Threads that share the work of one call, without the GIL."""

from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport int64_t

ctypedef void (*Task)(void *what, int hand, int64_t index) noexcept nogil  # ``hand``: which thread does it, from 0

cdef struct Hand:  # one of the threads
    Gang *gang
    int number
    PyThread_type_lock go, done
    int64_t next, end  # of its own share: what nobody has taken yet

cdef struct Gang:  # what the threads have in common
    PyThread_type_lock busy  # held during a call
    PyThread_type_lock counting  # held by whoever takes indices
    Hand *hands
    int n_hands
    bint over
    Task task
    void *what
    int64_t step  # indices taken at once

cdef class Crew:
    cdef Gang *gang
    cdef object process  # in which the threads are

    cdef int assemble(self, int hands) except -1
    cdef int run(self, Task task, void *what, int64_t n) except -1
