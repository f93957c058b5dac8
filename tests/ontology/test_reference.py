"""The pages of ``docs/reference`` are those generated from the rows."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from vgdl import ontology
from vgdl.ontology.rows import Word

GENERATOR = Path(__file__).resolve().parents[2] / "docs" / "generate_reference.py"


@pytest.fixture
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_reference", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_up_to_date(generator: ModuleType) -> None:
    assert generator.main(["--check"]) == 0


def test_check_reports_changed_missing_and_surplus_pages(
    generator: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generator, "DIRECTORY", tmp_path / "reference")
    assert generator.main([]) == 0
    assert generator.main(["--check"]) == 0
    (tmp_path / "reference" / "effects.md").write_text("something else")
    (tmp_path / "reference" / "games.md").unlink()
    (tmp_path / "reference" / "extra.md").write_text("")
    assert generator.main(["--check"]) == 1
    message = capsys.readouterr().err
    assert "effects.md" in message
    assert "games.md" in message
    assert "extra.md" in message
    assert "sprites.md" not in message


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("sprites.md", [row for row in ontology.ALL_SPRITE_CLASSES if not row.avatar]),
        ("avatars.md", [row for row in ontology.ALL_SPRITE_CLASSES if row.avatar]),
        ("effects.md", ontology.ALL_EFFECTS),
        ("terminations.md", ontology.ALL_TERMINATIONS),
        ("games.md", ontology.ALL_GAME_CLASSES),
    ],
)
def test_every_word_has_its_section(generator: ModuleType, page: str, words: list[Word]) -> None:
    text = generator.pages()[page]
    for row in words:
        section = text.split(f"\n## `{row.name}`\n")[1].split("\n## ")[0]
        assert row.doc in section
        assert f"Specification: [{row.clause}](../specification/" in section
        for parameter in row.parameters:
            assert f"`{parameter.name}`" in section
