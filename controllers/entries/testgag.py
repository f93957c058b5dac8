"""TESTGAG: SampleGA with distances in its fitness (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

from typing import Unpack

import cython
from cython.cimports.vgdl.controllers.search.generator import Generator
from cython.cimports.vgdl.controllers.search.population import Population
from cython.cimports.vgdl.controllers.search.sprite_distances import SpriteDistances
from cython.cimports.vgdl.controllers.search.value import state_value
from cython.cimports.vgdl.core.api import is_over
from cython.cimports.vgdl.core.data.layout import MOVABLE, NPC, RESOURCE
from cython.cimports.vgdl.core.state import StateObservation

from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import GeneticController, GeneticOptions


class NearnessPopulation(Population):
    """Plans whose fitness increases with nearness to resources, NPCs and other movable sprites."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        individuals: int,
        mutation: float,
        recombination: float,
        sprite_distances: SpriteDistances,
        resource_weight: float,
        npc_weight: float,
        movable_weight: float,
    ) -> None:
        super().__init__(player, generator, depth, individuals, mutation, recombination)
        self.sprite_distances = sprite_distances
        self.resource_weight = resource_weight
        self.npc_weight = npc_weight
        self.movable_weight = movable_weight

    def fitness(self) -> cython.double:
        """The state's value plus, unless the game is over, the weighted nearness of each category."""
        value: cython.double = state_value(self.scratch, self.player)
        if is_over(self.scratch):
            return value
        self.sprite_distances.look(self.scratch, self.player)
        value += self.resource_weight * self.nearness(RESOURCE)
        value += self.npc_weight * self.nearness(NPC)
        return value + self.movable_weight * self.nearness(MOVABLE)

    def nearness(self, category: cython.int) -> cython.double:
        """1 if a sprite of the category is at the avatar's position, 0 if there is none."""
        return 1.0 - self.sprite_distances.distance_of_category(category) / self.sprite_distances.size


class TESTGAG(GeneticController):
    """SampleGA whose fitness includes the distances to resources, to NPCs and to sprites that are not static.

    Our choices where the paper says nothing: the distance is the Manhattan distance to the nearest sprite of the kind,
    relative to the largest distance on the board; nearer is better. Each kind counts less than a third of a score
    point, so that all together never outweigh one. Sprites that are not static are the movable ones, without NPCs and
    sprites created by the avatar. NPCs may or may not be harmful; they count as much as resources.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        resource_weight: float = 0.3,
        npc_weight: float = 0.3,
        movable_weight: float = 0.3,
        **options: Unpack[GeneticOptions],
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; only its board is used.
            timer: the budget; not used.
            player: whose value is sought.
            resource_weight: score points for being at a resource instead of at the largest distance.
            npc_weight: the same for NPCs; negative to avoid them.
            movable_weight: the same for other sprites that are not static.
            **options: options of `GeneticController`.
        """
        super().__init__(state, timer, player, **options)
        weights = (resource_weight, npc_weight, movable_weight)
        self._search = NearnessPopulation(*self._breeding, SpriteDistances(state), *weights)
