# cython: freelist=256
"""The state of a game, as controllers see it: a thin Python class over one block of memory.

The functions that it calls for a tick raise nothing and run without the GIL.
"""

from libc.limits cimport INT_MAX
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from cpython.number cimport PyNumber_Index
from cpython.ref cimport PyObject

from vgdl.core.data.layout cimport (
    CLICK_AVATAR, FROM_AVATAR, MOVABLE, NIL, NPC, PORTAL, RESOURCE, STATIC, Group, Header, LevelTables, Sprite, TICK_LIMIT, USE, TimerRow, TypeRow,
)
from vgdl.core.observation cimport action_list, avatar, avatar_events, avatar_position, drawing, fill, grid, lists, records, sprite_array
from vgdl.core.history cimport History, joined, new_history
from vgdl.core.data.random cimport low_bits, next_int, scramble, seed_generators
from vgdl.core.rules.tick cimport run_tick
from vgdl.core.data.scratch cimport Event, Scratch, record, set_up
from vgdl.core.rules.index cimport drop_index
from vgdl.core.state_key cimport forget_past, mix

from vgdl.core.data import layout as _layout
from vgdl.core.failures import FAILURES as _FAILURES
from vgdl.core.java_names import Hint, hints

_Action = _layout.Action
_WINNERS = {int(winner): winner for winner in _layout.Winner}
_WORDS = {-1: "no winner", 0: "lost", 1: "won"}  # of an outcome


cdef enum:
    FEW_UPDATES = 1024  # sprite updates, plus eight per tick: about 50 µs, too short to be worth releasing the GIL
    FORMAT = 2  # of `to_bytes`: raised whenever the memory layout of a state changes

#: first bytes of `to_bytes`
cdef bytes PREFIX = b"vgdl" + int(FORMAT).to_bytes(4, "little")

cdef bint making = False  # a state is being made by one of the functions below


cdef class Meter:
    """Counts the ticks by which a state and all of its copies are advanced, by any method.

    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> state.meter = meter = vgdl.Meter()
    >>> state.copy(seed=1).random_rollout(10, seed=2), meter.used
    (10, 10)
    """

    def __init__(self, int64_t used=0):
        self.used = used

    def __repr__(self):
        return f"Meter(used={self.used})"

    def __reduce__(self):
        return Meter, (self.used,)


cdef void look_at(Scratch *w, char *block) noexcept nogil:
    """Point scratch memory at a block: to read it, or because it holds the state that the index belongs to."""
    w.block = block
    w.header = <Header *>block
    w.records = block + w.header.records_at
    w.groups = <Group *>(block + w.board.groups_at)
    w.gates = <uint8_t *>(block + w.board.gates_at)
    w.alive = <uint64_t *>(block + w.board.alive_at)


cdef void attach_block(Scratch *w, char *block, int64_t capacity) noexcept nogil:
    """Attach scratch memory to a state's block that the index does not belong to."""
    drop_index(w)
    w.settled = w.n_loose = 0
    w.stamp = 0
    w.capacity = capacity
    look_at(w, block)


cdef inline Scratch view_of(StateObservation state) noexcept:
    """A view of a state's block and tables, for reading while the state does not change; without scratch memory."""
    cdef Scratch w
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &state.tables.level)
    look_at(&w, state.block)
    return w


cdef tuple nearest(StateObservation state, int category):
    """The lists of a category, nearest to player 0's avatar first; in group order if it is gone."""
    cdef Scratch w = view_of(state)
    return lists(&w, category, avatar_position(&w, 0))


cdef inline int one_action(object action) except -1:
    """An action as a number; anything with ``__index__`` will do, such as numpy's integers."""
    try:
        number = -1 if isinstance(action, str) else PyNumber_Index(action)
    except TypeError:
        raise TypeError(_Action.unknown(action)) from None
    if not 0 <= number <= 6:
        raise ValueError(_Action.unknown(action))
    return number


cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        PyObject *tp_dict

    void PyType_Modified(PyTypeObject *type)


cdef inline StateObservation blank():
    """A state without a block. Only this function creates states, so none lacks its block."""
    global making
    making = True
    try:
        return StateObservation.__new__(StateObservation)
    finally:
        making = False


cdef class StateObservation:
    """The state of a game, as controllers get it and as the game itself advances it.

    States are made by `Game.start` and by copying. All sizes are in pixels, all times in ticks.

    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> state.copy(seed=1).random_rollout(10, seed=2), state.tick
    (10, 0)
    """

    __hash__ = None  # states are mutable; `key` and `to_bytes` can serve as keys

    def __cinit__(self):
        if not making:
            raise TypeError("states are made by Game.start(), copy() and from_bytes()")
        self.block = NULL
        self.recording = True

    def __dealloc__(self):
        if self.tables is not None:
            self.tables.give_block(self.block, self.capacity)
        else:
            free(self.block)

    # ------------------------------------------------------------------------------------------------ making and copying

    @staticmethod
    def initial(BoardTables tables not None, int64_t seed):
        """The state before the first tick, its generator seeded (engine, 6)."""
        cdef StateObservation state = new_state(tables, tables.level.initial, tables.level.initial_size)
        seed_generators(state.header(), <int32_t>seed)
        return state

    @staticmethod
    def from_bytes(BoardTables tables not None, bytes data not None):
        """Restore a state from the result of `to_bytes` on the same board.

        Raises:
            ValueError: bytes of another format or board, or damaged ones, which the checksum detects.
        """
        cdef int64_t size = len(data) - len(PREFIX) - <int64_t>sizeof(uint64_t)
        cdef char *given = PyBytes_AS_STRING(data) + len(PREFIX)
        cdef uint64_t checksum
        if data[:4] == PREFIX[:4] and len(data) >= len(PREFIX) and not data.startswith(PREFIX):
            raise ValueError(f"a state in format {int.from_bytes(data[4:8], 'little')}; this version reads format {int(FORMAT)}")
        if size < tables.level.records_at or not data.startswith(PREFIX):
            raise ValueError(f"expected the bytes of a state, got {len(data)} bytes that are none")
        memcpy(&checksum, given + size, sizeof(uint64_t))
        if (<Header *>given).size != size or mix(tables.digest, given, size) != checksum:
            raise ValueError("these bytes are not a state of this board")
        return new_state(tables, given, size)

    def to_bytes(self):
        """The state as bytes, without its history; states are equal exactly if these are.

        Format: ``vgdl``, the format's number (4 bytes, little-endian), the state's memory, a checksum (8 bytes).
        """
        cdef int64_t size = self.header().size
        cdef uint64_t checksum = mix(self.tables.digest, self.block, size)
        data = PyBytes_FromStringAndSize(NULL, len(PREFIX) + size + <int64_t>sizeof(uint64_t))
        cdef char *given = PyBytes_AS_STRING(data)
        memcpy(given, PyBytes_AS_STRING(PREFIX), len(PREFIX))
        memcpy(given + len(PREFIX), self.block, size)
        memcpy(given + len(PREFIX) + size, &checksum, sizeof(uint64_t))
        return data

    cdef StateObservation bare_copy(self, bint history):
        cdef StateObservation other = blank()
        cdef int64_t size = self.header().size
        other.tables = self.tables
        other.block = self.tables.take_block(size, &other.capacity)
        memcpy(other.block, self.block, size)
        other.meter = self.meter
        if history:
            other.history = self.history
            other.recording = self.recording
        else:
            other.recording = False
        return other

    def copy(self, *, seed=None, bint history=True):
        """An independent copy: exact, or with ``seed`` another future.

        A search must use seeds, one future per simulation: exact copies would all see the same one. Without ``history``
        the copy forgets the avatar events and records none, which saves a search their cost.
        """
        cdef StateObservation other = self.bare_copy(history)
        if seed is not None:
            seed_generators(other.header(), low_bits(seed))
        return other

    def transfer(self, BoardTables tables not None, *, seed):
        """A copy with another future on an anonymous board made from this state's own, without the line of an error."""
        cdef StateObservation other
        if tables.origin != self.tables.digest:
            raise ValueError("expected an anonymous board made from the state's own")
        other = new_state(tables, self.block, self.header().size)
        seed_generators(other.header(), low_bits(seed))
        other.header().failure_line = 0
        other.history = self.history
        other.recording = self.recording
        return other

    def copy_into(self, StateObservation other not None, *, seed=None):
        """Make ``other``, a state of the same board, a copy of this one, reusing its memory; history is dropped."""
        cdef int64_t size = self.header().size
        if other.tables is not self.tables:
            raise ValueError("copy_into needs a state of the same board")
        if other is self:
            return
        make_room(other, size)
        memcpy(other.block, self.block, size)
        other.stamp = 0
        other.history = None
        other.recording = False
        if seed is not None:
            seed_generators(other.header(), low_bits(seed))

    def reseed(self, seed):
        """Seed both random generators anew, which gives the state another future."""
        seed_generators(self.header(), low_bits(seed))

    def __dir__(self):
        """The attributes, without the names of the Java interface, which exist for their error messages only."""
        return [name for name in object.__dir__(self) if not isinstance(getattr(type(self), name, None), Hint)]

    def __copy__(self):
        return self.bare_copy(True)

    def __deepcopy__(self, memo):
        return self.bare_copy(True)

    def __reduce__(self):
        return _restore, (self.tables, self.to_bytes(), self.history, self.recording)

    def __eq__(self, other):
        cdef StateObservation o
        if not isinstance(other, StateObservation):
            return NotImplemented
        o = other
        if o.tables.digest != self.tables.digest:
            return False
        return self.header().size == o.header().size and memcmp(self.block, o.block, self.header().size) == 0

    def key(self):
        """A 64-bit fingerprint for transposition tables: all that affects the future but generators, tick and ids."""
        cdef bytearray buffer = bytearray(self.tables.rules.rules.stride)
        return self.fingerprint(PyByteArray_AS_STRING(buffer))

    cdef uint64_t fingerprint(self, char *buffer) noexcept:
        """`key`, with a buffer for one sprite record (``stride`` bytes)."""
        cdef Header head = self.header()[0]
        cdef LevelTables *level = &self.tables.level
        cdef uint64_t mixed = self.tables.digest
        cdef TimerRow *timers = <TimerRow *>(self.block + level.timers_at)
        cdef int stride = self.tables.rules.rules.stride
        cdef Scratch w = view_of(self)
        cdef Sprite *s
        cdef int k
        cdef int32_t first
        head.rng = head.side_rng = 0
        head.tick = head.next_id = head.sprite_count = head.size = 0
        head.last_action[0] = head.last_action[1] = 0
        mixed = mix(mixed, <char *>&head, sizeof(Header))
        mixed = mix(mixed, self.block + sizeof(Header), level.timers_at - sizeof(Header))
        for k in range(head.n_timers):
            first = timers[k].next - self.header().tick
            mixed = mix(mixed, <char *>&first, 4)
            mixed = mix(mixed, <char *>&timers[k].effect, 4)
        for k in range(head.n_sprites):
            s = <Sprite *>buffer
            memcpy(s, record(&w, k), stride)
            forget_past(&w, k, s)
            mixed = mix(mixed, buffer + sizeof(int32_t), stride - <int>sizeof(int32_t))
        return mixed

    # ---------------------------------------------------------------------------------------------- forward model

    cdef int remember(self, Scratch *w) except -1:
        """Add the events of the ticks just played to the history, and give the scratch memory back."""
        try:
            self.history = new_history(self.history, PyBytes_FromStringAndSize(<char *>w.events, w.n_events * sizeof(Event)))
        finally:
            self.tables.give_scratch(w)
        return 0

    cdef int parse(self, object action, char *actions) except -1:
        """Parse one action for player 0, or a sequence with one per player (None for NIL)."""
        cdef int p
        actions[0] = actions[1] = NIL
        if isinstance(action, (int, str)):
            actions[0] = one_action(action)
            return 0
        try:
            given = tuple(action)
        except TypeError:  # no sequence: a number of another kind, such as numpy's
            actions[0] = one_action(action)
            return 0
        if len(given) != self.tables.rules.rules.n_players:
            raise ValueError(f"expected {self.tables.rules.rules.n_players} actions, one per player, got {len(given)}")
        for p in range(len(given)):
            actions[p] = NIL if given[p] is None else one_action(given[p])
        return 0

    cdef int play(self, int first, int second) except -1:
        """Play one tick with the players' actions (NIL for an absent player); return 1, or 0 if the game is over."""
        cdef Scratch *w
        if self.header().ended:
            return 0
        w = self.attach()
        w.actions[0] = first
        w.actions[1] = second
        run_tick(w)
        self.detach(w)
        if self.meter is not None:
            self.meter.used += 1
        return 1

    def advance(self, action):
        """Play one tick, in place; nothing happens once the game has ended.

        Args:
            action: an Action of player 0, or a sequence with one per player (None for a player who does nothing).
                Actions that an avatar does not have count as NIL; ESCAPE ends the game.
        """
        cdef char[2] actions
        self.parse(action, actions)
        self.play(actions[0], actions[1])

    def click(self, int column, int row):
        """Play one tick in which player 0's ClickAvatar goes to a cell and shoots there (sprites, 13.20).

        An avatar of another class does nothing in this tick, and neither does player 1. Nothing happens once the game
        has ended.

        Raises:
            ValueError: the cell is not on the board.
        """
        cdef Scratch *w
        cdef LevelTables *level = &self.tables.level
        if not (0 <= column < level.columns and 0 <= row < level.rows):
            raise ValueError(f"expected a cell of {level.columns} by {level.rows}, got ({column}, {row})")
        if self.header().ended:
            return
        w = self.attach()
        w.actions[0] = w.actions[1] = NIL
        if w.header.avatar[0] >= 0 and w.rules.types[record(w, w.header.avatar[0]).type].op == CLICK_AVATAR:
            w.actions[0] = USE
            w.clicked = 1
            w.click_x = column * level.block
            w.click_y = row * level.block
        run_tick(w)
        w.clicked = 0
        self.detach(w)
        if self.meter is not None:
            self.meter.used += 1

    def rollout(self, actions):
        """Play a tick per entry of ``actions``, in place, until the game ends; return the number of ticks played.

        Each entry is as `advance` takes it; no more are read than the game can have ticks. Releases the GIL, except for
        work of less than about 50 µs. If a signal interrupts the call, the state remains unchanged.
        """
        cdef char[2] parsed
        cdef int most = TICK_LIMIT + 1 - self.header().tick
        script = bytearray()
        try:
            given = iter(actions)
        except TypeError:
            raise TypeError(f"expected a sequence of actions, got {actions!r:.60}") from None
        for action in given if most > 0 else ():
            self.parse(action, parsed)
            script.append(parsed[0])
            script.append(parsed[1])
            if len(script) >= 2 * most:
                break
        return self.run(bytes(script), len(script) // 2, 0)

    def random_rollout(self, depth, seed):
        """Play up to ``depth`` ticks of actions drawn uniformly from each avatar's list, in one call as `rollout` does.

        Args:
            depth: maximum number of ticks.
            seed: of the generator that draws the actions, which is not the game's.

        Returns:
            The number of ticks played.
        """
        try:
            ticks = PyNumber_Index(depth)
        except TypeError:
            raise TypeError(f"expected a number of ticks, got {depth!r:.60}") from None
        return self.run(None, <int>max(0, min(ticks, INT_MAX)), low_bits(seed))

    cdef int run(self, bytes script, int depth, int64_t seed) except -1:
        """Play ticks by a script of two bytes each, or at random; return the number played.

        Long work releases the GIL: the ticks are played on a copy of the block, which then takes its place, so other
        threads see the state unchanged.
        """
        cdef const char *actions = NULL if script is None else PyBytes_AS_STRING(script)
        cdef uint64_t draws = scramble(seed)
        cdef int64_t capacity
        cdef int played
        cdef char *block = NULL
        cdef Scratch *w
        if self.header().ended or depth <= 0:
            return 0
        if <int64_t>depth * (self.header().n_sprites + 8) > FEW_UPDATES:
            block = self.tables.take_block(self.header().size, &capacity)
        w = self.attach()
        if block == NULL:
            played = play_many(w, actions, depth, &draws, NULL)
        else:
            memcpy(block, self.block, self.header().size)
            w.capacity = capacity
            look_at(w, block)
            try:
                played = play_long(w, actions, depth, &draws)
            except BaseException:
                self.drop(w)
                raise
            self.tables.give_block(self.block, self.capacity)
        self.detach(w)
        if self.meter is not None:
            self.meter.used += played
        return played

    cdef void drop(self, Scratch *w) noexcept:
        """Discard the ticks played on a copy of the block."""
        self.tables.give_block(w.block, w.capacity)
        attach_block(w, self.block, self.capacity)
        self.stamp = 0
        self.tables.give_scratch(w)

    # ---------------------------------------------------------------------------------------------- facts

    @property
    def tick(self):
        """Number of the tick to come; of the last one played, once the game has ended."""
        return self.header().tick

    @property
    def n_players(self):
        return self.tables.rules.rules.n_players

    @property
    def scores(self):
        """Score per player; a player whose avatar is gone keeps the last one."""
        return tuple([self.header().score[p] for p in range(self.tables.rules.rules.n_players)])

    @property
    def score(self):
        """Score of player 0."""
        return self.header().score[0]

    @property
    def winners(self):
        """Per player: NO_WINNER (-1) as long as nothing is decided, PLAYER_LOSES (0) or PLAYER_WINS (1)."""
        return tuple([_WINNERS[self.header().winner[p]] for p in range(self.tables.rules.rules.n_players)])

    @property
    def winner(self):
        """Win state of player 0."""
        return _WINNERS[self.header().winner[0]]

    @property
    def present(self):
        """Per player: whether the player's avatar, dead or alive, is still in the game."""
        return tuple([self.header().avatar[p] >= 0 for p in range(self.tables.rules.rules.n_players)])

    @property
    def final_scores(self):
        """Scores as results report them: at least 1 for a winner, -1000 for a player whose avatar is gone (engine, 7.10)."""
        scores = []
        for p in range(self.tables.rules.rules.n_players):
            if self.header().avatar[p] < 0:
                scores.append(-1000.0)
            elif self.header().winner[p] == 1 and self.header().score[p] <= 0.0:
                scores.append(1.0)
            else:
                scores.append(self.header().score[p])
        return tuple(scores)

    @property
    def is_over(self):
        """Whether the game has ended, for any reason; `advance` then does nothing."""
        return self.header().ended != 0

    @property
    def error(self):
        """Why the game failed, None for a game that runs or ended by its rules."""
        if self.header().failure == 0:
            return None
        where = f" (rule in line {self.header().failure_line})" if self.header().failure_line > 0 else ""
        return f"tick {self.header().tick}: {_FAILURES[self.header().failure]}{where}"

    @property
    def error_line(self):
        """Line of the rule that caused the error, 0 if none did."""
        return self.header().failure_line

    @property
    def messages(self):
        """Messages logged so far; the game ends when there are more than 25."""
        return self.header().messages

    @property
    def counters(self):
        """The game's counters."""
        cdef int32_t *counters = <int32_t *>(self.block + self.tables.level.counters_at)
        return tuple([counters[k] for k in range(self.tables.rules.rules.n_counters)])

    @property
    def generator(self):
        """The 48-bit state of the random generator that the reference seeds (engine, 1.2)."""
        return self.header().rng

    @property
    def n_bytes(self):
        """Size of the state in bytes."""
        return self.header().size

    def abort(self):
        """End the game now, without a winner, as the runner does when a player leaves."""
        self.header().ended = 1

    # ---------------------------------------------------------------------------------------------- observations

    def actions_of(self, int player, *, bint nil=False):
        """Actions of a player's avatar in the order of its class, with NIL at the end if ``nil`` or if two play.

        Empty once the game has ended or the avatar is gone, but not for an avatar that is dead and still there.

        Raises:
            ValueError: no such player.
        """
        cdef Scratch w = view_of(self)
        if not 0 <= player < w.rules.n_players:
            raise ValueError(f"expected a player below {w.rules.n_players}, got {player}")
        return action_list(&w, player, nil or w.rules.n_players > 1)

    @property
    def available_actions(self):
        """`actions_of` player 0."""
        return self.actions_of(0)

    @property
    def avatars(self):
        """Avatar per player, None where it is gone."""
        cdef Scratch w = view_of(self)
        return tuple([avatar(&w, p) for p in range(w.rules.n_players)])

    @property
    def avatar(self):
        """Avatar of player 0, None if it is gone."""
        cdef Scratch w = view_of(self)
        return avatar(&w, 0)

    def observations(self, int category, reference=None):
        """The visible sprites of the types in a category: a tuple of observations per type, in ascending order.

        A type is in a category as soon as one of its sprites is; all its sprites are then listed. Avatars are in no
        list (engine, 13.2).

        Args:
            category: a `Category`.
            reference: position (x, y) in pixels by whose distance each type's sprites are sorted; without one they are
                in order of creation, and distances are those to (-1, -1).
        """
        cdef Scratch w = view_of(self)
        return lists(&w, category, reference)

    @property
    def npcs(self):
        """NPCs: `observations` of the category, nearest to player 0's avatar first, as in the next five."""
        return nearest(self, NPC)

    @property
    def immovables(self):
        """Sprites that are static: walls and the like."""
        return nearest(self, STATIC)

    @property
    def movables(self):
        """Sprites that are in no other category."""
        return nearest(self, MOVABLE)

    @property
    def resources(self):
        """Sprites that can be collected."""
        return nearest(self, RESOURCE)

    @property
    def portals(self):
        """Portals and doors."""
        return nearest(self, PORTAL)

    @property
    def from_avatar(self):
        """Sprites that avatars made."""
        return nearest(self, FROM_AVATAR)

    @property
    def grid(self):
        """``grid[column][row]``: the observations standing in that cell, by type and in order of creation."""
        cdef Scratch w = view_of(self)
        return grid(&w)

    @property
    def world_dimension(self):
        """Width and height of the screen in pixels."""
        return self.tables.level.width, self.tables.level.height

    @property
    def block_size(self):
        """Pixels per grid cell."""
        return self.tables.level.block

    @property
    def events(self):
        """The avatar events so far, in the order of the specification (engine, 8).

        They are sorted by tick, within it those of sprites that came from an avatar first, then by passive and active
        type. A copy made without history has none.
        """
        return avatar_events(joined(self.history))

    @property
    def arrays(self):
        """All visible sprites as a structured array, by type and in order of creation; its ``dtype`` names the fields."""
        cdef Scratch w = view_of(self)
        return sprite_array(&w)

    def sprites_into(self, array):
        """Write `arrays` into the front of an array of its type, and return the number of sprites.

        Raises:
            ValueError: the array is too short.
        """
        cdef Scratch w = view_of(self)
        return fill(&w, array)

    # ------------------------------------------------------------------------------------------------- names and pictures

    @property
    def board(self):
        """The `Board` of the game; None in the states of controllers, which hold numbers only."""
        return self.tables.owner

    @property
    def game(self):
        """The `Game` being played; None without a `board`."""
        return None if self.tables.owner is None else self.tables.owner.game

    def render(self, int block=24):
        """An RGB picture, ``block`` pixels per cell: see `vgdl.render.frame`.

        Raises:
            ValueError: the state has no `board`.
        """
        if self.tables.owner is None:
            raise ValueError("a state without a board has no pictures")
        from vgdl.render import frame
        return frame(self, block)

    def _records(self):
        self.check_open()
        cdef Scratch w = view_of(self)
        return records(&w)

    def _drawing(self):
        self.check_open()
        cdef Scratch w = view_of(self)
        return drawing(&w)

    cdef int check_open(self) except -1:
        """Raise AttributeError if hidden sprites are withheld."""
        if self.tables.sealed:
            raise AttributeError("hidden sprites are withheld from controllers")
        return 0

    def _repr_png_(self):
        """The picture that a notebook shows; None for a state without a `board`."""
        from vgdl.notebook import state_png
        return state_png(self)

    def __repr__(self):
        board = self.tables.owner
        where = "" if board is None else f" of {board.game.name}, {board.name}"
        score = ", ".join([f"{score:g}" for score in self.scores])
        state = "over: " + ", ".join([_WORDS[int(winner)] for winner in self.winners]) if self.is_over else "running"
        return f"<StateObservation{where}, tick {self.tick}, score {score}, {state}>"


cdef inline void draw_actions(Scratch *w, uint64_t *draws) noexcept nogil:
    """Draw an action uniformly for every player whose avatar is not gone; NIL for the others."""
    cdef int p
    cdef TypeRow *t
    cdef Sprite *s
    for p in range(w.rules.n_players):
        w.actions[p] = NIL
        if w.header.avatar[p] >= 0:
            s = record(w, w.header.avatar[p])
            t = &w.rules.types[s.type]
            if t.actions_len > 0:
                w.actions[p] = w.rules.pool[t.actions_start + next_int(draws, t.actions_len)]


cdef int play_many(Scratch *w, const char *script, int depth, uint64_t *draws, int64_t *steps) noexcept nogil:
    """Play up to ``depth`` ticks by a script of two bytes each, or at random if it is NULL; return their number.

    Unless ``steps`` is NULL, the work done is added to it, and the function returns once it reaches `PACE`.
    """
    cdef int64_t before = w.steps, own = 0
    cdef int64_t most = INT64_MAX if steps == NULL else before + PACE - steps[0]
    cdef int played = 0
    while played < depth and not w.header.ended:
        if script != NULL:
            w.actions[0] = script[2 * played]
            w.actions[1] = script[2 * played + 1]
        else:
            draw_actions(w, draws)
        run_tick(w)
        played += 1
        own += w.header.n_sprites + 8
        if own + w.steps >= most:
            break
    if steps != NULL:
        steps[0] += own + w.steps - before
    return played


cdef int play_long(Scratch *w, const char *script, int depth, uint64_t *draws) except -1:
    """`play_many` without the GIL, polling for signals now and then."""
    cdef int64_t steps
    cdef int played = 0
    while played < depth and not w.header.ended:
        steps = 0
        with nogil:
            played += play_many(w, NULL if script == NULL else script + 2 * played, depth - played, draws, &steps)
        PyErr_CheckSignals()
    return played


cdef void level_out(StateObservation state) noexcept:
    """Normalise what no longer matters (see `key`) in the state itself, so that equivalent states have equal bytes."""
    cdef Scratch w = view_of(state)
    cdef int k
    for k in range(w.header.n_sprites):
        forget_past(&w, k, record(&w, k))


cdef StateObservation new_state(BoardTables tables, const char *block, int64_t size):
    cdef StateObservation state = blank()
    state.tables = tables
    state.block = tables.take_block(size, &state.capacity)
    memcpy(state.block, block, size)
    return state


def _restore(BoardTables tables not None, bytes data not None, History history, bint recording):
    """Unpickle a state."""
    cdef StateObservation state = StateObservation.from_bytes(tables, data)
    state.history = history
    state.recording = recording
    return state


# A method `__getattr__` would make every access to an attribute slower, so the hints are attributes themselves.
(<dict>(<PyTypeObject *>StateObservation).tp_dict).update(hints("StateObservation", dir(StateObservation)))
PyType_Modified(<PyTypeObject *>StateObservation)
