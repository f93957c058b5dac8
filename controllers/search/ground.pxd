from libc.stdint cimport int32_t, uint64_t

from vgdl.core.api cimport Spotted
from vgdl.core.state cimport StateObservation

cdef struct Meeting:  # effects of entering a cell with a sprite of some type, as averages over the latest tries
    uint64_t key  # of the type and what the avatar was and held; 0 in an empty slot
    int tries
    double passed  # share of the tries in which the avatar got in
    double lost  # share in which the game was lost
    double gained  # points
    double changed  # share that changed the number of the type's sprites, the avatar's type or what it holds


cdef class Ground:
    cdef readonly int player
    cdef int n_types, n_cells, rows, columns, block
    cdef Spotted *sprites
    cdef int n_sprites, room
    cdef int32_t *first  # by cell: the number of the first sprite in it + 1
    cdef int32_t *following  # by sprite: the number of the next one in its cell + 1
    cdef Meeting *ever  # by type, with any equipment
    cdef Meeting *meetings  # by type and equipment: a hash table
    cdef int n_meetings
    cdef int32_t *counts  # of the state last looked at, by type; behind them the amounts held
    cdef int32_t *counts_after
    cdef double *source  # by cell: the value of meeting the types in it
    cdef double *standing  # by cell: the value of the best source, discounted by the way to it
    cdef double *passing  # by cell: share of the tries to enter it that succeed and do not lose
    cdef int x, y, kind  # the avatar's, in the state last looked at
    cdef double orientation_x, orientation_y, score
    cdef bint has_avatar
    cdef uint64_t equipment  # a hash of the avatar's type and what it holds, in the state last looked at

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
