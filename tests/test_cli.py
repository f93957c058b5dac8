"""The command ``vgdl`` and its verbs."""

from __future__ import annotations

import os
import re
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
def test_help_shows_the_name_that_a_verb_was_called_by(
    verb: str, started: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [started.format(verb)])
    with pytest.raises(SystemExit) as stopped:
        cli.main([verb, "--help"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: vgdl{'-' if '{}' in started else ' '}{verb}")


def test_a_verb_gets_its_arguments_and_returns_the_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.txt").write_text("SpriteSet\n")
    assert cli.main(["check", str(tmp_path / "broken.txt")]) == 1
    assert "a section before the game line" in capsys.readouterr().out


def test_without_a_verb_all_verbs_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed and verb.doc in listed for name, verb in cli.VERBS.items())


def test_a_misspelled_verb_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["chekc", "x.txt"])
    assert stopped.value.code == 2
    assert "there is no verb 'chekc' (did you mean 'check'?)" in capsys.readouterr().err


def test_python_runs_it_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "vgdl", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"vgdl {vgdl.__version__}\n"


MODULES = [["vgdl", "bench", "--fingerprint", "aliens"], ["vgdl", "check", "--json", "{}"], ["vgdl", "--help"]]


@pytest.mark.parametrize("words", MODULES)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_ended_is_no_error(words: list[str], unbuffered: str, tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(vgdl.load("aliens").text, encoding="utf-8")
    command = [sys.executable, "-P", "-m", *(word.format(tmp_path / "game.txt") for word in words)]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, env=environment, check=False)
    assert done.stderr.strip() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_named_if_the_output_goes_there(unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "vgdl", "bench", "--fingerprint", "aliens"],
            stdout=full, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": unbuffered}, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.strip() == "vgdl: cannot write the output: No space left on device"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other limits")
@pytest.mark.parametrize(
    "words",
    [
        ["check"],
        ["compete", "standings"],
        ["compete", "--store"],
        ["compete", "--set"],
        ["compete", "arc", "baselines"],
    ],
    ids=" ".join,
)
def test_a_name_that_no_file_can_have_is_a_wrong_argument(words: list[str]) -> None:
    name = "x" * 300
    command = [sys.executable, "-P", "-m", "vgdl", *words, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.strip().endswith(f"{name}: File name too long")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["play"], ["check"], ["replay"], ["bench"], ["compete"], ["compete", "gamebot"]])
def test_a_wrong_option_is_an_error_after_one_line_of_usage(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main([*words, "--nonsense"])
    printed = capsys.readouterr().err
    assert re.search(r"^usage: .+\n.+: error: .+\n", printed, re.MULTILINE), printed


def test_commands_print_warnings_about_games_once_and_without_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "short.txt"
    path.write_text("BasicGame\n    SpriteSet\n    Interactions\n        a b > killSprite\n")
    (tmp_path / "short_lvl0.txt").write_text("wAw\n")
    with cli.writing_output():
        assert cli.main(["bench", str(path), str(path), "--seconds", "0.0001"]) == 0
    printed = capsys.readouterr().err
    assert printed.count(f"warning: {path}:3:5: 'Interactions' is not the header of a section") == 1
    assert "TruncatedGameWarning" not in printed
