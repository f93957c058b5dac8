"""Draws states as layers of an ARC frame."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from vgdl.core.data.layout cimport Sprite
from vgdl.core.data.scratch cimport Scratch
from vgdl.core.data.tables cimport BoardTables


cdef enum:
    SIZE = 64  # rows and columns of a layer
    UNSEEN = 255  # in place of a colour, for types that are not drawn


cdef struct Rectangle:  # pixels of the layer, right and bottom excluded
    int left, top, right, bottom


cdef class Painter:
    cdef readonly BoardTables tables
    cdef readonly int pixels, cells  # scale: that many pixels for that many cells
    cdef readonly int left, top  # corner of the playfield
    cdef int right, bottom  # of the playfield, excluded
    cdef int letterbox, background, marker  # colours
    cdef uint8_t[::1] colors, corners  # by type: colour, and that of the lower right quarter or UNSEEN
    cdef int32_t[::1] shown  # by place in the HUD: a resource type, or -1 for health

    cdef int paint_into(self, Scratch *w, uint8_t *layer) noexcept nogil
    cdef Rectangle rectangle(self, Scratch *w, Sprite *s) noexcept nogil
    cdef void fill(self, uint8_t *layer, Rectangle *r, int color) noexcept nogil
    cdef void mark(self, Scratch *w, Sprite *own, uint8_t *layer) noexcept nogil
    cdef void draw_hud(self, Scratch *w, uint8_t *layer) noexcept nogil
