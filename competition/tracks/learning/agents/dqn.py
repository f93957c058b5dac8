"""Deep Q-learning (Mnih et al., 2015) on the planes of the board; settings fixed for all games.

Double Q-learning (van Hasselt et al., 2016) with returns over `STEPS` ticks. The network learns in ``act``, a minibatch
every `EVERY` ticks, so that the learning is spread evenly over the plays; it does not learn in validation.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from vgdl import Action
from vgdl.competition.tracks.learning.agents.networks import VIEW, WIN, Network, Scale, batch
from vgdl.competition.tracks.learning.agents.tabular import reward_of
from vgdl.competition.tracks.learning.learner import Learner, Mode, Observation, Spaces
from vgdl.controllers import Timer

MEMORY = 50_000  #: ticks that are remembered
WARM_UP = 250  #: ticks before learning begins
EVERY = 4
MINIBATCH = 32
RATE = 5e-4
DISCOUNT = 0.99
STEPS = 3
RENEWAL = 250  #: minibatches after which the target network is renewed
LEAST = 0.02  #: epsilon, and in validation
DECAY = 0.3  #: share of the learning budget over which epsilon falls from 1 to that
TIMED_DECAY = 10_000.0  #: ticks of it if the budget is a time


class DQN(Learner):
    """Values of actions, learnt from remembered ticks."""

    observation = Mode.GRID
    view = VIEW

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """Build the networks, and run them once so that later calls do not pay for their set-up."""
        super().__init__(actions, spaces, timer, seed=seed)
        torch.manual_seed(seed)
        self._draws = np.random.default_rng(seed)
        self._network = Network(spaces, (len(self.actions),))
        self._target = copy.deepcopy(self._network)
        self._optimizer = torch.optim.Adam(self._network.parameters(), lr=RATE, eps=1e-4, fused=True)
        self._scale = Scale(DISCOUNT)
        self._memory = _Memory(spaces)
        self._decay = TIMED_DECAY if spaces.is_timed else max(1.0, DECAY * spaces.budget)
        self._steps = self._updates = 0
        self._validation = False
        self._last: tuple[NDArray[np.uint8], int, float] | None = None
        self._recent: deque[tuple[NDArray[np.uint8], int, float]] = deque()
        for size in (1, MINIBATCH):
            self._network(torch.zeros(size, *spaces.shape))[0].sum().backward()
        self._optimizer.zero_grad()

    def init(self, observation: Observation, timer: Timer, *, level: int, validation: bool) -> None:
        """Begin a play."""
        self._validation = validation
        self._last = None
        self._recent.clear()

    def act(self, observation: Observation, timer: Timer) -> Action:
        """Choose by epsilon-greedy; every few ticks, learn from remembered ones."""
        self._note(observation)
        epsilon = LEAST if self._validation else max(LEAST, 1.0 - self._steps / self._decay)
        if self._draws.random() < epsilon:
            choice = int(self._draws.integers(len(self.actions)))
        else:
            with torch.inference_mode():
                choice = int(self._network(batch(observation.data))[0].argmax())
        if not self._validation:
            self._last = observation.data, choice, observation.score
            self._steps += 1
            if self._steps % EVERY == 0 and self._memory.size >= WARM_UP:
                self._learn()
        return self.actions[choice]

    def result(self, observation: Observation, timer: Timer) -> int | None:
        """Remember the end of the play."""
        self._note(observation, ended=True)
        self._last = None
        return super().result(observation, timer)

    def _note(self, observation: Observation, *, ended: bool = False) -> None:
        """Remember the ticks whose return is known now that this observation follows."""
        if self._last is None:
            return
        seen, choice, score = self._last
        self._recent.append((seen, choice, self._scale(reward_of(observation, score, WIN), ended=ended)))
        while self._recent and (ended or len(self._recent) == STEPS):
            total = sum(DISCOUNT**k * reward for k, (_, _, reward) in enumerate(self._recent))
            after = 0.0 if observation.is_over else DISCOUNT ** len(self._recent)
            first, chosen, _ = self._recent.popleft()
            self._memory.add(first, chosen, total, observation.data, after)

    def _learn(self) -> None:
        seen, choices, totals, following, discounts = self._memory.sample(self._draws)
        with torch.no_grad():
            best = self._network(following)[0].argmax(1, keepdim=True)
            targets = totals + discounts * self._target(following)[0].gather(1, best)[:, 0]
        values = self._network(seen)[0].gather(1, choices[:, None])[:, 0]
        loss: Any = nn.functional.smooth_l1_loss(values, targets)
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), 10.0)
        self._optimizer.step()
        self._updates += 1
        if self._updates % RENEWAL == 0:
            self._target.load_state_dict(self._network.state_dict())


class _Memory:
    """The last `MEMORY` ticks, eight zeros and ones to a byte."""

    def __init__(self, spaces: Spaces) -> None:
        self._shape = spaces.shape
        self._count = int(np.prod(spaces.shape))
        width = -(-self._count // 8)
        self._room = int(min(MEMORY, max(WARM_UP, spaces.budget))) if not spaces.is_timed else MEMORY
        self._observations = np.zeros((self._room, width), np.uint8)
        self._following = np.zeros((self._room, width), np.uint8)
        self._choices = np.zeros(self._room, np.int64)
        self._totals = np.zeros(self._room, np.float32)
        self._discounts = np.zeros(self._room, np.float32)
        self.size = self._next = 0

    def add(
        self, observation: NDArray[np.uint8], choice: int, total: float, following: NDArray[np.uint8], discount: float
    ) -> None:
        """Add a tick in place of the oldest."""
        place = self._next
        self._observations[place] = np.packbits(observation)
        self._following[place] = np.packbits(following)
        self._choices[place], self._totals[place], self._discounts[place] = choice, total, discount
        self._next = (place + 1) % self._room
        self.size = min(self.size + 1, self._room)

    def sample(self, draws: np.random.Generator) -> tuple[torch.Tensor, ...]:
        """A minibatch: observations, choices, returns, following observations, and the discounts of their values."""
        places = draws.integers(self.size, size=MINIBATCH)
        return (
            self._batch(self._observations[places]),
            torch.from_numpy(self._choices[places]),
            torch.from_numpy(self._totals[places]),
            self._batch(self._following[places]),
            torch.from_numpy(self._discounts[places]),
        )

    def _batch(self, packed: NDArray[np.uint8]) -> torch.Tensor:
        return batch(np.unpackbits(packed, axis=1, count=self._count).reshape(len(packed), *self._shape))
