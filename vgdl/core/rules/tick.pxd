"""One cycle of a game (engine, 7)."""

from vgdl.core.data.scratch cimport Scratch

cdef void run_tick(Scratch *w) noexcept nogil
