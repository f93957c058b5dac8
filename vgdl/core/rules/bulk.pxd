"""The common kinds of sprites, updated a whole type at a time."""

from vgdl.core.data.layout cimport UpdateRow
from vgdl.core.data.scratch cimport Scratch

cdef void make(Scratch *w, int index, int stype) noexcept nogil
cdef int update_bulk(Scratch *w, UpdateRow *walked, int index) noexcept nogil
