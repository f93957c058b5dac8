"""The state of a game, as controllers see it."""

from libc.stdint cimport int64_t, uint64_t

from vgdl.core.data.layout cimport Header
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.data.scratch cimport Scratch
from vgdl.core.history cimport History


cdef class StateObservation

cdef void look_at(Scratch *w, char *block) noexcept nogil
cdef void attach_block(Scratch *w, char *block, int64_t capacity) noexcept nogil
cdef void level_out(StateObservation state) noexcept
cdef int play_many(Scratch *w, const char *script, int depth, uint64_t *draws, int64_t *steps) noexcept nogil

cdef enum:
    PACE = 300_000  # steps between two polls for signals: about 20 ms


cdef class Meter:
    cdef public int64_t used  # ticks advanced


cdef class StateObservation:
    cdef readonly BoardTables tables
    cdef char *block
    cdef int64_t capacity
    cdef uint64_t stamp  # given by its last tick; 0 when something else has written to the block since
    cdef public Meter meter  # shared with all copies; None if ticks are not counted
    cdef History history
    cdef bint recording

    cdef int check_open(self) except -1

    cdef inline Header *header(self) noexcept:
        return <Header *>self.block

    cdef inline Scratch *attach(self) except NULL:
        """Scratch memory that works on this state; `detach` gives it back."""
        cdef Scratch *w = self.tables.take_scratch()
        if w.stamp != self.stamp or w.stamp == 0:
            attach_block(w, self.block, self.capacity)
        w.record_history = self.recording
        w.n_events = 0
        return w

    cdef inline int detach(self, Scratch *w) except -1:
        self.block = w.block
        self.capacity = w.capacity
        self.tables.stamp += 1
        self.stamp = w.stamp = self.tables.stamp
        if w.n_events:
            return self.remember(w)
        self.tables.give_scratch(w)
        return 0

    cdef int remember(self, Scratch *w) except -1
    cdef int parse(self, object action, char *actions) except -1
    cdef int play(self, int first, int second) except -1
    cdef void drop(self, Scratch *w) noexcept
    cdef int run(self, bytes script, int depth, int64_t seed) except -1
    cdef StateObservation bare_copy(self, bint history)
    cdef uint64_t fingerprint(self, char *buffer) noexcept


cdef inline int make_room(StateObservation state, int64_t size) except -1:
    """Give a state's block room for ``size`` bytes, whose content is then undefined."""
    cdef int64_t capacity
    cdef char *block
    if state.capacity < size:
        block = state.tables.take_block(size, &capacity)
        state.tables.give_block(state.block, state.capacity)
        state.block = block
        state.capacity = capacity
        state.stamp = 0
    return 0
