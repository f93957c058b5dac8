"""The command ``vgdl-check --play``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judging.small import CLOSED, COINS, OPEN
from vgdl.check import main
from vgdl.replay import read, verify

QUICK = ["--plays", "1", "--calls", "60", "--ticks", "100"]


@pytest.fixture
def coins(tmp_path: Path) -> Path:
    path = tmp_path / "coins.txt"
    path.write_text(COINS)
    path.with_name("coins_lvl0.txt").write_text(OPEN)
    path.with_name("coins_lvl1.txt").write_text(CLOSED)
    return path


def test_levels_are_judged_in_words_and_as_json(coins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--play", str(coins), *QUICK]) == 1
    shown = capsys.readouterr().out
    assert "winnable" in shown
    assert "impossible" in shown
    assert "unused never appeared" in shown
    assert main(["--play", str(coins), *QUICK, "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)["levels"]
    assert (first["verdict"], second["verdict"]) == ("winnable", "impossible")
    assert first["verified"]


def test_wins_are_written_as_replays_and_on_a_page(coins: Path, tmp_path: Path) -> None:
    import vgdl

    pytest.importorskip("jinja2")
    folders = ["--replays", str(tmp_path / "wins"), "--report", str(tmp_path / "page")]
    main(["--play", str(coins), "--levels", "0", *QUICK, *folders])
    found = read(tmp_path / "wins" / "coins_lvl0.json")
    assert found.result.winners == (1,)
    assert verify(found, vgdl.load(coins).board(0)).same
    page = (tmp_path / "page" / "index.html").read_text()
    assert "levels/0.gif" in page
    assert "unused never appeared" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], "no game named 'nosuch'"),
        (["zelda", "--levels", "x"], "does not name levels"),
        (["zelda", "--levels", "9"], "no level 9"),
    ],
)
def test_what_cannot_be_judged(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--play", *arguments]) == 1
    assert message in capsys.readouterr().err


def test_wrong_numbers_are_a_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--play", "zelda", "--plays", "0"])
    assert left.value.code == 2
    assert "not a number of 1 or more" in capsys.readouterr().err
