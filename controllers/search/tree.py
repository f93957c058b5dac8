"""Compiled search trees: shared nodes, closed-loop UCT (states in the nodes) and open-loop UCT (none).

Controllers override single parts: a bonus in the tree policy (``bonus``), the value of a state (``worth``), how an
action is played (``perform``). With two players, the opponent is modelled as drawing its actions at random.
"""
# ruff: noqa: F821 (structs and constants are declared in the .pxd; arrays are declared without a value)

import cython
from cython.cimports.libc.math import INFINITY, sqrt
from cython.cimports.libc.stdint import int32_t
from cython.cimports.libc.stdlib import free, malloc, realloc
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.vgdl.controllers.search.arithmetic import logarithm
from cython.cimports.vgdl.controllers.search.budget import Budget
from cython.cimports.vgdl.controllers.search.forward import play_for
from cython.cimports.vgdl.controllers.search.generator import Generator
from cython.cimports.vgdl.controllers.search.value import state_value
from cython.cimports.vgdl.core.api import MAX_ACTIONS, actions, block_of, is_over, restart, size_of
from cython.cimports.vgdl.core.state import StateObservation

from vgdl import Action
from vgdl.controllers.base import Timer

N_ROOTS = cython.declare(cython.int, 2048)


class Memory:
    """An arena allocator: memory is allocated piece by piece and freed all at once.

    Memory never moves: copying a tree could make a search miss its deadline. Chunks are reused by later decisions, and
    the garbage collector has nothing to do.
    """

    def __cinit__(self) -> None:
        self.chunks = cython.NULL
        self.n_chunks = self.room = self.current = 0
        self.used = 0

    def __dealloc__(self) -> None:
        k: cython.int
        for k in range(self.n_chunks):
            free(self.chunks[k])
        free(self.chunks)

    def clear(self) -> cython.void:
        """Free everything."""
        self.current = 0
        self.used = 0

    def take(self, size: cython.longlong) -> cython.p_char:
        """Allocate ``size`` bytes, valid until ``clear``."""
        if size > CHUNK:
            raise MemoryError(f"{size} bytes are more than the largest block of a search ({CHUNK})")
        size = (size + 7) & ~7
        if self.used + size > CHUNK:
            self.current += 1
            self.used = 0
        if self.current == self.n_chunks:
            self.grow()
        self.used += size
        return self.chunks[self.current] + self.used - size

    def grow(self) -> cython.int:
        """Allocate one more chunk."""
        if self.n_chunks == self.room:
            room: cython.int = 2 * self.room + 16
            grown: cython.pp_char = cython.cast(
                cython.pp_char, realloc(self.chunks, cython.cast(cython.size_t, room) * cython.sizeof(cython.p_char))
            )
            if grown == cython.NULL:
                raise MemoryError
            self.chunks = grown
            self.room = room
        chunk: cython.p_char = cython.cast(cython.p_char, malloc(CHUNK))
        if chunk == cython.NULL:
            raise MemoryError
        self.chunks[self.n_chunks] = chunk
        self.n_chunks += 1
        return 0


class Tree:
    """A tree over a player's actions, grown by simulations; the answer is the most visited action of the root."""

    def __cinit__(self, *_: object) -> None:
        n: cython.int
        self.roots = cython.cast(cython.p_double, malloc(N_ROOTS * cython.sizeof(cython.double)))
        if self.roots == cython.NULL:
            raise MemoryError
        for n in range(1, N_ROOTS):
            self.roots[n] = sqrt(logarithm(n))

    def __dealloc__(self) -> None:
        free(self.roots)

    def __init__(self, player: int, generator: Generator) -> None:
        self.player = player
        self.generator = generator
        self.memory = Memory()
        self.root = cython.NULL

    def search(self, state: StateObservation, timer: Timer, calls: int) -> Action:
        """Simulate from ``state`` until the budget is used; return the best action, NIL if there is none.

        If the budget allows no simulation, the answer is a random action.

        Args:
            state: where to start; not modified.
            timer: the budget.
            calls: maximum forward model calls of the first simulation.
        """
        self.budget = Budget(timer, calls)
        self.start = state
        self.scratch = state.copy(history=False)
        self.clear()
        if self.branch(self.root) == 0:
            return Action.NIL
        while self.budget.another():
            self.simulate()
        return Action(self.most_visited().action)

    @property
    def iterations(self) -> int:
        """Simulations of the last search."""
        return self.budget.count

    @property
    def visits(self) -> dict[Action, int]:
        """Visits of each action of the root in the last search."""
        first: cython.pointer(Node) = self.root.first
        return {Action(first[k].action): first[k].visits for k in range(self.root.n_children)}

    @property
    def values(self) -> dict[Action, float]:
        """The value of each visited action of the root in the last search; empty before the first search."""
        if self.root == cython.NULL:
            return {}
        first: cython.pointer(Node) = self.root.first
        return {Action(first[k].action): self.merit(first + k) for k in range(self.root.n_tried)}

    def clear(self) -> cython.int:
        """Reset the tree to its root, the state to start from."""
        self.memory.clear()
        self.size = self.height = 0
        self.root = self.new_nodes(1, cython.NULL)
        self.root.state = block_of(self.start)
        return 0

    def new_nodes(self, count: cython.int, parent: cython.pointer(Node)) -> cython.pointer(Node):
        """Some nodes in a row."""
        k: cython.int
        size: cython.size_t = count * cython.sizeof(Node)
        nodes: cython.pointer(Node) = cython.cast(cython.pointer(Node), self.memory.take(size))
        memset(nodes, 0, size)
        for k in range(count):
            nodes[k].parent = parent
        self.size += count
        return nodes

    def branch(self, node: cython.pointer(Node)) -> cython.int:
        """Give a node a child for each action that there is in the state being played, unless it has them; how many."""
        k: cython.int
        choices: int32_t[MAX_ACTIONS]
        if node.first == cython.NULL:
            n: cython.int = actions(self.scratch, self.player, choices)
            if n > 0:
                self.generator.shuffle(choices, n)
                node.first = self.new_nodes(n, node)
                node.n_children = n
                for k in range(n):
                    node.first[k].action = choices[k]
        return node.n_children

    def step(self, action: cython.int) -> cython.int:
        """Play one tick of a simulation; false if the game was over."""
        return play_for(self.scratch, self.player, action, self.generator)

    def simulate(self) -> cython.int:
        """Run one simulation from the root and back it up; each kind of tree has its own."""
        raise NotImplementedError  # extension types have no abstract methods

    def root_of_logarithm(self, visits: cython.int) -> cython.double:
        """sqrt(ln n) of a number of visits; tabulated for small n, since most nodes have few visits."""
        return self.roots[visits] if visits < N_ROOTS else sqrt(logarithm(visits))

    def reached(self, depth: cython.int) -> cython.bint:
        """Record the tree depth of a simulation; whether it is a new maximum."""
        if depth <= self.height:
            return False
        self.height = depth
        return True

    def most_visited(self) -> cython.pointer(Node):
        """The root's most visited child; ties go to the highest merit, then to the first."""
        best: cython.pointer(Node) = self.root.first
        child: cython.pointer(Node)
        k: cython.int
        for k in range(1, self.root.n_tried):
            child = self.root.first + k
            if child.visits > best.visits or (child.visits == best.visits and self.merit(child) > self.merit(best)):
                best = child
        return best

    def merit(self, node: cython.pointer(Node)) -> cython.double:
        """The tie-breaker among equally visited children of the root: the mean."""
        return node.mean


class UCT(Tree):
    """A tree with the tree policy UCB1 and random rollouts from its leaves.

    Values are unbounded; for UCB1 they are normalised by the lowest and the highest value seen so far in the
    simulations of the same decision.
    """

    def __init__(self, player: int, generator: Generator, depth: int, exploration: float) -> None:
        """Set the search up.

        Args:
            player: whose value is sought.
            generator: source of all random numbers.
            depth: ticks of a rollout.
            exploration: the constant C of UCB1.
        """
        super().__init__(player, generator)
        self.depth = depth
        self.exploration = exploration

    def clear(self) -> cython.int:
        self.low = INFINITY
        self.high = -INFINITY
        return Tree.clear(self)

    def select(self, node: cython.pointer(Node)) -> cython.pointer(Node):
        """The child with the highest UCB1 (mean normalised to 0 ... 1) plus bonus; all children have been visited."""
        best: cython.pointer(Node) = node.first
        highest: cython.double = -INFINITY
        child: cython.pointer(Node)
        k: cython.int
        exploration: cython.double = self.exploration * self.root_of_logarithm(node.visits)
        scale: cython.double = 1.0 / (self.high - self.low) if self.high > self.low else 1.0
        for k in range(node.n_children):
            child = node.first + k
            bound: cython.double = (child.mean - self.low) * scale + exploration * child.spread + self.bonus(child)
            if bound > highest:  # ties go to the first: children are in random order
                highest = bound
                best = child
        return best

    def bonus(self, node: cython.pointer(Node)) -> cython.double:
        """A term added to UCB1; 0 unless overridden."""
        return 0.0

    def worth(self) -> cython.double:
        """The value of the state that the simulation has reached."""
        return state_value(self.scratch, self.player)

    def play_out(self, ticks: cython.int) -> cython.double:
        """The value of a random rollout of at most ``ticks`` ticks."""
        self.scratch.run(None, ticks, self.generator.seed())
        return self.worth()

    def credit(self, node: cython.pointer(Node), value: cython.double) -> cython.int:
        """Back up the value of a simulation from this node to the root."""
        self.low = min(self.low, value)
        self.high = max(self.high, value)
        while node != cython.NULL:
            share: cython.double = visit(node)
            node.total += value
            node.mean = node.total * share
            node = node.parent
        return 0


class ClosedLoopUCT(UCT):
    """UCT that stores in each node the state reached when the node was created."""

    def simulate(self) -> cython.int:
        node: cython.pointer(Node) = self.root
        child: cython.pointer(Node)
        while True:
            child = untried(node)
            if child != cython.NULL:
                node = child
                self.expand(node)
                break
            if node.n_children == 0:
                break
            node = self.select(node)
        restart(self.scratch, node.state, self.generator.seed())
        self.credit(node, self.play_out(self.depth))
        return 0

    def expand(self, node: cython.pointer(Node)) -> cython.int:
        """Play a new node's action in its parent's state, and store the resulting state."""
        restart(self.scratch, node.parent.state, self.generator.seed())
        self.step(node.action)
        kept: cython.p_char = self.memory.take(size_of(self.scratch))
        memcpy(kept, block_of(self.scratch), size_of(self.scratch))
        node.state = kept
        self.branch(node)
        return 0


class OpenLoopUCT(UCT):
    """UCT over action sequences: each simulation replays them, and a node represents all states they lead to."""

    def simulate(self) -> cython.int:
        node: cython.pointer(Node) = self.root
        child: cython.pointer(Node) = cython.NULL
        depth: cython.int = 0
        restart(self.scratch, block_of(self.start), self.generator.seed())
        while child == cython.NULL and not is_over(self.scratch) and self.branch(node) > 0:
            child = untried(node)
            node = child if child != cython.NULL else self.select(node)
            self.perform(node)
            depth += 1
        self.credit(node, self.play_out(self.depth))
        if self.reached(depth):
            self.budget.need(depth + 1 + self.depth)
        return 0

    def perform(self, node: cython.pointer(Node)) -> cython.int:
        """Play the action that leads to a node."""
        return self.step(node.action)
