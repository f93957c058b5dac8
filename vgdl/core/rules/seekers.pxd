"""The few records that look for all others, where that is cheaper than an index.

If few records are such that of any two that meet at least one is among them, these *seekers* are compared with the
board and with all other records, and nothing is entered anywhere. There are three ways to find them: by what has
changed since the last tick, by which groups can meet, and by both.
"""

from libc.stdint cimport int64_t, uint64_t

from vgdl.core.data.layout cimport Group, Mixing, Sprite
from vgdl.core.data.machine cimport lowest_bit
from vgdl.core.data.scratch cimport MOST_SEEKERS, Scratch, find_by_id, record
from vgdl.core.rules.places cimport has_rested


cdef inline bint has_changed(Scratch *w, Sprite *s) noexcept nogil:
    """Whether a record is new or has moved since the last tick."""
    return not has_rested(s) or s.id >= w.first_id


cdef inline int choose_changed(Scratch *w) noexcept nogil:
    """Choose the records that are new or have moved since the last tick, or that met others in it (`loose`).

    Returns their number, -1 if they are too many.
    """
    cdef char *next_record = w.records
    cdef int64_t stride = w.stride
    cdef int k, index, old = w.header.n_sprites, n = 0
    while old > 0 and record(w, old - 1).id >= w.first_id:  # the new ones are the last
        old -= 1
        if n == MOST_SEEKERS:
            return -1
        w.seekers[n] = old
        n += 1
    for index in range(old):
        if not has_rested(<Sprite *>next_record):
            if n == MOST_SEEKERS:
                return -1
            w.seekers[n] = index
            n += 1
        next_record += stride
    for k in range(w.n_loose):
        index = find_by_id(w, w.loose[k])
        if index < 0 or not has_rested(record(w, index)):  # dead, or chosen already
            continue
        if n == MOST_SEEKERS:
            return -1
        w.seekers[n] = index
        n += 1
    return n


cdef inline int choose_groups(Scratch *w, uint64_t *groups) noexcept nogil:
    """Choose all records of some groups, so that no two of the others can meet; ``groups`` receives a bit for each.

    All groups that a large one can meet are chosen; of the others, each that can still meet one that is not chosen,
    starting with those that can meet the most. Returns the number of records, -1 if they are too many.
    """
    cdef Mixing *following = w.board.mixing
    cdef Mixing *end = following + w.board.n_mixing
    cdef Group *group
    cdef uint64_t present = 0, large = 0, chosen = 0, rest
    cdef int index, n = 0
    if following == end:
        return -1
    while following < end:
        group = &w.groups[following.group]
        if group.first >= 0:
            present |= <uint64_t>1 << following.group
            if group.count > MOST_SEEKERS:
                large |= <uint64_t>1 << following.group
                chosen |= following.partners
        following += 1
    chosen &= present
    if chosen & large:
        return -1
    following = w.board.mixing
    while following < end:
        if ((present & ~large & ~chosen) >> following.group) & 1 and following.partners & present & ~chosen:
            chosen |= <uint64_t>1 << following.group
        following += 1
    rest = chosen
    while rest:
        index = w.groups[lowest_bit(rest)].first
        rest &= rest - 1
        while index >= 0:
            if n == MOST_SEEKERS:
                return -1
            w.seekers[n] = index
            n += 1
            index = record(w, index).next
    groups[0] = chosen
    return n


cdef inline int choose_mixed(Scratch *w) noexcept nogil:
    """Choose few seekers after a tick in which few records met others, although many have moved since.

    As in `choose_groups`, all groups that a large one can meet are chosen, but not those that are large themselves: of
    the records of two such groups only those can meet that have changed or have met others (`loose`). Returns the
    number of records, -1 if they are too many.
    """
    cdef Mixing *following = w.board.mixing
    cdef Mixing *end = following + w.board.n_mixing
    cdef uint64_t present = 0, large = 0, chosen = 0, mixed, rest
    cdef Group *group
    cdef Sprite *s
    cdef int k, index, n = 0
    while following < end:
        group = &w.groups[following.group]
        if group.first >= 0:
            present |= <uint64_t>1 << following.group
            if group.count > MOST_SEEKERS:
                large |= <uint64_t>1 << following.group
                chosen |= following.partners
        following += 1
    mixed = chosen & large
    chosen &= present & ~large
    following = w.board.mixing
    while following < end:
        if ((present & ~large & ~chosen) >> following.group) & 1 and following.partners & present & ~chosen:
            chosen |= <uint64_t>1 << following.group
        following += 1
    rest = chosen
    while rest:
        index = w.groups[lowest_bit(rest)].first
        rest &= rest - 1
        while index >= 0:
            if n == MOST_SEEKERS:
                return -1
            w.seekers[n] = index
            n += 1
            index = record(w, index).next
    for k in range(w.n_loose):
        index = find_by_id(w, w.loose[k])
        if index < 0 or (chosen >> w.board.group_of[record(w, index).type]) & 1:
            continue
        if n == MOST_SEEKERS:
            return -1
        w.seekers[n] = index
        n += 1
    w.n_around = n
    following = w.board.mixing
    while mixed and following < end:
        if (mixed >> following.group) & 1:
            index = w.groups[following.group].first
            while index >= 0:
                s = record(w, index)
                if has_changed(w, s):
                    if n == MOST_SEEKERS:
                        return -1
                    w.seekers[n] = index
                    n += 1
                index = s.next
        following += 1
    w.sought = chosen
    return n
