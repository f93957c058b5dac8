"""The compiled search of the genetic controllers: a microbial genetic algorithm over action plans."""
# ruff: noqa: F821 (structs and constants are declared in the .pxd; arrays are declared without a value)

import cython
from cython.cimports.libc.math import INFINITY
from cython.cimports.libc.stdint import int32_t
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.vgdl.controllers.search.budget import Budget
from cython.cimports.vgdl.controllers.search.forward import play_for
from cython.cimports.vgdl.controllers.search.generator import Generator
from cython.cimports.vgdl.controllers.search.value import state_value
from cython.cimports.vgdl.core.api import MAX_ACTIONS, actions, block_of, is_over, restart
from cython.cimports.vgdl.core.state import StateObservation

from vgdl import Action
from vgdl.controllers.base import Timer


class Population:
    """Plans for each first action, improved by tournaments; the answer is the first action of the fittest plan.

    Ties between first actions are broken by the mean fitness of all their plans evaluated so far.

    Controllers with another fitness override ``fitness``, which evaluates the final state of a plan; ``begin`` and
    ``watch`` see the states before it. With two players, the opponent is modelled as drawing its actions at random.
    """

    def __cinit__(self, player: int, generator: Generator, depth: int, individuals: int, *_: object) -> None:
        self.genes = cython.cast(
            cython.p_int, calloc(MAX_ACTIONS * individuals * max(depth, 1), cython.sizeof(cython.int))
        )
        self.fitnesses = cython.cast(cython.p_double, calloc(MAX_ACTIONS * individuals, cython.sizeof(cython.double)))
        self.sums = cython.cast(cython.p_double, calloc(MAX_ACTIONS, cython.sizeof(cython.double)))
        self.evaluations = cython.cast(cython.p_longlong, calloc(MAX_ACTIONS, cython.sizeof(cython.longlong)))
        self.actions = cython.cast(cython.p_int, calloc(MAX_ACTIONS, cython.sizeof(cython.int)))
        if (
            self.genes == cython.NULL
            or self.fitnesses == cython.NULL
            or self.sums == cython.NULL
            or self.evaluations == cython.NULL
            or self.actions == cython.NULL
        ):
            raise MemoryError

    def __init__(
        self, player: int, generator: Generator, depth: int, individuals: int, mutation: float, recombination: float
    ) -> None:
        """Set the search up.

        Args:
            player: whose value is sought.
            generator: source of all random numbers.
            depth: genes of a plan.
            individuals: plans for each first action, at least two.
            mutation: probability that a gene of the loser is drawn anew.
            recombination: probability that a gene of the loser becomes the winner's.
        """
        if individuals < 2:
            raise ValueError(f"a tournament needs at least 2 individuals, got {individuals}")
        self.player = player
        self.generator = generator
        self.depth = depth
        self.n_individuals = individuals
        self.mutation = mutation
        self.recombination = recombination

    def __dealloc__(self) -> None:
        free(self.genes)
        free(self.fitnesses)
        free(self.sums)
        free(self.evaluations)
        free(self.actions)

    def search(self, state: StateObservation, timer: Timer) -> Action:
        """Hold tournaments from ``state``, for each first action in turn, until the budget is used.

        The answer is NIL if no action is available, and a random action if the budget allows no tournament.
        """
        budget: Budget = Budget(timer, 2 * (self.depth + 1))
        first: cython.int = 0
        best: cython.int = 0
        self.start = state
        self.scratch = state.copy(history=False)
        self.populate()
        while self.n_actions > 0 and budget.another():
            self.tournament(first)
            first = (first + 1) % self.n_actions
        for first in range(1, self.n_actions):
            if self.better(first, best):
                best = first
        self.iterations = budget.count
        return Action(self.actions[best]) if self.n_actions > 0 else Action.NIL

    @property
    def values(self) -> dict[Action, float]:
        """The highest fitness of each evaluated first action in the last search."""
        evaluated = [k for k in range(self.n_actions) if self.evaluations[k] > 0]
        return {Action(self.actions[k]): self.best_of(k) for k in evaluated}

    def populate(self) -> cython.int:
        """Draw new random plans from the available actions."""
        k: cython.int
        choices: int32_t[MAX_ACTIONS]
        self.n_actions = actions(self.start, self.player, choices)
        self.generator.shuffle(choices, self.n_actions)
        for k in range(self.n_actions):
            self.actions[k] = choices[k]
            self.sums[k] = 0.0
            self.evaluations[k] = 0
        for k in range(self.n_actions * self.n_individuals):
            self.fitnesses[k] = -INFINITY
        for k in range(self.n_actions * self.n_individuals * self.depth):
            self.genes[k] = choices[self.generator.below(self.n_actions)]
        return 0

    def plan(self, first: cython.int, individual: cython.int) -> cython.p_int:
        """The genes of an individual: the actions after the first one."""
        return self.genes + (first * self.n_individuals + individual) * self.depth

    def tournament(self, first: cython.int) -> cython.int:
        """Evaluate two individuals with the same first action, and breed a new one in place of the loser."""
        one: cython.int = self.generator.below(self.n_individuals)
        other: cython.int = (one + 1 + self.generator.below(self.n_individuals - 1)) % self.n_individuals
        if self.evaluate(first, one) >= self.evaluate(first, other):
            return self.breed(self.plan(first, one), self.plan(first, other))
        return self.breed(self.plan(first, other), self.plan(first, one))

    def evaluate(self, first: cython.int, individual: cython.int) -> cython.double:
        """Play an individual's plan in a future of its own; stores and returns its fitness."""
        k: cython.int
        genes: cython.p_int = self.plan(first, individual)
        restart(self.scratch, block_of(self.start), self.generator.seed())
        self.begin()
        self.step(self.actions[first])
        for k in range(self.depth):
            if is_over(self.scratch):
                break
            self.step(genes[k])
        fitness: cython.double = self.fitness()
        self.fitnesses[first * self.n_individuals + individual] = fitness
        self.sums[first] += fitness
        self.evaluations[first] += 1
        return fitness

    def step(self, action: cython.int) -> cython.int:
        """Play one tick of a plan."""
        play_for(self.scratch, self.player, action, self.generator)
        return self.watch()

    def breed(self, winner: cython.p_int, loser: cython.p_int) -> cython.int:
        """Mutate the loser and recombine it with the winner, gene by gene."""
        k: cython.int
        for k in range(self.depth):
            if self.generator.uniform() < self.mutation:
                loser[k] = self.actions[self.generator.below(self.n_actions)]
            if self.generator.uniform() < self.recombination:
                loser[k] = winner[k]
        return 0

    def best_of(self, first: cython.int) -> cython.double:
        """The highest fitness among the individuals that begin with an action."""
        best: cython.double = -INFINITY
        k: cython.int
        for k in range(first * self.n_individuals, (first + 1) * self.n_individuals):
            best = max(best, self.fitnesses[k])
        return best

    def mean_of(self, first: cython.int) -> cython.double:
        """The mean fitness of all plans that began with an action in this search."""
        return self.sums[first] / self.evaluations[first] if self.evaluations[first] > 0 else -INFINITY

    def better(self, first: cython.int, other: cython.int) -> cython.bint:
        """Whether a first action is strictly better than another."""
        if self.best_of(first) != self.best_of(other):
            return self.best_of(first) > self.best_of(other)
        return self.mean_of(first) > self.mean_of(other)

    def begin(self) -> cython.int:
        """Called when an evaluation starts."""
        return 0

    def watch(self) -> cython.int:
        """Called after each tick of an evaluation."""
        return 0

    def fitness(self) -> cython.double:
        """The value of the state that a plan has led to."""
        return state_value(self.scratch, self.player)
