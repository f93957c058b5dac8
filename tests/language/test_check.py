"""The command ``vgdl-check``: findings, output, and exit status."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vgdl
from vgdl.check import main
from vgdl.render import png

GHOST = """\
BasicGame
  SpriteSet
    fox > Missile
    cat > Missile
    ghost > Immovabl
  LevelMapping
    f > fox
    . > avatar
    ! > ghost
    c > cat
  InteractionSet
    cat fox > stepBack
  TerminationSet
    Timeout limit=9
"""
GAME = GHOST.replace("Immovabl", "Immovable")
ODD = GAME.replace("stepBack", "stepBack scoreChange=")
BROKEN = "SpriteSet\n"


@pytest.fixture(autouse=True)
def yard(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**texts: str) -> None:
    for stem, text in texts.items():
        Path(f"{stem}.txt").write_text(text)


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    status = main(["--json", *arguments])
    return status, json.loads(capsys.readouterr().out)


def test_a_clean_game(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0=".f")
    assert main(["yard.txt"]) == 0
    assert capsys.readouterr().out == "yard.txt (1 level): ok\n1 game, 1 level, 0 errors, 0 warnings\n"


def test_warnings_are_shown_with_line_and_caret(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=ODD, yard_lvl0=".f")
    assert main(["yard.txt"]) == 1
    assert capsys.readouterr().out == (
        "yard.txt (1 level): not ok\n"
        "warning: yard.txt:12:24: parameter 'scoreChange=' has no value: line ignored\n"
        "        cat fox > stepBack scoreChange=\n"
        "                           ^^^^^^^^^^^^\n"
        "expected key=value, without blanks\n"
        "1 game, 1 level, 0 errors, 1 warning\n"
    )


def test_errors_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=BROKEN)
    assert main(["yard.txt"]) == 1
    assert "error: yard.txt:1:1: a section before the game line\n" in capsys.readouterr().out


def test_markup_in_texts_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=ODD.replace("fox", "[red]fox[/]"))
    main(["yard.txt"])
    assert "        cat [red]fox[/] > stepBack scoreChange=\n" in capsys.readouterr().out


def test_long_lines_are_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=ODD.replace("cat", "c" * 90, 3))
    main(["yard.txt"])
    quote = next(line for line in capsys.readouterr().out.split("\n") if "ccc" in line)
    assert len(quote) == 104


def test_levels_next_to_the_game_in_order_of_their_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl10=".", yard_lvl9=".", yard_lvlx=".", yard2=GAME, yard2_lvl0=".", other_lvl0=".")
    assert as_json(capsys, "yard.txt")[1][0]["levels"] == ["yard_lvl9.txt", "yard_lvl10.txt"]


def test_one_more_level_and_none_twice(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0=".", meadow=".")
    _, [game] = as_json(capsys, "yard.txt", "--level", "meadow.txt", "--level", "./yard_lvl0.txt")
    assert game["levels"] == ["yard_lvl0.txt", "meadow.txt"]


def test_a_level_stands_for_its_game(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0=".", yard_lvl1=".")
    _, games = as_json(capsys, "yard.txt", "yard_lvl0.txt", "yard_lvl1.txt")
    assert [game["game"] for game in games] == ["yard.txt"]


def test_all_levels_are_started_after_one_that_fails(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GHOST, yard_lvl0="", yard_lvl1="!", yard_lvl2=".f\nf?")
    status, [game] = as_json(capsys, "yard.txt")
    assert status == 1
    assert [(error["file"], error["message"]) for error in game["errors"]] == [
        ("yard_lvl0.txt", "the level is empty"),
        ("yard.txt", "unknown sprite class 'Immovabl'"),
    ]
    assert game["warnings"] == [
        {
            "file": "yard_lvl2.txt",
            "line": 2,
            "column": 2,
            "length": 1,
            "message": "'?' is not defined in the level mapping",
            "expected": ["'!'", "'.'", "'A'", "'c'", "'f'", "'w'"],
            "suggestion": None,
            "messages": 1,
        }
    ]


def test_json_of_a_clean_and_a_broken_game(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0=".f", barn=BROKEN)
    status, [yard, barn] = as_json(capsys, "yard.txt", "barn.txt")
    assert status == 1
    assert yard == {"game": "yard.txt", "levels": ["yard_lvl0.txt"], "errors": [], "warnings": []}
    assert barn["errors"][0]["expected"] == ["a game line like 'BasicGame'"]
    assert as_json(capsys, "yard.txt")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: FILE"),
        (["none.txt"], "no such file: none.txt"),
        (["."], ". is a folder"),
        (["yard.txt", "--level", "none.txt"], "no such file: none.txt"),
        (["yard.txt", "barn.txt", "--level", "yard.txt"], "--level needs exactly one game"),
    ],
)
def test_wrong_command_lines(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, barn=GAME)
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    printed = capsys.readouterr().err
    assert "usage: vgdl-check" in printed
    assert message in printed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_game_can_come_through_a_pipe(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("BasicGame\n    SpriteSet\n        a > Misile\n",))
    writer.start()
    assert main([str(pipe)]) == 1
    writer.join()
    assert f"{pipe}:3:13: unknown sprite class 'Misile'" in capsys.readouterr().out


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    assert "exit status" in capsys.readouterr().out


def test_a_defect_of_the_engine_is_not_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(text: str, name: str) -> vgdl.Game:
        raise RuntimeError(name)

    monkeypatch.setattr(vgdl, "loads", loads)
    write(yard=GAME)
    with pytest.raises(RuntimeError):
        main(["yard.txt"])


def test_a_tab_that_hides_the_sections_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME.replace("  SpriteSet", "\tSpriteSet"))
    assert main(["yard.txt"]) == 1
    assert "error: yard.txt:6:3: LevelMapping begins no section" in (told := capsys.readouterr().out)
    assert "a tab counts as one blank" in told


def test_unmapped_cells_are_reported_once_per_character(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0=".???\n??ff")
    _, [game] = as_json(capsys, "yard.txt")
    [warning] = game["warnings"]
    assert warning["message"] == "'?' is not defined in the level mapping (5 cells, the first one here)"
    assert warning["messages"] == 5


def test_sprites_beyond_the_limit_are_reported_once_per_type(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME, yard_lvl0="." + "\nf" * 10_003)
    _, [game] = as_json(capsys, "yard.txt")
    [warning] = game["warnings"]
    assert warning["message"] == "more than 10000 sprites: 'fox' is not created (3 times, the first one here)"
    assert (warning["line"], warning["messages"]) == (10_002, 3)


def test_a_problem_is_reported_once_per_place(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME.replace("fox > Missile", "fox > Missile sped=3"), yard_lvl0=".f", yard_lvl1=".f")
    _, [game] = as_json(capsys, "yard.txt")
    assert [warning["suggestion"] for warning in game["warnings"]] == ["speed"]


def test_pictures_are_looked_up_in_a_folder_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME.replace("fox > Missile", "fox > Missile img=mine/fox"), yard_lvl0=".f")
    assert main(["yard.txt"]) == 1
    assert "no picture 'mine/...' comes with vgdl" in capsys.readouterr().out
    (folder := Path("pictures", "mine")).mkdir(parents=True)
    png.write(folder / "fox.png", np.zeros((2, 2, 3), np.uint8))
    assert main(["yard.txt", "--sprites", "pictures"]) == 0
    with pytest.raises(SystemExit):
        main(["yard.txt", "--sprites", "none"])


def test_a_game_without_levels_is_not_ok(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME)
    assert main(["yard.txt"]) == 1
    assert "warning: yard.txt: there is no level to play\nexpected a file yard_lvl0.txt" in capsys.readouterr().out


def test_a_page_is_searched_for_games_and_their_levels(capsys: pytest.CaptureFixture[str]) -> None:
    lines = GAME.replace("Timeout", "Timeot").replace(">", "&gt;")
    Path("page.html").write_text(f"<p>Mine:</p>\n<pre>{lines}</pre>\n<pre>.f\nff</pre>")
    status, [game] = as_json(capsys, "page.html")
    assert (status, game["line"], game["levels"]) == (1, 2, ["page.html:17"])
    [warning] = game["warnings"]
    assert (warning["file"], warning["line"], warning["suggestion"]) == ("page.html", 15, "Timeout")
    Path("empty.html").write_text("<p>nothing</p>")
    assert main(["empty.html"]) == 1
    assert "error: empty.html: there is no game in this file" in capsys.readouterr().out


def test_fixing_writes_a_copy_with_its_levels_and_checks_it(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = GAME.replace("stepBack", "stepback").replace("    ", "\t")
    write(yard=wrong, yard_lvl0=".f")
    status, [game] = as_json(capsys, "--fix", "yard.txt")
    assert (status, game["fixed"], game["warnings"], game["errors"]) == (0, "yard_fixed.txt", [], [])
    assert [change["after"] for change in game["changes"]] == ["blanks, 8 columns to a tab", "stepBack"]
    assert Path("yard.txt").read_text() == wrong
    assert vgdl.load("yard_fixed.txt", strict=True).start(level=0, seed=1).tick == 0
    assert main(["--fix", "yard_fixed.txt"]) == 0
    assert not Path("yard_fixed_fixed.txt").exists(), "nothing had to be changed"
    with pytest.raises(SystemExit):
        main(["--fix", "--output", "yard.txt", "yard.txt"])
    assert Path("yard.txt").read_text() == wrong


def test_a_dialect_is_converted_before_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    write(yard=GAME.replace("stepBack", "nothing"), yard_lvl0=".f")
    assert main(["yard.txt"]) == 1
    assert main(["--dialect", "py-vgdl", "yard.txt"]) == 1
    assert "this InteractionSet is empty" in capsys.readouterr().out
