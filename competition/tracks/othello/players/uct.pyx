"""Monte Carlo tree search (UCT) with uniform playouts, for any rules of Othello (specification 15.2)."""

import time

from libc.math cimport logf, sqrtf
from libc.stdint cimport int8_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from vgdl.competition.tracks.othello.players.positions cimport MAX_CELLS, ahead, move
from vgdl.tabletop.bits cimport below, listed
from vgdl.tabletop.othello cimport Rules
from vgdl.tabletop.othello_engine cimport OVER, Board, Variant, playout, set_mover

cdef enum:
    MAX_NODES = 1 << 20
    CLOCK_PLAYOUTS = 16  # playouts between two looks at the clock
    UNEXPANDED = -1


cdef struct Node:
    int first  # number of the first child; the others follow
    int children
    int visits
    float won  # sum of black's results: a win is 1, a tie 0.5
    uint8_t move  # the move that led here
    int8_t player  # the player to move, or OVER; set on the first visit


cdef class UCT:
    """A search that restarts with every move."""

    cdef Rules rules
    cdef object clock
    cdef Variant variant
    cdef Node* nodes
    cdef int used
    cdef float exploration
    cdef uint64_t random

    def __cinit__(self):
        self.nodes = <Node*>malloc(MAX_NODES * sizeof(Node))
        if self.nodes is NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.nodes)

    def __init__(self, Rules rules, *, float exploration=0.7, uint64_t seed=0, clock=time.process_time):
        """Search by believed rules; ``exploration`` is the constant of UCB1, ``clock`` returns seconds."""
        self.rules = rules
        self.clock = clock
        self.exploration = exploration
        self.random = seed

    def search(self, board, int player, *, double seconds, int playouts=1 << 30):
        """Return the most visited move.

        Args:
            board: the position.
            player: whose turn it is.
            seconds: time to search.
            playouts: most playouts.

        Returns:
            The cell, None if the player has no legal move by these rules, and the number of playouts.
        """
        cdef Board start
        cdef int done = 0, _number, child, best
        self.rules.read(board, &self.variant, &start)
        set_mover(&self.variant, &start, player - 1)
        self.used = 1
        self._make(&self.nodes[0], 0)
        self.nodes[0].player = start.mover
        if start.mover != player - 1 or not self._expand(&start, 0):
            return None, 0
        end = self.clock() + seconds
        while done < playouts and (done == 0 or self.clock() < end):
            for _number in range(CLOCK_PLAYOUTS):
                self._descend(start)
            done += CLOCK_PLAYOUTS
        best = self.nodes[0].first
        for child in range(best, best + self.nodes[0].children):
            if self.nodes[child].visits > self.nodes[best].visits:
                best = child
        return (self.nodes[best].move // self.variant.n, self.nodes[best].move % self.variant.n), done

    cdef void _descend(self, Board board) noexcept nogil:
        """One iteration: selection, expansion by one node, playout, and backpropagation."""
        cdef int path[MAX_CELLS + 1]
        cdef int depth = 1, number, current = 0, black
        cdef float result
        path[0] = 0
        while board.mover != OVER:
            if self.nodes[current].children == UNEXPANDED:
                if self.nodes[current].visits == 0 or not self._expand(&board, current):
                    break
            current = self._select(current)
            move(&self.variant, &board, self.nodes[current].move)
            self.nodes[current].player = board.mover
            path[depth] = current
            depth += 1
        playout(&self.variant, &board, &self.random)
        black = ahead(&self.variant, &board, 0)
        result = 1.0 if black > 0 else 0.0 if black < 0 else 0.5
        for number in range(depth):
            self.nodes[path[number]].visits += 1
            self.nodes[path[number]].won += result

    cdef bint _expand(self, const Board* board, int parent) noexcept nogil:
        """Create the children of a node; False if it has none, or there is no room for them."""
        cdef int moves[MAX_CELLS]
        cdef int number
        cdef int count = listed(board.moves, moves, self.variant.words)
        if count == 0 or self.used + count > MAX_NODES:
            return False
        self.nodes[parent].first = self.used
        self.nodes[parent].children = count
        for number in range(count):
            self._make(&self.nodes[self.used + number], moves[number])
        self.used += count
        return True

    cdef int _select(self, int parent) noexcept nogil:
        """Select a child by UCB1; a random unvisited one comes first."""
        cdef Node* node = &self.nodes[parent]
        cdef Node* child
        cdef int number, best = node.first, untried = 0
        cdef float share, value, highest = -1.0
        cdef float logarithm = logf(<float>max(node.visits, 1))
        for number in range(node.first, node.first + node.children):
            child = &self.nodes[number]
            if child.visits == 0:
                untried += 1
                if below(&self.random, untried) == 0:
                    best = number
            elif untried == 0:
                share = child.won / child.visits
                value = (share if node.player == 0 else 1 - share)
                value += self.exploration * sqrtf(logarithm / child.visits)
                if value > highest:
                    highest, best = value, number
        return best

    cdef void _make(self, Node* node, int cell) noexcept nogil:
        node.first, node.children, node.visits, node.won = 0, UNEXPANDED, 0, 0.0
        node.move, node.player = cell, OVER
