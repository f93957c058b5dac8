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

from vgdl import Game, Winner, text
from vgdl.core.vector import Vector
from vgdl.envs.common import actions_of, board_of, check_options, expect_whole
from vgdl.envs.observers import PIXELS, Words, observer
from vgdl.envs.single import SEEDS
from vgdl.envs.window import FPS
from vgdl.game import LevelLike
from vgdl.render import frame

OUT = ("observations", "rewards", "terminations", "truncations", "final_observations")  #: arrays callers can provide
_TOLD = {"tick": "ticks", "score": "scores", "winner": "winners"}  #: contents of infos: names there and in the core


class VGDLVectorEnv(VectorEnv[Any, NDArray[np.int64], NDArray[Any]]):
    """Faster, but otherwise equal to a ``SyncVectorEnv`` of `VGDLEnv`, seeds included.

    A finished play restarts in the next step, whose action it ignores (``AutoresetMode.NEXT_STEP``), or at once
    (``SAME_STEP``): the observation is then the first one of the new play, and ``infos`` hold ``final_obs`` and
    ``final_info``, but not the ``error`` of a game in which a rule could not be carried out.
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
        max_sprites: int | None = None,
        pixels: int = PIXELS,
        frame_size: tuple[int, int] | None = None,
        full_action_space: bool = False,
        parameters: Mapping[str, object] | None = None,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        copy: bool = True,
        out: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Set up the plays; ``reset`` starts them.

        Args:
            game, level, view, max_sprites, pixels, frame_size, full_action_space, parameters: as for `VGDLEnv`.
            num_envs: number of plays.
            observation: ``grid`` (also called ``planes``), ``sprites``, ``rgb`` or ``text``.
            max_episode_steps: truncate plays after this many steps; never if None.
            autoreset_mode: ``AutoresetMode.NEXT_STEP`` or ``SAME_STEP``.
            threads: number of threads that share the plays, with the GIL released.
            copy: return copies. If False, every step returns the same arrays. Do not write into them: a step writes
                only what has changed.
            out: your arrays to write into instead, by the names of `OUT`, all of them or some: contiguous, of the shape
                and dtype of the observation space (for ``sprites`` a mapping of arrays); ``rewards`` of float64 or
                float32, ``terminations`` and ``truncations`` of bool or uint8, (num_envs,). They are never copied.
                ``final_observations`` is for ``SAME_STEP``: its rows are valid for plays that ended in the last step.
            render_mode: ``rgb_array``, ``ansi`` or None.

        Raises:
            VGDLError: the game or the level cannot be played.
            ValueError: an unsupported mode, an invalid number, or an array that does not fit.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"no render mode {render_mode!r}; there are {modes}, and None")
        expect_whole("num_envs", num_envs, 1)
        expect_whole("threads", threads, 1)
        expect_whole("max_episode_steps", max_episode_steps, 1, none="no end")
        mode = AutoresetMode(autoreset_mode)
        if mode not in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
            raise ValueError(f"expected the autoreset_mode NEXT_STEP or SAME_STEP, got {mode}")
        self.metadata = self.metadata | {"autoreset_mode": mode}  # type: ignore[misc]
        self.board = board_of(game, level, parameters, players=1)
        self.actions = actions_of(self.board, full_action_space)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.copy = copy
        seen = observer(observation, self.board, view, max_sprites, pixels, frame_size)
        self.single_observation_space = seen.space
        self.single_action_space = spaces.Discrete(len(self.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._given = frozenset() if out is None else frozenset(out)
        self._vector = Vector(
            seen.compiled(),
            num_envs,
            self.actions,
            threads=threads,
            limit=max_episode_steps or 0,
            same_step=mode is AutoresetMode.SAME_STEP,
            out=_flat(out or {}),
        )
        self._generators = [np_random(None)[0] for _ in range(num_envs)]
        self._seeds = np.array([self._drawn(k) for k in range(num_envs)], np.int64)  # of the next plays
        self._actions = np.zeros(num_envs, np.int64)
        self._all = np.ones(num_envs, np.bool_)
        self._begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all plays; ``seed`` is a sequence of one per play, or a number to which the k-th play adds k.

        Raises:
            ValueError: ``options`` has an unknown key, or ``seed`` another length.
        """
        check_options(options)
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
                self._seeds[k] = own & 0xFFFFFFFF
        self._vector.restart_all(self._seeds)
        self._draw_seeds()
        self._begun = True
        return self._observations(), self._infos()

    def step(
        self, actions: NDArray[np.integer[Any]] | Sequence[int]
    ) -> tuple[Any, NDArray[np.floating[Any]], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play one tick of every running play, and restart the finished ones.

        With ``copy=False`` and an array of actions, a step allocates no memory that grows with the number of plays,
        except for the infos of plays that end.

        Raises:
            ValueError: ``actions`` is not one valid action per play.
            ResetNeeded: no play has begun, or Ctrl-C stopped the last step: some plays are then a tick ahead of others.
        """
        self._expect_plays()
        chosen = np.asarray(actions)
        if chosen.dtype.kind not in "iu":
            raise ValueError(f"expected whole numbers, an action for each play, got an array of {chosen.dtype}")
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"expected {self.num_envs} actions, one per play, got an array of shape {chosen.shape}")
        np.copyto(self._actions, chosen, casting="unsafe")  # values that do not fit become negative, and are refused
        self._vector.step(self._actions, self._seeds)
        self._draw_seeds()
        return (
            self._observations(),
            self._array("rewards"),
            self._array("terminations"),
            self._array("truncations"),
            self._infos(),
        )

    def render(self) -> tuple[Any, ...] | None:
        """The frames of all plays, or with ``ansi`` their texts."""
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
        if self._vector.is_torn:
            raise ResetNeeded("the last step was interrupted: call reset() first")

    def _drawn(self, k: int) -> int:
        """Draw a seed for a play that was given none."""
        return int(self._generators[k].integers(SEEDS))

    def _draw_seeds(self) -> None:
        """Draw the next seed of each play that has used its seed."""
        if self._vector.n_restarted:
            for k in np.flatnonzero(self._vector.arrays["restarted"]):
                self._seeds[k] = self._drawn(int(k))

    def _array(self, name: str) -> NDArray[Any]:
        array = self._vector.arrays[name]
        return array.copy() if self.copy and name not in self._given else array

    def _observations(self) -> Any:
        """The observations, as elements of the observation space."""
        if isinstance(self.single_observation_space, spaces.Dict):
            names = self.single_observation_space.spaces
            copied = self.copy and "observations" not in self._given
            arrays = self._vector.arrays
            return {name: arrays[name].copy() if copied else arrays[name] for name in names}
        if isinstance(self.single_observation_space, spaces.Text):
            return tuple(self._text(k) for k in range(self.num_envs))
        return self._array("observations")

    def _text(self, k: int, *, last: bool = False) -> str:
        return self._vector.text(k, last=last)[: Words.MOST]

    def _infos(self) -> dict[str, Any]:
        infos: dict[str, Any] = {name: self._array(told) for name, told in _TOLD.items()}
        infos |= {f"_{name}": self._all for name in _TOLD}
        vector = self._vector
        if not vector.same_step:
            infos |= self._errors()
        elif vector.n_restarted:
            arrays = vector.arrays
            ended = (arrays["terminations"] != 0) | (arrays["truncations"] != 0)
            if ended.any():
                infos |= {"final_obs": self._final_observations(ended), "_final_obs": ended}
                infos |= {"final_info": self._final_infos(ended), "_final_info": ended.copy()}
        return infos

    def _errors(self) -> dict[str, Any]:
        """The errors of plays that failed, and are therefore over without a winner."""
        arrays = self._vector.arrays
        if not arrays["terminations"].any():
            return {}
        failed = (arrays["terminations"] != 0) & (arrays["winners"] == Winner.NO_WINNER)
        if not failed.any():
            return {}
        errors = np.full(self.num_envs, None, object)
        for k in np.flatnonzero(failed):
            errors[k] = self._vector.state(int(k)).error
        told = errors != None  # noqa: E711
        return {"error": errors, "_error": told} if told.any() else {}

    def _final_observations(self, ended: NDArray[np.bool_]) -> NDArray[Any]:
        """The last observation of each play that has ended, None for the others."""
        arrays, last = self._vector.arrays, np.full(self.num_envs, None, object)
        copied = self.copy and "final_observations" not in self._given
        for k in np.flatnonzero(ended):
            if isinstance(self.single_observation_space, spaces.Text):
                last[k] = self._text(int(k), last=True)
                continue
            rows = {name: arrays[f"final_{name}"][k] for name, _, _ in self._vector.observer.parts}
            rows = {name: row.copy() if copied else row for name, row in rows.items()}
            last[k] = rows if isinstance(self.single_observation_space, spaces.Dict) else rows["observations"]
        return last

    def _final_infos(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """The infos of the plays that have ended, as of their end; zeros for the others."""
        arrays = self._vector.arrays
        infos: dict[str, Any] = {name: np.where(ended, arrays[f"final_{told}"], 0) for name, told in _TOLD.items()}
        return infos | {f"_{name}": ended.copy() for name in _TOLD}


def _flat(out: Mapping[str, Any]) -> dict[str, Any]:
    """The caller's arrays by their names in the core, where each entry of a mapping has its own name."""
    arrays: dict[str, Any] = {}
    for name, given in out.items():
        if name not in OUT:
            raise ValueError(f"there is no array {name!r} to write into; there are {', '.join(OUT)}")
        if isinstance(given, Mapping):
            prefix = "final_" if name == "final_observations" else ""
            arrays |= {f"{prefix}{part}": array for part, array in given.items()}
        else:
            arrays[name] = given
    return arrays
