"""The unmodified official packages play on our server (arc, 13, tests 2 and 3).

``VGDL_ARC_TOOLKIT`` names a Python interpreter that has them. Without it, ``--everything`` installs them into an
environment of its own: they declare Python 3.12, and their code runs on 3.11 as well.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="needs the extra web")

from tracks.arc.serving import games, serving
from vgdl.competition.tracks.arc import recording

PACKAGES = ("arc-agi==0.9.9", "arcengine==0.9.3")
NEEDED = ("flask>=3.1", "matplotlib", "pydantic>=2.10", "python-dotenv", "pillow", "requests", "numpy")
VARIABLE = "VGDL_ARC_TOOLKIT"

pytestmark = [] if VARIABLE in os.environ else [pytest.mark.everything]


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python that has the official packages."""
    if named := os.environ.get(VARIABLE):
        return named
    folder = tmp_path_factory.mktemp("toolkit")
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    for words in (("--no-deps", "--ignore-requires-python", *PACKAGES), NEEDED):
        made = subprocess.run([python, "-m", "pip", "install", "-q", *words], capture_output=True, text=True)
        if made.returncode:
            pytest.skip(f"the official packages cannot be installed here: {made.stderr[-300:]}")
    return python


def play(interpreter: str, url: str, mode: str, folder: Path) -> tuple[dict[str, Any], str]:
    """What the official client saw, and its log."""
    script = Path(__file__).with_name("toolkit_play.py")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ARC_", "OPERATION", "PYTHON"))}
    done = subprocess.run(
        [interpreter, str(script), f"{url}/", mode], capture_output=True, text=True, cwd=folder, env=clean, timeout=300
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told, done.stderr


def test_the_official_client_plays_two_games_of_80_actions_without_an_error(interpreter: str, tmp_path: Path) -> None:
    offered = games()
    with serving(offered) as caller:
        told, log = play(interpreter, caller.url, "online", tmp_path)
    assert log == ""
    assert told["games"] == [game.id for game in sorted(offered, key=lambda game: game.title)]
    assert told["final"]["total_environments"] == 2
    assert told["final"]["total_actions"] == told["card"]["total_actions"] > 80
    for environment in told["final"]["environments"]:
        assert environment["id"] in told["played"]
        assert sum(run["actions"] for run in environment["runs"]) == environment["actions"]
    files = list((tmp_path / "recordings").rglob("*.jsonl"))
    assert len(files) == 2
    for file in files:
        entries = recording.read(file)
        (game,) = (game for game in offered if game.id == entries[0].game_id)
        assert recording.differences(entries, game) == []


def test_the_official_client_plays_a_competition(interpreter: str, tmp_path: Path) -> None:
    with serving(competition=True) as caller:
        told, _ = play(interpreter, caller.url, "competition", tmp_path)
    assert (told["second card"], told["card"], told["second session"]) == (409, 403, True)
    assert told["final"]["competition_mode"] is True
    assert [len(environment["runs"]) for environment in told["final"]["environments"]] == [1, 1]
