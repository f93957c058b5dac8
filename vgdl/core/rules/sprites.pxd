"""The sprite phase: every class of sprites that is not an avatar (sprites, 12)."""

from vgdl.core.data.scratch cimport Scratch

cdef int update_sprites(Scratch *w) noexcept nogil
cdef int path_step(Scratch *w, int from_x, int from_y, int to_x, int to_y) noexcept nogil
