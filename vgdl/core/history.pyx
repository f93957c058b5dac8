"""Avatar events that a state keeps: those of each call, linked to the ones before."""

import hashlib

cimport cython

cdef bint making = False  # a history is being made by `new_history`


@cython.final
cdef class History:
    """Avatar events of one call, linked to those before it: append-only, shared between copies, immutable."""

    def __cinit__(self):
        if not making:
            raise TypeError("histories are made by states")

    def __reduce__(self):
        events = joined(self)
        return _restore, (events, hashlib.blake2b(events, digest_size=8).digest())


cdef History new_history(History past, bytes data):
    global making
    cdef History history
    making = True
    try:
        history = History.__new__(History)
    finally:
        making = False
    history.past = past
    history.data = data
    return history


cdef bytes joined(History history):
    """All events from the first on."""
    parts = []
    while history is not None:
        parts.append(history.data)
        history = history.past
    return b"".join(reversed(parts))


def _restore(bytes events not None, bytes digest not None):
    """Unpickle a history.

    Raises:
        ValueError: a damaged history, which must not be used: its numbers are indices into tables.
    """
    if hashlib.blake2b(events, digest_size=8).digest() != digest:
        raise ValueError("a damaged history of avatar events")
    return new_history(None, events)
