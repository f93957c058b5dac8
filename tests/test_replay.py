"""Replay files reproduce the recorded result, and deviations are reported."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import vgdl
from vgdl import Action, replay, replay_cli
from vgdl.replay import Replay, ReplayError

TOY = Path(__file__).parent / "competition" / "toy"
ACTIONS = [["RIGHT"], ["NIL"], ["RIGHT"], ["RIGHT"], ["RIGHT"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the toy games that a test may change."""
    return Path(shutil.copytree(TOY, tmp_path / "toy"))


@pytest.fixture
def won(folder: Path) -> Replay:
    """A won play of the corridor."""
    game, level = folder / "toy.txt", folder / "toy_lvl1.txt"
    state = vgdl.load(game).start(level=level, seed=4)
    for (name,) in ACTIONS:
        state.advance(Action[name])
    return replay.record(state, 4, ACTIONS, controllers=["Me"])


def rewritten(path: Path, **changes: Any) -> Path:
    facts = json.loads(path.read_text())
    path.write_text(json.dumps({**facts, **changes}))
    return path


def test_a_replay_holds_the_result(won: Replay) -> None:
    assert (won.result.winners, won.result.scores) == ((1,), (0.0,))
    assert (won.game, won.level, won.seed, won.controllers) == ("toy", "toy_lvl1", 4, ("Me",))


def test_a_written_replay_is_read_back(won: Replay, tmp_path: Path) -> None:
    path = tmp_path / "play.json"
    replay.write(won, path)
    assert replay.read(path) == won


def test_an_empty_play_is_written_and_read_back(won: Replay, tmp_path: Path) -> None:
    path = tmp_path / "play.json"
    empty = replace(won, actions=())
    replay.write(empty, path)
    assert replay.read(path) == empty


def test_an_untouched_replay_leads_to_its_result(won: Replay) -> None:
    verdict = replay.verify(won, replay.find_board(won, [TOY]))
    assert verdict.same
    assert not verdict.game_changed
    assert not verdict.level_changed


@pytest.mark.parametrize(
    "changes",
    [
        {"actions": (("RIGHT",),) * 3},
        {"actions": (("UP",),)},
        {"result": replay.Result((0,), (1.0,), 5)},
        {"result": replay.Result((1,), (2.0,), 5)},
    ],
)
def test_a_tampered_replay_is_detected(won: Replay, folder: Path, changes: dict[str, Any]) -> None:
    assert not replay.verify(replace(won, **changes), replay.find_board(won, [folder])).same


def test_changed_texts_are_detected(won: Replay, folder: Path) -> None:
    game, level = folder / "toy.txt", folder / "toy_lvl1.txt"
    game.write_text(game.read_text() + "\n")
    verdict = replay.verify(won, replay.find_board(won, [folder]))
    assert (verdict.game_changed, verdict.level_changed, verdict.same) == (True, False, True)
    level.write_text(level.read_text().replace("A.", ".A"))
    verdict = replay.verify(won, replay.find_board(won, [folder]))
    assert (verdict.level_changed, verdict.same) == (True, False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 99}, "format is 99"),
        ({"seed": "4"}, "seed should be of type int"),
        ({"game": "../../secret"}, "without folder"),
        ({"actions": [["RIHGT"]]}, "tick 0 has the unknown action 'RIHGT'"),
        ({"actions": [["NIL"], []]}, "tick 1"),
        ({"actions": 5}, "actions should be of type list"),
        ({"result": {"winners": [1]}}, "'scores' is missing"),
        ({"result": None}, "result should be of type dict"),
        ({"versions": []}, "versions"),
        ({"game": "toy\x1b[2J"}, r"'toy\\x1b\[2J' has characters that cannot be shown"),
        ({"level": "toy\ud800"}, r"'toy\\ud800' has characters that cannot be shown"),
        ({"controllers": ["\u202eMe"]}, r"'\\u202eMe' has characters that cannot be shown"),
        ({"versions": {"vgdl": "\x00"}}, r"'\\x00' has characters that cannot be shown"),
    ],
)
def test_a_bad_field_is_named(won: Replay, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = tmp_path / "play.json"
    replay.write(won, path)
    with pytest.raises(ReplayError, match=message):
        replay.read(rewritten(path, **changes))


@pytest.mark.parametrize(
    ("tick", "message"),
    [
        (["CLICK 3000 4"], r"tick 1 cannot be replayed: expected a cell of \d+ by \d+, got \(3000, 4\)"),
        (["NIL", "NIL"], "tick 1 cannot be replayed: "),
    ],
)
def test_actions_that_the_game_does_not_have_are_refused(
    won: Replay, folder: Path, tick: list[str], message: str
) -> None:
    path = folder / "play.json"
    replay.write(won, path)
    played = replay.read(rewritten(path, actions=[["NIL"], tick]))
    with pytest.raises(ReplayError, match=message):
        replay.verify(played, replay.find_board(played, [folder]))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null", b"{}", b"[" * 100_000])
def test_a_file_that_is_not_a_replay_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "play.json"
    path.write_bytes(content)
    with pytest.raises(ReplayError, match="not a replay file"):
        replay.read(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="No such file"):
        replay.read(tmp_path / "nothing.json")


def test_a_missing_game_is_refused(won: Replay) -> None:
    with pytest.raises(ReplayError, match="the game elsewhere with the level toy_lvl1"):
        replay.find_board(replace(won, game="elsewhere"), [TOY])


def test_the_command_distinguishes_same_from_different(
    won: Replay, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    replay.write(won, good)
    replay.write(replace(won, actions=won.actions[:2]), bad)
    assert replay_cli.main(["--games", str(TOY), str(good)]) == 0
    assert "same result" in " ".join(capsys.readouterr().out.split())
    assert replay_cli.main(["--games", str(TOY), "--json", str(good), str(bad)]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["verdict"]["same"] for row in rows] == [True, False]


def test_the_command_says_how_to_find_a_game_of_ones_own(
    won: Replay, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay.write(won, tmp_path / "play.json")
    assert replay_cli.main([str(tmp_path / "play.json"), "--json"]) == 2
    assert "--games DIR names the folder of a game of your own" in capsys.readouterr().out


def test_the_command_survives_invalid_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    assert replay_cli.main(["--json", str(path)]) == 2
    assert "'format' is missing" in capsys.readouterr().out
