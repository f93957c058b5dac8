"""The rendered frame, drawn over the one before."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from vgdl.core.data.layout cimport Sprite
from vgdl.core.data.scratch cimport Scratch
from vgdl.core.observer cimport Drawn, Observer, Space

cdef struct Image:  # the picture of sprites of one type, size and direction
    int32_t wide, high, turns  # the sprite's rectangle in the level's pixels, and its quarter turns; 4 for none
    int32_t width, height  # in pixels of the frame
    int32_t left, top  # offset inside of the sprite's rectangle
    uint8_t *rgb  # (height, width, 3), 0 where it is transparent
    uint8_t *keep  # of the same shape: 255 where it is transparent, else 0; NULL where it is opaque everywhere
    Image *next  # of the same type

cdef struct Painted:  # a sprite as it was painted
    int32_t x, y  # in the level's pixels
    int32_t left, top  # corner of its picture, in pixels of the board's frame
    int32_t[4] box  # cells under the picture: first column and row, and those behind the last
    Image *image  # NULL if it is not shown

cdef struct Canvas:  # the cells to be painted, and where
    int32_t left, top, columns, rows  # cells of the board that are shown; some may lie outside of it
    uint8_t *into  # corner of the first one
    int64_t stride  # bytes from a row of pixels to the next

cdef class Pictures(Observer):
    cdef readonly int view  # cells shown to each side of the avatar, -1 for the whole board
    cdef readonly int pixels  # of a cell
    cdef readonly tuple shape
    cdef object make  # makes the pictures of sprites
    cdef tuple size  # of the whole frame, None if it is that of its cells
    cdef int32_t columns, rows, margin_left, margin_top, width, height
    cdef int32_t[::1] layer_of  # by type: place in the drawing order, -1 for a type that is not drawn
    cdef Image **images  # by type
    cdef uint8_t[:, ::1] base  # the board's frame with the level sprites that are behind all that can change; or None
    cdef Painted *level  # the level's sprites
    cdef int32_t[::1] cell_starts  # of the other ones over each cell
    cdef int32_t[::1] cell_sprites

    cdef Image *image_of(self, Scratch *w, Sprite *s) noexcept nogil
    cdef int add_image(self, Scratch *w, Sprite *s) except -1
    cdef bint draw_changes(self, Scratch *w, Canvas *canvas, Drawn *drawn, Space *space) noexcept nogil
    cdef void paint_cell(
        self, Scratch *w, int cell, Painted *records, int32_t *nodes, int32_t node, Canvas *canvas
    ) noexcept nogil
    cdef void paint_layers(
        self, Scratch *w, int cell, Painted *records, int32_t *nodes, int32_t first, uint8_t *into, int64_t stride
    ) noexcept nogil
