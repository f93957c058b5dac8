"""An agent that learns nothing: the zero of every scale."""

from __future__ import annotations

import random
from collections.abc import Sequence

from vgdl import Action
from vgdl.competition.tracks.learning.learner import Learner, Mode, Observation, Spaces
from vgdl.controllers import Timer


class Random(Learner):
    """Draws every action uniformly from those that are available."""

    observation = Mode.GRID
    view = 0

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """See `Learner`."""
        super().__init__(actions, spaces, timer, seed=seed)
        self._random = random.Random(seed)

    def act(self, observation: Observation, timer: Timer) -> Action:
        """Draw an action."""
        return self._random.choice(observation.actions)
