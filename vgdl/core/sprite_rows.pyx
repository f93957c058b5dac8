"""The visible sprites as rows of numbers, padded with zeros, for programs that learn."""

import numpy as np

from libc.stdint cimport INT64_MAX, int8_t, int32_t, int64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from vgdl.core.data.layout cimport ABSENT, NOWHERE, Sprite
from vgdl.core.data.scratch cimport (
    Walk, Scratch, health, next_of, peek, record, speed, walk,
)
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.observation cimport count_visible
from vgdl.core.observer cimport Drawn, Space, space_for
from vgdl.core.rules.events cimport category_of

cdef enum:
    AVATAR_NUMBERS = 6  # in front of the resources: x, y, orientation x and y, speed, health

#: bound of numbers that games do not limit; larger ones are clipped
FAR = 1_000_000_000


cdef class SpriteRows(Observer):
    """A row per visible sprite (id, type, category, x, y), a mask of the rows in use, and numbers about the avatar.

    If there are more sprites than rows, those farthest from the avatar are left out; without an avatar, the last ones.
    """

    def __cinit__(self, BoardTables tables not None, int most, int view=-1):
        """Set up the rows.

        Args:
            tables: of the board.
            most: number of rows.
            view: show only sprites within that many cells of the avatar, all if -1.

        Raises:
            ValueError: fewer than one row, or a view below -1.
        """
        if most < 1 or view < -1:
            raise ValueError(f"expected at least 1 row and a view of at least 0 cells, or -1 for all, got {most} and {view}")
        self.tables = tables
        self.most = most
        self.view = view
        self.parts = (
            ("sprites", (most, 5), np.dtype(np.int32)),
            ("mask", (most,), np.dtype(np.int8)),
            ("avatar", (AVATAR_NUMBERS + tables.rules.rules.n_resources,), np.dtype(np.float64)),
        )

    def __reduce__(self):
        return SpriteRows, (self.tables, self.most, self.view)

    cdef bint draw(self, Scratch *w, int player, Drawn *drawn, Space *space) noexcept nogil:
        cdef Seen *rows = <Seen *>drawn.into[0]
        cdef Seen *found
        cdef int64_t *distances
        cdef int8_t *mask = <int8_t *>drawn.into[1]
        cdef int shown, total = count_visible(w)
        cdef Sprite *own = NULL
        cdef bint centred
        if w.header.avatar[player] >= 0:
            own = record(w, w.header.avatar[player])
        centred = own != NULL and not w.header.ended
        write_avatar(w, own, <double *>drawn.into[2])
        if not drawn.known:
            drawn.n = self.most
            drawn.known = 1
        if self.view >= 0 and not centred:
            shown = 0
        elif total <= self.most:
            shown = self.gather(w, own.x if centred else 0, own.y if centred else 0, self.view >= 0, rows)
        else:
            distances = <int64_t *>space_for(space, total * (sizeof(Seen) + sizeof(int64_t)))
            if distances == NULL:
                return False
            found = <Seen *>(distances + total)
            shown = self.gather(w, own.x if centred else 0, own.y if centred else 0, self.view >= 0, found)
            shown = nearest(found, shown, self.most, centred, own, distances, rows)
        if drawn.n > shown:
            memset(rows + shown, 0, (drawn.n - shown) * sizeof(Seen))
        memset(mask, 1, shown)
        memset(mask + shown, 0, self.most - shown)
        drawn.n = shown
        return True

    cdef int gather(self, Scratch *w, int64_t centre_x, int64_t centre_y, bint limited, Seen *into) noexcept nogil:
        """Write the visible sprites (if ``limited``, those in view) by type and in group order; return their number."""
        cdef int64_t block = w.board.block
        cdef Sprite *s
        cdef Walk it
        cdef int stype, ref, n = 0
        for stype in range(w.rules.n_types):
            if w.rules.types[stype].hidden:
                continue
            it = walk(w, stype)
            ref = next_of(w, &it)
            while ref != NOWHERE:
                s = peek(w, ref)
                ref = next_of(w, &it)
                if limited and not (-self.view <= s.x / block - centre_x / block <= self.view
                                    and -self.view <= s.y / block - centre_y / block <= self.view):
                    continue
                into[n].id = clipped(s.id)
                into[n].type = s.type
                into[n].category = category_of(w, s)
                into[n].x = clipped(s.x)
                into[n].y = clipped(s.y)
                n += 1
        return n


cdef inline int32_t clipped(int32_t number) noexcept nogil:
    return 1_000_000_000 if number > 1_000_000_000 else -1_000_000_000 if number < -1_000_000_000 else number


cdef inline double bounded(double number) noexcept nogil:
    return 1e9 if number > 1e9 else -1e9 if number < -1e9 else number


cdef void write_avatar(Scratch *w, Sprite *own, double *into) noexcept nogil:
    """Position, orientation, speed and health of an avatar, and its amount of every resource; zeros if it is gone."""
    cdef int32_t *amounts
    cdef int slot
    memset(into, 0, (AVATAR_NUMBERS + w.rules.n_resources) * sizeof(double))
    if own == NULL:
        return
    if w.header.ended:  # as in `StateObservation.avatar` (engine, 13.1)
        into[0] = into[1] = into[2] = into[3] = -1.0
    else:
        into[0] = bounded(own.x)
        into[1] = bounded(own.y)
        into[2] = bounded(own.orientation_x)
        into[3] = bounded(own.orientation_y)
        into[4] = bounded(speed(w, own))
    into[5] = bounded(health(w, own))
    if not w.rules.resources_at:
        return
    amounts = <int32_t *>(<char *>own + w.rules.resources_at)
    for slot in range(w.rules.n_resources):
        if amounts[slot] != ABSENT:
            into[AVATAR_NUMBERS + slot] = bounded(amounts[slot])


cdef inline int64_t distance(Seen *row, Sprite *own) noexcept nogil:
    cdef int64_t x = <int64_t>row.x - own.x, y = <int64_t>row.y - own.y
    return x * x + y * y


cdef int by_size(const void *one, const void *other) noexcept nogil:
    cdef int64_t a = (<const int64_t *>one)[0], b = (<const int64_t *>other)[0]
    return (a > b) - (a < b)


cdef int nearest(Seen *found, int n, int most, bint centred, Sprite *own, int64_t *distances, Seen *into) noexcept nogil:
    """Copy, in order, the ``most`` rows nearest to the avatar, of equal ones the first; return their number."""
    cdef int64_t limit = INT64_MAX
    cdef int k, ties = most, copied = 0
    if n > most and centred:
        for k in range(n):
            distances[k] = distance(&found[k], own)
        qsort(distances, n, sizeof(int64_t), by_size)
        limit = distances[most - 1]
        for k in range(most):
            ties -= distances[k] < limit
    for k in range(n):
        if copied == most:
            break
        if n > most and centred:
            if distance(&found[k], own) > limit:
                continue
            if distance(&found[k], own) == limit:
                if ties == 0:
                    continue
                ties -= 1
        memcpy(&into[copied], &found[k], sizeof(Seen))
        copied += 1
    return copied
