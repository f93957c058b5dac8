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
    MOST_SCORES = 64  # scores whose novelties are counted apart; where there are more, all further states share one level

cdef struct Found:  # a state that the search has reached
    uint64_t key
    char *state  # `Packed`; NULL for ended states
    int32_t parent  # -1 at the first root
    int32_t next  # in its queue, -1 at the end
    int32_t depth  # ticks from the first root
    int32_t stamp  # of the root for which it was last found live; if negative, minus the revision in which it was not
    int32_t cell  # the avatar's
    float score
    int16_t safe  # actions that are not known to lose
    int16_t fresh  # `Outlook.fresh` of the state
    uint8_t action  # that leads here from the parent
    uint8_t first  # the root's action that leads here, if `stamp` is the present one
    uint8_t novelty
    uint8_t flags  # FoundFlag

cdef enum FoundFlag:
    BY_CHANCE = 1  # the result of the tick that leads here may be another one with other random numbers
    WON = 2
    EXPANDED = 4
    QUEUED = 8
    DOOMED = 16  # every action loses or leads to a doomed state
    RISKY = 32  # an action lost

cdef class WidthSearch:
    cdef int player
    cdef Generator generator
    cdef StateObservation scratch
    cdef bint for_two  # whether the game has two players
    cdef Memory memory
    cdef Facts facts
    cdef HashSet small, large
    cdef HashSet seen  # the facts of all states found; one of the two above
    cdef Outlook outlook
    cdef public int retries  # states kept of a risky outline after the first one
    cdef Outline outline  # identifies states; None if they are exact
    cdef HashSet motions  # coarse ones of avatars with momentum; None before there was one
    cdef public bint coarse  # whether coarse motions count as novel where the avatar has momentum
    cdef public bint holding  # whether actions are held there
    cdef readonly bint moving  # whether it has momentum, as far as was known when the search began
    cdef readonly int expansion_calls  # most forward-model calls of one expansion
    cdef Found *found
    cdef int32_t *slots  # hash table: number of a found state + 1
    cdef uint64_t mask
    cdef long long memory_limit
    cdef char *base  # the state that packed ones are differences to
    cdef long long base_size
    cdef char *unpacked
    cdef long long unpacked_room
    cdef char *buffer  # of one record
    cdef int32_t first[N_QUEUES]  # number of the first state in each queue; -1 if it is empty
    cdef int32_t last[N_QUEUES]
    cdef double scores[MOST_SCORES]
    cdef int n_scores
    cdef int turn  # of the queues of states with nothing new, the one served last
    cdef double pace  # the slowest recent ticks, in milliseconds per byte of their states
    cdef int32_t *noted  # found states that may be worth going to
    cdef int n_noted
    cdef int tidied  # the stamp for which states that are not live were last removed from `noted`
    cdef int stamp  # number of the present root
    cdef int revision  # increased whenever states that were not live may have become so
    cdef readonly bint has_moved_on  # whether the root is not where the search began, so that states may not be live
    cdef bint moved  # whether open states may be live that are in no queue
    cdef readonly int room  # for found states
    cdef readonly int n_found
    cdef readonly int root
    cdef int won  # the won state that was nearest when found; -1 without one
    cdef readonly int expansions
    cdef readonly int tests  # ticks that drew random numbers and were played twice
    cdef readonly int differences  # of those, the ones with two results
    cdef readonly bint exhausted  # whether every state that can be reached has been expanded
    cdef readonly bint full  # whether there is no room for more states
    cdef readonly int tried  # ticks that were played twice if they drew random numbers
    cdef public bint pairs  # whether pairs of the avatar's place and another fact are novel
    cdef public bint careful  # play ticks that draw twice (see `SURE`); otherwise one expansion in eight, and the others are by chance
    cdef public bint deep  # search depth first where nothing is new
    cdef public int part  # one part in this many of the memory may be used

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
    cdef int hold(self, int child, int action, uint64_t start) except -1
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
