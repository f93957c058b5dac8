"""The site in a real browser, from its files: replays play, step and scrub, and nothing is reported as an error."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest

import browser
import contests
import vgdl
from browser import Browser
from vgdl import replay
from vgdl.competition import cli
from vgdl.competition.tracks.planning.records import PlayResult, actions, numbered_plays

pytestmark = [
    pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium (apt install chromium)"),
    pytest.mark.xdist_group("report in a browser"),  # one site for all of them
]

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


def watch(page: Browser, site: Path, play: int) -> None:
    """Open the replay of a play and wait until it is loaded."""
    page.open(site / "replay.html", f"#{play}")
    page.wait("document.getElementById('tick').textContent.startsWith('0 /')")


def position(page: Browser) -> int:
    """The number of actions before the frame shown."""
    return int(page.value("document.getElementById('scrub').value"))


def last(page: Browser) -> int:
    return int(page.value("document.getElementById('scrub').max"))


@pytest.mark.costly
def test_no_page_is_wider_than_a_phone_or_reports_an_error(page: Browser, site: Path) -> None:
    for dark in (False, True):
        page.resize(360, 700, dark=dark)
        for file in sorted(site.rglob("*.html")):
            page.open(file)
            assert page.flaws() == [], (file.name, dark)


def test_a_column_sorts_the_rows_one_way_and_then_the_other(page: Browser, site: Path) -> None:
    page.open(site / "index.html")
    names = "[...document.querySelector('table').tBodies[0].rows].map((row) => row.cells[1].textContent)"
    button = "document.querySelectorAll('table th')[1].querySelector('button')"
    page.value(f"{button}.click()")
    assert page.value(names) == ["OneStepLookAhead", "Random"]
    page.value(f"{button}.click()")
    assert page.value(names) == ["Random", "OneStepLookAhead"]
    assert page.value(f"{button}.parentElement.getAttribute('aria-sort')") == "descending"
    assert page.value("document.querySelectorAll('[aria-sort]').length") == 1


@pytest.mark.costly
def test_a_replay_of_two_says_who_is_where(page: Browser, tmp_path: Path) -> None:
    command = ["--set", "two_player", "--games", "pong", "--levels", "0", "--controllers", "random,onesteplookahead"]
    command += ["--budget", "calls:5", "--seed", "3", "--isolation", "rlimits", "--quiet"]
    assert cli.main([*command, "--store", str(tmp_path / "two.db")]) == 0
    assert cli.main(["report", str(tmp_path / "two.db"), "--out", str(tmp_path / "site"), "--quiet"]) == 0
    watch(page, tmp_path / "site", 0)
    names = "[...document.querySelectorAll('#players tbody th')].map((cell) => cell.textContent)"
    assert page.value(names) == [
        "Random player 1, starts at the right",
        "OneStepLookAhead player 2, starts at the left",
    ]
    page.resize(360, 800, dark=True)
    assert page.flaws() == []
    colour = """[...document.querySelectorAll('#players .avatar')].map((image) => {
        const copy = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext("2d");
        copy.drawImage(image, 0, 0);
        const [red, , blue] = copy.getImageData(image.naturalWidth / 2, image.naturalHeight / 2, 1, 1).data;
        return red > blue ? "red" : "blue";
    })"""
    assert page.value(colour) == ["red", "blue"]


@pytest.mark.costly
def test_negative_numbers_sort_below_zero(page: Browser, site: Path) -> None:
    page.open(site / "games" / "toy.html")
    page.value("""(() => {
        const [first, second] = document.querySelector("table").tBodies[0].rows;
        first.cells[4].textContent = "−20"; second.cells[4].textContent = "−3.5";
        document.querySelectorAll("table th")[4].querySelector("button").click();
    })()""")
    shown = "[...document.querySelector('table').tBodies[0].rows].map((row) => row.cells[4].textContent)"
    assert page.value(shown) == ["−3.5", "−20"]


def test_numbers_sort_as_numbers_with_the_largest_first(page: Browser, site: Path) -> None:
    page.open(site / "games" / "toy.html")
    page.value("""(() => {
        const rows = document.querySelector("table").tBodies[0];
        const [first, second] = rows.rows;
        first.cells[4].textContent = "–"; second.cells[4].textContent = "9.5";
        const third = second.cloneNode(true); third.cells[4].textContent = "1,010.0";
        rows.append(third);
        document.querySelectorAll("table th")[4].querySelector("button").click();
    })()""")
    shown = "[...document.querySelector('table').tBodies[0].rows].map((row) => row.cells[4].textContent)"
    assert page.value(shown) == ["1,010.0", "9.5", "–"]
    page.value("document.querySelectorAll('table th')[4].querySelector('button').click()")
    assert page.value(shown) == ["9.5", "1,010.0", "–"], "what has no value stays last"


@pytest.mark.costly
def test_names_on_a_phone_break_between_their_words_only(page: Browser, site: Path) -> None:
    """A line that ends inside a word has a letter before and a small letter after its end."""
    page.resize(360, 700)
    page.open(site / "index.html")
    lines = page.value("""(() => {
        const link = [...document.querySelectorAll("tbody th a")].find((one) => one.textContent === "OneStepLookAhead");
        const lines = {};
        for (const node of link.childNodes) {
            for (let at = 0; at < (node.data ?? "").length; at++) {
                const range = document.createRange();
                range.setStart(node, at); range.setEnd(node, at + 1);
                const top = Math.round(range.getBoundingClientRect().top);
                lines[top] = (lines[top] ?? "") + node.data[at];
            }
        }
        return Object.entries(lines).sort((a, b) => a[0] - b[0]).map((entry) => entry[1]);
    })()""")
    assert "".join(lines) == "OneStepLookAhead"
    assert len(lines) > 1
    assert all(line[0].isupper() for line in lines)


def test_without_javascript_pages_say_what_is_missing(page: Browser, site: Path) -> None:
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.send("Page.navigate", url=(site / "replay.html").absolute().as_uri())
        page.wait("document.readyState === 'complete' && location.pathname.endsWith('replay.html')")
        assert page.value("document.body.innerText.includes('Replays need JavaScript')")
        assert page.value("getComputedStyle(document.querySelector('.scripted')).display") == "none"
    finally:
        page.send("Emulation.setScriptExecutionDisabled", value=False)


def test_dark_and_light_follow_the_system(page: Browser, site: Path) -> None:
    grounds = []
    for dark in (False, True):
        page.resize(1200, 900, dark=dark)
        page.open(site / "index.html")
        grounds.append(page.value("getComputedStyle(document.body).backgroundColor"))
    assert len(set(grounds)) == 2


def test_the_canvas_shows_every_tick_as_the_renderer_does(page: Browser, site: Path) -> None:
    """Scrubbed by keyboard, forwards and backwards, in a level with wandering creatures."""
    watch(page, site, 2)
    row = page.value("document.getElementById('play').selectedOptions[0].textContent")
    assert row.startswith("level 2, play 0: Random")
    actions = actions_of(site, 2)
    for shown in (0, 1, 2, 7, 3, 1):
        while position(page) != shown:
            page.press("ArrowRight" if position(page) < shown else "ArrowLeft")
        width, height, text = page.value(PIXELS)
        rgba = np.frombuffer(base64.b64decode(text), dtype=np.uint8).reshape(height, width, 4)
        np.testing.assert_array_equal(rgba[..., :3], vgdl.render.frame(state_at(site, 2, actions[:shown])))


def actions_of(site: Path, play: int) -> list[list[str | None]]:
    with contests.read(site.with_name("toy.db")) as store:
        return actions(store, play)


def played(site: Path, play: int) -> PlayResult:
    with contests.read(site.with_name("toy.db")) as store:
        return dict(numbered_plays(store))[play]


def state_at(site: Path, play: int, actions: list[list[str | None]]) -> vgdl.StateObservation:
    facts = played(site, play)
    board = vgdl.load(contests.TOY / "toy.txt").board(facts.level)
    return replay.simulate(board, facts.seed, actions, facts.stirring)


def test_a_replay_plays_to_its_end_and_stops(page: Browser, site: Path) -> None:
    watch(page, site, 0)
    page.value("document.getElementById('speed').value = '40'")
    page.press(" ")
    assert page.value("document.getElementById('toggle').getAttribute('aria-label')") == "pause"
    ticks = played(site, 0).ticks
    page.wait(f"document.getElementById('tick').textContent === '{ticks} / {ticks}'")
    page.wait("document.getElementById('toggle').getAttribute('aria-label') === 'play'")
    assert position(page) == last(page)
    assert f"Tick {ticks} of {ticks}" in page.value("document.getElementById('status').textContent")


def test_a_replay_pauses_where_it_is(page: Browser, site: Path) -> None:
    watch(page, site, 0)
    page.value("document.getElementById('toggle').click()")
    page.wait("parseInt(document.getElementById('tick').textContent) > 0")
    page.value("document.getElementById('toggle').click()")
    stopped = position(page)
    page.value("new Promise((done) => setTimeout(done, 200))")
    assert position(page) == stopped > 0


def test_keys_and_slider_reach_every_tick(page: Browser, site: Path) -> None:
    watch(page, site, 0)
    page.press("End")
    assert position(page) == last(page)
    page.press("ArrowLeft")
    assert position(page) == last(page) - 1
    page.press("Home")
    page.press("ArrowLeft")
    assert position(page) == 0
    page.value("(() => { const s = document.getElementById('scrub'); s.value = 5; s.oninput(); })()")
    assert position(page) == 5
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


def test_a_missing_play_is_explained(page: Browser, site: Path) -> None:
    page.open(site / "replay.html", "#999")
    page.wait("document.getElementById('status').textContent !== ''")
    assert "there is no replay of play 999" in page.value("document.getElementById('status').textContent")
