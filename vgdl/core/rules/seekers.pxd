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


cdef struct Choice:
    uint64_t groups  # a bit for each group of which all records are seekers
    uint64_t mixed  # a bit for each large group that can meet a large one


cdef inline void pick_groups(Scratch *w, Choice *choice) noexcept nogil:
    """Pick all groups that a large one can meet and that are not large themselves.

    Of the others, pick each that can still meet one that is not picked, starting with those that can meet the most.
    """
    cdef Mixing *following = w.board.mixing
    cdef Mixing *end = following + w.board.n_mixing
    cdef uint64_t present = 0, large = 0, picked = 0
    cdef Group *group
    while following < end:
        group = &w.groups[following.group]
        if group.first >= 0:
            present |= <uint64_t>1 << following.group
            if group.count > MOST_SEEKERS:
                large |= <uint64_t>1 << following.group
                picked |= following.partners
        following += 1
    choice.mixed = picked & large
    picked &= present & ~large
    following = w.board.mixing
    while following < end:
        if ((present & ~large & ~picked) >> following.group) & 1 and following.partners & present & ~picked:
            picked |= <uint64_t>1 << following.group
        following += 1
    choice.groups = picked


cdef inline int list_groups(Scratch *w, uint64_t groups) noexcept nogil:
    """List the records of some groups as seekers; return their number, -1 if they are too many."""
    cdef int index, n = 0
    while groups:
        index = w.groups[lowest_bit(groups)].first
        groups &= groups - 1
        while index >= 0:
            if n == MOST_SEEKERS:
                return -1
            w.seekers[n] = index
            n += 1
            index = record(w, index).next
    return n


cdef inline int choose_groups(Scratch *w, uint64_t *groups) noexcept nogil:
    """Choose all records of some groups, so that no two of the others can meet; ``groups`` receives a bit for each.

    Returns the number of records, -1 if they are too many.
    """
    cdef Choice choice
    if w.board.n_mixing == 0:
        return -1
    pick_groups(w, &choice)
    if choice.mixed:
        return -1
    groups[0] = choice.groups
    return list_groups(w, choice.groups)


cdef inline int choose_mixed(Scratch *w) noexcept nogil:
    """Choose few seekers after a tick in which few records met others, although many have moved since.

    As in `choose_groups`, all groups that a large one can meet are chosen, but not those that are large themselves: of
    the records of two such groups only those can meet that have changed or have met others (`loose`). Returns the
    number of records, -1 if they are too many.
    """
    cdef Choice choice
    cdef Mixing *following
    cdef Mixing *end = w.board.mixing + w.board.n_mixing
    cdef Sprite *s
    cdef int k, index, n
    pick_groups(w, &choice)
    n = list_groups(w, choice.groups)
    if n < 0:
        return -1
    for k in range(w.n_loose):
        index = find_by_id(w, w.loose[k])
        if index < 0 or (choice.groups >> w.board.group_of[record(w, index).type]) & 1:
            continue
        if n == MOST_SEEKERS:
            return -1
        w.seekers[n] = index
        n += 1
    w.n_around = n
    following = w.board.mixing
    while choice.mixed and following < end:
        if (choice.mixed >> following.group) & 1:
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
    w.sought = choice.groups
    return n
