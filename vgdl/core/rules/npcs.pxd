"""The common kinds of NPCs, updated a whole type at a time; steps along paths."""

from vgdl.core.data.layout cimport UpdateRow
from vgdl.core.data.scratch cimport Scratch

cdef int roamers(Scratch *w, UpdateRow *walked, int index) noexcept nogil
cdef int chasers(Scratch *w, UpdateRow *walked, int index) noexcept nogil
cdef int path_chasers(Scratch *w, UpdateRow *walked, int index) noexcept nogil
cdef int path_step(Scratch *w, int from_x, int from_y, int to_x, int to_y) noexcept nogil
