"""The command ``vgdl`` and its verbs."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import vgdl
from vgdl import cli

SCRIPTS = {point.name for point in entry_points(group="console_scripts") if point.value == "_vgdl_commands:main"}


def test_each_verb_is_a_command_of_its_own_too() -> None:
    assert {f"vgdl-{name}" for name in cli.VERBS} | {"vgdl"} == SCRIPTS


@pytest.mark.parametrize("verb", cli.VERBS)
@pytest.mark.parametrize("started", ["/bin/vgdl", "/lib/vgdl/__main__.py", "/bin/vgdl-{}"])
def test_a_verb_explains_itself_under_the_name_it_was_called_by(
    verb: str, started: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [started.format(verb)])
    with pytest.raises(SystemExit) as stopped:
        cli.main([verb, "--help"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: vgdl{'-' if '{}' in started else ' '}{verb}")


def test_a_verb_gets_the_words_behind_it_and_gives_the_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.txt").write_text("SpriteSet\n")
    assert cli.main(["check", str(tmp_path / "broken.txt")]) == 1
    assert "a section before the game line" in capsys.readouterr().out


def test_without_a_verb_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed and verb.doc in listed for name, verb in cli.VERBS.items())


def test_a_misspelled_verb_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["chekc", "x.txt"])
    assert stopped.value.code == 2
    assert "there is no verb 'chekc'; did you mean 'check'?" in capsys.readouterr().err


def test_python_runs_it_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "vgdl", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"vgdl {vgdl.__version__}\n"
