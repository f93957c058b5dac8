"""The documentation can be built as a site, without a warning, and every page is in its navigation."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
NEEDED = ("sphinx", "myst_parser", "furo")


@pytest.mark.everything
@pytest.mark.skipif(not all(map(importlib.util.find_spec, NEEDED)), reason="needs: pip install vgdl[docs]")
def test_the_site_is_built_without_warnings(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-P",
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-d",
        str(tmp_path / "cache"),
        str(DOCS),
    ]
    built = subprocess.run([*command, str(tmp_path / "site")], capture_output=True, text=True, timeout=600, check=False)
    assert built.stderr == ""
    assert built.returncode == 0
    pages = {page.relative_to(DOCS).with_suffix(".html").as_posix() for page in DOCS.rglob("*.md")}
    assert {page for page in pages if not (tmp_path / "site" / page).is_file()} == set()
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert {page.stem for page in DOCS.glob("*.md") if f'"{page.stem}.html"' not in front} == {"index"}
