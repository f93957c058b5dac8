"""The sprite phase: every class of sprites that is not an avatar (sprites, 12)."""

from vgdl.core.work cimport Work

cdef int update_sprites(Work *w) noexcept nogil
cdef int path_step(Work *w, int from_x, int from_y, int to_x, int to_y) noexcept nogil
