"""The page "Adding a track" suffices: its track runs, and its signatures are those of the code."""

from __future__ import annotations

import contextlib
import inspect
import re
import sqlite3
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import vgdl.competition
from vgdl.competition import cli, track

PAGE = (Path(__file__).parents[2] / "docs" / "adding-a-track.md").read_text(encoding="utf-8")


def signatures() -> Iterator[tuple[str, str, str]]:
    """The rows of the page's tables of signatures: object, method (empty for the object itself), and parameters."""
    of = ""
    for line in PAGE.splitlines():
        found = re.match(r"\| (?:`((?:\w+\.)+\w+)`)? ?\| (`\w*\([^|]*\)`[^|]*) \|", line)
        if found is None:
            continue
        of = found[1] or of
        for method, parameters in re.findall(r"`(\w*)\(([^`]*)\)`", found[2]):
            yield of, method, parameters


@pytest.mark.parametrize(("of", "method", "parameters"), list(signatures()))
def test_a_signature_on_the_page_is_that_of_the_code(of: str, method: str, parameters: str) -> None:
    module, _, name = (of if of.startswith("vgdl.") else f"vgdl.competition.{of}").rpartition(".")
    described = getattr(import_module(module), name)
    described = getattr(described, method) if method else described
    signs = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
    actual = [
        signs.get(one.kind.name, "") + one.name
        for one in inspect.signature(described).parameters.values()
        if one.name != "self"
    ]
    assert ", ".join(actual) == parameters


def test_there_are_signatures_on_the_page() -> None:
    assert len({of for of, _, _ in signatures()}) > 20


@pytest.fixture
def pig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The track of the page, as an installed package."""
    (source,) = re.findall(r"```python pig\n(.*?)```", PAGE, re.DOTALL)
    (point,) = re.findall(r'^pig = "(.*)"$', PAGE, re.MULTILINE)
    home = tmp_path / "site-packages"
    facts = home / "vgdl_pig-1.0.dist-info"
    facts.mkdir(parents=True)
    (home / "pig.py").write_text(source)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: vgdl-pig\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[vgdl.tracks]\npig = {point}\n")
    monkeypatch.syspath_prepend(str(home))
    track.find.cache_clear()
    yield
    track.find.cache_clear()


@pytest.mark.usefixtures("pig")
def test_the_track_of_the_page_runs_resumes_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason='needs: pip install "vgdl[report]"')
    store = str(tmp_path / "pig.db")
    results = vgdl.competition.run("pig", players=["5", "20"], games=10, seed=1, store=store, quiet=True)
    assert [row["player"] for row in results.table("ranking").records()] == ["20", "5"]
    assert cli.main(["--resume", store, "--quiet"]) == 0
    assert cli.main(["standings", store, "--csv", str(tmp_path / "games.csv")]) == 0
    assert (tmp_path / "games.csv").read_text().startswith("player,game,turns\n")
    assert cli.main(["report", store, "--out", str(tmp_path / "site"), "--quiet"]) == 0
    page = (tmp_path / "site" / "index.html").read_text()
    assert "mean turns" in page
    assert "<h1>Pig</h1>" in page
    with contextlib.closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE pig_games SET turns = 'x' WHERE game = 1")
        connection.commit()
    capsys.readouterr()
    assert cli.main(["--resume", store, "--quiet"]) == 1
    said = capsys.readouterr().err
    assert "is damaged: the table pig_games cannot be read" in said
    assert "--resume" not in said, "which would not help"
    with pytest.raises(SystemExit):
        cli.main(["pig", "--players", "0"])
    assert "--players takes numbers from 1 to 99" in capsys.readouterr().err


def test_the_entering_of_the_page_finds_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [re.findall(rf"```python {name}\n(.*?)```", PAGE, re.DOTALL) for name in ("pig", "entrants", "entering")]
    (tmp_path / "guessing_page.py").write_text("".join(text for (text,) in blocks))
    monkeypatch.syspath_prepend(str(tmp_path))
    entering = import_module("guessing_page").GuessingEntering()
    (tmp_path / "mine.py").write_text(entering.example)
    module, _, function = entering.programs.listed.partition(":")
    assert getattr(import_module(module), function)(tmp_path / "mine.py") == ["Mine"]
    assert [entering.registry.find(name).name for name in entering.baselines] == ["bisection"]
    assert not entering.verdict(None, "Mine").failed
