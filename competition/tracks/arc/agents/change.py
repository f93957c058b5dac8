"""Common base of the agents that predict change: memory, choice of actions, and training schedule (arc, 10.2 to 10.6).

After "StochasticGoose", the winner of the ARC-AGI-3 preview competition; the specification describes it.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from vgdl.competition.tracks.arc.agents.base import Act, FrameAgent, Task
from vgdl.competition.tracks.arc.agents.experience import Experience
from vgdl.competition.tracks.arc.agents.nets import Array
from vgdl.competition.tracks.arc.agents.screen import Pixels, key_of, last_layer
from vgdl.competition.tracks.arc.frame import CLICK, RESET, Frame, State

N_KEYS = 5
NO_EFFECT = 0.01  #: weight of an action that is known not to change the present frame
Click = tuple[int, int]  #: x and y


class ChangeAgent(FrameAgent):
    """Prefers the actions that are likely to change the frame.

    Actions are numbered 0..4 for ``ACTION1`` to ``ACTION5``, then the clicks in the order of the network's outputs.

    Args:
        task: see ``FrameAgent``.
        seed: see ``FrameAgent``.
        repairs: whether to use known labels of the present frame in place of the network's predictions.
    """

    every: int  #: actions between two steps of training
    batch: int  #: entries per step, and entries needed before the first one

    def __init__(self, task: Task, seed: int = 0, *, repairs: bool = True) -> None:
        super().__init__(task, seed)
        self.repairs = repairs
        self.level = -1
        self.experience = Experience()
        self.before: Pixels | None = None  #: frame of the latest action; None after a RESET
        self.key = b""
        self.last_choice = 0
        self.n_actions = 0

    @abstractmethod
    def new_level(self, pixels: Pixels) -> None:
        """Start with an untrained network."""

    @abstractmethod
    def click(self, number: int) -> Click:
        """The pixel of a click."""

    @abstractmethod
    def predict(self, pixels: Pixels) -> tuple[Array, Array]:
        """Probability of change for each of five keys, and for each click."""

    @abstractmethod
    def learn(self, frames: list[Pixels], actions: list[int], labels: list[bool]) -> None:
        """Train on a batch."""

    def act(self, frame: Frame) -> Act:
        pixels = last_layer(frame)
        if frame.levels_completed != self.level:
            self.level = frame.levels_completed
            self.experience = Experience()
            self.before = None
            self.new_level(pixels)
        if frame.state == State.GAME_OVER:
            self.before = None
            return Act(RESET)
        if self.before is not None:
            changed = not np.array_equal(self.before, pixels)
            self.experience.add(self.key, self.before, self.last_choice, changed)
        self._train()
        return self._choose(pixels)

    def _train(self) -> None:
        if len(self.experience) < self.batch or self.n_actions % self.every:
            return
        seen = self.experience
        drawn = seen.sample(self.random, self.batch)
        self.learn([seen.frames[i] for i in drawn], [seen.actions[i] for i in drawn], [seen.labels[i] for i in drawn])

    def _choose(self, pixels: Pixels) -> Act:
        self.before, self.key = pixels, key_of(pixels)
        self.n_actions += 1
        keys, clicks = self.predict(pixels)
        available = np.isin(np.arange(1, N_KEYS + 1), self.task.keys)
        weights = np.concatenate([keys * available, clicks]).astype(np.float64)
        if self.repairs:
            for action, changed in self.experience.labels_of(self.key).items():
                weights[action] = 1.0 if changed else NO_EFFECT
        weights[N_KEYS:] /= max(len(clicks), 1)
        ends = np.cumsum(weights)
        number = int(np.searchsorted(ends, self.random.random() * ends[-1], side="right"))
        self.last_choice = min(number, len(weights) - 1)
        if self.last_choice < N_KEYS:
            return Act(self.last_choice + 1)
        x, y = self.click(self.last_choice - N_KEYS)
        return Act(CLICK, x, y)
