"""Films of plays: a wrapper that records episodes as MP4 or GIF files, without moviepy."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from vgdl.render import gif, mp4

SUFFIXES = (".mp4", ".gif")


class RecordVideo(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Records episodes of an environment that was made with ``render_mode="rgb_array"``.

    A file is complete when the episode has ended, or at the next ``reset`` or ``close``. MP4 files need the extra
    ``video``, GIF files nothing; while a GIF file is recorded, all its frames are in memory.

    >>> import vgdl.envs
    >>> env = vgdl.envs.VGDLEnv("sokoban", render_mode="rgb_array")
    >>> env = vgdl.envs.RecordVideo(env, "films", suffix=".gif")
    >>> _ = env.reset(seed=7)
    >>> env.close()
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        video_folder: str | os.PathLike[str],
        episode_trigger: Callable[[int], bool] | None = None,
        *,
        name_prefix: str = "episode",
        suffix: str = ".mp4",
        fps: float | None = None,
    ) -> None:
        """Wrap an environment.

        Args:
            env: to be recorded.
            video_folder: made if it does not exist; the film of episode 3 is ``episode-3.mp4`` in it.
            episode_trigger: whether to record an episode, by its number from 0; all if None.
            name_prefix: of the files.
            suffix: ``.mp4`` or ``.gif``.
            fps: frames per second; those of the environment's metadata if None.

        Raises:
            ValueError: the environment renders no pictures, or an unknown suffix.
            MissingExtra: the extra ``video`` is not installed.
        """
        RecordConstructorArgs.__init__(
            self,
            video_folder=video_folder,
            episode_trigger=episode_trigger,
            name_prefix=name_prefix,
            suffix=suffix,
            fps=fps,
        )
        super().__init__(env)
        if env.render_mode != "rgb_array":
            raise ValueError(f'expected an environment made with render_mode="rgb_array", got {env.render_mode!r}')
        if suffix not in SUFFIXES:
            raise ValueError(f"expected the suffix {' or '.join(SUFFIXES)}, got {suffix!r}")
        if suffix == ".mp4":
            mp4.check()
        self.files: list[Path] = []  #: complete films
        self._folder = Path(video_folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._trigger = episode_trigger
        self._prefix, self._suffix = name_prefix, suffix
        self._fps = float(self.metadata.get("render_fps", 25) if fps is None else fps)
        self._episode = -1
        self._film: mp4.Writer | list[Any] | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode, and its film if it is to be recorded."""
        self._finish()
        answer = self.env.reset(seed=seed, options=options)
        self._episode += 1
        if self._trigger is None or self._trigger(self._episode):
            self._film = mp4.Writer(self._path, self._fps) if self._suffix == ".mp4" else []
            self._shoot()
        return answer

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step, and record the frame."""
        answer = self.env.step(action)
        if self._film is not None:
            self._shoot()
            if answer[2] or answer[3]:
                self._finish()
        return answer

    def close(self) -> None:
        """Complete the film, and close the environment."""
        self._finish()
        super().close()

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._prefix}-{self._episode}{self._suffix}"

    def _shoot(self) -> None:
        frame: Any = np.asarray(self.env.render())
        if isinstance(self._film, list):
            self._film.append(frame)
        elif self._film is not None:
            self._film.add(frame)

    def _finish(self) -> None:
        if self._film is None:
            return
        if isinstance(self._film, list):
            gif.write(self._path, self._film, max(10, round(1000 / self._fps)))
        else:
            self._film.close()
        self._film = None
        self.files.append(self._path)
