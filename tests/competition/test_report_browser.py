"""The site in a real browser, from its files: replays play, step and scrub, and nothing is reported as an error."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import browser
import contests
import vgdl
from browser import Browser
from vgdl import replay
from vgdl.competition import cli
from vgdl.competition.results.store import Store

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium (apt install chromium)")

PIXELS = """(() => {
    const canvas = document.getElementById("canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
    let text = "";
    for (let at = 0; at < data.length; at += 4096) text += String.fromCharCode(...data.subarray(at, at + 4096));
    return [canvas.width, canvas.height, btoa(text)];
})()"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with two controllers on two levels."""
    folder = tmp_path_factory.mktemp("site")
    command = [
        "--set",
        str(contests.TOY),
        "--levels",
        "0,2",
        "--controllers",
        "random,onesteplookahead",
        "--budget",
        "calls:30",
    ]
    command += ["--seed", "5", "--isolation", "rlimits", "--store", str(folder / "toy.db"), "--quiet"]
    assert cli.main(command) == 0
    assert cli.main(["report", str(folder / "toy.db"), "--out", str(folder / "site"), "--quiet"]) == 0
    return folder / "site"


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    """A browser for all tests."""
    with Browser() as started:
        yield started


@pytest.fixture
def page(running: Browser) -> Iterator[Browser]:
    """The browser; what it reports as an error fails the test."""
    running.errors.clear()
    running.resize(1200, 900)
    yield running
    assert running.errors == []


def watch(page: Browser, site: Path, play: int) -> None:
    """Open the replay of a play and wait until it is there."""
    page.open(site / "replay.html", f"#{play}")
    page.wait("document.getElementById('tick').textContent.startsWith('0 /')")


def tick(page: Browser) -> int:
    return int(page.value("document.getElementById('tick').textContent").partition("/")[0])


def last(page: Browser) -> int:
    return int(page.value("document.getElementById('scrub').max"))


def test_no_page_is_wider_than_a_phone_or_reports_an_error(page: Browser, site: Path) -> None:
    for dark in (False, True):
        page.resize(360, 700, dark=dark)
        for file in sorted(site.rglob("*.html")):
            page.open(file)
            assert page.value("document.documentElement.scrollWidth") == 360, file.name


def test_dark_and_light_follow_the_system(page: Browser, site: Path) -> None:
    grounds = []
    for dark in (False, True):
        page.resize(1200, 900, dark=dark)
        page.open(site / "index.html")
        grounds.append(page.value("getComputedStyle(document.body).backgroundColor"))
    assert len(set(grounds)) == 2


def test_the_canvas_shows_every_tick_as_the_renderer_does(page: Browser, site: Path) -> None:
    """Scrubbed through by the keyboard, forwards and backwards, in a level with creatures that wander."""
    watch(page, site, 2)
    row = page.value("document.getElementById('play').selectedOptions[0].textContent")
    assert row.startswith("level 2, play 0: Random")
    actions = actions_of(site, 2)
    for shown in (0, 1, 2, 7, 3, 1):
        while tick(page) != shown:
            page.press("ArrowRight" if tick(page) < shown else "ArrowLeft")
        width, height, text = page.value(PIXELS)
        rgba = np.frombuffer(base64.b64decode(text), dtype=np.uint8).reshape(height, width, 4)
        np.testing.assert_array_equal(rgba[..., :3], vgdl.render.frame(state_at(site, 2, actions[:shown])))


def actions_of(site: Path, play: int) -> list[list[str | None]]:
    with Store.open(site.with_name("toy.db"), read_only=True) as store:
        return store.actions(play)


def state_at(site: Path, play: int, actions: list[list[str | None]]) -> vgdl.StateObservation:
    with Store.open(site.with_name("toy.db"), read_only=True) as store:
        facts = dict(store.numbered_results())[play]
    board = vgdl.load(contests.TOY / "toy.txt").board(facts.level)
    return replay.simulate(board, facts.seed, actions)


def test_a_replay_plays_to_its_end_and_stops(page: Browser, site: Path) -> None:
    watch(page, site, 0)
    page.value("document.getElementById('speed').value = '40'")
    page.press(" ")
    assert page.value("document.getElementById('toggle').getAttribute('aria-label')") == "pause"
    page.wait(f"document.getElementById('tick').textContent === '{last(page)} / {last(page)}'")
    page.wait("document.getElementById('toggle').getAttribute('aria-label') === 'play'")
    assert f"Tick {last(page)} of {last(page)}" in page.value("document.getElementById('status').textContent")


def test_a_replay_pauses_where_it_is(page: Browser, site: Path) -> None:
    watch(page, site, 0)
    page.value("document.getElementById('toggle').click()")
    page.wait("parseInt(document.getElementById('tick').textContent) > 0")
    page.value("document.getElementById('toggle').click()")
    stopped = tick(page)
    page.value("new Promise((done) => setTimeout(done, 200))")
    assert tick(page) == stopped > 0


def test_keys_and_slider_go_anywhere(page: Browser, site: Path) -> None:
    watch(page, site, 0)
    page.press("End")
    assert tick(page) == last(page)
    page.press("ArrowLeft")
    assert tick(page) == last(page) - 1
    page.press("Home")
    page.press("ArrowLeft")
    assert tick(page) == 0
    page.value("(() => { const s = document.getElementById('scrub'); s.value = 5; s.oninput(); })()")
    assert tick(page) == 5
    assert page.value("document.getElementById('scrub').getAttribute('aria-valuetext')").startswith("tick 5 of")


def test_another_play_is_chosen_from_the_lists(page: Browser, site: Path) -> None:
    watch(page, site, 0)
    assert page.value("document.getElementById('players').tBodies[0].textContent").startswith("Random")
    page.value("""(() => {
        const list = document.getElementById("controller");
        list.value = [...list.options].find((one) => one.text === "OneStepLookAhead").value;
        list.onchange();
    })()""")
    page.wait("document.getElementById('players').tBodies[0].textContent.startsWith('OneStepLookAhead')")
    assert page.value("location.hash") != "#0"


def test_a_link_from_a_game_leads_to_its_replay(page: Browser, site: Path) -> None:
    page.open(site / "games" / "toy.html")
    target = page.value("document.querySelector('a.play').href.split('#')[1]")
    page.value("document.querySelector('a.play').click()")
    page.wait("location.pathname.endsWith('replay.html') && document.readyState === 'complete'")
    page.wait("document.getElementById('tick').textContent.startsWith('0 /')")
    assert page.value("document.getElementById('play').value") == target


def test_a_play_that_is_not_there_is_told_in_words(page: Browser, site: Path) -> None:
    page.open(site / "replay.html", "#999")
    page.wait("document.getElementById('status').textContent !== ''")
    assert "there is no replay of play 999" in page.value("document.getElementById('status').textContent")
