"""Termination conditions (engine, 10)."""

from vgdl.core.data.scratch cimport Scratch

cdef int check_terminations(Scratch *w) noexcept nogil
