"""Recording films of plays."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

gymnasium = pytest.importorskip("gymnasium")

from vgdl.envs import RecordVideo  # noqa: E402
from vgdl.render.mp4 import MissingExtra  # noqa: E402


def play(env: Any, steps: int) -> None:
    for _ in range(steps):
        _, _, over, cut, _ = env.step(0)
        if over or cut:
            return


def test_every_episode_becomes_a_film(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="the extra video is not installed")
    env = RecordVideo(gymnasium.make("vgdl/Sokoban-v0", render_mode="rgb_array", max_episode_steps=5), tmp_path / "new")
    for seed in (1, 2):
        env.reset(seed=seed)
        play(env, 10)
    env.reset(seed=3)
    env.close()
    assert [path.name for path in env.files] == ["episode-0.mp4", "episode-1.mp4", "episode-2.mp4"]
    assert all(path.read_bytes()[4:8] == b"ftyp" for path in env.files)


def test_chosen_episodes_become_animations(tmp_path: Path) -> None:
    env = gymnasium.make("vgdl/Aliens-v0", render_mode="rgb_array")
    env = RecordVideo(env, tmp_path, lambda episode: episode == 1, name_prefix="aliens", suffix=".gif", fps=25)
    for seed in range(3):
        env.reset(seed=seed)
        play(env, 6)
    env.close()
    assert [path.name for path in tmp_path.iterdir()] == ["aliens-1.gif"]
    assert env.files[0].read_bytes().count(b"\x21\xf9\x04\x05") >= 3, "the frames that differ"


def test_what_cannot_be_recorded_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="rgb_array"):
        RecordVideo(gymnasium.make("vgdl/Sokoban-v0"), tmp_path)
    env = gymnasium.make("vgdl/Sokoban-v0", render_mode="rgb_array")
    with pytest.raises(ValueError, match=r"\.mp4 or \.gif"):
        RecordVideo(env, tmp_path, suffix=".avi")
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtra, match=r"vgdl\[video\]"):
        RecordVideo(env, tmp_path)
