"""Hostile files and messages are read or refused with the promised error: a sample of what ``data.py`` tries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hostile import data

CASES = 25


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.costly] if name.endswith("-store") else []) for name in data.READERS],
)
def test_what_is_not_damaged_is_read(name: str, tmp_path: Path) -> None:
    """So that damaged data get further than the first check."""
    for content in data.READERS[name].samples():
        assert data.outcome(name, content) == "accepted"


@pytest.mark.costly
def test_hostile_data_are_read_or_refused() -> None:
    command = [sys.executable, data.__file__, "--cases", str(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_a_case_is_made_again_from_its_name() -> None:
    command = [sys.executable, data.__file__, "--show", "replay/17"]
    shown = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)]
    assert shown[0] == shown[1]
    assert shown[0]


def test_what_must_not_happen_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path) -> None:
        raise KeyError("x")

    reader = data.Reader(read, (ValueError,), lambda: [b"{}"], data.TEXT)
    monkeypatch.setitem(data.READERS, "answer", reader)
    counts, failures = data.run(["answer"], range(2), float("inf"))
    assert counts == {"answer failed": 2}
    assert failures == {"answer/0": "KeyError: \"'x'\"", "answer/1": "KeyError: \"'x'\""}
