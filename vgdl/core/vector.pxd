"""Many plays of one game at once: the C API for compiled trainers.

A trainer that is compiled against this file steps plays without the GIL by `step_some`, or on all threads by `step_all`,
and reads the arrays by their pointers. ``examples/compiled_trainer.pyx`` is an example.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from vgdl.core.data.layout cimport LevelTables
from vgdl.core.data.scratch cimport Scratch
from vgdl.core.observer cimport MOST_PARTS, Drawn, Observer, Space
from vgdl.core.state cimport StateObservation
from vgdl.core.thread_pool cimport ThreadPool

cdef struct Stage:  # one of the boards
    void *observer  # an `Observer`, NULL once the board is no longer used
    LevelTables *level
    Scratch **scratches  # one per thread

cdef struct Play:  # one of the plays
    char *block
    int64_t capacity
    int32_t stage, next_stage  # the board of this play, and that of the next one
    int32_t played  # ticks since its start
    uint8_t settled  # as in the scratch memory, with no record in `loose`
    uint8_t waiting  # its tick is played, but its observation needs the GIL

cdef class Vector:
    # the arrays, of ``n`` entries each; their addresses never change
    cdef char *seen[MOST_PARTS]  # observations, by part of `Observer.parts`
    cdef char *seen_last[MOST_PARTS]  # final observations, NULL where there are none
    cdef int64_t seen_size[MOST_PARTS]  # bytes of one observation
    cdef double *gained  # rewards; one of the two is NULL
    cdef float *gained_single
    cdef uint8_t *over  # terminations
    cdef uint8_t *cut  # truncations
    cdef uint8_t *restarted  # plays that took a seed in the last step
    cdef double *total  # scores
    cdef int32_t *won  # winners
    cdef int32_t *at  # ticks
    cdef int32_t *on  # boards
    cdef double *total_last  # the same of plays that ended in the last step and started again; SAME_STEP only
    cdef int32_t *won_last
    cdef int32_t *at_last
    cdef int32_t *on_last

    cdef readonly list observers  # by board; None for one that is no longer used
    cdef readonly int n, limit
    cdef readonly bint same_step, manual
    cdef readonly int n_restarted  # plays that took a seed in the last step
    cdef readonly dict arrays  # by name
    cdef int n_parts
    cdef ThreadPool pool
    cdef Stage *stages  # by board
    cdef int n_stages, n_first  # the first ones are kept, even if no play is on them
    cdef Play *plays
    cdef Drawn *drawn
    cdef Drawn *drawn_last  # of texts: final observations
    cdef Space *spaces  # one per thread
    cdef int n_threads
    cdef int32_t[::1] choices
    # the step that is running
    cdef const int64_t *actions  # NULL: all plays start again
    cdef const int64_t *seeds
    cdef const uint8_t *mask  # without actions: the plays to restart; NULL for all
    cdef bint stopped  # by a signal whose handler raised an exception
    cdef list raised  # that exception
    cdef bint some_wait  # a play waits, or has waited, for `settle`
    cdef bint torn  # a step was stopped: some plays are a tick ahead of others

    cdef int step_all(self, const int64_t *actions, const int64_t *seeds, const uint8_t *mask=*) except -1
    cdef int set_stage(self, int number, Observer observer) except -1
    cdef int step_some(self, const int64_t *actions, const int64_t *seeds, int first, int end) noexcept nogil
    cdef int settle(self) except -1
    cdef int put(self, int k, StateObservation state, int32_t stage, int32_t played) except -1
