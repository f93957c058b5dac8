"""Best-first width search over exact states, kept from tick to tick.

Each state found is kept with its parent, and a transposition table on keys ensures that none is expanded twice. Open states
wait in one first-in-first-out queue per class of novelty, and the newest class is served first: with the first classes alone
this is iterated width, and with the last one, states with nothing new, it is complete. The search looks for won states, for
more points, and for what the play has not had yet.

When the real play goes on, the root moves to the state that it has reached. A state is *live* if it is below the root. Others
stay in the table, and are joined to the tree again if the search finds them again.

Where chance moves sprites in every tick, no state is met twice. A search can then identify states by their outlines
(`outline.pyx`): each is kept as it was found in one future, and the root is replaced by the real state. If an action lost in
that future, the next states with the same outline are kept as well, up to `retries` of them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from vgdl.controllers.search.budget cimport Budget
from vgdl.controllers.search.forward cimport choices_of, play_for
from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.novelty cimport (
    NEW_PLACE, NOTHING_NEW, HashSet, scatter,
)
from vgdl.controllers.search.outline cimport Outline
from vgdl.controllers.search.outlook cimport WIN, Outlook
from vgdl.controllers.search.tree cimport CHUNK, Memory
from vgdl.core.api cimport (
    MAX_ACTIONS, block_of, chance, is_over, key_of, n_players, record_size, restart, score, size_of, winner,
)
from vgdl.core.data.layout cimport NIL, PLAYER_LOSES, PLAYER_WINS
from vgdl.core.state cimport StateObservation, level_out

EXPANSION_CALLS = 2 * (MAX_ACTIONS + 1)
"""Most forward-model calls of one expansion: every action, NIL included, is played up to twice."""

cdef enum:
    MOST_PASSED = 64  # states passed over that are not live, between two looks at the budget
    MOST_TAKEN_UP = 20_000  # found states above which open ones are not looked for
    MOST_ANEW = 100_000  # the same with outlines, of which a new search would have to find as many again
    MOST_NOTED = 4_000  # states that may be worth going to
    MOST_PLACES = 1_000  # the limit for adding those that are only new places
    MOST_REFRESHED = 8  # most valuable states whose value is checked, for a goal
    MOST_COUNTED = 3  # the same for the goal of one action
    RETRIES = 15  # default of `retries`
    SURE = 256  # tests without a difference, after which only one expansion in eight is tested
    WORDS = 8  # bytes of a word
    PROBES = 16  # rollouts from a goal
    PROBE_TICKS = 20  # of each
    MOST_HELD = 16  # ticks for which an action is repeated
    MOTION_BITS = 20  # of the table of coarse motions
    SMALL = 17  # tables of up to 2 to this power slots go with the small set of facts

cdef double SLOW_MS = 0.02  # of a tick: if slower, the clock is read after every action of an expansion
cdef double FORGETTING = 0.9  # what remains of `pace` with each expansion

cdef struct Packed:  # followed by `n` words (64 bits) and their indices (32 bits); or by the whole state if n is -1
    int32_t size
    int32_t n


cdef void nil_last(int32_t *choices, int n) noexcept nogil:
    """Put NIL last: if another action loses, the outline is risky, and the state that NIL leads to, with the same one, is kept."""
    cdef int k
    for k in range(n - 1):
        if choices[k] == NIL:
            choices[k], choices[n - 1] = choices[n - 1], NIL


cdef class WidthSearch:
    """A best-first search over the exact states that a player can reach."""

    def __cinit__(self, StateObservation state not None, Outlook outlook not None, Generator generator, int bits,
                  long long memory_limit, Outline outline=None):
        cdef long long table = <long long>1 << bits
        self.room = <int>(table // 2)
        self.found = <Found *>calloc(self.room, sizeof(Found))
        self.slots = <int32_t *>calloc(table, sizeof(int32_t))
        self.noted = <int32_t *>calloc(MOST_NOTED, sizeof(int32_t))
        self.buffer = <char *>calloc(record_size(state), 1)
        self.base_size = self.unpacked_room = 0
        self.base = self.unpacked = NULL
        if self.found == NULL or self.slots == NULL or self.noted == NULL or self.buffer == NULL:
            raise MemoryError

    def __init__(self, StateObservation state, Outlook outlook, Generator generator, int bits, long long memory_limit,
                 Outline outline=None):
        """Allocate the tables, and begin at a state.

        Args:
            state: the first root.
            outlook: values of states, and the player.
            generator: source of all random numbers.
            bits: size of the table; it holds half of 2 to this power states.
            memory_limit: bytes for packed states.
            outline: identifies states; None if they are exact.
        """
        self.outlook = outlook
        self.outline = outline
        self.player = outlook.player
        self.generator = generator
        self.memory_limit = memory_limit
        self.memory = Memory()
        self.facts = outlook.facts
        self.large = HashSet(bits)
        self.small = HashSet(SMALL + 1)
        self.scratch = state.copy(history=False)
        self.for_two = n_players(state) == 2
        self.pairs = self.careful = self.coarse = self.holding = True
        self.deep = False
        self.part = 1
        self.retries = RETRIES
        self.begin(state, bits)

    def __dealloc__(self):
        free(self.found)
        free(self.slots)
        free(self.noted)
        free(self.buffer)
        free(self.base)
        free(self.unpacked)

    # ------------------------------------------------------------------------------------------------------ beginning

    cpdef int begin(self, StateObservation state, int bits) except -1:
        """Forget everything and start from a state, with a table of 2 to the power of ``bits`` slots."""
        cdef int k
        cdef long long size = size_of(state)
        cdef char *base = <char *>realloc(self.base, size)
        if base == NULL:
            raise MemoryError
        self.base = base
        self.base_size = size
        memcpy(self.base, block_of(state), size)
        self.mask = ((<uint64_t>1) << bits) - 1
        self.room = <int>((self.mask + 1) // 2)
        memset(self.slots, 0, (self.mask + 1) * sizeof(int32_t))
        self.memory.clear()
        self.seen = self.small if bits <= SMALL else self.large
        self.seen.clear()
        self.n_scores = 0
        self.turn = 0
        self.scratch.meter = state.meter
        self.moving = self.facts.momentum
        self.expansion_calls = EXPANSION_CALLS
        if self.moving:
            self.expansion_calls *= 1 + MOST_HELD
            if self.motions is None:
                self.motions = HashSet(MOTION_BITS)
            self.motions.clear()
        for k in range(N_QUEUES):
            self.first[k] = self.last[k] = -1
        self.n_found = self.n_noted = self.expansions = self.tests = self.tried = self.differences = 0
        self.stamp = self.revision = self.tidied = 1
        self.root = 0
        self.won = -1
        self.exhausted = self.full = self.moved = self.has_moved_on = False
        restart(self.scratch, block_of(state), 1)
        if not is_over(state):
            self.add(-1, NIL, self.key(), False)
        return 0

    cpdef bint move(self, StateObservation state) except -1:
        """Make a real state the root; returns false and does nothing if the search has not found it.

        With outlines, a state that was not found is added.
        """
        cdef uint64_t slot, key
        cdef int number
        if self.n_found == 0 or is_over(state):
            return False
        self.scratch.meter = state.meter
        restart(self.scratch, block_of(state), 1)
        key = self.key()
        number = self.lookup(key, &slot)
        if number < 0 and (self.outline is None or not self.has_room()):
            return False
        if self.outline is not None:
            number = self.renew(number, key)
        if number != self.root:
            self.root = number
            self.found[number].parent = -1  # so that joining states above it again makes no cycle
            self.stamp += 1
            self.revision += 1
            self.moved = self.has_moved_on = True
            self.exhausted = False
        return True

    cdef int renew(self, int number, uint64_t key) except -1:
        """Keep the state in ``scratch`` in place of the one with the same outline, if there is one; returns its number."""
        if number < 0:
            return self.add(-1, NIL, key, True)
        if self.found[number].state == NULL:  # the game ended there in another future
            self.found[number].flags &= ~WON
            if self.won == number:
                self.won = -1
        self.found[number].flags &= ~(EXPANDED | DOOMED | RISKY)
        level_out(self.scratch)
        self.found[number].state = self.pack(self.scratch)
        return number

    # ---------------------------------------------------------------------------------------------------------- search

    cpdef int grow(self, Budget budget) except -1:
        """Expand states until the budget is used, there are none left, or memory is full; returns how many."""
        cdef int number
        cdef int before = self.expansions
        while not self.full:
            if not budget.another():
                break
            if self.outline is not None and not self.found[self.root].flags & EXPANDED:
                number = self.root
            else:
                number = self.pop()
            if number == -1 and self.moved and self.n_found > (MOST_TAKEN_UP if self.outline is None else MOST_ANEW):
                self.full = True  # going through all of them would take too long
                break
            if number == -1 and self.take_up():
                continue
            if number == -1:
                self.exhausted = True
                break
            if number >= 0 and not self.expand(number, budget):
                if self.expansions > before:  # otherwise it takes longer than an answer has
                    self.push(number)
                break
        return self.expansions - before

    cdef bint expand(self, int number, Budget budget) except -1:
        """Play every action in a state; returns false if time was too short, and the state then counts as not expanded."""
        cdef int32_t[MAX_ACTIONS + 1] choices
        cdef int k
        cdef int n
        cdef bint timed
        cdef double before_ms, left_ms
        cdef char *state = self.unpack(self.found[number].state)
        cdef long long size
        cdef int child, n_found
        cdef uint64_t start = 0
        restart(self.scratch, state, self.generator.seed())
        size = size_of(self.scratch)
        before_ms = budget.left_ms() if budget.call_ms > SLOW_MS or size > 2 * self.base_size else INFINITY
        timed = before_ms < INFINITY  # ticks are slow, or may be where sprites have become many
        self.pace *= FORGETTING
        self.found[number].flags |= EXPANDED
        self.expansions += 1
        if self.moving:
            self.facts.read(self.scratch)
            start = self.facts.motion(0)
        n = choices_of(self.scratch, self.player, choices)
        self.generator.shuffle(choices, n)
        if self.outline is not None:
            nil_last(choices, n)
        self.found[number].safe = n
        for k in range(n):
            if timed and before_ms < self.pace * size:
                self.found[number].flags &= ~EXPANDED
                self.expansions -= 1
                return False
            n_found = self.n_found
            child = self.try_action(number, choices[k], state)
            if child < 0:
                self.found[number].safe -= 1
                self.found[number].flags |= RISKY
            elif self.moving and self.holding and not timed and self.n_found > n_found:
                self.hold(child, choices[k], start)
                state = self.unpack(self.found[number].state)
            if timed:
                left_ms = budget.left_ms()
                self.pace = max(self.pace, (before_ms - left_ms) / size)
                before_ms = left_ms
        if self.found[number].safe == 0 and self.outline is None:  # with outlines, enemies may be elsewhere next time
            self.doom(number)
        return True

    cdef int hold(self, int child, int action, uint64_t start) except -1:
        """Repeat an action after a new state until the coarsest motion is no longer ``start``; returns how often.

        It ends where a state is known, and where sprites become many, so that ticks get slow.
        """
        cdef int k, before
        for k in range(MOST_HELD):
            if self.found[child].state == NULL or self.facts.motion(0) != start:
                return k
            if size_of(self.scratch) > 2 * self.base_size:
                return k
            before = self.n_found
            child = self.try_action(child, action, self.unpack(self.found[child].state))
            if child < 0 or self.n_found == before:
                return k
        return MOST_HELD

    cdef void doom(self, int number) noexcept:
        """Mark a state in which every action loses, and its ancestors that lead to such states only."""
        while number >= 0 and not self.found[number].flags & DOOMED:
            self.found[number].flags |= DOOMED
            number = self.found[number].parent
            if number >= 0:
                self.found[number].safe -= 1
                if self.found[number].safe > 0 or not self.found[number].flags & EXPANDED:
                    break

    cdef int try_action(self, int number, int action, char *state) except -2:
        """Add the state that an action leads to, unless it is known; returns its number, or -1 if the action may lose."""
        cdef uint64_t before, slot, key, other
        cdef bint testing = self.outline is None and (
            (self.careful and (self.differences or self.tests < SURE)) or self.expansions & 7 == 1)
        cdef bint drawn, by_chance
        cdef int known, retry
        restart(self.scratch, state, self.generator.seed())
        before = chance(self.scratch)
        play_for(self.scratch, self.player, action, self.generator)
        if winner(self.scratch, self.player) == PLAYER_LOSES or (
                is_over(self.scratch) and winner(self.scratch, self.player) != PLAYER_WINS):
            return -1
        key = self.key()
        drawn = self.for_two or chance(self.scratch) != before  # the other player's action is uncertain
        by_chance = self.for_two or (drawn and not (testing or self.careful))
        self.tried += testing
        if drawn and testing:
            restart(self.scratch, state, self.generator.seed())
            play_for(self.scratch, self.player, action, self.generator)
            self.tests += 1
            if winner(self.scratch, self.player) == PLAYER_LOSES:
                return -1
            other = self.key()
            if other != key:
                self.differences += 1
                by_chance = True
                key = other
        known = self.lookup(key, &slot)
        if self.outline is not None:
            for retry in range(self.retries):
                if known < 0 or not self.found[known].flags & RISKY:
                    break
                key = scatter(key + retry)
                known = self.lookup(key, &slot)
        if known >= 0:
            if known != number and not self.live(known):  # left behind when the root moved
                self.join(known, number, action)
                self.revision += 1
                self.moved = True
                if self.found[known].flags & WON:
                    self.won = known
                elif not self.found[known].flags & (EXPANDED | QUEUED):
                    self.push(known)
            return known
        if not self.has_room():
            self.full = True
            return number
        return self.add(number, action, key, by_chance)

    cdef bint has_room(self) noexcept:
        """Whether one more state may be kept."""
        cdef long long used = <long long>self.memory.current * CHUNK
        return self.n_found < self.room // self.part and used <= self.memory_limit // self.part

    cdef int add(self, int parent, int action, uint64_t key, bint by_chance) except -1:
        """Keep the state in ``scratch`` as a new one; returns its number."""
        cdef uint64_t slot
        cdef int number = self.n_found
        cdef Found *node = self.found + number
        self.lookup(key, &slot)
        self.slots[slot] = number + 1
        self.n_found += 1
        if self.outline is None:  # otherwise `key` has read them
            self.facts.read(self.scratch)
        node.key = key
        node.next = -1
        self.join(number, parent, action)
        node.cell = <int32_t>self.facts.cell
        node.score = <float>score(self.scratch, self.player)
        if parent >= 0:
            self.outlook.notice(node.score - self.found[parent].score)
        node.flags = BY_CHANCE if by_chance else 0
        node.novelty = self.facts.rate(self.seen, self.pairs, self.level(node.score))
        if self.moving and self.coarse:
            node.novelty = min(node.novelty, self.facts.rate_motion(self.motions))
        node.fresh = <int16_t>self.outlook.fresh()
        node.safe = 1
        if is_over(self.scratch):
            node.state = NULL
            node.flags |= WON | EXPANDED
            if not self.has_won() or self.found[self.won].depth > node.depth:
                self.won = number
            return number
        level_out(self.scratch)
        node.state = self.pack(self.scratch)
        if parent >= 0 and node.novelty <= NEW_PLACE:
            self.note(number)
        self.push(number)
        return number

    cdef void join(self, int number, int parent, int action) noexcept:
        """Make a state the child of a live one by an action, or a root if ``parent`` is negative."""
        cdef Found *node = self.found + number
        node.parent = parent
        node.action = action
        node.stamp = self.stamp
        node.depth = self.found[parent].depth + 1 if parent >= 0 else 0
        node.first = self.found[parent].first if parent >= 0 and parent != self.root else node.action

    # ---------------------------------------------------------------------------------------------------------- values

    @property
    def best_win(self):
        """The number of the nearest won state that can be reached; -1 if none is known."""
        return self.won if self.has_won() else -1

    cdef bint has_won(self) noexcept:
        """Whether a won state is known that can be reached."""
        return self.won >= 0 and self.live(self.won)

    cpdef double value(self, int number) noexcept:
        """The value of a found state to the play at the root."""
        cdef Found *node = self.found + number
        cdef Found *root = self.found + self.root
        cdef double worth = self.outlook.worth(node.score - root.score, node.fresh, node.cell)
        if node.flags & WON:
            worth += WIN
        return self.outlook.discounted(worth, node.depth - root.depth)

    cpdef int target(self, Budget budget) except -2:
        """The best state to go to: the nearest won one, else the most valuable one; -1 if there is none.

        States whose rollouts are all lost do not count; the budget limits the rollouts.
        """
        cdef int _n, best
        if self.has_won():
            return self.won
        budget.need(PROBE_TICKS)
        for _n in range(MOST_REFRESHED):
            best = self.most_valuable(-1)
            if best < 0 or not (self.refresh(best) or self.seems_lost(best, budget)):
                return best
        return best

    cdef void note(self, int number) noexcept:
        """Note a found state as one that may be worth going to; if there is no room, those that are not live are removed."""
        cdef int most = MOST_PLACES if self.found[number].novelty == NEW_PLACE else MOST_NOTED
        cdef int k
        cdef int n = 0
        if self.n_noted >= most and self.tidied != self.stamp:
            self.tidied = self.stamp
            for k in range(self.n_noted):
                if self.live(self.noted[k]):
                    self.noted[n] = self.noted[k]
                    n += 1
            self.n_noted = n
        if self.n_noted < most:
            self.noted[self.n_noted] = number
            self.n_noted += 1

    cdef int most_valuable(self, int action) noexcept:
        """The most valuable state noted, below one action of the root unless that is negative; -1 if there is none."""
        cdef int k, number
        cdef int best = -1
        cdef double highest = -1e300
        cdef double value
        for k in range(self.n_noted):
            number = self.noted[k]
            if number == self.root or self.found[number].flags & DOOMED or not self.live(number):
                continue
            if action >= 0 and self.first_step(number) != action:
                continue
            value = self.value(number)
            if value > highest:
                highest = value
                best = number
        return best

    cdef bint seems_lost(self, int number, Budget budget) except -1:
        """Whether random rollouts from a state are all lost, which marks it as doomed; false if the budget ends before."""
        cdef int _k
        cdef char *state = self.unpack(self.found[number].state)
        for _k in range(PROBES):
            if not budget.another():
                return False
            restart(self.scratch, state, self.generator.seed())
            self.scratch.run(None, PROBE_TICKS, self.generator.seed())
            if not is_over(self.scratch) or winner(self.scratch, self.player) == PLAYER_WINS:
                return False
        self.doom(number)
        return True

    cpdef int best_of(self, int action) except -2:
        """The most valuable state that one of the root's actions leads to; -1 if none is known."""
        cdef int _n
        cdef int best = -1
        if self.won >= 0 and self.first_step(self.won) == action:
            return self.won
        for _n in range(MOST_COUNTED):
            best = self.most_valuable(action)
            if best < 0 or self.outline is None or not self.refresh(best):
                break
        return best

    cdef int first_step(self, int number) noexcept:
        """The root's action that leads to a found state; -1 if the state is the root or not below it."""
        return self.found[number].first if number != self.root and self.live(number) else -1

    cdef int refresh(self, int number) except -1:
        """Update which totals of a state the play has not had yet; returns whether their number has changed."""
        cdef int before = self.found[number].fresh
        if before <= 0 or self.found[number].state == NULL:
            return False
        restart(self.scratch, self.unpack(self.found[number].state), 1)
        self.facts.read(self.scratch)
        self.found[number].fresh = <int16_t>self.outlook.fresh()
        return self.found[number].fresh != before

    cpdef bytes plan(self, int number):
        """The actions from the root to a found state."""
        cdef list steps = []
        while number != self.root and number >= 0:
            steps.append(self.found[number].action)
            number = self.found[number].parent
        return bytes(reversed(steps))

    cpdef bint certain(self, int number) noexcept:
        """Whether chance changes no tick from the root to a found state, as far as was tested."""
        while number != self.root and number >= 0:
            if self.found[number].flags & BY_CHANCE:
                return False
            number = self.found[number].parent
        return True

    cpdef int live(self, int number) noexcept:
        """Whether a found state is below the root; updates its depth and first action if it is."""
        cdef int k = number
        cdef int below = number  # the last state before `k`
        cdef int depth = 0
        cdef bint is_live
        cdef int32_t mark
        cdef int first
        while k != self.root and k >= 0 and self.found[k].stamp != self.stamp and self.found[k].stamp != -self.revision:
            below = k
            k = self.found[k].parent
            depth += 1
        is_live = k >= 0 and (k == self.root or self.found[k].stamp == self.stamp)
        mark = self.stamp if is_live else -self.revision
        first = self.found[below].action if k == self.root or k < 0 else self.found[k].first
        if is_live:
            depth += self.found[k].depth
        while number != k:  # remember the result, so that long ways are walked only once
            self.found[number].stamp = mark
            self.found[number].first = first
            if is_live:
                self.found[number].depth = depth  # has changed if a state above it was joined again
                depth -= 1
            number = self.found[number].parent
        return is_live

    cdef int take_up(self) noexcept:
        """Queue the open states that have become live again; returns how many."""
        cdef int number
        cdef int n = 0
        if not self.moved:
            return 0
        for number in range(self.n_found):
            if not self.found[number].flags & (EXPANDED | QUEUED) and self.live(number):
                self.push(number)
                n += 1
        self.moved = False
        return n

    # -------------------------------------------------------------------------------------------------------- storage

    cdef uint64_t key(self) except? 0:
        """The key of the state in ``scratch``: of the exact state, or of its outline."""
        if self.outline is None:
            return key_of(self.scratch, self.buffer)
        self.facts.read(self.scratch)
        return self.outline.hash_of(self.facts)

    cdef int lookup(self, uint64_t key, uint64_t *slot) noexcept:
        """The number of the found state with a key, or -1; ``slot`` becomes its slot in the table, or a free one for it."""
        cdef uint64_t k = key & self.mask
        while self.slots[k] != 0:
            if self.found[self.slots[k] - 1].key == key:
                slot[0] = k
                return self.slots[k] - 1
            k = (k + 1) & self.mask
        slot[0] = k
        return -1

    cdef int level(self, double points) noexcept:
        """The number of a score, in order of first occurrence; facts are counted apart for each."""
        cdef int k
        if self.n_scores > MOST_SCORES:
            return 0
        for k in range(self.n_scores):
            if self.scores[k] == points:
                return k
        if self.n_scores < MOST_SCORES:
            self.scores[self.n_scores] = points
        self.n_scores += 1
        return self.n_scores - 1

    cdef void push(self, int number) noexcept:
        """Add a state to the end of the queue of its class; those with nothing new have a queue per score.

        A deep search puts a random half of the latter in front. This is depth-first search that skips half of the children
        at first, so that it does not stay in one part of the tree.
        """
        cdef int queue = self.found[number].novelty
        if queue == NOTHING_NEW:
            queue += self.level(self.found[number].score) % N_REST
        self.found[number].next = -1
        self.found[number].flags |= QUEUED
        if self.first[queue] < 0:
            self.first[queue] = number
        elif self.deep and queue >= NOTHING_NEW and self.generator.below(2):
            self.found[number].next = self.first[queue]
            self.first[queue] = number
            return
        else:
            self.found[self.last[queue]].next = number
        self.last[queue] = number

    cdef int pop(self) noexcept:
        """The next state to expand, live and not expanded; -1 if there is none, -2 if it takes long to find one."""
        cdef int queue, _turn
        cdef int number = -1
        for queue in range(NOTHING_NEW):
            number = self.take(queue)
            if number != -1:
                return number
        for _turn in range(N_REST):  # every score has its turn
            self.turn = (self.turn + 1) % N_REST
            number = self.take(NOTHING_NEW + self.turn)
            if number != -1:
                return number
        return -1

    cdef int take(self, int queue) noexcept:
        """The next state of one queue to expand; -1 if there is none, -2 if it takes long to find one."""
        cdef int number
        cdef int passed = 0
        while self.first[queue] >= 0:
            number = self.first[queue]
            self.first[queue] = self.found[number].next
            self.found[number].flags &= ~QUEUED
            if not self.found[number].flags & EXPANDED and self.live(number):
                return number
            passed += 1
            if passed == MOST_PASSED:
                return -2
        return -1

    cdef char *pack(self, StateObservation state) except NULL:
        """Keep a state, as its differences from the base if that is shorter."""
        cdef long long size = size_of(state)
        cdef const char *block = block_of(state)
        cdef const uint64_t *words = <const uint64_t *>block
        cdef const uint64_t *base = <const uint64_t *>self.base
        cdef long long n_words = size // WORDS
        cdef long long k
        cdef int n = 0
        cdef Packed *packed
        cdef int32_t *indices
        cdef uint64_t *changed
        if size == self.base_size and size % WORDS == 0:
            for k in range(n_words):
                n += words[k] != base[k]
        else:
            n = <int>n_words
        if n * 12 >= size - 8:
            packed = <Packed *>self.memory.take(sizeof(Packed) + size)
            packed.n = -1
            packed.size = <int32_t>size
            memcpy(<char *>packed + sizeof(Packed), block, size)
            return <char *>packed
        packed = <Packed *>self.memory.take(sizeof(Packed) + n * 12 + 8)
        packed.n = n
        packed.size = <int32_t>size
        changed = <uint64_t *>(<char *>packed + sizeof(Packed))
        indices = <int32_t *>(changed + n)
        n = 0
        for k in range(n_words):
            if words[k] != base[k]:
                indices[n] = <int32_t>k
                changed[n] = words[k]
                n += 1
        return <char *>packed

    cdef char *unpack(self, char *kept) except NULL:
        """A kept state's block, valid until the next one is unpacked."""
        cdef Packed *packed = <Packed *>kept
        cdef uint64_t *changed = <uint64_t *>(kept + sizeof(Packed))
        cdef int32_t *indices = <int32_t *>(changed + packed.n)
        cdef char *grown
        cdef int k
        if packed.n < 0:
            return kept + sizeof(Packed)
        if self.unpacked_room < packed.size:
            grown = <char *>realloc(self.unpacked, packed.size)
            if grown == NULL:
                raise MemoryError
            self.unpacked = grown
            self.unpacked_room = packed.size
        memcpy(self.unpacked, self.base, packed.size)
        for k in range(packed.n):
            (<uint64_t *>self.unpacked)[indices[k]] = changed[k]
        return self.unpacked
