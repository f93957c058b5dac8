"""The event phase: time effects, edge effects, pair effects (engine, 7.4)."""

from vgdl.core.data.layout cimport Sprite
from vgdl.core.data.scratch cimport Scratch

cdef int event_phase(Scratch *w) noexcept nogil
cdef int category_of(Scratch *w, Sprite *s) noexcept nogil
