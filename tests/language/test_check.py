"""The command ``vgdl-check``, with a stand-in for the engine that reads texts but gives them no meaning."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import vgdl
from vgdl.check import main
from vgdl.language import Place, VGDLRuntimeError, VGDLWarning, parse_file, read_level_file

GAME = "BasicGame\n  SpriteSet\n    fox > Missile\n"
ODD = "BasicGame\n  SpriteSet\n    fox > Missile speed=\n"
BROKEN = "SpriteSet\n"


@dataclass
class Board:
    warnings: tuple[VGDLWarning, ...]


@dataclass
class Game:
    """Warns about question marks in levels, and does not start one with an exclamation mark."""

    warnings: tuple[VGDLWarning, ...]

    def board(self, level: str) -> Board:
        grid = read_level_file(level)
        odd = [Place(row + 1, line.index("?") + 1) for row, line in enumerate(grid.lines) if "?" in line]
        return Board(tuple(VGDLWarning("'?' is not mapped", grid.source, place) for place in odd))

    def start(self, level: str) -> None:
        grid = read_level_file(level)
        if any("!" in line for line in grid.lines):
            raise VGDLRuntimeError("sprite without class", grid.source)


@pytest.fixture(autouse=True)
def yard(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder to work in, with the stand-in loaded."""
    monkeypatch.setattr(vgdl, "load", lambda path: Game(tuple(parse_file(path)[1])), raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**texts: str) -> None:
    for stem, text in texts.items():
        Path(f"{stem}.txt").write_text(text)


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    status = main(["--json", *arguments])
    return status, json.loads(capsys.readouterr().out)


def test_a_clean_game(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0="ww")
    assert main(["yard.txt"]) == 0
    assert capsys.readouterr().out == "yard.txt (1 level): ok\n1 game, 1 level, 0 errors, 0 warnings\n"


def test_warnings_are_shown_with_line_and_caret(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=ODD)
    assert main(["yard.txt"]) == 1
    assert capsys.readouterr().out == (
        "yard.txt (0 levels): not ok\n"
        "warning: yard.txt:3:19: parameter 'speed=' has no value: line ignored\n"
        "        fox > Missile speed=\n"
        "                      ^^^^^^\n"
        "expected key=value, without blanks\n"
        "1 game, 0 levels, 0 errors, 1 warning\n"
    )


def test_errors_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=BROKEN)
    assert main(["yard.txt"]) == 1
    assert "error: yard.txt:1:1: a section before the game line\n" in capsys.readouterr().out


def test_markup_in_texts_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=ODD.replace("fox", "[red]fox[/]"))
    main(["yard.txt"])
    assert "        [red]fox[/] > Missile speed=\n" in capsys.readouterr().out


def test_long_lines_are_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=ODD.replace("Missile", "M" * 90))
    main(["yard.txt"])
    quote = next(line for line in capsys.readouterr().out.split("\n") if "MMM" in line)
    assert len(quote) == 104


def test_levels_next_to_the_game_in_order_of_their_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl10="w", yard_lvl9="w", yard_lvlx="w", yard2=GAME, yard2_lvl0="w", other_lvl0="w")
    assert as_json(capsys, "yard.txt")[1][0]["levels"] == ["yard_lvl9.txt", "yard_lvl10.txt"]


def test_one_more_level_and_none_twice(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0="w", meadow="w")
    _, [game] = as_json(capsys, "yard.txt", "--level", "meadow.txt", "--level", "./yard_lvl0.txt")
    assert game["levels"] == ["yard_lvl0.txt", "meadow.txt"]


def test_a_level_stands_for_its_game(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0="w", yard_lvl1="w")
    _, games = as_json(capsys, "yard.txt", "yard_lvl0.txt", "yard_lvl1.txt")
    assert [game["game"] for game in games] == ["yard.txt"]


def test_all_levels_are_started_after_one_that_fails(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0="", yard_lvl1="!", yard_lvl2="w\nw?")
    status, [game] = as_json(capsys, "yard.txt")
    assert status == 1
    assert [(error["file"], error["message"]) for error in game["errors"]] == [
        ("yard_lvl0.txt", "the level is empty"),
        ("yard_lvl1.txt", "sprite without class"),
    ]
    assert game["warnings"] == [
        {
            "file": "yard_lvl2.txt",
            "line": 2,
            "column": 2,
            "length": 1,
            "message": "'?' is not mapped",
            "expected": [],
            "suggestion": None,
            "messages": 1,
        }
    ]


def test_json_of_a_clean_and_a_broken_game(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, barn=BROKEN)
    status, [yard, barn] = as_json(capsys, "yard.txt", "barn.txt")
    assert status == 1
    assert yard == {"game": "yard.txt", "levels": [], "errors": [], "warnings": []}
    assert barn["errors"][0]["expected"] == ["a game line like 'BasicGame'"]
    assert as_json(capsys, "yard.txt")[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [[], ["none.txt"], ["."], ["yard.txt", "--level", "none.txt"], ["yard.txt", "barn.txt", "--level", "yard.txt"]],
)
def test_wrong_command_lines(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, barn=GAME)
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: vgdl-check" in capsys.readouterr().err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    assert "exit status" in capsys.readouterr().out


def test_a_defect_of_the_engine_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: str) -> Game:
        raise RuntimeError(path)

    monkeypatch.setattr(vgdl, "load", load)
    write(yard=GAME)
    with pytest.raises(RuntimeError):
        main(["yard.txt"])
