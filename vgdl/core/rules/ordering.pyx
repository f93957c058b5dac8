"""Sorting hits into the order of the specification (engine, 7.4)."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from vgdl.core.data.layout cimport OUT_OF_MEMORY
from vgdl.core.data.scratch cimport Order, Scratch, fail, room_for, smaller
from vgdl.core.rules.index cimport count_listing

cdef enum:
    FEW = 12  # up to here, insertion sort is fastest


cdef inline int compare(const Order *x, const Order *y) noexcept nogil:
    if x.first_key != y.first_key:
        return -1 if x.first_key < y.first_key else 1
    if x.second_key != y.second_key:
        return -1 if x.second_key < y.second_key else 1
    return 0


cdef inline void insert(Order *orders, int sorted, int n) noexcept nogil:
    """Sort orders of which the first ``sorted`` are sorted, and the others few."""
    cdef int i, k
    cdef Order o
    for i in range(sorted, n):
        o = orders[i]
        k = i
        while k > 0 and compare(&orders[k - 1], &o) > 0:
            orders[k] = orders[k - 1]
            k -= 1
        orders[k] = o


cdef inline void merge(const Order *source, int start, int middle, int end, Order *target) noexcept nogil:
    """Merge the sorted orders from ``start`` to ``middle`` and from there to ``end``."""
    cdef int i = start, j = middle, k
    if middle == end or compare(&source[middle - 1], &source[middle]) <= 0:  # in order already
        memcpy(target + start, source + start, (end - start) * sizeof(Order))
        return
    for k in range(start, end):
        if i < middle and (j == end or compare(&source[i], &source[j]) <= 0):
            target[k] = source[i]
            i += 1
        else:
            target[k] = source[j]
            j += 1


cdef void sort_orders(Order *orders, int n, Order *spare) noexcept nogil:
    """Sort orders, with room for as many in ``spare``: a merge sort, whose comparisons are compiled into its loops."""
    cdef int k = 1, length = FEW
    cdef Order *source = orders
    cdef Order *target = spare
    while k < n and compare(&orders[k - 1], &orders[k]) <= 0:
        k += 1
    if n - k <= FEW:
        insert(orders, k, n)
        return
    k = 0
    while k < n:
        insert(orders + k, 1, smaller(FEW, n - k))
        k += FEW
    while length < n:
        k = 0
        while k < n:
            merge(source, k, smaller(k + length, n), smaller(k + 2 * length, n), target)
            k += 2 * length
        source, target = target, source
        length *= 2
    if source != orders:
        memcpy(orders, source, n * sizeof(Order))


cdef int merge_orders(Scratch *w, int sorted, int n) noexcept nogil:
    """Sort `orders`, of which the first ``sorted`` are sorted; -1 if out of memory."""
    cdef void *grown
    cdef Order *orders = w.orders
    cdef int k, i = sorted - 1, added = n - sorted, steps = 0
    if added <= FEW:
        insert(orders, sorted if sorted > 0 else 1, n)
        count_listing(w, added * FEW)
        return 0
    grown = room_for(w.spare, &w.room_spare, added, sizeof(Order))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.spare = <Order *>grown
    sort_orders(orders + sorted, added, w.spare)
    while added >> steps:  # the logarithm
        steps += 1
    if sorted > 0:
        memcpy(w.spare, orders + sorted, added * sizeof(Order))
        for k in range(n - 1, -1, -1):
            if added == 0:
                break
            if i >= 0 and compare(&orders[i], &w.spare[added - 1]) > 0:
                orders[k] = orders[i]
                i -= 1
            else:
                added -= 1
                orders[k] = w.spare[added]
    count_listing(w, <long long>(n - sorted) * steps + sorted - 1 - i)
    return 0


cdef int first_behind(const Order *orders, int n, uint64_t key) noexcept nogil:
    """Index of the first order whose first sprite comes after ``key``."""
    cdef int low = 0, high = n, middle
    while low < high:
        middle = (low + high) >> 1
        if orders[middle].first_key <= key:
            low = middle + 1
        else:
            high = middle
    return low
