"""Scratch folders are removed with any content, also after their runner was killed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from vgdl.competition.agents import scratch
from vgdl.competition.agents.scratch import YOUNG_S, ScratchFolder

MADE_BY_A_KILLED_RUNNER = """
import os
from vgdl.competition.agents.scratch import ScratchFolder
print(ScratchFolder().path, flush=True)
os._exit(9)
"""


@pytest.fixture(autouse=True)
def _temporary_files_go_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def made_by_a_killed_runner(age_s: float) -> Path:
    command = [sys.executable, "-P", "-c", MADE_BY_A_KILLED_RUNNER]
    folder = Path(subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip())
    (folder / "left").write_text("over")
    os.utime(folder, (folder.stat().st_mtime - age_s,) * 2)
    return folder


@pytest.mark.costly
def test_a_folder_deeper_than_the_longest_path_is_removed(tmp_path: Path) -> None:
    folder = ScratchFolder()
    here = os.open(folder.path, os.O_RDONLY)
    for _ in range(5000):
        os.mkdir("folder", dir_fd=here)
        deeper = os.open("folder", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    folder.remove()
    assert not list(tmp_path.iterdir())


def test_targets_of_links_stay(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("mine")
    with ScratchFolder() as folder:
        (folder.path / "link").symlink_to(precious)
        (folder.path / "locked").mkdir()
        (folder.path / "locked" / "link").symlink_to(precious / "file")
        (folder.path / "locked").chmod(0)
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]
    assert (precious / "file").read_text() == "mine"


def test_only_folders_of_killed_runners_are_swept() -> None:
    abandoned = made_by_a_killed_runner(2 * YOUNG_S)
    young = made_by_a_killed_runner(0)
    with ScratchFolder() as ours:
        os.utime(ours.path, (0, 0))
        assert scratch.sweep() == [abandoned]
        assert ours.path.is_dir()
    assert young.is_dir()
    assert not abandoned.exists()
