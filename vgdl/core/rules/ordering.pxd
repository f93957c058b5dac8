"""Sorting hits into the order of the specification (engine, 7.4)."""

from libc.stdint cimport uint64_t

from vgdl.core.data.scratch cimport Order, Scratch

cdef void sort_orders(Order *orders, int n, Order *spare) noexcept nogil
cdef int merge_orders(Scratch *w, int sorted, int n) noexcept nogil
cdef int first_behind(const Order *orders, int n, uint64_t key) noexcept nogil
