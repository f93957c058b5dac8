"""A game as a vector environment of Stable-Baselines3: ``VGDLSB3VecEnv("aliens", num_envs=64)``.

The compiled core steps all plays. Plays restart in the step that ends them, as Stable-Baselines3 expects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vgdl.envs.levels import check_options
from vgdl.envs.vector import VGDLVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError("vgdl.envs.sb3 needs Stable-Baselines3: pip install stable-baselines3") from error

__all__ = ["VGDLSB3VecEnv"]

_ENDS = ("won", "level", "tick", "score")  #: in the info of a play that has ended, as of its end


class VGDLSB3VecEnv(VecEnv):
    """Many plays of a one-player game that are stepped together.

    The info of a play that has ended holds ``won``, ``level``, ``tick`` and ``score`` of its end, besides what
    Stable-Baselines3 itself reads: ``terminal_observation`` and ``TimeLimit.truncated``. ``env_method("action_masks")``
    returns a mask per play, as MaskablePPO of sb3-contrib asks for it.

    >>> from vgdl.envs.sb3 import VGDLSB3VecEnv
    >>> envs = VGDLSB3VecEnv("sokoban", num_envs=8)
    >>> envs.reset().shape
    (8, 11, 8, 13)
    """

    def __init__(self, game: Any, num_envs: int = 64, **options: Any) -> None:
        """Set up the plays.

        Args:
            game: a loaded game, the name of a bundled one, or the path of a game file.
            num_envs: number of plays.
            options: of `VGDLVectorEnv`, such as ``levels``, ``observation``, ``view`` and ``max_episode_steps``.

        Raises:
            VGDLError: the game or a level cannot be played.
            ValueError: an invalid option.
        """
        self.vector = VGDLVectorEnv(game, num_envs, autoreset_mode="SameStep", **options)
        self.render_mode = self.vector.render_mode
        self._actions = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.vector.single_observation_space, self.vector.single_action_space)

    def reset(self) -> Any:
        """Start all plays, with the seeds given to ``seed`` and the levels given to ``set_options``."""
        levels = [check_options(options).get("level") for options in self._options]
        seen, infos = self.vector.reset(seed=self._seeds, options={"level": levels})
        names = [name for name in infos if not name.startswith("_")]
        self.reset_infos = [{name: infos[name][k] for name in names} for k in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return seen

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        self._actions[:] = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        seen, rewards, over, cut, infos = self.vector.step(self._actions)
        listed: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for k in np.flatnonzero(over | cut):
            listed[k] = {name: infos["final_info"][name][k].item() for name in _ENDS}
            listed[k]["terminal_observation"] = infos["final_obs"][k]
            listed[k]["TimeLimit.truncated"] = bool(cut[k] and not over[k])
        return seen, rewards.astype(np.float32), over | cut, listed

    def close(self) -> None:
        self.vector.close()

    def get_images(self) -> tuple[Any, ...]:
        """The frames of all plays, with ``render_mode="rgb_array"``."""
        return self.vector.render() or ()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.vector, attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("the plays of a VGDLSB3VecEnv have no attributes of their own")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[Any]:
        if method_name != "action_masks":
            raise NotImplementedError(f"a VGDLSB3VecEnv has no method {method_name} per play; there is action_masks")
        masks = self.vector.action_masks()
        return [masks[k] for k in self._chosen(indices)]

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self.vector, attr_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * len(self._chosen(indices))

    def _chosen(self, indices: Any) -> list[int]:
        chosen: Iterable[int] = self._get_indices(indices)
        return list(chosen)
