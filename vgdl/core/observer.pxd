"""Observations that are written into given memory, play after play and tick after tick."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from vgdl.core.data.scratch cimport Scratch
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.state cimport StateObservation

cdef enum:
    MOST_PARTS = 3  # arrays that one observation consists of

cdef struct Drawn:  # the memory of one play's observation, and what it shows: the next one is drawn over it
    char *into[MOST_PARTS]
    int32_t known  # 0: it may hold anything
    int32_t n, room  # of the marks, used and allocated
    int32_t *marks  # what was drawn, in the observer's own encoding
    uint64_t *alive  # level sprites that were drawn, as in the state

cdef struct Space:  # memory to work in, one per thread
    char *data
    int64_t size

cdef class Observer:
    cdef readonly BoardTables tables
    cdef readonly tuple parts  # (name, shape, dtype) of each array of an observation

    cdef bint draw(self, Scratch *w, int player, Drawn *drawn, Space *space) noexcept nogil
    cdef int prepare(self, Scratch *w) except -1
    cdef void load_ahead(self, Drawn *drawn) noexcept nogil

cdef int check_state(Observer observer, StateObservation state, int player) except -1
cdef bint has_room(Drawn *drawn, int64_t marks) noexcept nogil
cdef char *space_for(Space *space, int64_t size) noexcept nogil
cdef int open_drawn(Drawn *drawn, BoardTables tables) except -1
cdef void close_drawn(Drawn *drawn) noexcept
