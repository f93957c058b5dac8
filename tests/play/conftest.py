"""Windows without a display; with SDL_VIDEODRIVER=x11 the same tests open real ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

from play.window import Open, Window, write_games
from vgdl.play import cli


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the games, which is the current one; replays go nowhere else."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return write_games(tmp_path)


@pytest.fixture
def opened(folder: Path) -> Iterator[Open]:
    """Opens windows as the command does, without its loop."""
    windows: list[Window] = []

    def open_window(*arguments: str, size: tuple[int, int] = (800, 600)) -> Window:
        _, first = cli.plan(arguments)
        window = Window(size)
        windows.append(window)
        window.app.push(first())
        window.wait()
        return window

    yield open_window
    for window in windows[-1:]:
        window.app.close()


def screen_of(window: Window, kind: type[Any]) -> Any:
    """The screen on top, which must be of a kind."""
    assert isinstance(window.top, kind), f"{window.top} is on top"
    return window.top
