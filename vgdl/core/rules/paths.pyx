"""The path finder: first steps between all free cells of a level, computed once (sprites, 15)."""

from libc.stdint cimport int16_t, int32_t, uint8_t

import numpy as np

from vgdl.core.rules.motion cimport base_x, base_y


cdef struct Heap:  # the reference's binary heap, whose structure decides ties
    int32_t *items
    int32_t *costs  # by cell
    int32_t length


cdef inline void insert(Heap *heap, int cell) noexcept nogil:
    cdef int i = heap.length
    cdef int parent
    heap.length += 1
    while i > 0:
        parent = (i - 1) / 2
        if heap.costs[cell] >= heap.costs[heap.items[parent]]:
            break
        heap.items[i] = heap.items[parent]
        i = parent
    heap.items[i] = cell


cdef inline int take_min(Heap *heap) noexcept nogil:
    cdef int least = heap.items[0]
    cdef int moved, i = 0, child
    heap.length -= 1
    if heap.length == 0:
        return least
    moved = heap.items[heap.length]
    while 2 * i + 1 < heap.length:
        child = 2 * i + 1
        if child + 1 < heap.length and heap.costs[heap.items[child + 1]] < heap.costs[heap.items[child]]:
            child += 1
        if heap.costs[moved] <= heap.costs[heap.items[child]]:
            break
        heap.items[i] = heap.items[child]
        i = child
    heap.items[i] = moved
    return least


def first_steps(const uint8_t[:, ::1] blocked, bint sideways_only):
    """First base direction (0 up, 1 left, 2 down, 3 right; -1 no path) between any two cells.

    Args:
        blocked: (rows, columns) array, nonzero for obstacles.
        sideways_only: whether steps go left and right only.

    Returns:
        (n, n) array by start and target; cells are numbered row by row.
    """
    cdef int rows = blocked.shape[0], columns = blocked.shape[1]
    cdef int n = rows * columns
    cdef int start, cell, k, x, y, other, n_directions = 2 if sideways_only else 4
    cdef int[4] directions = [1, 3, 0, 2]  # left, right, up, down
    if not sideways_only:
        directions = [0, 2, 1, 3]  # up, down, left, right
    table = np.full((n, n), -1, np.int16)
    heap_items = np.zeros(n + 1, np.int32)
    heap_costs = np.zeros(n + 1, np.int32)
    cdef int16_t[:, ::1] steps = table
    cdef int32_t[::1] items = heap_items
    cdef int32_t[::1] costs = heap_costs
    cdef Heap heap
    heap.items = &items[0]
    heap.costs = &costs[0]
    with nogil:
        for start in range(n):
            if blocked[start / columns, start % columns]:
                continue
            heap.length = 0
            heap.costs[start] = 0
            insert(&heap, start)
            while heap.length > 0:
                cell = take_min(&heap)
                for k in range(n_directions):
                    x = cell % columns + <int>base_x(directions[k])
                    y = cell / columns + <int>base_y(directions[k])
                    if x < 0 or y < 0 or x >= columns or y >= rows or blocked[y, x]:
                        continue
                    other = y * columns + x
                    if other == start or steps[start, other] >= 0:
                        continue
                    steps[start, other] = <int16_t>directions[k] if cell == start else steps[start, cell]
                    heap.costs[other] = heap.costs[cell] + 1
                    insert(&heap, other)
    return table
