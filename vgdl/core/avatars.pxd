"""The avatar phase: every class of avatars (sprites, 13)."""

from vgdl.core.work cimport Work

cdef int update_avatars(Work *w) noexcept nogil
