"""The pages of the games, ``docs/games/``, are as generated, and outdated ones are reported."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from scripts import script
from vgdl import games

NAMES = (*games.names(), *games.names("click"))
GENERATOR = Path(__file__).resolve().parents[2] / "docs" / "generate_games.py"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return script(GENERATOR)


@pytest.mark.costly
def test_the_pages_are_up_to_date(generator: ModuleType) -> None:
    assert generator.main(["--check"]) == 0


@pytest.mark.costly
def test_the_index_links_every_game(generator: ModuleType) -> None:
    index = generator.files()["index.md"].decode()
    assert set(re.findall(r"\((\w+)\.md\)", index)) == set(NAMES)


def test_every_link_of_a_page_leads_somewhere(generator: ModuleType) -> None:
    for page in generator.DIRECTORY.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"


@pytest.mark.costly
def test_no_picture_is_large(generator: ModuleType) -> None:
    assert all(len(content) < 30_000 for name, content in generator.files().items() if name.endswith(".png"))


@pytest.mark.costly
def test_every_game_has_a_small_film_of_its_first_win(generator: ModuleType) -> None:
    films = {name: content for name, content in generator.files().items() if name.endswith(".gif")}
    assert set(films) == {f"images/{name}/play.gif" for name in NAMES}
    assert all(content[:6] == b"GIF89a" and len(content) < 60_000 for content in films.values())


def test_the_results_page_has_a_row_for_every_game(generator: ModuleType) -> None:
    page = (generator.DIRECTORY.parent / "results-games.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[[^\]]+\]\(games/(\w+)\.md\) \|", page, re.MULTILINE)
    assert sorted(rows) == sorted(games.names())


@pytest.mark.costly
def test_missing_changed_and_surplus_files_are_reported(
    generator: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generator, "DIRECTORY", tmp_path)
    assert generator.main([]) == 0
    assert generator.main(["--check"]) == 0
    (tmp_path / "sokoban.md").unlink()
    (tmp_path / "chess.md").write_text("")
    images = tmp_path / "images" / "sokoban"
    (images / "level0.png").write_bytes((images / "level1.png").read_bytes())
    (images / "level2.png").write_bytes(b"no picture")
    assert generator.main(["--check"]) == 1
    reported = re.findall(r"docs/games/(\S+) is", capsys.readouterr().err)
    assert reported == ["chess.md", "images/sokoban/level0.png", "images/sokoban/level2.png", "sokoban.md"]
    assert generator.main([]) == 0
    assert generator.main(["--check"]) == 0
