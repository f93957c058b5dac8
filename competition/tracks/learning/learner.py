"""The interface of agents that learn while they play (learning, 3)."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from vgdl import Action, Winner
from vgdl.competition.tracks.learning.spaces import Mode, Spaces
from vgdl.controllers import Timer

__all__ = ["Avatar", "Learner", "Mode", "Observation", "Spaces"]


@dataclass(frozen=True, slots=True)
class Avatar:
    """The avatar, in the mode ``sprites``; positions in pixels."""

    type: int
    id: int
    position: tuple[int, int]
    orientation: tuple[float, float]
    speed: float
    limit_health: int
    last_action: Action
    is_alive: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """What an agent sees of a game in one tick.

    ``data`` depends on the mode: an array for ``grid``, ``rgb`` and ``sprites`` (int32, a row per sprite, columns as in
    `SPRITE_COLUMNS`), text for ``text``, a dictionary for ``json``. Arrays are read-only and belong to the agent.
    """

    data: Any
    tick: int  #: ticks played so far
    score: float
    health: int  #: 0 without an avatar
    max_health: int
    resources: Mapping[int, int]  #: amount by type
    actions: tuple[Action, ...]  #: available now, with NIL; only NIL without an avatar
    is_over: bool  #: whether the game has ended; False in ``result`` if the play was cut off by a limit
    winner: Winner
    avatar: Avatar | None = None  #: mode ``sprites``: None if it is gone
    block_size: int = 0  #: mode ``sprites``: pixels per cell
    world_dimension: tuple[int, int] = (0, 0)  #: mode ``sprites``: width and height of the screen in pixels


class Learner(abc.ABC):
    """An agent: it sees observations, acts, and must learn. It has no forward model and knows no rules.

    One object plays all plays of a run: first every training level once, then training levels of its own choice until
    its learning budget is spent or it stops; then the validation levels, which it has never seen. Only the validation
    counts. An agent may learn in any method, in validation too, within the limits of time.

    All its random numbers must come from generators seeded with ``seed``; then a run is repeatable.
    """

    observation: ClassVar[Mode | str] = Mode.GRID  #: the form of its observations
    view: ClassVar[int | None] = None  #: cells to see on each side of the avatar; None: the whole board

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """Prepare for a game; 1 s.

        Args:
            actions: all actions that an avatar of the game may have, with NIL.
            spaces: the form of the observations, and the learning budget.
            timer: the time of this call.
            seed: of all random numbers.
        """
        self.actions = tuple(actions)
        self.spaces = spaces
        self._plays = 0

    def init(  # noqa: B027 (optional by design)
        self, observation: Observation, timer: Timer, *, level: int, validation: bool
    ) -> None:
        """A play begins; 1 s.

        Args:
            observation: before the first tick.
            timer: the time of this call.
            level: number of the level.
            validation: whether this play counts.
        """

    @abc.abstractmethod
    def act(self, observation: Observation, timer: Timer) -> Action:
        """Choose the action of this tick; 40 ms. Later than that, NIL is played; after 50 ms, the agent is out."""

    def result(self, observation: Observation, timer: Timer) -> int | None:
        """A play ended; the place to learn at length.

        Args:
            observation: the last one of the play.
            timer: the time of this call: 60 s, or with a budget of time what is left of it, at least 1 s.

        Returns:
            The number of the next training level, or None to end the training. In the first play of each training
            level and in validation, the answer has no effect. By default, the training levels take turns.
        """
        self._plays += 1
        return self.spaces.training[self._plays % len(self.spaces.training)]
