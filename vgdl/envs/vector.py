"""A vector environment of Gymnasium whose plays are stepped together in the compiled core."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from vgdl import Game, text
from vgdl.core.planes import Planes
from vgdl.core.vector import Vector
from vgdl.envs.common import actions_of, board_of, expect_whole
from vgdl.envs.single import SEEDS
from vgdl.envs.window import FPS
from vgdl.game import LevelLike
from vgdl.render import frame


class VGDLVectorEnv(VectorEnv[NDArray[np.uint8], NDArray[np.int64], NDArray[Any]]):
    """Faster, but otherwise equal to a ``SyncVectorEnv`` of `VGDLEnv` with ``observation="grid"``, seeds included.

    A finished play restarts in the next step, whose action it ignores (``AutoresetMode.NEXT_STEP``).
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["rgb_array", "ansi"],
        "render_fps": FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        game: str | os.PathLike[str] | Game,
        num_envs: int = 1,
        level: LevelLike = 0,
        *,
        observation: str = "grid",
        view: int | None = None,
        full_action_space: bool = False,
        parameters: Mapping[str, object] | None = None,
        max_episode_steps: int | None = None,
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """Set up the plays; ``reset`` starts them.

        Args:
            game, level, view, full_action_space, parameters: as for `VGDLEnv`.
            num_envs: number of plays.
            observation: ``grid``; ``gymnasium.make_vec(..., vectorization_mode="sync")`` has the other modes.
            max_episode_steps: truncate plays after this many steps; never if None.
            threads: number of threads that share the plays, with the GIL released.
            copy: return copies; if False, the arrays of one step are overwritten by the next.
            render_mode: ``rgb_array``, ``ansi`` or None.

        Raises:
            VGDLError: the game or the level cannot be played.
            ValueError: an unsupported mode, or an invalid number.
        """
        if observation != "grid":
            raise ValueError(
                f"the vector environment has the observation mode 'grid' only, not {observation!r}; "
                "gymnasium.make_vec(..., vectorization_mode='sync') has all of them"
            )
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"no render mode {render_mode!r}; there are {modes}, and None")
        expect_whole("num_envs", num_envs, 1)
        expect_whole("threads", threads, 1)
        expect_whole("view", view, 0, none="the whole board")
        expect_whole("max_episode_steps", max_episode_steps, 1, none="no end")
        self.board = board_of(game, level, parameters, players=1)
        self.actions = actions_of(self.board, full_action_space)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.copy = copy
        planes = Planes(self.board.tables, -1 if view is None else view)
        self._vector = Vector(planes, num_envs, self.actions, threads=threads, limit=max_episode_steps or 0)
        self.single_observation_space = spaces.Box(0, 1, planes.shape, np.uint8)
        self.single_action_space = spaces.Discrete(len(self.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators = [np_random(None)[0] for _ in range(num_envs)]
        self._seeds = np.zeros(num_envs, np.int64)
        self._all = np.ones(num_envs, np.bool_)
        self._begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Start all plays; ``seed`` is a sequence of one per play, or a number to which the k-th play adds k."""
        seeds = (
            [seed] * self.num_envs
            if seed is None
            else [seed + k for k in range(self.num_envs)]
            if isinstance(seed, int)
            else list(seed)
        )
        if len(seeds) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} seeds, one per play, got {len(seeds)}")
        for k, own in enumerate(seeds):
            if own is not None:
                self._generators[k] = np_random(own)[0]
            self._seeds[k] = self._drawn(k) if own is None else own & 0xFFFFFFFF
        self._vector.restart_all(self._seeds)
        self._begun = True
        return self._returned(self._vector.observations), self._infos()

    def step(
        self, actions: NDArray[np.integer[Any]] | Sequence[int]
    ) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play one tick of every running play, and restart the finished ones.

        Raises:
            ValueError: ``actions`` is not one valid action per play.
        """
        self._expect_plays()
        chosen = np.asarray(actions)
        if chosen.dtype.kind not in "iu":
            raise ValueError(f"expected whole numbers, an action for each play, got an array of {chosen.dtype}")
        vector = self._vector
        for k in np.flatnonzero(vector.terminated | vector.truncated):
            self._seeds[k] = self._drawn(int(k))
        vector.step(np.ascontiguousarray(chosen, np.int64), self._seeds)
        returned = self._returned
        return (
            returned(vector.observations),
            returned(vector.rewards),
            returned(vector.terminated),
            returned(vector.truncated),
            self._infos(),
        )

    def render(self) -> tuple[Any, ...] | None:
        """A frame of every play, or with ``ansi`` a text."""
        if self.render_mode is None:
            return None
        self._expect_plays()
        shown = frame if self.render_mode == "rgb_array" else text.read
        return tuple(shown(self._vector.state(k)) for k in range(self.num_envs))

    def get_action_meanings(self) -> list[str]:
        """The meaning of each action, by number."""
        return [action.name for action in self.actions]

    def _expect_plays(self) -> None:
        if not self._begun:
            raise ResetNeeded("no play has begun: call reset() first")

    def _drawn(self, k: int) -> int:
        """A seed for a play that was given none."""
        return int(self._generators[k].integers(SEEDS))

    def _returned(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def _infos(self) -> dict[str, Any]:
        vector = self._vector
        facts: dict[str, NDArray[Any]] = {"tick": vector.ticks, "score": vector.scores, "winner": vector.winners}
        infos: dict[str, Any] = {name: self._returned(array) for name, array in facts.items()}
        return infos | {f"_{name}": self._all for name in facts}
