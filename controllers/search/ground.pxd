from libc.stdint cimport int32_t

from vgdl.core.api cimport Spotted
from vgdl.core.state cimport StateObservation

cdef struct Meeting:  # what entering a cell with a sprite of some type does, as averages over the latest tries
    int tries
    bint is_open  # not tried with what the avatar holds now
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
    cdef Meeting *meetings  # by type
    cdef int32_t *counts  # of the state last looked at, by type; behind them the amounts held
    cdef int32_t *counts_after
    cdef int32_t *held  # amounts in the real play
    cdef double *source  # by cell: what is worth reaching in it
    cdef double *standing  # by cell: the most valuable source, discounted by the way to it
    cdef double *passing  # by cell: share of the tries to enter it that succeed and do not lose
    cdef int x, y, kind  # the avatar's, in the state last looked at
    cdef double orientation_x, orientation_y, score
    cdef bint has_avatar

    cdef int look(self, StateObservation state) except -1
    cdef int learn(self, int action, StateObservation after) noexcept
    cdef int target(self, int action) noexcept
    cdef double interest(self, int kind, double unit) noexcept
    cpdef int survey(self, StateObservation state, double unit) except -1
    cdef int spread(self) noexcept
    cdef double relax(self, int cell) noexcept
    cpdef double pull(self, int cell) noexcept
    cpdef double passed(self, int kind) noexcept
    cpdef int try_out(self, StateObservation before, int action, StateObservation after) except -1
