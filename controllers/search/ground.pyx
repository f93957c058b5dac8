"""Walkable ground: which types let the avatar in, what meeting them does, and how near something worth reaching is.

All of it is learnt from ticks that searches have played. An action that points to a neighbouring cell is a *try* to meet the
types in it. The value of something worth reaching is discounted by every step on the way to it, and multiplied by the share of
tries that got into each cell on the way and survived. So a wall, a door without its key and a spike need no names. The avatar's
type and what it holds are part of the experience: once it holds a key, a door counts as untried again.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from vgdl.controllers.search.novelty cimport scatter
from vgdl.core.api cimport (
    Spotted, avatar, census, n_cells, n_types, score, spotted, winner,
)
from vgdl.core.data.layout cimport AVATAR, DOWN, LEFT, PLAYER_LOSES, PLAYER_WINS, RIGHT, UP, Sprite
from vgdl.core.state cimport StateObservation

cdef enum:
    MOST_SWEEPS = 40  # over the board, to compute `standing`
    EVERY_CATEGORY = -1  # no category is left out
    SLOTS = 4096  # of the table of meetings, a power of 2

# values are in units of the smallest reward
cdef double RATE = 0.05  # weight of the latest try in an average
cdef double STEP = 0.95  # discount factor per cell
cdef double UNKNOWN = 0.8  # value of a meeting with unknown effects
cdef double DOUBT = 2.0  # after this many tries, experience weighs as much as `UNKNOWN`
cdef double CHANGE = 0.15  # value of a meeting that changes something
cdef double MOST_GAINED = 3.0  # of a meeting's points
cdef double GAIN = 0.6  # share of the points that count before they are gained, so that gaining them is better
cdef double VICTORY = 1e3  # points added for a win


cdef void average_in(Meeting *meeting, bint inside, bint lost, double gained, bint changed) noexcept:
    """Add a try to the averages, which are plain means at first and exponential ones later."""
    cdef double rate
    meeting.tries += 1
    rate = RATE if meeting.tries > 1.0 / RATE else 1.0 / meeting.tries
    meeting.passed += rate * (inside - meeting.passed)
    meeting.lost += rate * (lost - meeting.lost)
    meeting.gained += rate * (gained - meeting.gained)
    meeting.changed += rate * (changed - meeting.changed)


cdef class Ground:
    """Experience of entering cells, and a field of values over the board that is computed from it."""

    def __cinit__(self, StateObservation state not None, int player):
        self.n_types = n_types(state)
        self.n_cells = n_cells(state)
        self.room = 64
        self.sprites = <Spotted *>calloc(self.room, sizeof(Spotted))
        self.following = <int32_t *>calloc(self.room, sizeof(int32_t))
        self.first = <int32_t *>calloc(self.n_cells, sizeof(int32_t))
        self.ever = <Meeting *>calloc(self.n_types, sizeof(Meeting))
        self.meetings = <Meeting *>calloc(SLOTS, sizeof(Meeting))
        self.counts = <int32_t *>calloc(2 * self.n_types, sizeof(int32_t))
        self.counts_after = <int32_t *>calloc(2 * self.n_types, sizeof(int32_t))
        self.source = <double *>calloc(self.n_cells, sizeof(double))
        self.standing = <double *>calloc(self.n_cells, sizeof(double))
        self.passing = <double *>calloc(self.n_cells, sizeof(double))
        if (self.sprites == NULL or self.following == NULL or self.first == NULL or self.ever == NULL
                or self.meetings == NULL or self.counts == NULL or self.counts_after == NULL
                or self.source == NULL or self.standing == NULL or self.passing == NULL):
            raise MemoryError

    def __init__(self, StateObservation state, int player):
        """Prepare for states of the same board as ``state``, seen by a player, with nothing learnt."""
        cdef int kind
        self.player = player
        self.block = state.block_size
        self.columns, self.rows = (length // self.block for length in state.world_dimension)
        for kind in range(self.n_types):
            self.ever[kind].passed = 1.0

    def __dealloc__(self):
        free(self.sprites)
        free(self.following)
        free(self.first)
        free(self.ever)
        free(self.meetings)
        free(self.counts)
        free(self.counts_after)
        free(self.source)
        free(self.standing)
        free(self.passing)

    # -------------------------------------------------------------------------------------------------------- learning

    cdef int look(self, StateObservation state) except -1:
        """Read the state before a try; returns the number of visible sprites."""
        cdef Sprite *s = avatar(state, self.player)
        cdef void *grown
        cdef int k, cell
        self.n_sprites = spotted(state, EVERY_CATEGORY, self.room, self.sprites)
        if self.n_sprites > self.room:
            grown = realloc(self.sprites, 2 * self.n_sprites * sizeof(Spotted))
            if grown == NULL:
                raise MemoryError
            self.sprites = <Spotted *>grown
            grown = realloc(self.following, 2 * self.n_sprites * sizeof(int32_t))
            if grown == NULL:
                raise MemoryError
            self.following = <int32_t *>grown
            self.room = 2 * self.n_sprites
            spotted(state, EVERY_CATEGORY, self.room, self.sprites)
        memset(self.first, 0, self.n_cells * sizeof(int32_t))
        for k in range(self.n_sprites):
            if self.sprites[k].x < 0 or self.sprites[k].y < 0:
                continue
            cell = (self.sprites[k].x // self.block) * self.rows + self.sprites[k].y // self.block
            if 0 <= cell < self.n_cells and self.sprites[k].category != AVATAR:
                self.following[k] = self.first[cell]
                self.first[cell] = k + 1
        census(state, self.player, self.counts, self.counts + self.n_types)
        self.score = score(state, self.player)
        self.has_avatar = s != NULL
        self.equipment = 0
        for k in range(self.n_types):
            if self.counts[self.n_types + k]:
                self.equipment += scatter(<uint64_t>k + 1)
        if s != NULL:
            self.equipment += scatter((<uint64_t>s.type + 1) << 32)
            self.x, self.y, self.kind = s.x, s.y, s.type
            self.orientation_x, self.orientation_y = s.orientation_x, s.orientation_y
        return self.n_sprites

    cdef int target(self, int action) noexcept:
        """The cell that an action of the avatar last looked at points to; -1 if there is none."""
        cdef int column = self.x // self.block
        cdef int row = self.y // self.block
        if action == UP:
            row -= 1
        elif action == DOWN:
            row += 1
        elif action == LEFT:
            column -= 1
        elif action == RIGHT:
            column += 1
        else:
            return -1
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return -1
        return column * self.rows + row

    cdef int learn(self, int action, StateObservation after) noexcept:
        """Learn from a tick that led from the state last looked at to another one; returns the number of types met."""
        cdef Sprite *s = avatar(after, self.player)
        cdef Meeting *meeting
        cdef int cell = self.target(action) if self.has_avatar else -1
        cdef int k, kind
        cdef int n = 0
        cdef bint inside, lost, other, changed
        cdef double gained
        if cell < 0 or self.first[cell] == 0:
            return 0
        lost = winner(after, self.player) == PLAYER_LOSES
        inside = lost
        other = True
        if s != NULL:
            inside = inside or (s.x // self.block) * self.rows + s.y // self.block == cell
            if not inside and (s.x != self.x or s.y != self.y
                               or s.orientation_x != self.orientation_x or s.orientation_y != self.orientation_y):
                return 0  # on its way, pushed elsewhere, or only turned
            other = s.type != self.kind
        gained = score(after, self.player) - self.score
        if winner(after, self.player) == PLAYER_WINS:
            gained += VICTORY
        census(after, self.player, self.counts_after, self.counts_after + self.n_types)
        for k in range(self.n_types, 2 * self.n_types):
            other = other or self.counts[k] != self.counts_after[k]
        k = self.first[cell]
        while k:
            kind = self.sprites[k - 1].type
            k = self.following[k - 1]
            changed = other or self.counts[kind] != self.counts_after[kind]
            average_in(self.ever + kind, inside, lost, gained, changed)
            meeting = self.slot(kind)
            if meeting != NULL:
                average_in(meeting, inside, lost, gained, changed)
            n += 1
        return n

    cdef Meeting *slot(self, int kind) noexcept:
        """The averages of a type with the equipment of the state last looked at; NULL if the table is full."""
        cdef uint64_t key = scatter(self.equipment + scatter((<uint64_t>kind + 1) << 16)) | 1
        cdef uint64_t k = (key >> 20) & (SLOTS - 1)
        while self.meetings[k].key != 0:
            if self.meetings[k].key == key:
                return self.meetings + k
            k = (k + 1) & (SLOTS - 1)
        if self.n_meetings > SLOTS // 2:
            return NULL
        self.n_meetings += 1
        self.meetings[k].key = key
        return self.meetings + k

    cpdef int try_out(self, StateObservation before, int action, StateObservation after) except -1:
        """Learn from one tick; returns the number of types met."""
        self.look(before)
        return self.learn(action, after)

    cpdef double passed(self, int kind) noexcept:
        """The share of the latest tries to enter a cell with a type that got in; 1 if there were none."""
        return self.ever[kind].passed

    cpdef tuple experience(self, int kind):
        """Tries, shares that got in and were lost, points and share of changes with the equipment of the state last looked at."""
        cdef Meeting *meeting = self.slot(kind)
        if meeting == NULL:
            meeting = self.ever + kind
        return meeting.tries, meeting.passed, meeting.lost, meeting.gained, meeting.changed

    # ------------------------------------------------------------------------------------------------------- distances

    cdef double interest(self, int kind, double unit) noexcept:
        """The value of meeting a type."""
        cdef Meeting *meeting = self.slot(kind)
        cdef double gained, learnt, doubt
        if meeting == NULL:
            meeting = self.ever + kind
        gained = meeting.gained * unit
        learnt = (MOST_GAINED if gained > MOST_GAINED else gained) * GAIN + CHANGE * meeting.changed
        if learnt < 0.0:
            learnt = 0.0
        doubt = DOUBT / (DOUBT + meeting.tries)
        return doubt * UNKNOWN + (1.0 - doubt) * learnt * (1.0 - meeting.lost)

    cpdef int survey(self, StateObservation state, double unit) except -1:
        """Compute the field for a state of the real play; a point is worth ``unit``. Returns the sweeps that it took."""
        cdef Meeting *meeting
        cdef int k, cell, kind
        cdef double interest
        self.look(state)
        for cell in range(self.n_cells):
            self.source[cell] = self.standing[cell] = 0.0
            self.passing[cell] = 1.0
            k = self.first[cell]
            while k:
                kind = self.sprites[k - 1].type
                k = self.following[k - 1]
                meeting = self.slot(kind)
                if meeting == NULL or meeting.tries == 0:
                    meeting = self.ever + kind
                self.passing[cell] *= meeting.passed * (1.0 - meeting.lost)
                interest = self.interest(kind, unit)
                if interest > self.source[cell]:
                    self.source[cell] = interest
        return self.spread()

    cdef int spread(self) noexcept:
        """Compute `standing` in sweeps forth and back, until nothing changes; returns their number."""
        cdef int sweep, k
        cdef double change
        for sweep in range(MOST_SWEEPS):
            change = 0.0
            for k in range(self.n_cells):
                change += self.relax(k if sweep % 2 == 0 else self.n_cells - 1 - k)
            if change < 1e-9:
                return sweep
        return MOST_SWEEPS

    cdef double relax(self, int cell) noexcept:
        """Update a cell from its neighbours; returns the change."""
        cdef int row = cell % self.rows
        cdef int k, there
        cdef double value
        cdef double best = self.standing[cell]
        cdef double before = best
        cdef int[4] neighbours
        neighbours[0] = cell - 1 if row > 0 else -1
        neighbours[1] = cell + 1 if row < self.rows - 1 else -1
        neighbours[2] = cell - self.rows
        neighbours[3] = cell + self.rows
        for k in range(4):
            there = neighbours[k]
            if not 0 <= there < self.n_cells:
                continue
            value = self.passing[there] * self.standing[there]
            if self.source[there] > value:
                value = self.source[there]
            value *= STEP
            if value > best:
                best = value
        self.standing[cell] = best
        return best - before

    cpdef double pull(self, int cell) noexcept:
        """The value of the best source seen from a cell, discounted by the way to it; 0 outside of the board."""
        return self.standing[cell] if 0 <= cell < self.n_cells else 0.0
