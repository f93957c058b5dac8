cimport cython
from libc.stdint cimport int32_t

@cython.final
cdef class Generator:
    cdef unsigned long long state

    cdef unsigned long long draw(self) noexcept
    cpdef int below(self, int limit) noexcept
    cpdef double uniform(self) noexcept
    cpdef long long seed(self) noexcept
    cdef void shuffle(self, int32_t *items, int count) noexcept
