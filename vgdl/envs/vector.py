"""A vector environment of Gymnasium whose plays are stepped together in the compiled core."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, SupportsIndex

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from vgdl import Action, Board, Game, Winner, text
from vgdl.core.vector import Vector
from vgdl.envs.common import LAST_TICK, expect_finite, expect_limit, expect_whole, game_of, number_of
from vgdl.envs.levels import Episode, Levels, Outcome, Source, Stage, check_options
from vgdl.envs.observers import PIXELS, Observers, Words
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
    ``final_info``, but not the ``error`` of a game in which a rule could not be carried out. With ``DISABLED``, the
    caller restarts finished plays: ``reset(options={"reset_mask": mask})``.

    Each play draws its level from its own seed. A function that chooses levels is called for each play, with its number
    as ``Episode.env``. With ``SAME_STEP`` it is called as soon as the play before begins, since a play may restart in
    any step: ``Episode.last`` is then the outcome of the play before that one.

    >>> import vgdl.envs
    >>> envs = vgdl.envs.VGDLVectorEnv("sokoban", num_envs=8)
    >>> observations, infos = envs.reset(seed=7)
    >>> observations.shape
    (8, 11, 8, 13)
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
        level: Source = 0,
        *,
        levels: str | os.PathLike[str] | Sequence[LevelLike] | None = None,
        observation: str = "grid",
        view: int | None = None,
        max_sprites: int | None = None,
        pixels: int = PIXELS,
        frame_size: tuple[int, int] | None = None,
        front: bool = False,
        full_action_space: bool = False,
        parameters: Mapping[str, object] | None = None,
        win_bonus: float = 0.0,
        limit: str = "terminate",
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        copy: bool = True,
        out: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Set up the plays; ``reset`` starts them.

        Args:
            game, level, levels, view, max_sprites, pixels, frame_size, front, full_action_space, parameters, win_bonus,
                limit: as for `VGDLEnv`.
            num_envs: number of plays.
            observation: ``grid`` (also called ``planes``), ``sprites``, ``rgb`` or ``text``.
            max_episode_steps: truncate plays after this many steps; never if None.
            autoreset_mode: ``AutoresetMode.NEXT_STEP``, ``SAME_STEP`` or ``DISABLED``.
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
        expect_finite("win_bonus", win_bonus)
        expect_limit(limit)
        mode = AutoresetMode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": mode}  # type: ignore[misc]
        observers = Observers(observation, view, max_sprites, pixels, frame_size, front)
        self._levels = Levels(game_of(game, parameters, players=1), level, levels, observers)
        self.actions = self._levels.actions(full=full_action_space)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.copy = copy
        self.single_observation_space = self._levels.stages[0].observer.space
        self.single_action_space = spaces.Discrete(len(self.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._supplied = frozenset() if out is None else frozenset(out)
        self._vector = Vector(
            [stage.observer.compiled() for stage in self._levels.stages],
            num_envs,
            self.actions,
            threads=threads,
            limit=max_episode_steps or 0,
            same_step=mode is AutoresetMode.SAME_STEP,
            manual=mode is AutoresetMode.DISABLED,
            out=_flat(out or {}),
        )
        self._win_bonus = win_bonus
        self._truncates = limit == "truncate"
        self._stages: list[Stage] = list(self._levels.stages)  # by their number in the core
        self._numbers = np.array([stage.number for stage in self._stages], np.int32)
        self._generators = [np_random(None)[0] for _ in range(num_envs)]
        self._seeds = np.array([self._drawn(k) for k in range(num_envs)], np.int64)  # of the next plays
        self._counts = np.zeros(num_envs, np.int64)  # plays for which a level has been chosen
        self._actions = np.zeros(num_envs, np.int64)
        self._all = np.ones(num_envs, np.bool_)
        self._won, self._level = np.zeros(num_envs, np.bool_), np.full(num_envs, self._numbers[0])  # for infos
        self._begun = False

    @property
    def boards(self) -> tuple[Board, ...]:
        """The boards of the levels that the environment was made with."""
        return tuple(stage.board for stage in self._levels.stages)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all plays, or some.

        Args:
            seed: a sequence of one per play, or a number to which the k-th play adds k; drawn where None.
            options: ``level``: of the plays that start, one for all or a list of one per play, where
                None stands for the usual choice; ``reset_mask``: an array
                of bool that says which plays to start, while the others go on.

        Raises:
            VGDLError: there is no such level.
            ValueError: an unknown or invalid option.
            TypeError: ``reset_mask`` is not an array of bool.
        """
        chosen = check_options(options, ("level", "reset_mask"))
        mask = self._mask(chosen.get("reset_mask"))
        seeds = self._given_seeds(seed)
        stages = self._given_stages(chosen.get("level"))
        for k, own in enumerate(seeds):
            if own is not None and (mask is None or mask[k]):
                self._generators[k] = np_random(own)[0]
                self._seeds[k] = own & 0xFFFFFFFF
        starting = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        for k in starting:
            stage = stages[k]
            if stage is not None:
                self._counts[k] += 1
                self._assign(k, stage)
            elif self._has_choice:
                self._choose(k, self._outcome(k) if self._begun else None)
        if mask is None:
            self._vector.restart_all(self._seeds)
        else:
            self._vector.restart_some(mask.view(np.uint8), self._seeds)
            for name in ("terminations", "truncations"):
                self._vector.arrays[name][mask] = False
        self._begun = True
        answer = self._observations(), self._infos(mask)
        self._prepare_restarts()
        return answer

    def step(
        self, actions: NDArray[np.integer[Any]] | Sequence[int]
    ) -> tuple[Any, NDArray[np.floating[Any]], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play one tick of every running play, and restart the finished ones.

        With ``copy=False`` and an array of actions, a step allocates no memory that grows with the number of plays,
        except for the infos of plays that end.

        Raises:
            ValueError: ``actions`` is not one valid action per play.
            ResetNeeded: no play has begun; or Ctrl-C stopped the last step: some plays are then a tick ahead of others;
                or with ``DISABLED``, a play is over.
        """
        self._expect_plays()
        if isinstance(actions, list | tuple) and any(isinstance(action, Action) for action in actions):
            actions = [number_of(action, self.actions) for action in actions]
        chosen = np.asarray(actions)
        if chosen.dtype.kind not in "iu":
            raise ValueError(f"expected whole numbers, an action for each play, got an array of {chosen.dtype}")
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"expected {self.num_envs} actions, one per play, got an array of shape {chosen.shape}")
        np.copyto(self._actions, chosen, casting="unsafe")  # values that do not fit become negative, and are refused
        self._vector.step(self._actions, self._seeds)
        self._adjust()
        answer = (
            self._observations(),
            self._array("rewards"),
            self._array("terminations"),
            self._array("truncations"),
            self._infos(),
        )
        self._prepare_restarts()
        return answer

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions each play's avatar has at the moment: bool, (num_envs, actions). NIL is always among them."""
        self._expect_plays()
        return self._vector.allowed()

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
        if self._vector.manual and self._ended().any():
            over = np.flatnonzero(self._ended()).tolist()
            raise ResetNeeded(f"plays {over} are over: reset them with options={{'reset_mask': ...}}")

    def _drawn(self, play: int) -> int:
        """Draw a seed for a play that was given none."""
        return int(self._generators[play].integers(SEEDS))

    def _given_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, SupportsIndex):
            return [operator.index(seed) + k for k in range(self.num_envs)]
        if isinstance(seed, str) or not isinstance(seed, Iterable):
            raise ValueError(f"expected a seed, or {self.num_envs} seeds, one per play, got {seed!r:.60}")
        seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} seeds, one per play, got {len(seeds)}")
        return seeds

    def _mask(self, mask: Any) -> NDArray[np.bool_] | None:
        """The plays to start, as an array of its own; None for all."""
        if mask is None:
            return None
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"expected reset_mask to be a numpy array of bool, got {mask!r:.60}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"expected reset_mask of shape {(self.num_envs,)} with a play to start, got {mask}")
        if not self._begun:
            raise ResetNeeded("no play has begun: call reset() without a mask first")
        return np.array(mask)

    def _given_stages(self, level: Any) -> list[Stage | None]:
        """The levels that the options of ``reset`` give to the plays."""
        if level is None:
            return [None] * self.num_envs
        if not isinstance(level, list | tuple | np.ndarray):
            return [self._levels.find(level)] * self.num_envs
        if len(level) != self.num_envs:
            raise ValueError(f"expected a level, or {self.num_envs} levels, one per play, got {len(level)}")
        return [None if one is None else self._levels.find(one) for one in level]

    @property
    def _has_choice(self) -> bool:
        return self._levels.choose is not None or len(self._stages) > 1

    def _choose(self, play: int, last: Outcome | None) -> None:
        """Choose the level of a play's next start."""
        episode = Episode(int(self._seeds[play]), int(self._counts[play]), play, last)
        self._counts[play] += 1
        self._assign(play, self._levels.of_episode(episode))

    def _assign(self, play: int, stage: Stage) -> None:
        if stage not in self._stages:
            number = self._vector.add(stage.observer.compiled())
            self._stages[number : number + 1] = [stage]
            self._numbers = np.array([stage.number for stage in self._stages], np.int32)
        self._vector.assign(play, self._stages.index(stage))

    def _outcome(self, play: int, prefix: str = "") -> Outcome:
        """How a play stands, or with ``final_`` as prefix, how the one before it ended."""
        arrays = self._vector.arrays
        score, tick = float(arrays[f"{prefix}scores"][play]), int(arrays[f"{prefix}ticks"][play])
        won = bool(arrays[f"{prefix}winners"][play] == Winner.PLAYER_WINS)
        return Outcome(int(self._numbers[arrays[f"{prefix}boards"][play]]), won, score, tick)

    def _ended(self) -> NDArray[np.bool_]:
        """Whether each play ended in the last step."""
        arrays = self._vector.arrays
        ended: NDArray[np.bool_] = (arrays["terminations"] != 0) | (arrays["truncations"] != 0)
        return ended

    def _adjust(self) -> None:
        """Apply ``win_bonus`` and ``limit`` to the arrays of the last step."""
        arrays = self._vector.arrays
        if not (self._win_bonus or self._truncates) or not arrays["terminations"].any():
            return
        prefix = "final_" if self._vector.same_step else ""
        over = arrays["terminations"] != 0
        if self._win_bonus:
            arrays["rewards"][over & (arrays[f"{prefix}winners"] == Winner.PLAYER_WINS)] += self._win_bonus
        if self._truncates:
            lost = arrays[f"{prefix}winners"] == Winner.PLAYER_LOSES
            limited = over & lost & (arrays[f"{prefix}ticks"] >= LAST_TICK)
            arrays["terminations"][limited] = False
            arrays["truncations"][limited] = True

    def _prepare_restarts(self) -> None:
        """Draw the next seed of each play that has used its seed, and choose the levels of plays that may restart."""
        vector = self._vector
        restarted = np.flatnonzero(vector.arrays["restarted"]).tolist() if vector.n_restarted else []
        for k in restarted:
            self._seeds[k] = self._drawn(k)
        if vector.manual or not self._has_choice:
            return
        ended = self._ended()
        lasts: dict[int, Outcome | None] = {}  # all of them before any board is replaced
        if vector.same_step:
            lasts |= {k: self._outcome(k, "final_") if ended[k] else None for k in restarted}
        else:
            lasts |= {k: self._outcome(k) for k in np.flatnonzero(ended).tolist()}
        for k, last in lasts.items():
            self._choose(k, last)

    def _array(self, name: str) -> NDArray[Any]:
        array = self._vector.arrays[name]
        return array.copy() if self.copy and name not in self._supplied else array

    def _observations(self) -> Any:
        """The observations, as elements of the observation space."""
        if isinstance(self.single_observation_space, spaces.Dict):
            names = self.single_observation_space.spaces
            copied = self.copy and "observations" not in self._supplied
            arrays = self._vector.arrays
            return {name: arrays[name].copy() if copied else arrays[name] for name in names}
        if isinstance(self.single_observation_space, spaces.Text):
            return tuple(self._text(k) for k in range(self.num_envs))
        return self._array("observations")

    def _text(self, play: int, *, last: bool = False) -> str:
        return self._vector.text(play, last=last)[: Words.MOST]

    def _infos(self, started: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """The infos of all plays, or of those that have been started."""
        which = self._all if started is None else started
        infos = self._infos_of("", which)
        vector = self._vector
        if not vector.same_step:
            infos |= self._errors()
        elif vector.n_restarted:
            ended = self._ended()
            if ended.any():
                infos |= {"final_obs": self._final_observations(ended), "_final_obs": ended}
                infos |= {"final_info": self._infos_of("final_", ended), "_final_info": ended.copy()}
        return infos

    def _infos_of(self, prefix: str, of: NDArray[np.bool_]) -> dict[str, Any]:
        """What infos say of some plays; zeros for the others."""
        arrays = self._vector.arrays
        infos: dict[str, Any] = {name: self._array(f"{prefix}{told}") for name, told in _TOLD.items()}
        np.equal(arrays[f"{prefix}winners"], int(Winner.PLAYER_WINS), out=self._won)
        if len(self._numbers) > 1:
            self._level[:] = self._numbers[arrays[f"{prefix}boards"]]
        copied = self.copy or of is not self._all
        infos["won"] = self._won.copy() if copied else self._won
        infos["level"] = self._level.copy() if copied else self._level
        if of is not self._all:
            infos = {name: np.where(of, array, 0).astype(array.dtype) for name, array in infos.items()}
        for name in tuple(infos):
            infos[f"_{name}"] = of if of is self._all else of.copy()
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
        present = errors != None  # noqa: E711
        return {"error": errors, "_error": present} if present.any() else {}

    def _final_observations(self, ended: NDArray[np.bool_]) -> NDArray[Any]:
        """The last observation of each play that has ended, None for the others."""
        arrays, last = self._vector.arrays, np.full(self.num_envs, None, object)
        copied = self.copy and "final_observations" not in self._supplied
        for k in np.flatnonzero(ended):
            if isinstance(self.single_observation_space, spaces.Text):
                last[k] = self._text(int(k), last=True)
                continue
            rows = {name: arrays[f"final_{name}"][k] for name, _, _ in self._vector.observers[0].parts}
            rows = {name: row.copy() if copied else row for name, row in rows.items()}
            last[k] = rows if isinstance(self.single_observation_space, spaces.Dict) else rows["observations"]
        return last


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
