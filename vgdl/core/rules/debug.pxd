"""Checks of the debug build (``VGDL_DEBUG=1``): derived state against the records, and the promises of storage.

Callers write ``if CHECKED: check_...`` with a constant, so release builds contain no call. A failing check prints what
it found and aborts.
"""

from libc.stdint cimport int32_t

from vgdl.core.data.scratch cimport Scratch

cdef extern from *:
    """
    #ifdef VGDL_DEBUG
    #define VGDL_CHECKED 1
    #else
    #define VGDL_CHECKED 0
    #endif
    """
    const bint CHECKED "VGDL_CHECKED"

cdef void check_state(Scratch *w) noexcept nogil
cdef void check_at_rest(Scratch *w) noexcept nogil
cdef void check_index(Scratch *w) noexcept nogil
cdef void check_creation(Scratch *w, int stype) noexcept nogil
cdef void check_kill(Scratch *w, int ref) noexcept nogil
cdef void check_scratch(Scratch *w) noexcept nogil
cdef void check_without_hits(Scratch *w, int first_pair, int end_pair) noexcept nogil
cdef void check_hits(Scratch *w, int pair, int effect, int limit, int previous, int first, const int32_t *others, int n) noexcept nogil
