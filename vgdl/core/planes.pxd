"""The board as planes of zeros and ones."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t

from vgdl.core.observer cimport Observer
from vgdl.core.data.scratch cimport Scratch
from vgdl.core.state cimport StateObservation

cdef struct Window:  # the part of the board that is shown
    int32_t left, top  # its first cell; may lie outside of the board
    int32_t columns, rows

cdef class Planes(Observer):
    cdef readonly int view  # cells shown to each side of the avatar, -1 for the whole board
    cdef readonly tuple types  # type shown by each of the first planes
    cdef readonly tuple shape  # planes, rows, columns
    cdef tuple size  # rows and columns without a view, None for those of the board
    cdef int32_t n_types, n_planes, columns, rows  # columns and rows as shown
    cdef int32_t[::1] plane_of  # by type: its plane, -1 for a hidden one
    cdef uint8_t[:, :, ::1] fixed  # types whose sprites never change, on the whole board; as large as the planes without a view
    # for drawing an observation over the one before
    cdef bint by_changes  # whether observations are drawn so
    cdef uint8_t[::1] base  # all planes with every level sprite that cannot vanish
    cdef int32_t[::1] level_place  # by level sprite: its place in the planes, -1 for one that is not drawn or cannot change
    cdef int32_t[::1] level_at  # by place: the level sprite there that can change or be drawn over, -1 for none
    cdef int32_t[::1] first_marks  # by type: the mark of its plane's first place, -1 for a hidden one
    cdef int32_t[::1] across, down  # by pixel: what a sprite's x and y add to its mark
    # by the two low bits of a mark:
    cdef uint16_t[4] painted  # two cells of a row, those with the sprite set
    cdef uint16_t[4] kept  # the same, all bits of the others set
    cdef uint64_t[4] patterns  # a bit for each of its cells, if its place is 0
    cdef int32_t[4] below  # from a row of its cells to the next, 0 if it has one row

    cdef void draw_state(self, StateObservation state, int player, uint8_t *into) noexcept
    cdef void draw_anew(self, Scratch *w, int player, uint8_t *into) noexcept nogil
