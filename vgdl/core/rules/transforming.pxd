"""Effects that transform sprites of one type into another (effects, 8.4 and 10.2)."""

from vgdl.core.data.layout cimport EffectRow, Sprite
from vgdl.core.data.scratch cimport Scratch

cdef int transform(Scratch *w, EffectRow *e, int made, Sprite *old, Sprite *partner) noexcept nogil
cdef int transform_all(Scratch *w, EffectRow *e, int second) noexcept nogil
cdef int transform_to_singleton(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil
cdef int transform_to_random_child(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil
cdef int transform_if_count(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil
