"""What entrants do on a site: sign up, upload, watch, be ranked, and take their things away again."""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

import sites
from vgdl.competition.submissions.queue import State
from vgdl.competition.web import accounts, competitions, entries, jobs, limits, organising, rankings, undoing, upkeep
from vgdl.competition.web.database import Database
from vgdl.competition.web.entries import UploadRefused
from vgdl.competition.web.limits import TooMany
from vgdl.competition.web.pages import entrant


def test_a_stranger_signs_up_uploads_and_is_ranked_without_javascript(database: Database) -> None:
    sites.opened(database)
    someone = sites.visit(database)
    done = someone.post("/sign-up", name="Ann", password=sites.PASSWORD)
    assert done.url.path == "/"
    assert "Sign out" in done.text
    uploaded = someone.upload(sites.RIGHT, "right.py", name="Right Turn")
    assert uploaded.url.path.startswith("/entries/")
    assert "waits to be checked" in uploaded.text
    assert "in the queue" in uploaded.text
    sites.work(database)
    page = someone.client.get(uploaded.url.path).text
    assert "won 1 of 1 plays" in page
    ranking = sites.visit(database).client.get("/competitions/spring").text
    assert "Right Turn" in ranking  # the seed is a fresh one: now and then, random moves win as fast
    assert "Random" in ranking
    play = page.partition('href="/plays/')[2].partition("/")[0]
    film = sites.visit(database).client.get(f"/plays/{play}/replays/{play}.js").text
    assert film.startswith(f"vgdl.film({play},")


def test_the_evaluation_is_told_as_it_goes_and_the_stream_ends_with_it(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    sites.work(database)
    page = sites.visit(database).sign_in("Ann").client.get(f"/entries/{entry.id}/events?after=0").text
    told = [json.loads(line.removeprefix("data: ")) for line in page.splitlines() if line.startswith("data: ")]
    words = [one["words"] for one in told if "words" in one]
    assert words[0].startswith("uploaded")
    assert words[1].startswith("checked: agent.py:Right")
    assert words[-1] == "evaluated: won 1 of 1 plays"
    assert told[-1]["done"] is True
    assert told[-1]["plays"] == told[-1]["total"] == 1


def test_the_stream_of_an_entry_waits_for_its_place_in_the_ranking_but_not_for_ever(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrant, "LOOK_S", 0.01)
    monkeypatch.setattr(entrant, "RANKING_S", 0.1)
    sites.opened(database)
    _, entry = sites.ranked(database)
    client = sites.visit(database).sign_in("Ann").client
    done = re.findall(r'"done": (\w+)', client.get(f"/entries/{entry.id}/events?after=0").text)
    assert done == ["false", "true"], "it is evaluated, and on no board"
    sites.played(database, entry, jobs.EVALUATION)
    rankings.refresh(database, at_once=True)
    assert re.findall(r'"done": (\w+)', client.get(f"/entries/{entry.id}/events?after=0").text) == ["true"]


@pytest.mark.costly
def test_a_score_below_zero_has_a_minus_sign_for_readers_and_a_hyphen_for_programs(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    sites.work(database)
    database.run("UPDATE players SET score = -2.5")
    database.run("INSERT INTO events (entry_id, at, words) VALUES (?, 0, ?)", entry.id, "toy: lost, score -2.5")
    visit = sites.visit(database).sign_in("Ann")
    page = visit.client.get(f"/entries/{entry.id}").text
    assert "lost, score −2.5" in page
    assert '<td class="number">−2.50</td>' in page
    assert not re.search(r"(?<![\w\"-])-\d", re.sub(r"<[^>]+>|20\d\d-\d\d-\d\d", "", page.partition("<main")[2]))
    assert "score \\u22122.5" in visit.client.get(f"/entries/{entry.id}/events?after=0").text
    api = visit.client.get(f"/api/entries/{entry.id}", headers=sites.token(database, ann)).text
    assert "score -2.5" in api


@pytest.mark.parametrize(
    ("content", "filename", "words"),
    [
        (b"", "agent.py", "the file is empty"),
        (
            b"class Mine(Controller:\n    pass\n",
            "agent.py",
            r"agent.py, line 1, column \d+: .*\nclass Mine\(Controller:\n +\^",
        ),
        (b"x = 1\n", "agent.py", "there is no class in agent.py"),
        (b"class \0", "agent.py", "^agent.py(?!, line None).*: source code string cannot contain null bytes$"),
        (b"# coding: nonsense\nclass A: pass\n", "agent.py", "^agent.py(?!, line 0).*: unknown encoding: nonsense$"),
        (
            b"class A:\n    x = " + b"-" * 90000 + b"1",
            "agent.py",
            "agent.py.*too (deeply|many|complex)",
        ),
        (b"hello", "agent.rar", "^this is not a zip file; send a zip, or one file that ends in .py$"),
        (b"hello", "agent.zip", "^this is not a zip file$"),
        (b"(" * 5000 + b"class", "agent.py", "agent.py, line 1"),
    ],
)
def test_what_is_wrong_with_an_upload_is_said_at_once(content: bytes, filename: str, words: str) -> None:
    with pytest.raises(UploadRefused, match=words):
        entries.checked(filename, content)


def test_a_syntax_error_quotes_the_upload_and_no_file_of_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent.py").write_text("SECRET = 1\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UploadRefused) as refused:
        entries.checked("agent.py", b"class A(:\n")
    assert "SECRET" not in str(refused.value)
    assert "class A(:" in str(refused.value)


@pytest.mark.parametrize("filename", ["AGENT.PY", "folder/agent.py", "C:\\agents\\agent.Py", "a" * 300 + ".py"])
def test_a_python_file_is_one_whatever_its_name_looks_like(database: Database, filename: str) -> None:
    sites.opened(database)
    headers = sites.token(database, sites.user(database))
    client = sites.visit(database).client
    query = {"filename": filename}
    answer = client.post("/api/competitions/spring/entries", params=query, content=sites.RIGHT, headers=headers)
    assert answer.status_code == 201, answer.text
    name = entries.get(database, answer.json()["entry"]).name
    assert name.lower() in ("agent", "a" * 60)


@pytest.mark.parametrize("name", ["a\ufffdb", "a\u202eb", "\u200b\u200b", "a\x7fb"])
def test_names_that_cannot_be_read_are_refused(database: Database, name: str) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    with pytest.raises(UploadRefused, match="printable letters"):
        sites.sent(database, ann, competition, name=name)
    with pytest.raises(accounts.AccountError, match="printable letters"):
        accounts.sign_up(database, name, sites.PASSWORD)


def test_a_python_file_becomes_a_zip_that_its_owner_can_download(database: Database) -> None:
    sites.opened(database)
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    page = ann.upload(sites.RIGHT, "../my agent.py").url.path
    got = ann.client.get(f"{page}/archive")
    with zipfile.ZipFile(io.BytesIO(got.content)) as archive:
        assert archive.namelist() == ["my_agent.py"]
        assert archive.read("my_agent.py").decode() == sites.RIGHT


def test_a_controller_that_cannot_be_imported_gets_its_traceback_and_no_plays(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition, "import nowhere\n" + sites.RIGHT)
    sites.work(database)
    after = entries.get(database, entry.id)
    assert after.state is State.NOT_IMPORTED
    assert "No module named 'nowhere'" in after.details
    assert not after.counted


@pytest.mark.costly
def test_one_entry_at_a_time_is_ranked_and_the_user_chooses_which(database: Database) -> None:
    """One that was disqualified does not take the place of another by itself."""
    competition, ann = sites.opened(database), sites.user(database)
    first, second, broken = (
        sites.sent(database, ann, competition, source, name)
        for source, name in ((sites.RIGHT, "One"), (sites.RIGHT, "Two"), (sites.RAISES, "Broken"))
    )
    sites.work(database)
    assert [one.name for one in entries.of_competition(database, competition, counted=True)] == ["Random", "Two"]
    entries.set_counted(database, ann, entries.get(database, first.id))
    board = rankings.board(database, competition, "toy")
    assert [line.entry.name for line in board.lines] == ["One", "Random"]
    assert not entries.get(database, second.id).counted
    entries.set_counted(database, ann, entries.get(database, broken.id))
    assert [one.name for one in entries.of_competition(database, competition, counted=True)] == ["Random", "Broken"]


def test_the_place_is_shown_as_soon_as_an_entry_is_evaluated(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    page = f"/entries/{sites.sent(database, ann, competition).id}"
    own = sites.visit(database).sign_in("Ann").client
    assert "Place 1 of" not in own.get(page).text
    sites.work(database)
    assert "Place 1 of" in own.get(page).text


def test_deleting_frees_the_storage_and_takes_the_replays_away(database: Database) -> None:
    competition, ann = sites.opened(database, storage_mb=1), sites.user(database)
    entry = sites.sent(database, ann, competition)
    sites.work(database)
    free = entries.quota_left(database, ann, competition)[1]
    assert entries.delete(database, ann, entries.get(database, entry.id)) == entry.size > 0
    assert entries.quota_left(database, ann, competition)[1] == free + entry.size
    play = database.row("SELECT id FROM plays JOIN players ON play_id = plays.id WHERE entry_id = ?", entry.id)
    assert play is not None
    for visit, words in (
        (sites.visit(database).sign_in("Ann"), "was deleted"),
        (sites.visit(database), "no such play"),
    ):
        answer = visit.client.get(f"/plays/{play['id']}/replays/x.js")
        assert (answer.status_code, words in answer.text) == (404, True)


def test_the_limit_of_a_day_says_which_it_is_and_when_it_ends(database: Database) -> None:
    competition, ann = sites.opened(database, per_day=1), sites.user(database)
    sites.sent(database, ann, competition)
    refused = sites.visit(database).sign_in("Ann").client
    page = refused.get("/competitions/spring/enter").text
    token = page.partition('name="form_token" value="')[2].partition('"')[0]
    answer = refused.post(
        "/competitions/spring/enter", data={"form_token": token}, files={"file": ("a.py", sites.RIGHT)}
    )
    assert answer.status_code == 429
    assert "1 upload in 24 hours for spring" in answer.text
    assert 86000 < int(answer.headers["retry-after"]) <= 86400


@pytest.mark.parametrize(
    ("before", "status", "words"),
    [
        (
            "UPDATE competitions SET settings = REPLACE(settings, '\"per_day\": 5', '\"per_day\": 0')",
            429,
            "the limit of 0 uploads",
        ),
        ("DELETE FROM sessions", 401, "you are not signed in any more"),
        ("UPDATE sessions SET expires = 0", 401, "you are not signed in any more"),
        ("UPDATE competitions SET state = 'closing'", 400, "takes no entries"),
        ("DELETE FROM competitions", 404, "there is no competition 'spring'"),
    ],
)
def test_the_script_of_the_form_gets_every_refusal_in_words(
    database: Database, before: str, status: int, words: str
) -> None:
    """It shows the answer as it is: a page in its place would be shown as HTML."""
    sites.opened(database, per_day=5, baselines=())
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    data = {"form_token": ann.form_token("/competitions/spring/enter")}
    database.run(before)
    files = {"file": ("agent.py", sites.RIGHT)}
    headers = {"accept": "application/json"}
    answer = ann.client.post("/competitions/spring/enter", data=data, files=files, headers=headers)
    assert (answer.status_code, words in answer.json()["error"].replace("The limit", "the limit")) == (status, True)


def test_an_error_of_the_site_gives_the_quota_back(database: Database) -> None:
    competition, ann = sites.opened(database, per_day=1), sites.user(database)
    entry = sites.sent(database, ann, competition)
    for _ in range(2):
        job = jobs.take(database, "worker")
        while job is not None and job.entry_id != entry.id:
            jobs.give_back(database, job, "worker")
            database.run("DELETE FROM jobs WHERE id = ?", job.id)
            job = jobs.take(database, "worker")
        assert job is not None
        jobs.fault(database, job, "worker", "the disk is full")
    after = entries.get(database, entry.id)
    assert (after.state, after.refunded) == (State.FAILED, True)
    assert entries.quota_left(database, ann, competition)[0] == 1
    assert "the disk is full" in entries.events(database, after)[-2]["words"]


def test_programs_upload_with_a_token_and_are_told_the_same(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    client, headers = sites.visit(database).client, sites.token(database, ann)
    address = f"/api/competitions/{competition.slug}/entries?filename=right.py&name=Robot"
    assert client.post(address, content=sites.RIGHT).status_code == 401
    made = client.post(address, content=sites.RIGHT, headers=headers)
    assert made.status_code == 201
    sites.work(database)
    known = client.get(f"/api/entries/{made.json()['entry']}", headers=headers).json()
    assert (known["state"], known["progress"]["done"]) == ("evaluated", 1)
    ranking = client.get("/api/competitions/spring/ranking").json()["ranking"]
    assert [line["name"] for line in ranking] == ["Robot", "Random"]
    broken = client.post(address, content="class X(:", headers=headers)
    assert (broken.status_code, "line 1" in broken.json()["error"]) == (400, True)


def test_a_reset_link_sets_a_password_once_and_ends_all_sessions(database: Database) -> None:
    ann = sites.user(database)
    signed_in = sites.visit(database).sign_in("Ann")
    link = f"/link/{organising.reset_link(database, 'tests', ann)}"
    someone = sites.visit(database)
    assert someone.post(link, password="another password").url.path == "/"
    assert "Sign out" not in signed_in.client.get("/").text
    assert someone.client.get(link).status_code == 404
    accounts.sign_in(database, "ann", "another password")
    with pytest.raises(accounts.AccountError):
        accounts.sign_in(database, "Ann", sites.PASSWORD)


def test_rate_limits_name_themselves_and_forget(database: Database) -> None:
    limit = limits.Limit("2 tries in 10 seconds", 2, 10.0)
    limits.spend(database, limit, "a")
    limits.spend(database, limit, "a")
    limits.spend(database, limit, "b")
    with pytest.raises(TooMany, match=r"2 tries in 10 seconds is reached; try again in \d+ seconds"):
        limits.spend(database, limit, "a")
    database.run("UPDATE attempts SET at = at - 11")
    limits.spend(database, limit, "a")


def test_an_entry_that_waits_is_told_so_before_ten_minutes_are_over(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    upkeep.break_silence(database)
    assert len(entries.events(database, entry)) == 1
    database.run("UPDATE events SET at = at - 540")
    upkeep.break_silence(database)
    assert entries.events(database, entry)[-1]["words"].startswith("still waiting: no worker is running")


@pytest.mark.costly
def test_ranked_entries_play_at_least_once_an_hour(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    sites.work(database)
    upkeep.keep_active(database)
    assert jobs.take(database, "w") is None  # it has just played
    database.run("UPDATE plays SET finished = finished - 3000")
    upkeep.keep_active(database)
    upkeep.keep_active(database)
    active = database.rows("SELECT * FROM jobs WHERE phase = 'active' AND entry_id = ?", entry.id)
    assert [(job["level"], job["repeat"]) for job in active] == [(1, 1)]
    sites.work(database)
    assert competitions.find(database, "spring").state is competitions.State.OPEN


@pytest.mark.costly
def test_the_smallest_controller_of_the_page_is_evaluated_as_it_is(database: Database) -> None:
    sites.opened(database)
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    page = ann.client.get("/competitions/spring/enter").text
    blocks = [html.unescape(block) for block in re.findall(r"<pre[^>]*><code[^>]*>(.*?)</code></pre>", page, re.DOTALL)]
    assert blocks
    for number, block in enumerate(blocks):
        answer = ann.upload(block, f"agent{number}.py", name=f"Block {number}")
        sites.work(database)
        assert entries.get(database, int(answer.url.path.rpartition("/")[2])).state == "evaluated"


@pytest.mark.costly
def test_what_an_entry_printed_is_for_its_owner_and_its_invalid_answers_are_counted(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    source = sites.HEAD + (
        "class Odd(Controller):\n    def act(self, state, timer):\n        print('<i>hush</i> plan')\n"
        "        return 'RIGHT' if state.tick < 2 else Action.RIGHT\n"
    )
    entry = sites.sent(database, ann, competition, source, "Odd")
    sites.work(database)
    own = sites.visit(database).sign_in("Ann").client
    play = own.get(f"/entries/{entry.id}").text.partition('href="/plays/')[2].partition("/")[0]
    page = own.get(f"/plays/{play}/").text
    assert "&lt;i&gt;hush&lt;/i&gt; plan" in page
    assert "2 invalid answers" in page
    assert "hush" not in sites.visit(database).client.get(f"/plays/{play}/").text
    board = rankings.board(database, competition, "toy")
    assert {line.entry.name: line.reliability.invalid for line in board.lines}["Odd"] == 1
    assert "hush" not in json.dumps(organising.export(database, "tests", competition))
    entries.delete(database, ann, entry)
    database.run("UPDATE entries SET changed = changed - ? WHERE id = ?", undoing.UNDO_S + 1, entry.id)
    undoing.purge(database)
    assert database.row("SELECT MAX(output) AS output FROM players WHERE entry_id = ?", entry.id) == {"output": ""}
