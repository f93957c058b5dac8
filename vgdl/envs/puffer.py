"""A game as a native PufferLib environment: ``VGDLPufferEnv("aliens", num_envs=1024)``.

PufferLib owns the buffers, and the compiled core writes into them. Plays restart in the step that ends them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from vgdl.envs.vector import VGDLVectorEnv

try:
    from pufferlib import PufferEnv
except ImportError as error:
    raise ImportError("vgdl.envs.puffer needs PufferLib 3: pip install pufferlib-core") from error

REPORT = 128  #: steps between reports on ended plays


class VGDLPufferEnv(PufferEnv):  # type: ignore[misc]  # without types
    """Many plays of a one-player game, stepped together.

    The infos are empty except in every 128th step, where they contain ``episode_return``, ``episode_length`` and
    ``wins``: means over the plays that ended since the last report.
    """

    def __init__(
        self, game: Any, level: Any = 0, *, num_envs: int = 1024, buf: Any = None, seed: int = 0, **options: Any
    ):
        """Set up the plays.

        Args:
            game, level: as for `VGDLVectorEnv`.
            num_envs: number of plays, which PufferLib calls agents.
            buf: PufferLib's buffers; new ones if None.
            seed: of the plays, until `reset` is given one.
            options: others of `VGDLVectorEnv`, such as ``observation`` (``grid`` or ``rgb``) and ``max_episode_steps``.

        Raises:
            VGDLError: the game or the level cannot be played.
            ValueError: an invalid option, such as a mode whose observation is not one array.
        """
        one = VGDLVectorEnv(game, 1, level, **options)
        if not isinstance(one.single_observation_space, spaces.Box):
            raise ValueError("PufferLib's native environments observe one array: use the mode 'grid' or 'rgb'")
        self.single_observation_space = one.single_observation_space
        self.single_action_space = one.single_action_space
        self.num_agents = num_envs
        super().__init__(buf)
        out = {
            "observations": self.observations,
            "rewards": self.rewards,
            "terminations": self.terminals,
            "truncations": self.truncations,
        }
        mode = AutoresetMode.SAME_STEP
        self.vector = VGDLVectorEnv(game, num_envs, level, autoreset_mode=mode, copy=False, out=out, **options)
        self._seed = seed
        self._returns = np.zeros(num_envs)
        self._ended: list[dict[str, float]] = []
        self._steps = 0

    def reset(self, seed: int | None = None) -> tuple[NDArray[Any], list[dict[str, float]]]:
        """Start all plays; the k-th is seeded with ``seed`` + k."""
        self.vector.reset(seed=self._seed if seed is None else int(seed))
        self._returns[...] = 0
        self._ended.clear()
        return self.observations, []

    def step(
        self, actions: NDArray[np.integer[Any]]
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], list[dict[str, float]]]:
        """Play one tick of every play.

        Raises:
            ValueError: invalid actions.
        """
        *_, infos = self.vector.step(np.asarray(actions).reshape(-1))
        self._returns += self.rewards
        if "final_info" in infos:
            final = infos["final_info"]
            for k in np.flatnonzero(infos["_final_info"]):
                ended = {
                    "episode_return": self._returns[k],
                    "episode_length": final["tick"][k],
                    "wins": final["winner"][k] == 1,
                }
                self._ended.append({name: float(value) for name, value in ended.items()})
                self._returns[k] = 0.0
        self._steps += 1
        return self.observations, self.rewards, self.terminals, self.truncations, self._report()

    def render(self) -> Any:
        """The frames of all plays, if ``render_mode`` was given."""
        return self.vector.render()

    def close(self) -> None:
        """Do nothing: no resources are open."""

    def _report(self) -> list[dict[str, float]]:
        """Means over ended plays in every `REPORT`-th step; nothing in others."""
        if self._steps % REPORT or not self._ended:
            return []
        means = {name: float(np.mean([play[name] for play in self._ended])) for name in self._ended[0]}
        self._ended.clear()
        return [means]
