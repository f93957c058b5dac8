"""`genetic`: the feasible-infeasible two-population genetic algorithm of the reference (generation, 5)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from vgdl import Action
from vgdl.controllers.base import Timer
from vgdl.generation.canvas import Canvas, Pieces, mutate, one_point
from vgdl.generation.drawing import construct
from vgdl.generation.interface import Level, LevelGenerator, LevelTask, Size
from vgdl.generation.trials import Candidate, Trials
from vgdl.judging.plays import Effort, play, seed_of
from vgdl.judging.profile import logistic

POPULATION = 50  #: of each of the two
CROSSOVER = 0.7
MUTATION = 0.1
ELITE = 1
_JUDGE, _NAIVE = "olets", "random"
_EFFORT = Effort(1, 300, 500)


@dataclass
class _Individual:
    candidate: Candidate
    fitness: float  #: of a feasible one
    feasible: bool


class GeneticLevels(LevelGenerator):
    """Two populations of 50: levels that are feasible, by the value of the game they make, and levels that are not.

    The value is the mean of the reference's: the score difference between a good and a naive player, and the number of
    pairs of sprites that met the avatar. Infeasible levels are chosen by how many constraints they meet.
    """

    def __init__(self, game: LevelTask, timer: Timer, *, seed: int) -> None:
        super().__init__(game, timer, seed=seed)
        self._pieces = Pieces(game.description)
        self._seed = seed

    def generate(self, size: Size, timer: Timer, *, difficulty: str | None = None) -> Level:
        trials = Trials(self.game, self._seed, difficulty)
        known: list[_Individual] = []
        for _ in range(POPULATION):
            if timer.exceeded and known:
                break
            self._try(construct(self._pieces, size, self.generator), trials, known)
        while not timer.exceeded:
            feasible = self._ranked(known, feasible=True)[:POPULATION]
            infeasible = self._ranked(known, feasible=False)[:POPULATION]
            known = [*feasible[:ELITE], *infeasible[:ELITE]]
            for population in (feasible, infeasible):
                for _ in range(POPULATION if population else 0):
                    if timer.exceeded:
                        break
                    self._try(self._child(population), trials, known)
            known += [*feasible[ELITE:], *infeasible[ELITE:]]
        best = [*self._ranked(known, feasible=True), *self._ranked(known, feasible=False)]
        return Level(
            best[0].candidate.canvas.grid.text if best else construct(self._pieces, size, self.generator).grid.text
        )

    def _child(self, population: Sequence[_Individual]) -> Canvas:
        one, other = (_by_rank(population, self.generator).candidate.canvas for _ in range(2))
        child = one_point(one, other, self.generator) if self.generator.random() < CROSSOVER else one.copy()
        if self.generator.random() < MUTATION:
            mutate(child, self.generator)
        return child

    def _try(self, canvas: Canvas, trials: Trials, known: list[_Individual]) -> None:
        candidate = trials.quick(canvas)
        if candidate is None:
            return
        fitness = 0.0
        if candidate.feasibility.is_feasible:
            seed = seed_of("genetic", self._seed)
            best, naive = (
                play(candidate.board, name, seed, _EFFORT, meter=self.game.meter) for name in (_JUDGE, _NAIVE)
            )
            candidate.feasibility = candidate.feasibility.with_wins(best.ticks if best.won else None)
            difference = (best.score - naive.score) / max(1.0, best.score)
            fitness = (logistic(difference) + _met(candidate, best.actions, seed)) / 2
        known.append(_Individual(candidate, fitness, candidate.feasibility.is_feasible))

    @staticmethod
    def _ranked(known: Sequence[_Individual], *, feasible: bool) -> list[_Individual]:
        own = [one for one in known if one.feasible is feasible]
        return sorted(own, key=lambda one: -(one.fitness if feasible else one.candidate.feasibility.mean))


def _by_rank(population: Sequence[_Individual], generator: random.Random) -> _Individual:
    """One of a ranked population, the first with the greatest chance."""
    return generator.choices(population, range(len(population), 0, -1))[0]


def _met(candidate: Candidate, actions: Sequence[tuple[int, ...]], seed: int) -> float:
    """The reference's value of the different pairs of types in the avatar events of a play."""
    state = candidate.board.start(seed)
    state.rollout([Action(tick[0]) for tick in actions])
    return logistic(len({(event.active_type, event.passive_type) for event in state.events}) / 3.0)
