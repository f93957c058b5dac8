"""Yraid: SampleGA that learns which sprites are harmful or helpful (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

from typing import Unpack

import cython
from cython.cimports.vgdl.controllers.search.generator import Generator
from cython.cimports.vgdl.controllers.search.population import Population
from cython.cimports.vgdl.controllers.search.sprite_distances import TypeValues
from cython.cimports.vgdl.controllers.search.value import state_value
from cython.cimports.vgdl.core.api import is_over
from cython.cimports.vgdl.core.state import StateObservation

from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import GeneticController, GeneticOptions


class LearningPopulation(Population):
    """Plans whose fitness increases near helpful sprites and decreases near harmful ones."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        individuals: int,
        mutation: float,
        recombination: float,
        proximity_weight: float,
        type_values: TypeValues,
    ) -> None:
        super().__init__(player, generator, depth, individuals, mutation, recombination)
        self.proximity_weight = proximity_weight
        self.type_values = type_values

    def begin(self) -> cython.int:
        return self.type_values.begin(self.scratch, self.player)

    def watch(self) -> cython.int:
        return self.type_values.learn(self.scratch)

    def fitness(self) -> cython.double:
        """The state's value plus, unless the game is over, the weighted outlook."""
        value: cython.double = state_value(self.scratch, self.player)
        return value if is_over(self.scratch) else value + self.proximity_weight * self.type_values.outlook()


class Yraid(GeneticController):
    """SampleGA whose fitness includes the nearness of sprites that proved helpful or harmful.

    Our choices where the paper says nothing: the value of a type is learned over the whole game, from every simulated
    tick in which the avatar touches it: whether the tick raised or lowered the score, won or lost (``TypeValues``). The
    fitness of a plan is the value of its final state plus, for each type, its value, -1 ... 1, times its nearness,
    times ``proximity_weight`` score points.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        proximity_weight: float = 0.5,
        rate: float = 0.1,
        **options: Unpack[GeneticOptions],
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; determines the types.
            timer: the budget; not used.
            player: whose value is sought.
            proximity_weight: score points for a helpful or harmful sprite beside the avatar.
            rate: learning rate of the type values.
            **options: options of `GeneticController`.
        """
        super().__init__(state, timer, player, **options)
        self._search = LearningPopulation(*self._breeding, proximity_weight, TypeValues(state, rate))
