"""One cycle of a game (engine, 7)."""

from vgdl.core.work cimport Work

cdef void run_tick(Work *w) noexcept nogil
