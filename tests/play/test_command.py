"""The command line of vgdl-play, and the imports that it causes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pygame
import pytest

from play.conftest import screen_of
from play.window import RACE, Open
from vgdl.play import cli, main
from vgdl.play.playing import PlayScreen
from vgdl.render import png


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["alines"], "did you mean 'aliens'"),
        (["othelo(size=6)"], "did you mean 'othello'"),
        (["--game", "nothing.txt"], "no game named 'nothing.txt'"),
        (["aliens", "--level", "99"], "has no level 99"),
        (["aliens", "--level", "nothing.txt"], "there is no file nothing.txt"),
        (["aliens", "--controller", "samplemtcs"], "did you mean 'samplemcts'"),
        (["aliens", "--controller", "players.py:Rihgt"], "did you mean 'Right'"),
        (["aliens", "--controller", "random", "--controller", "random"], "is for one player"),
        (["aliens", "--speed", "99"], "not a speed"),
        (["aliens", "--speed", "fast"], "not a speed"),
        (["aliens", "--sprites", "nowhere"], "no folder nowhere"),
        (["aliens", "--replays", "race.txt"], "race.txt is a file"),
        (["aliens", "--game", "race.txt"], "which game"),
        (["--level", "2"], "say which game"),
        (["--controller", "random"], "say which game"),
        (["--edit", "nowhere/race_lvl0.txt"], "no folder"),
        (["--edit", "unknown_lvl0.txt"], "no game named 'unknown'"),
        (["--edit", "level.txt"], "say which game level.txt is a level of"),
        (["--edit", "race_lvl9.txt", "--size", "0x5"], "not a size"),
        (["--edit", "race_lvl9.txt", "--size", "999x5"], "not a size"),
        (["--edit", "race_lvl9.txt", "--controller", "random"], "exclude each other"),
        (["broken.txt"], "broken.txt"),
        (["aliens", "--seed", "x"], "--seed"),
        (["--unknown"], "--unknown"),
    ],
)
def test_a_wrong_command_line_is_explained(
    folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.txt").write_text("NoSuchGame\n    SpriteSet\n")
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_openspiel_is_named_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(SystemExit):
        main(["leduc_poker"])
    assert 'pip install "vgdl[tabletop]"' in capsys.readouterr().err


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "vgdl-play aliens --level 2" in capsys.readouterr().out


def test_warnings_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "race.txt").write_text(RACE.replace("color=BROWN", "colour=BROWN"))
    cli.plan(["race.txt"])
    assert "race: 1 warning; see vgdl-check" in capsys.readouterr().err


def test_a_level_can_be_a_file_and_the_game_an_option(opened: Open, folder: Path) -> None:
    (folder / "mine.txt").write_text("A.g\n")
    window = opened("--game", "race.txt", "--level", "mine.txt", "--seed", "7", "--speed", "2")
    screen = screen_of(window, PlayScreen)
    assert (screen.match.state.board.name, screen.match.seed, screen.speed) == ("mine", 7, 2.0)


def test_custom_images_are_shown(opened: Open, folder: Path) -> None:
    (folder / "race.txt").write_text(RACE.replace("color=BROWN", "img=set/floor"))
    (folder / "set").mkdir()
    png.write(folder / "set" / "floor.png", np.full((2, 2, 3), (1, 2, 250), np.uint8))
    plain = opened("race.txt", "--paused")
    without = plain.pixels()
    shown = opened("race.txt", "--paused", "--sprites", str(folder))
    assert shown.pixels() != without
    board = screen_of(shown, PlayScreen).board.rect
    assert shown.app.surface.get_at((board.centerx + 5, board.bottom - 5))[:3] == (1, 2, 250)


def test_the_window_opens_and_closes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole command, with its loop."""
    pygame.display.init()
    turns = []

    def close_soon(self: PlayScreen, app: object, milliseconds: float) -> None:
        turns.append(milliseconds)
        if len(turns) == 4:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(PlayScreen, "pass_time", close_soon)
    assert main(["race.txt"]) == 0
    assert len(turns) == 4
    assert not pygame.display.get_init()


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, env={"PATH": "", **environment}, timeout=60
    )


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"SDL_VIDEODRIVER": "nosuchdriver"}, id="no such driver"),
        pytest.param({}, id="no display", marks=pytest.mark.skipif(sys.platform != "linux", reason="has a display")),
    ],
)
def test_a_missing_display_is_reported(environment: dict[str, str], folder: Path) -> None:
    """Without a display, SDL draws into memory: a window that nobody sees would stay open for ever."""
    code = f"import vgdl.play; vgdl.play.main([{str(folder / 'race.txt')!r}])"
    done = run(code, HOME=str(folder), **environment)
    assert done.returncode == 2
    assert "no window can be opened" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_window_whose_controller_hangs_can_be_terminated(folder: Path) -> None:
    code = "import vgdl.play; vgdl.play.main(['race.txt', '--controller', 'players.py:Hanging'])"
    with subprocess.Popen([sys.executable, "-P", "-c", code], cwd=folder, stdout=subprocess.PIPE) as window:
        try:
            assert window.stdout is not None
            while window.stdout.readline() != b"hanging\n":
                assert window.poll() is None
            window.terminate()
            assert window.wait(timeout=60) == -signal.SIGTERM
        finally:
            window.kill()


def test_headless_pictures_need_no_pygame() -> None:
    code = """
import sys
import vgdl, vgdl.render, vgdl.replay_cli, vgdl.play
picture = vgdl.load("aliens").start(level=0, seed=1).render()
assert picture.shape[2] == 3 and picture.any()
assert not [name for name in sys.modules if name.startswith("pygame")], "pygame was imported"
"""
    done = run(code)
    assert done.returncode == 0, done.stderr
