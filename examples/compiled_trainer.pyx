"""Random play without Python: an example of the C API in ``vgdl/core/vector.pxd``.

    cythonize -i -3 compiled_trainer.pyx
    python -c "import compiled_trainer; print(compiled_trainer.random_returns('aliens', plays=64, steps=1000))"
"""

import numpy as np

from libc.stdint cimport int64_t, uint64_t

from vgdl.core.vector cimport Vector

import vgdl
from vgdl.core.planes import Planes


def random_returns(str game, *, int plays, int steps, uint64_t seed=1):
    """The mean return of the plays that ended within so many steps of random play, and how many did."""
    board = vgdl.load(game).board(0)
    cdef Vector vector = Vector(Planes(board.tables), plays, range(6), same_step=True)
    cdef int64_t[::1] actions = np.zeros(plays, np.int64)
    cdef int64_t[::1] seeds = np.arange(plays)
    cdef double[::1] returns = np.zeros(plays)
    cdef double total = 0.0
    cdef int k, ended = 0
    vector.restart_all(np.asarray(seeds))
    with nogil:
        for _ in range(steps):
            for k in range(plays):
                seed = seed * 6364136223846793005ULL + 1442695040888963407ULL  # Knuth's MMIX generator
                actions[k] = <int64_t>((seed >> 33) % 6)
                seeds[k] = <int64_t>(seed >> 32)
            if vector.step_some(&actions[0], &seeds[0], 0, plays):  # some observations wait for what only Python makes
                with gil:
                    vector.settle()
            for k in range(plays):
                returns[k] += vector.gained[k]
                if vector.over[k]:  # vector.seen[0] + k * vector.seen_size[0] is the observation of the next play
                    total += returns[k]
                    returns[k] = 0.0
                    ended += 1
    return total / max(ended, 1), ended
