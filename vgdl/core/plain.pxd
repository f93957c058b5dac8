"""The usual kinds of sprites, a whole type at a time."""

from vgdl.core.layout cimport UpdateRow
from vgdl.core.work cimport Work

cdef void make(Work *w, int index, int type) noexcept nogil
cdef int update_plain(Work *w, UpdateRow *walked, int index) noexcept nogil
