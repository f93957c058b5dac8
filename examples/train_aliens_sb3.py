"""Train the agent of train_aliens.py with Stable-Baselines3: the same plays, network and numbers.

    pip install -r examples/requirements.txt
    python examples/train_aliens_sb3.py [--minutes 10] [--seed 0]

`vgdl.envs.sb3` gives the vector environment of the compiled core the interface that Stable-Baselines3 expects. The
program exits with 1 if the agent's mean return on the held-out seeds is below ``--score``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import VecMonitor
except ImportError as error:
    raise SystemExit(f"{error}: pip install -r examples/requirements.txt") from error

import train_aliens as own

from vgdl.envs.sb3 import VGDLSB3VecEnv


class Body(BaseFeaturesExtractor):  # type: ignore[misc]
    """What policy and value have in common in the agent of train_aliens.py."""

    def __init__(self, space: Any) -> None:
        super().__init__(space, own.HIDDEN)
        self.body = own.Agent(int(np.prod(space.shape)), 1).body

    def forward(self, observations: torch.Tensor) -> Any:
        return self.body(observations.flatten(1))


class Clock(BaseCallback):  # type: ignore[misc]
    """Ends the training after some CPU time, and prints the running mean return."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds, self.began, self.printed = seconds, time.process_time(), 0.0

    def used(self) -> float:
        return time.process_time() - self.began

    def left(self, _: float) -> float:
        return own.LEARNING_RATE * max(0.0, 1 - self.used() / self.seconds)

    def _on_step(self) -> bool:
        if self.used() - self.printed >= 15 and self.model.ep_info_buffer:
            self.printed = self.used()
            recent = np.mean([one["r"] for one in self.model.ep_info_buffer])
            print(f"{self.printed:5.0f} s {self.num_timesteps:10,} steps, mean return {recent:6.2f}", flush=True)
        return self.used() < self.seconds


def train(game: str, minutes: float, seed: int) -> tuple[PPO, int]:
    """Train for some minutes of CPU time; the agent, and how many steps that were."""
    clock = Clock(60 * minutes)
    agent = PPO(
        "MlpPolicy",
        VecMonitor(VGDLSB3VecEnv(game, own.PLAYS)),
        learning_rate=clock.left,
        n_steps=own.STEPS,
        batch_size=own.BATCH,
        n_epochs=own.EPOCHS,
        gamma=own.DISCOUNT,
        gae_lambda=own.TRACE,
        clip_range=own.CLIP,
        ent_coef=own.ENTROPY,
        policy_kwargs={"features_extractor_class": Body, "net_arch": []},
        seed=seed,
        device="cpu",
    )
    agent.learn(sys.maxsize, callback=clock)
    return agent, agent.num_timesteps


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="aliens", help="a bundled one-player game (default: aliens)")
    parser.add_argument("--minutes", type=float, default=10.0, help="CPU time of the training (default: 10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--score", type=float, default=own.SCORE, help=f"mean return to reach (default: {own.SCORE:g})")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    agent, steps = train(options.game, options.minutes, options.seed)
    reached = own.mean_return(options.game, lambda observations: agent.predict(observations)[0])
    print(f"{own.COMPARED} held-out plays: trained {reached:.2f} ({steps:,} steps)")
    return 0 if reached >= options.score else 1


if __name__ == "__main__":
    sys.exit(main())
