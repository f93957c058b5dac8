"""Steps back before the pair effects."""

from vgdl.core.data.scratch cimport Scratch

cdef bint turn_back(Scratch *w) noexcept nogil
