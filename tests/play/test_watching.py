"""Replays in a window, as pictures, and as baselines."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pygame
import pytest

import vgdl
from play.conftest import screen_of
from play.window import Open, Window
from vgdl import Action, replay, replay_cli
from vgdl.play.saving import baselines
from vgdl.play.settings import Settings
from vgdl.play.watching import WatchScreen
from vgdl.replay import Replay


def played(folder: Path, *names: str, level: int = 0) -> Replay:
    """A play of the race by a person."""
    state = vgdl.load(str(folder / "race.txt")).start(level, 3)
    for name in names:
        state.advance(Action[name])
    return replay.record(state, 3, [[name] for name in names], controllers=["human"])


@pytest.fixture
def won(folder: Path) -> Path:
    path = folder / "won.json"
    replay.write(played(folder, "DOWN", "UP", "RIGHT", "RIGHT", "RIGHT"), path)
    return path


@pytest.fixture
def watched(opened: Open, won: Path, folder: Path) -> Window:
    """A window with the replay."""
    found = replay.read(won)
    board = replay.find_board(found, [folder])
    window = opened("race.txt")
    window.app.push(WatchScreen(found, board, replay.verify(found, board), Settings()))
    window.wait()
    return window


def screen(window: Window) -> WatchScreen:
    found: WatchScreen = screen_of(window, WatchScreen)
    return found


def test_a_replay_is_shown_to_its_end(watched: Window) -> None:
    watched.ticks(3)
    assert screen(watched).state.tick == 3
    watched.ticks(9)
    assert (screen(watched).at, screen(watched).state.is_over) == (5, True)


def test_a_replay_can_go_back_and_forth(watched: Window) -> None:
    watched.press(pygame.K_END, pygame.K_LEFT)
    assert screen(watched).state.tick == 4
    watched.press(pygame.K_HOME, pygame.K_LEFT, pygame.K_RIGHT)
    watched.ticks(3)
    assert screen(watched).state.tick == 1
    watched.press(pygame.K_SPACE)
    watched.ticks(1)
    assert screen(watched).state.tick == 2


def test_the_time_line_leads_to_a_tick(watched: Window) -> None:
    line = screen(watched).line
    watched.click((line.left + line.width * 3 // 5, line.centery))
    assert screen(watched).at == 3


def test_speed_and_back(watched: Window) -> None:
    watched.type("+")
    watched.ticks(2)
    assert screen(watched).at == 4
    watched.press(pygame.K_ESCAPE)
    assert not isinstance(watched.top, WatchScreen)


def test_a_changed_game_is_reported(watched: Window, folder: Path) -> None:
    assert screen(watched).finding[0] == "verified"
    text = (folder / "race.txt").read_text()
    (folder / "race.txt").write_text(text + "\n")
    found = replay.read(folder / "won.json")
    board = replay.find_board(found, [folder])
    assert WatchScreen(found, board, replay.verify(found, board), Settings()).finding[0] == "same result, texts changed"
    (folder / "race.txt").write_text(text.replace("scoreChange=5", "scoreChange=6"))
    board = replay.find_board(found, [folder])
    assert WatchScreen(found, board, replay.verify(found, board), Settings()).finding[0] == "result differs now"


# ---------------------------------------------------------------------------------------- the command


def command(*arguments: str) -> int:
    return replay_cli.main(["--games", ".", *arguments])


def test_frames_are_written_as_pictures(won: Path, folder: Path) -> None:
    assert command(str(won), "--png", "frames", "--every", "2", "--block", "8") == 0
    names = sorted(path.name for path in (folder / "frames").iterdir())
    assert names == ["frame_0000.png", "frame_0002.png", "frame_0004.png", "frame_0006.png"]
    assert pygame.image.load(folder / "frames" / names[0]).get_size() == (32, 16)


def test_an_animation_is_written(won: Path, folder: Path) -> None:
    assert command(str(won), "--gif", "play.gif") == 0
    assert (folder / "play.gif").read_bytes()[:6] == b"GIF89a"


def test_a_video_is_written_or_the_extra_is_named(
    won: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(SystemExit) as ended:
        command(str(won), "--mp4", "play.mp4")
    assert ended.value.code == 2
    assert "vgdl[video]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["won.json", "won.json", "--gif", "x.gif"], "one replay at a time"),
        (["won.json", "--gif", "nowhere/x.gif"], "no folder"),
        (["won.json", "--gif", "."], "cannot write .: Is a directory"),
        (["won.json", "--games", "nowhere"], "there is no folder nowhere"),
        (["won.json", "--png", "x", "--every", "0"], "1 or more"),
        (["won.json", "--png", "x", "--block", "-3"], "from 1 to 200"),
        (["won.json", "--gif", "x.gif", "--block", "100000"], "from 1 to 200"),
        ([], "FILE"),
    ],
)
def test_a_wrong_command_line_is_explained(
    won: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command(*arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_command_shows_a_replay_in_a_window(won: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window closes itself after a while."""
    turns = []

    def close_soon(self: WatchScreen, app: object, milliseconds: float) -> None:
        turns.append(milliseconds)
        if len(turns) == 3:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(WatchScreen, "pass_time", close_soon)
    assert command(str(won), "--show") == 0
    assert len(turns) == 3


# ---------------------------------------------------------------------------------------- baselines


def test_baselines_summarise_results_of_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plays = [
        played(folder, "DOWN", "NIL", "UP", "RIGHT", "RIGHT", "RIGHT"),
        played(folder, "RIGHT", "NIL", "NIL", "NIL", "RIGHT", "RIGHT"),
        played(folder, "LEFT"),
        played(folder, "LEFT", level=1),
        replace(played(folder, "RIGHT", "RIGHT", "RIGHT"), controllers=("SampleMCTS",)),
        replace(played(folder, "RIGHT"), result=replay.Result((1,), (99.0,), 1)),
        replace(played(folder, "RIGHT"), game_sha256="another"),
    ]
    for number, play in enumerate(plays):
        replay.write(play, folder / f"{number}.json")
    (folder / "7.json").write_text("{}")
    first, second = baselines(sorted(folder.glob("?.json")), [folder])
    assert (first.level, first.plays, first.wins, first.best_score) == ("race_lvl0", 3, 2, 5.0)
    assert (first.fewest_ticks, first.fewest_actions) == (6, 3)
    assert (second.level, second.wins, second.fewest_ticks, second.fewest_actions) == ("race_lvl1", 0, None, None)

    files = [str(path) for path in sorted(folder.glob("?.json"))]
    assert command("--baselines", "--json", *files) == 0
    assert [row["level"] for row in json.loads(capsys.readouterr().out)] == ["race_lvl0", "race_lvl1"]
    assert command("--baselines", *files) == 0
    assert "race_lvl1" in capsys.readouterr().out
