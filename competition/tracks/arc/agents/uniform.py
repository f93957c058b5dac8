"""The baseline agent: uniformly random actions."""

from __future__ import annotations

from vgdl.competition.tracks.arc.agents.base import Act, FrameAgent
from vgdl.competition.tracks.arc.frame import CLICK, RESET, SIZE, Frame, State


class Uniform(FrameAgent):
    """Draws an available action, and a pixel for a click."""

    def act(self, frame: Frame) -> Act:
        if frame.state == State.GAME_OVER:
            return Act(RESET)
        action = self.random.choice(self.task.available_actions)
        if action == CLICK:
            return Act(CLICK, self.random.randrange(SIZE), self.random.randrange(SIZE))
        return Act(action)
