"""The C API of the search trees, for controllers that override a part of one."""

from libc.math cimport sqrt

from vgdl.controllers.search.generator cimport Generator
from vgdl.controllers.search.budget cimport Budget
from vgdl.core.state cimport StateObservation

cdef enum:
    CHUNK = 4 << 20  # bytes that `Memory` gets at a time; no state is larger

cdef struct Node:
    Node *parent  # NULL at the root
    Node *first  # first of its children, which are consecutive and in random order; NULL until expanded
    const char *state  # closed loop: the state kept
    int n_children
    int n_tried  # number of visited children; they come first
    int action  # the action that leads here
    int visits
    int exits  # simulations that ended here, for OLETS
    double spread  # 1 / sqrt(visits)
    double total  # summed rewards of the simulations through this node; with OLETS, of those that ended here
    double mean  # total / visits; with OLETS the highest estimate among the children
    double reward  # of the tick that leads here, for controllers that discount rewards
    double estimate  # an additional estimate of the controller

cdef inline double visit(Node *node) noexcept nogil:
    """Count a simulation that passes through a node; 1 / its number of visits."""
    cdef double share
    node.visits += 1
    share = 1.0 / node.visits
    node.spread = sqrt(share)
    return share


cdef inline Node *untried(Node *node) noexcept nogil:
    """The next unvisited child, which now counts as visited; NULL if there is none."""
    if node.n_tried == node.n_children:
        return NULL
    node.n_tried += 1
    return node.first + (node.n_tried - 1)


cdef class Memory:
    cdef char **chunks
    cdef int n_chunks, room
    cdef int current  # chunk in use
    cdef long long used  # bytes used in that chunk

    cdef char *take(self, long long size) except NULL
    cdef void clear(self) noexcept
    cdef int grow(self) except -1

cdef class Tree:
    cdef Node *root
    cdef double *roots  # sqrt(ln n) of small n
    cdef readonly int size  # nodes, including unvisited ones
    cdef readonly int height  # actions from the root to the deepest node
    cdef int player
    cdef Memory memory
    cdef Generator generator
    cdef Budget budget
    cdef StateObservation start  # where simulations start; read-only
    cdef StateObservation scratch  # the state that simulations advance

    cdef int clear(self) except -1
    cdef Node *new_nodes(self, int count, Node *parent) except NULL
    cdef int branch(self, Node *node) except -1
    cdef int step(self, int action) except -1
    cdef int simulate(self) except -1
    cdef double root_of_logarithm(self, int visits) noexcept
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
