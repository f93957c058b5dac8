"""Sets of up to 192 cells as words of 64 bits, and a random generator of one word.

Every function takes the number of words in use. Callers pass it as a constant, so that the C compiler makes a version for
each: with one word nothing is left but plain 64-bit arithmetic. Functions for inner loops spell out their words, since
GCC keeps an array in registers only if no loop goes over it: 12×12 boards are three times as fast that way.
"""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __forceinline int vgdl_lowest_bit(unsigned long long x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
    #else
    static inline int vgdl_lowest_bit(unsigned long long x) { return __builtin_ctzll(x); }
    #endif
    """
    int lowest_bit "vgdl_lowest_bit"(unsigned long long x) nogil


cdef enum:
    WORDS = 3
    MOST_CELLS = 64 * WORDS


cdef struct Bits:
    uint64_t word[WORDS]


cdef inline Bits none(int words) noexcept nogil:
    cdef Bits made
    made.word[0] = made.word[1] = made.word[2] = 0  # the unused ones too: sets are copied as a whole
    return made


cdef inline Bits one(int cell, int words) noexcept nogil:
    """The set of one cell."""
    cdef Bits made = none(words)
    made.word[cell >> 6] = <uint64_t>1 << (cell & 63)
    return made


cdef inline void add(Bits *cells, int cell) noexcept nogil:
    cells.word[cell >> 6] |= <uint64_t>1 << (cell & 63)


cdef inline bint has(const Bits *cells, int cell) noexcept nogil:
    return (cells.word[cell >> 6] >> (cell & 63)) & 1


cdef inline bint any_of(Bits a, int words) noexcept nogil:
    cdef uint64_t all_words = a.word[0]
    if words > 1:
        all_words |= a.word[1]
    if words > 2:
        all_words |= a.word[2]
    return all_words != 0


cdef inline Bits both(Bits a, Bits b, int words) noexcept nogil:
    """Intersection."""
    a.word[0] &= b.word[0]
    if words > 1:
        a.word[1] &= b.word[1]
    if words > 2:
        a.word[2] &= b.word[2]
    return a


cdef inline Bits either(Bits a, Bits b, int words) noexcept nogil:
    """Union."""
    a.word[0] |= b.word[0]
    if words > 1:
        a.word[1] |= b.word[1]
    if words > 2:
        a.word[2] |= b.word[2]
    return a


cdef inline Bits without(Bits a, Bits b, int words) noexcept nogil:
    """Difference."""
    a.word[0] &= ~b.word[0]
    if words > 1:
        a.word[1] &= ~b.word[1]
    if words > 2:
        a.word[2] &= ~b.word[2]
    return a


cdef inline Bits shifted(Bits a, int by, bint up, int words) noexcept nogil:
    """All cells moved by 1 ... 63 places; ``up`` is towards higher numbers."""
    cdef Bits made = a
    if up:
        if words > 2:
            made.word[2] = a.word[2] << by | a.word[1] >> (64 - by)
        if words > 1:
            made.word[1] = a.word[1] << by | a.word[0] >> (64 - by)
        made.word[0] = a.word[0] << by
        return made
    if words > 1:
        made.word[0] = a.word[0] >> by | a.word[1] << (64 - by)
    else:
        made.word[0] = a.word[0] >> by
    if words == 2:
        made.word[1] = a.word[1] >> by
    elif words > 2:
        made.word[1] = a.word[1] >> by | a.word[2] << (64 - by)
        made.word[2] = a.word[2] >> by
    return made


cdef inline int count_word(uint64_t x) noexcept nogil:
    """Number of bits set, by adding neighbouring fields; not all target machines have an instruction for it."""
    x = x - ((x >> 1) & <uint64_t>0x5555555555555555)
    x = (x & <uint64_t>0x3333333333333333) + ((x >> 2) & <uint64_t>0x3333333333333333)
    x = (x + (x >> 4)) & <uint64_t>0x0F0F0F0F0F0F0F0F
    return <int>((x * <uint64_t>0x0101010101010101) >> 56)


cdef inline int count(Bits a, int words) noexcept nogil:
    """Number of cells."""
    cdef int total = count_word(a.word[0])
    if words > 1:
        total += count_word(a.word[1])
    if words > 2:
        total += count_word(a.word[2])
    return total


cdef inline int listed(Bits a, int *cells, int words) noexcept nogil:
    """Write the cells in ascending order; return their number."""
    cdef int n = 0
    cdef int k
    cdef uint64_t left
    for k in range(words):
        left = a.word[k]
        while left:
            cells[n] = 64 * k + lowest_bit(left)
            left &= left - 1
            n += 1
    return n


cdef inline int nth(Bits a, int index, int words) noexcept nogil:
    """The cell at ``index`` (from 0) in ascending order, -1 if there are fewer."""
    cdef int k, here
    cdef uint64_t left
    for k in range(words):
        left = a.word[k]
        here = count_word(left)
        if index < here:
            while index:
                left &= left - 1
                index -= 1
            return 64 * k + lowest_bit(left)
        index -= here
    return -1


cdef inline uint64_t mixed(uint64_t z) noexcept nogil:
    """SplitMix64's finaliser: spreads every bit over the whole word."""
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t draw(uint64_t *state) noexcept nogil:
    """64 random bits by SplitMix64."""
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    return mixed(state[0])


cdef inline int below(uint64_t *state, int n) noexcept nogil:
    """Uniform in 0 ... n - 1; ``n`` > 0. The bias is less than n / 2³²."""
    return <int>(((draw(state) >> 32) * <uint64_t>n) >> 32)
