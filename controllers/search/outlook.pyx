"""Values of states to the play so far: points, totals that it has not had, and cells that it has not visited."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free

from vgdl.controllers.search.forward cimport play_for
from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.novelty cimport Facts, HashSet
from vgdl.core.api cimport block_of, expect_board, n_cells, n_types, restart, score, size_of
from vgdl.core.data.layout cimport NIL
from vgdl.core.state cimport StateObservation

cdef enum:
    HEALTH = 100  # how many new totals all of the avatar's health is worth
    ENOUGH = 10  # lost states before types can count as vital

cdef double WIN = 1000.0
cdef double VITAL = 20.0  # cost of having one sprite of a vital type left; with n, one n-th of it
cdef double PLENTY = 50.0  # after gaining this many of the smallest rewards, points are worth half


cdef class Outlook:
    """Values of states in units of the smallest reward seen, and what has to be remembered of the real play for them."""

    def __cinit__(self, StateObservation state not None, int player):
        self.n_cells = n_cells(state)
        self.visits = <uint8_t *>calloc(self.n_cells, 1)
        self.most_held = <int32_t *>calloc(n_types(state), sizeof(int32_t))
        self.missed = <int32_t *>calloc(n_types(state), sizeof(int32_t))
        self.dispensable = <uint8_t *>calloc(n_types(state), 1)
        if self.visits == NULL or self.most_held == NULL or self.missed == NULL or self.dispensable == NULL:
            raise MemoryError

    def __init__(self, StateObservation state, int player):
        """Prepare for states of the same board as ``state``, valued for a player."""
        self.tables = state.tables
        self.player = player
        self.facts = Facts(state, player)
        self.lived = HashSet(16)
        self.protection = True
        self.n_lost = 0
        self.unit = self.largest_unit = self.earned = 0.0
        self.last_score = score(state, player)
        self.patience = 0.985
        self.news = 0.3
        self.curiosity = 0.05

    @property
    def momentum(self):
        """Whether an avatar has moved with momentum in a state that a search has found."""
        return self.facts.momentum

    def __dealloc__(self):
        free(self.visits)
        free(self.most_held)
        free(self.missed)
        free(self.dispensable)

    cpdef void watch(self) noexcept:
        """Find out from now on whether an avatar moves with momentum."""
        self.facts.watching = True

    cpdef int live_through(self, StateObservation state) except -1:
        """Learn from a state of the real play: its totals are no longer new, and its cell is visited.

        Raises:
            ValueError: the state is one of another board.
        """
        expect_board(state, self.tables)
        self.facts.read(state)
        self.learn()
        self.health = self.facts.health
        if 0 <= self.facts.cell < self.n_cells and self.visits[self.facts.cell] < 255:
            self.visits[self.facts.cell] += 1
        if score(state, self.player) > self.last_score:
            self.earned += score(state, self.player) - self.last_score
            self.set_unit()
        self.last_score = score(state, self.player)
        return 0

    cpdef int expect(self, StateObservation state, Generator generator, int ticks, double room) except -1:
        """Play a future without actions, whose totals are then no longer new; returns the ticks played.

        Args:
            state: where it begins.
            generator: source of its random numbers.
            ticks: at most so many.
            room: its cost at most, in ticks of the state. Where crowds grow, ticks cost the square of their growth.
        """
        cdef StateObservation future = state.copy(history=False)
        cdef double growth, size = <double>size_of(state)
        cdef int k
        restart(future, block_of(state), generator.seed())
        for k in range(ticks):
            growth = size_of(future) / size
            room -= growth * growth
            if room < 0.0 or not play_for(future, self.player, NIL, generator):
                return k
            self.facts.read(future)
            self.learn()
        return ticks

    cdef void learn(self) noexcept:
        """Mark the totals of the state that ``facts`` has read as known."""
        cdef int kind
        self.facts.remember(self.lived)
        for kind in range(self.facts.n_types):
            if self.facts.amounts[kind] > self.most_held[kind]:
                self.most_held[kind] = self.facts.amounts[kind]

    cdef int fresh(self) noexcept:
        """How many totals of the state that ``facts`` has read are new: numbers of sprites, and amounts larger than before.

        Lost health counts against them: `HEALTH` times its share of the health that the play has.
        """
        cdef int kind
        cdef int n = self.facts.unseen_counts(self.lived)
        for kind in range(self.facts.n_types):
            n += self.facts.amounts[kind] > self.most_held[kind]
        if 0 < self.health and self.facts.health < self.health:
            n -= <int>(HEALTH * <long long>(self.health - max(self.facts.health, 0)) // self.health)
        return n

    cdef void see_end(self, bint lost) noexcept:
        """Learn which types are vital from the state that ``facts`` has read, the last one of a simulation."""
        cdef int kind
        self.n_lost += lost
        for kind in range(self.facts.n_types):
            if self.facts.counts[kind] == 0:
                if lost:
                    self.missed[kind] += 1
                else:
                    self.dispensable[kind] = True

    cdef double danger(self) noexcept:
        """A cost that rises as sprites of vital types become fewer, in the state that ``facts`` has read.

        A type is vital if most lost states had no sprite of it, and all other states had one.
        """
        cdef int kind
        cdef double danger = 0.0
        if self.n_lost < ENOUGH or not self.protection:
            return 0.0
        for kind in range(self.facts.n_types):
            if 2 * self.missed[kind] > self.n_lost and not self.dispensable[kind]:
                danger += VITAL / max(self.facts.counts[kind], 1)
        return danger

    cdef void notice(self, double gain) noexcept:
        """Update the unit after a change of the score."""
        if gain != 0.0 and 1.0 / fabs(gain) > self.largest_unit:
            self.largest_unit = 1.0 / fabs(gain)
            self.set_unit()

    cdef void set_unit(self) noexcept:
        """Lower the value of points as the play gains them: if they can be gained forever, a win must be worth more."""
        self.unit = self.largest_unit / (1.0 + self.earned * self.largest_unit / PLENTY)

    cdef double worth(self, double gain, int fresh, int cell) noexcept:
        """The value of a state.

        Args:
            gain: points gained since the present state.
            fresh: the result of `fresh`.
            cell: where the avatar is; negative if it is gone.
        """
        cdef double worth = gain * self.unit
        if gain >= 0.0 or fresh < 0:  # new totals that cost points are worth nothing
            worth += self.news * fresh
        if 0 <= cell < self.n_cells:
            worth += self.curiosity / (1 + self.visits[cell])
        return worth

    cdef double discounted(self, double worth, int ticks) noexcept:
        """A value discounted by the ticks to it; negative ones are not discounted."""
        cdef double discount = 1.0
        cdef double base = self.patience
        if worth <= 0.0:
            return worth
        while ticks > 0:
            if ticks & 1:
                discount *= base
            base *= base
            ticks >>= 1
        return worth * discount
