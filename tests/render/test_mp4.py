"""MP4 files, where the extra that writes them is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from vgdl.render import mp4


def test_without_the_extra_an_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(mp4.MissingExtra, match=r"pip install \"vgdl\[video\]\""):
        mp4.write(tmp_path / "film.mp4", [np.zeros((4, 4, 3), np.uint8)])


def test_a_video_has_all_its_frames(tmp_path: Path) -> None:
    reader = pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "film.mp4"
    mp4.write(path, (np.full((33, 47, 3), 10 * number, np.uint8) for number in range(12)), fps=25)
    frames, seconds = reader.count_frames_and_secs(str(path))
    assert frames == 12
    assert seconds == pytest.approx(12 / 25, abs=0.05)


def test_a_video_without_frames_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    with pytest.raises(ValueError, match="at least one frame"):
        mp4.write(tmp_path / "film.mp4", [])
