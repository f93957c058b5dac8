"""When a search has to stop."""

cdef class Budget:
    cdef readonly double milliseconds  # infinite if only work is counted
    cdef readonly long long most  # units of work
    cdef long long done
    cdef int stride  # units of work between two looks at the clock
    cdef double deadline
    cdef object now

    cpdef int begin(self, int stride=*) except -1
    cpdef bint spend(self) except -1
