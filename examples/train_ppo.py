"""Train an agent with PPO and compare it with random play on held-out seeds.

    pip install -r examples/requirements.txt
    python examples/train_ppo.py [--game butterflies] [--steps 60000] [--seeds 0 1 2]

The agent sees a window around its avatar (``view``), as binary planes. One agent is trained per seed; all agents and a
random policy then play the same held-out seeds, which are not used in training. The program exits with 1 if the agents'
mean return does not exceed that of random play by ``--margin``.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env
except ImportError as error:
    raise SystemExit(f"{error}: pip install -r examples/requirements.txt") from error

import vgdl.envs

VIEW = 4  #: cells that the agent sees to each side of the avatar
STEPS_OF_A_PLAY = 500  #: after which it is truncated
ENVS = 8  #: environments used in parallel in training
HELD_OUT = 2**31  #: the first seed of the compared plays; training uses smaller ones
MARGIN = 5.0  #: required gain in mean return over random play, in points

Policy = Callable[[Any], int]


def make(game: str) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(vgdl.envs.env_id(game), view=VIEW, max_episode_steps=STEPS_OF_A_PLAY)


def train(game: str, steps: int, seed: int) -> PPO:
    """Train an agent for ``steps`` steps."""
    envs = make_vec_env(lambda: make(game), n_envs=ENVS, seed=seed)
    agent = PPO(
        "MlpPolicy",
        envs,
        learning_rate=1e-3,
        n_steps=128,
        batch_size=256,
        n_epochs=4,
        gamma=0.97,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128]},
        seed=seed,
        device="cpu",
    )
    return agent.learn(steps)


def policy_of(agent: PPO) -> Policy:
    return lambda observations: int(agent.predict(observations)[0])


def returns(game: str, policy: Policy, plays: int) -> list[float]:
    """The return of one play per held-out seed."""
    env, found = make(game), []
    for seed in range(HELD_OUT, HELD_OUT + plays):
        observation, _ = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            observation, reward, terminated, truncated, _ = env.step(policy(observation))
            total, over = total + float(reward), terminated or truncated
        found.append(total)
    return found


def compare(game: str, steps: int, seeds: Sequence[int], plays: int) -> float:
    """Train, play and print; returns the gain of the agents' mean return over random play."""
    choices, n = np.random.default_rng(0), int(make(game).action_space.n)  # type: ignore[attr-defined]
    chance = statistics.mean(returns(game, lambda _: int(choices.integers(n)), plays))
    print(f"random play: mean return {chance:.2f} in {plays} plays of {game}")
    means = []
    for seed in seeds:
        started = time.perf_counter()
        agent = train(game, steps, seed)
        seconds = time.perf_counter() - started
        means.append(statistics.mean(returns(game, policy_of(agent), plays)))
        print(f"seed {seed}: mean return {means[-1]:.2f} after {steps} steps in {seconds:.0f} s")
    gain = statistics.mean(means) - chance
    print(f"mean over {len(means)} seeds: {statistics.mean(means):.2f}, {gain:.2f} more than random play")
    return gain


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--game",
        default="butterflies",
        choices=sorted(vgdl.envs.env_ids().values()),
        metavar="GAME",
        help="a bundled game for one player (default: butterflies)",
    )
    parser.add_argument("--steps", type=int, default=60_000, help="steps per agent (default: 60000)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="one agent each (default: 0 1 2)")
    parser.add_argument("--plays", type=int, default=50, help="held-out plays (default: 50)")
    parser.add_argument("--margin", type=float, default=MARGIN, help=f"over random play (default: {MARGIN:g} points)")
    options = parser.parse_args(arguments)
    if min(options.plays, options.steps) < 1:
        parser.error(f"expected plays and steps of at least 1, got {options.plays} and {options.steps}")
    torch.set_num_threads(1)
    return int(compare(options.game, options.steps, options.seeds, options.plays) < options.margin)


if __name__ == "__main__":
    sys.exit(main())
