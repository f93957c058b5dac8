"""Processor instructions: branch hints, bit scans and prefetching."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __inline int lowest_bit(unsigned long long x) { unsigned long k; _BitScanForward64(&k, x); return (int)k; }
    #define fetch_ahead(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)
    #else
    static inline int lowest_bit(unsigned long long x) { return __builtin_ctzll(x); }
    #define fetch_ahead(address) __builtin_prefetch(address)
    #endif
    """
    bint unlikely(bint condition) noexcept nogil  # Cython's own macro: marks a branch as rarely taken
    int lowest_bit(uint64_t x) noexcept nogil  # number of the lowest bit that is set; there must be one
    void fetch_ahead(const void *address) noexcept nogil  # prefetch a cache line
