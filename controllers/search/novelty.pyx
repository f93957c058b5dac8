"""Novelty: which facts of a state no state before it had (iterated width; Lipovetzky and Geffner, ECAI 2012).

A fact is one feature of an observation. *Totals* are the score, the avatar's health, the number of sprites of each type,
and the amount of each resource that the avatar holds; the *place* is the avatar's type, cell and orientation; a *placed* fact
is a type in a cell, or its absence from a cell where it was at the start.

With continuous physics, an avatar moves by any number of pixels and has any velocity, so nearly all states differ, though most
differ in nothing that matters. Its *motion* is its place and heading together with all totals, rounded at several grains.
"""

from libc.math cimport fabs, log2
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from vgdl.core.api cimport (
    Placed, avatar, block_size, cell, census, health_of, n_types, placed, score, speed_of,
)
from vgdl.core.data.layout cimport Sprite
from vgdl.core.state cimport StateObservation

cdef enum:
    FEW = 8  # up to this many sprites more than at the start are counted one by one
    MOST_IN_PAIRS = 96  # placed facts of a state that are paired with the avatar's place
    FINE = 1024  # parts of a unit of headings that are told apart
    MOST_TURNS = 16  # orientations and speeds of a type of avatars without momentum


cdef uint64_t scatter(uint64_t x) noexcept nogil:
    """The bit mix of SplitMix64."""
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline int logarithmic(double x, int grain) noexcept nogil:
    """A component of a heading on a logarithmic scale: at grain 0, components of 0, 1, 3, 7 ... are whole numbers."""
    cdef int steps = <int>(log2(1.0 + fabs(x)) * (1 << grain) + 0.5)
    return steps if x >= 0.0 else -steps


cdef class HashSet:
    """A set of 64-bit hashes in a table of fixed size. When it is full, nothing is added, and nothing counts as new."""

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
        """Add a hash; returns whether it was added, so false if it was in the set or the table is full."""
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
        """Whether a hash is in the set."""
        cdef uint64_t value = scatter(hash ^ self.epoch) | 1
        cdef uint64_t k = (value >> 20) & self.mask
        while self.slots[k] != 0:
            if self.slots[k] == value:
                return True
            k = (k + 1) & self.mask
        return False

    cdef void clear(self) noexcept:
        """Remove all hashes. Since zeroing the table takes time, that is only done once old entries fill half of it."""
        self.epoch = scatter(self.epoch + <uint64_t>0x9E3779B97F4A7C15)
        if self.used * 2 > <long long>self.mask:
            memset(self.slots, 0, (self.mask + 1) * sizeof(uint64_t))
            self.used = 0


cdef class Facts:
    """The facts of one state at a time, and their novelty."""

    def __cinit__(self, StateObservation state not None, int player):
        self.n_types = n_types(state)
        self.block = block_size(state)
        self.player = player
        self.room = 256
        self.sprites = <Placed *>calloc(self.room, sizeof(Placed))
        self.first = <int32_t *>calloc(self.n_types, sizeof(int32_t))
        self.totals = <uint64_t *>calloc(2 * self.n_types + 2, sizeof(uint64_t))
        self.counts = <int32_t *>calloc(2 * self.n_types, sizeof(int32_t))
        self.amounts = self.counts + self.n_types
        self.turns = <int32_t *>calloc(self.n_types, sizeof(int32_t))
        if (self.sprites == NULL or self.first == NULL or self.totals == NULL or self.counts == NULL
                or self.turns == NULL):
            raise MemoryError
        self.headings = HashSet(10)
        self.n_sprites = self.n_totals = 0
        self.cell = -1

    def __init__(self, StateObservation state, int player):
        """Prepare for states of the same board as ``state``, which is taken for the start of the play."""
        self.read_totals(state)
        memcpy(self.first, self.counts, self.n_types * sizeof(int32_t))

    def __dealloc__(self):
        free(self.sprites)
        free(self.first)
        free(self.totals)
        free(self.counts)
        free(self.turns)

    cdef int read(self, StateObservation state) except -1:
        """Read the facts of a state; returns the number of placed ones."""
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
        self.read_motion(state, s)
        return self.n_sprites

    cdef void read_motion(self, StateObservation state, Sprite *s) noexcept:
        """Read the avatar's position and heading, and learn whether it has momentum.

        Without momentum, an avatar has one speed, and an orientation for each of its actions.
        """
        cdef double speed
        if s == NULL:
            self.x = self.y = 0
            self.heading_x = self.heading_y = 0.0
            return
        speed = 1.0 + fabs(speed_of(state, self.player))
        self.x, self.y = s.x, s.y
        self.heading_x, self.heading_y = s.orientation_x * speed, s.orientation_y * speed
        if self.momentum or not self.watching:
            return
        if self.headings.add(self.heading() + <uint64_t>s.type):
            self.turns[s.type] += 1
            self.momentum = self.turns[s.type] > MOST_TURNS

    cdef uint64_t heading(self) noexcept:
        """A hash of the heading of the avatar in the state last read."""
        return scatter(scatter(<uint64_t>(<long long>(self.heading_x * FINE)))
                       + <uint64_t>(<long long>(self.heading_y * FINE)))

    cdef int read_totals(self, StateObservation state) noexcept:
        """Read only the totals of a state; returns their number."""
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
        """The number of sprites of a type, rounded down: in steps of 1 up to `FEW` more than at the start, of 2 up to twice as
        many more, of 4 up to four times as many more, and so on.

        Otherwise, sprites that are shot or spawned without end would make every tick new.
        """
        cdef int number = self.counts[kind]
        cdef int step = 1
        while number > self.first[kind] + FEW * step:
            step *= 2
        return number - number % step

    cdef int rate(self, HashSet seen, bint pairs, int level) noexcept:
        """Add the facts of the state last read to those seen; returns its novelty, that of its newest fact.

        Facts other than totals are new once per ``level``, a number for the score of the state (best-first width search;
        Lipovetzky and Geffner, AAAI 2017).
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
            fact = fact_of(&self.sprites[k])
            if seen.add(fact + scatter(level)) and best > NEW_FACT:
                best = NEW_FACT
            if pairs and k < MOST_IN_PAIRS and seen.add(scatter(fact + place)) and best > NEW_PAIR:
                best = NEW_PAIR
        return best

    cdef uint64_t motion(self, int grain) noexcept:
        """A hash of the motion in the state last read; its place is a cell at grain 0, half a cell at grain 1, and so on."""
        cdef int side = max(self.block >> grain, 1)
        cdef uint64_t place = (<uint64_t>((self.x // side) & 0xFFFF) << 16) ^ <uint64_t>((self.y // side) & 0xFFFF)
        cdef uint64_t heading = (<uint64_t>(logarithmic(self.heading_x, grain) & 0xFFFF) << 16) ^ (
            <uint64_t>(logarithmic(self.heading_y, grain) & 0xFFFF))
        cdef uint64_t sum_of_totals = 0
        cdef int k
        for k in range(self.n_totals):
            sum_of_totals += self.totals[k]
        return scatter(scatter((place << 32) ^ heading) + sum_of_totals + <uint64_t>grain)

    cdef int rate_motion(self, HashSet motions) noexcept:
        """Add the motion of the state last read to those seen; returns the class of the coarsest grain at which it is new."""
        cdef int *classes = [NEW_MOTION, NEW_FINER, NEW_FINEST]
        cdef int best = NOTHING_NEW
        cdef int grain
        for grain in range(GRAINS - 1, -1, -1):
            if motions.add(self.motion(grain)):
                best = classes[grain]
        return best

    cdef int unseen_counts(self, HashSet seen) noexcept:
        """How many types have a number of sprites, in the state last read, that is not among the totals seen."""
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
