"""Monte Carlo tree search for games in which players move in turn, chance nodes and general sums included.

UCT as in OpenSpiel: every child once, then the largest mean plus ``exploration`` times the square root of ln(parent's
visits) over its own; a new leaf is valued by uniformly random rollouts or by a function; chance nodes are sampled;
every player maximises its own return. Returns are scaled to [-1, 1] by the range met so far, so that ``exploration``
means the same in all games. The choice is the most visited action, then the best, then the lowest (code world models,
8.1). In two-player games with opposite interests, outcomes that are certain are backed up as such, as by OpenSpiel's
solver, and actions that end the game are seen when their node is expanded (Teytaud and Teytaud, "On the huge benefit of
decisive moves", 2010).

The tree is one array of nodes. Compiled states are copied and played without a Python object in between.
"""

from libc.math cimport log, sqrt
from libc.stdlib cimport free, malloc, realloc

from vgdl.controllers.tabletop.budget cimport Budget
from vgdl.tabletop.bits cimport below
from vgdl.tabletop.position cimport MOST_PLAYERS, CompiledState, Position, Wrapped, sampled

import secrets

from vgdl.controllers.tabletop.answers import Candidate
from vgdl.deprecation import warn_deprecated

cdef enum:
    CHANCE = -1
    SIMULTANEOUS = -2
    TERMINAL = -4
    UNSEEN = -9
    DEEPEST = 4096  # nodes on a path; below, a rollout goes on
    FIRST_NODES = 1 << 12


cdef inline void fresh(Node *node, int action) noexcept:
    """A node that has not been visited."""
    node.total = node.mean = node.spread = node.outcome = 0.0
    node.visits = node.n_children = node.first = 0
    node.proved = False
    node.action = action
    node.mover = UNSEEN


cdef class MCTS:
    """Plays by Monte Carlo tree search. The same seed and number of simulations lead to the same actions.

    >>> from vgdl import tabletop
    >>> from vgdl.controllers.tabletop import MCTS
    >>> state = tabletop.load("othello(size=4)").new_initial_state()
    >>> state.action_to_string(MCTS(simulations=50, rollouts=1, seed=1).step(state))
    'a2'
    """

    def __init__(
        self,
        *,
        simulations=None,
        milliseconds=None,
        rollouts=10,
        exploration=2.0**0.5,
        max_rollout=1000,
        value=None,
        solve=True,
        seed=None,
        most_nodes=4_000_000,
        c=None,
    ):
        """Set the search up; nothing is kept from one move to the next but the random generator.

        Args:
            simulations: per move; 1000 unless ``milliseconds`` is given.
            milliseconds: CPU time per move.
            rollouts: random games whose mean values a new leaf.
            exploration: its weight in the bound of a child (``c`` in UCT).
            max_rollout: actions of a rollout, after which it counts 0 to all.
            value: function of a state and a player in place of rollouts, in units of returns.
            solve: whether to prove outcomes; a search whose outcome is proved stops.
            seed: of the generator; unpredictable if None.
            most_nodes: of the tree, 64 bytes each; when it is full, rollouts start from its leaves.
            c: deprecated name of ``exploration``.

        Raises:
            ValueError: a number is out of range.
        """
        if c is not None:
            warn_deprecated("MCTS(c=...)", "MCTS(exploration=...)", removal="1.2", stacklevel=1)
            exploration = c
        if simulations is None and milliseconds is None:
            simulations = 1000
        if rollouts < 1:
            raise ValueError(f"a leaf is valued by one rollout or more, not {rollouts}")
        if max_rollout < 1:
            raise ValueError(f"a rollout has one action or more, not {max_rollout}")
        if most_nodes < FIRST_NODES:
            raise ValueError(f"a tree needs room for {FIRST_NODES} nodes or more, not {most_nodes}")
        self.budget = Budget(simulations, milliseconds)
        self.rollouts = rollouts
        self.exploration = exploration
        self.max_rollout = max_rollout
        self.value = value
        self.solve = solve
        self.most_nodes = most_nodes
        self.random = (secrets.randbits(64) if seed is None else seed) & 0xFFFFFFFFFFFFFFFF

    def __dealloc__(self):
        free(self.nodes)
        free(self.actions)
        free(self.probabilities)

    def step(self, state):
        """The action to take, as a ``pyspiel.Bot`` would answer; if only one is legal, without a search."""
        legal = state.legal_actions()
        return legal[0] if len(legal) == 1 else self.search(state)[0].action

    def search(self, state):
        """All legal actions as `Candidate`, the one to take first.

        Raises:
            ValueError: no player is to move, or several at once.
        """
        cdef Position root = state if isinstance(state, CompiledState) else Wrapped(state)
        cdef Position at, spare
        cdef int k
        if root.mover() < 0:
            raise ValueError("it is not a single player's turn: there is nothing to search for")
        game = state.get_game()
        self.proving = self.solve and root.players() == 2 and game.get_type().utility.name == "ZERO_SUM"
        self.win = game.max_utility()
        self.room(root)
        at, spare = root.twin(), root.twin()
        self.n_nodes = 1
        fresh(&self.nodes[0], -1)
        self.low, self.high = 1.0, -1.0
        self.simulations = 0
        self.expand(0, root, spare)
        self.budget.begin(16 if isinstance(root, CompiledState) else 1)
        while not self.nodes[0].proved and self.budget.spend():
            at.assign(root)
            self.simulate(at, spare)
            self.simulations += 1
        sign = 1.0 if root.mover() == 0 else -1.0
        ranked = []
        for k in range(self.nodes[0].n_children):
            child = &self.nodes[self.nodes[0].first + k]
            certain = sign * child.outcome if child.proved else 0.0
            candidate = Candidate(child.action, child.visits, certain if child.proved else child.mean)
            ranked.append(((-certain, -candidate.visits, -candidate.value, candidate.action), candidate))
        return [candidate for _, candidate in sorted(ranked)]

    cdef int room(self, Position root) except -1:
        """Memory for the first nodes and for lists of actions."""
        if self.nodes == NULL:
            self.nodes = <Node *>malloc(FIRST_NODES * sizeof(Node))
            self.capacity = FIRST_NODES
        if self.wide < root.widest():
            free(self.actions)
            free(self.probabilities)
            self.wide = root.widest()
            self.actions = <int *>malloc(self.wide * sizeof(int))
            self.probabilities = <double *>malloc(self.wide * sizeof(double))
        if self.nodes == NULL or self.actions == NULL or self.probabilities == NULL:
            self.wide = 0
            raise MemoryError
        return 0

    cdef int expand(self, int number, Position at, Position spare) except -1:
        """Make a node's children, in random order; none if the tree is full or no player moves here."""
        cdef Node *grown
        cdef Node *child
        cdef int n, k, other, first
        cdef int mover = at.mover()
        self.nodes[number].mover = mover
        if mover == TERMINAL:
            return 0
        if mover == SIMULTANEOUS:
            raise ValueError("players move at once in this game: this search is for games in which they take turns")
        n = at.outcomes(self.actions, self.probabilities) if mover == CHANCE else at.moves(self.actions)
        if self.n_nodes + n > self.most_nodes:
            return 0
        if self.n_nodes + n > self.capacity:
            grown = <Node *>realloc(self.nodes, (2 * self.capacity + n) * sizeof(Node))
            if grown == NULL:
                raise MemoryError
            self.nodes = grown
            self.capacity = 2 * self.capacity + n
        first = <int>self.n_nodes
        for k in range(n):
            child = &self.nodes[first + k]
            fresh(child, self.actions[k])
        if mover != CHANCE:  # outcomes stay in the order of their probabilities
            for k in range(n - 1, 0, -1):
                other = below(&self.random, k + 1)
                self.nodes[first + k].action, self.nodes[first + other].action = (
                    self.nodes[first + other].action, self.nodes[first + k].action,
                )
        self.nodes[number].first = first
        self.nodes[number].n_children = n
        self.n_nodes += n
        if self.proving and mover >= 0:
            self.look_ahead(number, at, spare)
        return 0

    cdef int look_ahead(self, int number, Position at, Position spare) except -1:
        """Prove the children that end the game, and with them maybe the node: decisive moves are seen at once."""
        cdef double[2] values
        cdef Node *child
        cdef int k
        for k in range(self.nodes[number].n_children):
            child = &self.nodes[self.nodes[number].first + k]
            spare.assign(at)
            spare.make(child.action)
            if spare.mover() == TERMINAL:
                spare.results(values)
                self.low, self.high = min(self.low, values[0], values[1]), max(self.high, values[0], values[1])
                child.proved = True
                child.outcome = values[0]
        self.prove(number)
        return 0

    cdef int best(self, const Node *parent) noexcept:
        """The child to visit by UCT: the first that was not, or the one with the largest bound."""
        cdef const Node *children = self.nodes + parent.first
        cdef double scale = 2.0 / (self.high - self.low) if self.high > self.low else 0.0
        cdef double weight = self.exploration * sqrt(log(<double>parent.visits + 1e-9)) if parent.visits > 1 else 0.0
        cdef double bound, largest = -1e300
        cdef int k, chosen = 0
        if parent.visits <= parent.n_children:  # some child has not been visited, or has just been
            for k in range(parent.n_children):
                if children[k].visits == 0:
                    return parent.first + k
        for k in range(parent.n_children):
            if children[k].proved:
                bound = scale * (children[k].outcome if parent.mover == 0 else -children[k].outcome)
            else:
                bound = scale * children[k].mean + weight * children[k].spread
            if bound > largest:
                largest = bound
                chosen = k
        return parent.first + chosen

    cdef int simulate(self, Position at, Position spare) except -1:
        """One simulation: down the tree, a value for the leaf, and back up."""
        cdef int[DEEPEST] path
        cdef int[DEEPEST] movers  # who moved to the node of the path
        cdef double[MOST_PLAYERS] values
        cdef int number = 0, length = 1, k, n
        cdef bint is_end
        cdef Node *node
        path[0] = 0
        movers[0] = CHANCE
        while length < DEEPEST:
            node = &self.nodes[number]
            if node.proved:
                break
            if node.n_children == 0:
                if node.visits == 0 or node.mover == TERMINAL:
                    break  # a leaf is valued before it is expanded
                self.expand(number, at, spare)
                node = &self.nodes[number]
                if node.n_children == 0 or node.proved:
                    break
            movers[length] = node.mover
            if node.mover == CHANCE:
                n = at.outcomes(self.actions, self.probabilities)
                if n != node.n_children:
                    raise ValueError("a chance node has other outcomes than when it was reached before")
                number = node.first + sampled(self.probabilities, n, &self.random)
            else:
                number = self.best(node)
            at.make(self.nodes[number].action)
            path[length] = number
            length += 1
        node = &self.nodes[number]
        if node.proved:
            values[0], values[1] = node.outcome, -node.outcome
        else:
            is_end = at.mover() == TERMINAL
            self.evaluate(at, spare, values)
            node = &self.nodes[number]
            if is_end and self.proving:
                node.proved = True
                node.outcome = values[0]
        if node.proved:
            for k in range(length - 2, -1, -1):
                if not self.prove(path[k]):
                    break
        for k in range(length):
            node = &self.nodes[path[k]]
            node.visits += 1
            node.spread = 1.0 / sqrt(<double>node.visits)
            if movers[k] >= 0:
                node.total += values[movers[k]]
                node.mean = node.total / node.visits
        return 0

    cdef bint prove(self, int number) noexcept:
        """Whether a node's outcome follows from its children's: one wins, or all are known and, by chance, the same."""
        cdef Node *node = &self.nodes[number]
        cdef const Node *children = self.nodes + node.first
        cdef double sign = 1.0 if node.mover == 0 else -1.0
        cdef double best = -1e300
        cdef int k, known = 0
        for k in range(node.n_children):
            if children[k].proved:
                known += 1
                if node.mover == CHANCE:
                    if children[k].outcome != children[0].outcome:
                        return False
                elif sign * children[k].outcome > best:
                    best = sign * children[k].outcome
        if known < node.n_children and (node.mover == CHANCE or best < self.win):
            return False
        node.proved = True
        node.outcome = children[0].outcome if node.mover == CHANCE else sign * best
        return True

    cdef int evaluate(self, Position at, Position spare, double *values) except -1:
        """What each player may expect; ``at`` is used up."""
        cdef double[MOST_PLAYERS] sums
        cdef int n = at.players()
        cdef int k, game
        cdef int games = self.rollouts
        if at.mover() == TERMINAL:
            at.results(values)
            games = 0
        elif self.value is not None:
            state = (<Wrapped>at).state if isinstance(at, Wrapped) else at
            for k in range(n):
                values[k] = self.value(state, k)
            games = 0
        for k in range(n):
            sums[k] = 0.0
            if games == 0:
                self.low, self.high = min(self.low, values[k]), max(self.high, values[k])
        for game in range(games):
            if game < games - 1:
                spare.assign(at)
                spare.playout(&self.random, self.max_rollout, values)
            else:
                at.playout(&self.random, self.max_rollout, values)
            for k in range(n):
                self.low, self.high = min(self.low, values[k]), max(self.high, values[k])
                sums[k] += values[k]
        if games:
            for k in range(n):
                values[k] = sums[k] / games
        return 0
