"""PPO of Stable-Baselines3, unchanged, as an agent of the learning track.

    pip install "vgdl[gym]" stable-baselines3
    vgdl-compete learning --agents examples/learner_sb3.py:StablePPO,random --games aliens --steps 20000 --act 60s

The library improves its policy inside ``step``, which is the answer to ``act``: hence the long time for an action.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from stable_baselines3 import PPO

from vgdl import Action
from vgdl.competition.tracks.learning.gym_learner import GymnasiumLearner, LearnerEnv
from vgdl.competition.tracks.learning.learner import Observation, Spaces
from vgdl.controllers import Timer

torch.set_num_threads(1)


class StablePPO(GymnasiumLearner):
    """A multilayer perceptron on the planes of the board."""

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        super().__init__(actions, spaces, timer, seed=seed)
        self.model = PPO("MlpPolicy", self.env, n_steps=256, batch_size=64, seed=seed % 2**32, device="cpu")

    def train(self, env: LearnerEnv) -> None:
        self.model.learn(int(self.spaces.budget) if not self.spaces.is_timed else 10**9)

    def play(self, observation: Observation) -> int:
        action, _ = self.model.predict(observation.data)
        return int(action)
