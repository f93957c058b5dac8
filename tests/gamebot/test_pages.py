"""The pages of a GAMEBoT competition in a browser: readable everywhere, and matches that are stepped through."""

from __future__ import annotations

from pathlib import Path

import pytest

import browser
from browser import Browser
from vgdl.competition.cli import main

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')
pytest.importorskip("jinja2", reason='needs: pip install "vgdl[llm]"')

pytestmark = [
    pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium (apt install chromium)"),
    pytest.mark.xdist_group("gamebot in a browser"),  # one site for all of them
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two players, one of which makes mistakes, in a game of F1 and one of accuracy."""
    folder = tmp_path_factory.mktemp("gamebot")
    command = ["gamebot", "--models", "scripted:correct,scripted:mix", "--games", "tic_tac_toe,pong", "--matches", "2"]
    assert main([*command, "--seed", "7", "--quiet", "--store", str(folder / "store.db")]) == 0
    assert main(["report", str(folder / "store.db"), "--out", str(folder / "site"), "--quiet"]) == 0
    return folder / "site"


@pytest.mark.costly
def test_every_page_is_readable_on_a_phone_and_in_the_dark(page: Browser, site: Path) -> None:
    for width, dark in ((1200, False), (360, True)):
        page.resize(width, 800, dark=dark)
        for file in sorted(site.rglob("*.html")):
            page.open(file)
            assert page.flaws() == [], (file.name, width, dark)


@pytest.mark.costly
def test_the_scores_fit_a_desktop_with_all_games(page: Browser, tmp_path: Path) -> None:
    command = ["gamebot", "--models", "scripted:correct,random", "--games", "all", "--matches", "1", "--seed", "7"]
    assert main([*command, "--quiet", "--store", str(tmp_path / "store.db")]) == 0
    assert main(["report", str(tmp_path / "store.db"), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    page.resize(1200, 800)
    page.open(tmp_path / "site" / "index.html")
    page.value("document.querySelector('details').open = true")
    wide = "[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth)"
    assert page.value(wide) == [0] * 6
    captions = page.value("[...document.querySelectorAll('caption')].map((one) => one.textContent)")
    assert captions[:3] == ["Scores", "Scores: outcomes by game", "Scores: answers by game"]
    assert page.value("document.querySelectorAll('table')[1].tHead.textContent").split()[:2] == ["player", "Othello"]


def shown(page: Browser) -> str:
    """The turn that is shown."""
    return str(
        page.value("[...document.querySelectorAll('.turn')].filter((one) => !one.hidden).map((one) => one.id).join()")
    )


def test_a_match_opens_at_its_top_and_is_stepped_through_by_buttons_and_keys(page: Browser, site: Path) -> None:
    page.resize(360, 500)
    page.open(site / "matches" / "0.html")
    assert (shown(page), page.value("scrollY")) == ("turn-1", 0)
    page.value("document.querySelector('[data-step=next]').click()")
    assert shown(page) == "turn-2"
    page.press("ArrowRight")
    assert shown(page) == "turn-3"
    page.value("document.querySelector('[data-step=previous]').click()")
    page.press("ArrowLeft")
    assert shown(page) == "turn-1"
    page.press("End")
    assert page.value("location.hash") == f"#{shown(page)}" != "#turn-1"


def test_a_linked_turn_is_not_covered_by_the_buttons(page: Browser, site: Path) -> None:
    page.resize(1200, 500)
    page.open(site / "matches" / "0.html", "#turn-2")
    page.wait("scrollY > 0")
    assert shown(page) == "turn-2"
    bottom = "document.querySelector('.steps').getBoundingClientRect().bottom"
    assert page.value(f"document.querySelector('#turn-2 h2').getBoundingClientRect().top >= {bottom}")


def test_a_match_shows_a_drawing_and_leads_to_its_prompt(page: Browser, site: Path) -> None:
    page.resize(1200, 800)
    page.open(site / "matches" / "0.html")
    assert page.value("document.querySelector('.turn .board').getBoundingClientRect().height > 100")
    target = page.value("document.querySelector('.turn .note a').getAttribute('href')")
    assert "prompts.html#" in target
    page.open(site / "prompts.html")
    page.value(f"document.getElementById('{target.split('#')[1]}').open = true")
    assert "## Worked examples" in page.value("document.querySelector('details[open] pre').textContent")
