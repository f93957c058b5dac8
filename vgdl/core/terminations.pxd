"""When a game is over (engine, 10)."""

from vgdl.core.work cimport Work

cdef int check_terminations(Work *w) noexcept nogil
