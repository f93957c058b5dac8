"""When a search has to stop: after so much work, or so much time."""

from cpython.exc cimport PyErr_CheckSignals

import math
import time

cdef enum:
    SIGNALS = 256  # units of work between two looks for Ctrl-C


cdef class Budget:
    """So many units of work (simulations, nodes), or so many milliseconds, or whichever ends first.

    Work alone makes a search repeatable. Time is CPU time of the thread that searches.
    """

    def __init__(self, most, milliseconds, clock=time.thread_time):
        """Allow ``most`` units of work and ``milliseconds``; None means any number, but not for both.

        Raises:
            ValueError: nothing is limited, or a limit is not positive.
        """
        if most is None and milliseconds is None:
            raise ValueError("a search without any limit would not end: give a number of simulations or milliseconds")
        if most is not None and most < 1:
            raise ValueError(f"a search needs work to do, not {most} units")
        if milliseconds is not None and not milliseconds > 0:
            raise ValueError(f"a search needs time, not {milliseconds} ms")
        self.most = most if most is not None else 1 << 62
        self.milliseconds = milliseconds if milliseconds is not None else math.inf
        self.now = clock

    cpdef int begin(self, int stride=1) except -1:
        """Start to count; ``stride`` units of work are done between two looks at the clock."""
        self.done = 0
        self.stride = stride
        self.deadline = <double>self.now() + self.milliseconds / 1000.0 if self.milliseconds != math.inf else math.inf
        return 0

    cpdef bint spend(self) except -1:
        """Count a unit of work; whether it is still within the budget. The first always is."""
        self.done += 1
        if self.done % SIGNALS == 0:
            PyErr_CheckSignals()
            with nogil:  # other threads, such as one with a window, get their turn
                pass
        if self.done > self.most:
            return False
        if self.done % self.stride == 0 and self.deadline != math.inf and self.done > 1:
            return <double>self.now() < self.deadline
        return True
