"""The site in a real browser: sign up, upload, evaluated, ranked, replay watched; and a game played by keys."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.responses import Response

import browser
import generated
import sites
import vgdl
from browser import Browser
from vgdl.competition.web import accounts, competitions, entries
from vgdl.competition.web.database import open_database
from vgdl.competition.web.security import Cookies

pytestmark = [
    pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium (apt install chromium)"),
    pytest.mark.xdist_group("site in a browser"),  # one site for all of them
]


@dataclass(frozen=True, slots=True)
class Served:
    """A site with a worker beside it."""

    address: str
    link: str  #: of the first organiser
    store: Path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One command, from nothing."""
    folder = tmp_path_factory.mktemp("site")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "log"
    made = generated.store(folder / "made.db", [generated.row(name) for name in ("first", "second")])
    command = [sys.executable, "-P", "-m", "vgdl.competition.cli", "serve", "--store", str(folder / "site.db")]
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, "--port", str(port), "--isolation", "rlimits", "--boards", str(made)],
            stdout=file,
            stderr=file,
            cwd=folder,
        )
    deadline = time.monotonic() + 120
    while not (found := re.search(r"http\S+/link/\S+", log.read_text())):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    address = f"http://127.0.0.1:{port}"
    while not _answers(port):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with open_database(str(folder / "site.db")) as database:
        sites.opened(database)
    yield Served(address, found[0], folder / "site.db")
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    assert "Traceback" not in log.read_text(), log.read_text()


@pytest.mark.costly
def test_sign_up_upload_evaluated_ranked_and_the_replay_watched(page: Browser, served: Served, tmp_path: Path) -> None:
    page.go(f"{served.address}/sign-up")
    page.fill("#name", "Ann")
    page.fill("#password", sites.PASSWORD)
    page.value("document.querySelector('main form').requestSubmit()")
    page.wait("location.pathname === '/' && document.body?.textContent.includes('Sign out')")
    page.go(f"{served.address}/competitions/spring/enter")
    wrong, right = tmp_path / "wrong.py", tmp_path / "right.py"
    wrong.write_text("class Mine(Controller:\n    pass\n")
    right.write_text(sites.RIGHT)
    page.choose_file("#file", wrong)
    page.value("document.getElementById('upload').requestSubmit()")
    page.wait("document.getElementById('error').textContent.includes('line 1')")
    page.errors.clear()  # the browser notes the answer 400
    page.choose_file("#file", right)
    page.fill("#name", "Right Turn")
    page.value("document.getElementById('upload').requestSubmit()")
    page.wait("location.pathname.startsWith('/entries/')")
    page.wait("document.getElementById('message')?.textContent === 'won 1 of 1 plays'")
    entry, deadline = page.value("location.pathname"), time.monotonic() + 120
    while "Place 1 of" not in page.value("document.querySelector('main')?.textContent ?? ''"):  # it loads itself anew
        assert time.monotonic() < deadline, "the entry has no place"
        time.sleep(1)  # another process computes the ranking
        page.go(f"{served.address}{entry}")
    page.go(f"{served.address}/competitions/spring")
    assert "Right Turn" in page.value("document.querySelector('tbody tr').textContent")
    page.value("document.querySelector('tbody tr th a').click()")
    page.wait("location.pathname.startsWith('/entries/') && !!document.querySelector('a[href^=\"/plays/\"]')")
    page.value("document.querySelector('a[href^=\"/plays/\"]').click()")
    page.wait(
        "location.pathname.startsWith('/plays/') && document.getElementById('tick')?.textContent.startsWith('0 /')"
    )
    page.press("End")
    page.wait("document.getElementById('status').textContent.includes('won')")


def test_the_start_of_the_level_is_seen_before_the_play_begins(page: Browser, served: Served) -> None:
    page.go(f"{served.address}/play/aliens?level=1")
    colours = "new Set(new Uint32Array(context().getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size"
    page.value("window.context = () => document.getElementById('canvas').getContext('2d')")
    page.wait(f"{colours} > 3")
    assert page.value("document.getElementById('tick').textContent") == "–"
    board = vgdl.load("aliens").board(1)
    width, height = (side // board.start(0).block_size * vgdl.render.BLOCK for side in board.start(0).world_dimension)
    assert page.value("[canvas.width, canvas.height]") == [width, height]
    with open_database(str(served.store)) as database:
        assert database.rows("SELECT * FROM records WHERE game = 'aliens'") == []


def test_a_game_is_played_by_keys_and_its_replay_kept_with_consent(page: Browser, served: Served) -> None:
    page.go(f"{served.address}/play/missilecommand")
    page.value("document.getElementById('consent').click()")
    page.value("document.getElementById('start').click()")
    page.wait("Number(document.getElementById('tick').textContent) > 3")
    page.hold("ArrowLeft")
    page.wait("Number(document.getElementById('tick').textContent) > 40")
    page.let_go("ArrowLeft")
    pixels = "new Set(document.getElementById('canvas').getContext('2d').getImageData(0, 0, 400, 200).data).size"
    assert page.value(pixels) > 10
    page.wait("document.getElementById('status').textContent.includes('score')")
    page.value("document.querySelector('#status a').click()")
    page.wait(
        "location.pathname.startsWith('/records/') && document.getElementById('tick')?.textContent.startsWith('0 /')"
    )
    page.press("End")
    page.wait("document.getElementById('status').textContent.includes('score')")
    with open_database(str(served.store)) as database:
        rows = database.rows("SELECT actions IS NOT NULL AS kept, ticks FROM records")
    assert [bool(row["kept"]) for row in rows] == [True]
    assert rows[0]["ticks"] > 40


@pytest.mark.costly
def test_on_a_phone_the_game_and_its_touch_pad_are_in_view(page: Browser, served: Served) -> None:
    page.resize(360, 700)
    page.go(f"{served.address}/play/frogs")
    page.value("document.getElementById('start').click()")
    page.wait("Number(document.getElementById('tick').textContent) > 3")
    assert page.value("getComputedStyle(document.getElementById('start')).display") == "none"
    assert page.value("document.getElementById('canvas').getBoundingClientRect().top") >= 0
    assert page.value("document.getElementById('pad').getBoundingClientRect().bottom") <= 700
    buttons = "[...document.querySelectorAll('#pad button')].filter((one) => one.getClientRects().length).length"
    assert page.value(buttons) == 4, "frogs cannot act"


@pytest.mark.costly
def test_a_match_of_gamebot_is_played_with_the_mouse(page: Browser, served: Served) -> None:
    page.go(f"{served.address}/tracks/gamebot/play")
    page.value("document.getElementById('game').value = 'surround', document.getElementById('game').onchange()")
    page.value("document.getElementById('start').click()")
    page.wait("document.querySelectorAll('#moves button').length > 1 && !!document.querySelector('#board svg')")
    for width, dark in ((1200, False), (360, True)):
        page.resize(width, 800, dark=dark)
        assert page.flaws() == [], (width, dark)
        if pictures := os.environ.get("VGDL_PICTURES"):
            page.screenshot(Path(pictures) / f"gamebot-{'phone' if width < 600 else 'desktop'}.png")
    page.value("setInterval(() => document.querySelector('#moves button')?.click(), 20)")
    page.wait("/win|lose|draw/.test(document.getElementById('status').textContent)")
    assert page.value("document.querySelectorAll('#log li').length") > 1


@pytest.mark.costly
def test_every_page_is_readable_on_a_phone_and_in_the_dark(page: Browser, served: Served) -> None:
    with open_database(str(served.store)) as database:
        olga = sites.user(database, "Olga", accounts.ORGANISER)
        entry = sites.sent(database, olga, competitions.find(database, "spring"), sites.RAISES, "Raises").id
        deadline = time.monotonic() + 120
        while not entries.get(database, entry).state.is_outcome:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        played = database.row("SELECT play_id FROM players WHERE entry_id = ?", entry)
        assert played is not None
    while b"/games/toy?" not in urllib.request.urlopen(f"{served.address}/competitions/spring").read():
        assert time.monotonic() < deadline, "another process computes the ranking"
        time.sleep(0.2)
    page.send("Network.clearBrowserCookies")
    page.go(f"{served.address}/sign-in")
    page.fill("#name", "Olga")
    page.fill("#password", sites.PASSWORD)
    page.value("document.querySelector('main form').requestSubmit()")
    page.wait("document.body?.textContent.includes('Sign out')")
    pages = [
        "/",
        "/competitions/spring",
        "/competitions/spring/games/toy",
        f"/entries/{entry}",
        f"/plays/{played['play_id']}/",
        "/play",
        "/play/aliens",
    ]
    pages += ["/tracks/gamebot/play", "/tracks/othello/play"]
    pages += [
        "/queue",
        "/account",
        "/organise",
        "/organise/spring",
        "/organise/audit",
        "/competitions/spring/enter",
        "/tracks/generate/judge",
    ]
    pictures = os.environ.get("VGDL_PICTURES")
    for path in pages:
        page.go(served.address + path)
        for width, dark in ((1200, False), (360, True)):
            page.resize(width, 800, dark=dark)
            assert page.flaws() == [], (path, width, dark)
            if pictures:
                name = path.strip("/").replace("/", "-") or "home"
                page.screenshot(Path(pictures) / f"{name}-{'phone' if width < 600 else 'desktop'}.png")


@pytest.mark.costly
def test_two_generated_levels_are_played_and_voted_on_by_keyboard(page: Browser, served: Served) -> None:
    with open_database(str(served.store)) as database:
        sites.user(database, "Vera")
    deadline = time.monotonic() + 120
    while b"/vote/made" not in urllib.request.urlopen(f"{served.address}/tracks/generate/vote").read():
        assert time.monotonic() < deadline, "another process reads the store"
        time.sleep(0.2)
    page.send("Network.clearBrowserCookies")
    page.go(f"{served.address}/sign-in?next=/tracks/generate/vote/made")
    page.fill("#name", "Vera")
    page.fill("#password", sites.PASSWORD)
    page.press("Enter")
    page.wait("location.pathname === '/tracks/generate/vote/made' && document.readyState === 'complete'")
    for width, dark in ((1280, False), (390, True)):
        page.resize(width, 844, dark=dark)
        assert page.flaws() == [], (width, dark)
    page.resize(1280, 900)
    for side, other in (("left", "right"), ("right", "left")):
        page.value(f"document.getElementById('{side}-start').focus()")
        page.press("Enter")
        page.wait(f"Number(document.getElementById('{side}-tick').textContent) > 3")
        assert page.value("document.activeElement.id") == f"{side}-canvas", "keys go to the game"
        page.hold("ArrowLeft")
        page.wait(f"document.getElementById('{side}-played').value >= 10")
        page.let_go("ArrowLeft")
        assert page.value(f"document.getElementById('{other}-game').classList.contains('running')") is False
    page.wait("!document.getElementById('answers').disabled")
    for width, dark in ((1280, False), (390, True)):
        page.resize(width, 844, dark=dark)
        assert page.flaws() == [], (width, dark)
    page.value("document.querySelector('button[value=right]').focus()")
    page.press("Enter")
    page.wait("location.search.startsWith('?voted=') && document.readyState === 'complete'")
    words = page.value("document.querySelector('main').textContent")
    assert "Thank you. Left was made by" in words
    assert "You have seen all pairs of today" in words
    page.go(f"{served.address}/tracks/generate/vote/made/strengths")
    assert page.flaws() == []


def test_the_keyboard_reaches_everything(page: Browser, served: Served) -> None:
    page.send("Network.clearBrowserCookies")
    page.go(f"{served.address}/")
    page.press("Tab")
    assert page.value("document.activeElement.className") == "skip"
    reached = set()
    for _ in range(40):
        page.press("Tab")
        reached.add(page.value("document.activeElement.getAttribute('href')"))
    assert {"/", "/play", "/queue", "/sign-in", "/sign-up", "/competitions/spring"} <= reached


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


@pytest.mark.costly
@pytest.mark.parametrize("width", [390, 1200])
def test_othello_is_played_by_keys_and_on_a_phone(page: Browser, served: Served, width: int) -> None:
    page.resize(width, 800)
    page.go(f"{served.address}/tracks/othello/play")
    page.value("document.getElementById('start').click()")
    page.wait("document.querySelectorAll('.legal').length === 4")
    page.value("document.getElementById('board').children[18].focus()")
    page.press("ArrowRight")
    page.press(" ")  # d3
    page.wait("document.getElementById('log').textContent.includes('greedy: c3, turns 1')")
    page.wait("document.getElementById('status').textContent.startsWith('Your move')")
    assert page.value("document.querySelectorAll('.turned').length") == 1
    page.value("document.getElementById('edit').click()")
    page.value("document.getElementById('board').children[0].click()")
    assert "black" in page.value("document.getElementById('board').children[0].getAttribute('aria-label')")
    assert page.flaws() == []
    assert page.errors == []


_LANDMARKS = """(() => {
    const names = [...document.querySelectorAll("nav, section[aria-labelledby], [role=region]")].map((node) =>
        node.getAttribute("aria-label") || document.getElementById(node.getAttribute("aria-labelledby")).textContent.trim());
    return names.filter((name, at) => names.indexOf(name) !== at);
})()"""


@pytest.mark.costly
def test_landmarks_have_names_of_their_own_and_the_touch_pad_is_beside_the_game_on_a_phone_held_sideways(
    page: Browser, served: Served
) -> None:
    with open_database(str(served.store)) as database:
        organiser = sites.user(database, "Orla", accounts.ORGANISER)
        cookies = Cookies(accounts.secret(database), secure=False)
        answer = Response()
        cookies.write(answer, accounts.open_session(database, organiser), 3600.0)
    name, value = answer.headers["set-cookie"].partition(";")[0].split("=", 1)
    page.send("Network.setCookie", name=name, value=value, url=served.address)
    for path in (
        "/organise",
        "/organise/spring",
        "/organise/spring/settings",
        "/competitions/spring",
        "/account",
        "/play/aliens",
    ):
        page.go(served.address + path)
        assert page.value(_LANDMARKS) == [], path
        assert page.flaws() == [], path
    page.send("Network.clearBrowserCookies")
    page.send("Emulation.setDeviceMetricsOverride", width=844, height=390, deviceScaleFactor=1, mobile=True)
    page.send("Emulation.setTouchEmulationEnabled", enabled=True)
    page.go(f"{served.address}/play/aliens")
    box = "document.querySelector('{}').getBoundingClientRect()"
    stage, pad = box.format(".playable .stage"), box.format("#pad")
    assert page.value(f"{stage}.right <= {pad}.left && {pad}.right <= innerWidth")
    assert page.value(f"Math.max({stage}.height, {pad}.height) <= innerHeight")
    page.send("Emulation.setTouchEmulationEnabled", enabled=False)
    page.send("Emulation.clearDeviceMetricsOverride")
