"""Creating, killing and moving sprites, and the clear phase."""

from libc.stdint cimport int64_t

from vgdl.core.data.layout cimport Sprite
from vgdl.core.data.scratch cimport Scratch

cdef void rebase(Scratch *w) noexcept nogil
cdef int grow_block(Scratch *w, int64_t needed) noexcept nogil
cdef int reserve(Scratch *w, int count) noexcept nogil
cdef int add_sprite(Scratch *w, int stype, double x, double y, bint force) noexcept nogil
cdef int kill(Scratch *w, Sprite *s, bint transformed) noexcept nogil
cdef int kill_reference(Scratch *w, int ref, bint transformed) noexcept nogil
cdef void set_rect(Scratch *w, Sprite *s, int x, int y, int wide, int high) noexcept nogil
cdef void restore(Scratch *w, Sprite *s) noexcept nogil
cdef int clear_dead(Scratch *w) noexcept nogil
