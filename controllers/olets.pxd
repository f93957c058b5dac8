from vgdl.controllers.tree cimport Node, Tree

cdef class ExpectimaxTree(Tree):
    cdef double epsilon
    cdef double taboo_penalty
    cdef frozenset taboo  # cells

    cdef Node *select(self, Node *node) noexcept
    cdef int leave(self, Node *node, double reward) noexcept
    cdef double best_estimate(self, Node *node) noexcept
