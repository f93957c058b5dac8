from libc.stdint cimport int32_t, uint64_t

from vgdl.core.api cimport Placed
from vgdl.core.data.layout cimport Sprite
from vgdl.core.state cimport StateObservation

cdef enum Novelty:
    """How new a state is, the newest first; the classes that a width search keeps its queues for."""
    NEW_TOTAL = 0  # a new score, health, number of sprites of a type or amount of a resource
    NEW_PLACE = 1  # the avatar's place is new together with one of its totals
    NEW_MOTION = 2  # an avatar with momentum has a new motion, at the coarsest grain
    NEW_FACT = 3  # a type is new in a cell, or gone for the first time from a cell where it was at the start
    NEW_PAIR = 4  # such a fact and the avatar's place are new together
    NEW_FINER = 5  # a new motion at the second grain
    NEW_FINEST = 6  # a new motion at the third grain
    NOTHING_NEW = 7

cdef enum:
    GRAINS = 3  # of motions; each is twice as fine as the one before
    FIRST_COUNT = 2  # index of the first type's number in the totals: score, health, a number per type, amounts held


cdef class HashSet:
    cdef uint64_t *slots
    cdef uint64_t mask
    cdef uint64_t epoch  # mixed into all hashes, so that a new one forgets them
    cdef readonly long long used  # slots written since the table was last zeroed
    cdef int add(self, uint64_t hash) noexcept
    cdef bint has(self, uint64_t hash) noexcept
    cdef void clear(self) noexcept


cdef class Facts:
    cdef int player, n_types
    cdef Placed *sprites  # placed facts of the state last read
    cdef int room, n_sprites  # room for sprites, and their number
    cdef int32_t *counts  # visible sprites of each type in the state last read
    cdef int32_t *first  # visible sprites of each type at the start
    cdef int32_t *amounts  # of each type that the avatar holds in the state last read
    cdef uint64_t *totals  # one hash per total of the state last read
    cdef int n_totals
    cdef uint64_t place  # a hash of the avatar's type, cell and orientation
    cdef uint64_t spot  # a hash of its position in pixels
    cdef int health  # the avatar's
    cdef int block  # pixels of a cell's side
    cdef int x, y  # the avatar's position in pixels
    cdef double heading_x, heading_y  # its orientation times 1 + its speed in pixels per tick
    cdef HashSet headings  # types, orientations and speeds of avatars that were read
    cdef int32_t *turns  # by type: how many of them there are
    cdef bint watching  # whether that is to be found out
    cdef bint momentum  # whether an avatar moves with momentum
    cdef readonly long long cell  # the avatar's; -1 if it is gone
    cdef int read(self, StateObservation state) except -1
    cdef void read_motion(self, StateObservation state, Sprite *s) noexcept
    cdef uint64_t heading(self) noexcept
    cdef uint64_t motion(self, int grain) noexcept
    cdef int rate_motion(self, HashSet motions) noexcept
    cdef int read_totals(self, StateObservation state) noexcept
    cdef int rounded(self, int kind) noexcept
    cdef int rate(self, HashSet seen, bint pairs, int level) noexcept
    cdef int unseen_counts(self, HashSet seen) noexcept
    cdef void remember(self, HashSet seen) noexcept


cdef uint64_t scatter(uint64_t x) noexcept nogil


cdef inline uint64_t fact_of(const Placed *sprite) noexcept nogil:
    """A hash of a placed fact."""
    return scatter((<uint64_t>sprite.type << 40) ^ (<uint64_t>sprite.cell << 4) ^ (7 + <uint64_t>sprite.gone))
