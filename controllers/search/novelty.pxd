from libc.stdint cimport int32_t, uint64_t

from vgdl.core.api cimport Placed
from vgdl.core.state cimport StateObservation

cdef enum Novelty:
    """How new a state is, the newest first; the classes that a width search keeps its queues for."""
    NEW_TOTAL = 0  # a score, a number of sprites or an amount held that no state had
    NEW_PLACE = 1  # the avatar at a place where it never was with such totals
    NEW_FACT = 2  # a sprite where none of its type was, or one gone that was always there
    NEW_PAIR = 3  # such a fact while the avatar is at some place for the first time
    NOTHING_NEW = 4
    N_NOVELTIES = 5

cdef enum:
    FIRST_COUNT = 2  # in the totals: before it are score and health, after the counts the amounts


cdef class HashSet:
    cdef uint64_t *slots
    cdef uint64_t mask
    cdef uint64_t epoch
    cdef readonly long long used  # slots written since the last wipe
    cdef int add(self, uint64_t hash) noexcept
    cdef bint has(self, uint64_t hash) noexcept
    cdef void clear(self) noexcept


cdef class Facts:
    cdef int player, n_types
    cdef Placed *sprites
    cdef int room, n_sprites
    cdef int32_t *counts  # visible sprites of each type in the state last read
    cdef int32_t *first  # the same in the state that this was made for
    cdef int32_t *amounts  # of each type that the avatar holds
    cdef uint64_t *totals  # one hash per total of the state last read
    cdef int n_totals
    cdef uint64_t place  # the avatar's type, cell and orientation
    cdef uint64_t spot  # its position in pixels
    cdef int health  # the avatar's
    cdef readonly long long cell  # the avatar's; -1 if it is gone
    cdef int read(self, StateObservation state) except -1
    cdef int read_totals(self, StateObservation state) noexcept
    cdef int rounded(self, int kind) noexcept
    cdef int rate(self, HashSet seen, bint pairs, int level) noexcept
    cdef int unseen_counts(self, HashSet seen) noexcept
    cdef void remember(self, HashSet seen) noexcept


cdef uint64_t scatter(uint64_t x) noexcept nogil
