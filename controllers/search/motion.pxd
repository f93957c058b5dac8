from libc.stdint cimport int32_t, uint64_t

from vgdl.controllers.search.novelty cimport Facts

cdef enum:
    GRAINS = 3  # of coarse motions; each is twice as fine as the one before


cdef struct Owned:
    uint64_t key  # of a coarse motion; 0 if the slot is free
    int32_t owner  # number of the found state that has it


cdef class Motions:
    cdef Owned *slots
    cdef uint64_t mask
    cdef uint64_t epoch  # mixed into all keys, so that a new one forgets them
    cdef long long used  # slots written since the table was last zeroed
    cdef int block  # pixels of a cell
    cdef uint64_t key(self, Facts facts, int grain) noexcept
    cdef Owned *slot(self, uint64_t key) noexcept
    cdef int clear(self) except -1
