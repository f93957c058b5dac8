"""The sprite phase: every class of sprites that is not an avatar (sprites, 12)."""

from vgdl.core.data.scratch cimport Scratch

cdef int update_sprites(Scratch *w) noexcept nogil
