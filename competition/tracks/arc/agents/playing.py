"""Plays of games by agents, with actions counted as for scoring (arc, 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from vgdl.competition.tracks.arc.agents.base import FrameAgent
from vgdl.competition.tracks.arc.environment import Environment
from vgdl.competition.tracks.arc.frame import RESET, Frame, State


@dataclass(slots=True)
class Play:
    """The record of an agent's play."""

    level_actions: list[int] = field(default_factory=list)  #: actions spent on each finished level
    actions: int = 0  #: all of them, level resets included
    resets: int = 0
    won: bool = False

    @property
    def levels_completed(self) -> int:
        return len(self.level_actions)


def play(
    agent: FrameAgent, environment: Environment, most_actions: int, watch: Callable[[Play, Frame], None] | None = None
) -> Play:
    """Play until the game is won or the actions are used up; after ``GAME_OVER`` the level is reset.

    Args:
        agent: a new agent for this game.
        environment: the game's environment; it is reset first.
        most_actions: limit of actions, including level resets.
        watch: called after each action.
    """
    result = Play()
    frame = environment.reset()
    before = 0  # actions when the present level began
    while result.actions < most_actions:
        act = agent.act(frame)
        if act.id == RESET or frame.state == State.GAME_OVER:
            frame = environment.reset()
            result.resets += 1
        else:
            frame = environment.step(act.id, act.x, act.y, act.reasoning)
        result.actions += 1
        while result.levels_completed < frame.levels_completed:
            result.level_actions.append(result.actions - before)
            before = result.actions
        if watch is not None:
            watch(result, frame)
        if frame.state == State.WIN:
            result.won = True
            break
    return result
