"""Effects that stop sprites at walls and throw them back (effects, 9.4 to 9.6 and 10.5)."""

from libc.stdint cimport int32_t

from vgdl.core.data.layout cimport EffectRow, Sprite
from vgdl.core.data.scratch cimport Scratch, height, width


cdef struct Box:
    int x, y, w, h


cdef inline Box box_of(Scratch *w, Sprite *s) noexcept nogil:
    cdef Box box
    box.x = s.x
    box.y = s.y
    box.w = width(w, s)
    box.h = height(w, s)
    return box


cdef void pixel_perfect(Scratch *w, Sprite *a, Sprite *b) noexcept nogil
cdef void wall_stop(Scratch *w, Sprite *a, Sprite *b) noexcept nogil
cdef void bounce(Scratch *w, EffectRow *e, Sprite *a, Box q) noexcept nogil
cdef void bounce_direction(Scratch *w, EffectRow *e, Sprite *a, Sprite *b) noexcept nogil
cdef int run_batch(Scratch *w, int index, int first, int32_t *others, int n) noexcept nogil
