"""What each effect does (effects, 10)."""

from vgdl.core.work cimport Work

cdef int run_effect(Work *w, int index, int first, int second) noexcept nogil
