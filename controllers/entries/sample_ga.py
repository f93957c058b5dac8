"""SampleGA: a rolling-horizon microbial genetic algorithm (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

from typing import Unpack

from vgdl import StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import GeneticController, GeneticOptions
from vgdl.controllers.search.population import Population


class SampleGA(GeneticController):
    """Evolves action plans in tournaments of two; the loser is mutated and recombined with the winner.

    A genome has ``depth`` genes for each available action, played after that action, so the fittest plan of an action
    gives the action's value. Fitness is SampleMCTS's ``state_value`` of the state that a plan leads to.

    Our choices where the paper says nothing: a tournament compares two plans with the same first action, and first
    actions take turns, so that all are evaluated equally often. Each has ``individuals`` plans, drawn anew every tick.
    A plan's fitness is that of its last evaluation; each evaluation has a future of its own. Ties between the best
    plans of actions are broken by the mean fitness of all evaluated plans.

    With two players, the opponent is modelled as drawing its actions at random.
    """

    def __init__(
        self, state: StateObservation, timer: Timer, player: int = 0, **options: Unpack[GeneticOptions]
    ) -> None:
        """Set the search up with the options of `GeneticController`."""
        super().__init__(state, timer, player, **options)
        self._search = Population(*self._breeding)
