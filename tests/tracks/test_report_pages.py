"""The pages of the other tracks' stores in a browser: readable in both colour schemes, on a desktop and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

import browser
from browser import Browser
from vgdl.competition.cli import main

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')
pytest.importorskip("jinja2", reason='needs: pip install "vgdl[report]"')

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium (apt install chromium)")

STORES = {
    "othello": [
        *("othello", "--systems", "random,greedy", "--stages", "stage-1", "--analysis", "1s", "--game", "2s"),
        *("--seed", "1", "--isolation", "rlimits"),
    ],
    "worldmodels": [
        *("worldmodels", "--games", "tic_tac_toe", "--author", "scripted", "--seed", "1", "--simulations", "5"),
        *("--isolation", "rlimits"),
    ],
    "learning": [
        *("learning", "--games", "aliens", "--agents", "random,explorer", "--steps", "1200", "--rounds", "1"),
        *("--probes", "1", "--seed", "1"),
    ],
}


@pytest.mark.costly
@pytest.mark.parametrize("track", STORES)
def test_every_page_is_readable_on_a_phone_and_in_the_dark(page: Browser, tmp_path: Path, track: str) -> None:
    store, site = tmp_path / "store.db", tmp_path / "site"
    assert main([*STORES[track], "--quiet", "--store", str(store)]) == 0
    assert main(["report", str(store), "--out", str(site), "--quiet"]) == 0
    for width, dark in ((1200, False), (360, True)):
        page.resize(width, 800, dark=dark)
        for file in sorted(site.rglob("*.html")):
            page.open(file)
            assert page.flaws() == [], (file.name, width, dark)
