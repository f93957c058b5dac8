"""Outlines: hashes of states without what chance changes, above all without sprites that move at random.

Where enemies move at random, no state is met twice, so a search of exact states keeps nothing from tick to tick. But walls,
doors, boxes and things to collect stay: two states with the same outline differ only in what chance will change again.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from vgdl.controllers.search.budget cimport Budget
from vgdl.controllers.search.forward cimport choices_of
from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.novelty cimport FIRST_COUNT, Facts, fact_of, scatter
from vgdl.core.api cimport MAX_ACTIONS, block_of, is_over, n_types, restart, size_of
from vgdl.core.data.layout cimport NIL
from vgdl.core.state cimport StateObservation

cdef enum:
    TICKS = 6  # length of a future that is compared
    ENOUGH = 4  # pairs of futures that differed, before types are classified
    MOST = 64  # pairs per call
    RARELY = 16  # a type is restless if its sprites differ in more than one in this many of the pairs that differed


cdef class Outline:
    """Finds restless types, whose sprites move by chance, and hashes states without their sprites."""

    def __cinit__(self, StateObservation state not None, int player):
        self.n_types = n_types(state)
        self.differed = <int32_t *>calloc(self.n_types, sizeof(int32_t))
        self.restless = <int32_t *>calloc(self.n_types, sizeof(int32_t))
        self.places = <uint64_t *>calloc(2 * self.n_types, sizeof(uint64_t))
        if self.differed == NULL or self.restless == NULL or self.places == NULL:
            raise MemoryError

    def __init__(self, StateObservation state, int player):
        """Prepare for states of the same board as ``state``, seen by a player of a game for one."""
        self.player = player
        self.facts = Facts(state, player)
        self.scratch = state.copy(history=False)
        self.score_differed = self.health_differed = 0
        self.compared = 0
        self.version = 0

    def __dealloc__(self):
        free(self.differed)
        free(self.restless)
        free(self.places)

    cpdef int compare(self, StateObservation state, Generator generator, Budget budget) except -1:
        """Play pairs of futures with the same random actions, and count which types differ; returns the number of pairs."""
        cdef int n = 0
        self.scratch.meter = state.meter
        budget.need(2 * TICKS)
        while n < MOST and budget.another():
            self.compare_once(state, generator)
            n += 1
        self.settle()
        return n

    cdef int compare_once(self, StateObservation state, Generator generator) except -1:
        """Play one pair; it does not count if the game ends in it."""
        cdef int32_t[MAX_ACTIONS + 1] choices
        cdef int32_t[TICKS] steps
        cdef uint64_t[2] scores
        cdef uint64_t[2] healths
        cdef uint64_t *sums
        cdef int n = choices_of(state, self.player, choices)
        cdef int k, future
        cdef bint differs = False
        for k in range(TICKS):
            steps[k] = choices[generator.below(n)]
        memset(self.places, 0, 2 * self.n_types * sizeof(uint64_t))
        for future in range(2):
            restart(self.scratch, block_of(state), generator.seed())
            for k in range(TICKS):
                self.scratch.play(steps[k], 0)
                if is_over(self.scratch):
                    return 0
            self.facts.read(self.scratch)
            scores[future] = self.facts.totals[0]
            healths[future] = self.facts.totals[1]
            sums = self.places + future * self.n_types
            for k in range(self.facts.n_sprites):
                sums[self.facts.sprites[k].type] += scatter(
                    (<uint64_t>self.facts.sprites[k].cell << 1) + self.facts.sprites[k].gone + 1)
        for k in range(self.n_types):
            if self.places[k] != self.places[self.n_types + k]:
                self.differed[k] += 1
                differs = True
        self.score_differed += scores[0] != scores[1]
        self.health_differed += healths[0] != healths[1]
        self.compared += differs
        return 0

    cdef void settle(self) noexcept:
        """Classify the types, and decide whether outlines contain score and health."""
        cdef int k
        cdef bint changed = False
        cdef int least = self.compared // RARELY
        if self.compared < ENOUGH:
            return
        for k in range(self.n_types):
            if (self.differed[k] > least) != self.restless[k]:
                self.restless[k] = not self.restless[k]
                changed = True
        if (self.score_differed > least) != self.without_score or (self.health_differed > least) != self.without_health:
            self.without_score = self.score_differed > least
            self.without_health = self.health_differed > least
            changed = True
        self.version += changed

    cpdef bint is_quiet(self, StateObservation state, Generator generator, int futures, int ticks) except -1:
        """Whether the outline, the health and all numbers of sprites are unchanged after some futures without actions."""
        cdef uint64_t key, health
        cdef uint64_t counts
        cdef int _future, _tick
        self.facts.read(state)
        key = self.hash_of(self.facts)
        health = self.facts.totals[1]
        counts = self.sum_of_counts()
        self.scratch.meter = state.meter
        for _future in range(futures):
            restart(self.scratch, block_of(state), generator.seed())
            for _tick in range(ticks):
                if not self.scratch.play(NIL, 0) or size_of(self.scratch) > 2 * size_of(state):  # a crowd grows
                    return False
            self.facts.read(self.scratch)
            if self.hash_of(self.facts) != key or self.facts.totals[1] != health or self.sum_of_counts() != counts:
                return False
        return True

    cdef uint64_t sum_of_counts(self) noexcept:
        """A hash of the numbers of sprites of each type in the state that ``facts`` has read."""
        cdef uint64_t counts = 0
        cdef int k
        for k in range(FIRST_COUNT, FIRST_COUNT + self.n_types):
            counts += self.facts.totals[k]
        return counts

    def leaves_out(self, int kind):
        """Whether a type is restless."""
        return bool(self.restless[kind])

    def key(self, StateObservation state):
        """A hash of the outline of a state."""
        self.facts.read(state)
        return self.hash_of(self.facts)

    cdef uint64_t hash_of(self, Facts facts) noexcept:
        """A hash of the outline of the state that ``facts`` has read."""
        cdef uint64_t key = facts.place + facts.spot  # an avatar may take several ticks to leave a cell
        cdef int k
        if facts.momentum:
            key += facts.heading()
        if not self.without_score:
            key += scatter(facts.totals[0])
        if not self.without_health:
            key += scatter(facts.totals[1])
        for k in range(FIRST_COUNT + self.n_types, facts.n_totals):  # what the avatar holds
            key += scatter(facts.totals[k])
        for k in range(facts.n_sprites):
            if not self.restless[facts.sprites[k].type]:
                key += fact_of(&facts.sprites[k])
        return scatter(key)
