"""The interface of ARC-AGI-3 agents, which receive frames and answer with actions (arc, 8)."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from vgdl.competition.tracks.arc.frame import CLICK, Frame

KEYS = (1, 2, 3, 4, 5)  #: actions without coordinates; by convention up, down, left, right, special


@dataclass(frozen=True, slots=True)
class Act:
    """An action: ``RESET`` or one of the game's available actions.

    ``x`` and ``y`` (0..63, from the top left) belong to ``CLICK`` alone. ``reasoning`` is any JSON value of at most
    16,384 bytes; it is recorded and has no influence on the game.
    """

    id: int
    x: int | None = None
    y: int | None = None
    reasoning: Any = None


@dataclass(frozen=True, slots=True)
class Task:
    """The information about a game that an agent gets before the first frame."""

    game_id: str
    available_actions: tuple[int, ...]  #: 1..7, without RESET
    win_levels: int  #: number of levels

    @property
    def keys(self) -> tuple[int, ...]:
        """The available actions without coordinates, undo excluded."""
        return tuple(action for action in self.available_actions if action in KEYS)

    @property
    def clicks(self) -> bool:
        """Whether the game accepts clicks."""
        return CLICK in self.available_actions


class FrameAgent(ABC):
    """Plays one game, from its first frame to its last.

    Subclasses implement ``act``, and may take keyword-only options after ``seed``; ``create`` passes them by name. All
    random decisions come from ``self.random``, so a seed and the same frames give the same actions.
    """

    def __init__(self, task: Task, seed: int = 0) -> None:
        self.task = task
        self.random = random.Random(f"{seed}/{task.game_id}")

    @abstractmethod
    def act(self, frame: Frame) -> Act:
        """Choose the next action.

        Called once for each answer of the game: with the frame of the RESET that starts the play, then with the frame
        that each action led to, including those with state ``GAME_OVER``. There only RESET is valid, and the runner
        sends it regardless of the agent's answer. A play ends with ``WIN``, without another call.

        Args:
            frame: the present frame; ``frame.layers[-1]`` shows the present state of the game.
        """
