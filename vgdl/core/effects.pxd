"""What each effect does (effects, 10)."""

from libc.stdint cimport int32_t

from vgdl.core.layout cimport EffectRow, Sprite
from vgdl.core.work cimport Work

cdef int run_effect(Work *w, int index, int first, int second) noexcept nogil
cdef int run_batch(Work *w, int index, int first, int32_t *others, int n) noexcept nogil
cdef int alive_number(Work *w, int type) noexcept nogil
cdef int living_subtypes(Work *w, int type) noexcept nogil
