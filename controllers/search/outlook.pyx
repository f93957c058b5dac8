"""What a state is worth to the play so far: points, what the play has not seen yet, and places where it has not been."""

from libc.math cimport fabs
from libc.stdint cimport uint8_t
from libc.stdlib cimport calloc, free

from vgdl.controllers.search.novelty cimport Facts, HashSet
from vgdl.core.api cimport n_cells
from vgdl.core.state cimport StateObservation

cdef double WIN = 1000.0


cdef class Outlook:
    """Values of states in units of the smallest reward that was seen, and the memory of the real play that they need."""

    def __cinit__(self, StateObservation state not None, int player):
        self.n_cells = n_cells(state)
        self.visits = <uint8_t *>calloc(self.n_cells, 1)
        if self.visits == NULL:
            raise MemoryError

    def __init__(self, StateObservation state, int player):
        """Prepare for states of the same board as ``state``, seen by a player."""
        self.player = player
        self.facts = Facts(state, player)
        self.lived = HashSet(14)
        self.unit = 0.0
        self.patience = 0.985
        self.news = 0.3
        self.curiosity = 0.05

    def __dealloc__(self):
        free(self.visits)

    cpdef int live_through(self, StateObservation state) except -1:
        """Remember a state of the real play: its totals are no news any more, and its cell has been visited."""
        self.facts.read(state)
        self.facts.remember(self.lived)
        if 0 <= self.facts.cell < self.n_cells and self.visits[self.facts.cell] < 255:
            self.visits[self.facts.cell] += 1
        return 0

    cdef int fresh(self) noexcept:
        """How many totals of the state that ``facts`` has read are new to the play."""
        return self.facts.unseen_totals(self.lived)

    cdef void notice(self, double gain) noexcept:
        """Learn the unit from a change of the score."""
        if gain != 0.0 and (self.unit == 0.0 or 1.0 / fabs(gain) > self.unit):
            self.unit = 1.0 / fabs(gain)

    cdef double worth(self, double gain, int fresh, int cell) noexcept:
        """The worth of a state with so many points more, so many totals new to the play, and the avatar in a cell."""
        cdef double worth = gain * self.unit + self.news * fresh
        if 0 <= cell < self.n_cells:
            worth += self.curiosity / (1 + self.visits[cell])
        return worth

    cdef double discounted(self, double worth, int ticks) noexcept:
        """A worth that is ``ticks`` away; what is bad does not become better by waiting."""
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
