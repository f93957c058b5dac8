"""The implementation of each effect (effects, 10)."""

from vgdl.core.data.scratch cimport Scratch

cdef int run_effect(Scratch *w, int index, int first, int second) noexcept nogil
cdef void forget_pulled(Scratch *w) noexcept nogil
