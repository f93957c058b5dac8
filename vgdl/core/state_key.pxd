"""The parts of a state's key: what of a record matters for the future, and a hash of bytes."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from vgdl.core.data.layout cimport DISABLED, Sprite, TypeRow
from vgdl.core.data.scratch cimport Scratch, keep_place


cdef inline uint64_t mix(uint64_t mixed, const char *data, int64_t size) noexcept:
    """Fold bytes, eight at a time, into a hash."""
    cdef uint64_t word
    cdef int64_t k = 0
    while k < size:
        word = 0
        memcpy(&word, data + k, 8 if size - k >= 8 else size - k)
        mixed = (mixed ^ word) * <uint64_t>0xFF51AFD7ED558CCD
        mixed ^= mixed >> 32
        k += 8
    return mixed


cdef inline void forget_past(Scratch *w, int index, Sprite *s) noexcept:
    """Normalise what no longer matters in a sprite record.

    That is how long the sprite has rested beyond its cooldown, and what its next update overwrites: the last rectangle,
    and a rest that is one tick short of the cooldown, since that tick is counted before any movement.
    """
    cdef TypeRow *t = &w.rules.types[s.type]
    if s.lastmove > t.cooldown:
        s.lastmove = t.cooldown
    if s.flags & DISABLED or not t.in_order:
        return
    if t.avatar_object and w.header.avatar[0] != index and w.header.avatar[1] != index:
        return
    if s.lastmove >= t.cooldown - 1:
        s.lastmove = t.cooldown
    keep_place(w, s)
