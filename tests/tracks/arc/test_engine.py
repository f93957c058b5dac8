"""Games of the official engine in processes of their own, with a stand-in for the package ``arcengine``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from vgdl.competition.tracks.arc import play_command
from vgdl.competition.tracks.arc.engine import EngineArc, EngineError
from vgdl.competition.tracks.arc.errors import BadActionError, NotStartedError
from vgdl.competition.tracks.arc.frame import State

STAND_IN = '''
"""The part of the engine's interface that games and the worker use."""
from enum import Enum


class GameAction(Enum):
    RESET, ACTION1, ACTION2, ACTION3, ACTION4, ACTION5, ACTION6, ACTION7 = range(8)


class GameState(Enum):
    NOT_FINISHED = "NOT_FINISHED"
    WIN = "WIN"
    GAME_OVER = "GAME_OVER"


class ActionInput:
    def __init__(self, id, data):
        self.id, self.data = id, data


class FrameDataRaw:
    pass


class ARCBaseGame:
    _available_actions = [1, 6]

    def __init__(self):
        self.state, self.levels, self.count = GameState.NOT_FINISHED, 0, 0

    def perform_action(self, action_input, raw=False):
        if action_input.id is GameAction.RESET:
            self.state, self.count = GameState.NOT_FINISHED, 0
        else:
            self.step(action_input)
        frame = FrameDataRaw()
        frame.frame = [[[self.count % 16] * 64 for _ in range(64)]]
        frame.state, frame.levels_completed, frame.win_levels = self.state, self.levels, 2
        frame.available_actions = self._available_actions
        return frame
'''

GAME = '''
from arcengine import ARCBaseGame, GameState


class Counting(ARCBaseGame):
    """Three presses win a level, a click loses it."""

    def step(self, action):
        print("this must not disturb anything")
        if action.id.value == 6:
            self.state = GameState.GAME_OVER
            return
        self.count += 1
        if self.count == 3:
            self.count, self.levels = 0, self.levels + 1
            if self.levels == 2:
                self.state = GameState.WIN
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    games = tmp_path / "games" / "cc01"
    games.mkdir(parents=True)
    (games / "cc01.py").write_text(GAME)
    (games / "metadata.json").write_text('{"game_id": "cc01-1", "baseline_actions": [3, 3]}')
    (games / "arcengine.pth").write_text(STAND_IN)  # a module whose file is not taken for a game
    (games / "arcengine.py").write_text("exec(open(__file__[:-2] + 'pth').read())")
    return tmp_path / "games"


def test_a_game_is_played_and_scored_against_its_metadata(folder: Path) -> None:
    arc = EngineArc(folder)
    (info,) = arc.games
    assert info.game_id == "cc01-1"
    environment = arc.make("cc01-1")
    frame = environment.reset()
    assert (frame.available_actions, frame.win_levels, frame.full_reset) == ((1, 6), 2, True)
    assert environment.step(1).last[0, 0] == 1
    assert environment.step(6, 3, 4).state == State.GAME_OVER
    with pytest.raises(NotStartedError):
        environment.step(1)
    assert not environment.reset().full_reset
    for _ in range(6):
        frame = environment.step(1)
    assert frame.state == State.WIN
    card = arc.close()
    (run,) = card["environments"][0]["runs"]
    assert run["level_actions"] == [6, 3]
    assert run["level_scores"][1] == 100
    assert run["resets"] == 1


def test_bad_clicks_never_reach_a_game(folder: Path) -> None:
    arc = EngineArc(folder)
    environment = arc.make("cc01-1")
    environment.reset()
    for place in ((None, 1), (64, 1), (1.5, 1), (True, 1)):
        with pytest.raises(BadActionError):
            environment.step(6, *place)
    arc.close()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise RuntimeError('no\\x1b[31m luck')", "RuntimeError: no"),
        ("x = 1  # ARCBaseGame", "expected 1"),
        ("import os; os._exit(3)  # ARCBaseGame", "has ended"),
        ("import sys; sys.exit('ARCBaseGame')", "SystemExit"),
    ],
)
def test_a_game_that_fails_is_an_error_that_says_which(folder: Path, code: str, words: str) -> None:
    (folder / "cc01" / "cc01.py").write_text(f"# ARCBaseGame\n{code}\n")
    with pytest.raises(EngineError, match=words) as raised:
        EngineArc(folder).make("cc01-1")
    assert "cc01-1" in str(raised.value)
    assert str(raised.value).isprintable()


def test_a_game_that_fails_within_a_play_ends_it(folder: Path) -> None:
    file = folder / "cc01" / "cc01.py"
    file.write_text(GAME.replace("self.count += 1", "raise ValueError('step')"))
    arc = EngineArc(folder)
    environment = arc.make("cc01-1")
    environment.reset()
    with pytest.raises(EngineError, match="ValueError: step"):
        environment.step(1)
    arc.close()


def test_a_folder_without_games_and_an_interpreter_that_is_none_are_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(EngineError, match="no Python file"):
        EngineArc(tmp_path / "empty")
    with pytest.raises(EngineError, match="No such file"):
        EngineArc(folder, str(tmp_path / "no-python")).make("cc01-1")


def test_the_command_plays_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--agent", "experimenter", "--games-dir", str(folder), "--engine-python", sys.executable]
    assert play_command.main([*words, "--actions", "60", "--quiet"]) == 0
    assert "2 / 2" in capsys.readouterr().out
