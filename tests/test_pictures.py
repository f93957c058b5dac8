"""The pictures of the README and of the documentation."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize("folder", ["games", "pages"])
def test_pictures_are_shown_in_the_documentation_and_small(folder: str) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    pictures = sorted((ROOT / "docs" / "images" / folder).iterdir())
    assert pictures
    for picture in pictures:
        assert f"](images/{folder}/{picture.name})" in pages
        assert picture.stat().st_size <= 150_000


def test_pictures_of_pages_need_a_browser(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate_pictures.py"), "--pages"]
    shown = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PATH": str(tmp_path)})
    assert shown.returncode == 2
    assert "--pages needs Chromium" in shown.stderr
