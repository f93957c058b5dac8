"""Boards of all tracks, by the interface of tracks alone: also of one that is installed from outside."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import sites
import vgdl.competition
from vgdl.competition import track as registry
from vgdl.competition.results import Column, ResultTable
from vgdl.competition.store import Store, is_store
from vgdl.competition.web import board_writer, track_boards
from vgdl.competition.web.app import make_app
from vgdl.competition.web.database import Database
from vgdl.competition.web.run_pages import RunPages
from vgdl.competition.web.track_boards import TrackBoards

EXAMPLE = Path(__file__).parents[2] / "examples" / "guessing_track"


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The track of the documentation, as an installed package."""
    home = tmp_path / "site-packages"
    shutil.copytree(EXAMPLE / "guessing", home / "guessing")
    facts = home / "vgdl_guessing-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: vgdl-guessing\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[vgdl.tracks]\nguessing = guessing.track:GuessingTrack\n")
    monkeypatch.syspath_prepend(str(home))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(home), os.environ.get("PYTHONPATH")])))
    registry.find.cache_clear()
    yield
    registry.find.cache_clear()


def othello(path: Path, **changes: Any) -> None:
    """A small tournament in a store."""
    options: dict[str, Any] = {
        "systems": ["random", "greedy"], "stages": ["stage-1"], "analysis": "1s", "game": "1s", "seed": 1,
        "isolation": "rlimits", "store": str(path), "quiet": True,
    }  # fmt: skip
    vgdl.competition.run("othello", **(options | changes))


def test_a_track_from_outside_shows_on_the_site(outside: None, database: Database, tmp_path: Path) -> None:
    store = tmp_path / "numbers.db"
    vgdl.competition.run("guessing", rounds=2, seed=1, isolation="rlimits", store=str(store), quiet=True)
    client = sites.visit(database, boards=[store]).client
    assert '<a href="/tracks/guessing">Guessing</a>' in client.get("/tracks").text
    assert "/boards/numbers/" in client.get("/tracks/guessing").text
    board = client.get("/boards/numbers/").text
    assert "Bisection" in board
    assert "complete" in board
    assert "seed 1" in board, "all is over"
    report = client.get("/boards/numbers/report/").text
    assert "Bisection, round 0: 500" in report
    assert 'href="/tracks"' in report, "the way back to the site"


@pytest.mark.costly
def test_a_board_shows_its_tables_where_the_pages_of_a_track_fail(
    outside: None, database: Database, tmp_path: Path
) -> None:
    store = tmp_path / "numbers.db"
    vgdl.competition.run("guessing", rounds=2, seed=1, isolation="rlimits", store=str(store), quiet=True)
    (tmp_path / "site-packages" / "guessing" / "templates" / "guessing" / "index.html").write_text("{{ nothing }}")
    client = sites.visit(database, boards=[store]).client
    board = client.get("/boards/numbers/").text
    assert "Bisection" in board
    assert "the pages of this track cannot be written" in board
    assert client.get("/boards/numbers/report/").status_code == 404


def test_every_track_is_listed_with_what_can_be_done_in_it(database: Database) -> None:
    client = sites.visit(database).client
    listed = client.get("/tracks").text
    for name in registry.names():
        assert f'href="/tracks/{name}"' in listed
        on_site = registry.find(name).on_site
        for address in filter(None, (on_site.play, on_site.watch, on_site.vote, on_site.enter, on_site.judge)):
            assert f'href="{address}"' in listed
            assert client.get(address).status_code == 200, address
    assert 'href="/tracks"' in client.get("/").text
    assert client.get("/tracks/chess").status_code == 404
    assert client.get("/boards/chess/").status_code == 404


def test_pages_go_with_the_site(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site that ends without being closed, as in a test, leaves nothing behind."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(work))
    boards, pages, closed = TrackBoards(), RunPages(database), TrackBoards()
    assert len(list(work.iterdir())) == 3
    closed.close()
    assert len(list(work.iterdir())) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        del boards, pages
        gc.collect()
    assert not list(work.iterdir())


@pytest.mark.costly
def test_stores_of_a_folder_are_found_while_the_site_runs(database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "boards"
    folder.mkdir()
    (folder / "notes.txt").write_text("no store")
    boards = TrackBoards([folder])
    boards.refresh()
    assert boards.every() == []
    othello(folder / "June 2027.db")
    boards.refresh()
    (board,) = boards.every()
    assert (board.name, board.title, board.track) == ("june-2027", "June 2027", "othello")
    assert [table["name"] for table in board.facts["tables"]] == ["overall", "leaderboards", "times", "games"]
    assert "Small Board" in board.facts["tables"][1]["title"]
    assert [table["is_detail"] for table in board.facts["tables"]] == [False, False, False, True]
    boards.close()


@pytest.mark.costly
def test_a_board_is_written_again_only_when_its_store_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(track_boards, "REST", 0.0)
    store = tmp_path / "a.db"
    othello(store)
    boards = TrackBoards([store])
    boards.refresh()
    (board,) = boards.every()
    written = board.written
    boards.refresh()
    assert board.written == written
    store.write_bytes(store.read_bytes()[:2000])
    boards.refresh()
    assert board.written > written
    assert "damaged" in board.facts["problem"]
    assert board.facts["tables"], "the last good one is still shown"
    boards.close()


def test_a_board_that_has_never_been_written_says_so(database: Database, tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    othello(store)
    app = make_app(database, "http://testserver", boards=TrackBoards([store]), upkeep_here=False)
    answer = TestClient(app).get("/boards/a/")
    assert answer.status_code == 200
    assert "This board is being written" in answer.text
    assert TestClient(app).get("/tracks").status_code == 200


def test_cells_keep_no_break_spaces_and_escape_what_cannot_be_printed() -> None:
    table = ResultTable("ranking", "Ranking", [Column("cell")], [{"cell": "0 [0,\u00a01]\x1b"}])
    assert board_writer._table(table, is_detail=False)["rows"] == [[["0 [0,\u00a01]\\x1b", None]]]


@pytest.mark.costly
def test_a_damaged_store_has_a_board_that_says_so(database: Database, tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    othello(store)
    store.write_bytes(store.read_bytes()[:2000])
    assert is_store(store)
    client = sites.visit(database, boards=[store]).client
    answer = client.get("/boards/a/")
    assert answer.status_code == 200
    assert "damaged" in answer.text
    assert "cannot be read" in client.get("/tracks").text


@pytest.mark.costly
def test_the_seed_of_a_competition_that_is_not_over_is_not_shown(database: Database, tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    found = registry.find("othello")
    othello(tmp_path / "whole.db", seed=987654321)
    with Store.open(tmp_path / "whole.db", read_only=True) as whole:
        facts = dict(whole.plan)
    facts.pop("track")
    with Store.create(store, {"track": "othello", **facts}, found.tables):
        pass
    client = sites.visit(database, boards=[store, tmp_path / "whole.db"]).client
    assert "987654321" in client.get("/boards/whole/").text
    assert "987654321" not in client.get("/boards/a/").text
