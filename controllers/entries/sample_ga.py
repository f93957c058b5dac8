"""SampleGA: a rolling-horizon microbial genetic algorithm (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.population import Population


class SampleGA(Controller):
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
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        depth: int = 7,
        individuals: int = 5,
        mutation: float = 1.0 / 7.0,
        recombination: float = 0.1,
        seed: int | None = None,
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: whose value is sought.
            depth: actions of a plan after its first one.
            individuals: plans for each first action.
            mutation: probability that a gene of a loser is drawn anew.
            recombination: probability that a gene of a loser becomes the winner's.
            seed: of the controller's random numbers.
        """
        super().__init__(state, timer, player)
        self._search = Population(player, Generator(seed), depth, individuals, mutation, recombination)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return self._search.search(state, timer)

    def draw(self) -> dict[Action, float]:
        """What the last answer held the actions to be worth, for those who watch."""
        return self._search.values
