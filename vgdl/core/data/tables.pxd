"""Owners of the immutable tables and of the memory for states and ticks."""

from libc.stdint cimport int64_t, uint64_t

from vgdl.core.data.layout cimport LevelTables, Rules
from vgdl.core.data.scratch cimport Scratch


cdef class RulesTables:
    cdef Rules rules
    cdef dict arrays  # numpy arrays that the pointers in `rules` lead into
    cdef dict numbers
    cdef readonly bytes digest  # fingerprint of the rules
    cdef bint sealed  # held by a controller: the rows serve the forward model only


cdef class BoardTables:
    cdef LevelTables level
    cdef readonly RulesTables rules
    cdef readonly object owner  # the Board with names and texts, None where those are withheld
    cdef dict arrays
    cdef dict numbers
    cdef readonly uint64_t digest  # fingerprint of the board, its rules included
    cdef uint64_t origin  # of an anonymous board: the digest of its source
    cdef bint sealed  # as in RulesTables
    # free memory; touched with the GIL only
    cdef int64_t usual_capacity  # of a state's block
    cdef char **free_blocks
    cdef int n_free, room_free
    cdef Scratch **free_scratches
    cdef int n_scratches, made_scratches  # free ones, and all: the list has room for all
    cdef uint64_t stamp  # the last one given to a state: see `Scratch.stamp`

    cdef char *take_block(self, int64_t size, int64_t *capacity) except NULL
    cdef void give_block(self, char *block, int64_t capacity) noexcept
    cdef Scratch *make_scratch(self) except NULL

    cdef inline Scratch *take_scratch(self) except NULL:
        """Scratch memory for one thread's ticks."""
        if self.n_scratches == 0:
            return self.make_scratch()
        self.n_scratches -= 1
        return self.free_scratches[self.n_scratches]

    cdef inline void give_scratch(self, Scratch *w) noexcept:
        self.free_scratches[self.n_scratches] = w
        self.n_scratches += 1
