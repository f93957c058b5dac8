"""Train PPO on some levels of a game and test it on others.

    pip install -r examples/requirements.txt
    python examples/generalisation.py [--games aliens zelda] [--steps 200000] [--seeds 0] [--output runs.csv]

The agent is trained on levels 0 to 2. Then it and a random policy play the same seeds, none of which was used in
training, on levels 0 to 2 and on levels 3 and 4. The agent sees a window around its avatar as planes, so that boards of
any size look alike to it. One row per game, seed, policy and set of levels is printed, and appended to the output.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
except ImportError as error:
    raise SystemExit(f"{error}: pip install -r examples/requirements.txt") from error

from vgdl import games
from vgdl.envs import SETS, VGDLVectorEnv
from vgdl.envs.sb3 import VGDLSB3VecEnv

PLAYS = 32  #: stepped together in training
VIEW = 6  #: cells that the agent sees to each side of the avatar
LONGEST = 1000  #: steps, after which a play is truncated
WIN_BONUS = 10.0  #: in training; the scores that are reported do not contain it
HELD_OUT = 2**30  #: the first seed of the compared plays; training uses smaller ones
GAMES = games.names("training")

Policy = Callable[[Any], Any]


@dataclass(frozen=True)
class Row:
    """The results of one policy on one set of levels."""

    game: str
    seed: int
    steps: int  #: of the training, 0 for random play
    policy: str
    levels: str
    plays: int
    mean_score: float
    win_rate: float


def train(game: str, steps: int, seed: int) -> PPO:
    """Train an agent on levels 0 to 2."""
    plays = VGDLSB3VecEnv(game, PLAYS, levels="train", view=VIEW, win_bonus=WIN_BONUS, max_episode_steps=LONGEST)
    agent = PPO(
        "MlpPolicy",
        VecNormalize(VecMonitor(plays), norm_obs=False, gamma=0.99),  # games differ in the size of their scores
        learning_rate=5e-4,
        n_steps=128,
        batch_size=512,
        n_epochs=4,
        gamma=0.99,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 64]},
        seed=seed,
        device="cpu",
    )
    return agent.learn(steps)


def compare(game: str, policy: Policy, levels: str, plays: int) -> tuple[float, float]:
    """The mean score and the share of wins of plays on a set of levels, as many on each level."""
    env = VGDLVectorEnv(game, plays, levels=levels, view=VIEW, max_episode_steps=LONGEST)
    numbers = SETS[levels]
    seen, infos = env.reset(seed=HELD_OUT, options={"level": [numbers[k % len(numbers)] for k in range(plays)]})
    scores, wins, running = np.zeros(plays), np.zeros(plays, np.bool_), np.ones(plays, np.bool_)
    while running.any():
        seen, _, over, cut, infos = env.step(policy(seen))
        ended = running & (over | cut)
        scores[ended], wins[ended] = infos["score"][ended], infos["won"][ended]
        running &= ~ended
    return float(scores.mean()), float(wins.mean())


def rows(game: str, steps: int, seed: int, plays: int) -> Iterator[Row]:
    """Train an agent, and compare it with random play."""
    draws, actions = np.random.default_rng(seed), len(VGDLVectorEnv(game, levels="all", view=VIEW).actions)
    agent = train(game, steps, seed)
    policies: dict[str, tuple[int, Policy]] = {
        "random": (0, lambda observations: draws.integers(actions, size=len(observations))),
        "ppo": (agent.num_timesteps, lambda observations: agent.predict(observations)[0]),
    }
    for levels in ("train", "test"):
        for name, (trained, policy) in policies.items():
            score, wins = compare(game, policy, levels, plays)
            yield Row(game, seed, trained, name, levels, plays, round(score, 2), round(wins, 3))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--games", nargs="+", default=GAMES, metavar="GAME", help="default: the ten of the training set"
    )
    parser.add_argument("--steps", type=int, default=200_000, help="steps of each training (default: 200000)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="a training each (default: 0)")
    parser.add_argument("--plays", type=int, default=60, help="compared plays on each set of levels (default: 60)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="CSV file to which the rows are appended")
    parser.add_argument("--table", type=Path, metavar="FILE", help="only print the rows of a CSV file as a table")
    options = parser.parse_args(arguments)
    if options.table:
        print(table(options.table))
        return 0
    torch.set_num_threads(1)
    for game in options.games:
        for seed in options.seeds:
            began = time.process_time()
            for row in rows(game, options.steps, seed, options.plays):
                print(f"{row.game:<16} {row.policy:<8} {row.levels:<6} {row.mean_score:8.2f} {row.win_rate:6.1%}")
                if options.output:
                    append(options.output, row)
            print(f"{game}: {time.process_time() - began:.0f} s of CPU time", flush=True)
    return 0


def table(path: Path) -> str:
    """The rows of a CSV file as a table in Markdown: means over the seeds of each game, with the share of wins."""
    found: dict[str, dict[tuple[str, str], list[tuple[float, float]]]] = {}
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        cells = found.setdefault(row["game"], {})
        result = float(row["mean_score"]), float(row["win_rate"])
        cells.setdefault((row["levels"], row["policy"]), []).append(result)
    lines = [
        "| game | levels 0–2: random | levels 0–2: PPO | levels 3, 4: random | levels 3, 4: PPO |",
        "|---|--:|--:|--:|--:|",
    ]
    for game, cells in found.items():
        columns = [cells.get((levels, policy), []) for levels in ("train", "test") for policy in ("random", "ppo")]
        means = [np.mean(results, axis=0) if results else (float("nan"), float("nan")) for results in columns]
        lines.append(" | ".join([f"| {game}", *(f"{score:.2f}, {wins:.0%}" for score, wins in means)]) + " |")
    return "\n".join(lines)


def append(path: Path, row: Row) -> None:
    """Append a row to a CSV file, which gets a header if it is new."""
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(asdict(row))


if __name__ == "__main__":
    sys.exit(main())
