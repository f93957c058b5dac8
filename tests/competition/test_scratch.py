"""Scratch folders are removed with any content, also after their runner was killed."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from vgdl.competition.agents import scratch
from vgdl.competition.agents.scratch import ScratchFolder

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


def made_by_a_killed_runner() -> Path:
    command = [sys.executable, "-P", "-c", MADE_BY_A_KILLED_RUNNER]
    folder = Path(subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip())
    (folder / "left").write_text("over")
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


def test_only_folders_of_killed_runners_are_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    abandoned = made_by_a_killed_runner()
    lock = fcntl.flock

    def swept_at_the_worst_time(descriptor: int, kind: int) -> None:
        """Another runner sweeps while a new folder is not locked yet."""
        monkeypatch.setattr(fcntl, "flock", lock)
        assert scratch.sweep() == [abandoned]
        lock(descriptor, kind)

    monkeypatch.setattr(fcntl, "flock", swept_at_the_worst_time)
    with ScratchFolder() as ours:
        os.utime(ours.path, (0, 0))
        assert scratch.sweep() == []
        assert ours.path.is_dir()
    assert not abandoned.exists()
