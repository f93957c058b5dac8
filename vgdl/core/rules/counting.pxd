"""Counting sprites that are not disabled."""

from vgdl.core.data.layout cimport DISABLED, TypeRow
from vgdl.core.data.scratch cimport Scratch, group_size, number, record


cdef inline int disabled_in(Scratch *w, int stype) noexcept nogil:
    """Disabled sprites of exactly one type; the walk through them counts as work of the tick."""
    cdef int n = 0, index
    cdef int group = w.board.group_of[stype]
    if w.header.n_disabled == 0 or group < 0 or not w.rules.types[stype].avatar_object:
        return 0
    index = w.groups[group].first
    while index >= 0:
        if record(w, index).flags & DISABLED:
            n += 1
        index = record(w, index).next
        w.work_left -= 1
    return n


cdef inline int alive_number(Scratch *w, int stype) noexcept nogil:
    """Sprites of a type and its subtypes that are not disabled (engine, 10)."""
    cdef inline int k, n = number(w, stype)
    cdef TypeRow *t = &w.rules.types[stype]
    if w.header.n_disabled:
        for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
            n -= disabled_in(w, w.rules.pool[k])
    return n


cdef inline int living_subtypes(Scratch *w, int stype) noexcept nogil:
    """The number of a type's subtypes that have living sprites of their own (effects, 13.6)."""
    cdef inline int k, u, n = 0
    cdef TypeRow *t = &w.rules.types[stype]
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        u = w.rules.pool[k]
        if group_size(w, u) > 0 and alive_number(w, u) > 0:
            n += 1
    return n
