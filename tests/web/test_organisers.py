"""What organisers do: by pages and by commands, with an audit log; and how a competition is decided."""

from __future__ import annotations

import json
import re
import socket

import pytest

import contests
import sites
from vgdl.competition import cli
from vgdl.competition.web import accounts, competitions, entries, organising, rankings, upkeep
from vgdl.competition.web.competitions import Role, SetOfGames, SettingsError, State
from vgdl.competition.web.database import Database


def test_the_first_organiser_signs_up_by_a_link_that_works_once(database: Database) -> None:
    assert not accounts.has_organiser(database)
    link = f"/link/{accounts.make_link(database, 'organiser')}"
    someone = sites.visit(database)
    assert someone.post(link, name="Olga", password=sites.PASSWORD).url.path == "/organise"
    assert accounts.has_organiser(database)
    assert sites.visit(database).client.get(link).status_code == 404


def test_a_competition_is_made_opened_and_closed_by_pages(database: Database) -> None:
    sites.user(database, "Olga", accounts.ORGANISER)
    olga = sites.visit(database).sign_in("Olga")
    assert olga.post("/organise", **sites.FORM).url.path == "/organise/autumn"
    assert sites.visit(database).client.get("/competitions/autumn").status_code == 404  # a draft
    olga.post("/organise/autumn", action="open")
    assert sites.visit(database).client.get("/competitions/autumn").status_code == 200
    olga.post("/organise/autumn", action="announce", title="Hello", words="all")
    assert "Hello" in sites.visit(database).client.get("/competitions/autumn").text
    olga.post("/organise/autumn", action="close")
    assert competitions.find(database, "autumn").state is State.CLOSING
    log = olga.client.get("/organise/audit").text
    assert [word for word in ("create", "open", "announce", "close") if word not in log] == []


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"slug": "a/b"}, "is not an address"),
        ({"source1": "trainig"}, "did you mean"),
        ({"budget": "fast"}, "budget: write a time per action"),
        ({"baselines": "nobody"}, "nobody"),
        ({"role1": "test"}, "played at the close only"),
        ({"opens": "2026-05-02T00:00", "closes": "2026-05-01T00:00"}, "opens before it closes"),
        ({"closes": "2026-05-01T00:00"}, "the date at which it closes has passed"),
        ({"final_plays_top": "999999999999"}, "deciding plays of the top entries: 999999999999 is not a number"),
        ({"memory_mb": "0"}, "memory in MiB: 0 is not a number of 128"),
        *(({"slug": slug}, "is the address of a page of the site") for slug in competitions.RESERVED),
    ],
)
def test_a_competition_that_cannot_be_run_is_refused_in_words(
    database: Database, changes: dict[str, str], words: str
) -> None:
    sites.user(database, "Olga", accounts.ORGANISER)
    answer = sites.visit(database).sign_in("Olga").post("/organise", **(sites.FORM | changes))
    assert answer.status_code == 400
    assert words in answer.text


def test_test_sets_have_a_button_and_a_word_only_if_there_are_any(database: Database) -> None:
    sites.user(database, "Olga", accounts.ORGANISER)
    olga = sites.visit(database).sign_in("Olga")
    hidden = SetOfGames("final", Role.TEST, str(contests.TOY), levels=(contests.CORRIDOR,))
    sites.opened(database)
    sites.opened(database, "autumn", sets=(*sites.settings().sets, hidden))
    for slug, expected in (("spring", False), ("autumn", True)):
        assert ("Show the test sets" in olga.client.get(f"/organise/{slug}").text) is expected
        page = sites.visit(database).client.get(f"/competitions/{slug}").text
        assert ("Test sets are hidden" in page) is expected
        assert "Budget per action: 30 calls. Entries of each user in 24 hours: at most 5." in page


def test_entrants_find_no_pages_of_organisers(database: Database) -> None:
    sites.opened(database)
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    for page in ("/organise", "/organise/spring", "/organise/audit"):
        assert ann.client.get(page).status_code == 404
    token = ann.form_token("/account")
    for page in ("/organise", "/organise/spring", "/organise/users", "/organise/entries", "/organise/spring/export"):
        answer = ann.client.post(page, data={"form_token": token, "action": "promote", "user": "Ann", "entry": "1"})
        assert answer.status_code == 404
    assert accounts.find_user(database, "Ann").role == accounts.ENTRANT


@pytest.mark.costly
def test_the_close_locks_uploads_and_the_deciding_plays_decide(database: Database) -> None:
    test = SetOfGames("hidden", Role.TEST, str(contests.TOY), levels=(contests.CORRIDOR,))
    open_one = sites.settings().sets[0]
    competition, ann, bob = (
        sites.opened(database, sets=(open_one, test)),
        sites.user(database),
        sites.user(database, "Bob"),
    )
    sites.sent(database, ann, competition, name="Right")
    sites.sent(database, bob, competition, sites.RAISES, name="Raises")
    sites.work(database)
    assert database.rows("SELECT 1 AS one FROM plays WHERE set_name = 'hidden'") == []
    number = organising.close_competition(database, "tests", competition)
    assert number == 2 * 3
    with pytest.raises(entries.UploadRefused, match="takes no entries"):
        sites.sent(database, ann, competitions.find(database, "spring"))
    for _ in range(2):  # for all, then for the top
        sites.work(database)
        upkeep.settle_all(database)
    decided = competitions.find(database, "spring")
    assert decided.state is State.DECIDED
    board = rankings.board(database, decided, "hidden")
    assert board.is_final
    assert board.lines[0].entry.name == "Right"
    assert {line.plays for line in board.lines} == {3}
    seeds = database.rows("SELECT repeat, COUNT(DISTINCT seed) AS n FROM plays WHERE phase = 'final' GROUP BY repeat")
    assert [row["n"] for row in seeds] == [1, 1, 1]  # all meet the same chance
    page = sites.visit(database).client
    assert "hidden" not in page.get("/api/competitions/spring/ranking").json()["set"]
    assert page.get("/competitions/spring?set=hidden").status_code == 404
    competitions.show_test(database, "tests", decided, shown=True)
    assert page.get("/competitions/spring?set=hidden").status_code == 200
    assert "the queue is empty" in page.get("/").text
    assert "the queue is empty" not in page.get("/competitions/spring").text  # nothing of it is waited for


def test_dates_open_and_close_competitions(database: Database) -> None:
    now = database.now()
    competitions.create(database, "tests", "dated", "Dated", sites.settings(), opens=now - 1, closes=now + 1000)
    upkeep.follow_dates(database)
    assert competitions.find(database, "dated").state is State.OPEN
    database.run("UPDATE competitions SET closes = ?", now - 1)
    upkeep.follow_dates(database)
    assert competitions.find(database, "dated").state is State.CLOSING


def test_a_competition_that_is_opened_after_its_closing_date_stays_open(database: Database) -> None:
    now = database.now()
    competitions.create(database, "tests", "late", "Late", sites.settings(), opens=now + 500, closes=now + 1000)
    database.run("UPDATE competitions SET opens = ?, closes = ?", now - 2, now - 1)
    upkeep.follow_dates(database)
    assert competitions.find(database, "late").state is State.DRAFT, "the site was down all the time"
    organising.open_competition(database, "tests", competitions.find(database, "late"))
    upkeep.follow_dates(database)
    late = competitions.find(database, "late")
    assert (late.state, late.closes) == (State.OPEN, None)


@pytest.mark.costly
def test_a_disqualified_entry_leaves_the_ranking_for_a_reason_that_all_can_read(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    sites.work(database)
    organising.disqualify(database, "tests", entries.get(database, entry.id), "copied <script>")
    assert [line.entry.name for line in rankings.board(database, competition, "toy").lines] == ["Random"]
    page = sites.visit(database).client.get("/competitions/spring").text
    assert "copied &lt;script&gt;" in page
    organising.disqualify(database, "tests", entries.get(database, entry.id), "")
    organising.promote_entry(database, "tests", entries.get(database, entry.id))
    assert entries.get(database, entry.id).counted


@pytest.mark.costly
def test_a_re_run_evaluates_an_entry_anew(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    sites.work(database)
    before = {row["id"] for row in database.rows("SELECT id FROM plays")}
    organising.rerun(database, "tests", entries.get(database, entry.id))
    assert entries.get(database, entry.id).state == "waiting"
    sites.work(database)
    after = entries.get(database, entry.id)
    assert (after.state, after.counted) == ("evaluated", True)
    assert len({row["id"] for row in database.rows("SELECT id FROM plays")} - before) == 1


@pytest.mark.costly
def test_commands_do_what_the_pages_do(database: Database, capsys: pytest.CaptureFixture[str]) -> None:
    def site(*words: str) -> str:
        assert cli.main(["site", "--store", database.address, *words]) == 0
        return capsys.readouterr().out

    baseline = ["--baselines", "random", "--budget", "calls:30"]
    site("create", "winter", "--title", "Winter", "--set", f"training={contests.TOY}:toy", *baseline)
    site("open", "winter")
    ann = sites.user(database)
    entry = sites.sent(database, ann, competitions.find(database, "winter"))
    assert cli.main(["worker", "--store", database.address, "--isolation", "rlimits"]) == 0
    capsys.readouterr()
    assert "evaluated" in site("status")
    site("disqualify", str(entry.id), "a reason")
    site("readmit", str(entry.id))
    site("promote", str(entry.id))
    exported = json.loads(site("export", "winter"))
    assert {play["set"] for play in exported["plays"]} == {"toy"}
    assert exported["secret"] is None
    assert not any("seed" in play for play in exported["plays"])
    assert len(site("export", "winter", "--csv").splitlines()) == 1 + sum(len(p["players"]) for p in exported["plays"])
    link = re.search(r"/link/\S+", site("reset-link", "Ann"))
    assert link
    assert sites.visit(database).client.get(link[0]).status_code == 200
    assert site("show-test", "winter") == "0 test sets of winter: shown\n"
    site("announce", "News", "--competition", "winter")
    site("make-organiser", "Ann")
    log = site("audit")
    assert [
        word for word in ("create", "open", "disqualify", "promote", "announce", "make organiser") if word not in log
    ] == []


def test_a_competition_that_is_not_there_is_an_error_in_words(
    database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["site", "--store", database.address, "open", "nothing"])
    assert "there is no competition 'nothing'" in capsys.readouterr().err
    with pytest.raises(SettingsError):
        competitions.find(database, "nothing")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--port", "99999"], "from 0 to 65535"),
        (["--workers", "-1"], "'-1' is not a whole number of 0 or more"),
        (["--workers", "9999"], "ask for --workers"),
        (["--url", "compete.example.org"], "such as https://compete.example.org"),
        (["--host", "a..b"], "cannot listen at a..b"),
        (["--boards", "nowhere"], "a store of vgdl-compete, or a folder: nowhere is neither"),
        (["--store", "."], "unable to open"),
    ],
)
def test_wrong_options_of_the_site_are_explained(
    words: list[str], told: str, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["serve", "--store", database.address, "--port", "0", *words])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_a_port_in_use_is_explained_before_a_link_is_made(
    database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(SystemExit) as ended:
        cli.main(["serve", "--store", database.address, "--port", str(other.getsockname()[1])])
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert re.search(r"cannot listen at 127\.0\.0\.1:\d+: [\w ]+\n$", told.err)
    assert told.out == ""


def test_results_of_tracks_are_shown_as_boards(database: Database, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("boards")
    (folder / "othello").mkdir()
    (folder / "othello" / ".vgdl-report").write_text("")
    (folder / "othello" / "index.html").write_text("<h1>Othello arena</h1>")
    (folder / "private").mkdir()
    (folder / "private" / "index.html").write_text("no site of ours")
    client = sites.visit(database, boards=[folder]).client
    assert "/boards/othello/" in client.get("/").text
    assert "Othello arena" in client.get("/boards/othello/").text
    assert client.get("/boards/private/").status_code == 404


def test_what_is_ranked_stays_as_it_is_from_the_close_on(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    database.run("UPDATE entries SET state = 'evaluated', counted = 1 WHERE id = ?", entry.id)
    ready = entries.get(database, entry.id)
    for state in ("closing", "decided"):
        database.run("UPDATE competitions SET state = ?", state)
        for action in (organising.rerun, organising.promote_entry):
            with pytest.raises(SettingsError, match=state):
                action(database, "tests", ready)
        assert entries.get(database, entry.id).counted


def test_opening_a_decided_competition_again_names_what_is_lost_and_needs_its_address(database: Database) -> None:
    sites.user(database, "Olga", accounts.ORGANISER)
    sites.opened(database)
    database.run("UPDATE competitions SET state = 'decided'")
    olga = sites.visit(database).sign_in("Olga")
    refused = olga.post("/organise/spring", action="open")
    assert refused.status_code == 400
    assert "deletes its 0 deciding plays" in refused.text
    assert competitions.find(database, "spring").state is State.DECIDED
    olga.post("/organise/spring", action="open", confirm="spring")
    assert competitions.find(database, "spring").state is State.OPEN
