"""The C face of the search trees, for controllers that change a part of one."""

from libc.math cimport sqrt

from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.budget cimport Budget
from vgdl.core.state cimport StateObservation

cdef struct Node:
    Node *parent  # NULL at the root
    Node *first  # first of its children, which are consecutive and in random order; NULL until they are made
    const char *state  # closed loop: the state kept
    int n_children
    int n_tried  # children that have been visited, the first ones
    int action  # that leads here
    int visits
    int exits  # simulations that ended here, for OLETS
    double spread  # 1 / sqrt(visits)
    double total  # sum of what the simulations through this node, or with OLETS those that ended here, have earned
    double mean  # total / visits; with OLETS the highest estimate among the children
    double reward  # of the tick that leads here, for controllers that discount
    double estimate  # what a controller expects of the node besides

cdef inline double visit(Node *node) noexcept nogil:
    """Count a simulation that passes through a node; 1 / its number of visits."""
    cdef double share
    node.visits += 1
    share = 1.0 / node.visits
    node.spread = sqrt(share)
    return share


cdef inline Node *untried(Node *node) noexcept nogil:
    """The next child that was never visited, now tried; NULL if there is none."""
    if node.n_tried == node.n_children:
        return NULL
    node.n_tried += 1
    return node.first + (node.n_tried - 1)


cdef class Memory:
    cdef char **chunks
    cdef int n_chunks, room
    cdef int current  # chunk in use
    cdef long long used  # bytes of it

    cdef char *take(self, long long size) except NULL
    cdef void clear(self) noexcept
    cdef int grow(self) except -1

cdef class Tree:
    cdef Node *root
    cdef double *roots  # of the logarithms of small numbers
    cdef readonly int size  # nodes, those never visited included
    cdef readonly int height  # actions from the root to the deepest node
    cdef int player
    cdef Memory memory
    cdef Generator generator
    cdef Budget budget
    cdef StateObservation start  # where simulations begin; only read
    cdef StateObservation scratch  # what simulations are played on

    cdef int clear(self) except -1
    cdef Node *new_nodes(self, int n, Node *parent) except NULL
    cdef int branch(self, Node *node) except -1
    cdef int step(self, int action) except -1
    cdef int simulate(self) except -1
    cdef double root_of_logarithm(self, int n) noexcept
    cdef bint reached(self, int depth) noexcept
    cdef Node *most_visited(self) noexcept
    cdef double merit(self, Node *node) noexcept

cdef class UCT(Tree):
    cdef int depth
    cdef double exploration
    cdef double low, high  # values seen in this decision

    cdef Node *select(self, Node *node) noexcept
    cdef double bonus(self, Node *node) noexcept
    cdef double worth(self) except? -1.0
    cdef double play_out(self, int ticks) except? -1.0
    cdef int credit(self, Node *node, double value) noexcept

cdef class ClosedLoopUCT(UCT):
    cdef int expand(self, Node *node) except -1

cdef class OpenLoopUCT(UCT):
    cdef int perform(self, Node *node) except -1
