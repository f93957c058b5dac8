from libc.stdint cimport int16_t, int32_t, uint8_t, uint64_t

from vgdl.controllers.search.budget cimport Budget
from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.novelty cimport NOTHING_NEW, Facts, HashSet
from vgdl.controllers.search.outline cimport Outline
from vgdl.controllers.search.outlook cimport Outlook
from vgdl.controllers.search.tree cimport Memory
from vgdl.core.state cimport StateObservation

cdef enum:
    N_REST = 16  # queues of states with nothing new
    N_QUEUES = NOTHING_NEW + N_REST
    ROOM_SCORES = 64

cdef struct Found:  # a state that the search has reached
    uint64_t key
    char *state  # `Packed`; NULL for ended states
    int32_t parent  # -1 at the first root
    int32_t next  # in its queue, -1 at the end
    int32_t depth  # ticks from the first root
    int32_t stamp  # of the root for which it was last found to be live, or less than 0: the revision in which it was not
    int32_t cell  # the avatar's
    float score
    int16_t safe  # actions that are not known to lose
    int16_t fresh  # totals that the real play had not seen
    uint8_t action  # that leads here from the parent
    uint8_t first  # the root's action that leads here, if `stamp` is the present one
    uint8_t novelty
    uint8_t flags  # FoundFlag

cdef enum FoundFlag:
    BY_CHANCE = 1  # the tick that leads here could have ended otherwise
    WON = 2
    EXPANDED = 4
    QUEUED = 8
    DOOMED = 16  # every action loses, or leads to a doomed state
    RISKY = 32  # an action lost

cdef class WidthSearch:
    cdef int player
    cdef Generator generator
    cdef StateObservation scratch
    cdef bint for_two  # players
    cdef Memory memory
    cdef Facts facts
    cdef HashSet seen, small, large
    cdef Outlook outlook
    cdef public int retries  # states with the same outline that may be found after the first one
    cdef Outline outline  # if states with the same one are taken for the same; None if they are exact
    cdef Found *found
    cdef int32_t *slots  # hash table: number of a found state + 1
    cdef uint64_t mask
    cdef long long memory_limit
    cdef char *base  # the state that packed ones are differences to
    cdef long long base_size
    cdef char *unpacked
    cdef long long unpacked_room
    cdef char *buffer  # of one record
    cdef int32_t first[N_QUEUES]
    cdef int32_t last[N_QUEUES]
    cdef double scores[ROOM_SCORES]
    cdef int n_scores, turn
    cdef double pace  # the slowest ticks lately, in milliseconds per byte of their states
    cdef int32_t *noted  # found states worth going to
    cdef int n_noted
    cdef int tidied  # the stamp for which states left behind were last taken from `noted`
    cdef int stamp
    cdef int revision  # goes up where states that were not live may be so again
    cdef readonly bint has_moved_on  # the root is not where the search began, and states may have been left behind
    cdef bint moved  # since the last time all open states were queued
    cdef readonly int room  # for found states
    cdef readonly int n_found
    cdef readonly int root
    cdef int won  # the nearest won state when it was found; -1 without one
    cdef readonly int expansions
    cdef readonly int tests  # ticks that drew random numbers and were played twice
    cdef readonly int differences  # of those, the ones that then ended in another state
    cdef readonly bint exhausted  # every state that can be reached has been expanded
    cdef readonly bint full  # no room for more states
    cdef readonly int losses  # ticks that lost
    cdef readonly int tried  # ticks that would have been played twice if they had drawn
    cdef public bint pairs
    cdef public bint careful  # test all ticks that draw once some differ; otherwise all but a few count as by chance
    cdef public bint deep  # search depth first where nothing is new
    cdef public int part  # of the memory, one in so many, may be used

    cpdef int begin(self, StateObservation state, int bits) except -1
    cpdef bint move(self, StateObservation state) except -1
    cdef int renew(self, int number, uint64_t key) except -1
    cdef bint has_room(self) noexcept
    cpdef int grow(self, Budget budget) except -1
    cdef bint has_won(self) noexcept
    cpdef double value(self, int number) noexcept
    cpdef int target(self, Budget budget) except -2
    cpdef int best_of(self, int action) except -2
    cpdef bytes plan(self, int number)
    cpdef bint certain(self, int number) noexcept
    cpdef int live(self, int number) noexcept
    cdef int take_up(self) noexcept
    cdef void doom(self, int number) noexcept
    cdef int first_step(self, int number) noexcept
    cdef void join(self, int number, int parent, int action) noexcept
    cdef void note(self, int number) noexcept
    cdef int most_valuable(self, int action) noexcept
    cdef bint seems_lost(self, int number, Budget budget) except -1
    cdef bint expand(self, int number, Budget budget) except -1
    cdef int try_action(self, int number, int action, char *state) except -2
    cdef int add(self, int parent, int action, uint64_t key, bint by_chance) except -1
    cdef uint64_t key(self) except? 0
    cdef int lookup(self, uint64_t key, uint64_t *slot) noexcept
    cdef int pop(self) noexcept
    cdef int take(self, int queue) noexcept
    cdef int level(self, double points) noexcept
    cdef void push(self, int number) noexcept
    cdef char *pack(self, StateObservation state) except NULL
    cdef char *unpack(self, char *packed) except NULL
    cdef int refresh(self, int number) except -1
