"""An observation of one's own: a few numbers in place of the whole board.

python examples/observation.py
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import vgdl.envs  # noqa: F401  (registers the environments)


class Nearest(gymnasium.ObservationWrapper[NDArray[np.float32], Any, Any]):
    """The way to the nearest monster, in cells.

    Works on any environment of `vgdl.envs`: ``env.unwrapped.state`` is the state that controllers get.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float32)

    def observation(self, observation: Any) -> NDArray[np.float32]:
        """Columns to the right and rows down; zeros if there is no avatar, or no monster."""
        state = self.env.unwrapped.state  # type: ignore[attr-defined]
        if state.avatar is None:
            return np.zeros(2, np.float32)
        x, y = state.avatar.position
        ways = [
            ((sprite.position[0] - x) / state.block_size, (sprite.position[1] - y) / state.block_size)
            for sprites in state.npcs
            for sprite in sprites
        ]
        right, down = min(ways, key=lambda way: abs(way[0]) + abs(way[1]), default=(0.0, 0.0))
        return np.array([right, down], np.float32)


def main(ticks: int = 50) -> NDArray[np.float32]:
    """Play Zelda at random; returns all observations, in rows."""
    env = Nearest(gymnasium.make("vgdl/Zelda-v0"))
    env.action_space.seed(7)
    seen = [env.reset(seed=7)[0]]
    for _ in range(ticks):
        observation, _, terminated, _, _ = env.step(env.action_space.sample())
        seen.append(observation)
        if terminated:
            break
    return np.array(seen)


if __name__ == "__main__":
    print(main())
