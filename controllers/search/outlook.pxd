from libc.stdint cimport int32_t, uint8_t

from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.novelty cimport Facts, HashSet
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.state cimport StateObservation

cdef double WIN  # value of a won state

cdef class Outlook:
    cdef BoardTables tables  # of the only board whose states it can judge
    cdef readonly int player
    cdef Facts facts
    cdef HashSet lived  # totals that the real play has had
    cdef uint8_t *visits  # by cell: visits of the avatar in the real play
    cdef int32_t *most_held  # by type: the largest amount that the play has held
    cdef int32_t *missed  # by type: lost states that had no sprite of it
    cdef uint8_t *dispensable  # by type: whether a state that was not lost had no sprite of it
    cdef int n_lost
    cdef int n_cells
    cdef int health  # the avatar's, in the real play
    cdef readonly double unit  # value of a point: `largest_unit`, lowered as the play gains points
    cdef double largest_unit  # 1 over the smallest reward seen; 0 before the first one
    cdef double earned  # points that the play has gained; those it has lost are not subtracted
    cdef double last_score  # in the real play
    cdef public double patience  # discount factor per tick
    cdef public double news  # value of a new total
    cdef public double curiosity  # value of a cell that the play has not visited
    cdef public bint protection  # whether the last sprites of vital types are worth more

    cpdef void watch(self) noexcept
    cpdef int live_through(self, StateObservation state) except -1
    cpdef int expect(self, StateObservation state, Generator generator, int ticks, double room) except -1
    cdef void learn(self) noexcept
    cdef int fresh(self) noexcept
    cdef void see_end(self, bint lost) noexcept
    cdef double danger(self) noexcept
    cdef void notice(self, double gain) noexcept
    cdef void set_unit(self) noexcept
    cdef double worth(self, double gain, int fresh, int cell) noexcept
    cdef double discounted(self, double worth, int ticks) noexcept
