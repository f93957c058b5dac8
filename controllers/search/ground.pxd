from libc.stdint cimport int32_t, uint64_t

from vgdl.core.api cimport Spotted
from vgdl.core.state cimport StateObservation

cdef struct Meeting:  # what entering a cell with a sprite of some type does, as averages over the latest tries
    uint64_t key  # of the type and what the avatar was and held; 0 in an empty slot
    int tries
    double passed  # share of the tries in which the avatar got in
    double lost  # share in which the game was lost
    double gained  # points
    double changed  # share after which there were fewer or more of the type, or the avatar or what it holds was another


cdef class Ground:
    cdef readonly int player
    cdef int n_types, n_cells, rows, columns, block
    cdef Spotted *sprites
    cdef int n_sprites, room
    cdef int32_t *first  # by cell: the number of the first sprite in it + 1
    cdef int32_t *following  # by sprite: the same of the next one in its cell
    cdef Meeting *ever  # by type: whatever the avatar held
    cdef Meeting *meetings  # the same by what it held: a hash table
    cdef int n_meetings
    cdef int32_t *counts  # of the state last looked at, by type; behind them the amounts held
    cdef int32_t *counts_after
    cdef double *source  # by cell: what is worth reaching in it
    cdef double *standing  # by cell: the most valuable source, discounted by the way to it
    cdef double *passing  # by cell: share of the tries to enter it that succeed and do not lose
    cdef int x, y, kind  # the avatar's, in the state last looked at
    cdef double orientation_x, orientation_y, score
    cdef bint has_avatar
    cdef uint64_t equipment  # what the avatar is and holds, in the state last looked at

    cdef int look(self, StateObservation state) except -1
    cdef int learn(self, int action, StateObservation after) noexcept
    cdef int target(self, int action) noexcept
    cdef Meeting *slot(self, int kind) noexcept
    cdef double interest(self, int kind, double unit) noexcept
    cpdef int survey(self, StateObservation state, double unit) except -1
    cdef int spread(self) noexcept
    cdef double relax(self, int cell) noexcept
    cpdef double pull(self, int cell) noexcept
    cpdef double passed(self, int kind) noexcept
    cpdef tuple experience(self, int kind)
    cpdef int try_out(self, StateObservation before, int action, StateObservation after) except -1
