"""The avatar phase: every class of avatars (sprites, 13)."""

from vgdl.core.data.scratch cimport Scratch

cdef int update_avatars(Scratch *w) noexcept nogil
