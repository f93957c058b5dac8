"""The pictures of the tracks in the README."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.costly
def test_the_pictures_of_the_tracks_are_those_that_the_code_draws() -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate_pictures.py"), "--check"]
    shown = subprocess.run(command, capture_output=True, text=True)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "", "")


def test_every_track_has_a_picture_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pictures = sorted((ROOT / "docs" / "images" / "tracks").iterdir())
    assert len(pictures) == 8
    for picture in pictures:
        assert f"](docs/images/tracks/{picture.name})" in readme
