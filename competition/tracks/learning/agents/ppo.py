"""Proximal policy optimisation (Schulman et al., 2017) on the planes of the board; settings fixed for all games.

Ticks are collected in ``act``, which only evaluates the network; the policy is improved in ``result``, as soon as
`ROLLOUT` ticks are there, and when the learning budget is spent. It does not learn in validation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from vgdl import Action
from vgdl.competition.tracks.learning.agents.networks import VIEW, WIN, Network, Scale, batch
from vgdl.competition.tracks.learning.agents.tabular import reward_of
from vgdl.competition.tracks.learning.learner import Learner, Mode, Observation, Spaces
from vgdl.controllers import Timer

ROLLOUT = 256  #: least number of ticks to learn from
MOST = 8192  #: greatest number
EPOCHS = 6
MINIBATCH = 64
RATE = 1e-3
DISCOUNT = 0.99
TRACE = 0.9  #: lambda of the advantage estimate
CLIP = 0.2
ENTROPY = 0.01
VALUE = 0.5
GRADIENT = 0.5  #: greatest norm
SPARE_MS = 500.0  #: of the time of ``result``, left unused


class PPO(Learner):
    """A policy and a value, learnt from the agent's own plays."""

    observation = Mode.GRID
    view = VIEW

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """Build the network, and run it once so that later calls do not pay for its set-up."""
        super().__init__(actions, spaces, timer, seed=seed)
        torch.manual_seed(seed)
        self._draws = np.random.default_rng(seed)
        self._network = Network(spaces, (len(self.actions), 1))
        self._optimizer = torch.optim.Adam(self._network.parameters(), lr=RATE, eps=1e-5, fused=True)
        self._scale = Scale(DISCOUNT)
        self._rollout = _Rollout(spaces.shape)
        self._steps = 0
        self._validation = False
        self._last: tuple[NDArray[np.uint8], int, float, float, float] | None = None
        for size in (1, MINIBATCH):
            logits, values = self._network(torch.zeros(size, *spaces.shape))
            (logits.sum() + values.sum()).backward()
        self._optimizer.zero_grad()

    def init(self, observation: Observation, timer: Timer, *, level: int, validation: bool) -> None:
        """Begin a play."""
        self._validation = validation
        self._last = None

    def act(self, observation: Observation, timer: Timer) -> Action:
        """Draw an action from the policy."""
        self._note(observation)
        with torch.inference_mode():
            logits, value = self._network(batch(observation.data))
            log = torch.log_softmax(logits[0], 0).numpy().astype(np.float64)
        chances = np.exp(log)
        choice = int(self._draws.choice(len(self.actions), p=chances / chances.sum()))
        if not self._validation:
            self._last = observation.data, choice, float(log[choice]), float(value[0, 0]), observation.score
            self._steps += 1
        return self.actions[choice]

    def result(self, observation: Observation, timer: Timer) -> int | None:
        """Learn from the ticks collected, if they are enough."""
        self._note(observation, ended=True)
        self._last = None
        is_spent = not self.spaces.is_timed and self._steps >= self.spaces.budget
        if not self._validation and (self._rollout.size >= ROLLOUT or (is_spent and self._rollout.size >= MINIBATCH)):
            self._learn(timer)
        return super().result(observation, timer)

    def _note(self, observation: Observation, *, ended: bool = False) -> None:
        """Remember the tick that led to this observation."""
        if self._last is None:
            return
        seen, choice, log, value, score = self._last
        reward = self._scale(reward_of(observation, score, WIN), ended=ended)
        after = 0.0
        if ended and not observation.is_over:  # cut off: the play would have gone on
            with torch.inference_mode():
                after = float(self._network(batch(observation.data))[1][0, 0])
        self._rollout.add(seen, choice, log, value, reward + DISCOUNT * after, ended)

    def _learn(self, timer: Timer) -> None:
        rollout = self._rollout
        advantages, returns = rollout.advantages()
        choices, logs = torch.tensor(rollout.choices), torch.tensor(rollout.logs, dtype=torch.float32)
        planes = rollout.planes()
        for _ in range(EPOCHS):
            order = self._draws.permutation(rollout.size)
            for start in range(0, rollout.size - MINIBATCH + 1, MINIBATCH):
                if timer.remaining_ms < SPARE_MS:
                    break
                chosen = order[start : start + MINIBATCH]
                self._improve(planes(chosen), choices[chosen], logs[chosen], advantages[chosen], returns[chosen])
        rollout.clear()

    def _improve(
        self,
        planes: torch.Tensor,
        choices: torch.Tensor,
        logs: torch.Tensor,
        advantages: torch.Tensor,
        returns: torch.Tensor,
    ) -> None:
        """One step along the gradient for a minibatch."""
        logits, values = self._network(planes)
        log = torch.log_softmax(logits, 1)
        ratio = torch.exp(log.gather(1, choices[:, None])[:, 0] - logs)
        centered = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        gain = torch.min(ratio * centered, ratio.clamp(1 - CLIP, 1 + CLIP) * centered).mean()
        entropy = -(log.exp() * log).sum(1).mean()
        loss = VALUE * (values[:, 0] - returns).square().mean() - gain - ENTROPY * entropy
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), GRADIENT)
        self._optimizer.step()


class _Rollout:
    """Ticks in the order in which they were played; at most `MOST`."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self.clear()

    def clear(self) -> None:
        """Forget all ticks."""
        self._packed: list[NDArray[np.uint8]] = []
        self.choices: list[int] = []
        self.logs: list[float] = []
        self._values: list[float] = []
        self._rewards: list[float] = []
        self._ends: list[bool] = []

    @property
    def size(self) -> int:
        """Number of ticks."""
        return len(self.choices)

    def add(self, planes: NDArray[np.uint8], choice: int, log: float, value: float, reward: float, ended: bool) -> None:
        """Add a tick; does nothing if there is no room."""
        if self.size < MOST:
            self._packed.append(np.packbits(planes))
            self.choices.append(choice)
            self.logs.append(log)
            self._values.append(value)
            self._rewards.append(reward)
            self._ends.append(ended)

    def advantages(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Generalised advantage estimates (Schulman et al., 2016), and the returns that values should predict."""
        advantages = np.zeros(self.size, np.float32)
        ahead, value_after = 0.0, 0.0
        for k in reversed(range(self.size)):
            if self._ends[k]:
                ahead, value_after = 0.0, 0.0
            error = self._rewards[k] + DISCOUNT * value_after - self._values[k]
            ahead = error + DISCOUNT * TRACE * ahead
            advantages[k] = ahead
            value_after = self._values[k]
        returns = advantages + np.array(self._values, np.float32)
        return torch.from_numpy(advantages), torch.from_numpy(returns)

    def planes(self) -> _Planes:
        """The observations."""
        return _Planes(np.stack(self._packed), self._shape)


class _Planes:
    """Observations in packed form; called with places, returns them as a batch."""

    def __init__(self, packed: NDArray[np.uint8], shape: tuple[int, ...]) -> None:
        self._packed, self._shape = packed, shape

    def __call__(self, places: NDArray[np.int64]) -> torch.Tensor:
        count = int(np.prod(self._shape))
        unpacked = np.unpackbits(self._packed[places], axis=1, count=count)
        return batch(unpacked.reshape(len(places), *self._shape))
