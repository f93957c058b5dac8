"""The C API of Monte Carlo tree search."""

from libc.stdint cimport uint64_t

from vgdl.controllers.tabletop.budget cimport Budget
from vgdl.tabletop.position cimport Position


cdef struct Node:
    double total  # sum of the returns to the player who moved here
    double mean  # total / visits
    double spread  # 1 / sqrt(visits)
    int visits
    int action  # that leads here
    int first  # number of the first child; children are consecutive
    int n_children  # 0 until they are made
    double outcome  # return to player 0 under best play, if it is proved
    bint proved
    int mover  # who is to move here: a player, CHANCE or TERMINAL; UNSEEN until the first visit


cdef class MCTS:
    cdef readonly Budget budget
    cdef readonly int rollouts
    cdef readonly double exploration
    cdef readonly int max_rollout
    cdef readonly bint solve
    cdef object value
    cdef bint proving  # whether outcomes can be proved in this game
    cdef double win  # the largest return in it
    cdef uint64_t random
    cdef Node *nodes
    cdef long long n_nodes, capacity
    cdef long long most_nodes
    cdef int *actions
    cdef double *probabilities
    cdef int wide
    cdef double low, high  # the range of returns met in this search
    cdef readonly long long simulations  # of the last search

    cdef int room(self, Position root) except -1
    cdef int expand(self, int number, Position at, Position spare) except -1
    cdef int look_ahead(self, int number, Position at, Position spare) except -1
    cdef int best(self, const Node *parent) noexcept
    cdef int simulate(self, Position at, Position spare) except -1
    cdef bint prove(self, int number) noexcept
    cdef int evaluate(self, Position at, Position spare, double *values) except -1
