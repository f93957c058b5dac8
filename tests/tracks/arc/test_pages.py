"""Cards, replays and the page where people play, in a real browser; and the same cards in a site of files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="needs the extra web")

import browser
from browser import Browser
from tracks.arc.serving import CLICK, RIGHT, Caller, games, serving
from vgdl.competition import cli
from vgdl.competition.tracks.arc.session import Session

KEYS, CLICKS = games()
HOSTILE = "</script><b id=hostile>\u202e\x1b[31m"
PICTURE = "document.getElementById('frame').toDataURL()"

needs_chromium = pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium (apt install chromium)")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A server with a card on which both games were played."""
    with serving(store=tmp_path_factory.mktemp("pages") / "arc.db") as caller:
        caller.open(tags=["agent", HOSTILE], source_url=HOSTILE)
        caller.start(CLICKS.id)
        caller.command(CLICK, x=44, y=31, reasoning={"why": HOSTILE})
        caller.start(KEYS.id)
        caller.act(RIGHT, RIGHT, RIGHT)
        caller.close()
        yield caller


def pages(caller: Caller) -> list[str]:
    """Addresses of pages of every kind."""
    names = ["", "games.html", f"play/{CLICKS.base}.html", f"play/{KEYS.base}.html"]
    names += [f"cards/{caller.card}.html", f"replays/{caller.guid}.html"]
    return [f"{caller.url}/{name}" for name in names]


@needs_chromium
def test_no_page_is_wider_than_a_phone_or_reports_an_error(page: Browser, served: Caller) -> None:
    for dark in (False, True):
        page.resize(390, 844, dark=dark)
        for address in pages(served):
            page.go(address)
            assert page.flaws() == [], (address, dark)
            assert page.value("document.getElementById('hostile')") is None
            assert page.value("[...document.querySelectorAll('script')].every((script) => script.src && !script.text)")


def drawn(page: Browser) -> Any:
    return page.value(PICTURE)


@needs_chromium
def test_a_replay_steps_to_the_frames_of_the_play(page: Browser, served: Caller) -> None:
    page.go(f"{served.url}/replays/{served.guid}.html")
    page.wait("document.getElementById('at').textContent === '0 / 3'")
    start = drawn(page)
    page.press("ArrowRight")
    assert drawn(page) != start
    page.press("ArrowRight")
    assert page.value("document.getElementById('level').textContent") == "2 of 2"
    page.press("Home")
    assert drawn(page) == start
    page.value("document.getElementById('toggle').click()")
    page.wait("document.getElementById('at').textContent === '3 / 3'")
    page.wait("document.getElementById('toggle').getAttribute('aria-label') === 'play'")


@pytest.mark.costly
@needs_chromium
def test_a_person_wins_with_keys_and_the_play_becomes_a_baseline(page: Browser, tmp_path: Path) -> None:
    store = tmp_path / "arc.db"
    with serving(store=store) as caller:
        for person in range(4):
            page.go(f"{caller.url}/play/{KEYS.base}.html")
            page.wait("document.getElementById('told').textContent === 'Find out what to do.'")
            page.value("localStorage.clear()")  # another person, after one who only looked
            page.go(f"{caller.url}/play/{KEYS.base}.html")
            page.wait("document.getElementById('told').textContent === 'Find out what to do.'")
            keys = ["d", "r"] * person + ["ArrowRight", "d", "ArrowRight", "ArrowRight", "ArrowRight"]
            for number, key in enumerate(keys, 1):
                page.press(key)
                page.wait(f"document.getElementById('actions').textContent === '{number}'")
            page.wait("!document.getElementById('done').hidden")
            assert page.value("document.getElementById('told').textContent") == "You have finished the game."
        page.value("document.getElementById('done').click()")
        page.wait("location.pathname.startsWith('/cards/') && document.readyState === 'complete'")
        assert page.value("document.body.innerText.includes('human')")
    assert cli.main(["arc", "baselines", str(store), "--json", str(tmp_path / "baselines.json")]) == 0
    told = json.loads((tmp_path / "baselines.json").read_text())[KEYS.id]
    assert told["players"] == 4
    assert told["levels"][0] == {
        "actions": [2, 4, 6, 8], "rhae-seed": 4, "rhae-2026-03": 4, "rhae-2026-04": 6
    }  # fmt: skip
    assert told["levels"][1]["rhae-2026-04"] == 3


@needs_chromium
def test_a_person_clicks_on_the_pixel_under_the_pointer(page: Browser, served: Caller) -> None:
    page.go(f"{served.url}/play/{CLICKS.base}.html")
    page.wait("document.getElementById('told').textContent === 'Find out what to do.'")
    goal = Session(CLICKS)
    goal.reset()
    x, y = CLICKS.pixel(0, 4, 1)
    box = page.value(
        "(({ left, top, width }) => [left, top, width])(document.getElementById('frame').getBoundingClientRect())"
    )
    place = {"x": box[0] + (x + 0.5) * box[2] / 64, "y": box[1] + (y + 0.5) * box[2] / 64}
    for kind in ("mousePressed", "mouseReleased"):
        page.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
    page.wait("document.getElementById('level').textContent === '2 of 2'")
    assert page.value("document.getElementById('actions').textContent") == "1"


@needs_chromium
def test_buttons_play_as_keys_do(page: Browser, served: Caller) -> None:
    page.resize(390, 844)
    page.go(f"{served.url}/play/{KEYS.base}.html")
    page.wait("document.getElementById('told').textContent === 'Find out what to do.'")
    tops = page.value("[...document.querySelectorAll('#pad button')].map((one) => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 3, "a cross of three rows"
    page.value("document.querySelector('[data-action=\"3\"]').click()")
    page.wait("document.getElementById('told').textContent.startsWith('Game over')")
    assert page.value("document.querySelector('[data-action=\"4\"]').disabled")
    page.value("document.getElementById('reset').click()")
    page.wait("document.getElementById('actions').textContent === '2'")


def test_a_competition_shows_neither_games_nor_replays() -> None:
    with serving(competition=True) as caller:
        caller.open()
        caller.start(KEYS.id)
        hidden = ["games.html", f"play/{KEYS.base}.html", f"cards/{caller.card}.html"]
        for name in [*hidden, f"replays/{caller.guid}.html", f"replays/{caller.guid}.js"]:
            assert caller.call("GET", f"/{name}").status == 404, name
        caller.close()
        assert "replays/" not in caller.get(f"/cards/{caller.card}.html")
        assert f"cards/{caller.card}.html" in caller.get("/")


def test_what_is_not_there_is_not_found_and_told_on_a_page(served: Caller) -> None:
    for name in (
        "cards/x.html",
        "replays/x.html",
        "replays/x.js",
        "play/zz99.html",
        "assets/x",
        "assets/../cli.py",
        "<b>",
    ):
        answer = served.call("GET", f"/{name}")
        assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=utf-8"), name
        assert "there is nothing at" in answer.body
        assert "Back to the scorecards" in answer.body
        assert "<b>" not in answer.body


def test_a_wrong_method_is_told_on_a_page_with_the_right_ones(served: Caller) -> None:
    answer = served.call("POST", "/games.html", {})
    assert (answer.status, sorted(answer.headers["allow"].split(", "))) == (405, ["GET", "HEAD"])
    assert "POST is not allowed here" in answer.body


def test_the_server_has_an_icon_where_browsers_look_for_it(served: Caller) -> None:
    icon = served.call("GET", "/favicon.ico")
    assert (icon.status, icon.headers["content-type"]) == (200, "image/svg+xml")
    assert icon.body == served.get("/assets/icon.svg")
    assert "/assets/icon.svg" in served.get("/")


def test_a_store_is_reported_and_ranked_like_those_of_other_tracks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from vgdl.competition.tracks.arc.game import bundled

    store, site = tmp_path / "arc.db", tmp_path / "site"
    offered = bundled()[:1]
    with serving(offered, store=store) as caller:
        caller.open(tags=["agent", HOSTILE])
        caller.start(offered[0].id)
        caller.act(offered[0].actions[0])
        caller.close()
    assert cli.main(["standings", str(store), "--json", "-", "--csv", str(tmp_path / "cards.csv")]) == 0
    assert json.loads(capsys.readouterr().out)["cards"][0]["card_id"] == caller.card
    assert caller.card in (tmp_path / "cards.csv").read_text()
    assert cli.main(["report", str(store), "--out", str(site), "--quiet"]) == 0
    assert f"../replays/{caller.guid}.html" in (site / "cards" / f"{caller.card}.html").read_text()
    assert (site / "replays" / f"{caller.guid}.js").read_text().startswith('arc.replay([["RESET"')
    assert "<b id" not in (site / "index.html").read_text()


def test_a_recording_is_checked_by_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tracks.arc.serving import FOLDER

    with serving(recordings=tmp_path) as caller:
        caller.open()
        caller.start(KEYS.id)
        caller.act(RIGHT, RIGHT)
        caller.close()
    (file,) = tmp_path.iterdir()
    assert cli.main(["arc", "check", str(file), "--games", str(FOLDER)]) == 0
    assert "1 of 1 recordings show the same frames, in 3 commands" in capsys.readouterr().out
    file.write_text(file.read_text().replace('"id":4', '"id":5', 1))
    assert cli.main(["arc", "check", str(file), "--games", str(FOLDER)]) == 1
    assert "command 2, ACTION5: other pixels" in capsys.readouterr().out
