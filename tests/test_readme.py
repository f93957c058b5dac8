"""The README is true: its code runs, its commands exist, its links work."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from vgdl.competition import cli

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
FORWARD_MODEL, CONTROLLER, LEARNING = [text for kind, text in BLOCKS if kind == "python"]
RUN, TEST, COMPETE = [text for kind, text in BLOCKS if kind == "sh"]

COMMANDS = {point.name: point for point in entry_points(group="console_scripts") if point.name.startswith("vgdl-")}


def test_the_forward_model_example_plays(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(compile(FORWARD_MODEL, str(README), "exec"), names)
    assert names["state"].tick > 0
    assert names["state"].score > 0, "it should play better than not at all"
    assert capsys.readouterr().out.startswith(f"{names['state'].tick} ")


@pytest.mark.costly
def test_the_controller_competes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my_agent.py").write_text(CONTROLLER)
    monkeypatch.chdir(tmp_path)
    assert cli.main([*COMPETE.split()[1:], "--quiet", "--json", "results.json"]) == 0
    assert "disqualified" not in capsys.readouterr().out
    players = [player for play in json.loads(Path("results.json").read_text())["plays"] for player in play["players"]]
    wins = Counter(player["controller"] for player in players if player["outcome"] == "won")
    assert wins == {"MyController": 4}, "what the README says below the command"


def test_the_environments_are_stepped() -> None:
    pytest.importorskip("gymnasium")
    names: dict[str, Any] = {}
    exec(compile(LEARNING, str(README), "exec"), names)
    assert names["observations"].shape[0] == 64
    assert names["infos"]["tick"].tolist() == [1] * 64


def test_the_first_two_commands_install_and_run() -> None:
    assert RUN.startswith("python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/vgdl-compete ")
    assert TEST == 'python3 -m venv .venv && .venv/bin/pip install ".[test]" && .venv/bin/pytest\n'


def test_the_table_names_every_command() -> None:
    assert set(re.findall(r"^\| `(vgdl-\w+)", TEXT, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_explains_itself(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as stopped:
        COMMANDS[name].load()()
    assert stopped.value.code == 0
    assert f"usage: {name}" in capsys.readouterr().out


def test_it_is_short_and_its_picture_is_light() -> None:
    assert len(TEXT.splitlines()) <= 150
    assert (README.parent / "docs/images/play.gif").stat().st_size <= 2 << 20


def test_links_and_folders_exist() -> None:
    places = re.findall(r"\]\(([^)#:]+)\)", TEXT) + re.findall(r"`((?:\w+/)+)`", TEXT)
    assert [place for place in places if not (README.parent / place).exists()] == []
