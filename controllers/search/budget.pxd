cdef class Budget:
    cdef readonly long long count  # iterations begun
    cdef object timer
    cdef double margin_ms
    cdef double budget_calls
    cdef double last_start_ms  # no iteration begins later
    cdef double started_ms
    cdef double before_ms  # at the last look at the clock
    cdef double longest_ms  # between two looks
    cdef int calls  # most calls that one iteration may make
    cdef long long granted  # iterations that may begin before the next look

    cpdef bint another(self) except -1
    cdef bint look(self) except -1
    cdef void need(self, int calls) noexcept
