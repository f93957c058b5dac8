cimport cython

from vgdl.controllers.search.tree cimport Node, Tree

@cython.final
cdef class ExpectimaxTree(Tree):
    cdef double epsilon
    cdef double taboo_penalty
    cdef frozenset taboo  # cells

    cdef Node *select(self, Node *node) noexcept
    cdef int leave(self, Node *node, double reward) noexcept
    cdef int renew_best(self, Node *node, double before) noexcept
