"""A state of the learnt text beside an observed play, for controllers to plan on."""

from __future__ import annotations

import random

from vgdl import Action
from vgdl.core.state import StateObservation
from vgdl.induction.learner import Learner
from vgdl.induction.likelihood import World
from vgdl.induction.observations import Frame, layout_of


class Shadow:
    """A state of the learnt text that looks like the observed one.

    Args:
        learner: its best hypothesis is followed.
        frame: the first state of the play, as an `Observer` sees it.
        draws: the source of the random numbers of what is not observed.

    Raises:
        VGDLError: if the learnt text cannot be started.
    """

    _state: StateObservation
    _last: Frame

    def __init__(self, learner: Learner, frame: Frame, draws: random.Random) -> None:
        self._learner, self._draws = learner, draws
        self._begin(learner.numbered(frame))

    def view(self) -> StateObservation:
        """A copy for a controller, with future random numbers of its own."""
        state = self._state.copy()
        state.reseed(self._draws.getrandbits(31))
        return state

    def follow(self, action: Action, frame: Frame) -> bool:
        """Advance by the action that was taken, and match the next observation.

        Returns:
            Whether a type was seen for the first time: then the states are those of another board from now on, and
            controllers have to be made anew.

        Raises:
            VGDLError: if the learnt text cannot be continued.
        """
        seen = self._learner.numbered(frame)
        if max(seen.types, default=0) >= len(self._world.numbers):  # a type that was never seen before
            self._begin(seen)
            return True
        shown = seen.renumbered(self._world.numbers)
        self._state.advance(action)
        self._state = self._world.placed(self._board, shown, self._state, self._last, self._draws.getrandbits(20))
        self._last = shown
        return False

    def _begin(self, seen: Frame) -> None:
        self._world = World(self._learner.aimed)
        self._board = self._world.board(layout_of(seen, self._learner.evidence.steady(seen)))
        self._last = seen.renumbered(self._world.numbers)
        self._state = self._world.placed(self._board, self._last, None, None, 0)
