"""The reference's random generator (engine, 1.2): 48-bit linear congruential; its state is a plain integer.

A game state contains two of them, so that a copy continues with the same draws as its original. The first draws what
the reference draws from the game's generator, the second what it draws from generators without a seed. Thus the second
kind of draws does not change what the first kind gives.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from cpython.long cimport PyLong_AsUnsignedLongLongMask

from vgdl.core.data.layout cimport Header


cdef inline uint64_t scramble(int64_t seed) noexcept nogil:
    """State of a generator seeded with ``seed``."""
    return (<uint64_t>seed ^ <uint64_t>0x5DEECE66D) & ((<uint64_t>1 << 48) - 1)


cdef inline uint64_t scatter(int64_t seed) noexcept nogil:
    """State of the second generator: every bit depends on all 48 bits of the seed (SplitMix64; Steele et al. 2014)."""
    cdef uint64_t mixed = (<uint64_t>seed & ((<uint64_t>1 << 48) - 1)) + <uint64_t>0x9E3779B97F4A7C15
    mixed = (mixed ^ (mixed >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    mixed = (mixed ^ (mixed >> 27)) * <uint64_t>0x94D049BB133111EB
    return (mixed ^ (mixed >> 31)) & ((<uint64_t>1 << 48) - 1)


cdef inline void seed_generators(Header *header, int64_t seed) noexcept nogil:
    """Seed both generators of a state."""
    header.rng = scramble(seed)
    header.side_rng = scatter(seed)


cdef inline int64_t low_bits(object seed) except? -1:
    """The low 64 bits of any integer; `TypeError` for anything else, floats included."""
    try:
        return <int64_t>PyLong_AsUnsignedLongLongMask(seed)
    except TypeError:
        raise TypeError(f"expected a seed, a whole number, got {seed!r:.60}") from None


cdef inline uint64_t step(uint64_t *state, int bits) noexcept nogil:
    """Advance the generator and return the top ``bits`` (at most 31 here) of its new state."""
    state[0] = (state[0] * <uint64_t>0x5DEECE66D + 0xB) & ((<uint64_t>1 << 48) - 1)
    return state[0] >> (48 - bits)


cdef inline int next_int(uint64_t *state, int n) noexcept nogil:
    """Uniform in 0 .. n-1; ``n`` > 0. One step, rarely more; one step for n = 1 as well."""
    cdef int64_t r = <int64_t>step(state, 31)
    cdef int64_t v
    if n & (n - 1) == 0:
        return <int>((<int64_t>n * r) >> 31)
    v = r % n
    while r - v + (n - 1) > 2147483647:
        r = <int64_t>step(state, 31)
        v = r % n
    return <int>v


cdef inline bint skip_int(uint64_t *state, int64_t most) noexcept nogil:
    """Advance the generator as `next_int` does for every n up to ``most``; if that depends on n, do nothing: False."""
    cdef uint64_t after = state[0]
    if <int64_t>step(&after, 31) > 2147483647 - most:
        return False
    state[0] = after
    return True


cdef inline float next_float(uint64_t *state) noexcept nogil:
    """Uniform in [0, 1), 24 bits."""
    return <float>(<int32_t>step(state, 24)) / <float>16777216.0


cdef inline double next_double(uint64_t *state) noexcept nogil:
    """Uniform in [0, 1), 53 bits, two steps."""
    cdef uint64_t high = step(state, 26)
    cdef uint64_t low = step(state, 27)
    return <double>((high << 27) + low) / 9007199254740992.0
