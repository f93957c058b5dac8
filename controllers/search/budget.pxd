cdef class Budget:
    cdef readonly long long count  # iterations started
    cdef object timer
    cdef readonly double call_ms  # of one call, 0 if not known
    cdef double budget_calls
    cdef double last_start_ms  # no iteration starts later
    cdef double started_ms
    cdef double before_ms  # at the last clock reading
    cdef double longest_ms  # between two clock readings
    cdef int calls  # maximum calls of one iteration
    cdef long long granted  # iterations left before the next check

    cpdef bint another(self) except -1
    cdef bint look(self) except -1
    cdef double left_ms(self) except? -1.0
    cdef void need(self, int calls) noexcept
