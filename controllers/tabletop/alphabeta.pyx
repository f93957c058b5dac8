"""Alpha-beta with iterative deepening and a transposition table, for two players, without chance or hidden information.

Principal variation search: the first action with the full window, the others with an empty one unless they turn out to be
better. Actions are ordered by the table, then by how often they were good elsewhere. Where the same player moves again, as
in some variants of Othello, values keep their sign. Leaves are valued by a function, or by what a compiled game knows of
itself; returns are scaled to [-1, 1], so a certain win is worth more than any guess. A search that has seen the ends of all
games stops.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from vgdl.controllers.tabletop.budget cimport Budget
from vgdl.tabletop.position cimport CompiledState, Position, Wrapped

from vgdl.controllers.tabletop.answers import Candidate

cdef enum:
    TERMINAL = -4
    MOST_PLIES = 256
    EXACT = 0
    LOWER = 1
    UPPER = 2

cdef double GUESS = 0.999  # no guess is worth more
cdef double NARROW = 1e-6  # an empty window: wider than the rounding of the table's floats


cdef class AlphaBeta:
    """Plays by alpha-beta. The same number of nodes leads to the same actions.

    >>> from vgdl import tabletop
    >>> from vgdl.controllers.tabletop import AlphaBeta
    >>> state = tabletop.load("othello(size=4)").new_initial_state()
    >>> state.action_to_string(AlphaBeta(nodes=100).step(state))
    'b1'
    """

    def __init__(self, *, nodes=None, milliseconds=None, max_depth=MOST_PLIES - 2, value=None, table_bits=18):
        """Set the search up; nothing is kept from one move to the next.

        Args:
            nodes: per move; 100,000 unless ``milliseconds`` is given.
            milliseconds: CPU time per move.
            max_depth: plies.
            value: function of a state and a player, in units of returns; by default what a compiled game guesses, or 0.
            table_bits: the transposition table has two to the power of so many entries of 24 bytes.

        Raises:
            ValueError: a number is out of range.
        """
        if nodes is None and milliseconds is None:
            nodes = 100_000
        if not 1 <= max_depth <= MOST_PLIES - 2:
            raise ValueError(f"a search goes 1 to {MOST_PLIES - 2} plies deep, not {max_depth}")
        if not 1 <= table_bits <= 28:
            raise ValueError(f"a table has 2 to the power of 1 to 28 entries, not of {table_bits}")
        self.budget = Budget(nodes, milliseconds)
        self.max_depth = max_depth
        self.value = value
        self.mask = (<uint64_t>1 << <int>table_bits) - 1

    def __dealloc__(self):
        free(self.table)
        free(self.actions)
        free(self.history)

    def step(self, state):
        """The action to take, as a ``pyspiel.Bot`` would answer; if only one is legal, without a search."""
        legal = state.legal_actions()
        return legal[0] if len(legal) == 1 else self.search(state)[0].action

    def search(self, state):
        """All legal actions as `Candidate`, the one to take first.

        Values of actions that were found to be worse than the best are bounds: they are worth no more.

        Raises:
            ValueError: no player is to move, or the game is not one for two players with opposite interests, without chance
                and with perfect information.
        """
        cdef Position root
        cdef int depth, mover
        cdef double best, worth
        cdef long long before
        _check(state.get_game())
        if state.current_player() < 0:
            raise ValueError("it is not a player's turn: there is nothing to search for")
        root = state if isinstance(state, CompiledState) and self.value is None else Wrapped(state, self.value)
        self.prepare(root, state.get_game())
        mover = root.mover()
        found = [Candidate(action, 0, 0.0) for action in state.legal_actions()]
        for depth in range(1, self.max_depth + 1):
            self.horizon = False
            best = -2.0
            refined = []
            for candidate in found:
                before = self.nodes
                worth = self.after(root, candidate.action, mover, depth - 1, 0, best, 2.0, bool(refined))
                if self.stopped:
                    break
                refined.append(Candidate(candidate.action, self.nodes - before, worth * self.unit))
                best = max(best, worth)
            # An iteration that was cut short counts as far as it went: it began with what was best so far.
            refined.sort(key=lambda candidate: -candidate.value)
            found = refined if not self.stopped else _merged(refined, found)
            if self.stopped:
                break
            self.depth = depth
            self.solved = not self.horizon
            if self.solved:
                break
        return found

    cdef int prepare(self, Position root, object game) except -1:
        """Memory and an empty table."""
        cdef int wide = root.widest()
        cdef int n_actions = game.num_distinct_actions()
        if self.table == NULL:
            self.table = <Entry *>malloc((self.mask + 1) * sizeof(Entry))
        if self.wide < wide or self.n_actions < n_actions:
            free(self.actions)
            free(self.history)
            self.actions = <int *>malloc(<size_t>wide * MOST_PLIES * sizeof(int))
            self.history = <long long *>malloc(2 * <size_t>n_actions * sizeof(long long))
            self.wide, self.n_actions = wide, n_actions
        if self.table == NULL or self.actions == NULL or self.history == NULL:
            self.wide = 0
            raise MemoryError
        memset(self.table, 0, (self.mask + 1) * sizeof(Entry))
        memset(self.history, 0, 2 * <size_t>self.n_actions * sizeof(long long))
        self.stack = [None] * MOST_PLIES  # filled as far down as the search goes
        self.unit = max(abs(game.max_utility()), abs(game.min_utility()))
        self.depth = 0
        self.nodes = 0
        self.solved = self.stopped = False
        self.budget.begin(64 if isinstance(root, CompiledState) else 1)
        return 0

    cdef double after(
        self, Position at, int action, int mover, int depth, int ply, double alpha, double beta, bint scout
    ) except? -9:
        """What an action is worth to the mover; with ``scout`` first only whether it is worth more than ``alpha``."""
        cdef double[2] values
        cdef double worth
        cdef int following
        cdef Position child = <Position>self.stack[ply]
        if child is None:
            child = at.twin()
            self.stack[ply] = child
        else:
            child.assign(at)
        child.make(action)
        following = child.mover()
        if following == TERMINAL:
            child.results(values)
            return values[mover] / self.unit
        if scout:
            worth = self.seen_by(child, following == mover, depth, ply + 1, alpha, alpha + NARROW)
            if worth <= alpha or worth >= beta or self.stopped:
                return worth
        return self.seen_by(child, following == mover, depth, ply + 1, alpha, beta)

    cdef double seen_by(self, Position at, bint same, int depth, int ply, double alpha, double beta) except? -9:
        """The worth of a position to the player who moved before: who moves again keeps the sign."""
        if same:
            return self.worth(at, depth, ply, alpha, beta)
        return -self.worth(at, depth, ply, -beta, -alpha)

    cdef double worth(self, Position at, int depth, int ply, double alpha, double beta) except? -9:
        """What a position is worth to its mover, as far as it lies between ``alpha`` and ``beta``."""
        cdef int mover = at.mover()
        cdef int *actions = self.actions + <size_t>ply * self.wide
        cdef uint64_t key
        cdef Entry *entry
        cdef double best = -2.0, floor = alpha, worth
        cdef bint outer = self.horizon
        cdef int k, n, chosen = -1
        if mover < 0:
            raise ValueError("no player is to move, in a game that says that players take turns without chance")
        if not self.budget.spend():
            self.stopped = True
            return 0.0
        self.nodes += 1
        if depth <= 0 or ply >= MOST_PLIES - 1:
            self.horizon = True
            return max(-GUESS, min(GUESS, at.estimate(mover) / (1.0 if isinstance(at, CompiledState) else self.unit)))
        key = at.fingerprint() | 1  # 0 is an empty entry
        entry = &self.table[(key >> 1) & self.mask]
        if entry.key == key:
            chosen = entry.action
            if entry.depth >= depth or entry.solved:
                if entry.bound == EXACT or (entry.bound == LOWER and entry.value >= beta) or (
                    entry.bound == UPPER and entry.value <= alpha
                ):
                    self.horizon = outer or not entry.solved
                    return entry.value
        self.horizon = False
        n = at.moves(actions)
        self.order(actions, n, mover, chosen)
        chosen = actions[0]
        for k in range(n):
            worth = self.after(at, actions[k], mover, depth - 1, ply, alpha, beta, k > 0)
            if self.stopped:
                return 0.0
            if worth > best:
                best = worth
                chosen = actions[k]
            alpha = max(alpha, best)
            if alpha >= beta:
                self.history[mover * self.n_actions + chosen] += depth * depth
                break
        entry.key = key
        entry.value = best
        entry.action = chosen
        entry.depth = depth
        entry.bound = LOWER if best >= beta else UPPER if best <= floor else EXACT
        entry.solved = not self.horizon
        self.horizon = outer or self.horizon
        return best

    cdef int order(self, int *actions, int n, int mover, int first) noexcept:
        """Sort: ``first``, then by how often an action was good elsewhere; equal ones stay in ascending order."""
        cdef const long long *history = self.history + mover * self.n_actions
        cdef int k, place, action
        for k in range(1, n):
            action = actions[k]
            place = k
            while place and actions[place - 1] != first and (
                action == first or history[action] > history[actions[place - 1]]
            ):
                actions[place] = actions[place - 1]
                place -= 1
            actions[place] = action
        return 0


def _merged(refined, found):
    """The candidates of an iteration that was cut short, if its best is better than what it began with, then the others."""
    if not refined:
        return found
    best = refined[0]
    return [best, *(candidate for candidate in found if candidate.action != best.action)]


def _check(game):
    """Raise ValueError unless alpha-beta is made for a game."""
    kind = game.get_type()
    for wanted, has in (
        ("two players", game.num_players() == 2),
        ("players who take turns", kind.dynamics.name == "SEQUENTIAL"),
        ("no chance", kind.chance_mode.name == "DETERMINISTIC"),
        ("perfect information", kind.information.name == "PERFECT_INFORMATION"),
        ("returns that add up to zero", kind.utility.name == "ZERO_SUM"),
    ):
        if not has:
            raise ValueError(f"alpha-beta plays games with {wanted}, and {kind.short_name} is none")
