"""States as text."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from vgdl.core.data.layout cimport Sprite
from vgdl.core.data.scratch cimport Scratch
from vgdl.core.observer cimport Drawn, Observer

cdef struct Words:  # strings that the observer owns
    const char *text
    int32_t size

cdef struct Pen:  # where a text is written: in the marks of `Drawn`, as bytes
    Drawn *drawn
    int64_t size  # so far
    int32_t failed  # no memory

cdef class Texts(Observer):
    cdef readonly int view  # cells shown to each side of the avatar, -1 for the whole board
    cdef readonly bint front  # whether the text says what is in front of the avatar
    cdef object names, symbols  # as given
    cdef list kept  # the bytes that the pointers lead into
    cdef Words *name_of  # by type
    cdef Words *action_names
    cdef char *symbol_of  # by rank
    cdef int32_t[::1] rank_of  # by type: its place from back to front, -1 for one that is not shown
    cdef int32_t[::1] type_at  # by rank
    cdef int32_t[::1] legend  # ranks in the order of the legend
    cdef int32_t[::1] slots  # of resources, in the order of their types
    cdef int32_t n_shown, words_per_cell

    cdef void write_avatar(self, Scratch *w, Pen *pen, Sprite *own, uint64_t *cells) noexcept nogil
    cdef void write_front(self, Scratch *w, Pen *pen, Sprite *own, uint64_t *cells) noexcept nogil
    cdef void write_stack(self, Pen *pen, uint64_t *cell, int rank) noexcept nogil
    cdef void write_actions(self, Scratch *w, Pen *pen, Sprite *own) noexcept nogil
    cdef void write_cells(self, Scratch *w, Pen *pen, uint64_t *cells, int left, int top, int columns, int rows) noexcept nogil
