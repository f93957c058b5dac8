"""Effects that let sprites of one type become sprites of another (effects, 8.4 and 10.2)."""

from vgdl.core.layout cimport EffectRow, Sprite
from vgdl.core.work cimport Work

cdef int transform(Work *w, EffectRow *e, int made, Sprite *old, Sprite *partner) noexcept nogil
cdef int transform_all(Work *w, EffectRow *e, int second) noexcept nogil
cdef int transform_to_singleton(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil
cdef int transform_to_random_child(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil
cdef int transform_if_count(Work *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil
