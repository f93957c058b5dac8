"""The event phase: time effects, edge effects, pair effects (engine, 7.4)."""

from vgdl.core.layout cimport Sprite
from vgdl.core.work cimport Work

cdef int event_phase(Work *w) noexcept nogil
cdef int category_of(Work *w, Sprite *s) noexcept nogil
