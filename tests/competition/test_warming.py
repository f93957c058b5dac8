"""Memory is touched once after each start of the machine, and never so much that others lack it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import contests
from contests import plan
from vgdl.competition.agents import cores, warming
from vgdl.competition.tracks.planning.runner import Competition
from vgdl.competition.tracks.planning.session import sandbox_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a matter of Linux")


@pytest.fixture
def touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Processes and MiB of each, whenever memory would be touched."""
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(warming, "_touch", lambda *numbers: calls.append(numbers))
    monkeypatch.setattr(warming, "_available_mb", lambda: 8000)
    return calls


def test_memory_is_really_touched() -> None:
    code = "import resource; from vgdl.competition.agents import warming; warming._touch(2, 128)"
    code += "; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    result = subprocess.run([sys.executable, "-P", "-c", code], check=True, stdout=subprocess.PIPE, text=True)
    assert 128 < int(result.stdout) / 1024 < 228


def test_memory_is_touched_once(
    touched: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert warming.warm(2, 500)
    assert not warming.warm(2, 500)
    assert not warming.warm(1, 600)
    assert touched == [(2, 500)]
    assert warming.warm(2, 600)  # more than before
    assert touched == [(2, 500), (2, 600)]
    (tmp_path / "boot").write_text("another start of the machine\n")
    monkeypatch.setattr(warming, "_BOOT", tmp_path / "boot")
    assert warming.warm(2, 500)


def test_no_more_is_touched_than_others_can_spare(touched: list[tuple[int, int]]) -> None:
    warming.warm(3, 4096)
    warming.warm(8, 4096)
    assert touched == [(3, 1024), (8, 500)]


@pytest.mark.parametrize("text", ["", "x", "\0\0", "1 2 3", "{boot} many"])
def test_a_damaged_marker_is_written_anew(text: str, touched: list[tuple[int, int]]) -> None:
    boot = warming._BOOT.read_text().strip()
    warming.warm(1, 10)
    (marker,) = Path(tempfile.gettempdir()).iterdir()
    marker.write_text(text.format(boot=boot))
    assert warming.warm(1, 10)
    assert not warming.warm(1, 10)


def test_a_folder_that_cannot_be_written_stops_nothing(
    touched: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    assert not warming.warm(1, 10)


def test_plays_by_the_clock_begin_with_warm_memory(touched: list[tuple[int, int]]) -> None:
    for budget in ("calls:5", "40ms"):
        planned = plan("random", budget=budget)
        competition = Competition(planned, sandbox_for(planned, "rlimits"))
        claim = cores.claim(1)
        contests.play_all(competition, claim, range(1))
        claim.release()
        assert touched == ([] if budget == "calls:5" else [(1, warming.MOST_MB)])
