"""Coarse motions: where an avatar with momentum is and how it moves, in cells as coarse as a search needs.

With continuous physics, an avatar moves by any number of pixels and has any velocity, so nearly all states differ, though most
differ in nothing that matters. A *coarse motion* is a place rounded to a cell, a half or a quarter of one, and a velocity
rounded on a logarithmic scale, together with all totals of the state. A state is new at a grain if no live state has its coarse
motion at that grain.
"""

from libc.math cimport fabs, log2
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from vgdl.controllers.search.novelty cimport Facts, scatter
from vgdl.core.api cimport block_size
from vgdl.core.state cimport StateObservation


cdef inline int rounded(double x, int grain) noexcept nogil:
    """A component of a velocity on a logarithmic scale: 0, 1, 3, 7 ... pixels per tick are whole numbers at the first grain."""
    cdef double steps = log2(1.0 + fabs(x)) * (1 << grain) + 0.5
    return <int>steps if x >= 0.0 else -<int>steps


cdef class Motions:
    """A table of coarse motions and the found states that have them."""

    def __cinit__(self, StateObservation state not None, int bits):
        self.mask = (<uint64_t>1 << bits) - 1
        self.slots = <Owned *>calloc(self.mask + 1, sizeof(Owned))
        if self.slots == NULL:
            raise MemoryError

    def __init__(self, StateObservation state, int bits):
        """Room for half of 2 to the power of ``bits`` motions on the board of ``state``."""
        self.block = block_size(state)
        self.epoch = 1
        self.used = 0

    def __dealloc__(self):
        free(self.slots)

    cdef uint64_t key(self, Facts facts, int grain) noexcept:
        """The coarse motion of the state that ``facts`` has read."""
        cdef int side = max(self.block >> grain, 1)
        cdef int x = facts.x // side
        cdef int y = facts.y // side
        cdef int k
        cdef uint64_t key = scatter((<uint64_t>(x & 0xFFFF) << 32) ^ (<uint64_t>(y & 0xFFFF) << 16) ^ <uint64_t>grain)
        key ^= scatter(7 + (<uint64_t>(rounded(facts.heading_x, grain) & 0xFFFF) << 16)
                       ^ <uint64_t>(rounded(facts.heading_y, grain) & 0xFFFF))
        for k in range(facts.n_totals):
            key += facts.totals[k]
        return scatter(key ^ self.epoch) | 1

    cdef Owned *slot(self, uint64_t key) noexcept:
        """The slot of a coarse motion, or a free one for it; NULL if the table is full."""
        cdef uint64_t k = (key >> 20) & self.mask
        while self.slots[k].key != 0:
            if self.slots[k].key == key:
                return &self.slots[k]
            k = (k + 1) & self.mask
        if self.used * 2 > <long long>self.mask:
            return NULL
        self.used += 1
        self.slots[k].key = key
        self.slots[k].owner = -1
        return &self.slots[k]

    cdef int clear(self) except -1:
        """Forget all motions. Since zeroing the table takes time, that is only done once old entries fill a quarter of it."""
        self.epoch = scatter(self.epoch + <uint64_t>0x9E3779B97F4A7C15)
        if self.used * 4 > <long long>self.mask:
            memset(self.slots, 0, (self.mask + 1) * sizeof(Owned))
            self.used = 0
        return 0
