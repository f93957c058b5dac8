from vgdl.core.api cimport Spotted
from vgdl.core.state cimport StateObservation

cdef enum:
    N_CATEGORIES = 7

cdef class SpriteDistances:
    cdef readonly int n_types
    cdef readonly int size  # the largest distance: columns + rows of the board
    cdef int block  # pixels per cell
    cdef int x, y  # the avatar's last known position
    cdef Spotted *sprites
    cdef int n_sprites, room
    cdef double *by_type  # cells from the avatar to the nearest sprite of a type
    cdef double by_category[N_CATEGORIES]

    cpdef int look(self, StateObservation state, int player) except -1
    cpdef int follow(self, StateObservation state, int player) except -1
    cdef int compare(self) noexcept
    cdef int measure(self, int kind, int category, double cells) noexcept
    cpdef double distance(self, int kind) noexcept
    cpdef double distance_of_category(self, int category) noexcept

cdef class TypeValues:
    cdef SpriteDistances before, after
    cdef double *worths  # of touching a type, -1 ... 1
    cdef signed char *met  # by type; set only while a tick is evaluated
    cdef double rate
    cdef double score
    cdef int player

    cpdef int begin(self, StateObservation state, int player) except -1
    cpdef int learn(self, StateObservation state) except -1
    cdef int meet(self, SpriteDistances distances) noexcept
    cpdef double worth(self, int kind) noexcept
    cpdef double outlook(self) noexcept
