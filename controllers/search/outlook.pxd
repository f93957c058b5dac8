from libc.stdint cimport int32_t, uint8_t

from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.ground cimport Ground
from vgdl.controllers.search.novelty cimport Facts, HashSet
from vgdl.controllers.search.opponent cimport Opponent
from vgdl.core.state cimport StateObservation

cdef double WIN  # what a won state is worth

cdef class Outlook:
    cdef readonly int player
    cdef Facts facts
    cdef readonly Ground ground
    cdef readonly Opponent opponent
    cdef public bint distances  # whether the nearness of what is worth reaching counts
    cdef HashSet lived  # totals that the real play has had
    cdef uint8_t *visits  # of cells, in the real play
    cdef int32_t *most_held  # by type: the largest amount that the play has held
    cdef int32_t *missed  # by type: lost states that had no sprite of it
    cdef uint8_t *dispensable  # by type: whether a state that was not lost had no sprite of it
    cdef int n_lost
    cdef int n_cells
    cdef int health  # the avatar's, in the real play
    cdef readonly double unit  # what a point is worth: 1 over the smallest reward seen, less the more the play has had
    cdef double largest_unit  # the same before the first reward
    cdef double earned  # points that the play has gained, losses left out
    cdef double last_score
    cdef public double patience  # discount of a value per tick
    cdef public double news  # what a total that the play has not seen is worth, in the smallest rewards
    cdef public bint protection  # whether the numbers of sprites count without which the game is lost
    cdef public double curiosity  # the same for a cell that the play has not visited

    cpdef int live_through(self, StateObservation state) except -1
    cpdef int expect(self, StateObservation state, Generator generator, int ticks) except -1
    cdef void learn(self) noexcept
    cdef int fresh(self) noexcept
    cdef void see_end(self, bint lost) noexcept
    cdef double danger(self) noexcept
    cdef void notice(self, double gain) noexcept
    cdef void set_unit(self) noexcept
    cdef double worth(self, double gain, int fresh, int cell) noexcept
    cdef double discounted(self, double worth, int ticks) noexcept
