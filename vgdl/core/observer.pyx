"""Observations that are written into given memory, play after play and tick after tick.

An `Observer` draws observations of a board without the GIL. It draws each over the one before: `Drawn` records what
that one showed, so that only differences are written.
"""

from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from vgdl.core.state cimport StateObservation, look_at
from vgdl.core.data.scratch cimport set_up


cdef class Observer:
    """Draws observations of a board; immutable. ``parts``: name, shape and dtype of each array of an observation."""

    cdef bint draw(self, Scratch *w, int player, Drawn *drawn, Space *space) noexcept nogil:
        """Draw a state over the content that ``drawn`` describes; False if `prepare` must be called first."""
        return False

    cdef int prepare(self, Scratch *w) except -1:
        """Make what `draw` lacked for this state, with the GIL; the base class can lack only memory."""
        raise MemoryError("no memory for an observation")

    cdef void load_ahead(self, Drawn *drawn) noexcept nogil:
        """Prefetch the memory that the next `draw` will write to."""

    def write_parts(self, StateObservation state not None, arrays not None, int player=0):
        """Draw what a player sees into arrays, one per part.

        Raises:
            ValueError: arrays of another shape or type, a state of another board, or no such player.
        """
        cdef Scratch w
        cdef Drawn drawn
        cdef Space space
        cdef char[::1] memory
        cdef int k
        check_state(self, state, player)
        given = list(arrays)
        memset(&space, 0, sizeof(Space))
        open_drawn(&drawn, self.tables)
        try:
            for k, (array, (name, shape, dtype)) in enumerate(zip(given, self.parts, strict=True)):
                if array.shape != shape or array.dtype != dtype or not array.flags.c_contiguous:
                    raise ValueError(f"expected a contiguous array of {dtype} and shape {shape}, got {array.dtype} {array.shape}")
                memory = array.reshape(-1).view("b")
                drawn.into[k] = &memory[0] if memory.shape[0] else NULL
            memset(&w, 0, sizeof(Scratch))
            set_up(&w, &state.tables.level)
            look_at(&w, state.block)
            while not self.draw(&w, player, &drawn, &space):
                self.prepare(&w)
        finally:
            close_drawn(&drawn)
            free(space.data)


cdef int check_state(Observer observer, StateObservation state, int player) except -1:
    """ValueError unless the state is of the observer's board and has this player."""
    if state.tables.rules is not observer.tables.rules or state.tables.level.initial != observer.tables.level.initial:
        raise ValueError("this state is of another board")
    if not 0 <= player < state.tables.rules.rules.n_players:
        raise ValueError(f"expected a player below {state.tables.rules.rules.n_players}, got {player}")
    return 0


cdef bint has_room(Drawn *drawn, int64_t marks) noexcept nogil:
    """Make room for marks; False if out of memory. Room grows by half, so that a play soon needs no more."""
    cdef void *grown
    if marks <= drawn.room:
        return True
    marks += marks >> 1
    if marks > 500_000_000:
        return False
    grown = realloc(drawn.marks, marks * sizeof(int32_t))
    if grown == NULL:
        return False
    drawn.marks = <int32_t *>grown
    drawn.room = <int32_t>marks
    return True


cdef char *space_for(Space *space, int64_t size) noexcept nogil:
    """Memory of at least this size, with undefined content; NULL if out of memory."""
    cdef void *grown
    if size > space.size:
        grown = realloc(space.data, size + (size >> 1))
        if grown == NULL:
            return NULL
        space.data = <char *>grown
        space.size = size + (size >> 1)
    return space.data


cdef int open_drawn(Drawn *drawn, BoardTables tables) except -1:
    """Set up a record of memory whose content is unknown."""
    memset(drawn, 0, sizeof(Drawn))
    drawn.alive = <uint64_t *>calloc(((tables.level.n_vanishing + 63) >> 6) + 1, sizeof(uint64_t))
    if drawn.alive == NULL:
        raise MemoryError("no memory for an observation")
    return 0


cdef void close_drawn(Drawn *drawn) noexcept:
    free(drawn.alive)
    free(drawn.marks)
