"""The visible sprites as rows of numbers."""

from libc.stdint cimport int32_t, int64_t

from vgdl.core.data.scratch cimport Scratch
from vgdl.core.observer cimport Observer

cdef struct Seen:  # a row: as in `Visible`, but with bounds
    int32_t id, type, category, x, y

cdef class SpriteRows(Observer):
    cdef readonly int most  # rows
    cdef readonly int view  # cells to each side of the avatar, -1 for the whole board

    cdef int gather(self, Scratch *w, int64_t centre_x, int64_t centre_y, bint limited, Seen *into) noexcept nogil
