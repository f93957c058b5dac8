"""PPO in one file, in the manner of CleanRL, on the vector environments of this project.

    pip install "vgdl[gym,learn]"
    python examples/cleanrl_ppo.py [--env-id vgdl/Butterflies-v0] [--total-timesteps 200000] [--seed 1]

As in CleanRL, everything is in one place: environments, agent, rollouts, advantages, updates. What is particular to
this project is marked with ``vgdl:``. Invalid actions are masked, and training uses levels 0 to 2.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np

try:
    import torch
    from torch import Tensor, nn, optim
    from torch.distributions import Categorical
except ImportError as error:
    raise SystemExit(f'{error}: pip install "vgdl[learn]"') from error

import vgdl.envs  # noqa: F401  # vgdl: registers the games


def layer(inputs: int, outputs: int, std: float = 2**0.5) -> nn.Linear:
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, std)
    nn.init.constant_(made.bias, 0.0)
    return made


class Agent(nn.Module):  # type: ignore[misc]  # torch is not installed where types are checked
    def __init__(self, envs: Any) -> None:
        super().__init__()
        size = int(np.prod(envs.single_observation_space.shape))
        self.body = nn.Sequential(nn.Flatten(), layer(size, 128), nn.ReLU(), layer(128, 128), nn.ReLU())
        self.actor = layer(128, int(envs.single_action_space.n), std=0.01)
        self.critic = layer(128, 1, std=1.0)

    def get_value(self, observations: Tensor) -> Any:
        return self.critic(self.body(observations.float())).flatten()

    def get_action_and_value(self, observations: Tensor, mask: Tensor, action: Tensor | None = None) -> tuple[Any, ...]:
        hidden = self.body(observations.float())
        choices = Categorical(logits=self.actor(hidden).masked_fill(~mask, -1e9))
        action = choices.sample() if action is None else action
        return action, choices.log_prob(action), choices.entropy(), self.critic(hidden).flatten()


def train(args: argparse.Namespace) -> list[float]:
    """Train; returns the scores of the training plays, in the order in which they ended."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    generator = np.random.default_rng(args.seed)
    # vgdl: one call of the compiled core steps all plays; a view has the same shape on levels of any size
    envs = gym.make_vec(
        args.env_id, args.num_envs, autoreset_mode="SameStep", levels="train", view=4, max_episode_steps=500
    )
    agent = Agent(envs)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    steps, n = args.num_steps, args.num_envs
    obs = torch.zeros((steps, *envs.observation_space.shape), dtype=torch.uint8)
    masks = torch.zeros((steps, n, int(envs.single_action_space.n)), dtype=torch.bool)
    actions = torch.zeros((steps, n), dtype=torch.int64)
    logprobs, rewards, dones, values = (torch.zeros((steps, n)) for _ in range(4))
    scores: list[float] = []
    next_obs, _ = envs.reset(seed=args.seed)
    next_obs, next_done = torch.from_numpy(next_obs), torch.zeros(n)
    started = time.time()
    n_updates = max(1, args.total_timesteps // (steps * n))
    for update in range(n_updates):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - update / n_updates)
        for step in range(steps):
            obs[step], dones[step] = next_obs, next_done
            masks[step] = torch.from_numpy(envs.unwrapped.action_masks())  # vgdl: the actions that the avatar has
            with torch.no_grad():
                actions[step], logprobs[step], _, values[step] = agent.get_action_and_value(obs[step], masks[step])
            seen, reward, terminations, truncations, infos = envs.step(actions[step].numpy())
            rewards[step] = torch.from_numpy(reward)
            next_obs, next_done = torch.from_numpy(seen), torch.from_numpy(terminations | truncations).float()
            if "final_info" in infos:  # vgdl: score, level and outcome of the plays that have ended
                scores += infos["final_info"]["score"][infos["_final_info"]].tolist()

        with torch.no_grad():
            next_value, carried = agent.get_value(next_obs), torch.zeros(n)
            advantages = torch.zeros_like(rewards)
            for t in reversed(range(steps)):
                going_on = 1.0 - (next_done if t == steps - 1 else dones[t + 1])
                following = next_value if t == steps - 1 else values[t + 1]
                delta = rewards[t] + args.gamma * following * going_on - values[t]
                advantages[t] = carried = delta + args.gamma * args.gae_lambda * going_on * carried
            returns = advantages + values

        flat = [array.flatten(0, 1) for array in (obs, masks, actions, logprobs, advantages, returns)]
        indices = np.arange(steps * n)
        for _ in range(args.update_epochs):
            generator.shuffle(indices)
            for start in range(0, steps * n, args.minibatch_size):
                b_obs, b_masks, b_actions, b_logprobs, b_advantages, b_returns = (
                    array[indices[start : start + args.minibatch_size]] for array in flat
                )
                _, logprob, entropy, value = agent.get_action_and_value(b_obs, b_masks, b_actions)
                ratio = (logprob - b_logprobs).exp()
                gain = (b_advantages - b_advantages.mean()) / (b_advantages.std() + 1e-8)
                clipped = torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = torch.max(-gain * ratio, -gain * clipped).mean()
                value_loss = 0.5 * (value - b_returns).square().mean()
                loss = policy_loss - args.ent_coef * entropy.mean() + args.vf_coef * value_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
        if update % 10 == 0 or update == n_updates - 1:
            recent = np.mean(scores[-100:]) if scores else float("nan")
            rate = int((update + 1) * steps * n / (time.time() - started))
            print(f"steps {(update + 1) * steps * n:>8}  mean score {recent:7.2f}  steps per second {rate}", flush=True)
    envs.close()
    return scores


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env-id", default="vgdl/Butterflies-v0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--total-timesteps", type=int, default=200_000)
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--num-steps", type=int, default=128)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--minibatch-size", type=int, default=512)
    parser.add_argument("--update-epochs", type=int, default=4)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    train(parser.parse_args(arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main())
