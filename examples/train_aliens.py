"""Train PPO on Aliens on one core, with observations that the compiled core writes into the trainer's own array.

    pip install "vgdl[gym,learn]"
    python examples/train_aliens.py [--minutes 10] [--seed 0]

The agent sees the whole board as planes. Afterwards it and a random policy play the same held-out seeds. The program
exits with 1 if the agent's mean return is below ``--score``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise SystemExit(f'{error}: pip install "vgdl[learn]"') from error

from vgdl.envs import VGDLVectorEnv

PLAYS = 256  #: stepped together
STEPS = 32  #: of each play between two updates
EPOCHS = 2  #: passes over these steps
BATCH = 1024
DISCOUNT, TRACE = 0.99, 0.95
CLIP, ENTROPY, LEARNING_RATE = 0.2, 0.01, 1e-3
HIDDEN = 96
HELD_OUT = 2**30  #: the first seed of the compared plays
COMPARED = 100  #: plays
SCORE = 15.0  #: mean return to reach; random play has 6


class Agent(nn.Module):  # type: ignore[misc]  # torch is not installed where types are checked
    """Policy and value of an observation, of which only the places that ever change are looked at."""

    def __init__(self, size: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU())
        self.policy, self.value = nn.Linear(HIDDEN, actions), nn.Linear(HIDDEN, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, observations: Tensor) -> tuple[Any, Tensor]:
        hidden = self.body(observations.flatten(1).float())
        return torch.distributions.Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


def train(game: str, minutes: float, seed: int) -> tuple[Agent, int]:
    """Train for some minutes of CPU time; the agent, and how many steps that were."""
    torch.manual_seed(seed)
    env = VGDLVectorEnv(game, PLAYS, autoreset_mode="SameStep", copy=False)
    seen, _ = env.reset(seed=seed * PLAYS)
    agent = Agent(int(np.prod(seen.shape[1:])), len(env.actions))
    optimizer = torch.optim.Adam(agent.parameters(), LEARNING_RATE, eps=1e-5)
    memory = torch.zeros((STEPS, *seen.shape), dtype=torch.uint8)
    chosen = torch.zeros((STEPS, PLAYS), dtype=torch.int64)
    logs, values, rewards, ends = (torch.zeros((STEPS, PLAYS)) for _ in range(4))
    began, steps, finished = time.process_time(), 0, 0.0
    running, recent = np.zeros(PLAYS), 0.0
    while (used := (time.process_time() - began) / (60 * minutes)) < 1:
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - used)
        with torch.no_grad():
            for k in range(STEPS):
                memory[k] = torch.from_numpy(seen)
                choices, values[k] = agent(memory[k])
                chosen[k] = choices.sample()
                logs[k] = choices.log_prob(chosen[k])
                seen, gained, over, _, _ = env.step(chosen[k].numpy())
                rewards[k], ends[k] = torch.from_numpy(gained), torch.from_numpy(over)
                running += gained
                for total in running[over]:
                    recent = total if not recent else 0.99 * recent + 0.01 * total
                running[over] = 0
            last = agent(torch.from_numpy(seen))[1]
        learn(agent, optimizer, memory, chosen, logs, values, advantages(rewards, ends, values, last))
        steps += STEPS * PLAYS
        if (time.process_time() - began) // 15 > finished:
            finished = (time.process_time() - began) // 15
            print(f"{time.process_time() - began:5.0f} s {steps:10,} steps, mean return {recent:6.2f}", flush=True)
    return agent, steps


def advantages(rewards: Tensor, ends: Tensor, values: Tensor, last: Tensor) -> Tensor:
    """Generalised advantage estimates (Schulman et al., 2016)."""
    estimates, carried = torch.zeros_like(rewards), torch.zeros_like(last)
    for k in reversed(range(len(rewards))):
        following = last if k == len(rewards) - 1 else values[k + 1]
        surprise = rewards[k] + DISCOUNT * (1 - ends[k]) * following - values[k]
        carried = surprise + DISCOUNT * TRACE * (1 - ends[k]) * carried
        estimates[k] = carried
    return estimates


def learn(
    agent: Agent, optimizer: Any, observations: Tensor, chosen: Tensor, logs: Tensor, values: Tensor, gains: Tensor
) -> None:
    """One update of PPO with a clipped objective (Schulman et al., 2017)."""
    returns = (gains + values).flatten()
    observations, chosen, logs, gains = observations.flatten(0, 1), chosen.flatten(), logs.flatten(), gains.flatten()
    for _ in range(EPOCHS):
        for part in torch.randperm(len(observations)).split(BATCH):
            choices, value = agent(observations[part])
            gain = (gains[part] - gains[part].mean()) / (gains[part].std() + 1e-8)
            ratio = (choices.log_prob(chosen[part]) - logs[part]).exp()
            objective = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            loss = 0.5 * (value - returns[part]).square().mean() - objective - ENTROPY * choices.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def mean_return(game: str, policy: Callable[[Any], Any]) -> float:
    """Of the held-out plays, to their end."""
    env = VGDLVectorEnv(game, COMPARED)
    seen, _ = env.reset(seed=HELD_OUT)
    returns, running = np.zeros(COMPARED), np.ones(COMPARED, np.bool_)
    while running.any():
        seen, gained, over, _, _ = env.step(policy(seen))
        returns += gained * running
        running &= ~over
    return float(returns.mean())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="aliens", help="a bundled one-player game (default: aliens)")
    parser.add_argument("--minutes", type=float, default=10.0, help="CPU time of the training (default: 10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--score", type=float, default=SCORE, help=f"mean return to reach (default: {SCORE:g})")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    agent, steps = train(options.game, options.minutes, options.seed)

    def trained(observations: Any) -> Any:
        with torch.no_grad():
            return agent(torch.from_numpy(observations))[0].sample().numpy()

    generator, actions = np.random.default_rng(0), agent.policy.out_features
    by_chance = mean_return(options.game, lambda observations: generator.integers(actions, size=COMPARED))
    reached = mean_return(options.game, trained)
    print(f"{COMPARED} held-out plays: random {by_chance:.2f}, trained {reached:.2f} ({steps:,} steps)")
    return 0 if reached >= options.score else 1


if __name__ == "__main__":
    sys.exit(main())
