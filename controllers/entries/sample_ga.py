"""SampleGA: a rolling-horizon microbial genetic algorithm (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

from typing import Unpack

from vgdl import StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import GeneticController, GeneticOptions
from vgdl.controllers.search.population import Population


class SampleGA(GeneticController):
    """Breeds plans of actions; two at a time play, and the loser is mutated and recombined with the winner.

    A genome has ``depth`` genes for each available action, which are played after it; so the fittest plan of an action
    tells what the action is worth. Fitness is SampleMCTS's ``state_value`` of the state that a plan leads to.

    What the paper leaves open, and what was chosen: a tournament is between two plans that begin with the same action,
    and the actions take turns, so that all are known equally well. There are ``individuals`` plans for each action,
    drawn anew in every tick. A plan counts as fit as it was in its last evaluation, each in a future of its own. Among
    actions whose best plans are equally fit, the mean of all that were evaluated decides.

    With two players, the other one is taken to draw its actions.
    """

    def __init__(
        self, state: StateObservation, timer: Timer, player: int = 0, **options: Unpack[GeneticOptions]
    ) -> None:
        """Set the search up with the options of `GeneticController`."""
        super().__init__(state, timer, player, **options)
        self._search = Population(*self._breeding)
