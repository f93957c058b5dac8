"""A training loop in one file, in the style of CleanRL, as an agent of the learning track.

    pip install "vgdl[gym,learn]"
    vgdl-compete learning --agents examples/learner_cleanrl.py:ActorCritic,random --games aliens --steps 20000

Advantage actor-critic with n-step returns: collect a few steps, improve the policy, go on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from vgdl import Action
from vgdl.competition.tracks.learning.gym_learner import GymnasiumLearner, LearnerEnv
from vgdl.competition.tracks.learning.learner import Observation, Spaces
from vgdl.controllers import Timer

torch.set_num_threads(1)

STEPS = 16
DISCOUNT = 0.99
RATE = 7e-4


class ActorCritic(GymnasiumLearner):
    """One hidden layer on the planes of the board."""

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        super().__init__(actions, spaces, timer, seed=seed)
        torch.manual_seed(seed)
        self.draws = np.random.default_rng(seed)
        self.network = nn.Sequential(
            nn.Flatten(), nn.Linear(int(np.prod(spaces.shape)), 64), nn.ReLU(), nn.Linear(64, len(actions) + 1)
        )

    def train(self, env: LearnerEnv) -> None:
        optimizer = torch.optim.RMSprop(self.network.parameters(), lr=RATE)
        observation, _ = env.reset()
        while True:
            outputs, choices, rewards, ends = [], [], [], []
            for _ in range(STEPS):
                output = self.evaluate(observation)
                choice = self.draw(output)
                observation, reward, terminated, truncated, _ = env.step(choice)
                outputs.append(output)
                choices.append(choice)
                rewards.append(reward)
                ends.append(terminated or truncated)
                if ends[-1]:
                    observation, _ = env.reset()
            with torch.no_grad():
                ahead = float(self.evaluate(observation)[-1])
            returns = []
            for reward, end in zip(reversed(rewards), reversed(ends), strict=True):
                ahead = reward + DISCOUNT * ahead * (not end)
                returns.insert(0, ahead)
            stacked = torch.stack(outputs)
            values, logs = stacked[:, -1], torch.log_softmax(stacked[:, :-1], 1)
            advantages = torch.tensor(returns) - values
            chosen = logs.gather(1, torch.tensor(choices)[:, None])[:, 0]
            entropy = -(logs.exp() * logs).sum(1).mean()
            loss = advantages.square().mean() - (chosen * advantages.detach()).mean() - 0.01 * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
            optimizer.step()

    def play(self, observation: Observation) -> int:
        with torch.no_grad():
            return self.draw(self.evaluate(observation.data))

    def evaluate(self, planes: np.ndarray) -> torch.Tensor:
        """The preferences of the actions, and the value."""
        return self.network(torch.from_numpy(planes[None].astype(np.float32)))[0]

    def draw(self, output: torch.Tensor) -> int:
        """An action from the policy."""
        chances = torch.softmax(output[:-1].detach(), 0).numpy().astype(np.float64)
        return int(self.draws.choice(len(chances), p=chances / chances.sum()))
