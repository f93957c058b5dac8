"""Novelty: which facts of a state no state before it had (iterated width; Lipovetzky and Geffner, ECAI 2012).

A fact is an atom of what the observation shows. *Totals* are the score, the number of sprites of each type, the amount of
each resource that the avatar holds, and its health; the *place* is the avatar's type, cell and orientation; a *placed*
fact is a type in a cell, or its absence from a cell where it was at the start.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from vgdl.core.api cimport (
    Placed, avatar, cell, census, health_of, n_types, placed, score,
)
from vgdl.core.data.layout cimport Sprite
from vgdl.core.state cimport StateObservation

cdef enum:
    FEW = 8  # sprites more than at first are counted one by one
    MOST_IN_PAIRS = 96  # sprites of a state that are paired with the avatar's place; crowds are too many


cdef uint64_t scatter(uint64_t x) noexcept nogil:
    """The bit mix of SplitMix64."""
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef class HashSet:
    """A set of 64-bit hashes in a table of fixed size. A full table takes no more and calls everything known."""

    def __cinit__(self, int bits):
        self.mask = (<uint64_t>1 << bits) - 1
        self.slots = <uint64_t *>calloc(self.mask + 1, sizeof(uint64_t))
        if self.slots == NULL:
            raise MemoryError
        self.epoch = 1
        self.used = 0

    def __init__(self, int bits):
        """Room for some three quarters of 2 to the power of ``bits`` hashes."""

    def __dealloc__(self):
        free(self.slots)

    cdef int add(self, uint64_t hash) noexcept:
        """Add a hash; whether it is new."""
        cdef uint64_t value = scatter(hash ^ self.epoch) | 1
        cdef uint64_t k = (value >> 20) & self.mask
        while self.slots[k] != 0:
            if self.slots[k] == value:
                return False
            k = (k + 1) & self.mask
        if self.used * 4 > <long long>self.mask * 3:
            return False
        self.slots[k] = value
        self.used += 1
        return True

    cdef bint has(self, uint64_t hash) noexcept:
        cdef uint64_t value = scatter(hash ^ self.epoch) | 1
        cdef uint64_t k = (value >> 20) & self.mask
        while self.slots[k] != 0:
            if self.slots[k] == value:
                return True
            k = (k + 1) & self.mask
        return False

    cdef void clear(self) noexcept:
        """Forget everything. Old entries are only wiped out once they fill half of the table, since that takes time."""
        self.epoch = scatter(self.epoch + <uint64_t>0x9E3779B97F4A7C15)
        if self.used * 2 > <long long>self.mask:
            memset(self.slots, 0, (self.mask + 1) * sizeof(uint64_t))
            self.used = 0


cdef class Facts:
    """The facts of one state at a time, and how new they are."""

    def __cinit__(self, StateObservation state not None, int player):
        self.n_types = n_types(state)
        self.player = player
        self.room = 256
        self.sprites = <Placed *>calloc(self.room, sizeof(Placed))
        self.first = <int32_t *>calloc(self.n_types, sizeof(int32_t))
        self.totals = <uint64_t *>calloc(2 * self.n_types + 2, sizeof(uint64_t))
        self.counts = <int32_t *>calloc(2 * self.n_types, sizeof(int32_t))
        self.amounts = self.counts + self.n_types
        if self.sprites == NULL or self.first == NULL or self.totals == NULL or self.counts == NULL:
            raise MemoryError
        self.n_sprites = self.n_totals = 0
        self.cell = -1

    def __init__(self, StateObservation state, int player):
        """Prepare for states of the same board as ``state``, which is among the first of a play."""
        self.read_totals(state)
        memcpy(self.first, self.counts, self.n_types * sizeof(int32_t))

    def __dealloc__(self):
        free(self.sprites)
        free(self.first)
        free(self.totals)
        free(self.counts)

    cdef int read(self, StateObservation state) except -1:
        """Take in a state; returns the number of placed facts."""
        cdef Placed *grown
        cdef Sprite *s = avatar(state, self.player)
        cdef uint64_t turned
        self.n_sprites = placed(state, self.room, self.sprites)
        while self.n_sprites == self.room:
            grown = <Placed *>realloc(self.sprites, 2 * self.room * sizeof(Placed))
            if grown == NULL:
                raise MemoryError
            self.sprites = grown
            self.room *= 2
            self.n_sprites = placed(state, self.room, self.sprites)
        self.read_totals(state)
        self.cell = cell(state, self.player)
        if s == NULL:
            self.place = self.spot = 1
        else:
            turned = <uint64_t>((s.orientation_x + 2.0) * 4.0) * 64 + <uint64_t>((s.orientation_y + 2.0) * 4.0)
            self.place = scatter((<uint64_t>self.cell << 32) ^ (<uint64_t>s.type << 16) ^ turned)
            self.spot = scatter((<uint64_t>s.x << 32) ^ <uint64_t><uint32_t>s.y)
        return self.n_sprites

    cdef int read_totals(self, StateObservation state) noexcept:
        cdef int kind
        cdef int n = FIRST_COUNT
        self.totals[0] = scatter(<uint64_t>(<long long>(score(state, self.player) * 64.0)) * 4 + 1)
        self.health = health_of(state, self.player)
        self.totals[1] = scatter((<uint64_t>self.health << 4) + 2)
        census(state, self.player, self.counts, self.amounts)
        for kind in range(self.n_types):
            self.totals[n] = scatter((<uint64_t>kind << 40) ^ (<uint64_t>self.rounded(kind) << 4) ^ 3)
            n += 1
        for kind in range(self.n_types):
            if self.amounts[kind]:
                self.totals[n] = scatter((<uint64_t>kind << 40) ^ (<uint64_t>self.amounts[kind] << 4) ^ 5)
                n += 1
        self.n_totals = n
        return n

    cdef int rounded(self, int kind) noexcept:
        """The number of sprites of a type; where it has grown by more than a few, in steps that grow with it.

        Sprites that are shot or spawned without end would otherwise make every tick new.
        """
        cdef int number = self.counts[kind]
        cdef int step = 1
        while number > self.first[kind] + FEW * step:
            step *= 2
        return number - number % step

    cdef int rate(self, HashSet seen, bint pairs, int level) noexcept:
        """Add the facts of the state last read to those seen; the class of the newest one.

        Facts of different levels of progress are counted apart (best-first width search; Lipovetzky and Geffner, AAAI 2017).
        """
        cdef int k
        cdef int best = NOTHING_NEW
        cdef uint64_t fact
        cdef uint64_t place = self.place + scatter(level)
        for k in range(self.n_totals):
            if seen.add(self.totals[k]):
                best = NEW_TOTAL
        for k in range(self.n_totals):
            if seen.add(scatter(self.totals[k] + place)) and best > NEW_PLACE:
                best = NEW_PLACE
        for k in range(self.n_sprites):
            fact = scatter((<uint64_t>self.sprites[k].type << 40) ^ (<uint64_t>self.sprites[k].cell << 4)
                           ^ (7 + <uint64_t>self.sprites[k].gone))
            if seen.add(fact + scatter(level)) and best > NEW_FACT:
                best = NEW_FACT
            if pairs and k < MOST_IN_PAIRS and seen.add(scatter(fact + place)) and best > NEW_PAIR:
                best = NEW_PAIR
        return best

    cdef int unseen_counts(self, HashSet seen) noexcept:
        """For how many types the state last read has a number of sprites that is not among the totals seen."""
        cdef int k
        cdef int n = 0
        for k in range(self.n_types):
            if not seen.has(self.totals[FIRST_COUNT + k]):
                n += 1
        return n

    cdef void remember(self, HashSet seen) noexcept:
        """Add the totals of the state last read to those seen."""
        cdef int k
        for k in range(self.n_totals):
            seen.add(self.totals[k])
